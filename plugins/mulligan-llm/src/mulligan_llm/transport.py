"""Connections and timeouts of language model SDKs: some wrap what their HTTP client raises, others let it through."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolConnectionError, ToolError, ToolTimeoutError

_UNSENT = tuple(f"{client}.{name}" for client in ("httpx", "httpx2") for name in ("ConnectTimeout", "PoolTimeout"))
_SLOW = ("httpx.TimeoutException", "httpx2.TimeoutException", "TimeoutError", "aiohttp.ServerTimeoutError", "requests.Timeout")
_DROPPED = tuple(
    f"{client}.{name}"
    for client in ("httpx", "httpx2")
    for name in ("ReadError", "WriteError", "CloseError", "RemoteProtocolError", "DecodingError")
) + (
    "aiohttp.ServerDisconnectedError", "aiohttp.ClientPayloadError", "aiohttp.ClientOSError", "requests.ChunkedEncodingError",
    "ConnectionResetError", "ConnectionAbortedError", "BrokenPipeError",
)  # fmt: skip
_UNREACHABLE = ("httpx.TransportError", "httpx2.TransportError", "aiohttp.ClientConnectorError", "requests.ConnectionError", "OSError")

RAW = ("httpx.TransportError", "httpx2.TransportError", "aiohttp.ClientError", "requests.RequestException")


def connection(failure: Failure, provider: str) -> ToolError:
    """What a failed connection means, by what the SDK's HTTP client met.

    Args:
        failure: what happened; the reason stands in its chain of causes.
        provider: the service.
    """
    links = [failure.about(link) for link in failure.exceptions]
    if any(link.matches(*_UNSENT) for link in links):
        return ToolTimeoutError("No connection to the service in time; nothing was sent.", effect="none", provider=provider)
    if any(link.matches(*_SLOW) for link in links):
        return timeout(provider)
    if any(link.matches("aiohttp.ClientConnectorError") for link in links) or not any(link.matches(*_DROPPED) for link in links):
        known = any(link.matches(*_UNREACHABLE) for link in links)
        return ToolConnectionError("The service cannot be reached.", effect="none" if known else "possible", provider=provider)
    message = "The connection to the service was dropped midway."
    return ToolConnectionError(message, fatal=False, transient=True, effect="possible", provider=provider)


def timeout(provider: str) -> ToolError:
    """The service did not answer in time.

    Args:
        provider: the service.
    """
    return ToolTimeoutError("The service did not answer in time.", effect="possible", provider=provider)


def came_through(failure: Failure, *packages: str) -> str | None:
    """The first of some packages whose code the exception passed, or None.

    Args:
        failure: what happened.
        packages: names of packages.
    """
    step = getattr(failure.exception, "__traceback__", None)
    for _ in range(200):
        if step is None:
            return None
        module = f"{step.tb_frame.f_globals.get('__name__')}."
        found = next((package for package in packages if module.startswith(f"{package}.")), None)
        if found:
            return found
        step = step.tb_next
    return None
