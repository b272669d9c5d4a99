"""What happens during a call, as records for the `observe` hook. Every text in them is redacted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeAlias

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
from mulligan.results import ToolResult
from mulligan.secrets.redaction import REDACTED
from mulligan.tools import Tool

_new_event = object.__new__


class _SentFacts(Protocol):
    """What is known of a call that was received. It is read only when an observer asks."""

    @property
    def session_id(self) -> str | None:
        """The conversation's id, or None."""

    @property
    def step(self) -> int:
        """The number of the conversation's step; 0 outside a conversation."""

    @property
    def display_sent(self) -> Callable[[], str]:
        """Shows the arguments as they were sent, redacted and shortened."""


class _Sent(NamedTuple):
    session_id: str | None
    step: int
    display_sent: Callable[[], str]


class CallStarted:
    """A call was received."""

    __slots__ = ("_call_id", "_facts", "_tool", "_tool_name")

    def __init__(
        self,
        call_id: str | None,
        tool_name: str,
        show: Callable[[], str],
        session_id: str | None = None,
        step: int = 0,
        tool: Tool | None = None,
    ) -> None:
        self._call_id = call_id
        self._tool_name = tool_name
        self._tool = tool
        self._facts: _SentFacts = _Sent(session_id, step, show)

    @classmethod
    def of(cls, call_id: str | None, tool_name: str, tool: Tool | None, facts: _SentFacts) -> CallStarted:
        """The event of a call of which the facts are read when an observer asks.

        It is made for each call that is observed, so it does without `__init__`, which takes twice as long.

        Args:
            call_id: the model's id of the call, or None.
            tool_name: the name that was called.
            tool: the tool that has exactly this name, or None.
            facts: what else is known of the call.
        """
        event: CallStarted = _new_event(cls)
        event._call_id = call_id
        event._tool_name = tool_name
        event._tool = tool
        event._facts = facts
        return event

    @property
    def session_id(self) -> str | None:
        """The conversation's id, or None."""
        return self._facts.session_id

    @property
    def step(self) -> int:
        """The number of the conversation's step; 0 outside a conversation."""
        return self._facts.step

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
    def tool(self) -> Tool | None:
        """The tool that has exactly this name, or None."""
        return self._tool

    @property
    def arguments(self) -> str:
        """The arguments as they were sent, redacted and shortened; computed only when read."""
        return self._facts.display_sent()

    def __repr__(self) -> str:
        return f"CallStarted(call_id={self.call_id!r}, tool_name={self.tool_name!r})"


@equal_by_facts
class CallRetried(NamedTuple):
    """The tool is run again.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name of the tool.
        attempt: which attempt begins, counted from 1.
        session_id: the conversation's id, or None.
        step: the number of the conversation's step; 0 outside a conversation.
    """

    call_id: str | None
    tool_name: str
    attempt: int
    session_id: str | None = None
    step: int = 0


class _CallFacts(Protocol):
    """What is known of a call beside its answer. It is read only when an observer asks."""

    @property
    def session_id(self) -> str | None:
        """The conversation's id, or None."""

    @property
    def step(self) -> int:
        """The number of the conversation's step; 0 outside a conversation."""

    @property
    def conversation(self) -> int:
        """The number of the conversation in this process; 0 outside one."""

    @property
    def sent(self) -> ToolCall | None:
        """The call as the model sent it, or None if it is that of the answer."""

    @property
    def toolset(self) -> Mapping[str, Tool]:
        """The tools that could be called, by name."""

    @property
    def redact(self) -> Callable[[str], str]:
        """Removes the secrets from a text."""

    @property
    def display_arguments(self) -> Callable[[], str]:
        """Shows the arguments, redacted and shortened."""


_LAZY = ("conversation", "redact", "session_id", "step", "toolset")


class _Facts(NamedTuple):
    session_id: str | None
    step: int
    conversation: int
    sent: ToolCall | None
    toolset: Mapping[str, Tool]
    redact: Callable[[str], str]
    display_arguments: Callable[[], str]


