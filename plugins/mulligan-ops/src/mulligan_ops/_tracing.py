"""What the libraries below let through, told by the traceback: docker the exceptions of requests, paramiko of sockets."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolError, meanings

HTTP = ("requests.RequestException", "urllib3.exceptions.HTTPError", "aiohttp.ClientError", "TimeoutError")
_MEANINGS: tuple[tuple[tuple[str, ...], meanings.Meaning], ...] = (
    (("ssl.SSLError", "urllib3.exceptions.SSLError", "aiohttp.ClientSSLError"), meanings.TLS),
    (
        (
            "urllib3.exceptions.NewConnectionError",
            "aiohttp.ClientConnectorError",
            "ConnectionRefusedError",
            "FileNotFoundError",
            "socket.gaierror",
        ),
        meanings.UNREACHABLE,
    ),
    (("urllib3.exceptions.ConnectTimeoutError", "aiohttp.ConnectionTimeoutError"), meanings.NOT_SENT),
    (("urllib3.exceptions.TimeoutError", "requests.Timeout", "TimeoutError"), meanings.TIMEOUT),
    (
        (
            "urllib3.exceptions.ProtocolError",
            "requests.ConnectionError",
            "aiohttp.ServerDisconnectedError",
            "aiohttp.ClientOSError",
            "aiohttp.ClientPayloadError",
            "ConnectionError",
        ),
        meanings.DROPPED,
    ),
)


def classify_transport(failure: Failure) -> ToolError:
    """What an HTTP client met on the way to the service, by the chain of causes.

    Args:
        failure: what happened.
    """
    meaning = next((meaning for names, meaning in _MEANINGS if failure.met(*names)), meanings.CONNECTION)
    return meanings.error_of(failure, meaning, resource=None, http_status=None)
