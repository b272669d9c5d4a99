"""Meanings of HTTP status codes: RFC 9110 section 15, RFC 6585, RFC 4918 and the conventions of providers.

The status decides, unless providers use it for several things. In that case the reason in the body decides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Unpack

from mulligan.classify import meanings as m
from mulligan.classify.call_arguments import shows_sent_value
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import meaning_of_codes
from mulligan.classify.status_sayings import is_of_a_thing, is_rate, said_beside
from mulligan.errors import Effect, ErrorFields, ToolError, ToolTimeoutError
from mulligan.lazy import lazy_pattern

_MEANINGS: Mapping[int, m.Meaning] = {
    401: m.AUTHENTICATION,
    402: m.QUOTA,
    403: m.PERMISSION,
    404: m.NOT_FOUND,
    407: m.AUTHENTICATION,
    408: m.TIMEOUT,
    409: m.CONFLICT._replace(code="ABORTED"),
    410: m.NOT_FOUND,
    412: m.CONFLICT,
    413: m.TOO_LARGE,
    414: m.TOO_LARGE,
    421: m.UNAVAILABLE,
    423: m.CONFLICT._replace(code="ABORTED"),
    425: m.UNAVAILABLE,
    428: m.CONFLICT,
    429: m.RATE_LIMIT,
    431: m.TOO_LARGE,
    440: m.AUTHENTICATION,
    451: m.PERMISSION,
    499: m.CANCELLED,
    501: m.UNIMPLEMENTED,
    504: m.TIMEOUT,
    505: m.UNIMPLEMENTED,
    507: m.QUOTA,
    511: m.AUTHENTICATION,
    522: m.NOT_SENT,
    524: m.TIMEOUT,
    525: m.TLS,
    526: m.TLS,
    598: m.TIMEOUT,
    599: m.TIMEOUT,
}
_REFUSALS = (m.RATE_LIMIT, m.QUOTA, m.AUTHENTICATION)
_STATES = (m.EXISTS, m.CONFLICT, m.ABORTED, m.BUSY)
_CODE_OVERRIDES: Mapping[int, tuple[m.Meaning, ...]] = {
    400: (*_REFUSALS, m.PERMISSION, m.NOT_FOUND, *_STATES, m.TIMEOUT, m.UNAVAILABLE, m.TOO_LARGE, m.OUT_OF_RANGE),
    403: (*_REFUSALS, *_STATES, m.TOO_LARGE),
    409: (m.QUOTA, m.RATE_LIMIT, *_STATES),
    412: (m.RATE_LIMIT, *_STATES),
    413: (m.RATE_LIMIT, m.QUOTA),
    422: (*_REFUSALS, *_STATES, m.NOT_FOUND, m.PERMISSION),
    429: (m.QUOTA, m.UNAVAILABLE, m.BUSY),
    500: (m.RATE_LIMIT, m.QUOTA, m.DISK_FULL, m.TIMEOUT, m.NOT_SENT),
    502: (m.TIMEOUT,),
    503: (m.RATE_LIMIT, m.QUOTA, m.DISK_FULL, m.TIMEOUT),
}
_TEXT_OVERRIDES: Mapping[int, tuple[m.Meaning, ...]] = {
    400: (*_REFUSALS, m.NOT_FOUND, m.EXISTS),
    401: (m.QUOTA,),
    403: (*_REFUSALS, m.TOO_LARGE),
    409: (m.EXISTS, m.QUOTA),
    413: (m.QUOTA,),
    422: (m.RATE_LIMIT, m.QUOTA, m.EXISTS),
    429: (m.QUOTA, m.BUSY),
    500: (m.DISK_FULL, m.QUOTA),
    503: (m.DISK_FULL,),
}
_ABOUT_THE_CALL = (m.NOT_FOUND, m.EXISTS)
_VALIDATION_STATUSES = (400, 422)
_CREDENTIAL = lazy_pattern(
    r"key|token|secret|passw|auth|credential|session|login|signature|scope|permission", re.IGNORECASE
)
_HARMLESS = frozenset((501, 505, 507, 511, 522, 525, 526))


def status_error(
    failure: Failure,
    status: int | None = None,
    *,
    message: str | None = None,
    service: str | None = None,
    **fields: Unpack[ErrorFields],
) -> ToolError:
    """Classifies a failure by its HTTP status, as the built-in rule does.

    The headers and the body can override the status. A 403 that mentions a rate limit is a rate limit, and a 429 that
    mentions a quota or credit is an exhausted quota. The body of a 400 or 422 can report an expired token, a missing
    resource or one that already exists, a state that does not allow the request, or a number that is used up.

    Args:
        failure: the failure to classify.
        status: the HTTP status; by default, the one that the failure carries.
        message: replaces the default message of the status.
        service: the name of the service, which the message then uses; by default, that of the failure's provider.
        fields: attributes of the error; they override those read from the failure.

    Returns:
        The error; a `ToolExecutionError` if there is no status.
    """
    status = status or failure.status
    if status is None:
        return m.error_of(failure, m.FAILED, message=message, service=service, **fields)
    meaning = meaning_of(status, failure)
    attributes: ErrorFields = {"http_status": status, "effect": _effect(status, meaning, failure)}
    attributes.update(fields)
    return m.error_of(failure, meaning, message=message, service=service, **attributes)


def is_refusal(status: int | None) -> bool:
    """Whether a service that answers with this status has rejected the request instead of carrying it out.

    Args:
        status: the HTTP status, or None.
    """
    return status is not None and 400 <= status < 500 and _MEANINGS.get(status) is not m.TIMEOUT


def meaning_of(status: int, failure: Failure) -> m.Meaning:
    """The meaning of an HTTP status, narrowed by the headers, codes and text of the response."""
    if status == 403 and _has_wait_header(failure):
        return m.RATE_LIMIT
    default = _MEANINGS.get(status, m.ARGUMENT if status < 500 else m.UNAVAILABLE)
    known_status = 400 if status < 500 and status not in _MEANINGS else status
    override = (
        meaning_of_codes(failure.codes, _CODE_OVERRIDES[known_status]) if known_status in _CODE_OVERRIDES else None
    )
    if override is None and known_status in _TEXT_OVERRIDES:
        texts = (failure.service_text if known_status in _VALIDATION_STATUSES else "", failure.told)
        override = next(filter(None, (said(text, _TEXT_OVERRIDES[known_status]) for text in texts if text)), None)
    override = override or said_beside(status, failure)
    if override is None and status == 500 and shows_sent_value(failure.told, failure.arguments):
        override = said(failure.told, _ABOUT_THE_CALL)
    if (
        override in (m.PERMISSION, m.AUTHENTICATION, m.CONFLICT)
        and status in _VALIDATION_STATUSES
        and _names_fields(failure)
    ):
        override = None  # `extra_forbidden` rejects one field, not the account; nor is a violated constraint a conflict
    if override is m.QUOTA and default is m.RATE_LIMIT and (failure.retry_after is not None or is_rate(failure)):
        return default
    if (override or default) in (m.QUOTA, m.ARGUMENT) and is_of_a_thing(status, failure):
        return m.CONFLICT
    return override or default


def _names_fields(failure: Failure) -> bool:
    """Whether the response rejects fields of the request, other than credentials."""
    return any(not _CREDENTIAL.search(problem.pointer) for problem in failure.problems)


def _has_wait_header(failure: Failure) -> bool:
    headers = failure.headers
    return headers.get("x-ratelimit-remaining") == "0" or "retry-after" in headers


def _effect(status: int, meaning: m.Meaning, failure: Failure) -> Effect:
    """The effect of a request: a rejected one changed nothing, a server that failed or timed out may have changed something."""
    if status == 500 and meaning in _ABOUT_THE_CALL:
        return "possible"  # a server that did not expect this may have begun
    if meaning.cls is ToolTimeoutError or meaning is m.DISK_FULL:
        return meaning.effect or "possible"
    if status < 500 or status in _HARMLESS or meaning.effect is None:
        return "none"
    return "none" if status == 503 and failure.retry_after is not None else meaning.effect
