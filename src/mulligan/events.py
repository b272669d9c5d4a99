"""What happens during a call, as records for the `observe` hook. Every text in them is redacted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from mulligan.calls import (
    ApprovalDecided,
    ApprovalRequested,
    AttemptFailed,
    BudgetSpent,
    CallRepaired,
    ToolCall,
    Waiting,
    equal_by_facts,
)
from mulligan.errors import RepeatedCallError, ToolArgumentError
from mulligan.results import ToolResult
from mulligan.secrets.redaction import REDACTED
from mulligan.tools import Tool


class CallStarted:
    """A call was received."""

    __slots__ = ("_call_id", "_session_id", "_show", "_step", "_tool_name")

    def __init__(
        self,
        call_id: str | None,
        tool_name: str,
        show: Callable[[], str],
        session_id: str | None = None,
        step: int = 0,
    ) -> None:
        self._call_id = call_id
        self._tool_name = tool_name
        self._show = show
        self._session_id = session_id
        self._step = step

    @property
    def session_id(self) -> str | None:
        """The conversation's id, or None."""
        return self._session_id

    @property
    def step(self) -> int:
        """The number of the conversation's step; 0 outside a conversation."""
        return self._step

    @property
    def attempt(self) -> int:
        """How often the tool was run: not yet."""
        return 0

    @property
    def call_id(self) -> str | None:
        """The model's id of the call, or None."""
        return self._call_id

    @property
    def tool_name(self) -> str:
        """The name that was called."""
        return self._tool_name

    @property
    def arguments(self) -> str:
        """The arguments as they were sent, redacted and shortened; computed only when read."""
        return self._show()

    def __repr__(self) -> str:
        return f"CallStarted(call_id={self.call_id!r}, tool_name={self.tool_name!r})"


class CallFinished:
    """A call was answered.

    Attributes:
        result: the answer.
        session_id: the conversation's id, or None.
        step: the number of the conversation's step; 0 outside a conversation.
        conversation: the number of the conversation in this process, which it has also without an id; 0 outside one.
        sent: the call as the model sent it, before any repair. Not redacted: pass what you keep through `redact`.
        toolset: the tools that could be called, by name; it cannot be changed.
        redact: removes the secrets from a text, as everything does that shows this call.
    """

    __slots__ = ("conversation", "redact", "result", "sent", "session_id", "step", "toolset")

    def __init__(
        self,
        result: ToolResult,
        session_id: str | None = None,
        step: int = 0,
        conversation: int = 0,
        sent: ToolCall | None = None,
        toolset: Mapping[str, Tool] = MappingProxyType({}),
        redact: Callable[[str], str] | None = None,
    ) -> None:
        self.result = result
        self.session_id = session_id
        self.step = step
        self.conversation = conversation
        self.sent = result.call if sent is None else sent
        self.toolset = toolset
        self.redact = _hide_all if redact is None else redact

    @property
    def call_id(self) -> str | None:
        """The model's id of the call, or None."""
        return self.result.call.id

    @property
    def attempt(self) -> int:
        """How often the tool was run."""
        return self.result.attempts

    def __repr__(self) -> str:
        return f"CallFinished({self.result!r})"


def _hide_all(text: str) -> str:
    return REDACTED if text else text


