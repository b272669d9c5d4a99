"""httpx, and what has the same classes under other names: httpx2, and httpcore below them."""

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
    """The qualified names of some classes in each of the packages.

    Args:
        classes: their names.
    """
    return tuple(f"{package}.{cls}" for package in _PACKAGES for cls in classes)


@rules(*named("HTTPStatusError"))
def redirect_not_followed(failure: Failure) -> ToolError | None:
    """`raise_for_status` on a redirect that was not followed; a status of 400 and above needs no rule here."""
    status = failure.look("response", "status_code")
    if not isinstance(status, int) or status >= _FIRST_ERROR:
        return None
    error = outcomes.redirected(failure, "The service redirects to another address. The redirect was not followed.")
    error.http_status = status
    return error


@rules(*named("ProxyError"))
def proxy(failure: Failure) -> ToolError:
    """The proxy cannot be reached, refuses, or asks for credentials."""
    status = _STATUS.match(failure.text)
    return outcomes.proxy(failure, int(status[1]) if status else None)


@rules(*named("UnsupportedProtocol"))
def protocol(failure: Failure) -> ToolError:
    """An address without a scheme, or with one that is not HTTP's."""
    return outcomes.bad_url(failure, failure.look("request", "url"))


@rules(*named("InvalidURL"))
def url(failure: Failure) -> ToolError:
    """An address that is not a URL."""
    return outcomes.bad_url(failure)


@rules(*named("LocalProtocolError"))
def request(failure: Failure) -> ToolError:
    """A request that HTTP does not allow; a header is refused before anything is sent."""
    if failure.says("illegal header value", "illegal header name"):
        return outcomes.bad_header(failure)
    return m.error_of(failure, m.FAILED, message="The tool made an invalid HTTP request.")


@rules(*named("RemoteProtocolError"))
def answer(failure: Failure) -> ToolError:
    """The connection was closed before or within the answer, or what answers is not HTTP."""
    return outcomes.not_http(failure) if failure.says("illegal status line") else outcomes.connection(failure)


@rules(*named("DecodingError"))
def decoding(failure: Failure) -> ToolError:
    """An answer that is not compressed the way it says."""
    return outcomes.unreadable(failure)


@rules(*named("TooManyRedirects"))
def redirects(failure: Failure) -> ToolError:
    """A loop of redirects, or more than are followed."""
    return outcomes.redirected(failure)


@rules(*named("StreamError", "CookieConflict"))
def misuse(failure: Failure) -> ToolError:
    """The tool reads an answer twice, too early or too late, or has two cookies of one name."""
    return outcomes.misuse(failure)


@rules(*named("TimeoutException", "NetworkError"))
def connection(failure: Failure) -> ToolError:
    """No connection, no answer in time, or a connection that ended midway."""
    return outcomes.connection(failure)
