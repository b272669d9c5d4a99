"""aiohttp, whose answer is gone with the exception: only status and headers are left."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, ToolExecutionError
from mulligan_http import outcomes

rules = Rules()


@rules("aiohttp.ClientHttpProxyError")
def proxy_answer(failure: Failure) -> ToolError:
    """The proxy itself answered with an error."""
    return outcomes.proxy(failure.status)


@rules("aiohttp.TooManyRedirects")
def redirects(_: Failure) -> ToolError:
    """A loop of redirects, or more than are followed."""
    return outcomes.redirected()


@rules("aiohttp.ClientResponseError")
def answer(failure: Failure) -> ToolError | None:
    """An answer that is not HTTP, which aiohttp reports as status 400, or whose type is another one than expected."""
    cause = failure.exceptions[1:2]
    if cause and failure.about(cause[0]).matches("aiohttp.HttpProcessingError"):
        return outcomes.not_http()
    if failure.matches("aiohttp.ContentTypeError") and failure.status is None:
        return outcomes.unreadable("The service returned an unexpected content type.")
    if failure.status is None:
        return ToolExecutionError("The service returned an unexpected status.")
    return None


@rules("aiohttp.ConnectionTimeoutError")
def connect_timeout(_: Failure) -> ToolError:
    """No connection in time: nothing was sent."""
    return outcomes.timed_out(sent=False)


@rules("aiohttp.ServerTimeoutError")
def read_timeout(_: Failure) -> ToolError:
    """No answer in time: the request was sent."""
    return outcomes.timed_out(sent=True)


@rules("aiohttp.ClientSSLError", "aiohttp.ServerFingerprintMismatch")
def tls(failure: Failure) -> ToolError:
    """A certificate or a handshake that failed: nothing was sent."""
    return outcomes.insecure(failure)


@rules("aiohttp.ClientProxyConnectionError")
def proxy(_: Failure) -> ToolError:
    """The proxy cannot be reached."""
    return outcomes.proxy()


@rules("aiohttp.ClientConnectorError")
def no_connection(failure: Failure) -> ToolError:
    """A refused port, or a host name that cannot be resolved."""
    return outcomes.unreachable(failure)


@rules("aiohttp.RedirectClientError")
def redirect_address(_: Failure) -> ToolError:
    """A redirect to an address that no request can be made for."""
    return outcomes.redirected("The service redirects to an unusable address.")


@rules("aiohttp.InvalidURL", "aiohttp.NonHttpUrlClientError")
def url(failure: Failure) -> ToolError:
    """An address that no request can be made for."""
    return outcomes.bad_url(failure, failure.look("url"))


@rules("aiohttp.ClientPayloadError")
def payload(failure: Failure) -> ToolError:
    """The answer ends too early, or is not compressed the way it says."""
    encoded = any(failure.about(one).matches("aiohttp.ContentEncodingError") for one in failure.exceptions)
    return outcomes.unreadable() if encoded or failure.says("can not decode") else outcomes.dropped()


@rules("aiohttp.ServerDisconnectedError", "aiohttp.ClientOSError")
def dropped(_: Failure) -> ToolError:
    """The connection was dropped or reset midway."""
    return outcomes.dropped()


@rules("aiohttp.ClientConnectionError", "aiohttp.WSMessageTypeError")
def misuse(_: Failure) -> ToolError:
    """The tool uses a session that is closed, or reads another type of message than came."""
    return outcomes.misuse()
