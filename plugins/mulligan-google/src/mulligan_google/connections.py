"""Connections of Google's libraries: requests, httplib2 and aiohttp lie below, and their exceptions are let through."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolConnectionError, ToolError, ToolTimeoutError
from mulligan_google.answers import rules

_LIBRARIES = (
    "googleapiclient",
    "google.cloud",
    "google.api_core",
    "google.auth",
    "google.resumable_media",
    "gspread",
    "googlemaps",
    "firebase_admin",
)
_SLOW = (
    "requests.exceptions.Timeout",
    "TimeoutError",
    "urllib3.exceptions.ReadTimeoutError",
    "aiohttp.ServerTimeoutError",
    "googlemaps.exceptions.Timeout",
)
_UNSENT = ("requests.exceptions.ConnectTimeout",)
_DROPPED = (
    "ConnectionResetError",
    "ConnectionAbortedError",
    "BrokenPipeError",
    "ssl.SSLEOFError",
    "ssl.SSLZeroReturnError",
    "http.client.RemoteDisconnected",
    "http.client.IncompleteRead",
    "http.client.BadStatusLine",
    "requests.exceptions.ChunkedEncodingError",
    "urllib3.exceptions.ProtocolError",
    "aiohttp.ServerDisconnectedError",
    "aiohttp.ClientPayloadError",
)
_UNREACHABLE = (
    "httplib2.error.ServerNotFoundError",
    "ConnectionRefusedError",
    "socket.gaierror",
    "ssl.SSLError",
    "requests.exceptions.SSLError",
    "requests.exceptions.ProxyError",
    "urllib3.exceptions.NewConnectionError",
    "aiohttp.ClientConnectorError",
)
_RAW = (
    "requests.exceptions.RequestException",
    "httplib2.error.HttpLib2Error",
    "aiohttp.ClientError",
    "http.client.HTTPException",
    "OSError",
)


def connection(failure: Failure) -> ToolError:
    """What a failed connection means, by the exception, its causes, and what they wrap.

    Args:
        failure: what happened.
    """
    links = [failure, *(failure.about(link) for link in failure.exceptions[1:])]
    for link in links[:]:
        links += [link.about(wrapped) for wrapped in _wrapped(link)]

    def met(names: tuple[str, ...]) -> bool:
        return any(link.matches(*names) for link in links)

    if met(_UNSENT):
        return ToolTimeoutError("The connection to Google timed out; nothing was sent.", effect="none")
    if met(_SLOW):
        return ToolTimeoutError("Google did not respond in time.", effect="possible")
    if met(_DROPPED):
        message = "The connection to Google was dropped mid-request."
        return ToolConnectionError(message, fatal=False, transient=True, effect="possible")
    return ToolConnectionError("Google cannot be reached.", effect="none" if met(_UNREACHABLE) else "possible")


def _wrapped(failure: Failure) -> list[Exception]:
    """requests wraps urllib3's exception, and that one's `reason` another."""
    args = failure.look("args")
    inner = args[0] if isinstance(args, tuple) and args else None
    reason = failure.about(inner).look("reason") if isinstance(inner, Exception) else None
    return [found for found in (inner, reason) if isinstance(found, Exception)]


@rules("googlemaps.exceptions.Timeout", "googlemaps.exceptions.TransportError")
def maps_connection(failure: Failure) -> ToolError | None:
    """The Maps web services did not answer."""
    base = failure.look("base_exception")
    return connection(failure.about(base) if isinstance(base, Exception) else failure)


@rules(*_RAW)
def let_through(failure: Failure) -> ToolError | None:
    """A connection error that one of Google's libraries let through: its traceback tells which."""
    if (
        failure.status is not None
        or isinstance(failure.look("filename"), (str, bytes))
        or failure.came_through(*_LIBRARIES) is None
    ):
        return None
    return connection(failure)
