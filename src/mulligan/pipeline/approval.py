"""One call and the person who decides about it: the question, and what an answer means."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import attrs

from mulligan.calls import ApprovalDecided, ApprovalRequested, Repair, ToolCall
from mulligan.copies import copy_call
from mulligan.deadline import Deadline, earliest_deadline
from mulligan.errors import Problem, RepeatedCallError, ToolCancelledError, ToolError, ToolPermissionError
from mulligan.execute.approval import ApprovalRequest, Approve, Approver, Ask, Decision, NeedsApproval, Reject
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, Outcome, Step
from mulligan.pipeline.attempts import is_control_flow
from mulligan.pipeline.conversation import record_abandoned, record_interrupted
from mulligan.pipeline.invocation import Invocation
from mulligan.session.approvals import FATAL_REPETITION, RULE_PREFIX, Rejection
from mulligan.session.records import call_key
from mulligan.tools import Tool
from mulligan.untrusted.copies import copy_call_arguments, copy_data
from mulligan.untrusted.objects import describe, type_name
from mulligan.untrusted.text import show_name
from mulligan.validate.arguments import dump

if TYPE_CHECKING:
    from mulligan.session.memory import SessionMemory

_CULPRIT, _HOOK = "approver", "authorize"


def ask_person(
    invocation: Invocation, tool: Tool, needed: NeedsApproval, deadline: Deadline | None
) -> Generator[Step, Outcome, Approve]:
    """Waits for the approval of a call, unless the call already waits or was rejected.

    Args:
        invocation: the call, its arguments validated.
        tool: its tool.
        needed: why it needs approval.
        deadline: that of the call before its own timeout; the time that a person takes is added to it, as far as the
            host's deadline allows.

    Raises:
        ToolError: the call is not approved.
    """
    if invocation.memory is not None:
        _raise_if_known(invocation, invocation.memory, tool)
    reason = invocation.runtime.renderer.sanitize_line(needed.reason)
    invocation.note(
        ApprovalRequested(
            invocation.session_id, invocation.call.id, tool.name, reason, invocation.step, invocation.attempts
        )
    )
    approver = invocation.runtime.approver
    if approver is None:
        raise_undecided(invocation, tool, needed)
    clock = invocation.runtime.clock
    asked_at, host_deadline = clock(), _host_deadline(invocation)
    outcome = yield from _ask(invocation, approver, _request(invocation, tool, needed), host_deadline)
    invocation.waited = clock() - asked_at
    decision = _read_decision(invocation, outcome)
    if decision is None:
        raise_undecided(invocation, tool, needed)
    decision = without_same_arguments(decision, tool.name, invocation.arguments or {})
    note_decision(invocation, tool.name, decision)
    if isinstance(decision, Reject):
        if invocation.memory is not None:
            invocation.memory.approvals.reject(_hash(invocation, tool), decision.reason, invocation.memory.guard.step)
        raise rejection_error(tool.name, decision.reason)
    invocation.deadline = _postpone(deadline, host_deadline, invocation)
    return decision


def _hash(invocation: Invocation, tool: Tool) -> str:
    return call_key(tool.name, invocation.arguments or {})


def _raise_if_known(invocation: Invocation, memory: SessionMemory, tool: Tool) -> None:
    """Refuses a call that already waits, or that a person has rejected: no one is asked again."""
    earlier = memory.approvals.find(_hash(invocation, tool))
    if earlier is None:
        return
    must_end = memory.approvals.count_repetition(earlier, invocation.step, memory.guard.step)
    is_rejected = isinstance(earlier, Rejection)
    if must_end:
        state = "a person rejected it" if is_rejected else "it waits for a person's approval"
        raise RepeatedCallError(
            f"This call was not run: it was repeated {FATAL_REPETITION} times, although {state}.",
            fatal=True,
            rule="session:repeated",
            user_message="The assistant keeps repeating a call that is not approved.",
        )
    raise rejection_error(tool.name, earlier.reason) if is_rejected else _pending_error(tool.name, earlier.reason)


def new_request(invocation: Invocation, tool: Tool, needed: NeedsApproval) -> ApprovalRequest | None:
    """What a person is asked about a call; None if it already waits, or was rejected.

    Args:
        invocation: the call, its arguments validated.
        tool: its tool.
        needed: why it needs approval.
    """
    memory = invocation.memory
    is_known = memory is not None and memory.approvals.find(_hash(invocation, tool)) is not None
    return None if is_known else _request(invocation, tool, needed)


def _request(invocation: Invocation, tool: Tool, needed: NeedsApproval) -> ApprovalRequest:
    return ApprovalRequest(
        tool_name=tool.name,
        tool=tool,
        arguments=copy_data(invocation.arguments or {}),
        reason=needed.reason,
        call=copy_call(invocation.call),
        session_id=None if invocation.memory is None else invocation.memory.id,
    )


def _host_deadline(invocation: Invocation) -> Deadline | None:
    """The earliest moment that the host set, which bounds people too: a tool's timeout and time budget do not."""
    memory = invocation.memory
    return earliest_deadline(None if memory is None else memory.deadline, invocation.context)


