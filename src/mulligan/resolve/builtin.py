"""Resolve: the tool of exactly that name. Another tool is never run because its name is near."""

from __future__ import annotations

from mulligan.calls import ToolCall
from mulligan.hookimpl import hookimpl
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool


@hookimpl(trylast=True)
def resolve(call: ToolCall, toolset: Toolset) -> Tool | None:
    """The tool of that name, or None."""
    tool: Tool | None = toolset.get(call.name)
    return tool
