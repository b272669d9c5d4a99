"""A call that may have taken effect, until the model has looked: then it is said what remains to be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.errors import (
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.resolve.toolset import Toolset

_MAY_SUCCEED_LATER = (
    ToolConnectionError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)


class OpenEffect(NamedTuple):
    """A call that may have taken effect before it failed.

    Attributes:
        tool: its tool, which writes.
        arguments: the validated arguments.
        step: the step of the conversation that it belongs to: the model has read the failure in every later one.
    """

    tool: Tool
    arguments: Mapping[str, Any]
    step: int

    def is_shown_by(self, tool: Tool, arguments: Mapping[str, Any], toolset: Toolset) -> bool:
        """Whether another call reads what this one wanted to change: it is the call that its feedback named.

        Args:
            tool: the tool of the other call.
            arguments: its validated arguments.
            toolset: all tools.
        """
        from mulligan.resolve.lookups import Lookups

        found = Lookups(self.tool, self.arguments, None, toolset).state()
        if found is None or found.tool is not tool:
            return False
        return all(arguments.get(name) == value for name, value in (found.arguments or {}).items())


def find_open_effect(
    tool: Tool | None, arguments: Mapping[str, Any] | None, error: ToolError, attempts: int, step: int
) -> OpenEffect | None:
    """The call as one whose effect is open; None if it had none, or if the same call would fail again.

    Args:
        tool: its tool, or None.
        arguments: the validated arguments; None if there are none.
        error: how it failed.
        attempts: how often the tool was run.
        step: the step of the conversation that it belongs to.
    """
    if tool is None or tool.read_only or tool.secret or arguments is None or not attempts:
        return None
    may_succeed = error.transient or isinstance(error, _MAY_SUCCEED_LATER)
    is_open = error.effect == "possible" and not error.fatal and may_succeed
    return OpenEffect(tool, arguments, step) if is_open else None
