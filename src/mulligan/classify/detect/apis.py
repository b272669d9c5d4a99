"""Envelopes of APIs: a flag, an `error` field, an error list, problem details, and a code with a message.

Each function returns the `Failure` that a mapping reports, or None. Unknown codes and texts report no failure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.detect.forms import fields_of, rejected
from mulligan.classify.detect.mappings import (
    MESSAGES,
    RESULT_FIELDS,
    has_result,
    is_empty,
    is_envelope,
    is_record,
    is_told,
    leading_status,
    mappings,
    message_of,
    status_of,
)
from mulligan.classify.detect.member_names import pieces
from mulligan.classify.detect.own_outcomes import reports_own_work
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import clear_sense, sentences
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a

# fmt: off
_ERROR_FIELDS = frozenset((
    *MESSAGES, ".tag", "code", "type", "status", "Code", "errors", "name", "kind",
))

_NOTHING = frozenset((
    "", "none", "null", "no", "false", "0", "ok", "success", "no error", "no errors", "n/a", "nil",
))

_LISTED_FIELDS = frozenset((
    "message", "reason", "code", "field", "help", "type", "error", "detail", "title", "error_code", "errorCode",
))

# fmt: on
_FAILURE_STATUSES = frozenset(("error", "fail", "failed", "failure"))

_CODES = ("code", "error_code", "errorCode", "error_type", "reason", "status", "type")

_OF_EXCEPTION = frozenset(("name", "message", "stack", "cause", "code", "errno", "type", "status", "details"))

_VAGUE = (None, meanings.ARGUMENT, meanings.FAILED)

_LINKS = frozenset(("documentation_url", "doc_url", "docs", "help", "more_info", "moreInfo", "request_id", "requestId"))
_REFUSALS = (meanings.AUTHENTICATION, meanings.PERMISSION, meanings.RATE_LIMIT, meanings.QUOTA)
_BODIES = ("body", "text", "content", "statusText", "status_text", "response")
_RESPONSE = frozenset(  # of a response that is handed on whole; a record of one also says which request it answers
    ("status", "status_code", "statusCode", "code", "headers", "isBase64Encoded", *_BODIES)
)
_LONGEST_MESSAGE = 160
_LATEST, _SCREENS = frozenset(("last", "latest", "previous")), frozenset(("console", "browser", "page", "screen"))
_LEVELS = frozenset(("ERROR", "FATAL"))
_DETAILS = frozenset((word,) for word in ("code", "description", "details", "id", "message", "name", "stack", "type"))
_PLACES = ("data", "result", "results", "response")  # of what was asked for; a sensor has a `value`
_MOST_FAULT = 4  # members of a fault of SOAP

_NO_TEXT = re.compile(r"[\d.,%\s-]+|#[0-9a-fA-F]{3,8}")

_STATUS = re.compile(r"(?:([45]\d\d) )?([A-Za-z][\w '-]{2,80})\.?")

_PHRASES = frozenset(status.phrase.lower() for status in HTTPStatus if status >= 400)


def detect_flag(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a false `ok` or `success` with a reason, `{"error": true}`, and JSend's `{"status": "error"}`."""
    status = status_of(value)
    is_rejected = value.get("success") is False or (type(value.get("ok")) in (bool, int) and not value["ok"])
    if is_rejected and (_has_reason(value) or (status is not None and is_envelope(value))):
        message = message_of(value)
        fields = fields_of(as_dict(value["errors"])) if not message and is_a(value.get("errors"), Mapping) else {}
        return rejected(fields, "") if fields else Failure(value=value, message=message, status=status)
    if value.get("error") is True and not has_result(value) and type(value.get("message")) is str:
        return Failure(value=value, message=message_of(value), status=status)
    failed = type(value.get("status")) is str and value["status"].lower() in _FAILURE_STATUSES
    if failed and is_envelope(value):
        message = message_of({name: member for name, member in value.items() if name != "status"})
        return Failure(value=value, message=message, status=status) if message else None
    return None


def _has_reason(value: Mapping[Any, Any]) -> bool:
    """Whether a rejection has an error, an error code, a code with a message, or `errors`."""
    if _is_error(value.get("error")) or is_told(value.get("error_code")) or is_told(value.get("errorCode")):
        return True
    code = value.get("code")
    has_code = type(code) in (str, int) and code != ""
    return is_told(value.get("errors")) or (has_code and bool(message_of(value)))


