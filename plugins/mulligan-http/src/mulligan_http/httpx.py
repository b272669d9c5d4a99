"""httpx, and packages with the same classes under other names: httpx2, and httpcore below them."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_http import outcomes

rules = Rules()
_CLIENTS = ("httpx", "httpx2")
_TRANSPORTS = ("httpcore", "httpcore2")
_STATUS = re.compile(r"(\d{3})\b")
_FIRST_ERROR = 400


def in_clients(*classes: str) -> tuple[str, ...]:
    """The qualified names of classes that only the clients have.

    Args:
        classes: their names.
    """
    return tuple(f"{package}.{cls}" for package in _CLIENTS for cls in classes)


def in_all(*classes: str) -> tuple[str, ...]:
    """The qualified names of classes that the clients and the transports below them have.

    Args:
        classes: their names.
    """
    return tuple(f"{package}.{cls}" for package in _CLIENTS + _TRANSPORTS for cls in classes)


@rules(*in_clients("HTTPStatusError"))
def redirect_not_followed(failure: Failure) -> ToolError | None:
    """`raise_for_status` on a redirect that was not followed; a status of 400 or above needs no rule here."""
    status = failure.look("response", "status_code")
    if not isinstance(status, int) or status >= _FIRST_ERROR:
        return None
    error = outcomes.redirected(failure, "The service redirects to another address. The redirect was not followed.")
    error.http_status = status
    return error


@rules(*in_all("ProxyError"))
def proxy(failure: Failure) -> ToolError:
    """The proxy is unreachable, refuses the request or requires credentials."""
    status = _STATUS.match(failure.text)
    return outcomes.proxy(failure, int(status[1]) if status else None)


@rules(*in_all("UnsupportedProtocol"))
def protocol(failure: Failure) -> ToolError:
    """A URL without a scheme, or whose scheme is not HTTP."""
    return outcomes.bad_url(failure, failure.look("request", "url"))


@rules(*in_clients("InvalidURL"))
def url(failure: Failure) -> ToolError:
    """An invalid URL."""
    return outcomes.bad_url(failure)


@rules(*in_all("LocalProtocolError"))
def request(failure: Failure) -> ToolError:
    """A request that violates HTTP. An invalid header is rejected before anything is sent."""
    if failure.says("illegal header value", "illegal header name"):
        return outcomes.bad_header(failure)
    return m.error_of(failure, m.FAILED, message="The tool made an invalid HTTP request.")


@rules(*in_all("RemoteProtocolError"))
def answer(failure: Failure) -> ToolError:
    """The connection closed before or during the response, or the server does not speak HTTP."""
    return outcomes.not_http(failure) if failure.says("illegal status line") else outcomes.connection(failure)


@rules(*in_clients("DecodingError"))
def decoding(failure: Failure) -> ToolError:
    """A response whose body does not match its `Content-Encoding`."""
    return outcomes.unreadable(failure)


@rules(*in_clients("TooManyRedirects"))
def redirects(failure: Failure) -> ToolError:
    """A redirect loop, or too many redirects."""
    return outcomes.redirected(failure)


@rules(*in_clients("StreamError", "CookieConflict"))
def misuse(failure: Failure) -> ToolError:
    """The tool reads a response twice, too early or too late, or has two cookies with one name."""
    return outcomes.misuse(failure)


@rules(*in_all("TimeoutException", "NetworkError"))
def connection(failure: Failure) -> ToolError:
    """No connection, no response in time, or a connection dropped midway."""
    return outcomes.connection(failure)
