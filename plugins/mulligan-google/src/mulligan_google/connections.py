"""Connections of Google's libraries: requests, httplib2 and aiohttp lie below, and their exceptions are let through."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolError, meanings, transport_error
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
    return transport_error(failure, service="Google") or meanings.error_of(
        failure, meanings.CONNECTION, service="Google", http_status=None
    )


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