class StepFinished:
    """All calls of one message of the model were answered: by `answer`, `call_many`, in `Session.step` or by an adapter.

    Attributes:
        session_id: the conversation's id, or None.
        names: the names that were called, safe to show, in order.
        results: the answers, in order.
        duration: seconds for the whole step; concurrent calls share them.
        step: the number of the conversation's step; 0 outside a conversation.
    """

    __slots__ = ("duration", "names", "results", "session_id", "step")

    def __init__(
        self,
        session_id: str | None,
        names: tuple[str, ...],
        results: tuple[ToolResult, ...],
        duration: float,
        step: int = 0,
    ) -> None:
        self.session_id = session_id
        self.names = names
        self.results = results
        self.duration = duration
        self.step = step

    @property
    def call_id(self) -> None:
        """None: it is about all calls of the step."""

    @property
    def attempt(self) -> int:
        """0: it is about all calls of the step."""
        return 0

    @property
    def ids(self) -> tuple[str | None, ...]:
        """The model's ids of the calls, in order."""
        return tuple(result.call.id for result in self.results)

    @property
    def durations(self) -> tuple[float, ...]:
        """Seconds that each call took, in order."""
        return tuple(result.duration for result in self.results)

    @property
    def invalid(self) -> tuple[ToolResult, ...]:
        """The answers to calls that named no tool, or whose arguments did not fit: nothing was run for them."""
        return tuple(result for result in self.results if _is_invalid(result))

    @property
    def repaired(self) -> tuple[ToolResult, ...]:
        """The answers to calls that were read differently from how they were sent."""
        return tuple(result for result in self.results if result.repairs)

    @property
    def failed(self) -> tuple[ToolResult, ...]:
        """The answers to calls that failed, for whatever reason."""
        return tuple(result for result in self.results if result.is_error)

    @property
    def fatal(self) -> bool:
        """Whether the run must stop."""
        return any(result.fatal for result in self.results)

    def __repr__(self) -> str:
        return f"StepFinished({', '.join(self.names)}: {len(self.failed)} of {len(self.results)} failed)"


def _is_invalid(result: ToolResult) -> bool:
    if not result.is_error or result.attempts:
        return False
    error = result.error
    refused = error.__cause__ if isinstance(error, RepeatedCallError) else error
    return result.tool is None or isinstance(refused, ToolArgumentError)


@equal_by_facts
class Notice(NamedTuple):
    """A message for the user about a step that has nothing to show, since every call of it failed.

    Attributes:
        session_id: the conversation's id, or None.
        text: what happened, one sentence for each kind of failure, without technical terms.
        fatal: whether the run stops.
        step: the number of the conversation's step; 0 outside a conversation.
    """

    session_id: str | None
    text: str
    fatal: bool
    step: int = 0

    @property
    def call_id(self) -> None:
        """None: it is about all calls of the step."""

    @property
    def attempt(self) -> int:
        """0: it is about all calls of the step."""
        return 0


@equal_by_facts
class RequestNoted(NamedTuple):
    """The user has written a new message, as `Session.note_request` says.

    Attributes:
        session_id: the conversation's id, or None.
        text: what the user wrote, redacted.
        conversation: the number of the conversation in this process, which it has also without an id.
        step: the number of the conversation's last step.
    """

    session_id: str | None
    text: str
    conversation: int
    step: int = 0

    @property
    def call_id(self) -> None:
        """None: it is before the next call."""

    @property
    def attempt(self) -> int:
        """0: it is before the next call."""
        return 0


class PluginFaulted(NamedTuple):
    """A plugin's own bug was caught.

    Attributes:
        plugin: the plugin's name.
        hook: the hook it was called for.
        error: type and text of the fault.
        set_aside: whether the plugin is disabled: the pipeline no longer calls it.
    """

    plugin: str
    hook: str
    error: str
    set_aside: bool

    @property
    def session_id(self) -> None:
        """None: a plugin serves every conversation of its pipeline."""

    @property
    def step(self) -> int:
        """0: a plugin serves every conversation of its pipeline."""
        return 0

    @property
    def call_id(self) -> None:
        """None: the fault is the plugin's, whatever the call."""

    @property
    def attempt(self) -> int:
        """0: the fault is the plugin's, whatever the call."""
        return 0


__all__ = [
    "ApprovalDecided",
    "ApprovalRequested",
    "AttemptFailed",
    "BudgetSpent",
    "CallFinished",
    "CallRepaired",
    "CallStarted",
    "Event",
    "Notice",
    "PluginFaulted",
    "RequestNoted",
    "StepFinished",
    "Waiting",
]

Event: TypeAlias = (
    CallStarted
    | CallRepaired
    | AttemptFailed
    | Waiting
    | ApprovalRequested
    | ApprovalDecided
    | CallFinished
    | StepFinished
    | Notice
    | RequestNoted
    | BudgetSpent
    | PluginFaulted
)
