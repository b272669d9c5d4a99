"""The rule for everything that carries an HTTP status: RFC 9110 section 15, RFC 6585, RFC 4918."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import (
    Effect,
    Failure,
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
    ToolExecutionError: "The service cannot do this",
}
_RATE = re.compile(r"\brate[ -]?limit|\btoo many requests\b|\bthrottl", re.IGNORECASE)
_QUOTA = re.compile(r"\binsufficient[ _](?:quota|credit|funds|balance)|\bquota (?:is )?exceeded\b|\bbilling\b", re.IGNORECASE)


def http_status(failure: Failure) -> ToolError | None:
    """The class by status; a 403 that says rate limit is one, and a 429 that says quota is a quota."""
    status = failure.status
    if status is None:
        return None
    cls = _class(status, failure)
    message = f"{_MESSAGES.get(cls, 'The service failed')} (HTTP {status})."
    resource = failure.resource if cls is ResourceNotFoundError else None
    if cls is ResourceNotFoundError:
        message = f"Resource not found: {resource}" if resource else f"The resource was not found (HTTP {status})."
    error = cls(message, http_status=status, resource=resource, retry_after=failure.retry_after, effect=_effect(status, failure))
    if cls is ResourceConflictError and status in (409, 423):
        error.code = "ABORTED"
    return error


def _class(status: int, failure: Failure) -> type[ToolError]:
    if status == 403 and (_told_to_wait(failure) or _RATE.search(failure.text)):
        return ToolRateLimitError
    if status == 429 and failure.retry_after is None and _QUOTA.search(failure.text):
        return ToolQuotaError
    return _CLASSES.get(status, ToolArgumentError if status < 500 else ToolUnavailableError)


def _told_to_wait(failure: Failure) -> bool:
    return failure.headers.get("x-ratelimit-remaining") == "0" or "retry-after" in failure.headers


def _effect(status: int, failure: Failure) -> Effect:
    """A refused request changed nothing; a server that failed may have."""
    if status in (408, 504) or (status >= 500 and status not in (501, 507)):
        return "none" if status == 503 and failure.retry_after is not None else "possible"
    return "none"
