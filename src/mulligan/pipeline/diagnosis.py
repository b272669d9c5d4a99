"""What a failure means, without running anything: behind `Pipeline.classify` and `Pipeline.recover`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mulligan.errors import ToolError
from mulligan.feedback import FeedbackFormat
from mulligan.pipeline.attempts import detect_failure
from mulligan.pipeline.conversation import record_failure
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.results import ToolResult
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely

if TYPE_CHECKING:
    from mulligan.classify.failure import Failure
    from mulligan.session.memory import SessionMemory


def _nothing() -> None:
    return None


def _unknown_tool(name: Tool | str | None) -> Tool:
    """A tool with a name that no tool of the pipeline has."""
    usable = name if isinstance(name, str) and name else "tool"
    return call_safely(lambda: Tool(usable, "", _nothing, schema=_ANY)) or Tool("tool", "", _nothing, schema=_ANY)


_ANY: dict[str, Any] = {"type": "object"}


class Diagnosis:
    """Says what failures mean.

    Args:
        runtime: the pipeline's parts.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def classify(
        self, exception_or_value: Any, tool: Tool | str | None, arguments: Mapping[str, Any] | None
    ) -> ToolError | None:
        """The error that an exception or a value means; None if a value reports no failure.

        Args:
            exception_or_value: what a tool raised or returned.
            tool: the tool, or any name.
            arguments: the call's arguments.
        """
        from mulligan.classify.failure import Failure

        known_tool: Tool | None = self._runtime.toolset.get(tool) if isinstance(tool, str) else tool
        failure: Failure | None
        if issubclass(type(exception_or_value), BaseException):  # a foreign object may lie about its class, or raise
            failure = Failure(exception_or_value)
        else:
            failure = detect_failure(
                self._runtime, known_tool or _unknown_tool(tool), exception_or_value, lambda: arguments
            )
        if failure is None:
            return None
        failure.tool, failure.arguments = known_tool, arguments
        failure.tool_name = known_tool.name if known_tool is not None else tool if isinstance(tool, str) else None
        hooks = self._runtime.hooks
        error = self._runtime.classifier.classify(failure, hooks.classify, hooks.provider_of)
        error.tool_name = error.tool_name or failure.tool_name
        return error

    def recover(
        self, report: str | BaseException, memory: SessionMemory | None = None, format: FeedbackFormat | None = None
    ) -> ToolResult:
        """The feedback for a failure that another runtime reported.

        Args:
            report: its report.
            memory: the conversation's, or None; it remembers only names that no tool has, since other calls are
                unknown.
            format: the conversation's feedback format, or None.
        """
        from mulligan.classify.failure import Failure
        from mulligan.classify.missing_tool import missing_tool_name
        from mulligan.pipeline.failures import failure_result, not_found_error

        name = missing_tool_name(report)
        runtime = self._runtime
        invocation = Invocation(runtime, runtime.hooks, None, name or "", None, format=format)
        if name is not None and name not in runtime.toolset:
            error: ToolError = not_found_error(invocation)
            error, note = (error, "") if memory is None else record_failure(invocation, memory, error)
            return failure_result(invocation, error, note)
        if isinstance(report, BaseException):
            invocation.failure = Failure(report, tool_name=name)
        else:
            invocation.failure = Failure(value=report, message=report, tool_name=name)
        invocation.tool = runtime.toolset.get(name) if name else None
        hooks = invocation.hooks
        error = runtime.classifier.classify(invocation.failure, hooks.classify, hooks.provider_of)
        error = runtime.classifier.complete(error, invocation.call, invocation.tool, None, provider=error.provider)
        return failure_result(invocation, error)
