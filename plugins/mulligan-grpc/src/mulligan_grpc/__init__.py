"""Rules for gRPC: what the status codes mean, and what the details of google.rpc add."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    safe_str,
)
from mulligan_grpc.details import Details, details

mulligan_api = "1.0"
rules = Rules()

# What the library itself says, as the beginning of the details; a server may speak of its own connections further on.
_REFUSED = (
    r"failed to connect to (?:all addresses|remote host)|errors resolving |dns resolution failed"
    r"|name resolution failure|(?:empty|no) address(?:es| list)|unresolved address|connect failed|connection refused"
)
_DROPPED = (
    r"stream removed|socket closed|(?:recvmsg|sendmsg|readv|writev?):|connection (?:reset|dropped|aborted)|broken pipe"
    r"|(?:received )?(?:http2 )?goaway|session closed|transport (?:closed|is closing)|keepalive (?:watchdog )?timeout"
    r"|end of tcp stream"
)
_TOO_LARGE = ("message larger than max", "message is larger than", "metadata size exceeds")
_LONG_PERIOD = r"per\s?(?:day|month|year)|\b(?:daily|monthly|yearly|credits?|balance|billing|plan|free tier)\b"
_DISK = ("disk", "no space left", "out of space")


def _not_found(failure: Failure, told: Details) -> ToolError:
    name = told.resource or _argument_in_message(failure) or failure.resource
    return ResourceNotFoundError(
        f"Resource not found: {name}" if name else "The service has no such resource.", resource=name, effect="none"
    )


def _argument_in_message(failure: Failure) -> str | None:
    """The argument of the call that the service's message names, the last one where it names several."""
    text = _message(failure)
    values = [value for value in (failure.arguments or {}).values() if isinstance(value, str) and len(value) > 1]
    held = (value for value in values if value in text)
    return max(held, key=lambda value: (text.rfind(value) + len(value), len(value)), default=None)


def _exhausted(failure: Failure, told: Details) -> ToolError:
    """Too many calls for now, a quota that is used up, or a message that is too large for the limit of one side."""
    if failure.says(*_TOO_LARGE):
        sent = failure.says("sent message larger than max")
        message = "The message exceeds the size limit. Request less, or send less."
        return ToolArgumentError(message, effect="none" if sent else "possible")
    said = " ".join((*told.quotas, _message(failure)))
    if told.retry_after is None and (re.search(_LONG_PERIOD, said, re.IGNORECASE) or failure.says(*_DISK)):
        return ToolQuotaError("A quota of the service is exhausted.", effect="none")
    return ToolRateLimitError("The rate limit of the service is reached.", effect="none")


def _unavailable(failure: Failure, _told: Details) -> ToolError:
    """Nobody answers, the connection broke, or the service is down for now: only the details text tells which."""
    text = _message(failure)
    if re.match(_REFUSED, text, re.IGNORECASE):
        return ToolConnectionError("The service cannot be reached.", effect="none")
    return (
        _dropped()
        if re.match(_DROPPED, text, re.IGNORECASE)
        else ToolUnavailableError("The service is temporarily unavailable.")
    )


def _dropped() -> ToolError:
    return ToolConnectionError(
        "The connection was dropped mid-request.", fatal=False, transient=True, effect="possible"
    )


def _unknown(failure: Failure, _told: Details) -> ToolError:
    if re.match(_DROPPED, _message(failure), re.IGNORECASE):
        return _dropped()
    return ToolExecutionError("The service failed for an unknown reason.", code="UNKNOWN")


def _conflict(code: str, words: str) -> Callable[[Failure, Details], ToolError]:
    return lambda _, told: ResourceConflictError(
        words, code=code, resource=told.resource, transient=code == "ABORTED" or None, effect="none"
    )


def _argument(code: str, words: str) -> Callable[[Failure, Details], ToolError]:
    return lambda _, told: ToolArgumentError(words, code=code, problems=told.problems, effect="none")


def _plain_error(cls: type[ToolError], words: str, **fields: Any) -> Callable[[Failure, Details], ToolError]:
    return lambda _, told: cls(words, resource=told.resource, **{"effect": cls.effect, **fields})


