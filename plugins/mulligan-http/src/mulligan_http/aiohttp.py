"""aiohttp, whose exceptions keep only the status and headers of the response."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_http import outcomes

rules = Rules()


@rules("aiohttp.ClientHttpProxyError")
def proxy_answer(failure: Failure) -> ToolError:
    """The proxy itself responded with an error."""
    return outcomes.proxy(failure, failure.status)


@rules("aiohttp.TooManyRedirects")
def redirects(failure: Failure) -> ToolError:
    """A redirect loop, or too many redirects."""
    return outcomes.redirected(failure)


@rules("aiohttp.ClientResponseError")
def answer(failure: Failure) -> ToolError | None:
    """A response that is not HTTP, reported by aiohttp as status 400, or has an unexpected content type."""
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
    """The proxy is unreachable."""
    return outcomes.proxy(failure)


@rules("aiohttp.RedirectClientError")
def redirect_address(failure: Failure) -> ToolError:
    """A redirect to an invalid URL."""
    return outcomes.redirected(failure, "The service redirects to an unusable address.")


@rules("aiohttp.InvalidURL", "aiohttp.NonHttpUrlClientError")
def url(failure: Failure) -> ToolError:
    """A URL that cannot be requested."""
    return outcomes.bad_url(failure, failure.look("url"))


@rules("aiohttp.UploadAbortedError")
def upload(failure: Failure) -> ToolError:
    """The server responded or closed the connection before receiving the whole request."""
    return m.error_of(failure, m.DROPPED, service="the service")


@rules("aiohttp.WebSocketError")
def web_socket(failure: Failure) -> ToolError:
    """Data that is not valid in the WebSocket protocol."""
    return outcomes.unreadable(failure, "The data of the web socket is invalid.")


@rules("aiohttp.ClientConnectionError")
def connection(failure: Failure) -> ToolError:
    """No connection, no response in time, or a connection dropped midway, unless the tool uses a closed session."""
    is_closed = failure.says("connector is closed", "session is closed", "connection closed")
    return outcomes.misuse(failure) if is_closed else outcomes.connection(failure)
