"""The driver without `await`, and the code that it shares with `async_driver`.

Both drivers carry out the steps of the flow and send back their outcomes. Exceptions that must never become a result
propagate: KeyboardInterrupt, GeneratorExit, and the host's own cancellation.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import TYPE_CHECKING, Any, Protocol

from mulligan.deadline import Deadline, cap_wait, set_current
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, Flow, Outcome, Result, Run, Sleep, Step
from mulligan.untrusted.objects import leaf_exceptions
from mulligan.untrusted.text import MUST_PROPAGATE

if TYPE_CHECKING:
    from mulligan.execute.thread_pool import Job, ThreadPool


class Loop(Protocol):
    """The private event loop for async tools under `call`."""

    def run(self, step: Run, workers: Workers, value: object = None) -> Outcome:
        """Runs an async tool once, blocking."""

    def close(self) -> None:
        """Closes the loop."""

    def disown(self) -> None:
        """Drops the loop in a forked process without changing the parent's loop."""


class Workers(Protocol):
    """The threads, event loops and limits of a driver.

    Attributes:
        grace: seconds that a cancelled async tool has to end.
        max_yielded: the maximum number of values that a generator may yield.
        detached: async tools that did not end within the grace period. Event loops keep only weak references to tasks.
    """

    grace: float
    max_yielded: int
    detached: set[Any]

    def pool(self) -> ThreadPool:
        """The worker threads."""

    def loop(self) -> Loop:
        """This thread's private event loop."""


PLAIN_TYPES = frozenset({str, int, float, bool, type(None), dict, list, tuple, bytes})


def drive(flow: Flow[Result], workers: Workers) -> Result:
    """Runs a flow to its result, blocking.

    Args:
        flow: one invocation.
        workers: the threads and limits of the run.

    Raises:
        UsageError: an async tool was called inside a running event loop.
    """
    outcome: Outcome | None = None
    step: Step | Result | None = None
    try:
        while True:
            step = flow.advance(outcome)
            if isinstance(step, Run):
                outcome = _run(step, workers)
            elif isinstance(step, Sleep):
                outcome = _sleep(step)
            else:
                return step
    except BaseException:
        flow.close()
        raise
    finally:
        del flow, step, outcome  # the traceback of a tool's exception leads to this frame: they would be a cycle


def _sleep(step: Sleep) -> Outcome:
    if step.signal is None:
        time.sleep(cap_wait(step.seconds))
    else:
        woken = threading.Event()
        step.signal.when_set(woken.set)
        woken.wait(cap_wait(step.seconds))
    return Outcome()


def _run(step: Run, workers: Workers) -> Outcome:
    if step.is_async:
        return _in_loop(step, workers)
    if step.timeout is not None:
        return _in_thread(step, workers)
    try:
        value = step.executor()
        if type(value) in PLAIN_TYPES:
            return Outcome(value)
        if issubclass(type(value), Generator):
            value = consume(value, workers.max_yielded)  # type: ignore[arg-type]
    except Exception as error:  # always a tool's failure
        return Outcome(None, error)
    except BaseException as error:
        if must_propagate(error):
            raise
        return Outcome(None, error)
    return _await_value(value, step, workers)


def _await_value(value: Any, step: Run, workers: Workers) -> Outcome:
    """The result of a sync function; if it is awaitable, the awaited result."""
    if not issubclass(type(value), (Awaitable, AsyncGenerator)):
        return Outcome(value)
    return _in_loop(step, workers, value)


def _in_loop(step: Run, workers: Workers, value: object = None) -> Outcome:
    return workers.loop().run(step, workers, value)


def _in_thread(step: Run, workers: Workers) -> Outcome:
    pool = workers.pool()
    try:
        job = pool.submit(make_executor(step, workers), lane=step.lane)
    except ExecutorSaturated as error:
        return Outcome(exception=error)
    try:
        in_time = job.wait(cap_wait(step.timeout or 0.0))
    except BaseException:
        pool.abandon(job)
        raise
    if not in_time:
        return timed_out(job, pool, step)
    outcome = job_outcome(job)
    return outcome if outcome.exception is not None else _await_value(outcome.value, step, workers)


def make_executor(step: Run, workers: Workers) -> Callable[[], Any]:
    """The executor with its deadline set, for a worker thread. It consumes a generator there.

    Args:
        step: the run.
        workers: the limit on yielded values.
    """
    executor, yielded = step.executor, workers.max_yielded
    deadline = None if step.timeout is None else Deadline.after(step.timeout)

    def run() -> Any:
        if deadline is not None:
            set_current(deadline)
        value = executor()
        if issubclass(type(value), Generator):
            return consume(value, yielded)  # type: ignore[arg-type]
        return value

    return run


def timed_out(job: Job, pool: ThreadPool, step: Run) -> Outcome:
    """The outcome of a job that exceeded its deadline. The job is stopped if possible, otherwise its worker is abandoned.

    Args:
        job: the job.
        pool: the pool that runs the job.
        step: the run.
    """
    stopped = pool.abandon(job)
    return Outcome(exception=DeadlineExceeded(step.timeout or 0.0, started=job.started, running=not stopped))


def job_outcome(job: Job) -> Outcome:
    """The outcome of a finished job; raises exceptions that must propagate."""
    outcome = job.outcome
    assert outcome is not None
    if outcome.exception is not None and must_propagate(outcome.exception):
        raise outcome.exception
    return outcome


def consume(values: Generator[Any, Any, Any], most: int) -> list[Any]:
    """The values of a generator, which is then closed.

    Args:
        values: the generator.
        most: the maximum number of values.

    Raises:
        OverflowError: the generator yields more values.
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


def must_propagate(error: BaseException) -> bool:
    """Whether an exception is never a tool's failure: it comes from the user, the interpreter, or a generator being closed."""
    kind = type(error)  # a foreign exception may fake or break `__class__`
    if issubclass(kind, MUST_PROPAGATE):
        return True
    if issubclass(kind, SystemExit):
        return sys.is_finalizing()
    if issubclass(kind, BaseExceptionGroup) and not issubclass(kind, Exception):
        # A GeneratorExit in a group closes no generator.
        return any(issubclass(type(member), KeyboardInterrupt) for member in leaf_exceptions(error))
    return False
