"""The driver with `await`, and the event loop in which `call` runs async tools.

Imported on first use, since asyncio is slow to import.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import select
import selectors
import sys
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Sequence
from types import CoroutineType, coroutine
from typing import Any, TypeAlias

from mulligan.deadline import Deadline, cap_wait, set_current
from mulligan.errors import UsageError
from mulligan.execute.approval import Ask
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, Flow, Outcome, Result, Run, Sleep, Step
from mulligan.execute.sync_driver import (
    PLAIN_TYPES,
    Workers,
    consume,
    job_outcome,
    make_executor,
    must_propagate,
    timed_out,
)
from mulligan.untrusted.objects import group_members
from mulligan.untrusted.text import show_name

_MOST_AWAITS = 8
_MOST_EXCEPTIONS = 1_000
_NOTICEABLE_SECONDS = 0.1
_CLOSING_SECONDS = 0.1
_PARENT_LOOPS: list[Any] = []  # loops of the parent process; closing them here would end its tasks a second time


async def adrive(flow: Flow[Result], workers: Workers) -> Result:
    """Runs a flow to its result, with `await`.

    Args:
        flow: one invocation.
        workers: the threads and limits of the run.

    Raises:
        asyncio.CancelledError: the host has cancelled the task.
    """
    task = _current_task()
    cancels_before = task.cancelling()
    outcome: Outcome | None = None
    step: Step | Result | None = None
    try:
        while True:
            step = flow.advance(outcome)
            if not isinstance(step, Run):
                if not isinstance(step, Sleep):
                    return step
                await _sleep(step)
                outcome = Outcome()
            elif step.timeout is not None or not step.is_async:
                outcome = await arun(step, workers, cancels_before)
            else:  # most calls: no additional coroutine between the task and the tool
                watch: OwnCancels | None = None
                try:
                    value = step.executor()
                    step = None  # saves memory with ten thousand concurrent calls
                    if type(value) is CoroutineType:
                        value = await (watch := OwnCancels(value, task))
                    if type(value) not in PLAIN_TYPES:
                        value = resolve_value(value, workers.max_yielded)
                        value = await _undo_own_cancels(value, task)
                    outcome = Outcome(value)
                except BaseException:
                    outcome = _caught()
                if outcome.exception is not None or task.cancelling() != cancels_before:
                    outcome = await _settle(outcome, watch, cancels_before)
    except BaseException:
        flow.close()
        raise
    finally:
        del flow, step, outcome  # the traceback of a tool's exception holds this frame: together they would be a cycle


async def _sleep(step: Sleep) -> None:
    if step.signal is None:
        await asyncio.sleep(cap_wait(step.seconds))
        return
    woken, wake = _make_waker()
    step.signal.when_set(wake)
    await asyncio.wait((woken,), timeout=cap_wait(step.seconds))


def _make_waker() -> tuple[asyncio.Future[None], Callable[[], None]]:
    """A future, and a function that resolves it from any thread."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def ring() -> None:
        try:
            loop.call_soon_threadsafe(_resolve_future, done)
        except RuntimeError:
            return  # the loop is closed, so nothing waits any more

    return done, ring


async def arun(step: Run, workers: Workers, cancels_before: int = 0) -> Outcome:
    """Runs a tool once.

    Args:
        step: the run.
        workers: the threads and limits of the run.
        cancels_before: how often the host had cancelled the task when the call began.

    Raises:
        asyncio.CancelledError: the host has cancelled the task.
    """
    task = _current_task()
    try:
        if step.offload and not step.is_async:
            return await _in_thread(step, workers)
        if step.timeout is not None:
            return await arun_in_task(step, workers)
        return Outcome(await _undo_own_cancels(resolve_value(step.executor(), workers.max_yielded), task))
    except BaseException as error:
        return _exception_outcome(error, task, cancels_before)


def _caught() -> Outcome:
    """The outcome of the exception that is being handled: a name for it would be in the frame of each call in flight."""
    return Outcome(None, sys.exception())


async def _settle(outcome: Outcome, watch: OwnCancels | None, cancels_before: int) -> Outcome:
    """The outcome after undoing the tool's own cancellations. An exception that must propagate is raised again."""
    error = outcome.exception
    if watch is not None and not issubclass(type(error), GeneratorExit):
        await watch.undo()
    return outcome if error is None else _exception_outcome(error, _current_task(), cancels_before)


