"""What failures mean: each meaning has an error class, a message and, if known, the effect of the call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Unpack

from mulligan.classify.failure import Failure
from mulligan.classify.path_problems import path_problems
from mulligan.classify.user_message import service_name
from mulligan.errors import (
    Effect,
    ErrorFields,
    Problem,
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
from mulligan.lazy import lazy_pattern

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
EXHAUSTED = Meaning(  # not fatal: a smaller request may fit
    ToolQuotaError, "The memory or another limit of the system is exhausted", effect="possible", fatal=False
)
AUTHENTICATION = Meaning(ToolAuthenticationError, "The service rejected the credentials")
PERMISSION = Meaning(ToolPermissionError, "Permission denied")
NOT_FOUND = Meaning(ResourceNotFoundError, "The resource was not found")
NO_TOOL = Meaning(ToolNotFoundError, "The server has no tool with that name")
EXISTS = Meaning(ResourceConflictError, "The resource already exists", code="ALREADY_EXISTS")
CONFLICT = Meaning(ResourceConflictError, "The current state does not allow this")
ABORTED = Meaning(ResourceConflictError, "The call conflicted with another change", code="ABORTED", transient=True)
LIMIT_REACHED = Meaning(ResourceConflictError, "A limit of the service is reached")
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
IS_DIRECTORY = ARGUMENT._replace(message="The path is a directory, not a file")
NOT_DIRECTORY = ARGUMENT._replace(message="A part of the path is not a directory")
NAME_TOO_LONG = ARGUMENT._replace(message="The name is too long")
LINK_LOOP = ARGUMENT._replace(message="The path contains a loop of symbolic links")
INVALID_PATH = ARGUMENT._replace(message="The path is invalid")
PATHS = (IS_DIRECTORY, NOT_DIRECTORY, NAME_TOO_LONG, LINK_LOOP, INVALID_PATH)
OUT_OF_RANGE = Meaning(ToolArgumentError, "An argument is out of range", code="OUT_OF_RANGE")
TOO_LARGE = Meaning(ToolArgumentError, "The request is too large")
UNIMPLEMENTED = Meaning(ToolExecutionError, "The service does not support this", code="UNIMPLEMENTED", effect="none")
FAILED = Meaning(ToolExecutionError, "The service failed")

NARROWER: Mapping[Meaning, tuple[Meaning, ...]] = {  # what a text may say beside a general code or class name
    PERMISSION: (RATE_LIMIT, QUOTA, AUTHENTICATION),
    CONNECTION: (DROPPED, UNREACHABLE, TLS, NOT_SENT, TIMEOUT, AUTHENTICATION),
    UNAVAILABLE: (UNREACHABLE, NOT_SENT, TIMEOUT, RATE_LIMIT),
}
# The same where the service has a name, which takes the place of "the service".
_WITH_SERVICE: Mapping[str, str] = {
    meaning.message: message
    for meaning, message in (
        (RATE_LIMIT, "The rate limit of the service is reached"),
        (QUOTA, "The quota or credit balance at the service is exhausted"),
        (PERMISSION, "The service denied permission"),
        (NOT_FOUND, "The service found no such resource"),
        (EXISTS, "The service reports that the resource already exists"),
        (CONFLICT, "The service reports that the current state does not allow this"),
        (ABORTED, "The service reports a conflict with another change"),
        (BUSY, "The service reports that the resource is locked or in use"),
        (TIMEOUT, "The service did not respond in time"),
        (NOT_SENT, "The connection to the service could not be established in time"),
        (CANCELLED, "The service cancelled the call"),
        (TLS, "The TLS connection to the service could not be established"),
        (DROPPED, "The connection to the service was dropped mid-request"),
        (ARGUMENT, "The service rejected the arguments"),
        (OUT_OF_RANGE, "The service rejected an argument as out of range"),
        (TOO_LARGE, "The request is too large for the service"),
    )
}
_SERVICE = lazy_pattern(r"\b[Tt]he service\b")
_SHOWN_CODE = lazy_pattern(r"[A-Za-z0-9_.:-]{1,80}")
_HOST_ARGUMENTS = frozenset(
    ("url", "uri", "host", "hostname", "endpoint", "address", "server", "domain", "base_url", "site", "link", "href")
)


def names_host(failure: Failure) -> bool:
    """Whether the call's own arguments name a host, which may then be misspelt."""
    arguments = failure.arguments or {}
    return any(name.lower() in _HOST_ARGUMENTS or "://" in str(value)[:200] for name, value in arguments.items())


def error_of(
    failure: Failure,
    meaning: Meaning,
    *,
    message: str | None = None,
    service: str | None = None,
    told: object = None,
    **fields: Unpack[ErrorFields],
) -> ToolError:
    """Builds the error for a meaning, with the resource, wait and problems that the failure reports.

    Args:
        failure: the failure to classify.
        meaning: its meaning.
        message: replaces the message of the meaning.
        service: the name of the service, which the message then uses; by default, that of the failure's provider.
        told: the service's own code, shown after the message.
        fields: attributes of the error; they override those read from the failure.
    """
    cls = meaning.cls
    attributes: ErrorFields = {
        "code": meaning.code,
        "effect": meaning.effect,
        "fatal": meaning.fatal,
        "transient": meaning.transient,
        "http_status": failure.status,
    }
    if cls in _ERRORS_WITH_RESOURCE and "resource" not in fields:
        attributes["resource"] = failure.resource
    if cls in _ERRORS_WITH_RETRY_AFTER and "retry_after" not in fields:
        attributes["retry_after"] = failure.retry_after
    if cls is ToolArgumentError and "problems" not in fields:
        attributes["problems"] = _problems(failure, meaning)
    if cls is ToolConnectionError and meaning.fatal is None and names_host(failure):
        attributes["fatal"] = False
    attributes.update(fields)
    service = service or service_name(failure.provider)
    return cls(message or _words(meaning, service, told, attributes), **attributes)


def _problems(failure: Failure, meaning: Meaning) -> tuple[Problem, ...]:
    of_path = path_problems(failure, meaning.message) if meaning in PATHS else ()
    return of_path or failure.problems or failure.likely_problems


def sentence(meaning: Meaning, service: str | None = None, told: object = None) -> str:
    """The message of a meaning, with the name of the service and its code if they are given.

    Every package names its service this way. A message of your own says "the service" where the name is to appear.

    Args:
        meaning: the meaning.
        service: the name of the service; by default, the message names none.
        told: the service's own code, shown in parentheses; left out if it is more than one word.
    """
    return _in_parentheses(_named(meaning.message, service), _shown(told))


def _named(message: str, service: str | None) -> str:
    if service is None:
        return message
    words = _SERVICE.sub(lambda _: service, _WITH_SERVICE.get(message, message))
    return f"{words[:1].upper()}{words[1:]}"


def _shown(told: object) -> str:
    text = str(told) if type(told) in (str, int) else ""
    return text if _SHOWN_CODE.fullmatch(text) else ""


def _in_parentheses(words: str, shown: str) -> str:
    return f"{words} ({shown})." if shown else f"{words}."


def _words(meaning: Meaning, service: str | None, told: object, attributes: ErrorFields) -> str:
    resource, status = attributes.get("resource"), attributes.get("http_status")
    if meaning.cls is ResourceNotFoundError and resource:
        return f"Resource not found: {resource}"
    words = _in_parentheses(
        _named(meaning.message, service), _shown(told) or (f"HTTP {status}" if status is not None else "")
    )
    return f"{words[:-1]}: {resource}" if resource and meaning.cls is ToolPermissionError else words
