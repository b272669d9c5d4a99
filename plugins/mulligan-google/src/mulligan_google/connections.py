"""Connection errors of requests, httplib2, aiohttp and gRPC, which Google's libraries do not wrap."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError, transport_error
from mulligan.plugin import meanings as m

rules = Rules("google")
SERVICE = "Google"
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
_NO_CONNECTION = re.compile(
    r"failed to connect to (?:all addresses|remote host)|dns resolution failed|errors resolving |unresolved address",
    re.IGNORECASE,
)
_HANDSHAKE = re.compile(r"ssl_error_ssl|certificate_verify_failed|handshake failed", re.IGNORECASE)
_DROPPED = re.compile(
    r"stream removed|socket closed|(?:recvmsg|sendmsg|readv|writev?):|connection (?:reset|dropped|aborted)|broken pipe"
    r"|(?:received )?(?:http2 )?goaway|received rst_stream|transport (?:closed|is closing)",
    re.IGNORECASE,
)


def connection(failure: Failure) -> ToolError:
    """The meaning of a failed connection, from the exception, its causes and what they wrap."""
    return transport_error(failure, service=SERVICE) or m.error_of(
        failure, m.CONNECTION, service=SERVICE, http_status=None
    )


def meaning_of_grpc(status: str, text: str) -> m.Meaning | None:
    """What gRPC itself reports about a connection, by the start of its text; None for a response of the service.

    Args:
        status: the name of the status.
        text: its details.
    """
    if status == "UNAVAILABLE" and _NO_CONNECTION.match(text):
        return m.TLS if _HANDSHAKE.search(text) else m.UNREACHABLE
    return m.DROPPED if status in ("UNAVAILABLE", "UNKNOWN", "INTERNAL") and _DROPPED.match(text) else None


@rules(*_RAW)
def let_through(failure: Failure) -> ToolError | None:
    """A connection error that one of Google's libraries did not wrap. The traceback identifies the library."""
    if (
        failure.status is not None
        or isinstance(failure.look("filename"), (str, bytes))
        or failure.came_through(*_LIBRARIES) is None
    ):
        return None
    return connection(failure)