_BY_CODE: Mapping[str, Callable[[Failure, Details], ToolError]] = {
    "CANCELLED": _plain_error(ToolCancelledError, "The call was cancelled."),
    "UNKNOWN": _unknown,
    "INVALID_ARGUMENT": _argument("INVALID_ARGUMENT", "The service rejected the request as invalid."),
    "OUT_OF_RANGE": _argument("OUT_OF_RANGE", "The request is out of range."),
    "DEADLINE_EXCEEDED": _plain_error(ToolTimeoutError, "The service did not respond in time."),
    "NOT_FOUND": _not_found,
    "ALREADY_EXISTS": _conflict("ALREADY_EXISTS", "The resource already exists."),
    "FAILED_PRECONDITION": _conflict("FAILED_PRECONDITION", "The current state does not allow this."),
    "ABORTED": _conflict("ABORTED", "Another change interfered: read the current state, then try again."),
    "PERMISSION_DENIED": _plain_error(ToolPermissionError, "The account lacks permission for this."),
    "UNAUTHENTICATED": _plain_error(ToolAuthenticationError, "The service rejected the credentials."),
    "RESOURCE_EXHAUSTED": _exhausted,
    "UNIMPLEMENTED": _plain_error(
        ToolExecutionError, "The service has no such method.", code="UNIMPLEMENTED", effect="none"
    ),
    "INTERNAL": _plain_error(ToolExecutionError, "The service failed."),
    "UNAVAILABLE": _unavailable,
    "DATA_LOSS": _plain_error(ToolExecutionError, "The service lost data or found it corrupted.", code="DATA_LOSS"),
}
_BY_REASON: Mapping[str, type[ToolError]] = {
    "API_KEY_INVALID": ToolAuthenticationError,
    "ACCESS_TOKEN_EXPIRED": ToolAuthenticationError,
    "RATE_LIMIT_EXCEEDED": ToolRateLimitError,
    "RESOURCE_QUOTA_EXCEEDED": ToolQuotaError,
}
_REASON_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "The service rejected the credentials.",
    ToolRateLimitError: "The rate limit of the service is reached.",
    ToolQuotaError: "A quota of the service is exhausted.",
}


@rules("grpc.RpcError", "grpclib.exceptions.GRPCError")
def answered(failure: Failure) -> ToolError | None:
    """A call that ended with a status other than OK."""
    decide = _BY_CODE.get(_code(failure))
    if decide is None:
        return None
    told = details(failure)
    cls = _BY_REASON.get(told.reason)
    error = decide(failure, told) if cls is None else cls(_REASON_MESSAGES[cls], effect=cls.effect)
    error.retry_after = told.retry_after
    if told.domain.endswith("googleapis.com"):
        error.provider = "google"
    return error


def _code(failure: Failure) -> str:
    """The name of the status: `code()` in grpcio, `status` in grpclib."""
    return safe_str(getattr(failure.ask("code") or failure.look("status"), "name", ""), 40)


def _message(failure: Failure) -> str:
    told = failure.ask("details") or failure.look("message")
    return told[:2_000] if isinstance(told, str) else ""


@rules("grpc.FutureTimeoutError")
def not_ready(failure: Failure) -> ToolError | None:
    """Waiting for a channel or a future took too long."""
    return ToolTimeoutError("The service was not ready or did not respond in time.")


@rules("grpc.FutureCancelledError")
def cancelled(failure: Failure) -> ToolError | None:
    """The call was cancelled before it ended."""
    return ToolCancelledError("The call was cancelled.")


@rules("grpclib.exceptions.StreamTerminatedError")
def terminated(failure: Failure) -> ToolError | None:
    """The connection ended while the call was on."""
    return _dropped()


@rules("grpc._cython.cygrpc.UsageError", "grpc._cython.cygrpc.InternalError", "grpc._cython.cygrpc.AbortError")
def misused(failure: Failure) -> ToolError | None:
    """The asyncio API was used in a way that it does not allow, or failed by itself."""
    return ToolExecutionError("The gRPC library failed.")


classify = rules.hookimpl()
