"""What is remembered of one run: its conversation with mulligan, deadlines, repairs, and why it must stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from pydantic_ai import ToolDefinition
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage

from mulligan import Pipeline, Session, ToolResult
from mulligan.errors import ToolError
from mulligan_pydantic_ai.calls import RunStopped, make_tool, refuse


class Memory:
    """What is remembered of one run.

    Args:
        pipeline: what its calls go through.
        id: the run's id, or None.

    Attributes:
        session: the conversation.
        timeouts: seconds by the tool's name.
        repaired: arguments that were read differently, and what the model is told of it, by call id.
        views: pipelines of one tool each, with the definition that they were made for.
        offered: a pipeline of the tools that can be called now; they are only named, never run.
    """

    def __init__(self, pipeline: Pipeline, id: str | None) -> None:
        self._pipeline = pipeline
        self._step = ExitStack()
        self._definitions: Mapping[str, ToolDefinition] = {}
        self._fatal: ToolError | None = None
        self.session: Session = pipeline.session(id)
        self.timeouts: dict[str, float] = {}
        self.repaired: dict[str, tuple[dict[str, Any], str]] = {}
        self.views: dict[tuple[str, bool], tuple[ToolDefinition, Pipeline]] = {}
        self.offered = pipeline

    def next_step(self) -> None:
        """A step begins: what is called from now on, the model calls in one message."""
        self._step.close()
        self._step.enter_context(self.session.step())

    def offer(self, definitions: Mapping[str, ToolDefinition]) -> None:
        """Takes note of the tools that can be called now.

        Args:
            definitions: by name.
        """
        if definitions != self._definitions:
            each = [
                make_tool(one.name, one.description, one.parameters_json_schema, refuse) for one in definitions.values()
            ]
            self._definitions, self.offered = definitions, self._pipeline.with_tools(each)

    def failed(self, result: ToolResult) -> ToolFailed:
        """What the model is told, as a failed result, which uses up none of the retries of Pydantic AI.

        Args:
            result: of one call.
        """
        if result.fatal and self._fatal is None:
            self._fatal = result.error
        return ToolFailed(result.content)

    def raise_if_fatal(self, messages: Sequence[ModelMessage]) -> None:
        """Ends the run where a tool failed for good.

        Args:
            messages: the conversation so far.

        Raises:
            RunStopped: with the reason.
        """
        if self._fatal is not None:
            raise RunStopped(self._fatal, messages)
