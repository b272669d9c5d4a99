"""What blocks a thread although it is awaited, in a thread of the pool that can be abandoned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from inspect import iscoroutine
from typing import Any

from mulligan.execute.async_driver import arun
from mulligan.execute.steps import Run
from mulligan.execute.sync_driver import Workers


async def run_blocking(function: Callable[[], Any], lane: str, workers: Workers) -> Any:
    """What a function returns that blocks, such as a coroutine function that awaits a sync function.

    When its caller is cancelled, as at a deadline, the one thread of the pool is all that is left of it: nothing waits in
    another executor, whose end the event loop or the interpreter would wait for.

    Args:
        function: blocks. A coroutine that it returns runs in an event loop of its own, with all that it hands to threads.
        lane: the tool's name, which limits its share of the threads.
        workers: the pipeline's.

    Raises:
        Exception: what the function raised, or that no thread is free.
    """
    outcome = await arun(Run(partial(_run_here, function), None, is_async=False, lane=lane), workers)
    if outcome.exception is not None:
        raise outcome.exception
    return outcome.value


def _run_here(function: Callable[[], Any]) -> Any:
    value = function()
    if not iscoroutine(value):
        return value
    with asyncio.Runner(loop_factory=_OneThreadLoop) as runner:
        return runner.run(value)


class _OneThreadLoop(asyncio.SelectorEventLoop):
    """Runs in its own thread what its coroutines would run in another one."""

    async def run_in_executor(self, _: Any, function: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]
        return function(*args)
