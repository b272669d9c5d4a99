"""Formats in which a returned value reports a failure, and values that only resemble them.

Each function returns the `Failure` that a value reports, or None. If in doubt, a value is a result: a tool may be asked
for a log, a table of codes or a page about failures, and a false alarm costs more than a miss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a
from mulligan.untrusted.text import safe_str

# fmt: off
ENVELOPE = frozenset((
    "error", "errors", "message", "msg", "code", "status", "statusCode", "status_code", "success", "ok",
    "detail", "details", "title", "type", "instance", "path", "timestamp", "request_id", "requestId",
    "trace_id", "traceId", "documentation_url", "help", "hint", "reason", "description", "error_description",
    "error_uri", "error_code", "error_type", "errorCode", "errorType", "errorMessage", "stackTrace", "toolName", "tool_name",
    "tool", "feedback", "suggestion", "suggestions", "retry_after", "retryAfter", "headers", "body", "data",
    "result", "results", "jsonrpc", "object", "meta", "links", "jsonapi", "extensions", "isBase64Encoded",
    "cause", "exception", "url", "method", "messages", "warnings", "param", "field", "moreInfo", "more_info",
    "__type", "Error", "RequestId", "HostId", "numeric_code", "isError", "is_error", "content",
    "correlationId", "correlation_id", "category", "link", "error_message", "display_message", "error_summary",
    "error_tag", "http_code", "error_extra", "doc_url", "kind", "apiVersion", "metadata", "parameters", "policyName",
))
_RECORDS = frozenset((
    "id", "state", "name", "created_at", "updated_at", "started_at", "finished_at", "completed_at", "ended_at",
    "checked_at", "duration", "count", "total", "rate", "job", "job_id", "task_id", "run_id", "version",
    "author", "number", "level", "logger", "line", "lines", "file", "rule", "rows", "passed", "failed", "score",
    "value", "values", "mean", "std", "items", "output",
))
_RESULT_FIELDS = (
    "data", "result", "results", "items", "output", "value", "values", "rows", "records", "response", "answer",
)
_WORDS = (
    "message", "msg", "Message", "errorMessage", "error_description", "error", "detail", "reason", "title",
    "description", "error_message",
)
_ERROR_FIELDS = frozenset((
    *_WORDS, ".tag", "code", "type", "status", "Code", "errors", "name", "kind",
))
_NOTHING = frozenset((
    "", "none", "null", "no", "false", "0", "ok", "success", "no error", "no errors", "n/a", "nil",
))
# fmt: on
_SUCCESS_STATUSES = frozenset(("ok", "success", "succeeded"))
_FAILURE_STATUSES = frozenset(("error", "fail", "failed", "failure"))
_FINDINGS = ("errors", "failures", "problems", "issues", "violations", "findings", "diagnostics")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){0,8}")
_SAID = (str, int, float, bool, list, tuple)
_MOST_EXTRAS = 3
_LONGEST_REPORT = 600
_MOST_LINES = 3
_LEADING_STATUS = re.compile(r"\s{0,8}(?:HTTP\S{0,4}\s{1,4})?(?:Error:?\s{1,4})?([45]\d\d)\b", re.IGNORECASE)
_PROTOCOL = re.compile(r"(?:Error (?:executing|calling|running|invoking) (?:tool|function)\b|MCP error -32\d{3}\b)")
_REPORT = re.compile(
    r"(?:(?:Error|ERROR|Fatal error|fatal|Exception)(?: [a-z][^:\n]{0,80}| \(?[45]\d\d\)?)?"
    r"|HTTP(?: Error)? [45]\d\d|([A-Z]\w{1,60}(?:Error|Exception))|(?:Failed|Unable) to [^:\n]{1,80}): ?(\S[^\n]*)"
)
_DOCUMENTATION = re.compile(r"(?:If|Raised|When|Occurs|This|The exception|is|Thrown)\b")


def has_result(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping also holds a result."""
    return any(name in value and not _is_empty(value[name]) for name in _RESULT_FIELDS)


def _is_empty(value: Any) -> bool:
    return value is None or (type(value) in (str, list, dict) and not value)


def message_of(error: Any) -> str:
    """The message of an error; empty if it has none.

    Args:
        error: a text, a mapping or any other value.
    """
    if is_a(error, Mapping):
        error = as_dict(error)
        for name in _WORDS:
            told = message_of(error[name]) if is_a(error.get(name), str, Mapping) else ""
            if told:
                return told
        return ""
    return safe_str(error) if is_a(error, str, int, float) else ""


def status_of(value: Mapping[Any, Any]) -> int | None:
    """The HTTP status of a mapping, given as a number or as three digits, or None."""
    value = as_dict(value)
    for name in ("status_code", "statusCode", "status", "code"):
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


