"""Execute: the tool's own handler, in this process, unless it is killable."""

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
    """The handler with its arguments; the pipeline itself runs a killable tool."""
    if tool.killable:
        return None
    return partial(tool.handler, **arguments)
