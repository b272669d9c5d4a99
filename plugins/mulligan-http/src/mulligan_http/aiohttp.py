"""aiohttp, whose answer is gone with the exception: only status and headers are left."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_http import outcomes

rules = Rules()


@rules("aiohttp.ClientHttpProxyError")
def proxy_answer(failure: Failure) -> ToolError:
    """The proxy itself answered with an error."""
    return outcomes.proxy(failure, failure.status)


@rules("aiohttp.TooManyRedirects")
def redirects(failure: Failure) -> ToolError:
    """A loop of redirects, or more than are followed."""
    return outcomes.redirected(failure)


@rules("aiohttp.ClientResponseError")
def answer(failure: Failure) -> ToolError | None:
    """An answer that is not HTTP, which aiohttp reports as status 400, or whose type is another one than expected."""
    cause = failure.exceptions[1:2]
    if cause and failure.about(cause[0]).matches("aiohttp.HttpProcessingError"):
        return outcomes.not_http(failure)
    if failure.matches("aiohttp.ContentTypeError") and failure.status is None:
        return outcomes.unreadable(failure, "The service returned an unexpected content type.")
    if failure.status is None:
        return m.error_of(failure, m.FAILED, message="The service returned an unexpected status.")
    return None


@rules("aiohttp.ClientProxyConnectionError")
def proxy(failure: Failure) -> ToolError:
    """The proxy cannot be reached."""
    return outcomes.proxy(failure)


@rules("aiohttp.RedirectClientError")
def redirect_address(failure: Failure) -> ToolError:
    """A redirect to an address that no request can be made for."""
    return outcomes.redirected(failure, "The service redirects to an unusable address.")


@rules("aiohttp.InvalidURL", "aiohttp.NonHttpUrlClientError")
def url(failure: Failure) -> ToolError:
    """An address that no request can be made for."""
    return outcomes.bad_url(failure, failure.look("url"))


@rules("aiohttp.ClientPayloadError")
def payload(failure: Failure) -> ToolError:
    """The answer ends too early, or is not compressed the way it says."""
    is_encoded = failure.met("aiohttp.ContentEncodingError") or failure.says("can not decode")
    return outcomes.unreadable(failure) if is_encoded else outcomes.connection(failure)


@rules("aiohttp.UploadAbortedError")
def upload(failure: Failure) -> ToolError:
    """The server answered or hung up before it had the whole request."""
    return m.error_of(failure, m.DROPPED, service="the service")


@rules("aiohttp.WebSocketError")
def web_socket(failure: Failure) -> ToolError:
    """Data that is none of a web socket's."""
    return outcomes.unreadable(failure, "The data of the web socket is invalid.")


@rules("aiohttp.ClientConnectionError")
def connection(failure: Failure) -> ToolError:
    """No connection, no answer in time, or a connection that ended midway, unless the tool uses a session that is closed."""
    is_closed = failure.says("connector is closed", "session is closed", "connection closed")
    return outcomes.misuse(failure) if is_closed else outcomes.connection(failure)
