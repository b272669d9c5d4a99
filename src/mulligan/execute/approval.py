"""A person decides about a call before it runs: what is asked, what is answered, and the step of the flow that asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import attrs

from mulligan.calls import ToolCall
from mulligan.errors import UsageError
from mulligan.execute.steps import Run
from mulligan.tools import Tool
from mulligan.validate.signature import is_async_callable

_LANE = "approver"


def _check_reason(record: Any, _: Any, value: object) -> None:
    if not isinstance(value, str):
        raise UsageError(f"{type(record).__name__}(reason={value!r:.40}): use a string")


def _check_arguments(_: Any, __: Any, value: object) -> None:
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(
            f"Approve(arguments=...): use a mapping of all arguments, or None to approve those of the call; "
            f"not a value of type {type(value).__name__}"
        )


@attrs.frozen
class NeedsApproval:
    """An answer of the hook `authorize`: the call runs only if a person approves it.

    Attributes:
        reason: why, for the person and for the model; may be empty.

    Raises:
        UsageError: the reason is not a string.
    """

    reason: str = attrs.field(default="", validator=_check_reason)


@attrs.frozen
class Approve:
    """A person's decision: the call may run.

    Attributes:
        arguments: all arguments that the call runs with instead of its own, as JSON values; None leaves them unchanged.

    Raises:
        UsageError: the arguments are neither a mapping nor None.
    """

    arguments: Mapping[str, Any] | None = attrs.field(
        default=None, validator=_check_arguments, repr=lambda value: "None" if value is None else "..."
    )


@attrs.frozen
class Reject:
    """A person's decision: the call must not run.

    Attributes:
        reason: why, for the model to read; may be empty.

    Raises:
        UsageError: the reason is not a string.
    """

    reason: str = attrs.field(default="", validator=_check_reason)


@attrs.frozen(kw_only=True, repr=False, eq=False)
class ApprovalRequest:
    """A call that needs a person's approval. Its arguments have been validated.

    It holds the real arguments, including secret ones, since a person must see what will run. Its `repr` shows none.

    Attributes:
        tool_name: the name of the tool.
        tool: the tool; None for a restored call whose tool the pipeline no longer has.
        arguments: a copy of the arguments as JSON values, without injected ones.
        reason: why approval is needed; empty if the tool is declared with `approve=True` and no check gave a reason.
        call: the call, its arguments as the model sent them; for a restored call, as JSON text.
        session_id: the id of the conversation, or None.
    """

    tool_name: str
    tool: Tool | None
    arguments: dict[str, Any]
    reason: str
    call: ToolCall
    session_id: str | None

    def __repr__(self) -> str:
        return f"ApprovalRequest({self.tool_name!r}, id={self.call.id!r}, arguments=...)"


Decision: TypeAlias = Approve | Reject
Approver: TypeAlias = (
    Callable[[ApprovalRequest], Decision | None] | Callable[[ApprovalRequest], Awaitable[Decision | None]]
)


class Ask(Run):
    """Asks the approver about a call. It runs as a tool does: in the caller's thread, in a worker, or on the event loop.

    Args:
        approver: the host's function.
        request: what it is asked.
        timeout: seconds until the driver stops waiting, or None.

    Attributes:
        request: what the approver is asked.
    """

    __slots__ = ("request",)

    def __init__(self, approver: Approver, request: ApprovalRequest, timeout: float | None) -> None:
        super().__init__(partial(approver, request), timeout, is_async=is_async_callable(approver), lane=_LANE)
        self.request = request


def checked_approver(approver: Any) -> Approver | None:
    """The approver of a host, or None.

    Args:
        approver: a function of the request, sync or async.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(approver, type):
        raise UsageError(f"{approver.__name__} is a class; pass an instance, as in approver={approver.__name__}(...)")
    if approver is not None and not callable(approver):
        raise UsageError(
            f"approver must be a function of the request that returns Approve() or Reject(reason), not {approver!r:.80}"
        )
    return approver  # type: ignore[no-any-return]


def checked_decision(decision: Any) -> Decision:
    """A person's decision.

    Args:
        decision: an `Approve` or a `Reject`.

    Raises:
        UsageError: it is something else.
    """
    if isinstance(decision, (Approve, Reject)):
        return decision
    hint = " (call it)" if decision is Approve or decision is Reject else ""
    raise UsageError(f"a decision is Approve(), Approve(arguments=...) or Reject(reason), not {decision!r:.80}{hint}")
