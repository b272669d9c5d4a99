"""Calls that run concurrently, each in a task: all begin at once, but on an executor at most as many as it takes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from mulligan.calls import ToolCall
from mulligan.pipeline.invocation import Runtime
from mulligan.results import ToolResult


class Batch:
    """A batch of calls, which begin in order.

    Args:
        calls: the calls.
        call_one: runs one of them.
        runtime: the pipeline's parts.
    """

    def __init__(
        self,
        calls: Sequence[ToolCall],
        call_one: Callable[[ToolCall], Coroutine[Any, Any, ToolResult]],
        runtime: Runtime,
    ) -> None:
        self._calls, self._call_one = calls, call_one
        self._tasks: dict[int, asyncio.Task[ToolResult]] = {}  # begun, and their outcome not yet taken
        self._outcomes: list[ToolResult | BaseException | None] = [None] * len(calls)
        self._waiting: dict[int, deque[int]] = {}
        places: dict[int, int] = {}
        for at, call in enumerate(calls):
            executor = _executor_of(call, runtime)
            if executor is None or executor.in_flight is None:
                self._begin(at)
                continue
            key = id(executor)
            left = places.setdefault(key, executor.in_flight)
            if left > 0:
                places[key] = left - 1
                self._begin_on(key, at)
            else:
                self._waiting.setdefault(key, deque()).append(at)

    @property
    def running(self) -> list[asyncio.Task[ToolResult]]:
        """The tasks that have not ended."""
        return [task for task in self._tasks.values() if not task.done()]

    @property
    def outcomes(self) -> list[ToolResult | BaseException | None]:
        """The result or exception of each call, in order; None if it has not ended, or its task was cancelled."""
        for at, task in self._tasks.items():
            if task.done():
                self._outcomes[at] = _outcome(task)
        return self._outcomes

    def cancel(self) -> list[asyncio.Task[ToolResult]]:
        """Cancels the calls that run, and begins no more. Returns the tasks that have not ended."""
        self._waiting.clear()
        running = self.running
        for task in running:
            task.cancel()
        return running

    def _begin(self, at: int) -> asyncio.Task[ToolResult]:
        task = self._tasks[at] = asyncio.ensure_future(self._call_one(self._calls[at]))
        return task

    def _begin_on(self, key: int, at: int) -> None:
        self._begin(at).add_done_callback(partial(self._end_on, key, at))

    def _end_on(self, key: int, at: int, task: asyncio.Task[ToolResult]) -> None:
        """Keeps the outcome of a call, but not its task, which needs more memory; and begins the next on its executor."""
        self._outcomes[at] = _outcome(task)
        del self._tasks[at]
        if waiting := self._waiting.get(key):
            self._begin_on(key, waiting.popleft())


def _outcome(task: asyncio.Task[ToolResult]) -> ToolResult | BaseException | None:
    if task.cancelled():
        return None
    error = task.exception()
    return task.result() if error is None else error


def _executor_of(call: ToolCall, runtime: Runtime) -> Any:
    tool = runtime.toolset.get(call.name)
    if tool is None or tool.executor is None:
        return None
    return runtime.executors.get(tool.executor) if isinstance(tool.executor, str) else tool.executor
