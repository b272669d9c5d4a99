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
from mulligan.errors import ToolArgumentError, ToolAuthenticationError, ToolError, ToolPermissionError
from mulligan.untrusted.text import safe_str

rules = Rules()
_RPC_CODE = re.compile(r"\b(?:MCP|JSON-RPC|RPC) error:? \(?(-32\d{3})\b")
_MAY_NOT = re.compile(r"\bnot (?:authori[sz]ed|allowed|permitted) to (?!log|sign|auth|use th)|\bpermissions? to\b")
_RPC: Mapping[int, m.Meaning] = {
    -32700: m.ARGUMENT,
    -32600: m.ARGUMENT,
    -32601: m.NO_TOOL,
    -32602: m.ARGUMENT,
    -32603: m.FAILED,
}
_OF_AN_ACCOUNT = (m.AUTHENTICATION, m.PERMISSION, m.QUOTA)
_OF_A_PARAMETER = re.compile(r"\b(?:propert(?:y|ies)|fields?|parameters?|paths?|missing|required)\b", re.IGNORECASE)


@rules("aiohttp.ClientPayloadError", "aiohttp.http_exceptions.PayloadEncodingError")
def payload(failure: Failure) -> ToolError:
    """A response ended midway, or its content is not encoded as it says. aiohttp, not the service, sets a status of 400."""
    if failure.met("aiohttp.ContentEncodingError") or failure.says("can not decode"):
        return m.error_of(failure, m.FAILED, message="The response cannot be decoded.", http_status=None)
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
    if meaning is m.FAILED:  # some servers send one code for everything
        return m.error_of(failure, said(failure.told, _OF_AN_ACCOUNT) or meaning)
    if meaning is m.ARGUMENT:
        is_of_account = _OF_A_PARAMETER.search(failure.told) is None
        meaning = said(failure.told, (m.NOT_FOUND, m.NO_TOOL, *(_OF_AN_ACCOUNT if is_of_account else ()))) or meaning
    return None if meaning is None else m.error_of(failure, meaning)


@rules("urllib3.exceptions.ResponseError")
def retries(failure: Failure) -> ToolError | None:
    """urllib3 gave up after repeated responses with a retryable status."""
    match = re.match(r"too many ([45]\d\d) error responses", failure.text)
    return None if match is None else status_error(failure, int(match[1]))


@rules("http.client.HTTPException")
def http_client(failure: Failure) -> ToolError | None:
    """The standard library's HTTP client received an invalid response, or one that ended midway."""
    if failure.matches("http.client.RemoteDisconnected", "http.client.IncompleteRead", "http.client.BadStatusLine"):
        return m.error_of(failure, m.DROPPED)
    if failure.matches("http.client.InvalidURL"):
        return m.error_of(failure, m.ARGUMENT, message="The address is invalid.")
    return None


@rules()
def body_reason(failure: Failure) -> ToolError | None:
    """The body of a response contains an error code, such as `insufficient_quota` or `NOT_FOUND`."""
    if not failure.codes:
        return None
    error = reason_error(failure)
    if isinstance(error, ToolAuthenticationError) and _is_forbidden(failure):
        return m.error_of(failure, m.PERMISSION)
    is_open = isinstance(error, (ToolPermissionError, ToolArgumentError))
    narrower = (m.RATE_LIMIT, m.QUOTA, m.AUTHENTICATION) if is_open else ()
    meaning = said(failure.told, narrower) if narrower else None
    return error if meaning is None else m.error_of(failure, meaning)


def _is_forbidden(failure: Failure) -> bool:
    """Whether services that call both `unauthorized` mean that this user may not do this."""
    codes = [code.lower() for code in failure.codes if reason_of(code) is m.AUTHENTICATION]
    return set(codes) <= {"unauthorized", "unauthorised"} and _MAY_NOT.search(failure.told) is not None
