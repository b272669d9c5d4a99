"""Detects returned values that report a failure. If in doubt, a value is a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from mulligan.classify import error_responses, error_values
from mulligan.classify.failure import Failure
from mulligan.errors import ToolError
from mulligan.hookimpl import hookimpl
from mulligan.tools import Tool
from mulligan.untrusted.classes import as_dict
from mulligan.untrusted.text import safe_str

_MOST_BLOCKS = 100
_RESULTS = frozenset({int, float, bool, bytes, type(None), list, tuple, set})
_MAPPING_DETECTORS: tuple[Callable[[Mapping[Any, Any]], Failure | None], ...] = (
    error_values.detect_flag,
    error_values.detect_error_list,
    error_values.detect_error_field,
    error_values.detect_problem_details,
    error_values.detect_user_errors,
    error_values.detect_lambda_error,
    error_responses.detect_nested_error,
    error_responses.detect_error_code,
    error_responses.detect_bare_message,
)
_BEGINNINGS = "EFHMUefABCDGIJKLNOPQRSTVWXYZ"


@hookimpl(trylast=True)
def detect(value: Any, tool: Tool) -> Failure | None:
    """The failure that a text, a mapping, an MCP result or an HTTP response reports, or None."""
    try:
        return _find_failure(value)
    except Exception:  # a value that cannot be read reports no failure
        return None


def _find_failure(value: Any) -> Failure | None:
    kind = type(value)
    if kind is str:
        return _mark_as_data(error_values.detect_error_text(value)) if value[:1] in _BEGINNINGS and value[:1] else None
    if kind in _RESULTS:
        return None
    if issubclass(kind, Mapping):
        return _find_failure_in_mapping(as_dict(value))
    if issubclass(kind, Exception):
        return _mark_as_data(Failure(value))
    stored = Failure(value=value).field
    if stored("isError") is True or stored("is_error") is True:
        return Failure(value=value, message=_block_text(stored("content")))
    status = _http_error_status(stored)
    if status is not None:
        return Failure(value=value, message=f"HTTP status {status}", status=status)
    return _mark_as_data(
        error_values.detect_failed_program(stored("returncode"), stored("stdout"), stored("stderr"), value)
    )


def _find_failure_in_mapping(value: Mapping[Any, Any]) -> Failure | None:
    if value.get("isError") is True or value.get("is_error") is True:
        return Failure(value=value, message=_block_text(value.get("content")))
    if error_values.has_findings(value) or error_values.says_success(value):
        return None
    for shape in _MAPPING_DETECTORS:
        failure = shape(value)
        if failure is not None:
            return _mark_as_data(failure)
    code = next((value[name] for name in ("returncode", "exit_code", "exitCode") if name in value), None)
    return _mark_as_data(error_values.detect_failed_program(code, value.get("stdout"), value.get("stderr"), value))


def _mark_as_data(failure: Failure | None) -> Failure | None:
    """Marks a failure that is not in a transport's envelope: it may be a record about a failure of something else."""
    if failure is not None and not issubclass(type(failure.exception), ToolError):
        failure.is_data = True
    return failure


def _http_error_status(stored: Callable[[str], Any]) -> int | None:
    """The status of an HTTP client's response object, if it is 400 or above."""
    statuses = (stored("status_code"), stored("status")) if stored("headers") is not None else ()
    return next((status for status in statuses if type(status) is int and 400 <= status <= 599), None)


def _block_text(content: Any) -> str:
    """The text of MCP content blocks, at most 2,000 characters."""
    if type(content) is str:
        return safe_str(content)
    texts = []
    for block in islice(content, _MOST_BLOCKS) if type(content) in (list, tuple) else ():
        text = Failure(value=block).field("text")
        if type(text) is str:
            texts.append(safe_str(text))
    return "\n".join(texts)[:2_000]
