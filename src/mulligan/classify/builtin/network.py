"""Network errors: HTTP, gRPC, JSON-RPC, and the clients of the standard library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.reasons import reason_error, reason_of
from mulligan.classify.rules import Rules
from mulligan.classify.statuses import status_error
from mulligan.errors import ToolError, ToolPermissionError
from mulligan.untrusted.text import safe_str

rules = Rules()
_RPC_CODE = re.compile(r"\b(?:MCP|JSON-RPC|RPC) error:? \(?(-32\d{3})\b")
_RPC: Mapping[int, m.Meaning] = {
    -32700: m.ARGUMENT,
    -32600: m.ARGUMENT,
    -32601: m.NO_TOOL,
    -32602: m.ARGUMENT,
    -32603: m.FAILED,
}
_REPLIES: Mapping[int, m.Meaning] = {  # RFC 959 section 4.2.1, RFC 5321 section 4.2.2
    421: m.UNAVAILABLE,
    425: m.CONNECTION,
    426: m.DROPPED,
    430: m.AUTHENTICATION,
    450: m.UNAVAILABLE,
    451: m.UNAVAILABLE,
    452: m.QUOTA,
    454: m.UNAVAILABLE,
    500: m.ARGUMENT,
    501: m.ARGUMENT,
    502: m.UNIMPLEMENTED,
    503: m.CONFLICT,
    504: m.ARGUMENT,
    530: m.AUTHENTICATION,
    532: m.AUTHENTICATION,
    534: m.AUTHENTICATION,
    535: m.AUTHENTICATION,
    538: m.AUTHENTICATION,
    550: m.NOT_FOUND,
    551: m.NOT_FOUND,
    552: m.QUOTA,
    553: m.ARGUMENT,
    554: m.FAILED,
}


_MAIL_CODE = re.compile(r"\[([A-Z-]{2,24})[\] ]")
_MAIL: Mapping[str, m.Meaning] = {
    "AUTHENTICATIONFAILED": m.AUTHENTICATION,
    "AUTHORIZATIONFAILED": m.PERMISSION,
    "EXPIRED": m.AUTHENTICATION,
    "PRIVACYREQUIRED": m.AUTHENTICATION,
    "AUTH": m.AUTHENTICATION,
    "NOPERM": m.PERMISSION,
    "NONEXISTENT": m.NOT_FOUND,
    "TRYCREATE": m.NOT_FOUND,
    "ALREADYEXISTS": m.EXISTS,
    "INUSE": m.BUSY,
    "IN-USE": m.BUSY,
    "EXPUNGEISSUED": m.CONFLICT,
    "OVERQUOTA": m.QUOTA,
    "LIMIT": m.RATE_LIMIT,
    "LOGIN-DELAY": m.RATE_LIMIT,
    "UNAVAILABLE": m.UNAVAILABLE,
    "SERVERBUG": m.FAILED,
    "CANNOT": m.ARGUMENT,
    "CLIENTBUG": m.ARGUMENT,
}


@rules("aiohttp.ClientPayloadError", "aiohttp.http_exceptions.PayloadEncodingError")
def payload(failure: Failure) -> ToolError:
    """A response ended midway. Its status of 400 is set by aiohttp, not by the service."""
    return m.error_of(failure, m.DROPPED, http_status=None)


@rules()
def http_status(failure: Failure) -> ToolError | None:
    """An HTTP status determines the error; if a status is ambiguous, the reason in the body decides."""
    return None if failure.status is None else status_error(failure)


@rules()
def grpc_status(failure: Failure) -> ToolError | None:
    """A gRPC status, read from the exception's methods `code` and `details`."""
    if not failure.has_methods("code", "details"):
        return None
    code = failure.ask("code")
    name = code.name if issubclass(type(code), Enum) else ""
    meaning = reason_of(name) if name.isupper() else None
    if meaning is None:
        return None
    details = safe_str(failure.ask("details"), 1_000)
    if meaning is m.UNAVAILABLE:
        meaning = said(details, (m.UNREACHABLE, m.TLS)) or meaning
    if meaning is m.RATE_LIMIT:
        meaning = said(details, (m.TOO_LARGE, m.QUOTA)) or (m.TOO_LARGE if "larger than max" in details else meaning)
    return m.error_of(failure, meaning)


