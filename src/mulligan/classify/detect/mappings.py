"""How a mapping is judged: whether it holds a result, a record of something, or only what error reports hold.

If in doubt, a value is a result: a tool may be asked for a log, a table of codes or a page about failures, and a false
alarm costs more than a miss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.text import safe_str

# fmt: off
ENVELOPE = frozenset((
    "error", "errors", "message", "msg", "code", "status", "statusCode", "err", "status_code", "success", "ok",
    "detail", "details", "title", "type", "instance", "path", "timestamp", "request_id", "requestId",
    "trace_id", "traceId", "documentation_url", "help", "hint", "reason", "description", "error_description",
    "error_uri", "error_code", "error_type", "errorCode", "errorType", "errorMessage", "stackTrace", "toolName", "tool_name",
    "tool", "feedback", "suggestion", "suggestions", "retry_after", "retryAfter", "headers", "body", "data",
    "result", "results", "jsonrpc", "object", "meta", "links", "jsonapi", "extensions", "isBase64Encoded",
    "cause", "exception", "url", "method", "messages", "warnings", "param", "field", "moreInfo", "more_info",
    "__type", "Error", "RequestId", "HostId", "numeric_code", "isError", "is_error", "content",
    "correlationId", "correlation_id", "category", "link", "error_message", "display_message", "error_summary",
    "error_tag", "http_code",
    "statusText", "status_text", "text", "statusMessage",
    "info", "trace", "stack", "faultcode", "faultstring", "faultactor",
    "error_extra", "doc_url", "kind", "apiVersion", "metadata", "parameters", "policyName",
))

_RECORDS = frozenset((
    "id", "state", "name", "created_at", "updated_at", "started_at", "finished_at", "completed_at", "ended_at",
    "checked_at", "duration", "count", "total", "rate", "job", "job_id", "task_id", "run_id", "version",
    "author", "number", "level", "logger", "line", "lines", "file", "rule", "rows", "passed", "failed", "score",
    "value", "values", "mean", "std", "items", "output",
))

RESULT_FIELDS = (
    "data", "result", "results", "items", "output", "value", "values", "rows", "records", "response", "answer",
)

MESSAGES = (
    "message", "msg", "Message", "errorMessage", "error_description", "error", "detail", "reason", "title",
    "description", "error_message", "err", "info",
)

_LISTS = ("issues", "errors", "violations", "causes")

# fmt: on
_SUCCESS_STATUSES = frozenset(("ok", "success", "succeeded"))

_FINDINGS = ("errors", "failures", "problems", "issues", "violations", "findings", "diagnostics")

_IDENTIFIER = re.compile(r"[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){0,8}")

_SAID = (str, int, float, bool, list, tuple)

_MOST_EXTRAS = 3

_LEADING_STATUS = re.compile(
    r"\s{0,8}(?:HTTP\S{0,4}\s{1,4})?(?:Error:?\s{1,4})?([45]\d\d)\b(?![ -]\d\.\d{1,3}\.\d)", re.IGNORECASE
)


def has_result(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping also holds a result."""
    return any(name in value and not is_empty(value[name]) and not _is_hollow(value[name]) for name in RESULT_FIELDS)


def _is_hollow(value: Any) -> bool:
    """Whether a mapping has only flags in it, and nothing else."""
    if not is_a(value, Mapping):
        return False
    inner = as_dict(value)
    status = status_of(inner)
    return all(type(member) is bool or is_empty(member) or member == status for member in inner.values())


def is_empty(value: Any) -> bool:
    """Whether a value is None, or an empty text, list or mapping."""
    return value is None or (type(value) in (str, list, dict) and not value)


def message_of(error: Any) -> str:
    """The message of an error; empty if it has none.

    Args:
        error: a text, a mapping or any other value.
    """
    if is_a(error, Mapping):
        error = as_dict(error)
        if set(error) == {"lang", "value"}:  # OData
            return message_of(error["value"])
        for name in MESSAGES:
            message = message_of(error[name]) if is_a(error.get(name), str, Mapping) else ""
            if message:
                return message
        listed = next((listed for name in _LISTS if (listed := mappings(error.get(name)))), [])
        return "; ".join(filter(None, map(message_of, listed[:3])))
    return safe_str(error) if is_a(error, str, int, float) else ""


def status_of(value: Mapping[Any, Any]) -> int | None:
    """The HTTP status of a mapping, given as a number or as three digits, or None."""
    value = as_dict(value)
    for name in ("status_code", "statusCode", "statuscode", "status", "code"):
        status = value.get(name)
        if type(status) is str and re.fullmatch(r"[45]\d\d", status):
            status = int(status)
        if type(status) is int and 400 <= status <= 599:
            return status
    return None


def has_findings(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping lists problems found in the examined object, as linters and test runs do."""
    if value.get("ok") is not False and value.get("success") is not False:
        return False
    listed = [name for name in _FINDINGS if type(value.get(name)) in (list, tuple) and value[name]]
    return bool(listed) and not (listed == ["errors"] and _is_slack_or_cloudflare(value))


def says_success(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping reports success. An error text in such a mapping is a warning or was already handled."""
    flags = [flag for flag in (value.get("ok"), value.get("success")) if type(flag) in (bool, int, float)]
    if False in flags:
        return False
    status = value.get("status")
    return True in flags or (type(status) is str and status.lower() in _SUCCESS_STATUSES)


def _is_slack_or_cloudflare(value: Mapping[Any, Any]) -> bool:
    """Whether `errors` belongs to the envelope of Slack or Cloudflare.

    https://api.slack.com/methods/conversations.invite#errors,
    https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/.
    """
    error = value.get("error")
    if value.get("ok") is False and type(error) is str and _IDENTIFIER.fullmatch(error):
        return True
    if value.get("success") is not False or not {"messages", "result"} & set(value) or not is_envelope(value):
        return False
    return all(type(one.get("code")) is int and type(one.get("message")) is str for one in mappings(value["errors"]))


def is_told(value: Any) -> bool:
    """Whether a value is truthy and of a JSON type."""
    return is_a(value, Mapping) or (type(value) in _SAID and bool(value))


def leading_status(text: str) -> int | None:
    """The HTTP status at the start of a text, or None."""
    found = _LEADING_STATUS.match(text)
    return int(found[1]) if found else None


def is_record(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping describes something that once failed, such as a job, rather than reports a failure."""
    extras = [
        name
        for name, member in value.items()
        if name not in ENVELOPE and not is_empty(member) and not (name == "id" and "jsonrpc" in value)
    ]
    return len(extras) > _MOST_EXTRAS or any(name in _RECORDS for name in extras)


def is_envelope(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping has only fields that are usual in error reports."""
    return not has_result(value) and all(name in ENVELOPE or is_empty(member) for name, member in value.items())


def mappings(listed: Any) -> list[Mapping[Any, Any]]:
    """The items of a list that contains only mappings; otherwise an empty list."""
    whole = type(listed) is list and all(is_a(one, Mapping) for one in listed)
    return [as_dict(one) for one in listed] if whole else []
