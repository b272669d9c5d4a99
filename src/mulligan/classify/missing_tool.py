"""The name of a tool that a model tried to call and that did not exist, read from what another runtime reported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.objects import call_safely, exception_chain, raised_with, read_field
from mulligan.untrusted.text import safe_str

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
    rf"\baction {_QUOTED} (?:don't|does not|doesn't) exist\b",
    rf"\bno {_TOOL} (?:named|called) {_NAME}{_END}",
    rf"(?<![a-z])(?:NoSuchTool|ToolNotFound|UnknownTool)(?:Error|Exception)?: {_NAME}$",
    r"\binvoking `?([\w.:/-]{1,128}?)\(\)`? failed as no tool\b",
)
_MENTIONED = ("tool", "function", "action")  # each report has one of these words
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
    values = raised_with(exception) if issubclass(type(exception), KeyError) else ()
    if values and type(values[0]) is str:
        return safe_str(values[0], 2_000)
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
    lowered = text.lower()
    if not any(word in lowered for word in _MENTIONED):
        return None
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
