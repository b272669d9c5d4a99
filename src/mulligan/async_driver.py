"""The driver with `await`. Imported when first needed, since asyncio is dear."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Generator
from types import CoroutineType
from typing import TYPE_CHECKING, Any

from mulligan.drivers import PLAIN, Flow, Means, collected, consume, ended, passes
from mulligan.steps import DeadlineExceeded, ExecutorSaturated, Outcome, Run

if TYPE_CHECKING:
    from mulligan.results import ToolResult


_MOST_AWAITS = 8


async def adrive(flow: Flow, means: Means) -> ToolResult:
    """Runs an invocation to its result, awaiting.

    Args:
        flow: what `invoke` gave.
        means: what it is run with.

    Raises:
        asyncio.CancelledError: the host has cancelled the task.
    """
    try:
        step = next(flow)
        while True:
            if not isinstance(step, Run):
                await asyncio.sleep(step.seconds)
                outcome = Outcome()
            elif step.timeout is not None or not step.is_async:
                outcome = await arun(step, means)
            else:  # most calls: no further coroutine between the task and the tool
                try:
                    value = step.executor()
                    del step  # with ten thousand calls in flight it counts what each of them keeps
                    if type(value) is CoroutineType:
                        value = await value
                    outcome = Outcome(value if type(value) in PLAIN else await _value(value, means))
                except BaseException as error:
                    outcome = _raised(error)
            step = flow.send(outcome)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        flow.close()


async def arun(step: Run, means: Means) -> Outcome:
    """Runs a tool once.

    Args:
        step: the run.
        means: what it is run with.
    """
    try:
        if step.offload and not step.is_async:
            return await _in_thread(step, means)
        if step.timeout is not None:
            return await _under_deadline(step, means)
        return Outcome(await _value(step.executor(), means))
    except BaseException as error:
        return _raised(error)


def _raised(error: BaseException) -> Outcome:
    """The outcome of what a tool raised; what must pass is raised again."""
    if passes(error) or _host_cancels(error):
        raise error
    return Outcome(exception=error)


async def _value(given: Any, means: Means) -> Any:
    for _ in range(_MOST_AWAITS):
        if not isinstance(given, Awaitable):
            break
        given = await given
    if isinstance(given, AsyncGenerator):
        return await _aconsume(given, means.yielded)
    return consume(given, means.yielded) if isinstance(given, Generator) else given


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


def _host_cancels(error: BaseException) -> bool:
    """Whether a cancellation is the host's own, not one that the tool made up."""
    if not issubclass(type(error), asyncio.CancelledError):
        return False
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _in_thread(step: Run, means: Means) -> Outcome:
    """A sync executor in a worker thread; at the deadline the worker is left behind."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        try:
            loop.call_soon_threadsafe(_wake, done)
        except RuntimeError:
            return  # the loop was closed while the worker was still busy: nobody waits any more

    pool = means.pool()
    try:
        job = pool.submit(collected(step, means), tell)
    except ExecutorSaturated as error:
        return Outcome(exception=error)
    try:
        await asyncio.wait((done,), timeout=step.timeout)
    except asyncio.CancelledError:
        pool.abandon(job)
        raise
    if not done.done():
        pool.abandon(job)
        return Outcome(exception=DeadlineExceeded(step.timeout or 0.0, started=job.started))
    outcome = ended(job)
    value = outcome.value
    if not isinstance(value, (Awaitable, AsyncGenerator)):
        return outcome
    return await arun(Run(lambda: value, step.timeout, False, True), means)


def _wake(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)


async def _under_deadline(step: Run, means: Means) -> Outcome:
    """An async executor in a task of its own, which is cancelled at the deadline and left behind if it will not end."""
    task = asyncio.ensure_future(_contained(step, means))
    try:
        await asyncio.wait((task,), timeout=step.timeout)
    except asyncio.CancelledError:
        await _cancelled(task, means.grace)
        raise
    if task.done() and not task.cancelled():
        outcome = task.result()
        if outcome.exception is not None and passes(outcome.exception):
            raise outcome.exception
        return outcome
    await _cancelled(task, means.grace)
    return Outcome(exception=DeadlineExceeded(step.timeout or 0.0, running=not task.done()))


async def _contained(step: Run, means: Means) -> Outcome:
    """Nothing may leave a task: asyncio would hand a SystemExit to the event loop itself."""
    try:
        return Outcome(await _value(step.executor(), means))
    except BaseException as error:
        return Outcome(exception=error)


async def _cancelled(task: asyncio.Future[Any], grace: float) -> None:
    """Cancels a task and gives it some time to end; one that will not end is left behind."""
    task.cancel()
    await asyncio.wait((task,), timeout=grace)
