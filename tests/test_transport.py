"""What a failed connection means: one answer, whichever client raised it and however it is wrapped."""

from __future__ import annotations

import errno
import http.client
import socket
import ssl

import pytest

from mulligan.errors import ToolArgumentError, ToolConnectionError, ToolTimeoutError
from mulligan.plugin import Failure, transport_error


def named(module: str, name: str, *bases: type[BaseException]) -> type[BaseException]:
    """A class of a client that is not installed here; the packages' own tests raise the real ones."""
    return type(name, bases or (Exception,), {"__module__": module})


REQUESTS, URLLIB3, HTTPX, AIOHTTP = "requests.exceptions", "urllib3.exceptions", "httpx", "aiohttp.client_exceptions"
CONNECTION = named(REQUESTS, "ConnectionError", OSError)
EOF = ssl.SSLEOFError(8, "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol")
CERTIFICATE = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")
GONE = http.client.RemoteDisconnected("Remote end closed connection without response")


def retried(reason: BaseException) -> BaseException:
    """As urllib3 raises it, which keeps the reason in a field."""
    error = named(URLLIB3, "MaxRetryError")("Max retries exceeded")
    error.reason = reason
    return error


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


UNREACHABLE, UNSENT = (ToolConnectionError, "none", False), (ToolTimeoutError, "none", True)
DROPPED, SLOW = (ToolConnectionError, "possible", True), (ToolTimeoutError, "possible", True)
UNSURE, ADDRESS = (ToolConnectionError, "possible", False), (ToolArgumentError, "none", False)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), UNREACHABLE),
        (socket.gaierror(-2, "Name or service not known"), UNREACHABLE),
        (OSError(errno.EHOSTUNREACH, "No route to host"), UNREACHABLE),
        (CONNECTION(retried(named(URLLIB3, "NewConnectionError")("refused"))), UNREACHABLE),
        (caused(named(HTTPX, "ConnectError")("refused"), ConnectionRefusedError("refused")), UNREACHABLE),
        (named(AIOHTTP, "ClientConnectorDNSError", named(AIOHTTP, "ClientConnectorError"))("no"), UNREACHABLE),
        (named("botocore.exceptions", "EndpointConnectionError")("no"), UNREACHABLE),
        (named(REQUESTS, "ProxyError", CONNECTION)("no"), UNREACHABLE),
        (named(HTTPX, "ProxyError")("407"), UNREACHABLE),
        (named(REQUESTS, "InvalidProxyURL", named(REQUESTS, "InvalidURL"))("no"), UNREACHABLE),
        (named(REQUESTS, "ConnectTimeout", CONNECTION, named(REQUESTS, "Timeout"))("slow"), UNSENT),
        (CONNECTION(retried(named(URLLIB3, "ConnectTimeoutError")("slow"))), UNSENT),
        (named(HTTPX, "PoolTimeout")("slow"), UNSENT),
        (named(AIOHTTP, "ConnectionTimeoutError", TimeoutError)("slow"), UNSENT),
        (TimeoutError("slow"), SLOW),
        (named(REQUESTS, "ReadTimeout", named(REQUESTS, "Timeout"))("slow"), SLOW),
        (named("httpcore", "ReadTimeout", named("httpcore", "TimeoutException"))("slow"), SLOW),
        (ConnectionResetError(errno.ECONNRESET, "reset"), DROPPED),
        (GONE, DROPPED),
        (CONNECTION(named(URLLIB3, "ProtocolError")("Connection aborted.", GONE)), DROPPED),
        (CONNECTION("gone"), DROPPED),
        (named(HTTPX, "RemoteProtocolError")("gone"), DROPPED),
        (named(AIOHTTP, "ServerDisconnectedError")("gone"), DROPPED),
        (http.client.BadStatusLine("garbage"), UNSURE),
        (CONNECTION(named(URLLIB3, "ProtocolError")("no", http.client.BadStatusLine("x"))), UNSURE),
        (named(AIOHTTP, "ClientConnectionError")("Connector is closed."), UNSURE),
        (named(REQUESTS, "MissingSchema")("No scheme"), ADDRESS),
        (http.client.InvalidURL("no"), ADDRESS),
        (named(HTTPX, "UnsupportedProtocol")("no"), ADDRESS),
    ],
)
def test_what_a_failed_connection_means(raised: BaseException, expected: object) -> None:
    error = transport_error(Failure(raised))

    assert error is not None
    assert (type(error), error.effect, error.transient) == expected


SSL = named(REQUESTS, "SSLError", CONNECTION)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (SSL(retried(EOF)), DROPPED),
        (SSL("[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:1006)"), DROPPED),
        (EOF, DROPPED),
        (ssl.SSLZeroReturnError("closed"), DROPPED),
        (named("botocore.exceptions", "SSLError")("SSL validation failed: EOF occurred in violation"), DROPPED),
        (SSL(retried(CERTIFICATE)), UNREACHABLE),
        (CERTIFICATE, UNREACHABLE),
        (SSL("[SSL: WRONG_VERSION_NUMBER] wrong version number"), UNREACHABLE),
        (caused(named(HTTPX, "ConnectError")("EOF"), EOF), UNREACHABLE),  # the connection was never made
        (SSL("read operation failed"), UNSURE),
    ],
)
def test_the_certificate_and_the_handshake_come_before_the_request(raised: BaseException, expected: object) -> None:
    error = transport_error(Failure(raised))

    assert error is not None
    assert (type(error), error.effect, error.transient) == expected


@pytest.mark.parametrize("raised", [ValueError("refused"), named(REQUESTS, "TooManyRedirects")("30"), KeyError("url")])
def test_other_failures_are_left_alone(raised: BaseException) -> None:
    assert transport_error(Failure(raised)) is None


def test_the_message_names_the_service() -> None:
    messages = [
        transport_error(Failure(raised), service="Slack")
        for raised in (ConnectionRefusedError("no"), TimeoutError("slow"), ConnectionResetError("gone"), CERTIFICATE)
    ]

    assert [error and error.message for error in messages] == [
        "Slack cannot be reached.",
        "Slack did not respond in time.",
        "The connection to Slack was dropped mid-request.",
        "The TLS connection to Slack could not be established.",
    ]


def test_a_host_that_the_call_names_may_be_misspelt() -> None:
    error = transport_error(Failure(ConnectionRefusedError("no"), arguments={"url": "https://exmaple.org"}))

    assert error is not None and not error.fatal
