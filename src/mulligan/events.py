"""What happens during a call, as records for the `observe` hook. Every text in them is redacted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from mulligan.calls import Repair
from mulligan.errors import RepeatedCallError, ToolArgumentError, ToolError
from mulligan.results import ToolResult


class CallStarted:
    """A call came in."""

    __slots__ = ("_call_id", "_show", "_tool_name")

    def __init__(self, call_id: str | None, tool_name: str, show: Callable[[], str]) -> None:
        self._call_id = call_id
        self._tool_name = tool_name
        self._show = show

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
        """What was sent, redacted and shortened; worked out only when somebody looks."""
        return self._show()

    def __repr__(self) -> str:
        return f"CallStarted(call_id={self.call_id!r}, tool_name={self.tool_name!r})"


class CallRepaired(NamedTuple):
    """A call was read differently from how it was sent.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        repair: what was read as what.
    """

    call_id: str | None
    tool_name: str
    repair: Repair


class AttemptFailed:
    """A tool was run and failed."""

    __slots__ = ("_attempt", "_call_id", "_tell", "_tool_name")

    def __init__(
        self, call_id: str | None, tool_name: str, attempt: int, tell: Callable[[], tuple[ToolError, str]]
    ) -> None:
        self._call_id = call_id
        self._tool_name = tool_name
        self._attempt = attempt
        self._tell = tell

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
        """What the failure means; made free of secrets only when somebody looks."""
        return self._tell()[0]

    @property
    def traceback(self) -> str:
        """The traceback without local values, for the operator; empty where there is none."""
        return self._tell()[1]

    def __reduce__(self) -> tuple[Callable[..., AttemptFailed], tuple[Any, ...]]:
        return _retold, (self.call_id, self.tool_name, self.attempt, self._tell())

    def __repr__(self) -> str:
        return f"AttemptFailed(call_id={self.call_id!r}, tool_name={self.tool_name!r}, attempt={self.attempt})"


def _retold(call_id: str | None, tool_name: str, attempt: int, told: tuple[ToolError, str]) -> AttemptFailed:
    """An event that was pickled or copied."""
    return AttemptFailed(call_id, tool_name, attempt, lambda: told)


class Waiting(NamedTuple):
    """The call waits: before the next attempt, or for its turn.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        seconds: how long at most.
    """

    call_id: str | None
    tool_name: str
    seconds: float


class CallFinished:
    """A call was answered.

    Attributes:
        result: the answer.
    """

    __slots__ = ("result",)

    def __init__(self, result: ToolResult) -> None:
        self.result = result

    def __repr__(self) -> str:
        return f"CallFinished({self.result!r})"


class StepFinished:
    """All calls of one message of the model were answered, by `answer`, `call_many` or their async twins.

    Attributes:
        session_id: the conversation's id, or None.
        names: the names that were called, safe to show, in order.
        results: the answers, in order.
        duration: seconds for the whole step; calls at once share them.
    """

    __slots__ = ("duration", "names", "results", "session_id")

    def __init__(
        self, session_id: str | None, names: tuple[str, ...], results: tuple[ToolResult, ...], duration: float
    ) -> None:
        self.session_id = session_id
        self.names = names
        self.results = results
        self.duration = duration

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


class Notice(NamedTuple):
    """What to tell the person before the screen about a step that has nothing to show: every call of it failed.

    Attributes:
        session_id: the conversation's id, or None.
        text: what happened, one sentence for each kind of failure, without technical terms.
        fatal: whether the run stops.
    """

    session_id: str | None
    text: str
    fatal: bool


class BudgetSpent(NamedTuple):
    """A call was not run, since a budget of its conversation is used up.

    Attributes:
        session_id: the conversation's id, or None.
        call_id: the model's id of the call, or None.
        tool_name: the name that was called, safe to show.
        part: `calls`, `failures`, `seconds` or `feedback_chars`.
        limit: how much there was.
        tool: the tool whose own budget it is; None for that of the whole conversation, where the run must stop.
    """

    session_id: str | None
    call_id: str | None
    tool_name: str
    part: str
    limit: float
    tool: str | None


class PluginFaulted(NamedTuple):
    """A plugin's own bug was caught.

    Attributes:
        plugin: the plugin's name.
        hook: the hook it was called for.
        error: type and text of what it did wrong.
        set_aside: whether the pipeline no longer calls it.
    """

    plugin: str
    hook: str
    error: str
    set_aside: bool


Event: TypeAlias = (
    CallStarted
    | CallRepaired
    | AttemptFailed
    | Waiting
    | CallFinished
    | StepFinished
    | Notice
    | BudgetSpent
    | PluginFaulted
)
