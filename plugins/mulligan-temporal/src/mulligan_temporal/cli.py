"""The command: `mulligan temporal worker --tools MODULE --task-queue Q`."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from cyclopts import App, CycloptsError

from mulligan.cli.loading import find_tools
from mulligan.errors import ToolError, UsageError

_LONGEST_HEARTBEAT_PAUSE = timedelta(seconds=2)

app = App(
    name="temporal", help="Tools as activities of Temporal.", result_action="return_value", help_format="plaintext"
)


@app.command
def worker(
    *,
    tools: str,
    task_queue: str = "mulligan",
    address: str | None = None,
    namespace: str | None = None,
    threads: int = 32,
) -> int:
    """Runs tools as activities until it is interrupted, then lets those that run end.

    Args:
        tools: Where the tools are: MODULE or MODULE:NAME.
        task_queue: The task queue from which it takes calls.
        address: The server's address, instead of that of the environment, such as TEMPORAL_ADDRESS.
        namespace: The namespace, instead of that of the environment.
        threads: The maximum number of tools that run at a time.
    """
    if threads < 1:
        raise UsageError(f"--threads {threads}: use a whole number, at least 1")
    asyncio.run(_work(tools, task_queue, address, namespace, threads))
    return 0


async def _work(spec: str, task_queue: str, address: str | None, namespace: str | None, threads: int) -> None:
    from temporalio.worker import Worker

    from mulligan_temporal.executor import Temporal
    from mulligan_temporal.worker import ToolsPlugin

    tools = find_tools(spec)
    client = await Temporal(address=address, namespace=namespace).connect()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    with ThreadPoolExecutor(threads) as pool:
        running = Worker(
            client,
            task_queue=task_queue,
            plugins=[ToolsPlugin(tools.values())],
            activity_executor=pool,
            max_concurrent_activities=threads,
            max_heartbeat_throttle_interval=_LONGEST_HEARTBEAT_PAUSE,
            graceful_shutdown_timeout=timedelta(seconds=10),
        )
        async with running:
            sys.stderr.write(f"mulligan: {len(tools)} tools on task queue {task_queue!r}\n")
            await ended.wait()


def main(arguments: Sequence[str]) -> int:
    """Runs the command.

    Args:
        arguments: the words after `mulligan temporal`.

    Returns:
        the exit code.
    """
    try:
        code = app(list(arguments), exit_on_error=False)
    except CycloptsError:
        return 2
    except (UsageError, ToolError) as error:
        sys.stderr.write(f"mulligan temporal: {error}\n")
        return 2
    return code if isinstance(code, int) else 0
