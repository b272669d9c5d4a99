"""What happens during a call, as records for the `observe` hook. Every text in them is redacted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import attrs

from mulligan.calls import Repair
from mulligan.errors import ToolError
from mulligan.results import ToolResult


class CallStarted:
    """A call came in.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
    """

    __slots__ = ("_show", "call_id", "tool_name")

    def __init__(self, call_id: str | None, tool_name: str, show: Callable[[], str]) -> None:
        self.call_id = call_id
        self.tool_name = tool_name
        self._show = show

    @property
    def arguments(self) -> str:
        """What was sent, redacted and shortened; worked out only when somebody looks."""
        return self._show()

    def __repr__(self) -> str:
        return f"CallStarted(call_id={self.call_id!r}, tool_name={self.tool_name!r})"


@attrs.frozen
class CallRepaired:
    """A call was read differently from how it was sent.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        repair: what was read as what.
    """

    call_id: str | None
    tool_name: str
    repair: Repair


@attrs.frozen
class AttemptFailed:
    """A tool was run and failed.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        attempt: which attempt it was, counted from 1.
        error: what the failure means.
        traceback: the traceback without local values, for the operator; empty where there is none.
    """

    call_id: str | None
    tool_name: str
    attempt: int
    error: ToolError
    traceback: str


@attrs.frozen
class Waiting:
    """The call waits before the next attempt.

    Attributes:
        call_id: the model's id of the call, or None.
        tool_name: the name that was called.
        seconds: how long.
    """

    call_id: str | None
    tool_name: str
    seconds: float


@attrs.define(eq=False)
class CallFinished:
    """A call was answered.

    Attributes:
        result: the answer.
    """

    result: ToolResult


@attrs.frozen
class PluginFaulted:
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


Event: TypeAlias = CallStarted | CallRepaired | AttemptFailed | Waiting | CallFinished | PluginFaulted
