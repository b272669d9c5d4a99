"""What a failure means, without running anything: behind `Pipeline.classify` and `Pipeline.recover`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.classify import meanings
from mulligan.classify.failure import Failure
from mulligan.classify.reasons import reason_of
from mulligan.errors import ToolError
from mulligan.feedback import FeedbackFormat
from mulligan.pipeline.conversation import record_failure
from mulligan.pipeline.invocation import Invocation, Runtime
from mulligan.results import ToolResult
from mulligan.tools import Tool
from mulligan.untrusted.objects import call_safely, exception_chain, raised_with, read_field
from mulligan.untrusted.text import safe_str

if TYPE_CHECKING:
    from mulligan.session.memory import SessionMemory

_PLAIN = r"(?!(?:is|was|were|name|call|named|called|that|which|with|and|or|not|the)\b)([\w.:/-]{1,128})"
_QUOTED = r"[`'\"]([^`'\"\n]{1,128})[`'\"]"
_NAME = rf"[\[(]?(?:{_QUOTED}|{_PLAIN})"
_IDENTIFIER = r"((?=[a-z]*[^a-z\s])[\w.:/-]{1,128})"  # no word of prose: `The tool shed is unavailable today`
_END = r"(?=[.,;:<)}\]\"\s]|$)"
_TOOL = r"(?:tool|function)"
_NOT_FOUND = (
    r"(?:is |was |has )?"
    r"(?:not (?:been )?(?:found|available|registered|defined|known)|does not exist|unknown|unavailable)"
)
_REPORTS = (
    rf"\b(?:unknown|unavailable) {_TOOL}(?: name| call)?:? {_NAME}{_END}",
    rf"\b(?:the|a|an|this|your|that) {_TOOL} (?:{_QUOTED}|{_IDENTIFIER}) {_NOT_FOUND}\b",
    rf"(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bthis )(?<!\byour )(?<!\bthat )\b{_TOOL} {_NAME} {_NOT_FOUND}\b",
    rf"(?:^|: ){_NAME} is not a valid tool\b",
    rf"\b(?:invalid|no such) {_TOOL}(?: name| call| available)?:? {_NAME}{_END}",
    rf"\bno {_TOOL} (?:named|called) {_NAME}{_END}",
    rf"(?<![a-z])(?:NoSuchTool|ToolNotFound|UnknownTool)(?:Error|Exception)?: {_NAME}$",
    r"\binvoking `?([\w.:/-]{1,128}?)\(\)`? failed as no tool\b",
)
_FIELDS = ("toolName", "tool_name", "tool", "name")
_CODES = ("code", "type", "error", "errorType", "error_type", "reason", "name")
_MOST_PARTS = 40


def missing_tool_name(text_or_exception: str | BaseException) -> str | None:
    """The name of the tool that a model tried to call and that did not exist, or None.

    Args:
        text_or_exception: the other runtime's report.
    """
    if isinstance(text_or_exception, BaseException):
        found = (
            _name_from_exception(exception) or _name_from_text(_exception_text(exception))
            for exception in exception_chain(text_or_exception)
        )
        return next(filter(None, found), None)
    return _name_from_text(safe_str(text_or_exception, 2_000))


def _exception_text(exception: BaseException) -> str:
    """What an exception says; a KeyError's own text is a quotation of that."""
    told = raised_with(exception) if issubclass(type(exception), KeyError) else ()
    if told and type(told[0]) is str:
        return safe_str(told[0], 2_000)
    return safe_str(exception, 2_000)


def _name_from_exception(exception: BaseException) -> str | None:
    """The field of an exception whose class says that there is no such tool, such as the AI SDK's `toolName`."""
    if reason_of(type(exception).__name__) is not meanings.NO_TOOL:
        return None
    name = read_field(exception, *_FIELDS[:2])
    return name if type(name) is str and name else None


def _name_from_text(text: str) -> str | None:
    if text.lstrip()[:1] == "{":
        body = call_safely(lambda: json.loads(text))
        if isinstance(body, Mapping):
            return next(filter(None, map(_name_from_json, _json_objects(body))), None)
    for report in _REPORTS:
        found = re.search(report, text, re.IGNORECASE)
        if found:
            name = next(filter(None, found.groups()), "").strip().rstrip(".:/-")
            if name:
                return name
    return None


def _json_objects(body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    queue: list[Any] = [body]
    for part in queue:
        if isinstance(part, Mapping) and len(queue) <= _MOST_PARTS:
            yield part
            queue += list(part.values())[:_MOST_PARTS]


def _name_from_json(part: Mapping[str, Any]) -> str | None:
    """The name in one object of a JSON report: beside a code that says so, or in one of its texts."""
    texts = [value for value in part.values() if isinstance(value, str)]
    if any(isinstance(part.get(code), str) and reason_of(part[code]) is meanings.NO_TOOL for code in _CODES):
        named = next((part[name] for name in _FIELDS[:3] if isinstance(part.get(name), str) and part[name]), None)
        if named is not None:
            return str(named)
    return next(filter(None, map(_name_from_text, texts)), None)


def _nothing() -> None:
    return None


_UNKNOWN_TOOL = Tool("tool", "", _nothing, schema={"type": "object"})


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
        known: Tool | None = self._runtime.toolset.get(tool) if isinstance(tool, str) else tool
        failure: Failure | None
        if issubclass(type(exception_or_value), BaseException):  # a foreign object may lie about its class, or raise
            failure = Failure(exception_or_value)
        else:
            failure = self._runtime.hooks.detect(exception_or_value, known or _UNKNOWN_TOOL)
        if failure is None:
            return None
        failure.tool, failure.arguments = known, arguments
        failure.tool_name = known.name if known is not None else tool if isinstance(tool, str) else None
        error = self._runtime.classifier.classify(failure, self._runtime.hooks.classify)
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
        from mulligan.pipeline.failures import failure_result, not_found_error

        name = missing_tool_name(report)
        runtime = self._runtime
        invocation = Invocation(runtime, runtime.hooks, ToolCall(None, name or "", None), format=format)
        if name is not None and name not in runtime.toolset:
            error: ToolError = not_found_error(runtime, invocation.call)
            error, note = (error, "") if memory is None else record_failure(invocation, memory, error)
            return failure_result(invocation, error, note)
        if isinstance(report, BaseException):
            invocation.failure = Failure(report, tool_name=name)
        else:
            invocation.failure = Failure(value=report, message=report, tool_name=name)
        invocation.tool = runtime.toolset.get(name) if name else None
        error = runtime.classifier.classify(invocation.failure, invocation.hooks.classify)
        return failure_result(invocation, error)