def _ask(
    invocation: Invocation, approver: Approver, request: ApprovalRequest, deadline: Deadline | None
) -> Generator[Step, Outcome, Outcome]:
    try:
        outcome = yield Ask(approver, request, None if deadline is None else deadline.remaining)
        if outcome.exception is not None and is_control_flow(outcome.exception, invocation.runtime.policy):
            invocation.outcome = outcome
            record_interrupted(invocation)
            raise outcome.exception
    except BaseException:
        if invocation.memory is not None:  # the same call may be made again, with the same id
            record_abandoned(invocation, invocation.memory, may_have_run=False)
        raise
    return outcome


def _read_decision(invocation: Invocation, outcome: Outcome) -> Decision | None:
    """What the approver decided; None if it did not. One that fails refuses the call.

    Raises:
        ToolPermissionError: it raised, or returned something else.
    """
    error, decision = outcome.exception, outcome.value
    if isinstance(error, (DeadlineExceeded, ExecutorSaturated)):
        return None
    if error is None and (decision is None or isinstance(decision, (Approve, Reject))):
        return decision
    problem = describe(error) if error is not None else f"returned {type_name(decision)} instead of Approve or Reject"
    invocation.runtime.fault_log.report(_CULPRIT, _HOOK, problem, error)
    raise ToolPermissionError(
        "Not allowed: this call needs a person's approval, and asking for it failed.",
        rule="host:approver-failed",
        user_message="A call needs approval, and asking for it failed. Correct the approver, then try again.",
    )


def _postpone(deadline: Deadline | None, host: Deadline | None, invocation: Invocation) -> Deadline | None:
    """A deadline moved by the time that a person took, but not beyond the host's."""
    if deadline is None:
        return None
    moved = Deadline(deadline.at + invocation.waited, invocation.runtime.clock)
    return moved if host is None or moved.remaining < host.remaining else host


def without_same_arguments(decision: Decision, name: str, arguments: Mapping[str, Any]) -> Decision:
    """The decision; without its arguments if they are those of the call.

    Args:
        decision: a person's.
        name: the name of the tool.
        arguments: those of the call.
    """
    if isinstance(decision, Reject) or decision.arguments is None:
        return decision
    return Approve() if call_key(name, decision.arguments) == call_key(name, arguments) else decision


def note_decision(invocation: Invocation, name: str, decision: Decision) -> None:
    """Notifies the observers of what a person decided.

    Args:
        invocation: the call.
        name: the name of its tool.
        decision: the person's.
    """
    renderer, toolset = invocation.runtime.renderer, invocation.runtime.toolset
    verb: Literal["approved", "edited", "rejected"] = "approved"
    reason, arguments = "", ""
    if isinstance(decision, Reject):
        verb, reason = "rejected", renderer.sanitize_line(decision.reason)
    elif decision.arguments is not None:
        call = invocation.call._replace(arguments=None)
        (repair,) = _describe_edit(invocation, toolset.get(name), call, edited_call(call, decision))
        verb, arguments = "edited", repair.after
    position = (invocation.step, invocation.attempts)
    invocation.note(
        ApprovalDecided(invocation.session_id, invocation.call.id, name, verb, reason, arguments, *position)
    )


