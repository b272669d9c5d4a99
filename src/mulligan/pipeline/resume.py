"""A call that waits for a person, run or refused once the person has decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mulligan.calls import ToolCall
from mulligan.errors import ToolExecutionError
from mulligan.execute.approval import Approve, Decision, Reject
from mulligan.execute.steps import Signal, Sleep
from mulligan.pipeline.approval import edited_call, note_edit, rejection_error, without_same_arguments
from mulligan.pipeline.flow import CallSteps, invoke, refuse
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.pipeline.messages import result_of
from mulligan.results import ToolResult
from mulligan.session.answers import Answer
from mulligan.session.approvals import DecidedCall, PendingCall

if TYPE_CHECKING:
    from mulligan.session.memory import SessionMemory

_LONGEST_WAIT = 60.0


def resume(memory: SessionMemory, key: str, decision: Decision, make: Callable[[ToolCall], Invocation]) -> CallSteps:
    """Runs or refuses a call that waits, once: the answer to another decision is that of the first.

    Args:
        memory: that of the conversation.
        key: the call's key.
        decision: the person's.
        make: makes the invocation of a call.

    Returns:
        A generator that returns the result.

    Raises:
        UsageError: no call waits under this key; or another mistake in the host's own code, after which it still waits.
        ToolError: in strict mode.
    """
    while isinstance(claimed := memory.approvals.claim(key), Signal):
        yield Sleep(_LONGEST_WAIT, claimed)
    if isinstance(claimed, DecidedCall):
        return _decided_result(claimed, make(claimed.call).runtime)
    invocation, may_have_run, result = make(claimed.call), True, None
    invocation.decision = without_same_arguments(decision, claimed.call.name, claimed.arguments)
    try:
        result = yield from _decide(invocation, memory, claimed)
        may_have_run = False
        return result
    except Exception as error:
        result, may_have_run = result_of(error), False
        raise
    finally:  # what was neither run nor rejected waits on
        is_decided = may_have_run or invocation.attempts > 0 or isinstance(decision, Reject)
        answer = None if result is None else Answer.from_result(result)
        memory.approvals.settle(claimed, answer, is_decided=is_decided)


def _decided_result(decided: DecidedCall, runtime: Runtime) -> ToolResult:
    if decided.answer is not None:
        return decided.answer.result(decided.call, runtime.toolset.get(decided.call.name), runtime.renderer)
    message = "This call was not run: it was decided before, and its result is unknown."
    return ToolResult.from_error(ToolExecutionError(message, rule="session:decided"), call=decided.call)


def _decide(invocation: Invocation, memory: SessionMemory, pending: PendingCall) -> CallSteps:
    """Runs the call, or refuses it if the person has rejected it."""
    decision, tool = invocation.decision, invocation.runtime.toolset.get(pending.call.name)
    if isinstance(decision, Approve):
        if decision.arguments is not None:
            sent, invocation.call = invocation.call, edited_call(invocation.call, decision)
            note_edit(invocation, tool, sent)
        return (yield from invoke(invocation))
    reason = "" if decision is None else decision.reason
    memory.approvals.reject(pending.hash, reason, memory.guard.step)
    return refuse(invocation, rejection_error(pending.call.name, reason))