def detect_flag(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a false `ok` or `success` with a reason, `{"error": true}`, and JSend's `{"status": "error"}`."""
    status = status_of(value)
    if (value.get("ok") is False or value.get("success") is False) and _has_reason(value):
        return Failure(value=value, message=message_of(value), status=status)
    if value.get("error") is True and not has_result(value) and type(value.get("message")) is str:
        return Failure(value=value, message=message_of(value), status=status)
    failed = type(value.get("status")) is str and value["status"].lower() in _FAILURE_STATUSES
    if failed and type(value.get("message")) is str and value["message"] and is_envelope(value):
        return Failure(value=value, message=value["message"], status=status)
    return None


def _has_reason(value: Mapping[Any, Any]) -> bool:
    """Whether a rejection has an error, an error code, a code with a message, or `errors`."""
    if _is_error(value.get("error")) or _is_told(value.get("error_code")) or _is_told(value.get("errorCode")):
        return True
    code = value.get("code")
    has_code = type(code) in (str, int) and code != ""
    return _is_told(value.get("errors")) or (has_code and bool(message_of(value)))


def _is_told(value: Any) -> bool:
    """Whether a value is truthy and of a JSON type."""
    return is_a(value, Mapping) or (type(value) in _SAID and bool(value))


def detect_error_field(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"error": ...}` with a text, or with a code and a message, if the mapping holds no result."""
    error = next((value[name] for name in ("error", "Error") if _is_told(value.get(name))), None)
    if type(error) is list:
        error = error[0] if mappings(error) and len(error) == 1 else None
    if error is None or has_result(value) or not _is_error(error) or is_record(value):
        return None
    inner = status_of(error) if is_a(error, Mapping) else leading_status(error) if type(error) is str else None
    return Failure(value=value, message=message_of(error), status=inner or status_of(value))


def _is_error(error: Any) -> bool:
    if type(error) is str:
        return error.strip().lower() not in _NOTHING and not re.fullmatch(r"[\d.,%\s-]+", error)
    if not is_a(error, Mapping):
        return False
    told = as_dict(error)
    return any(_is_told(told.get(name)) for name in _ERROR_FIELDS)


def leading_status(text: str) -> int | None:
    """The HTTP status at the start of a text, or None."""
    found = _LEADING_STATUS.match(text)
    return int(found[1]) if found else None


def is_record(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping describes something that once failed, such as a job, rather than reports a failure."""
    extras = [name for name in value if name not in ENVELOPE and not (name == "id" and "jsonrpc" in value)]
    return len(extras) > _MOST_EXTRAS or any(name in _RECORDS for name in extras)


def is_envelope(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping has only fields that are usual in error reports."""
    return not has_result(value) and all(name in ENVELOPE for name in value)


def detect_problem_details(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"status": 404, "message": ...}`, RFC 9457 problem details, and proxy responses with status and body."""
    status = status_of(value)
    if status is None or not is_envelope(value):
        return None
    told = message_of({name: value.get(name) for name in _WORDS if type(value.get(name)) is str})
    if not told:
        told = value["body"] if type(value.get("body")) is str and "headers" in value else ""
    return Failure(value=value, message=told, status=status) if told else None


def detect_error_list(value: Mapping[Any, Any]) -> Failure | None:
    """Detects error arrays: GraphQL's `errors` without data, JSON:API's `errors`, and FastAPI's `detail`.

    https://spec.graphql.org/October2021/#sec-Response-Format, https://jsonapi.org/format/#error-objects.
    """
    errors, detail = mappings(value.get("errors")), mappings(value.get("detail"))
    if errors and value.get("data") is None and "valid" not in value:
        first, message = errors[0], "; ".join(message_of(one) for one in errors[:3])
        if type(first.get("message")) is str and ("data" in value or {"locations", "path", "extensions"} & set(first)):
            return Failure(value=value, message=message)
        if is_envelope(value) and {"title", "detail"} & set(first) and {"status", "source", "code"} & set(first):
            return Failure(value=value, message=message, status=status_of(first))
    if detail and len(value) == 1 and {"loc", "msg", "type"} <= set(detail[0]):
        return Failure(value=value, message="; ".join(message_of(one) for one in detail[:3]), status=422)
    return None


def mappings(listed: Any) -> list[Mapping[Any, Any]]:
    """The items of a list that contains only mappings; otherwise an empty list."""
    whole = type(listed) is list and all(is_a(one, Mapping) for one in listed)
    return [as_dict(one) for one in listed] if whole else []


def detect_user_errors(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a GraphQL mutation that returned nothing but `userErrors`."""
    data = value.get("data")
    for answer in tuple(islice(as_dict(data).values(), 8)) if is_a(data, Mapping) else ():
        payload = as_dict(answer) if is_a(answer, Mapping) else {}
        errors = mappings(payload.get("userErrors"))
        if not errors or not all(_is_told(one.get("message")) for one in errors):
            continue
        if all(given != "" and _is_empty(given) for name, given in payload.items() if name != "userErrors"):
            return Failure(value=payload, message="; ".join(message_of(one) for one in errors[:3]), status=422)
    return None


def detect_lambda_error(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `errorMessage`, usually with `errorType` and `stackTrace`, as cloud functions return it."""
    told = value.get("errorMessage")
    return Failure(value=value, message=told) if type(told) is str and told and is_envelope(value) else None


def detect_failed_program(code: Any, stdout: Any, stderr: Any, value: Any) -> Failure | None:
    """Detects a program that failed and wrote to standard error but not to standard output.

    Args:
        code: its exit status.
        stdout: its standard output.
        stderr: its standard error.
        value: the tool's return value.
    """
    if type(code) is not int or code == 0 or type(stderr) not in (str, bytes):
        return None
    if not _is_empty(stdout) and (type(stdout) not in (str, bytes) or stdout.strip()):
        return None
    text = stderr.decode("utf-8", "replace") if type(stderr) is bytes else stderr
    return Failure(value=value, message=text[-2_000:]) if text.strip() else None


def detect_error_text(text: str) -> Failure | None:
    """Detects a short text that starts like an error report and contains a known error.

    Args:
        text: the tool's return value.
    """
    message = text.strip()
    if not message or len(message) > _LONGEST_REPORT or message.count("\n") >= _MOST_LINES:
        return None
    if _PROTOCOL.match(message):
        return Failure(value=text, message=message)
    match = _REPORT.match(message)
    if match is None or _DOCUMENTATION.match(match[2]):
        return None
    meaning = reason_of(match[1]) if match[1] else None
    if meaning in (meanings.ARGUMENT, meanings.FAILED):
        meaning = None
    status = leading_status(message)
    known = status is not None or meaning is not None or said(match[2]) is not None
    return Failure(value=text, message=message, status=status) if known else None
