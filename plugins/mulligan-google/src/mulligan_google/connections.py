"""Connections of Google's libraries: requests, httplib2 and aiohttp lie below, and their exceptions are let through."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolConnectionError, ToolError, ToolTimeoutError

from mulligan_google.answers import rules
from mulligan_google.tracing import came_through

_LIBRARIES = ("googleapiclient", "google.cloud", "google.api_core", "google.auth", "google.resumable_media", "gspread", "googlemaps", "firebase_admin")
_SLOW = ("requests.exceptions.Timeout", "TimeoutError", "urllib3.exceptions.ReadTimeoutError", "aiohttp.ServerTimeoutError", "googlemaps.exceptions.Timeout")
_DROPPED = (
    "ConnectionResetError", "ConnectionAbortedError", "BrokenPipeError", "http.client.RemoteDisconnected", "http.client.IncompleteRead",
    "http.client.BadStatusLine", "requests.exceptions.ChunkedEncodingError", "urllib3.exceptions.ProtocolError",
    "aiohttp.ServerDisconnectedError", "aiohttp.ClientPayloadError",
)  # fmt: skip
_RAW = (
    "requests.exceptions.RequestException", "httplib2.error.HttpLib2Error", "aiohttp.ClientError", "http.client.HTTPException", "OSError",
)  # fmt: skip


def connection(failure: Failure) -> ToolError:
    """What a failed connection means: the exception itself, its causes, or the one that requests wraps.

    Args:
        failure: what happened.
    """
    links = [failure, *(failure.about(link) for link in failure.exceptions[1:])]
    links += [link.about(wrapped) for link in links if isinstance(wrapped := _wrapped(link), Exception)]
    if any(link.matches("requests.exceptions.ConnectTimeout") for link in links):
        return ToolTimeoutError("No connection to Google in time; nothing was sent.", effect="none")
    if any(link.matches(*_SLOW) for link in links):
        return ToolTimeoutError("Google did not answer in time.", effect="possible")
    if any(link.matches(*_DROPPED) for link in links):
        return ToolConnectionError("The connection to Google was dropped midway.", fatal=False, transient=True, effect="possible")
    return ToolConnectionError("Google cannot be reached.", effect="none")


def _wrapped(failure: Failure) -> object:
    args = failure.look("args")
    return args[0] if isinstance(args, tuple) and args else None


@rules("googlemaps.exceptions.Timeout", "googlemaps.exceptions.TransportError")
def maps_connection(failure: Failure) -> ToolError | None:
    """The Maps web services did not answer."""
    base = failure.look("base_exception")
    return connection(failure.about(base) if isinstance(base, Exception) else failure)


@rules(*_RAW)
def let_through(failure: Failure) -> ToolError | None:
    """A connection error that one of Google's libraries let through: its traceback tells which."""
    if failure.status is not None or isinstance(failure.look("filename"), (str, bytes)) or came_through(failure, *_LIBRARIES) is None:
        return None
    return connection(failure)
