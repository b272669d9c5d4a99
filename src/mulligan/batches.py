"""Several calls of one message: one result for each, in order, whatever happens to the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.results import ToolResult

if TYPE_CHECKING:
    from mulligan.pipeline import Pipeline
    from mulligan.session import Session


def call_each(
    pipeline: Pipeline, calls: Sequence[ToolCall], session: Session | None, context: Mapping[str, Any] | None
) -> list[ToolResult]:
    """Runs the calls one after the other.

    Args:
        pipeline: what runs them.
        calls: the calls.
        session: the conversation they belong to.
        context: values for `Injected` parameters, by name.
    """
    return [pipeline.call(call, session=session, context=context) for call in calls]


async def acall_each(
    pipeline: Pipeline, calls: Sequence[ToolCall], session: Session | None, context: Mapping[str, Any] | None
) -> list[ToolResult]:
    """Runs the calls at once.

    Args:
        pipeline: what runs them.
        calls: the calls.
        session: the conversation they belong to.
        context: values for `Injected` parameters, by name.

    Raises:
        asyncio.CancelledError: the host cancelled the batch; its attribute `results` holds the results of the calls that
            had ended, and None for the others.
    """
    import asyncio

    tasks = [asyncio.ensure_future(pipeline.acall(call, session=session, context=context)) for call in calls]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks)
    except asyncio.CancelledError as cancelled:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=pipeline.limits.grace)
        cancelled.results = [_result(task) for task in tasks]  # type: ignore[attr-defined]
        raise
    raised = [error for error in (task.exception() for task in tasks) if error is not None]
    if raised:
        raise raised[0]
    return [task.result() for task in tasks]


def _result(task: Any) -> ToolResult | None:
    ended = task.done() and not task.cancelled() and task.exception() is None
    return task.result() if ended else None
