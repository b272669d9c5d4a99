"""The default `resolve` plugin: accepts only the exact name of a tool. A similar name never runs another tool."""

from __future__ import annotations

from mulligan.calls import ToolCall
from mulligan.hookimpl import hookimpl
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool


@hookimpl(trylast=True)
def resolve(call: ToolCall, toolset: Toolset) -> Tool | None:
    """The tool with exactly this name, or None."""
    tool: Tool | None = toolset.get(call.name)
    return tool
