"""Detect: a returned value that reports a failure. When in doubt it is a result: a false alarm costs more than a miss."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import Failure, Tool, hookimpl, safe_str

_RESULTS = frozenset({str, int, float, bool, bytes, type(None), list, tuple, set})
_CARRIERS = ("data", "result", "results", "items", "output", "value", "values", "rows", "records")
_STATUS = re.compile(r"\s{0,8}(?:HTTP\S{0,4}\s{1,4})?(?:Error\s{1,4})?([45]\d\d)\b", re.IGNORECASE)


@hookimpl(trylast=True)
def detect(value: Any, tool: Tool) -> Failure | None:
    """The failure that a mapping, an MCP result or an HTTP answer reports, or None."""
    if type(value) in _RESULTS:
        return None
    if isinstance(value, Mapping):
        return _mapping(value)
    if _flag(value, "isError") or _flag(value, "is_error"):
        return Failure(value=value, message=_blocks(getattr(value, "content", None)))
    status = _http_answer(value)
    if status is not None:
        return Failure(value=value, message=f"HTTP status {status}", status=status)
    return None


def _mapping(value: Mapping[Any, Any]) -> Failure | None:
    if value.get("isError") is True or value.get("is_error") is True:
        return Failure(value=value, message=_blocks(value.get("content")))
    status = _status(value)
    error = value.get("error")
    if error and isinstance(error, (str, Mapping)) and not _carries(value):
        told = _text(error)
        inner = _status(error) if isinstance(error, Mapping) else _leading_status(error)
        return Failure(value=value, message=told, status=inner or status)
    if value.get("ok") is False or value.get("success") is False or (error is True and not _carries(value)):
        return Failure(value=value, message=_text(value), status=status)
    if _graphql(value):
        return Failure(value=value, message="; ".join(_text(one) for one in value["errors"][:3]))
    return None


def _carries(value: Mapping[Any, Any]) -> bool:
    """Whether the mapping holds a result too."""
    return any(value.get(name) not in (None, "", [], {}) for name in _CARRIERS)


def _graphql(value: Mapping[Any, Any]) -> bool:
    """A GraphQL answer without data: https://spec.graphql.org/October2021/#sec-Response-Format"""
    errors = value.get("errors")
    if not isinstance(errors, list) or not errors or value.get("data") is not None:
        return False
    shaped = all(isinstance(one, Mapping) and isinstance(one.get("message"), str) for one in errors)
    return shaped and ("data" in value or any({"locations", "path", "extensions", "type"} & set(one) for one in errors))


def _flag(value: object, name: str) -> bool:
    return getattr(value, name, None) is True


def _http_answer(value: object) -> int | None:
    """The status of an HTTP client's answer object of 400 and above."""
    if not hasattr(value, "headers"):
        return None
    for name in ("status_code", "status"):
        status = getattr(value, name, None)
        if isinstance(status, int) and not isinstance(status, bool) and 400 <= status <= 599:
            return status
    return None


def _status(value: Mapping[Any, Any]) -> int | None:
    for name in ("status_code", "statusCode", "status", "code"):
        status = value.get(name)
        if isinstance(status, int) and not isinstance(status, bool) and 400 <= status <= 599:
            return status
    return None


def _leading_status(text: str) -> int | None:
    found = _STATUS.match(text)
    return int(found[1]) if found else None


def _text(error: Any) -> str:
    """What an error says of itself."""
    if isinstance(error, str):
        return safe_str(error)
    if isinstance(error, Mapping):
        for name in ("message", "error_description", "error", "detail", "reason", "title", "description"):
            if isinstance(error.get(name), str) and error[name]:
                return safe_str(error[name])
    return ""


def _blocks(content: Any) -> str:
    """The text of MCP content blocks."""
    if isinstance(content, str):
        return safe_str(content)
    texts = []
    for block in content if isinstance(content, (list, tuple)) else ():
        text = block.get("text") if isinstance(block, Mapping) else getattr(block, "text", None)
        if isinstance(text, str):
            texts.append(safe_str(text))
    return "\n".join(texts)[:2_000]
