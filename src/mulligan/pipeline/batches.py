"""Several calls of one message, which are a step: one result for each, in order, whatever happens to the others."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.errors import ToolCancelledError, ToolError
from mulligan.events import Notice, StepFinished
from mulligan.pipeline.given import as_invocation
from mulligan.pipeline.invocation import Host
from mulligan.results import ToolResult

if TYPE_CHECKING:
    from mulligan.pipeline import Pipeline
    from mulligan.pipeline.session import Session


@cache
def async_driver() -> Callable[..., Coroutine[Any, Any, ToolResult]]:
    """The driver with `await`, imported when it is first needed."""
    from mulligan.execute.async_driver import adrive

    return adrive


def call_each(
    pipeline: Pipeline,
    host: Host,
    calls: Sequence[ToolCall],
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> list[ToolResult]:
    """Runs the calls one after the other.

    Args:
        pipeline: what runs them.
        host: the pipeline's parts.
        calls: the calls.
        session: the conversation they belong to.
        context: values for `Injected` parameters, by name.
    """
    started = host.clock()
    with _step(session):
        ended = [_ended(pipeline, call, session, context) for call in calls]
    return _finish(host, session, calls, ended, started)


def _ended(
    pipeline: Pipeline, call: ToolCall, session: Session | None, context: Mapping[str, Any] | None
) -> ToolResult | ToolError:
    try:
        return pipeline.call(call, session=session, context=context)
    except ToolError as error:  # in strict mode: it waits until the others have run
        if result_of(error) is None:
            raise
        return error


def result_of(error: BaseException) -> ToolResult | None:
    """The result whose error strict mode raised; None for any other error.

    Args:
        error: what was raised.
    """
    result: ToolResult | None = error.__dict__.get("_result")
    return result


def _finish(
    host: Host,
    session: Session | None,
    calls: Sequence[ToolCall],
    ended: Sequence[ToolResult | ToolError],
    started: float,
) -> list[ToolResult]:
    """The results of a step, reported to the observers. In strict mode the first error is raised, with all results on it."""
    results = [one if isinstance(one, ToolResult) else result_of(one) for one in ended]
    known = [result for result in results if result is not None]
    _tell(host, session, calls, known, started)
    for one in ended:
        if isinstance(one, ToolError):
            one.__dict__["results"] = known
            raise one
    return known


def _step(session: Session | None) -> AbstractContextManager[None]:
    return nullcontext() if session is None else session.memory.step(joins=True)


def _tell(
    host: Host, session: Session | None, calls: Sequence[ToolCall], results: Sequence[ToolResult], started: float
) -> None:
    """Notifies the observers that a step has ended."""
    if not results or not host.stages.observed:
        return
    names = tuple(host.answering.shown_name(call) for call in calls)
    id = None if session is None else session.id
    host.stages.observe(StepFinished(id, names, tuple(results), host.clock() - started))
    if all(result.is_error for result in results):
        told = dict.fromkeys(result.feedback.user_message for result in results if result.feedback is not None)
        text = " ".join(_sentence(text) for text in told) or "The assistant's tools failed."
        host.stages.observe(Notice(id, text, any(result.fatal for result in results)))


async def acall_each(
    pipeline: Pipeline,
    host: Host,
    calls: Sequence[ToolCall],
    session: Session | None,
    context: Mapping[str, Any] | None,
) -> list[ToolResult]:
    """Runs the calls concurrently.

    Args:
        pipeline: what runs them.
        host: the pipeline's parts.
        calls: the calls.
        session: the conversation they belong to.
        context: values for `Injected` parameters, by name.

    Raises:
        asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls that
            had ended, and None for the others.
    """
    started = host.clock()
    with _step(session):
        running = [pipeline.acall(call, session=session, context=context) for call in calls]
        at_once = await _at_once(running, host)
        ended = [
            one if one is not None else _cancelled(host, call, session, context)
            for call, one in zip(calls, at_once, strict=True)
        ]
    return _finish(host, session, calls, ended, started)


async def _at_once(calls: Sequence[Coroutine[Any, Any, ToolResult]], host: Host) -> list[ToolResult | ToolError | None]:
    """The results of the calls; None for one whose task was cancelled, but not by the host, which has no access to it."""
    import asyncio

    tasks = [asyncio.ensure_future(call) for call in calls]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError as cancelled:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=host.limits.grace)
        cancelled.results = [_result(task) for task in tasks]  # type: ignore[attr-defined]
        raise
    errors = [None if task.cancelled() else task.exception() for task in tasks]
    for error in errors:
        if error is not None and result_of(error) is None:
            raise error
    return [
        None if task.cancelled() else error if isinstance(error, ToolError) else task.result()
        for task, error in zip(tasks, errors, strict=True)
    ]


def _cancelled(
    host: Host, call: ToolCall, session: Session | None, context: Mapping[str, Any] | None
) -> ToolResult | ToolError:
    """The answer to a call whose tool had its task cancelled, by a timer or another task: every call gets one."""
    state = as_invocation(host, call, None, None, session, context)
    state.tool, state.attempts = host.toolset.get(call.name), 1
    state.hide_secrets()
    error = ToolCancelledError("The tool cancelled its own task.", effect="possible", rule="host:cancelled")
    result = state.host.answering.failed(state, error)
    if not host.strict or result.error is None:
        return result
    result.error.__dict__["_result"] = result
    return result.error


def _result(task: Any) -> ToolResult | None:
    ended = task.done() and not task.cancelled() and task.exception() is None
    return task.result() if ended else None


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