class CallFinished:
    """A call was answered.

    Attributes:
        session_id: the conversation's id, or None.
        step: the number of the conversation's step; 0 outside a conversation.
        conversation: the number of the conversation in this process, which it has also without an id; 0 outside one.
        toolset: the tools that could be called, by name; it cannot be changed.
        redact: removes the secrets from a text, as everything does that shows this call.
    """

    __slots__ = ("_copy_result", "_facts", "_result", "_sent", *_LAZY)
    session_id: str | None
    step: int
    conversation: int
    toolset: Mapping[str, Tool]
    redact: Callable[[str], str]

    def __init__(
        self,
        result: ToolResult,
        session_id: str | None = None,
        step: int = 0,
        conversation: int = 0,
        sent: ToolCall | None = None,
        toolset: Mapping[str, Tool] = MappingProxyType({}),
        redact: Callable[[str], str] | None = None,
        show: Callable[[], str] = str,
    ) -> None:
        self._result = result
        self._facts: _CallFacts
        self._facts = _Facts(session_id, step, conversation, sent, toolset, redact or _hide_all, show)
        self._sent = sent
        self._copy_result: Callable[[ToolResult], ToolResult] | None = None

    @classmethod
    def of(
        cls,
        result: ToolResult,
        facts: _CallFacts,
        sent: ToolCall | None,
    ) -> CallFinished:
        """The event of a call of which the facts are read when an observer asks.

        It is made for each call that is observed, so it does without `__init__`, which takes twice as long.

        Args:
            result: the answer.
            facts: what is known of the call.
            sent: the call as the model sent it, or None if it is that of the answer.
        """
        event: CallFinished = _new_event(cls)
        event._result = result
        event._facts = facts
        event._sent = sent
        event._copy_result = None
        return event

    @property
    def result(self) -> ToolResult:
        """The answer; an observer's own copy, which is made when it is first read."""
        if self._copy_result is not None:
            self._result, self._copy_result = self._copy_result(self._result), None
        return self._result

    def __getattr__(self, name: str) -> Any:
        """A fact that is read for the first time."""
        if name not in _LAZY:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = getattr(self._facts, name)
        setattr(self, name, value)
        return value

    @property
    def sent(self) -> ToolCall:
        """The call as the model sent it, before any repair. Not redacted: pass what you keep through `redact`."""
        return self.result.call if self._sent is None else self._sent

    @property
    def arguments(self) -> str:
        """The arguments of the call, redacted and shortened; computed only when read."""
        return self._facts.display_arguments()

    @property
    def call_id(self) -> str | None:
        """The model's id of the call, or None."""
        return self._result.call.id

    @property
    def attempt(self) -> int:
        """How often the tool was run."""
        return self._result.attempts

    @property
    def tool(self) -> Tool | None:
        """The tool that the call was resolved to, or None."""
        return self._result.tool

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self._result.is_error

    @property
    def duration(self) -> float:
        """Seconds from call to answer."""
        return self._result.duration

    def copied(
        self, copy_result: Callable[[ToolResult], ToolResult], copy_call: Callable[[ToolCall], ToolCall]
    ) -> CallFinished:
        """A copy for one observer, whose result is copied when it is first read.

        Args:
            copy_result: copies a result.
            copy_call: copies a call.
        """
        sent = self._sent
        if sent is not None:
            sent = None if sent is self._result.call else copy_call(sent)
        twin: CallFinished = _new_event(CallFinished)
        twin._result = self._result
        twin._facts = self._facts
        twin._sent = sent
        twin._copy_result = copy_result
        return twin

    def __reduce__(self) -> tuple[type[CallFinished], tuple[Any, ...]]:
        sent, shown = self._sent, partial(str, self.arguments)
        return CallFinished, (self.result, self.session_id, self.step, self.conversation, sent, {}, None, shown)

    def __repr__(self) -> str:
        return f"CallFinished({self._result!r})"


@equal_by_facts
class CallAbandoned(NamedTuple):
    """A call ended without an answer: the host cancelled it, or a framework interrupted it, and may make it again.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called, safe to show.
        session_id: the conversation's id, or None.
        step: the number of the conversation's step; 0 outside a conversation.
        attempt: how often the tool was run.
    """

    call_id: str | None
    tool_name: str
    session_id: str | None = None
    step: int = 0
    attempt: int = 0


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
        return tuple(result for result in self.results if result.invalid)

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
    "CallAbandoned",
    "CallFinished",
    "CallRepaired",
    "CallRetried",
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
    | CallRetried
    | ApprovalRequested
    | ApprovalDecided
    | CallFinished
    | CallAbandoned
    | StepFinished
    | Notice
    | RequestNoted
    | BudgetSpent
    | PluginFaulted
)
