"""requests, which keeps the exception of urllib3 as its first argument instead of as its cause."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolArgumentError, ToolError
from mulligan_http import for_urllib3, outcomes

rules = Rules()
_QUOTED = re.compile(r"'([^']{1,200})'")


@rules("requests.RequestException")
def underneath(failure: Failure) -> ToolError | None:
    """What urllib3 says, where requests passes on an exception of it."""
    inner = next((one for one in failure.look("args") or () if isinstance(one, BaseException)), None)
    return None if inner is None else for_urllib3.rules.decide(failure.about(inner))


@rules("requests.InvalidProxyURL", "requests.ProxyError")
def proxy(_: Failure) -> ToolError:
    """The proxy is not set up right, or cannot be reached."""
    return outcomes.proxy()


@rules("requests.MissingSchema", "requests.InvalidSchema", "requests.InvalidURL", "requests.URLRequired")
def url(failure: Failure) -> ToolError:
    """An address that no request can be made for."""
    told = _QUOTED.search(failure.text)
    return outcomes.bad_url(failure, told[1] if told else None)


@rules("requests.InvalidHeader")
def header(_: Failure) -> ToolError:
    """A header that cannot be sent, such as one with a line break: nothing was sent."""
    return ToolArgumentError("A request header contains invalid characters.")


@rules("requests.ConnectTimeout")
def connect_timeout(_: Failure) -> ToolError:
    """No connection in time: nothing was sent."""
    return outcomes.timed_out(sent=False)


@rules("requests.Timeout")
def read_timeout(_: Failure) -> ToolError:
    """No answer in time: the request was sent."""
    return outcomes.timed_out(sent=True)


@rules("requests.SSLError")
def tls(failure: Failure) -> ToolError:
    """A certificate or a handshake that failed."""
    return outcomes.insecure(failure)


@rules("requests.TooManyRedirects")
def redirects(_: Failure) -> ToolError:
    """A loop of redirects, or more than are followed."""
    return outcomes.redirected()


@rules("requests.JSONDecodeError")
def not_json(_: Failure) -> ToolError:
    """The answer is not JSON."""
    return outcomes.unreadable("The service returned a response that is not JSON.")


@rules("requests.InvalidJSONError")
def json_argument(_: Failure) -> ToolError:
    """The request's own data cannot be written as JSON, such as NaN: nothing was sent."""
    return ToolArgumentError("The request data cannot be written as JSON.")


@rules("requests.ContentDecodingError")
def decoding(_: Failure) -> ToolError:
    """An answer that is not compressed the way it says."""
    return outcomes.unreadable()


@rules("requests.StreamConsumedError", "requests.UnrewindableBodyError")
def misuse(_: Failure) -> ToolError:
    """The tool reads an answer twice, or sends a stream twice."""
    return outcomes.misuse()


@rules("requests.ConnectionError", "requests.ChunkedEncodingError")
def dropped(_: Failure) -> ToolError:
    """The connection was dropped midway."""
    return outcomes.dropped()
