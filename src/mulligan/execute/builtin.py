"""The default `execute` plugin: runs the tool's handler in this process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mulligan.calls import ToolCall
from mulligan.execute.steps import Executor
from mulligan.hookimpl import hookimpl
from mulligan.tools import Tool


@hookimpl(trylast=True)
def execute(tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor | None:
    """The handler with its arguments; None for a killable tool, which the pipeline runs in a process."""
    return bind_handler(tool, arguments)


def bind_handler(tool: Tool, arguments: Mapping[str, Any]) -> Executor | None:
    """The handler with its arguments; None for a killable tool.

    Args:
        tool: the tool.
        arguments: the handler's keyword arguments.
    """
    if tool.killable:
        return None
    return partial(tool.handler, **arguments)
