"""httpx, and what has the same classes under other names: httpx2, and httpcore below them."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolArgumentError, ToolError, ToolExecutionError
from mulligan_http import outcomes

rules = Rules()
_PACKAGES = ("httpx", "httpx2", "httpcore", "httpcore2")
_STATUS = re.compile(r"(\d{3})\b")


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
    if not isinstance(status, int) or status >= 400:
        return None
    error = outcomes.redirected("The service redirects to another address. The redirect was not followed.")
    error.http_status = status
    return error


@rules(*named("ConnectTimeout", "PoolTimeout"))
def connect_timeout(_: Failure) -> ToolError:
    """No connection in time: nothing was sent."""
    return outcomes.timed_out(sent=False)


@rules(*named("TimeoutException"))
def timeout(_: Failure) -> ToolError:
    """No answer in time, or the request could not be written in time."""
    return outcomes.timed_out(sent=True)


@rules(*named("ProxyError"))
def proxy(failure: Failure) -> ToolError:
    """The proxy cannot be reached, refuses, or asks for credentials."""
    status = _STATUS.match(failure.text)
    return outcomes.proxy(int(status[1]) if status else None)


@rules(*named("ConnectError"))
def no_connection(failure: Failure) -> ToolError:
    """A refused port, an unknown host name, or a certificate that is refused: nothing was sent."""
    if any(failure.about(one).matches("ssl.SSLError") for one in failure.exceptions):
        return outcomes.insecure(failure)
    return outcomes.unreachable(failure)


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
        return ToolArgumentError("A request header contains invalid characters.")
    return ToolExecutionError("The tool made an invalid HTTP request.")


@rules(*named("RemoteProtocolError"))
def answer(failure: Failure) -> ToolError:
    """The connection was closed before or within the answer, or what answers is not HTTP."""
    return outcomes.not_http() if failure.says("illegal status line") else outcomes.dropped()


@rules(*named("NetworkError"))
def dropped(_: Failure) -> ToolError:
    """The connection was dropped or reset midway."""
    return outcomes.dropped()


@rules(*named("DecodingError"))
def decoding(_: Failure) -> ToolError:
    """An answer that is not compressed the way it says."""
    return outcomes.unreadable()


@rules(*named("TooManyRedirects"))
def redirects(_: Failure) -> ToolError:
    """A loop of redirects, or more than are followed."""
    return outcomes.redirected()


@rules(*named("StreamError", "CookieConflict"))
def misuse(_: Failure) -> ToolError:
    """The tool reads an answer twice, too early or too late, or has two cookies of one name."""
    return outcomes.misuse()
