"""requests, whose exceptions hold urllib3's as their first argument instead of as their cause."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_http import outcomes, urllib3

rules = Rules()
_QUOTED = re.compile(r"'([^']{1,200})'")


@rules("requests.InvalidProxyURL", "requests.ProxyError")
def proxy(failure: Failure) -> ToolError:
    """The proxy is misconfigured, unreachable, refuses the request or requires credentials."""
    return outcomes.proxy(failure, urllib3.tunnel_status(failure))


@rules("requests.MissingSchema", "requests.InvalidSchema", "requests.InvalidURL", "requests.URLRequired")
def url(failure: Failure) -> ToolError:
    """A URL that cannot be requested."""
    match = _QUOTED.search(failure.text)
    return outcomes.bad_url(failure, match[1] if match else None)


@rules("requests.InvalidHeader")
def header(failure: Failure) -> ToolError:
    """A header that cannot be sent."""
    return outcomes.bad_header(failure)


@rules("requests.TooManyRedirects")
def redirects(failure: Failure) -> ToolError:
    """A redirect loop, or too many redirects."""
    return outcomes.redirected(failure)


@rules("requests.JSONDecodeError")
def not_json(failure: Failure) -> ToolError:
    """The response is not JSON."""
    return outcomes.unreadable(failure, "The service returned a response that is not JSON.")


@rules("requests.InvalidJSONError")
def json_argument(failure: Failure) -> ToolError:
    """The request's data cannot be serialized as JSON, such as NaN: nothing was sent."""
    return m.error_of(failure, m.ARGUMENT, message="The request data cannot be written as JSON.")


@rules("requests.ContentDecodingError")
def decoding(failure: Failure) -> ToolError:
    """A response whose body does not match its `Content-Encoding`."""
    return outcomes.unreadable(failure)


@rules("requests.StreamConsumedError", "requests.UnrewindableBodyError")
def misuse(failure: Failure) -> ToolError:
    """The tool reads a response twice, or sends a stream twice."""
    return outcomes.misuse(failure)


@rules("requests.ConnectionError", "requests.Timeout", "requests.ChunkedEncodingError")
def connection(failure: Failure) -> ToolError:
    """No connection, no response in time, or a connection dropped midway."""
    return outcomes.connection(failure)
