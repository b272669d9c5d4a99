"""The tools that may be called at one moment, as pipelines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from langchain_core.tools import BaseTool

from mulligan import Pipeline
from mulligan.errors import ToolArgumentError
from mulligan_langchain.attempt import ControlFlow, async_handler_of, handler_of
from mulligan_langchain.translation import Entry, Timeouts, make_tool


class Toolbox:
    """The tools that may be called at one moment.

    Attributes:
        tools: the framework's tools.
        entries: the same by name, ready to be called.

    Args:
        pipeline: what runs them.
        tools: the tools.
        timeouts: seconds, for all or by name.
    """

    def __init__(self, pipeline: Pipeline, tools: Sequence[BaseTool], timeouts: Timeouts) -> None:
        self._pipeline = pipeline
        self._timeouts = timeouts
        self.tools = tools
        self.entries = {tool.name: Entry(tool) for tool in tools}

    @cached_property
    def sync(self) -> Pipeline:
        """The pipeline whose handlers block."""
        return self._with(handler_of)

    @cached_property
    def awaited(self) -> Pipeline:
        """The pipeline whose handlers are awaited."""
        return self._with(async_handler_of)

    @cached_property
    def lenient(self) -> Pipeline:
        """`sync` for arguments that others may change before the tool sees them."""
        return self._with(handler_of, is_lenient=True)

    @cached_property
    def lenient_awaited(self) -> Pipeline:
        """`awaited` for arguments that others may change before the tool sees them."""
        return self._with(async_handler_of, is_lenient=True)

    @cached_property
    def reading(self) -> Pipeline:
        """The pipeline that runs nothing: it only tells whether a call can be read."""
        return self._with(lambda _: lambda **arguments: "", inline=True, timeout=None)

    def fits(self, name: str, arguments: Any) -> bool:
        """Whether a tool takes these arguments; yes where that cannot be said.

        Args:
            name: the tool's name.
            arguments: as they were sent.
        """
        tool = self.sync.tools.get(name)
        try:
            return tool is None or not isinstance(tool.fit(arguments), ToolArgumentError)
        except Exception:  # a schema that cannot be used: the call itself says so
            return True

    def _with(
        self, handler: Callable[[Entry], Callable[..., Any]], *, is_lenient: bool = False, **options: Any
    ) -> Pipeline:
        tools = [make_tool(entry, handler(entry), self._timeouts, **options) for entry in self.entries.values()]
        for tool in tools:
            tool.is_lenient = is_lenient
        return self._pipeline.with_tools(tools, control_flow=(ControlFlow,))