def _exception_outcome(error: BaseException, task: Task, cancels_before: int) -> Outcome:
    """The outcome of a tool's exception. An exception that must propagate is raised again."""
    if must_propagate(error):
        raise error
    if task.cancelling() > cancels_before and (cancellation := _find_cancellation(error)) is not None:
        if cancellation is error:
            raise error
        raise asyncio.CancelledError(*cancellation.args) from error  # anyio recognises its own by their message
    return Outcome(exception=error)


def _find_cancellation(error: BaseException) -> BaseException | None:
    """The cancellation that an exception is, contains, or follows; None if it is unrelated to a cancellation.

    A cancelled task is not enough: before Python 3.13, a TaskGroup inside a tool may leave its task cancelled.
    """
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < _MOST_EXCEPTIONS:
        current = waiting.pop()
        if id(current) not in seen:
            seen.add(id(current))
            if issubclass(type(current), asyncio.CancelledError):
                return current
            waiting += [one for one in (current.__cause__, current.__context__) if one is not None]
            waiting += group_members(current)
    return None


async def resolve_value(value: Any, most: int) -> Any:
    """The result of an awaitable or an async generator; any other value unchanged.

    Args:
        value: the tool's return value.
        most: the maximum number of values that it may yield.
    """
    for _ in range(_MOST_AWAITS):
        if not isinstance(value, Awaitable):
            break
        value = await value
    if isinstance(value, AsyncGenerator):
        return await _aconsume(value, most)
    return consume(value, most) if isinstance(value, Generator) else value


async def _aconsume(values: AsyncGenerator[Any, Any], most: int) -> list[Any]:
    kept: list[Any] = []
    try:
        async for value in values:
            if len(kept) >= most:
                raise OverflowError(f"the tool yielded more than {most:,} values")
            kept.append(value)
    finally:
        await values.aclose()
    return kept


async def _in_thread(step: Run, workers: Workers) -> Outcome:
    """Runs a sync executor in a worker thread. The worker is abandoned at the deadline."""
    done, notify = _make_waker()
    pool = workers.pool()
    try:
        job = pool.submit(make_executor(step, workers), notify, step.lane)
    except ExecutorSaturated as error:
        return Outcome(exception=error)
    timer = (
        None
        if step.timeout is None
        else asyncio.get_running_loop().call_later(cap_wait(step.timeout), _resolve_future, done)
    )
    try:
        await done
    except BaseException:
        pool.abandon(job)
        raise
    finally:
        if timer is not None:
            timer.cancel()
    if job.outcome is None:
        return timed_out(job, pool, step)
    outcome = job_outcome(job)
    value = outcome.value
    if not issubclass(type(value), (Awaitable, AsyncGenerator)):
        return outcome
    return await arun(Run(lambda: value, step.timeout, False, True, step.lane), workers)


