"""`OpenEffect`: a call that may have taken effect, until a look-up shows whether it did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mulligan.tools import Tool

if TYPE_CHECKING:
    from mulligan.resolve.toolset import Toolset


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
        if found is None or found.tool.name != tool.name:
            return False
        return all(arguments.get(name) == value for name, value in (found.arguments or {}).items())
