"""A call that ended with a status other than OK, in grpcio and in grpclib."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, ResourceNotFoundError, Rules, ToolError, safe_str
from mulligan.plugin import meanings as m
from mulligan_grpc.codes import codes, reasons
from mulligan_grpc.details import Details, details

rules = Rules()

# Messages of the library itself begin the details; later text may be about a server's own connections.
_REFUSED = re.compile(
    r"failed to connect to (?:all addresses|remote host)|errors resolving |dns resolution failed"
    r"|name resolution failure|(?:empty|no) address(?:es| list)|unresolved address|connect failed|connection refused",
    re.IGNORECASE,
)
_HANDSHAKE = re.compile(r"ssl_error_ssl|certificate_verify_failed|handshake failed|tls handshake", re.IGNORECASE)
_DROPPED = re.compile(
    r"stream removed|socket closed|(?:recvmsg|sendmsg|readv|writev?):|connection (?:reset|dropped|aborted|lost)"
    r"|broken pipe|(?:received )?(?:http2 )?goaway|received rst_stream|session closed|keepalive (?:watchdog )?timeout"
    r"|transport (?:closed|is closing)|end of tcp stream",
    re.IGNORECASE,
)
_LONG_PERIOD = re.compile(
    r"per\s?(?:day|month|year)|\b(?:daily|monthly|yearly|credits?|balance|billing|plan|free tier)\b"
    r"|\bno space left|\b(?:disk|out of space)\b",
    re.IGNORECASE,
)
_MAY_BREAK = ("UNAVAILABLE", "UNKNOWN", "INTERNAL")


@rules("grpc.RpcError", "grpclib.exceptions.GRPCError")
def answered(failure: Failure) -> ToolError | None:
    """A call that ended with a status other than OK."""
    status = _status(failure)
    meaning = codes.meaning_of(status)
    if meaning is None:
        return None
    reported = details(failure)
    meaning = reasons.meaning_of(reported.reason) or _narrowed(status, meaning, failure, reported)
    resource = reported.resource
    if meaning is m.NOT_FOUND:
        resource = resource or _argument_in_message(failure) or failure.resource
    error = m.error_of(failure, meaning, told=reported.reason or status, resource=resource, http_status=None)
    error.problems = reported.problems or error.problems
    error.retry_after = reported.retry_after if reported.retry_after is not None else error.retry_after
    if isinstance(error, ResourceNotFoundError) and not resource:
        error.message = "The service has no such resource."
    if reported.domain.endswith("googleapis.com"):
        error.provider = "google"
    return error


def _narrowed(status: str, meaning: m.Meaning, failure: Failure, reported: Details) -> m.Meaning:
    """The meaning that the details text adds: where the connection ended, or which limit is reached."""
    text = _message(failure)
    if status == "RESOURCE_EXHAUSTED":
        return _limit(text, meaning, reported)
    if status == "UNAVAILABLE" and _REFUSED.match(text):
        return m.TLS if _HANDSHAKE.search(text) else m.UNREACHABLE
    if status == "UNAVAILABLE" and _HANDSHAKE.match(text):
        return m.TLS
    return m.DROPPED if status in _MAY_BREAK and _DROPPED.match(text) else meaning


def _limit(text: str, meaning: m.Meaning, reported: Details) -> m.Meaning:
    """A rate limit, an exhausted quota, or a message that exceeds the size limit of one side."""
    if "larger than max" in text or "metadata size exceeds" in text.lower():
        message = "The message exceeds the size limit. Request less, or send less"
        was_sent = "sent message larger" not in text.lower()
        return m.TOO_LARGE._replace(message=message, effect="possible" if was_sent else "none")
    text_of_quotas = " ".join((*reported.quotas, text))
    return m.QUOTA if reported.retry_after is None and _LONG_PERIOD.search(text_of_quotas) else meaning


def _argument_in_message(failure: Failure) -> str | None:
    """The argument of the call that the service's message names; the last one if it names several."""
    text = _message(failure)
    values = [value for value in (failure.arguments or {}).values() if isinstance(value, str) and len(value) > 1]
    held = (value for value in values if value in text)
    return max(held, key=lambda value: (text.rfind(value) + len(value), len(value)), default=None)


def _status(failure: Failure) -> str:
    """The name of the status: `code()` in grpcio, `status` in grpclib."""
    return safe_str(getattr(failure.ask("code") or failure.look("status"), "name", ""), 40)


def _message(failure: Failure) -> str:
    message = failure.ask("details") or failure.look("message")
    return message[:2_000] if isinstance(message, str) else ""
