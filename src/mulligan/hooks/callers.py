"""The compiled hooks of a pipeline, one typed function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.dialects import Dialect
from mulligan.errors import ToolError
from mulligan.events import Event
from mulligan.execute.steps import Executor, Middleware
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookspecs import Repairer
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool

Hook = Callable[..., Any]
Arguments = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


class Stages:
    """The hooks that the flow calls. A hook without hookimpls costs one look-up.

    The hooks themselves are attributes, called with the parameters of their hookspec by position. Each hookimpl is given
    copies of its own (`mulligan.copies`); of the arguments, by a function that makes one.

    Args:
        hooks: each hook as a function.
        outside: the hooks that a plugin other than the built-in ones implements.

    Attributes:
        executes: a plugin decides how tools run; otherwise the flow does the same as the built-in plugin.
        validates: a plugin may read the arguments, so they are bounded again; otherwise the flow reads them.
        authorizes: a plugin may refuse calls.
        doubts: a plugin examines every returned value, even those that are clearly results.
        rewords: a plugin may render feedback; otherwise only the format does.
        observed: a plugin observes.
        may_repair: a plugin repairs.
        has_middlewares: a plugin contributes middleware.
    """

    def __init__(self, hooks: Mapping[str, Hook], outside: frozenset[str]) -> None:
        self.resolve: Callable[[ToolCall, Toolset], Tool | None] = hooks["resolve"]
        self.validate: Callable[[Tool, ToolCall], Mapping[str, Any] | None] = hooks["validate"]
        self.repair: Callable[[ToolCall, ToolError, Toolset, Callable[[str], str]], Repairer | None] = hooks["repair"]
        self.authorize: Callable[[Tool, Arguments, ToolCall], ToolError | None] = hooks["authorize"]
        self.execute: Callable[[Tool, Arguments, ToolCall], Executor | None] = hooks["execute"]
        self.detect: Callable[[Any, Tool], Failure | None] = hooks["detect"]
        self.classify: Callable[[Failure], ToolError | None] = hooks["classify"]
        self.render_feedback: Callable[[Feedback, FeedbackFormat], str | Mapping[str, Any] | None]
        self.render_feedback = hooks["render_feedback"]
        self.count_tokens: Callable[[str], int | None] = hooks["count_tokens"]
        self.hints: Callable[[ToolError, Failure | None], list[str]] = hooks["hints"]
        self.observe: Callable[[Event], None] = hooks["observe"]
        self._middlewares: Callable[[Tool], list[Middleware]] = hooks["middlewares"]
        self._formats: Callable[[], list[FeedbackFormat]] = hooks["feedback_formats"]
        self._dialects: Callable[[], list[Dialect]] = hooks["dialects"]
        self.executes = "execute" in outside
        self.validates = "validate" in outside
        self.authorizes = "authorize" in outside
        self.doubts = "detect" in outside
        self.rewords = "render_feedback" in outside
        self.observed = "observe" in outside
        self.may_repair = "repair" in outside
        self.has_middlewares = "middlewares" in outside
        self._of_tool: dict[int, tuple[Tool, tuple[Middleware, ...]]] = {}

    def middlewares(self, tool: Tool) -> tuple[Middleware, ...]:
        """The middleware of a tool, outermost first; collected once per tool.

        Args:
            tool: the tool.
        """
        known = self._of_tool.get(id(tool))
        if known is None or known[0] is not tool:
            known = self._of_tool[id(tool)] = (tool, tuple(self._middlewares(tool)))
        return known[1]

    def formats(self) -> dict[str, FeedbackFormat]:
        """The feedback formats by name; of two with the same name, the one that was called first counts."""
        return {format.name: format for format in reversed(self._formats())}

    def dialects(self) -> dict[str, Dialect]:
        """The dialects by name, in the order of their calls; of two with the same name, the first counts."""
        found: dict[str, Dialect] = {}
        for dialect in self._dialects():
            found.setdefault(dialect.name, dialect)
        return found