@rules()
def json_rpc(failure: Failure) -> ToolError | None:
    """A JSON-RPC error code (https://www.jsonrpc.org/specification#error_object), as MCP uses it."""
    if failure.is_plain:
        return None
    for code in (failure.field("error", "code"), failure.field("code")):
        if type(code) is int and code in _RPC:
            return _rpc_error(failure, code)
    match = _RPC_CODE.search(failure.text[:400]) if failure.exception is None else None
    return None if match is None else _rpc_error(failure, int(match[1]))


def _rpc_error(failure: Failure, code: int) -> ToolError | None:
    meaning = _RPC.get(code)
    if meaning is m.ARGUMENT:
        meaning = said(failure.told, (m.NOT_FOUND, m.NO_TOOL)) or meaning
    return None if meaning is None else m.error_of(failure, meaning)


@rules("urllib3.exceptions.ResponseError")
def retries(failure: Failure) -> ToolError | None:
    """urllib3 gave up after repeated responses with a retryable status."""
    told = re.match(r"too many ([45]\d\d) error responses", failure.text)
    return None if told is None else status_error(failure, int(told[1]))


@rules("http.client.HTTPException")
def http_client(failure: Failure) -> ToolError | None:
    """The standard library's HTTP client received an invalid response, or one that ended midway."""
    if failure.matches("http.client.RemoteDisconnected", "http.client.IncompleteRead", "http.client.BadStatusLine"):
        return m.error_of(failure, m.DROPPED)
    if failure.matches("http.client.InvalidURL"):
        return m.error_of(failure, m.ARGUMENT, message="The address is invalid.")
    return None


@rules("ftplib.Error")
def ftp(failure: Failure) -> ToolError | None:
    """An FTP server returned an error reply code: RFC 959."""
    return _reply_error(failure, failure.text[:3])


@rules("smtplib.SMTPException")
def smtp(failure: Failure) -> ToolError | None:
    """A mail server returned an error reply code: RFC 5321."""
    if failure.matches("smtplib.SMTPServerDisconnected"):
        return m.error_of(failure, m.DROPPED)
    if failure.matches("smtplib.SMTPRecipientsRefused"):
        refused = failure.look("recipients")
        names = [str(name)[:200] for name in refused] if isinstance(refused, Mapping) else []
        code = next(iter(refused.values()), (550,))[0] if isinstance(refused, Mapping) else 550
        return _reply_error(failure, str(code), ", ".join(names[:8]))
    return _reply_error(failure, str(failure.look("smtp_code")))


def _reply_error(failure: Failure, code: str, resource: str | None = None) -> ToolError | None:
    meaning = _REPLIES.get(int(code)) if code.isdigit() else None
    if meaning is None:
        return None
    if meaning is m.NOT_FOUND:
        meaning = said(failure.told, (m.PERMISSION, m.QUOTA, m.EXISTS)) or meaning
        return m.error_of(failure, meaning, http_status=None, resource=resource or failure.resource)
    return m.error_of(failure, meaning)


@rules("imaplib.IMAP4.error", "poplib.error_proto")
def mailbox(failure: Failure) -> ToolError | None:
    """A mail server returned a response code in brackets: RFC 5530, RFC 3206."""
    if failure.matches("imaplib.IMAP4.abort"):
        return m.error_of(failure, m.DROPPED)
    found = _MAIL_CODE.search(f"{failure.told}\n{failure.text}")
    meaning = None if found is None else _MAIL.get(found[1])
    return None if meaning is None else m.error_of(failure, meaning)


@rules()
def body_reason(failure: Failure) -> ToolError | None:
    """The body of a response contains an error code, such as `insufficient_quota` or `NOT_FOUND`."""
    if not failure.codes:
        return None
    error = reason_error(failure)
    narrower = (m.RATE_LIMIT, m.QUOTA, m.AUTHENTICATION) if isinstance(error, ToolPermissionError) else ()
    meaning = said(failure.told, narrower) if narrower else None
    return error if meaning is None else m.error_of(failure, meaning)
