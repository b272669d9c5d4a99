"""What a failed connection means, whichever client made it: was the request sent, and may it be sent again?

Clients wrap one another's exceptions (requests those of urllib3, that those of http.client and ssl), so the whole chain is
read, and the class that says most decides. None of the clients is imported.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from typing import Unpack

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.errors import ErrorFields, ToolError
from mulligan.lazy import lazy_pattern

INVALID_URL = m.ARGUMENT._replace(message="The address is not a valid URL")
PROXY = m.UNREACHABLE._replace(message="The proxy cannot be reached, or does not connect to the service")
NOT_HTTP = m.CONNECTION._replace(message="The server does not speak HTTP")
UNSURE_TLS = m.TLS._replace(message="The TLS connection failed", effect="possible")


def _of(packages: str, names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for package in packages.split() for name in names.split())


_HTTPX = "httpx httpx2 httpcore httpcore2"
_PROXY = (
    *_of("requests", "ProxyError InvalidProxyURL"),
    *_of("urllib3", "ProxyError ProxySchemeUnknown ProxySchemeUnsupported"),
    *_of(_HTTPX, "ProxyError"),
    "aiohttp.ClientProxyConnectionError",
    "botocore.exceptions.ProxyConnectionError",
)
_INVALID_URL = (
    *_of("requests", "MissingSchema InvalidSchema InvalidURL URLRequired"),
    *_of(_HTTPX, "UnsupportedProtocol InvalidURL"),
    "urllib3.LocationValueError",
    "aiohttp.InvalidURL",
    "aiohttp.NonHttpUrlClientError",
    "http.client.InvalidURL",
)
_TLS = (
    *_of("ssl requests urllib3", "SSLError"),
    *_of("aiohttp", "ClientSSLError ClientConnectorCertificateError ServerFingerprintMismatch"),
    "ssl.CertificateError",
    "botocore.exceptions.SSLError",
    "elastic_transport.TlsError",
    "opensearchpy.SSLError",
)
_CERTIFICATE = (
    *_of("ssl", "SSLCertVerificationError CertificateError"),
    *_of("aiohttp", "ClientConnectorCertificateError ServerFingerprintMismatch"),
)
_TLS_EOF = ("ssl.SSLEOFError", "ssl.SSLZeroReturnError", "ssl.SSLSyscallError")
_CONNECTING = (*_of(_HTTPX, "ConnectError"), "aiohttp.ClientConnectorError", "aiohttp.ClientConnectorSSLError")
_UNREACHABLE = (
    *_CONNECTING,
    "builtins.ConnectionRefusedError",
    *_of("socket", "gaierror herror"),
    "urllib3.NewConnectionError",
    "botocore.exceptions.EndpointConnectionError",
    "httplib2.ServerNotFoundError",
)
_NOT_SENT = (
    *_of(_HTTPX, "ConnectTimeout PoolTimeout"),
    "requests.ConnectTimeout",
    "urllib3.ConnectTimeoutError",
    "aiohttp.ConnectionTimeoutError",
    "botocore.exceptions.ConnectTimeoutError",
)
_TIMEOUT = (
    "builtins.TimeoutError",
    "requests.Timeout",
    "urllib3.TimeoutError",
    *_of(_HTTPX, "TimeoutException"),
    "aiohttp.ServerTimeoutError",
    "botocore.exceptions.ReadTimeoutError",
    "elastic_transport.ConnectionTimeout",
    "opensearchpy.ConnectionTimeout",
    "googlemaps.exceptions.Timeout",
)
_DROPPED = (
    *_of("builtins", "ConnectionResetError ConnectionAbortedError BrokenPipeError"),
    *_of("http.client", "RemoteDisconnected IncompleteRead"),
    *_of("urllib3", "IncompleteRead InvalidChunkLength"),
    *_of(_HTTPX, "ReadError WriteError CloseError"),
    *_of("aiohttp", "ServerDisconnectedError ClientPayloadError http_exceptions.PayloadEncodingError"),
    "requests.ChunkedEncodingError",
    "asyncio.IncompleteReadError",
    *_of("botocore.exceptions", "ConnectionClosedError ResponseStreamingError IncompleteReadError"),
)
_NOT_HTTP = ("http.client.BadStatusLine", "http.client.UnknownProtocol", "http.client.LineTooLong")
_LIKELY_DROPPED = (  # broader classes, of which nothing narrower is known
    "urllib3.ProtocolError",
    *_of(_HTTPX, "RemoteProtocolError NetworkError"),
    "aiohttp.ClientOSError",
    "requests.ConnectionError",
    "botocore.exceptions.HTTPClientError",
)
_OTHER = (
    *_of(_HTTPX, "TransportError"),
    "aiohttp.ClientConnectionError",
    "botocore.exceptions.ConnectionError",
    *_of("elastic_transport opensearchpy", "ConnectionError"),
    "httplib2.HttpLib2Error",
)
_IN_ORDER = (
    (m.UNREACHABLE, _UNREACHABLE),
    (m.NOT_SENT, _NOT_SENT),
    (m.TIMEOUT, _TIMEOUT),
    (m.DROPPED, _DROPPED),
    (NOT_HTTP, _NOT_HTTP),
    (m.DROPPED, _LIKELY_DROPPED),
    (m.CONNECTION, _OTHER),
)
_NO_ROUTE = frozenset((errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL))
_EOF_WORDS = lazy_pattern(r"EOF occurred|UNEXPECTED_EOF|connection was closed|connection reset", re.IGNORECASE)
_HANDSHAKE_WORDS = lazy_pattern(
    r"certificate|handshake|hostname|WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|UNKNOWN_PROTOCOL|VERSION_TOO_LOW|_ALERT_"
    r"|NO_CIPHERS|NO_SHARED_CIPHER|KEY_TOO_SMALL|MD_TOO_WEAK",
    re.IGNORECASE,
)


def transport_error(failure: Failure, *, service: str | None = None, **fields: Unpack[ErrorFields]) -> ToolError | None:
    """The error for a failed connection of any client: requests, urllib3, httpx, aiohttp, http.client, socket, botocore ...

    | what failed | error | effect |
    |---|---|---|
    | no connection: refused, unknown name, no route, proxy | `ToolConnectionError` | none |
    | no connection in time | `ToolTimeoutError` | none |
    | certificate or handshake | `ToolConnectionError` | none |
    | no answer in time | `ToolTimeoutError` | possible |
    | the connection ended midway, also within TLS | `ToolConnectionError`, transient | possible |
    | the address is no URL | `ToolArgumentError` | none |

    Args:
        failure: the failure to classify; its causes, and the exceptions that it holds, are read, too.
        service: the name of the service, which the message then uses; by default, that of the failure's provider.
        fields: attributes of the error; they override those read from the failure.

    Returns:
        The error, or None if no exception of the chain is one of a connection.
    """
    meaning = _meaning_of((failure, *failure.inner))
    if meaning is None:
        return None
    fields.setdefault("http_status", None)
    return m.error_of(failure, meaning, service=service, **fields)


def _meaning_of(chain: tuple[Failure, ...]) -> m.Meaning | None:
    def met(names: Iterable[str]) -> bool:
        return any(one.matches(*names) for one in chain)

    if met(_PROXY):
        return PROXY
    if met(_INVALID_URL):
        return INVALID_URL
    if met(_TLS):
        return _meaning_of_tls(
            chain, is_connecting=met(_CONNECTING), has_ended=met(_TLS_EOF), is_certificate=met(_CERTIFICATE)
        )
    if any(one.field("errno") in _NO_ROUTE for one in chain if isinstance(one.exception, OSError)):
        return m.UNREACHABLE
    return next((meaning for meaning, names in _IN_ORDER if met(names)), None)


def _meaning_of_tls(
    chain: tuple[Failure, ...], *, is_connecting: bool, has_ended: bool, is_certificate: bool
) -> m.Meaning:
    if is_certificate or is_connecting:
        return m.TLS
    texts = " ".join(one.text[:1_000] for one in chain)
    if has_ended or _EOF_WORDS.search(texts):
        return m.DROPPED
    return m.TLS if _HANDSHAKE_WORDS.search(texts) else UNSURE_TLS
