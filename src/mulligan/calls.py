"""`ToolCall`, the call that a model made; `Repair`, how it was read differently; and the events of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import attrs

from mulligan.errors import ToolError
from mulligan.untrusted.copies import copy_data

E = TypeVar("E")
_POSITION = ("session_id", "step", "attempt")


class ToolCall(NamedTuple):
    """A tool call, as the model made it.

    Attributes:
        id: the id that the model gave to the call, or None; never generated.
        name: the name of the tool, as the model wrote it.
        arguments: the arguments as the model sent them: JSON text, a mapping, or None.
    """

    id: str | None
    name: str
    arguments: str | bytes | Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"ToolCall(id={self.id!r}, name={self.name!r}, arguments=...)"


def id_or_none(id: Any) -> Any:
    """The id unchanged; None for an empty text, which servers without ids send for all calls.

    Args:
        id: the id that was sent.
    """
    return None if isinstance(id, str) and not id.strip() else id


@attrs.frozen
class Repair:
    """A call that was read differently from how it was sent, or that a person changed.

    Attributes:
        kind: what was repaired: `name` or `arguments`; or `edited`, if a person changed the arguments.
        before: the text that was sent, redacted and shortened.
        after: the text that it was read as.
        was_json: whether the arguments were valid JSON as they were sent.
    """

    kind: str
    before: str
    after: str
    was_json: bool = True


def equal_by_facts(event: type[E]) -> type[E]:
    """Makes events equal that say the same wherever they happened: the fields for that, at the end, are not compared.

    Args:
        event: a class of named tuples.
    """
    named: Any = event
    facts = slice(len([name for name in named._fields if not (name in _POSITION and name in named._field_defaults)]))

    def equal(one: Any, other: Any) -> bool:
        return type(other) is named and tuple.__eq__(one[facts], other[facts])

    compared: dict[str, Callable[..., Any]] = {
        "__eq__": equal,
        "__ne__": lambda one, other: not equal(one, other),
        "__hash__": lambda one: hash(one[facts]),
    }
    for name, compare in compared.items():
        setattr(event, name, compare)
    return event


class PreparedCall(ToolCall):
    """A call that was read before it runs, by a framework that asks for its arguments first.

    Attributes:
        repairs: how it was read differently from how it was sent.
    """

    repairs: tuple[Repair, ...] = ()


@equal_by_facts
class CallRepaired(NamedTuple):
    """A call was read differently from how it was sent.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        repair: how the call was read.
        session_id: the conversation's id, or None.
        step: the number of the conversation's step; 0 outside a conversation.
        attempt: how often the tool was run so far.
    """

    call_id: str | None
    tool_name: str
    repair: Repair
    session_id: str | None = None
    step: int = 0
    attempt: int = 0


class AttemptFailed:
    """A tool was run and failed."""

    __slots__ = ("_attempt", "_call_id", "_outcome", "_read_details", "_session_id", "_step", "_tool_name")

    def __init__(
        self,
        call_id: str | None,
        tool_name: str,
        attempt: int,
        tell: Callable[[], tuple[ToolError, str]],
        session_id: str | None = None,
        step: int = 0,
        outcome: Any = None,
    ) -> None:
        self._call_id = call_id
        self._tool_name = tool_name
        self._attempt = attempt
        self._read_details = tell
        self._session_id = session_id
        self._step = step
        self._outcome = outcome

    @property
    def session_id(self) -> str | None:
        """The conversation's id, or None."""
        return self._session_id

    @property
    def step(self) -> int:
        """The number of the conversation's step; 0 outside a conversation."""
        return self._step

    @property
    def call_id(self) -> str | None:
        """The model's id of the call, or None."""
        return self._call_id

    @property
    def tool_name(self) -> str:
        """The name that was called."""
        return self._tool_name

    @property
    def attempt(self) -> int:
        """Which attempt it was, counted from 1."""
        return self._attempt

    @property
    def error(self) -> ToolError:
        """The classified failure; redacted only when it is read."""
        return self._read_details()[0]

    @property
    def outcome(self) -> Any:
        """The exception that the tool raised, or a copy of the value that it returned. Not redacted; a pickle leaves it out."""
        return copy_data(self._outcome)

    @property
    def traceback(self) -> str:
        """The traceback without local values, for the operator; empty where there is none."""
        return self._read_details()[1]

    def __reduce__(self) -> tuple[Callable[..., AttemptFailed], tuple[Any, ...]]:
        return _restore_attempt, (
            *(self.call_id, self.tool_name, self.attempt, self._read_details()),
            *(self.session_id, self.step),
        )

    def __repr__(self) -> str:
        return f"AttemptFailed(call_id={self.call_id!r}, tool_name={self.tool_name!r}, attempt={self.attempt})"


def _restore_attempt(
    call_id: str | None,
    tool_name: str,
    attempt: int,
    details: tuple[ToolError, str],
    session_id: str | None = None,
    step: int = 0,
) -> AttemptFailed:
    """An event that was pickled or copied."""
    return AttemptFailed(call_id, tool_name, attempt, lambda: details, session_id, step)


@equal_by_facts
class Waiting(NamedTuple):
    """The call waits: before the next attempt, or for its turn.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        seconds: how long at most.
        session_id: the conversation's id, or None.
        step: the number of the conversation's step; 0 outside a conversation.
        attempt: how often the tool was run so far.
    """

    call_id: str | None
    tool_name: str
    seconds: float
    session_id: str | None = None
    step: int = 0
    attempt: int = 0


@equal_by_facts
class BudgetSpent(NamedTuple):
    """A call was not run, since a budget of its conversation is exhausted.

    Attributes:
        session_id: the conversation's id, or None.
        call_id: the model's id of the call, or None.
        tool_name: the name that was called, safe to show.
        part: `calls`, `failures`, `seconds` or `feedback_chars`.
        limit: the size of the budget.
        tool: the tool whose own budget it is; None for that of the whole conversation, where the run must stop.
        step: the number of the conversation's step.
        attempt: how often the tool was run so far.
    """

    session_id: str | None
    call_id: str | None
    tool_name: str
    part: str
    limit: float
    tool: str | None
    step: int = 0
    attempt: int = 0


@equal_by_facts
class ApprovalRequested(NamedTuple):
    """A call needs a person's approval: the approver is asked, or the call waits in `Session.pending`.

    Attributes:
        session_id: the conversation's id, or None.
        call_id: the model's id of the call, or None.
        tool_name: the name of the tool.
        reason: why, redacted; may be empty.
        step: the number of the conversation's step.
        attempt: how often the tool was run so far.
    """

    session_id: str | None
    call_id: str | None
    tool_name: str
    reason: str
    step: int = 0
    attempt: int = 0


@equal_by_facts
class ApprovalDecided(NamedTuple):
    """A person decided about a call.

    Attributes:
        session_id: the conversation's id, or None.
        call_id: the model's id of the call, or None.
        tool_name: the name of the tool.
        decision: `approved`, `edited` (approved with changed arguments) or `rejected`.
        reason: the person's reason for a rejection, redacted; otherwise empty.
        arguments: the changed arguments, redacted and shortened; empty unless they were edited.
        step: the number of the conversation's step.
        attempt: how often the tool was run so far.
    """

    session_id: str | None
    call_id: str | None
    tool_name: str
    decision: Literal["approved", "edited", "rejected"]
    reason: str = ""
    arguments: str = ""
    step: int = 0
    attempt: int = 0


CallEvent: TypeAlias = CallRepaired | AttemptFailed | Waiting | BudgetSpent | ApprovalRequested | ApprovalDecided
