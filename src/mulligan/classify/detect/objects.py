"""Objects that report a failure: a response with its status, a result object, a pair of value and error, an exception."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from mulligan.classify.detect.mappings import message_of
from mulligan.classify.detect.members import detect_members
from mulligan.classify.detect.raised_texts import is_raised_text
from mulligan.classify.detect.reports import coded
from mulligan.classify.detect.sentences import sense
from mulligan.classify.detect.subject import Subject
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a

_FLAGS = ("success", "is_success", "ok", "is_ok", "succeeded", "successful")
_ERRORS = ("error", "exception", "error_message", "errors", "failure", "message", "reason")
_FIELDS = (*_FLAGS, *_ERRORS, "code", "error_code", "status_code", "status", "data", "value", "result")
_FAILURE_STATUSES = frozenset(("error", "fail", "failed", "failure"))
_WRAPPERS = frozenset(("Err", "Failure", "Left"))
_WRAPPED = ("value", "inner_value", "error", "err")
_NAMES_OF_ERRORS = frozenset(("err", "exception", "ko", "nok", "denied", "rejected", "aborted", "timeout"))
_FEWEST_PARTS, _MOST_PARTS = 2, 4
_MOST_FIELDS, _LONGEST_REASON = 40, 300
_BEGINNINGS = ("error", "failed", "unable", "could not", "cannot", "invalid", "no such", "not found")


def detect_response(value: Any, read: Callable[[str], Any]) -> Failure | None:
    """Detects a response of an HTTP client with a status of 400 or above.

    Args:
        value: the response.
        read: reads one of its stored fields.
    """
    if read("headers") is None:
        return None
    statuses = (read("status_code"), read("status"), read("code"))
    status = next((status for status in statuses if type(status) is int and 400 <= status <= 599), None)
    return None if status is None else Failure(value=value, message=f"HTTP status {status}", status=status)


def detect_result_object(value: Any, read: Callable[[str], Any], subject: Subject) -> Failure | None:
    """Detects a result object that says that it failed, and why.

    Args:
        value: the object, such as an instance of a dataclass, or of `Err` of the library `result`.
        read: reads one of its stored fields.
        subject: what the tool was asked for.
    """
    if type(value).__name__ in _WRAPPERS:
        return _detect_error(next((inner for name in _WRAPPED if (inner := read(name)) is not None), None))
    status = read("status")
    is_row = read("id") is not None and not subject.is_writing  # what a store holds about something
    is_failed = type(status) is str and status.lower() in _FAILURE_STATUSES and not (subject.is_record or is_row)
    if not is_failed and not any(read(name) is False for name in _FLAGS):
        return None
    if subject.is_verdict and not any(read(name) for name in _ERRORS[:5]):
        return None
    error = next((member for name in (*_ERRORS, *(("output",) if is_failed else ())) if (member := read(name))), None)
    if error is None:
        return None
    fields = {name: member for name in _FIELDS if (member := read(name)) is not None}
    return Failure(error) if issubclass(type(error), Exception) else Failure(value=fields, message=_text(error))


def detect_own_members(value: Any, read: Callable[[str], Any], subject: Subject) -> Failure | None:
    """Detects a failure in the fields of an object whose class says nothing: a dataclass, a model, a named tuple.

    Args:
        value: the object.
        read: reads one of its stored fields.
        subject: what the tool was asked for.
    """
    stored = None if is_a(value, tuple) else read("__dict__")
    names = stored if type(stored) is dict else getattr(type(value), "_fields", getattr(type(value), "__slots__", ()))
    fields = {name: read(name) for name in islice(names, _MOST_FIELDS) if type(name) is str and name[:1] != "_"}
    return detect_members(fields, subject) if fields else None


def detect_pair(value: tuple[Any, ...] | list[Any], subject: Subject) -> Failure | None:
    """Detects `(None, error)` and `(False, reason)`, where the second says what went wrong.

    Args:
        value: the tuple.
        subject: what the tool was asked for.
    """
    if len(value) < _FEWEST_PARTS or len(value) > _MOST_PARTS or subject.is_message:
        return None
    is_named = type(value[0]) is str and (value[0].lower() in _FAILURE_STATUSES or value[0].lower() in _NAMES_OF_ERRORS)
    if is_named and type(value[1]) is str and not subject.is_record:
        rest = next((as_dict(one) for one in value[2:] if is_a(one, Mapping)), {})
        return Failure(value={**rest, "message": value[1]}, message=value[1])
    reply = _detect_reply(*value) if len(value) == _FEWEST_PARTS else None
    if reply is not None:
        return reply
    if len(value) != _FEWEST_PARTS or not (value[0] is None or (value[0] is False and not subject.is_verdict)):
        return None
    error = value[1]
    if type(error) is not str:
        return _detect_error(error) if error is not None else None
    is_report = (
        error[:40].lower().startswith(_BEGINNINGS)
        or said(error) is not None
        or is_raised_text(error, subject)
        or (len(error) <= _LONGEST_REASON and " " in error and (subject.is_writing or sense(error) is not None))
    )
    return _detect_error(error) if is_report else None


def _detect_reply(status: Any, reply: Any) -> Failure | None:
    """The reply of a server: `(status, body)`, or as of `smtplib` and `imaplib`, `(535, b"...")` and `("NO", [b"..."])`."""
    if status in ("NO", "BAD") and type(reply) is list and reply and is_a(reply[0], bytes):
        from imaplib import IMAP4

        message = bytes(reply[0][:2_000]).decode("utf-8", "replace")
        return Failure(IMAP4.error(message)) if message[:1] == "[" else Failure(value=message, message=message)
    if type(status) is not int or not 400 <= status <= 599:
        return None
    if is_a(reply, bytes):
        from smtplib import SMTPResponseException

        return Failure(SMTPResponseException(status, bytes(reply[:2_000]).decode("utf-8", "replace")))
    return (
        Failure(value=reply, message=message_of(reply), status=status) if is_a(reply, str, Mapping) and reply else None
    )


def _detect_error(error: Any) -> Failure | None:
    if issubclass(type(error), Exception):
        return Failure(error)
    if is_a(error, Mapping):
        return Failure(value=error, message=message_of(error))
    if type(error) is not str or not error:
        return None
    return coded(error) if " " not in error and reason_of(error) is not None else Failure(value=error, message=error)


def _text(error: Any) -> str:
    return error if type(error) is str else message_of(error[0] if type(error) is list else error)
