"""What failures mean: each meaning has an error class, a message and, if known, the effect of the call."""

from __future__ import annotations

from typing import NamedTuple, Unpack

from mulligan.classify.failure import Failure
from mulligan.errors import (
    Effect,
    ErrorFields,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolNotFoundError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

_ERRORS_WITH_RESOURCE = (ResourceNotFoundError, ResourceConflictError, ToolPermissionError)
_ERRORS_WITH_RETRY_AFTER = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)


class Meaning(NamedTuple):
    """One meaning.

    Attributes:
        cls: the class of the error.
        message: our message, without a full stop.
        code: a code narrower than that of the class, or None.
        effect: overrides the default of the class, or None.
        fatal: overrides the default of the class, or None.
        transient: overrides the default of the class, or None.
    """

    cls: type[ToolError]
    message: str
    code: str | None = None
    effect: Effect | None = None
    fatal: bool | None = None
    transient: bool | None = None


RATE_LIMIT = Meaning(ToolRateLimitError, "The rate limit of the service is reached")
QUOTA = Meaning(ToolQuotaError, "The quota or credit balance is exhausted")
DISK_FULL = Meaning(ToolQuotaError, "No space left on the disk", effect="possible")
AUTHENTICATION = Meaning(ToolAuthenticationError, "The service rejected the credentials")
PERMISSION = Meaning(ToolPermissionError, "Permission denied")
NOT_FOUND = Meaning(ResourceNotFoundError, "The resource was not found")
NO_TOOL = Meaning(ToolNotFoundError, "The server has no tool with that name")
EXISTS = Meaning(ResourceConflictError, "The resource already exists", code="ALREADY_EXISTS")
CONFLICT = Meaning(ResourceConflictError, "The current state does not allow this")
ABORTED = Meaning(ResourceConflictError, "The call conflicted with another change", code="ABORTED", transient=True)
BUSY = Meaning(ResourceConflictError, "The resource is locked or in use", code="ABORTED", transient=True)
TIMEOUT = Meaning(ToolTimeoutError, "The call timed out", effect="possible")
NOT_SENT = Meaning(ToolTimeoutError, "The connection could not be established in time", effect="none")
UNAVAILABLE = Meaning(ToolUnavailableError, "The service is temporarily unavailable", effect="possible")
CANCELLED = Meaning(ToolCancelledError, "The call was cancelled")
UNREACHABLE = Meaning(ToolConnectionError, "The service cannot be reached", effect="none")
CONNECTION = Meaning(ToolConnectionError, "The connection to the service failed", effect="possible")
TLS = Meaning(ToolConnectionError, "The TLS connection could not be established", effect="none")
DROPPED = Meaning(
    ToolConnectionError, "The connection was dropped mid-request", effect="possible", fatal=False, transient=True
)
ARGUMENT = Meaning(ToolArgumentError, "The arguments were rejected as invalid")
OUT_OF_RANGE = Meaning(ToolArgumentError, "An argument is out of range", code="OUT_OF_RANGE")
TOO_LARGE = Meaning(ToolArgumentError, "The request is too large")
UNIMPLEMENTED = Meaning(ToolExecutionError, "The service does not support this", code="UNIMPLEMENTED", effect="none")
FAILED = Meaning(ToolExecutionError, "The service failed")

_HOST_ARGUMENTS = frozenset(
    ("url", "uri", "host", "hostname", "endpoint", "address", "server", "domain", "base_url", "site", "link", "href")
)


def names_host(failure: Failure) -> bool:
    """Whether the call's own arguments name a host, which may then be misspelt."""
    arguments = failure.arguments or {}
    return any(name.lower() in _HOST_ARGUMENTS or "://" in str(value)[:200] for name, value in arguments.items())


def error_of(
    failure: Failure, meaning: Meaning, *, message: str | None = None, **fields: Unpack[ErrorFields]
) -> ToolError:
    """Builds the error for a meaning, with the resource, wait and problems that the failure reports.

    Args:
        failure: the failure to classify.
        meaning: its meaning.
        message: replaces the message of the meaning.
        fields: attributes of the error; they override those read from the failure.
    """
    cls = meaning.cls
    known: ErrorFields = {
        "code": meaning.code,
        "effect": meaning.effect,
        "fatal": meaning.fatal,
        "transient": meaning.transient,
        "http_status": failure.status,
    }
    if cls in _ERRORS_WITH_RESOURCE:
        known["resource"] = failure.resource
    if cls in _ERRORS_WITH_RETRY_AFTER:
        known["retry_after"] = failure.retry_after
    if cls is ToolArgumentError:
        known["problems"] = failure.problems
    if cls is ToolConnectionError and meaning.fatal is None and names_host(failure):
        known["fatal"] = False
    known.update(fields)
    words = message or _words(cls, meaning.message, known.get("resource"), known.get("http_status"))
    return cls(words, **known)


def _words(cls: type[ToolError], words: str, resource: str | None, status: int | None) -> str:
    if cls is ResourceNotFoundError and resource:
        return f"Resource not found: {resource}"
    answered = "" if status is None else f" (HTTP {status})"
    named = f": {resource}" if resource and cls is ToolPermissionError else ""
    return f"{words}{answered}{named or '.'}"
