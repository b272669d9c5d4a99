"""The driver without `await`, and what it shares with the one in `async_driver`.

Both carry out the steps of the flow and send back their outcomes. Exceptions that may never become a result propagate:
KeyboardInterrupt, GeneratorExit, and the host's own cancellation.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from mulligan.deadline import Deadline, set_current, waitable
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, Outcome, Run, Sleep, Step
from mulligan.untrusted.objects import leaves

if TYPE_CHECKING:
    from mulligan.execute.thread_pool import Job, ThreadPool


class Loop(Protocol):
    """The private event loop for async tools under `call`."""

    def run(self, step: Run, means: Means, value: object = None) -> Outcome:
        """Runs an async tool once, blocking."""

    def close(self) -> None:
        """Closes the loop."""

    def disown(self) -> None:
        """Drops the loop in a forked process, so that the parent's stays unchanged."""


class Means(Protocol):
    """The workers of a driver.

    Attributes:
        grace: seconds that a cancelled async tool has to end.
        yielded: values that a generator may yield.
        detached: async tools that did not end in their grace; kept here, since an event loop would forget them.
    """

    grace: float
    yielded: int
    detached: set[Any]

    def pool(self) -> ThreadPool:
        """The worker threads."""

    def loop(self) -> Loop:
        """This thread's private event loop."""


Result = TypeVar("Result")
Flow: TypeAlias = Generator[Step, Outcome, Result]
PLAIN = frozenset({str, int, float, bool, type(None), dict, list, tuple, bytes})


def drive(flow: Flow[Result], means: Means) -> Result:
    """Runs an invocation to its result, blocking.

    Args:
        flow: the generator of `invoke`.
        means: the workers.

    Raises:
        UsageError: an async tool inside a running event loop.
    """
    try:
        step = next(flow)
        while True:
            step = flow.send(_run(step, means) if isinstance(step, Run) else _sleep(step))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        flow.close()


def _sleep(step: Sleep) -> Outcome:
    if step.signal is None:
        time.sleep(waitable(step.seconds))
    else:
        woken = threading.Event()
        step.signal.when_set(woken.set)
        woken.wait(waitable(step.seconds))
    return Outcome()


def _run(step: Run, means: Means) -> Outcome:
    if step.is_async:
        return _in_loop(step, means)
    if step.timeout is not None:
        return _in_thread(step, means)
    try:
        value = step.executor()
        if type(value) in PLAIN:
            return Outcome(value)
        if isinstance(value, Generator):
            value = consume(value, means.yielded)
    except Exception as error:  # a tool's failure, always
        return Outcome(None, error)
    except BaseException as error:
        if passes(error):
            raise
        return Outcome(None, error)
    return _awaited(value, step, means)


def _awaited(value: Any, step: Run, means: Means) -> Outcome:
    """The result of a sync function; if that is awaitable, its result."""
    if not isinstance(value, (Awaitable, AsyncGenerator)):
        return Outcome(value)
    return _in_loop(Run(lambda: value, step.timeout, is_async=True, lane=step.lane), means, value)


def _in_loop(step: Run, means: Means, value: object = None) -> Outcome:
    return means.loop().run(step, means, value)


def _in_thread(step: Run, means: Means) -> Outcome:
    pool = means.pool()
    try:
        job = pool.submit(collected(step, means), lane=step.lane)
    except ExecutorSaturated as error:
        return Outcome(exception=error)
    try:
        in_time = job.wait(waitable(step.timeout or 0.0))
    except BaseException:
        pool.abandon(job)
        raise
    if not in_time:
        return given_up(job, pool, step)
    outcome = ended(job)
    return outcome if outcome.exception is not None else _awaited(outcome.value, step, means)


def collected(step: Run, means: Means) -> Callable[[], Any]:
    """The executor for a context of its own, with its deadline; a generator that it returns is consumed in there.

    Args:
        step: the run.
        means: bounds.
    """
    executor, yielded = step.executor, means.yielded
    deadline = None if step.timeout is None else Deadline.after(step.timeout)

    def run() -> Any:
        if deadline is not None:
            set_current(deadline)
        value = executor()
        return consume(value, yielded) if isinstance(value, Generator) else value

    return run


def given_up(job: Job, pool: ThreadPool, step: Run) -> Outcome:
    """The outcome of a job that did not end in time; it is stopped if possible, otherwise its worker is abandoned.

    Args:
        job: the job.
        pool: the pool.
        step: the run.
    """
    stopped = pool.abandon(job)
    return Outcome(exception=DeadlineExceeded(step.timeout or 0.0, started=job.started, running=not stopped))


def ended(job: Job) -> Outcome:
    """The outcome of a job that has ended; exceptions that must propagate are raised.

    Args:
        job: the job.
    """
    outcome = job.outcome
    assert outcome is not None
    if outcome.exception is not None and passes(outcome.exception):
        raise outcome.exception
    return outcome


def consume(values: Generator[Any, Any, Any], most: int) -> list[Any]:
    """The values of a generator, which is closed afterwards.

    Args:
        values: the generator.
        most: how many it may yield.

    Raises:
        OverflowError: it yields more.
    """
    kept: list[Any] = []
    try:
        for value in values:
            if len(kept) >= most:
                raise OverflowError(f"the tool yielded more than {most:,} values")
            kept.append(value)
    finally:
        values.close()
    return kept


def passes(error: BaseException) -> bool:
    """Whether an exception is never a tool's failure: the user's, the interpreter's, or a closing generator's.

    Args:
        error: the exception.
    """
    kind = type(error)  # a foreign exception may lie about its class, or raise when it is asked
    if issubclass(kind, (KeyboardInterrupt, GeneratorExit)):
        return True
    if issubclass(kind, SystemExit):
        return sys.is_finalizing()
    if issubclass(kind, BaseExceptionGroup) and not issubclass(kind, Exception):
        return any(issubclass(type(member), (KeyboardInterrupt, GeneratorExit)) for member in leaves(error))
    return False
