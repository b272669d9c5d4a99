"""What an HTTP status means: RFC 9110 section 15, RFC 6585, RFC 4918, and what providers do besides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Unpack

from mulligan.errors import (
    Effect,
    ErrorFields,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.failure import Failure

_CLASSES: Mapping[int, type[ToolError]] = {
    401: ToolAuthenticationError,
    402: ToolQuotaError,
    403: ToolPermissionError,
    404: ResourceNotFoundError,
    407: ToolAuthenticationError,
    408: ToolTimeoutError,
    409: ResourceConflictError,
    410: ResourceNotFoundError,
    412: ResourceConflictError,
    423: ResourceConflictError,
    425: ToolUnavailableError,
    428: ResourceConflictError,
    429: ToolRateLimitError,
    451: ToolPermissionError,
    501: ToolExecutionError,
    504: ToolTimeoutError,
    507: ToolQuotaError,
}
_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "The service rejected the credentials",
    ToolQuotaError: "The quota or credit is used up",
    ToolPermissionError: "The service refused permission",
    ToolTimeoutError: "The service did not answer in time",
    ResourceConflictError: "The present state does not allow it",
    ToolRateLimitError: "The service limits how often it may be called",
    ToolUnavailableError: "The service is unavailable for now",
    ToolArgumentError: "The service rejected the request as invalid",
    ToolExecutionError: "The service could not do this",
}
_RATE = re.compile(r"\brate[ -]?limit|\btoo many requests\b|\bthrottl", re.IGNORECASE)
_QUOTA = re.compile(r"\binsufficient[ _](?:quota|credit|funds|balance)|\bquota (?:is )?exceeded\b|\bbilling\b", re.IGNORECASE)


def status_error(
    failure: Failure, status: int | None = None, *, message: str | None = None, **fields: Unpack[ErrorFields]
) -> ToolError:
    """The error that an HTTP status means; the built-in rule for everything that carries one makes it so.

    A 403 that says rate limit is one, and a 429 that says quota is a quota.

    Args:
        failure: what happened.
        status: the status, by default the one that the failure carries.
        message: our words for it, by default those of the status.
        fields: what a rule knows better.

    Returns:
        The error; without any status a `ToolExecutionError`.
    """
    status = status or failure.status
    cls = ToolExecutionError if status is None else _class(status, failure)
    known: ErrorFields = {"http_status": status, "retry_after": failure.retry_after, "effect": _effect(status, failure)}
    if cls is ResourceNotFoundError:
        known["resource"] = failure.resource
    if status in (409, 423) and cls is ResourceConflictError:
        known["code"] = "ABORTED"
    known.update(fields)
    return cls(message or _message(cls, status, known.get("resource")), **known)


def _message(cls: type[ToolError], status: int | None, resource: str | None) -> str:
    answered = "" if status is None else f" (HTTP {status})"
    if cls is ResourceNotFoundError:
        return f"Resource not found: {resource}" if resource else f"The resource was not found{answered}."
    return f"{_MESSAGES.get(cls, 'The service failed')}{answered}."


def _class(status: int, failure: Failure) -> type[ToolError]:
    if status == 403 and (_told_to_wait(failure) or _RATE.search(failure.text)):
        return ToolRateLimitError
    if status == 429 and failure.retry_after is None and _QUOTA.search(failure.text):
        return ToolQuotaError
    return _CLASSES.get(status, ToolArgumentError if status < 500 else ToolUnavailableError)


def _told_to_wait(failure: Failure) -> bool:
    return failure.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in failure.headers


def _effect(status: int | None, failure: Failure) -> Effect:
    """A refused request changed nothing; a server that failed may have."""
    if status is None or status in (408, 504) or (status >= 500 and status not in (501, 507)):
        return "none" if status == 503 and failure.retry_after is not None else "possible"
    return "none"