def detect_error_field(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"error": ...}` with a text, or with a code and a message, if the mapping holds no result."""
    error = next((value[name] for name in ("error", "Error", "odata.error", "err") if is_told(value.get(name))), None)
    if type(error) is list:
        error = error[0] if mappings(error) and len(error) == 1 else None
    if error is None or has_result(value) or not _is_error(error) or is_record(value):
        return None
    inner = status_of(error) if is_a(error, Mapping) else leading_status(error) if type(error) is str else None
    return Failure(value=value, message=message_of(error), status=inner or status_of(value))


def detect_error_beside_nothing(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects an error beside a result that is empty: `{"query": "a", "results": [], "total": 0, "error": "timed out"}`.

    Args:
        value: what a tool returned.
        subject: what it was asked for; a record may hold an error and no result.
    """
    error = value.get("error")
    if subject.is_record or subject.is_verdict or type(error) is not str or not _is_error(error):
        return None
    results = [one for name, one in value.items() if name in RESULT_FIELDS or str(name).lower() in subject.words]
    has_data = any(is_a(one, Mapping, list) and not is_empty(one) for one in value.values())
    return Failure(value=value, message=error) if any(map(is_empty, results)) and not has_data else None


def only_envelope(value: Mapping[Any, Any], subject: Subject) -> Mapping[Any, Any] | None:
    """The only member of a mapping, if it is an envelope without a result: `{"chart": {"result": null, "error": {...}}}`.

    Or a response that states its failure, as Subsonic's: `{"subsonic-response": {"status": "failed", "error": {...}}}`.

    Args:
        value: a mapping with one member.
        subject: what the tool was asked for; `{"run": {...}}` of `get_last_run` is that run, with its own error.
    """
    ((name, inner),) = value.items()
    is_asked_for = subject.is_record or subject.is_verdict or subject.is_text or bool(subject.words & _LATEST)
    if is_asked_for or type(inner) is not dict:
        return None
    is_response = pieces(str(name))[-1:] in (("response",), ("reply",), ("answer",))
    if is_response and is_a(inner.get("error"), Mapping) and str(inner.get("status")).lower() in _FAILURE_STATUSES:
        return {"error": inner["error"]}
    if not is_envelope(inner):
        return None
    has_no_result = any(place in inner and is_empty(inner[place]) for place in _PLACES)
    return inner if has_no_result and any(is_a(inner.get(name), Mapping) for name in ("error", "meta")) else None


def detect_error_of_run(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects a query or program that failed after it was accepted, as Trino and Databricks report it.

    `{"id": "q1", "stats": {"state": "FAILED"}, "error": {...}}`, or with the error beside the state. A row that a query
    returns has no state in a member of its own.

    Args:
        value: what a tool returned.
        subject: what it was asked for; to others, this is the record of an earlier run.
    """
    state = next((as_dict(value[name]) for name in ("status", "stats") if is_a(value.get(name), Mapping)), {})
    error = value.get("error") or state.get("error")
    if not subject.runs or subject.is_record or subject.is_verdict or has_result(value) or not is_a(error, Mapping):
        return None
    is_failed = str(state.get("state")).lower() in _FAILURE_STATUSES
    return Failure(value=as_dict(error), message=message_of(error)) if is_failed and message_of(error) else None


def detect_message_list(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects `{"messages": [{"type": "FATAL", "text": ...}]}`, as Splunk answers: nothing but messages, all of them errors.

    Args:
        value: what a tool returned.
        subject: what it was asked for; a chat, a log and a console have such messages, too.
    """
    listed = mappings(value.get("messages"))
    asks = subject.runs or subject.is_search or subject.is_writing
    if (
        not listed
        or not asks
        or subject.is_message
        or subject.is_record
        or subject.is_verdict
        or subject.words & _SCREENS
    ):
        return None
    has_more = any(name != "messages" and not is_empty(member) for name, member in value.items())
    if has_more or not all(set(entry) == {"type", "text"} for entry in listed):  # a finding also has a place
        return None
    message = message_of({"message": listed[0]["text"]})
    is_failed = bool(message) and all(str(entry["type"]) in _LEVELS for entry in listed)
    return Failure(value={"message": message}, message=message) if is_failed else None


def _is_error(error: Any) -> bool:
    if type(error) is str:
        return error.strip().lower() not in _NOTHING and not _NO_TEXT.fullmatch(error)
    if not is_a(error, Mapping):
        return False
    members = as_dict(error)
    return any(is_told(members.get(name)) for name in _ERROR_FIELDS)


def detect_problem_details(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"status": 404, "message": ...}`, RFC 9457 problem details, and proxy responses with status and body."""
    status = status_of(value)
    if status is None:
        return _detect_inner_status(value)
    is_titled = status_of({"code": value.get("code")}) == status and not value.keys() - {"code", "title"}
    if is_titled or not is_envelope(value):  # a code next to a title is of anything
        return None
    message = message_of({name: value.get(name) for name in MESSAGES if type(value.get(name)) is str})
    body = next((value[name] for name in _BODIES if is_a(value.get(name), str, Mapping)), None)
    if not message and (body is None or (is_a(body, Mapping) and not value.keys() <= _RESPONSE)):
        return None
    return Failure(value=value, message=message or message_of(body), status=status)


def _detect_inner_status(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"meta": {"status": 401, "msg": "Unauthorized"}, "data": []}`, and `{"data": {"status": 404}, ...}`."""
    inner = next((as_dict(value[name]) for name in ("meta", "data") if is_a(value.get(name), Mapping)), None)
    status = None if inner is None else status_of(inner)
    others = [member for name, member in value.items() if name not in ("meta", "message", "code")]
    is_failed = status is not None or (inner is not None and str(inner.get("status")).lower() in _FAILURE_STATUSES)
    if inner is None or not is_failed or has_result(value) or not all(is_empty(one) or one == inner for one in others):
        return None
    message = message_of(value) or message_of(inner)
    return Failure(value={**inner, **value}, message=message, status=status) if message else None


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


