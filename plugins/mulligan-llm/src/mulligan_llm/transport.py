"""Connections and timeouts of language model SDKs: some wrap what their HTTP client raises, others let it through."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolConnectionError, ToolError, ToolTimeoutError

_CLIENTS = ("httpx", "httpx2")


def _of_clients(*names: str) -> tuple[str, ...]:
    return tuple(f"{client}.{name}" for client in _CLIENTS for name in names)


_UNSENT = _of_clients("ConnectTimeout", "PoolTimeout")
_SLOW = (*_of_clients("TimeoutException"), "TimeoutError", "aiohttp.ServerTimeoutError", "requests.Timeout")
_UNREACHABLE = (
    *_of_clients("ConnectError", "ProxyError", "UnsupportedProtocol", "InvalidURL"),
    "aiohttp.ClientConnectorError",
    "ConnectionRefusedError",
    "socket.gaierror",
    "ssl.SSLCertVerificationError",
)
_DROPPED = (
    *_of_clients("ReadError", "WriteError", "CloseError", "ProtocolError", "DecodingError"),
    "aiohttp.ClientOSError",
    "aiohttp.ServerDisconnectedError",
    "aiohttp.ClientPayloadError",
    "requests.ChunkedEncodingError",
    "ConnectionResetError",
    "ConnectionAbortedError",
    "BrokenPipeError",
)

RAW = (*_of_clients("TransportError"), "aiohttp.ClientError", "requests.RequestException")


def connection(failure: Failure, provider: str) -> ToolError:
    """What a failed connection means, by what the SDK's HTTP client met.

    Args:
        failure: what happened; the reason stands in its chain of causes.
        provider: the service.
    """
    if failure.met(*_UNSENT):
        message = "The connection to the model service timed out; nothing was sent."
        return ToolTimeoutError(message, effect="none", provider=provider)
    if failure.met(*_SLOW):
        return timeout(provider)
    if failure.met(*_UNREACHABLE):
        return ToolConnectionError("The model service cannot be reached.", effect="none", provider=provider)
    if failure.met(*_DROPPED):
        message = "The connection to the model service was dropped mid-request."
        return ToolConnectionError(message, fatal=False, transient=True, effect="possible", provider=provider)
    return ToolConnectionError("The connection to the model service failed.", effect="possible", provider=provider)


def timeout(provider: str) -> ToolError:
    """The service did not answer in time.

    Args:
        provider: the service.
    """
    return ToolTimeoutError("The model service did not respond in time.", effect="possible", provider=provider)
