"""One call and the memory of its conversation: whether it may run, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.calls import BudgetSpent
from mulligan.classify.call_arguments import may_be_named_in
from mulligan.errors import (
    ToolArgumentError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.execute.steps import Outcome, Step
from mulligan.pipeline.invocation import Invocation
from mulligan.results import ToolResult
from mulligan.session.open_effect import OpenEffect
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely
from mulligan.validate.arguments import read_arguments

if TYPE_CHECKING:
    from mulligan.session.budget import ExhaustedPart
    from mulligan.session.memory import Admission, SessionMemory


_MAY_SUCCEED_LATER = (
    ToolConnectionError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
_NO_FAILURES = ("session:", "host:approval-")  # rules: the memory's own refusals, and those for want of an approval


def begin(invocation: Invocation, memory: SessionMemory) -> ExhaustedPart | None:
    """Counts the call, unless it was counted when it was made: a person has decided about it, or a framework continues it.

    Args:
        invocation: the call.
        memory: the conversation's.

    Returns:
        The part of the budget that is used up, so that the call must not run; or None.
    """
    if invocation.decision is not None:
        invocation.step = memory.guard.step
        return None
    step = memory.take_interrupted(invocation.call)
    if step is not None:
        invocation.step, invocation.is_continued = step, True
        return None
    invocation.step, exhausted = memory.begin()
    return exhausted


def raise_exhausted(invocation: Invocation, spent: ExhaustedPart) -> None:
    """Refuses a call for which nothing is left of the conversation's budget.

    Args:
        invocation: the call.
        spent: the part of the budget that is used up.

    Raises:
        ToolError: always.
    """
    call = invocation.call
    name = invocation.runtime.renderer.display_name(call)
    position = {"step": invocation.step, "attempt": invocation.attempts}
    invocation.note(BudgetSpent(invocation.session_id, call.id, name, spent.part, spent.limit, spent.tool, **position))
    raise spent.error()


def admit(invocation: Invocation, memory: SessionMemory, tool: Tool) -> Admission | None:
    """Asks the memory of the conversation whether the call may run.

    Args:
        invocation: the call, its arguments validated.
        memory: the conversation's.
        tool: its tool.

    Returns:
        None for a call that may run as it is, as nearly every call may.

    Raises:
        ToolError: the call must not be run: its name now means another tool than the one that a person approved.
    """
    if invocation.decision is not None and tool.name != invocation.call.name:
        raise ToolCancelledError(
            "This call was not run: its name now means another tool than the one that was approved.",
            effect="none",
            rule="host:approval-tool",
        )
    if invocation.call.id is None and memory.spending is None and memory.guard.is_empty:
        return None  # no budget, and nothing has failed that counts
    is_resumed = invocation.decision is not None or invocation.is_continued
    arguments = invocation.arguments or {}
    return memory.admit(invocation.call, tool, arguments, invocation.step, invocation.deadline, is_resumed=is_resumed)


def find_recorded(
    invocation: Invocation, tool: Tool, admission: Admission | None
) -> Generator[Step, Outcome, ToolResult | None]:
    """The result of a call that repeats one of this conversation; None if it is a new one.

    Args:
        invocation: the call, its arguments validated.
        tool: its tool.
        admission: what the memory says of the call.

    Raises:
        ToolError: the call must not be run, or must not be run again.
    """
    while admission is not None and admission.wait is not None:
        yield admission.wait
        admission = None if invocation.memory is None else admit(invocation, invocation.memory, tool)
    if admission is None:
        return None
    if admission.answer is not None:
        return admission.answer.result(invocation.call, tool, invocation.runtime.renderer)
    invocation.recording_key = admission.key
    if admission.error is not None:
        raise admission.error
    invocation.deadline = admission.deadline
    if admission.spent is not None:
        raise_exhausted(invocation, admission.spent)
    return None


def record_failure(invocation: Invocation, memory: SessionMemory, error: ToolError) -> tuple[ToolError, str]:
    """Records a failure.

    Args:
        invocation: the call.
        memory: the conversation's.
        error: what the failure means, its fatality decided.

    Returns:
        The error that counts, and the name of a sentence on the repetition, or nothing.
    """
    if error.rule is not None and error.rule.startswith(_NO_FAILURES):
        return error, ""
    failure = invocation.failure
    return memory.guard.record_failure(
        invocation.tool,
        invocation.call.name,
        _arguments_of(invocation),
        error,
        step=invocation.step or memory.guard.step,
        ran=invocation.attempts > 0,
        exception=None if failure is None else failure.type_name,
        started=invocation.started,
    )


def _arguments_of(invocation: Invocation) -> Mapping[str, Any] | None:
    if invocation.arguments is not None:
        return invocation.arguments
    try:
        return read_arguments(invocation.call.arguments, invocation.runtime.limits)
    except ToolArgumentError:
        return None


def record_result(invocation: Invocation, memory: SessionMemory, result: ToolResult) -> None:
    """Records a result."""
    key, invocation.recording_key = invocation.recording_key, None
    memory.record_result(result, invocation.read_arguments, key, invocation.waited)
    if result.error is not None and result.attempts and result.tool is not None:
        memory.open_effect = _find_open_effect(invocation, result.tool, result.error) or memory.open_effect
    if memory.is_collecting:
        memory.collect(invocation.step, invocation.started, result)


def _find_open_effect(invocation: Invocation, tool: Tool, error: ToolError) -> OpenEffect | None:
    """The call as one that may have taken effect; None if it had none, or if the same call would fail again.

    A failure of no known kind is about the call if its text repeats a word that was sent.
    """
    failure, arguments = invocation.failure, invocation.arguments or {}
    if tool.read_only or tool.secret or error.fatal or error.effect != "possible":
        return None
    is_unknown = isinstance(error, ToolExecutionError) and not error.transient
    if is_unknown and failure is not None and may_be_named_in(failure.text, arguments):
        return None
    may_succeed = error.transient or isinstance(error, _MAY_SUCCEED_LATER)
    return OpenEffect(tool, arguments, invocation.step) if may_succeed else None


def note_on_effect(invocation: Invocation, memory: SessionMemory, tool: Tool) -> str:
    """What remains to be done if this result shows that an earlier call took no effect; empty if no call is open.

    Args:
        invocation: the call that succeeded.
        memory: the conversation's.
        tool: its tool.
    """
    earlier = memory.open_effect
    if earlier is None or invocation.step <= earlier.step or tool.name == earlier.tool.name:
        return ""
    runtime, arguments = invocation.runtime, invocation.arguments or {}
    if not call_safely(lambda: earlier.is_shown_by(tool, arguments, runtime.toolset)):
        return ""
    memory.open_effect = None
    return call_safely(lambda: runtime.renderer.composer.effect_to_check(earlier.tool, earlier.arguments)) or ""


def record_interrupted(invocation: Invocation) -> None:
    """Records a call that a framework has interrupted, to make it again with the same id.

    Args:
        invocation: the call.
    """
    if invocation.memory is not None:
        record_abandoned(invocation, invocation.memory, may_have_run=False)
        invocation.memory.add_interrupted(invocation.call, invocation.step)


def record_abandoned(invocation: Invocation, memory: SessionMemory, *, may_have_run: bool) -> None:
    """Records a call that ended without a result, such as one that the host cancelled.

    Args:
        invocation: the call.
        memory: the conversation's.
        may_have_run: whether its tool may have been run.
    """
    key, invocation.recording_key = invocation.recording_key, None
    if key is not None:
        memory.record_abandoned(key, may_have_run=may_have_run)
