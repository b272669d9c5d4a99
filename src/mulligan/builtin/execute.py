"""Execute: the tool's own handler, in this process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mulligan.plugin import Executor, Tool, ToolCall, hookimpl


@hookimpl(trylast=True)
def execute(tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Executor:
    """The handler with its arguments."""
    return partial(tool.handler, **arguments)
