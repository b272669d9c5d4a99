"""The steps of an invocation. Its generator yields them to the driver, which sends back their outcomes."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from mulligan.validate.signature import is_async_callable

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.errors import ToolArgumentError, ToolError
    from mulligan.tools import Tool

Executor: TypeAlias = "Callable[[], Any] | Callable[[], Awaitable[Any]]"


class Run:
    """Runs a tool once.

    Attributes:
        executor: a callable or coroutine function of no arguments. One that runs the tool in another process may have a
            method `within(context, *arguments)`: it returns an executor that runs the tool there inside the context manager
            that the function `context` makes. That of a killable tool has it.
        timeout: seconds until the driver stops waiting, or None.
        offload: whether an async driver runs a sync executor in a thread.
        is_async: whether calling the executor returns an awaitable; detected if not set.
        lane: the tool's name, so that one tool cannot use all worker threads; None for no such limit.
    """

    __slots__ = ("executor", "is_async", "lane", "offload", "timeout")

    def __init__(
        self,
        executor: Executor,
        timeout: float | None = None,
        offload: bool = True,
        is_async: bool | None = None,
        lane: str | None = None,
    ) -> None:
        self.executor = executor
        self.timeout = timeout
        self.offload = offload
        self.lane = lane
        self.is_async = is_async_callable(executor) if is_async is None else is_async

    def __copy__(self) -> Run:
        return Run(self.executor, self.timeout, self.offload, self.is_async, self.lane)


class Signal:
    """Ends a `Sleep` early, from any thread, so that waiting callers need not poll."""

    __slots__ = ("_is_set", "_lock", "_waker")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._waker: Callable[[], object] | None = None

    @property
    def is_set(self) -> bool:
        """Whether the signal is set."""
        return self._is_set

    def set(self) -> None:
        """Sets the signal: wakes current sleepers and skips later sleeps."""
        with self._lock:
            self._is_set = True
            waker, self._waker = self._waker, None
        if waker is not None:
            waker()

    def when_set(self, waker: Callable[[], object]) -> None:
        """For drivers: registers a function to call once when the signal is set, in the thread that sets it.

        Args:
            waker: takes no arguments, and returns immediately.
        """
        with self._lock:
            if not self._is_set:
                self._waker = waker
                return
        waker()


class Sleep:
    """Waits.

    Attributes:
        seconds: the maximum duration.
        signal: ends the wait early, or None.
    """

    __slots__ = ("seconds", "signal")

    def __init__(self, seconds: float, signal: Signal | None = None) -> None:
        self.seconds = seconds
        self.signal = signal


class Outcome:
    """How a step ended.

    Attributes:
        value: the return value.
        exception: the exception that was raised, or None.
        error: the classified error; None for a success, or before classification.
        failure: the `Failure` that was classified as `error`, or None.
    """

    __slots__ = ("error", "exception", "failure", "value")

    def __init__(
        self, value: Any = None, exception: BaseException | None = None, error: ToolError | None = None
    ) -> None:
        self.value = value
        self.exception = exception
        self.error = error
        self.failure: Any = None


class ArgumentsRefused(Exception):
    """Raised by a handler whose framework did not take the arguments, before anything ran: the call was not valid.

    Attributes:
        error: what is wrong with the arguments.
    """

    def __init__(self, error: ToolArgumentError) -> None:
        super().__init__(error.message)
        self.error = error


class DeadlineExceeded(Exception):
    """The tool did not end before its deadline.

    Attributes:
        seconds: how long the driver waited.
        told: the same duration as text, such as `2.5 s`.
        started: whether the tool had started to run.
        running: whether it may still be running.
    """

    def __init__(self, seconds: float, *, started: bool = True, running: bool = True) -> None:
        self.told = f"{_round_seconds(seconds):g} s"
        super().__init__(f"no response within {self.told}")
        self.seconds = seconds
        self.started = started
        self.running = started and running


def _round_seconds(seconds: float) -> float:
    """Rounds to tenths, to hide the delay before the tool started: 1.99 s become 2 s."""
    tenths = round(seconds, 1)
    return tenths if abs(tenths - seconds) <= seconds / 16 else round(seconds, 2) or seconds


class ExecutorSaturated(Exception):
    """Nothing was run: calls that exceeded their deadline occupy every worker thread, or no process can be started."""


class ProcessFailed(Exception):
    """The process of a killable tool gave no answer.

    Attributes:
        reason: the cause: `unloaded` (the tool could not be loaded there), `unsent` (the tool ended, but its value
            could not be sent back), `cpu` (it used up its CPU time), or `died`.
        how: for `died`, how the process ended, such as `SIGKILL` or `exit status 3`.
    """

    def __init__(self, reason: str, how: str = "", text: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        self.how = how


Step: TypeAlias = "Run | Sleep"
Result = TypeVar("Result")
_Result_co = TypeVar("_Result_co", covariant=True)
Steps: TypeAlias = "Generator[Step, Outcome, Outcome]"
Middleware: TypeAlias = "Callable[[Run, Tool, ToolCall], Generator[Step, Outcome, Outcome]]"


class Flow(Protocol[_Result_co]):
    """One invocation, as a driver sees it: a step, its outcome, the next step, and in the end the result."""

    def advance(self, outcome: Outcome | None) -> Step | _Result_co:
        """The next step, or the result.

        Args:
            outcome: how the last step ended; None for the first.
        """

    def close(self) -> None:
        """Ends the invocation without a result, since a step was interrupted."""


class GeneratorFlow(Generic[Result]):
    """A generator of steps as a flow.

    Args:
        steps: the generator.
    """

    __slots__ = ("_steps",)

    def __init__(self, steps: Generator[Step, Outcome, Result]) -> None:
        self._steps = steps

    def advance(self, outcome: Outcome | None) -> Step | Result:
        """The next step, or what the generator returns."""
        try:
            return self._steps.send(outcome)  # type: ignore[arg-type]
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]

    def close(self) -> None:
        """Closes the generator."""
        self._steps.close()
