"""What a failure means, without running anything: behind `Pipeline.classify` and `Pipeline.recover`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.classify.failure import Failure
from mulligan.errors import ToolError
from mulligan.feedback import FeedbackFormat
from mulligan.pipeline.invocation import Host, Invocation, Memory
from mulligan.pipeline.reports import attempted_name
from mulligan.results import ToolResult
from mulligan.tools import Tool


def _nothing() -> None:
    return None


_NAMELESS = Tool("tool", "", _nothing, schema={"type": "object"})


class Diagnosis:
    """Says what failures mean.

    Args:
        host: the pipeline's parts.
    """

    def __init__(self, host: Host) -> None:
        self._host = host

    def classify(
        self, exception_or_value: Any, tool: Tool | str | None, arguments: Mapping[str, Any] | None
    ) -> ToolError | None:
        """The error that an exception or a value means; None if a value reports no failure.

        Args:
            exception_or_value: what a tool raised or returned.
            tool: the tool, or any name.
            arguments: the call's arguments.
        """
        known: Tool | None = self._host.toolset.get(tool) if isinstance(tool, str) else tool
        failure: Failure | None
        if issubclass(type(exception_or_value), BaseException):  # a foreign object may lie about its class, or raise
            failure = Failure(exception_or_value)
        else:
            failure = self._host.stages.detect(exception_or_value, known or _NAMELESS)
        if failure is None:
            return None
        failure.tool, failure.arguments = known, arguments
        failure.tool_name = known.name if known is not None else tool if isinstance(tool, str) else None
        error = self._host.answering.classifier.classify(failure, self._host.stages.classify)
        error.tool_name = error.tool_name or failure.tool_name
        return error

    def recover(
        self, told: str | BaseException, memory: Memory | None = None, format: FeedbackFormat | None = None
    ) -> ToolResult:
        """The feedback for a failure that another runtime reported.

        Args:
            told: its report.
            memory: the conversation's, or None; it remembers only names that no tool has, since other calls are
                unknown.
            format: the conversation's feedback format, or None.
        """
        name = attempted_name(told)
        host = self._host
        state = Invocation(host, ToolCall(None, name or "", None), None, None, format)
        if name is not None and name not in host.toolset:
            error: ToolError = host.answering.not_found(state.call, host.toolset)
            error, note = (error, "") if memory is None else memory.failed(state, error)
            return host.answering.failed(state, error, note)
        if isinstance(told, BaseException):
            state.failure = Failure(told, tool_name=name)
        else:
            state.failure = Failure(value=told, message=told, tool_name=name)
        state.tool = host.toolset.get(name) if name else None
        error = host.answering.classifier.classify(state.failure, state.stages.classify)
        return host.answering.failed(state, error)