def detect_user_errors(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a GraphQL mutation that returned nothing but `userErrors`."""
    data = value.get("data")
    for answer in tuple(islice(as_dict(data).values(), 8)) if is_a(data, Mapping) else ():
        payload = as_dict(answer) if is_a(answer, Mapping) else {}
        errors = mappings(payload.get("userErrors"))
        if not errors or not all(is_told(one.get("message")) for one in errors):
            continue
        if all(given != "" and is_empty(given) for name, given in payload.items() if name != "userErrors"):
            return Failure(value=payload, message="; ".join(message_of(one) for one in errors[:3]), status=422)
    return None


def detect_lambda_error(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `errorMessage`, usually with `errorType` and `stackTrace`, as cloud functions return it, and `faultstring`."""
    fault = value.get("faultstring")
    if type(fault) is str and len(value) <= _MOST_FAULT:
        return Failure(value={"message": fault}, message=fault)
    message = value.get("errorMessage")
    others = {name: one for name, one in value.items() if not _is_detail(pieces(str(name)))}
    return Failure(value=value, message=message) if type(message) is str and message and is_envelope(others) else None


def _is_detail(words: tuple[str, ...]) -> bool:
    """Whether a member is part of an error by its name: `errorDescription`, `nodeDetails`."""
    return (words[:1] == ("error",) and words[1:] in _DETAILS) or words[-1:] == ("details",)


def detect_error_code(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a known code with a message, and nothing else: `{"code": "unauthorized", "message": ...}`."""
    message = next(
        (message for name in ("error_message", "message") if type(message := value.get(name)) is str and message), None
    )
    if message is None or not is_envelope(value):
        return None
    code = next((value[name] for name in _CODES if type(value.get(name)) is str), None)
    code = None if code is not None and code.lower() in _NOTHING else code
    known_code = code is not None and reason_of(code) not in _VAGUE
    if known_code or (code is not None and said(message) is not None):
        return Failure(value=value, message=message)
    status = value.get("error") if type(value.get("error")) is int else None
    if (
        status and not 100 <= status < 400 and status < 1_000 and not 400 <= status <= 599
    ):  # a number of the service's own
        is_known = said(message) is not None or any(map(clear_sense, sentences(message)))
        return Failure(value=value, message=message) if is_known else None
    return Failure(value=value, message=message, status=status) if status is not None and 400 <= status <= 599 else None


def detect_bare_message(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a mapping with a single field such as `{"detail": "Not authenticated"}` or `{"message": "Forbidden"}`.

    A list of texts under `errors` also counts: `{"errors": ["permission denied"]}`.
    """
    members = {name: member for name, member in value.items() if name not in _LINKS}
    if len(members) != 1:
        return None
    (name, message), *_ = members.items()
    if type(message) is list and name == "errors":
        message = "; ".join(message[:3]) if message and all(type(member) is str for member in message) else None
    if type(message) is not str or len(message) > _LONGEST_MESSAGE:
        return None
    if name == "message":  # any text may be a result, but a bare status with its phrase is an error
        status = _STATUS.fullmatch(message)
        has_phrase = status is not None and (status[2] or "").strip().lower() in _PHRASES
        is_report = has_phrase or (status is not None and status[1] is not None and said(status[2]) is not None)
        is_report = is_report or (len(value) > 1 and said(message) in _REFUSALS)  # next to the documentation of errors
    else:
        is_report = name in ("detail", "errors") and said(message) not in _VAGUE
    return Failure(value=value, message=message, status=leading_status(message)) if is_report else None


def detect_only_message(value: Mapping[Any, Any], subject: Subject) -> Failure | None:
    """Detects `{"message": "Entity not found."}` of a tool that gets or does something.

    Args:
        value: what it returned.
        subject: what it was asked for.
    """
    if len(value) != 1 or subject.is_message or subject.is_text or subject.is_record or subject.is_search:
        return None
    (name, message), *_ = value.items()
    if name not in ("message", "msg", "detail") or type(message) is not str or len(message) > _LONGEST_MESSAGE:
        return None
    if subject.is_verdict or reports_own_work(message, subject):
        return None
    if not (subject.is_reading or subject.is_writing):
        is_refusal = said(message) in _REFUSALS
        return Failure(value=value, message=message, status=leading_status(message)) if is_refusal else None
    is_known = said(message) not in _VAGUE or next((clear_sense(one) for one in sentences(message)), None) is not None
    return Failure(value=value, message=message, status=leading_status(message)) if is_known else None


def detect_nested_error(value: Mapping[Any, Any]) -> Failure | None:
    """Detects `{"status": {"error": ...}}`, and a list of errors that each have a message and a code or field."""
    status = value.get("status")
    inner = as_dict(status).get("error") if is_a(status, Mapping) and not has_result(value) else None
    if type(inner) is str and inner and not is_record(value):
        return Failure(value=value, message=inner)
    errors = mappings(value.get("errors"))
    if not errors or not is_envelope(value):
        return None
    first, message = errors[0], message_of(errors[0])
    is_error = message and all(set(one) <= _LISTED_FIELDS for one in errors) and said(message) not in _VAGUE
    return Failure(value=value, message=message, status=status_of(first)) if is_error else None


def detect_told_reason(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a known reason where the result is missing: a null result, a code other than 0, or `success` that is false.

    `{"result": null, "reason": "credits exhausted"}`, `{"code": -1, "msg": "system busy"}`.
    """
    message = message_of({name: member for name, member in value.items() if type(member) is str})
    if not message or not is_envelope(value) or said(message) in _VAGUE:
        return None
    is_missing = any(
        name in value and value[name] is None for name in ("data", "result", "results", "output", "response")
    )
    code = value.get("code", value.get("status"))
    is_failed = type(code) is int and code != 0 and not 100 <= code < 400
    is_rejected = value.get("success") is False or value.get("ok") is False
    return Failure(value=value, message=message) if is_missing or is_failed or is_rejected else None


def detect_raised(value: Mapping[Any, Any]) -> Failure | None:
    """Detects an exception that was written as a mapping: its class, its message and a traceback, or Node's `errno`."""
    code, message = value.get("code"), value.get("message")
    if type(code) is str and "errno" in value and "syscall" in value:
        path = {"path": value["path"]} if type(value.get("path")) is str else {}
        return coded(code, message if type(message) is str else f"{code}: {value['syscall']}", **path)
    if type(message) is str and type(value.get("name")) is str and value["name"].endswith(("Error", "Exception")):
        return Failure(value=value, message=message) if set(value) <= _OF_EXCEPTION else None
    raised = value.get("exception")
    if (
        type(raised) is str
        and raised.endswith(("Error", "Exception"))
        and set(value) <= {"exception", "message", "args"}
    ):
        if type(message) is not str:
            return None
        return Failure(value={"type": raised, "message": message}, message=message)
    name, trace = value.get("exception") or value.get("exc_type") or value.get("error_type"), value.get("traceback")
    if type(name) is not str or not trace or not is_a(trace, str, list):
        return None
    message = message_of({one: member for one, member in value.items() if one in MESSAGES and one != "error_type"})
    return Failure(value={"type": name, "message": message or name}, message=message or name)
