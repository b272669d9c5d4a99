"""urllib3, which requests and much else is built on: the class says how far a request got."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError, ToolUnavailableError, status_error
from mulligan_http import outcomes

rules = Rules()
_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3})\b")
_TOO_MANY = re.compile(r"too many (\d{3}) error responses")


@rules("urllib3.MaxRetryError")
def last_attempt(failure: Failure) -> ToolError | None:
    """Retries are used up: what ended the last attempt decides."""
    reason = failure.look("reason")
    error = rules.decide(failure.about(reason)) if isinstance(reason, BaseException) else None
    if error is not None and error.retry_after is None and error.transient:
        error.retry_after = Failure(value=_last_answer(failure.exception)).retry_after
    return error


@rules("urllib3.ResponseError")
def answers(failure: Failure) -> ToolError:
    """Every attempt was answered with the same error status, or with a redirect."""
    status = _TOO_MANY.search(failure.text)
    if status is not None:
        return status_error(failure, int(status[1]))
    if failure.says("too many redirects"):
        return outcomes.redirected()
    return ToolUnavailableError("Every attempt failed with an error from the service.")


@rules("urllib3.ProxyError", "urllib3.ProxySchemeUnknown", "urllib3.ProxySchemeUnsupported")
def proxy(failure: Failure) -> ToolError:
    """The proxy cannot be reached, refuses, asks for credentials, or is not set up right."""
    status = _TUNNEL.search(f"{failure.text} {failure.look('original_error')}")
    return outcomes.proxy(int(status[1]) if status else None)


@rules("urllib3.NewConnectionError")
def no_connection(failure: Failure) -> ToolError:
    """A refused port, or a host name that cannot be resolved."""
    return outcomes.unreachable(failure)


@rules("urllib3.ConnectTimeoutError")
def connect_timeout(_: Failure) -> ToolError:
    """No connection in time: nothing was sent."""
    return outcomes.timed_out(sent=False)


@rules("urllib3.TimeoutError")
def read_timeout(_: Failure) -> ToolError:
    """No answer in time: the request was sent."""
    return outcomes.timed_out(sent=True)


@rules("urllib3.SSLError")
def tls(failure: Failure) -> ToolError:
    """A certificate that is refused comes before the request; another TLS failure may come after it."""
    return outcomes.insecure(failure)


@rules("urllib3.ProtocolError")
def protocol(failure: Failure) -> ToolError:
    """The connection was dropped or reset midway, or what answers is not HTTP."""
    inner = failure.about(_inner(failure))
    if inner.matches("http.client.HTTPException") and not inner.matches(
        "http.client.RemoteDisconnected", "http.client.IncompleteRead"
    ):
        return outcomes.not_http()
    return outcomes.dropped()


@rules("urllib3.IncompleteRead", "urllib3.InvalidChunkLength")
def incomplete(_: Failure) -> ToolError:
    """The answer ends too early."""
    return outcomes.dropped()


@rules("urllib3.DecodeError", "urllib3.InvalidHeader", "urllib3.BodyNotHttplibCompatible")
def decoding(_: Failure) -> ToolError:
    """An answer that is not compressed the way it says, or has a header that makes no sense."""
    return outcomes.unreadable()


@rules("urllib3.LocationValueError")
def location(failure: Failure) -> ToolError:
    """An address without a host, or with an unknown scheme."""
    return outcomes.bad_url(failure, failure.look("location"))


@rules("urllib3.EmptyPoolError", "urllib3.FullPoolError")
def pool_in_use(_: Failure) -> ToolError:
    """All connections are in use: nothing was sent."""
    return ToolUnavailableError("All connections to the service are in use.", effect="none")


@rules(
    "urllib3.ClosedPoolError", "urllib3.HostChangedError", "urllib3.UnrewindableBodyError", "urllib3.TimeoutStateError"
)
def misuse(_: Failure) -> ToolError:
    """The tool uses the client in a way that it does not allow."""
    return outcomes.misuse()


def _last_answer(exception: BaseException | None) -> object:
    """The answer to the last attempt: urllib3 keeps it nowhere but in the frame that gave up."""
    trace = exception.__traceback__ if exception is not None else None
    while trace is not None:
        if (
            trace.tb_frame.f_globals.get("__name__") == "urllib3.connectionpool"
            and "response" in trace.tb_frame.f_locals
        ):
            return trace.tb_frame.f_locals["response"]
        trace = trace.tb_next
    return None


def _inner(failure: Failure) -> BaseException:
    """The exception of the layer below, which urllib3 keeps among the arguments."""
    arguments = failure.look("args") or ()
    return next((one for one in reversed(arguments) if isinstance(one, BaseException)), Exception())
