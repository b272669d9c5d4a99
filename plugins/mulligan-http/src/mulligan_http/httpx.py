"""httpx, and packages with the same classes under other names: httpx2, and httpcore below them."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_http import outcomes

rules = Rules()
_PACKAGES = ("httpx", "httpx2", "httpcore", "httpcore2")
_STATUS = re.compile(r"(\d{3})\b")
_FIRST_ERROR = 400


def named(*classes: str) -> tuple[str, ...]:
    """The qualified names of classes in each of the packages.

    Args:
        classes: their names.
    """
    return tuple(f"{package}.{cls}" for package in _PACKAGES for cls in classes)


@rules(*named("HTTPStatusError"))
def redirect_not_followed(failure: Failure) -> ToolError | None:
    """`raise_for_status` on a redirect that was not followed; a status of 400 or above needs no rule here."""
    status = failure.look("response", "status_code")
    if not isinstance(status, int) or status >= _FIRST_ERROR:
        return None
    error = outcomes.redirected(failure, "The service redirects to another address. The redirect was not followed.")
    error.http_status = status
    return error


@rules(*named("ProxyError"))
def proxy(failure: Failure) -> ToolError:
    """The proxy is unreachable, refuses the request or requires credentials."""
    status = _STATUS.match(failure.text)
    return outcomes.proxy(failure, int(status[1]) if status else None)


@rules(*named("UnsupportedProtocol"))
def protocol(failure: Failure) -> ToolError:
    """A URL without a scheme, or whose scheme is not HTTP."""
    return outcomes.bad_url(failure, failure.look("request", "url"))


@rules(*named("InvalidURL"))
def url(failure: Failure) -> ToolError:
    """An invalid URL."""
    return outcomes.bad_url(failure)


@rules(*named("LocalProtocolError"))
def request(failure: Failure) -> ToolError:
    """A request that violates HTTP. An invalid header is rejected before anything is sent."""
    if failure.says("illegal header value", "illegal header name"):
        return outcomes.bad_header(failure)
    return m.error_of(failure, m.FAILED, message="The tool made an invalid HTTP request.")


@rules(*named("RemoteProtocolError"))
def answer(failure: Failure) -> ToolError:
    """The connection closed before or during the response, or the server does not speak HTTP."""
    return outcomes.not_http(failure) if failure.says("illegal status line") else outcomes.connection(failure)


@rules(*named("DecodingError"))
def decoding(failure: Failure) -> ToolError:
    """A response whose body does not match its `Content-Encoding`."""
    return outcomes.unreadable(failure)


@rules(*named("TooManyRedirects"))
def redirects(failure: Failure) -> ToolError:
    """A redirect loop, or too many redirects."""
    return outcomes.redirected(failure)


@rules(*named("StreamError", "CookieConflict"))
def misuse(failure: Failure) -> ToolError:
    """The tool reads a response twice, too early or too late, or has two cookies with one name."""
    return outcomes.misuse(failure)


@rules(*named("TimeoutException", "NetworkError"))
def connection(failure: Failure) -> ToolError:
    """No connection, no response in time, or a connection dropped midway."""
    return outcomes.connection(failure)
