"""What one invocation asks of its driver: a generator yields these steps and is sent their outcomes."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.errors import ToolError
    from mulligan.tools import Tool

Executor: TypeAlias = "Callable[[], Any] | Callable[[], Awaitable[Any]]"


class Run:
    """Run a tool once.

    Attributes:
        executor: a callable or coroutine function of no arguments.
        timeout: seconds until the driver gives up waiting, or None.
        offload: whether an async driver sends a sync executor to a thread.
        is_async: whether calling the executor gives something to await; found out where it is not said.
    """

    __slots__ = ("executor", "is_async", "offload", "timeout")

    def __init__(
        self, executor: Executor, timeout: float | None = None, offload: bool = True, is_async: bool | None = None
    ) -> None:
        self.executor = executor
        self.timeout = timeout
        self.offload = offload
        self.is_async = gives_awaitable(executor) if is_async is None else is_async


def gives_awaitable(function: Any) -> bool:
    """Whether a callable is a coroutine function or an async generator function; partials are looked through.

    Args:
        function: a function, a method, a partial, or an object with `__call__`.
    """
    while isinstance(function, partial):
        function = function.func
    run = function if inspect.isroutine(function) else type(function).__call__
    return inspect.iscoroutinefunction(run) or inspect.isasyncgenfunction(run)


class Sleep:
    """Wait.

    Attributes:
        seconds: how long.
    """

    __slots__ = ("seconds",)

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


class Outcome:
    """How a step ended.

    Attributes:
        value: what was returned.
        exception: what was raised, or None.
        error: what the failure means, once it is classified; None for a success.
    """

    __slots__ = ("error", "exception", "value")

    def __init__(
        self, value: Any = None, exception: BaseException | None = None, error: ToolError | None = None
    ) -> None:
        self.value = value
        self.exception = exception
        self.error = error


class DeadlineExceeded(Exception):
    """The driver gave up waiting at the deadline.

    Attributes:
        seconds: how long it had waited.
        started: whether the tool had begun to run.
        running: whether it may still be running.
    """

    def __init__(self, seconds: float, *, started: bool = True, running: bool = True) -> None:
        super().__init__(f"no answer within {seconds:g} s")
        self.seconds = seconds
        self.started = started
        self.running = started and running


class ExecutorSaturated(Exception):
    """Every worker thread is held by a call that did not end in time: nothing was run."""


Step: TypeAlias = "Run | Sleep"
Steps: TypeAlias = "Generator[Step, Outcome, Outcome]"
Middleware: TypeAlias = "Callable[[Run, Tool, ToolCall], Generator[Step, Outcome, Outcome]]"
