"""Detects errors in responses that have status 200 or that a tool returns without their status.

Each function returns the `Failure` that a mapping reports, or None. Unknown codes and texts report no failure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from mulligan.classify import meanings
from mulligan.classify.error_values import (
    has_result,
    is_envelope,
    is_record,
    leading_status,
    mappings,
    message_of,
    status_of,
)
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_of
from mulligan.untrusted.classes import as_dict, is_a

_CODES = ("code", "error_code", "errorCode", "error_type", "reason", "status", "type")
_VAGUE = (None, meanings.ARGUMENT, meanings.FAILED)
# fmt: off
_ERROR_FIELDS = frozenset((
    "message", "reason", "code", "field", "help", "type", "error", "detail", "title", "error_code", "errorCode",
))
# fmt: on
_LONGEST_MESSAGE = 160
_STATUS = re.compile(r"(?:([45]\d\d) )?([A-Za-z][\w '-]{2,80})\.?")
_PHRASES = frozenset(status.phrase.lower() for status in HTTPStatus if status >= 400)


def detect_error_code(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a known code with a message, and nothing else: `{"code": "unauthorized", "message": ...}`."""
    message = next(
        (message for name in ("error_message", "message") if type(message := value.get(name)) is str and message), None
    )
    if message is None or not is_envelope(value):
        return None
    code = next((value[name] for name in _CODES if type(value.get(name)) is str), None)
    known = code is not None and reason_of(code) not in _VAGUE
    if known or (code is not None and said(message) is not None):
        return Failure(value=value, message=message)
    status = value.get("error") if type(value.get("error")) is int else None
    return Failure(value=value, message=message, status=status) if status is not None and 400 <= status <= 599 else None


def detect_bare_message(value: Mapping[Any, Any]) -> Failure | None:
    """Detects a mapping with a single field such as `{"detail": "Not authenticated"}` or `{"message": "Forbidden"}`.

    A list of texts under `errors` also counts: `{"errors": ["permission denied"]}`.
    """
    if len(value) != 1:
        return None
    (name, message), *_ = value.items()
    if type(message) is list and name == "errors":
        message = "; ".join(message[:3]) if message and all(type(one) is str for one in message) else None
    if type(message) is not str or len(message) > _LONGEST_MESSAGE:
        return None
    if name == "message":  # any text may be a result, but a bare status with its phrase is an error
        status = _STATUS.fullmatch(message)
        named = status is not None and (status[2] or "").strip().lower() in _PHRASES
        known = named or (status is not None and status[1] is not None and said(status[2]) is not None)
    else:
        known = name in ("detail", "errors") and said(message) not in _VAGUE
    return Failure(value=value, message=message, status=leading_status(message)) if known else None


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
    is_error = message and all(set(one) <= _ERROR_FIELDS for one in errors) and said(message) not in _VAGUE
    return Failure(value=value, message=message, status=status_of(first)) if is_error else None
