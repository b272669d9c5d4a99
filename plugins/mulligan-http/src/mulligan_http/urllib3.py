"""urllib3, the basis of requests and others. The class shows how far a request got."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError, status_error
from mulligan.plugin import meanings as m
from mulligan_http import outcomes

rules = Rules()
_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3})\b")
_TOO_MANY = re.compile(r"too many (\d{3}) error responses")


@rules("urllib3.MaxRetryError")
def last_attempt(failure: Failure) -> ToolError | None:
    """Retries are exhausted: the reason of the last failure decides."""
    reason = failure.look("reason")
    error = rules.decide(failure.about(reason)) if isinstance(reason, BaseException) else None
    if error is not None and error.retry_after is None and error.transient:
        error.retry_after = Failure(value=_last_answer(failure.exception)).retry_after
    return error


@rules("urllib3.ResponseError")
def answers(failure: Failure) -> ToolError:
    """Every attempt received the same error status, or a redirect."""
    status = _TOO_MANY.search(failure.text)
    if status is not None:
        return status_error(failure, int(status[1]))
    if failure.says("too many redirects"):
        return outcomes.redirected(failure)
    message = "Every attempt failed with an error from the service."
    return m.error_of(failure, m.UNAVAILABLE, message=message)


@rules("urllib3.ProxyError", "urllib3.ProxySchemeUnknown", "urllib3.ProxySchemeUnsupported")
def proxy(failure: Failure) -> ToolError:
    """The proxy is unreachable, refuses the request, requires credentials or is misconfigured."""
    return outcomes.proxy(failure, tunnel_status(failure))


def tunnel_status(failure: Failure) -> int | None:
    """The status with which a proxy refused to connect, or None."""
    status = _TUNNEL.search(f"{failure.text} {failure.look('original_error')}")
    return int(status[1]) if status else None


@rules("urllib3.LocationValueError")
def location(failure: Failure) -> ToolError:
    """A URL without a host, or with an unknown scheme."""
    return outcomes.bad_url(failure, failure.look("location"))


@rules("urllib3.EmptyPoolError", "urllib3.FullPoolError")
def pool_in_use(failure: Failure) -> ToolError:
    """All connections are in use: nothing was sent."""
    message = "All connections to the service are in use."
    return m.error_of(failure, m.UNAVAILABLE, message=message, effect="none")


@rules(
    "urllib3.ClosedPoolError", "urllib3.HostChangedError", "urllib3.UnrewindableBodyError", "urllib3.TimeoutStateError"
)
def misuse(failure: Failure) -> ToolError:
    """The tool misuses the client."""
    return outcomes.misuse(failure)


@rules("urllib3.DecodeError", "urllib3.InvalidHeader", "urllib3.HeaderParsingError", "urllib3.BodyNotHttplibCompatible")
def decoding(failure: Failure) -> ToolError:
    """A response whose body does not match its `Content-Encoding`, or with an invalid header."""
    return outcomes.unreadable(failure)


@rules(
    "urllib3.TimeoutError",
    "urllib3.SSLError",
    "urllib3.NewConnectionError",
    "urllib3.ProtocolError",
    "urllib3.IncompleteRead",
    "urllib3.InvalidChunkLength",
)
def connection(failure: Failure) -> ToolError:
    """No connection, no response in time, or a connection dropped midway."""
    return outcomes.connection(failure)


def _last_answer(exception: BaseException | None) -> object:
    """The response to the last attempt, which urllib3 keeps only in the frame that raised."""
    trace = exception.__traceback__ if exception is not None else None
    while trace is not None:
        if (
            trace.tb_frame.f_globals.get("__name__") == "urllib3.connectionpool"
            and "response" in trace.tb_frame.f_locals
        ):
            return trace.tb_frame.f_locals["response"]
        trace = trace.tb_next
    return None
