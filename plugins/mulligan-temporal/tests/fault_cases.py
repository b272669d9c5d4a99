"""The fault table: what happens on the worker or the server, and what the pipeline must then say of the call."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import attrs
import mulligan_temporal
import temporal_tools as tools
from forked import ForkedWorker
from mulligan_temporal import Temporal
from mulligan_testkit.out_of_memory import can_outgrow

from mulligan import Pipeline, Policy, Tool, ToolResult

KINDS: dict[str, dict[str, bool]] = {
    "read-only": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False},
    "undeclared": {},
}
ONCE = ("write", "undeclared")
DEADLINE = 4.0
LONG = 60.0

Strike = Callable[["Scene"], Awaitable[None]]


@attrs.define
class Scene:
    """What a fault can strike.

    Attributes:
        address: the server's address.
        queue: the task queue.
        worker: the worker, or None.
        calls: the calls, which are running.
        server: stops and starts the server, or None if it is to be left alone.
    """

    address: str
    queue: str
    worker: ForkedWorker | None
    calls: list[asyncio.Task[Any]]
    server: Any = None


@attrs.frozen
class Case:
    """A fault, and what must be said of each call that met it.

    Attributes:
        title: what happens.
        tool: the tool that meets it.
        errors: the names of the classes that are right.
        effect: the effect that is right; None if there is no result.
        arguments: those of the call, beside `path`.
        strike: what happens once all tools run, or None.
        timeout: the tool's.
        works: whether there is a worker.
    """

    title: str
    tool: Tool
    errors: tuple[str, ...]
    effect: str | None = "possible"
    arguments: dict[str, Any] = attrs.field(factory=dict)
    strike: Strike | None = None
    timeout: float = LONG
    works: bool = True


@attrs.frozen
class Seen:
    """What was seen of one call.

    Attributes:
        kind: how the tool is declared.
        error: the name of the error's class.
        effect: the effect that was said.
        runs: how often the tool ran.
        late: seconds after the deadline at which the call ended.
        next_works: whether the next call worked.
        content: what the model reads.
    """

    kind: str
    error: str
    effect: str | None
    runs: int
    late: float
    next_works: bool
    content: str

    def is_right(self, case: Case) -> bool:
        """Whether class and effect are those of the case, and true, and no tool ran that may not run again."""
        most = 1 if self.kind in ONCE else 10
        least, most = {"none": (0, 0), "done": (1, most)}.get(case.effect or "", (0, most))
        return self.error in case.errors and self.effect == case.effect and least <= self.runs <= most


async def killed(scene: Scene) -> None:
    assert scene.worker is not None
    scene.worker.send(signal.SIGKILL)


async def killed_by_the_kernel(scene: Scene) -> None:
    """The worker takes more memory than it may have."""
    assert scene.worker is not None
    scene.worker.send(signal.SIGUSR1)


async def told_to_end(scene: Scene) -> None:
    assert scene.worker is not None
    scene.worker.send(signal.SIGTERM)
    await asyncio.wait(scene.calls)
    while scene.worker.is_alive():
        await asyncio.sleep(0.02)


async def frozen(scene: Scene) -> None:
    """The worker stops, longer than a heartbeat may be missing, and continues."""
    assert scene.worker is not None
    scene.worker.send(signal.SIGSTOP)
    await asyncio.wait(scene.calls, timeout=30)
    scene.worker.send(signal.SIGCONT)


async def cancelled(scene: Scene) -> None:
    for call in scene.calls:
        call.cancel()


async def terminated(scene: Scene) -> None:
    """An operator ends the activities."""
    from temporalio.client import Client

    client, left = await Client.connect(scene.address), len(scene.calls)
    while left and not all(call.done() for call in scene.calls):
        async for one in client.list_activities(f"TaskQueue = '{scene.queue}' AND ExecutionStatus = 'Running'"):
            await client.get_activity_handle(one.activity_id).terminate()
        await asyncio.sleep(0.2)


async def server_stopped(scene: Scene) -> None:
    """The server is killed, and is there again when the calls have ended."""
    scene.server.stop()
    await asyncio.wait(scene.calls)
    await asyncio.to_thread(scene.server.start)


STAY = {"seconds": 30.0}
LOST, FAILED, LATE = ("ToolUnavailableError",), ("ToolExecutionError",), ("ToolTimeoutError",)
CASES = {
    "killed": Case("the worker is killed", tools.stay, LOST, arguments=STAY, strike=killed),
    "kernel": Case("the kernel kills it: out of memory", tools.stay, LOST, arguments=STAY, strike=killed_by_the_kernel),
    "frozen": Case("no heartbeat: the worker is frozen", tools.stay, LOST, arguments=STAY, strike=frozen),
    "ended": Case("the worker is told to end", tools.stay, LOST, arguments=STAY, strike=told_to_end),
    "exit": Case("`sys.exit` in the tool", tools.leave_with, FAILED),
    "memory": Case("out of memory in the tool", tools.fill, ("ToolQuotaError",)),
    "argument": Case("a value that cannot be sent", tools.use, FAILED, "none"),
    "result": Case("a result that cannot be sent", tools.give, FAILED, "done", {"kind": "object"}),
    "large": Case("a result of 3 MB", tools.give, FAILED, "done", {"kind": "large"}),
    "exception": Case("an exception that cannot be pickled", tools.throw, FAILED),
    "raises": Case("the tool loses its own connection", tools.write, ("ToolConnectionError",)),
    "cancel": Case("the host cancels", tools.stay, ("CancelledError",), None, STAY, strike=cancelled),
    "terminate": Case(
        "an operator ends the activity", tools.stay, ("ToolCancelledError",), "possible", STAY, terminated
    ),
    "deadline": Case("the deadline, while it runs", tools.stay, LATE, arguments=STAY, timeout=DEADLINE),
    "pending": Case("the deadline, with no worker", tools.stay, LATE, "none", STAY, timeout=DEADLINE, works=False),
    "server": Case(
        "the server is killed", tools.stay, (*LATE, *LOST), arguments=STAY, strike=server_stopped, timeout=2 * DEADLINE
    ),
}
if not can_outgrow():
    del CASES["kernel"]


async def observe(case: Case, address: str, folder: Path, calls: int, server: Any = None) -> list[Seen]:
    """What is seen of so many calls of each kind of tool, all at once, that meet a fault."""
    queue = f"faults-{uuid4()}"
    paths = {(kind, number): folder / f"{queue}-{kind}-{number}" for kind in KINDS for number in range(calls)}
    worker = await asyncio.to_thread(ForkedWorker, address, queue) if case.works else None
    scene = Scene(address, queue, worker, [], server)
    try:
        with ExitStack() as stack:
            pipelines = {kind: stack.enter_context(_pipeline(case, address, queue, kind)) for kind in KINDS}
            for (kind, _), path in paths.items():
                scene.calls.append(asyncio.create_task(_timed(pipelines[kind], case, path)))
            if case.strike is not None:
                while not all(
                    path.exists() or call.done() for path, call in zip(paths.values(), scene.calls, strict=True)
                ):
                    await asyncio.sleep(0.02)
                await case.strike(scene)
            ended = await asyncio.gather(*scene.calls, return_exceptions=True)
            next_works = {kind: await _next_works(scene, pipelines[kind], folder) for kind in KINDS}
            runs = [path.read_text("utf-8").count("run") if path.exists() else 0 for path in paths.values()]
    finally:
        if scene.worker is not None:
            scene.worker.end()
    return [
        _seen(case, kind, one, count, next_works[kind])
        for (kind, _), one, count in zip(paths, ended, runs, strict=True)
    ]


@contextmanager
def _pipeline(case: Case, address: str, queue: str, kind: str) -> Iterator[Pipeline]:
    """A pipeline of a tool of one kind. What may not run again may be tried again: it must not be."""
    executor = Temporal(address=address, task_queue=queue, heartbeat=2 if case.errors == LOST else 20)
    placed = case.tool.with_options(executor=executor, timeout=case.timeout, **KINDS[kind])
    after = tools.read.with_options(executor=executor, timeout=LONG)
    policy = Policy() if kind in ONCE else Policy(retry=False)
    with Pipeline([placed, after], plugins=[mulligan_temporal], autoload=False, policy=policy) as pipeline:
        yield pipeline


async def _timed(pipeline: Pipeline, case: Case, path: Path) -> tuple[ToolResult, float]:
    began = time.monotonic()
    context = {"database": object()} if "database" in case.tool.injected else None
    result = await pipeline.acall(case.tool.name, {"path": str(path), **case.arguments}, context=context)
    return result, time.monotonic() - began


async def _next_works(scene: Scene, pipeline: Pipeline, folder: Path) -> bool:
    """Whether the next call works, on a new worker if this one is gone."""
    if scene.worker is None or not scene.worker.is_alive():
        scene.worker = await asyncio.to_thread(ForkedWorker, scene.address, scene.queue)
    file = folder / "next"
    file.write_text("here", "utf-8")
    return (await pipeline.acall("read", {"path": str(file)})).value == "here"


def _seen(case: Case, kind: str, ended: Any, runs: int, next_works: bool) -> Seen:
    if isinstance(ended, BaseException):
        return Seen(kind, type(ended).__name__, None, runs, 0.0, next_works, str(ended))
    result, seconds = ended
    effect = None if result.error is None else result.error.effect
    return Seen(kind, type(result.error).__name__, effect, runs, seconds - case.timeout, next_works, result.content)