def edited_call(call: ToolCall, decision: Approve) -> ToolCall:
    """The call with a person's arguments.

    Args:
        call: the call.
        decision: the person's.
    """
    return call._replace(arguments=copy_call_arguments(decision.arguments))


def note_edit(invocation: Invocation, tool: Tool | None, before: ToolCall) -> None:
    """Records that a person changed the arguments, so that the model reads what ran.

    Args:
        invocation: the call, with the changed arguments.
        tool: its tool; None if the pipeline no longer has it.
        before: the call without the changes.
    """
    invocation.repairs += _describe_edit(invocation, tool, before, invocation.call)


def _describe_edit(invocation: Invocation, tool: Tool | None, before: ToolCall, after: ToolCall) -> tuple[Repair, ...]:
    runtime = invocation.runtime
    repairs = runtime.renderer.describe_repairs(before, after, (tool, tool), runtime.toolset)
    return tuple(attrs.evolve(repair, kind="edited", was_json=True) for repair in repairs)


def raise_undecided(
    invocation: Invocation, tool: Tool, needed: NeedsApproval, edit_problems: Sequence[Problem] | None = None
) -> NoReturn:
    """Refuses a call about which no one has decided. In a conversation, it waits.

    Args:
        invocation: the call, its arguments validated.
        tool: its tool.
        needed: why it needs approval.
        edit_problems: what is wrong with the arguments that a person approved it with; None if no one did.

    Raises:
        ToolError: always.
    """
    memory, pending = invocation.memory, None
    if memory is not None:
        call = ToolCall(invocation.call.id, tool.name, dump(invocation.arguments or {}))
        reason = needed.reason
        pending = memory.approvals.add(call, tool, _hash(invocation, tool), reason, memory.guard.step)
    if edit_problems is not None:
        raise edit_error(tool.name, edit_problems, still_waits=pending is not None)
    raise _pending_error(tool.name, needed.reason) if pending is not None else _missing_error(tool.name, needed.reason)


def _pending_error(name: str, reason: str) -> ToolError:
    message = "This call was not run: it waits for a person's approval."
    return _error("pending", message, f"{show_name(name)} waits for approval.", reason)


def _missing_error(name: str, reason: str) -> ToolError:
    message = "This call was not run: it needs a person's approval, which was not given."
    return _error("missing", message, f"{show_name(name)} needs approval, which was not given.", reason)


def rejection_error(name: str, reason: str) -> ToolError:
    """The error of a call that a person rejected.

    Args:
        name: the name of its tool.
        reason: the person's; may be empty.
    """
    message = "This call was not run: a person rejected it."
    return _error("rejected", message, f"A call of {show_name(name)} was rejected.", reason)


def edit_error(name: str, problems: Sequence[Problem], *, still_waits: bool) -> ToolError:
    """The error of a call that a person approved with arguments that are not valid.

    Args:
        name: the name of its tool.
        problems: what is wrong with them.
        still_waits: whether the call waits in the conversation.
    """
    message = "This call was not run: a person approved it with changed arguments, which are not valid."
    waits = " It still waits for approval." if still_waits else ""
    user_message = f"The changed arguments of {show_name(name)} are not valid."
    return _error("edit", message + waits, user_message, "", problems=problems)


def _error(kind: str, message: str, user_message: str, reason: str, **fields: Any) -> ToolError:
    """An error of a call that was cancelled before it ran: nothing has failed, and no account lacks a permission."""
    error = ToolCancelledError(message, effect="none", rule=f"{RULE_PREFIX}{kind}", user_message=user_message, **fields)
    error.__dict__["_reason"] = reason
    return error