def _resolve_future(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


async def arun_in_task(step: Run, workers: Workers) -> Outcome:
    """Runs an async executor in a separate task, which is cancelled at the deadline, and abandoned if it does not end.

    Args:
        step: the run.
        workers: the threads and limits of the run.

    Raises:
        asyncio.CancelledError: the host has cancelled the task that waits.
    """
    timer, began = _BlockTimer(), time.monotonic()
    task = asyncio.ensure_future(_run_contained(step, workers, timer))
    try:
        await asyncio.wait((task,), timeout=None if step.timeout is None else cap_wait(step.timeout))
    except asyncio.CancelledError:
        await _cancel_task(task, workers)
        raise
    if step.timeout is not None:
        _warn_if_blocked(step, timer, time.monotonic() - began)
    if task.done():  # if it was cancelled, then by the tool
        outcome = Outcome(exception=asyncio.CancelledError()) if task.cancelled() else task.result()
        if outcome.exception is not None and must_propagate(outcome.exception):
            raise outcome.exception
        return outcome
    await _cancel_task(task, workers)
    started, running = _state_after_cancel(task)
    return Outcome(exception=DeadlineExceeded(step.timeout or 0.0, started=started, running=running))


def _state_after_cancel(task: asyncio.Task[Outcome]) -> tuple[bool, bool]:
    """Whether the tool of a cancelled task had started, and whether it may still run.

    A task that ends with a `DeadlineExceeded` says so itself: of a thread, or of another machine.
    """
    if not task.done():
        return True, True
    error = None if task.cancelled() else task.result().exception
    return (error.started, error.running) if type(error) is DeadlineExceeded else (True, False)


class OwnCancels:
    """Awaits a coroutine, and afterwards undoes the cancellations of the task that the coroutine itself requested.

    While the coroutine runs, nothing else can cancel the task. Between its steps, the host can, and so can callbacks
    that the tool scheduled, such as a timeout; these undo their own cancellations.

    A generator would be shorter and take four times the memory; each call in flight has one of these.

    Args:
        watched: the coroutine.
        task: the current task.
    """

    __slots__ = ("_base", "_before", "_own", "_task", "_watched")

    def __init__(self, watched: Coroutine[Any, Any, Any], task: Task) -> None:
        self._watched = watched
        self._task = task
        self._base = task.cancelling()
        self._own = 0

    def __await__(self) -> Any:
        return self

    def __next__(self) -> Any:
        before = self._before = self._task.cancelling()
        waiting = self._watched.send(None)
        if self._task.cancelling() != before:
            self._count()
        return waiting

    def throw(self, *error: Any) -> Any:
        """Continues the coroutine with an exception."""
        self._before = self._task.cancelling()
        waiting = self._watched.throw(*error)
        self._count()
        return waiting

    def close(self) -> None:
        """Ends the coroutine."""
        self._watched.close()

    def _count(self) -> None:
        """Counts the cancellations that came from the coroutine. Those that it undoes were requested on its behalf."""
        now = self._task.cancelling()
        self._own = max(0, min(self._own + max(0, now - self._before), now - self._base))

    @coroutine
    def undo(self) -> Generator[None, Any, None]:
        """Undoes them. The coroutine has ended."""
        self._count()
        yield from _uncancel(self._task, self._own, self._base)


async def _undo_own_cancels(watched: Coroutine[Any, Any, Any], task: Task) -> Any:
    """The result of a coroutine, after undoing the cancellations of the task that the coroutine itself requested."""
    watch = OwnCancels(watched, task)
    try:
        value = await watch
    except GeneratorExit:  # nothing can be awaited any more
        raise
    except BaseException:
        await watch.undo()
        raise
    await watch.undo()
    return value


def _uncancel(task: Task, own: int, base: int) -> Generator[None, Any, None]:
    """Undoes some cancellations of the current task, including one that would be raised at its next `await`."""
    for _ in range(own):
        task.uncancel()
    if own and getattr(task, "_must_cancel", True):  # before Python 3.13, `uncancel` leaves it set
        try:
            yield
        except asyncio.CancelledError:
            if task.cancelling() > base:  # the host has cancelled it since
                raise


class _BlockTimer:
    """Measures the longest time that a coroutine blocks the event loop."""

    def __init__(self) -> None:
        self.longest = 0.0

    @coroutine
    def measure(self, watched: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Measures a coroutine, and returns its result."""
        advance: Callable[[Any], Any] = watched.send
        sent: Any = None
        while True:
            began = time.monotonic()
            try:
                waiting = advance(sent)
            except StopIteration as stop:
                return stop.value
            finally:
                self.longest = max(self.longest, time.monotonic() - began)
            try:
                sent, advance = (yield waiting), watched.send
            except GeneratorExit:  # this generator is dropped, perhaps after the coroutine
                watched.close()
                raise
            except BaseException as error:
                sent, advance = error, watched.throw


def _warn_if_blocked(step: Run, timer: _BlockTimer, passed: float) -> None:
    """Warns the author of a tool that blocks the event loop, since such a tool cannot be stopped at its deadline."""
    over = passed - (step.timeout or 0.0)
    if over < _NOTICEABLE_SECONDS or timer.longest < over:
        return
    import logging

    logging.getLogger("mulligan").warning(
        "tool %s blocked the event loop for %.1f s and exceeded its deadline of %g s by %.1f s: "
        "declare it with def instead of async def, or run blocking code in asyncio.to_thread",
        show_name(step.lane or "(unnamed)"),
        timer.longest,
        step.timeout,
        over,
    )


async def _run_contained(step: Run, workers: Workers, timer: _BlockTimer) -> Outcome:
    """Runs a tool so that no exception leaves its task: asyncio would raise a SystemExit in the event loop."""
    if step.timeout is not None:
        set_current(Deadline.after(step.timeout))
    task = _current_task()
    try:
        outcome = Outcome(await timer.measure(resolve_value(step.executor(), workers.max_yielded)))
    except BaseException as error:
        outcome = Outcome(exception=error)
    if _current_task() is task:  # otherwise the garbage collector is closing it
        await _uncancel_all(task)
    return outcome


class _NoTask:
    """Where no task of asyncio is running: never cancelled."""

    def cancelling(self) -> int:
        return 0

    def uncancel(self) -> int:
        return 0


Task: TypeAlias = "asyncio.Task[Any] | _NoTask"
_NO_TASK = _NoTask()


def _current_task() -> Task:
    """The current task; one that is never cancelled if asyncio drives none."""
    try:
        return asyncio.current_task() or _NO_TASK
    except RuntimeError:  # another event loop than asyncio's
        return _NO_TASK


@coroutine
def _uncancel_all(task: Task) -> Generator[None, Any, None]:
    """Undoes all cancellations of the current task, so that its result is not lost."""
    yield from _uncancel(task, task.cancelling(), 0)


async def _cancel_task(task: asyncio.Future[Any], workers: Workers) -> None:
    """Cancels a task and waits briefly for its end. A task that does not end is abandoned."""
    task.cancel()
    workers.detached.add(task)
    task.add_done_callback(workers.detached.discard)
    await asyncio.wait((task,), timeout=cap_wait(workers.grace))


async def wait_for_all(tasks: Sequence[asyncio.Future[Any]], seconds: float | None = None) -> None:
    """Waits until all tasks have ended, whatever their order; a workflow engine's sandbox warns of `asyncio.wait` elsewhere.

    Args:
        tasks: the tasks, at least one.
        seconds: how long, or None.
    """
    await asyncio.wait(tasks, timeout=seconds)


class PrivateLoop:
    """The event loop in which `call` runs async tools: one for each pipeline and thread, kept between calls."""

    def __init__(self) -> None:
        # With a factory, the thread's own loop stays unchanged.
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._lock = threading.Lock()
        self._busy = False
        self._closing = False
        self._loop = self._runner.get_loop()
        self._finalizer = weakref.finalize(self, _close, self._runner, self._loop)

    def run(self, step: Run, workers: Workers, value: object = None) -> Outcome:
        """Runs an async tool once, blocking.

        Args:
            step: the run.
            workers: the threads and limits of the run.
            value: the awaitable that the tool returned, if it has already been called.

        Raises:
            UsageError: a loop is running in this thread.
        """
        _refuse_running_loop(value, "approver" if isinstance(step, Ask) else "tool")
        executor = step.executor if value is None else lambda: value
        inline = Run(executor, step.timeout, False, True, step.lane)
        with self._lock:
            self._busy = True
        running = arun_in_task(inline, workers)
        try:
            return self._runner.run(running, context=contextvars.copy_context())
        finally:
            running.close()  # if it was interrupted before it began
            with self._lock:
                self._busy = False
                closing = self._closing
            if closing:
                _close(self._runner, self._loop)

    def close(self) -> None:
        """Closes the loop after its current call."""
        with self._lock:
            self._closing = True
            busy = self._busy
        if not busy:
            _close(self._runner, self._loop)

    def disown(self) -> None:
        """Drops the loop in a forked process without changing the parent's loop.

        Both processes share an epoll: the parent would never receive an event that the child takes from it.
        """
        self._finalizer.detach()
        _PARENT_LOOPS.append((self._runner, self._loop))
        selector: Any = getattr(self._loop, "_selector", None)
        if hasattr(selectors, "EpollSelector") and isinstance(selector, selectors.EpollSelector):
            with select.epoll() as own:
                os.dup2(own.fileno(), selector.fileno(), inheritable=False)


def _refuse_running_loop(value: object, what: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    close = getattr(value, "close", None)
    if callable(close):
        close()
    raise UsageError(f"call() cannot run an async {what} inside a running event loop; await acall() instead")


def _close(runner: asyncio.Runner, loop: asyncio.AbstractEventLoop) -> None:
    """Closes a loop. Abandoned tasks are cancelled; those that do not end are dropped."""
    if loop.is_closed():
        return
    pending = {task for task in asyncio.all_tasks(loop) if not task.done()}
    for task in pending:
        task.cancel()
    if pending:
        loop.run_until_complete(asyncio.wait(pending, timeout=_CLOSING_SECONDS))
    if all(task.done() for task in pending):
        runner.close()
    else:
        loop.set_exception_handler(lambda *_: None)
        loop.close()
