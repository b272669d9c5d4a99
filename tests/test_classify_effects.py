"""Whether a failed call may have taken effect: what was sent and then timed out, broke or was cut off may have."""

from __future__ import annotations

import asyncio
import http.client
import socket
import ssl
import subprocess
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool, errors
from mulligan.plugin import Failure, meanings, status_error

SURE = (meanings.NOT_SENT, meanings.UNREACHABLE, meanings.TLS, meanings.UNIMPLEMENTED)
OPEN_CLASSES = (
    errors.ToolTimeoutError,
    errors.ToolUnavailableError,
    errors.ToolCancelledError,
    errors.ToolConnectionError,
    errors.ToolExecutionError,
)
ALL = [meaning for meaning in vars(meanings).values() if isinstance(meaning, meanings.Meaning)]


class Odd(Exception):
    def __init__(self, message: str = "odd", **stored: Any) -> None:
        super().__init__(message)
        self.__dict__.update(stored)


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


@pytest.mark.parametrize("meaning", ALL, ids=[str(number) for number in range(len(ALL))])
def test_only_what_surely_was_not_sent_or_was_refused_had_no_effect(meaning):
    error = meanings.error_of(Failure(Odd()), meaning)
    if issubclass(meaning.cls, OPEN_CLASSES) and meaning not in SURE:
        assert error.effect == "possible"


@pytest.mark.parametrize("status", range(400, 600))
def test_every_status(status):
    error = status_error(Failure(Odd(status_code=status)))
    refused = status < 500 and status != 408
    never_reached = status in (501, 505, 507, 511, 522, 525, 526)
    assert error.effect == ("none" if refused or never_reached else "possible")


@pytest.mark.parametrize("code", ["timeout", "RequestTimeout", "DEADLINE_EXCEEDED", "gateway_timeout", "timed_out"])
@pytest.mark.parametrize("status", [400, 500, 502, 503])
def test_a_reason_that_says_timeout_counts_for_more_than_the_status(status, code):
    error = status_error(Failure(Odd(status_code=status, body={"code": code})))
    assert (type(error), error.effect) == (errors.ToolTimeoutError, "possible")


def test_a_503_that_asks_to_come_back_did_nothing():
    error = status_error(
        Failure(Odd(status_code=503, response=SimpleNamespace(status_code=503, headers={"Retry-After": "5"})))
    )
    assert (type(error), error.effect, error.retry_after) == (errors.ToolUnavailableError, "none", 5)


AFTER_SENDING: dict[str, BaseException] = {
    "timeout": TimeoutError("timed out"),
    "socket timeout": socket.timeout("timed out"),
    "errno of a timeout": TimeoutError(110, "Connection timed out"),
    "asyncio timeout": asyncio.TimeoutError(),
    "program": subprocess.TimeoutExpired("ls", 1),
    "reset": ConnectionResetError(104, "reset"),
    "broken pipe": BrokenPipeError(32, "Broken pipe"),
    "aborted": ConnectionAbortedError(103, "aborted"),
    "cut off": http.client.RemoteDisconnected("closed"),
    "cut short": http.client.IncompleteRead(b""),
    "TLS cut off": ssl.SSLEOFError(8, "EOF"),
    "stream": asyncio.IncompleteReadError(b"", 1),
    "cancelled": asyncio.CancelledError(),
    **{name: type(name, (Exception,), {})("odd") for name in """
        ReadTimeout ReadTimeoutError APITimeoutError NetworkTimeout ConnectionTimeout GatewayTimeout RequestTimeout WriteTimeout
        ServerDisconnectedError RemoteProtocolError ConnectionClosedError ConnectionResetByPeer BrokenPipeProblem ChunkedEncodingError
        InternalServerError ServerError BadGateway ServiceUnavailable OperationCancelled ConnectionError APIConnectionError NetworkError
    """.split()},
    **{text: RuntimeError(text) for text in (
        "Read timed out.", "The operation timed out after 30 s", "Connection reset by peer", "Connection closed by server",
        "Remote end closed connection without response", "Broken pipe", "deadline exceeded", "Service temporarily unavailable",
        "Internal server error", "The request was cancelled", "Failed to reach the server", "unexpected EOF",
    )},
}  # fmt: skip


@pytest.mark.parametrize("kind", AFTER_SENDING)
def test_what_breaks_after_sending_may_have_taken_effect(bare, kind):
    assert bare.classify(AFTER_SENDING[kind]).effect == "possible"
    outer = Odd("could not do it")
    outer.__cause__ = AFTER_SENDING[kind]
    assert bare.classify(outer).effect == "possible"


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(111, "refused"),
        socket.gaierror(-2, "Name or service not known"),
        ssl.SSLCertVerificationError(1, "self-signed certificate"),
        type("ConnectTimeout", (Exception,), {})("odd"),
        type("PoolTimeout", (Exception,), {})("odd"),
        RuntimeError("Connection refused"),
        RuntimeError("getaddrinfo ENOTFOUND api.example.invalid"),
    ],
)
def test_what_was_never_sent_had_no_effect(bare, error):
    assert bare.classify(error).effect == "none"


WORDS = st.sampled_from(
    "timeout timed out connection reset refused closed not found server read request error by peer the 404".split()
)


@given(st.lists(WORDS, max_size=8).map(" ".join), st.sampled_from([None, 408, 500, 502, 503, 504]))
def test_no_words_make_a_server_that_failed_a_server_that_did_nothing(text, status):
    with Pipeline(autoload=False) as pipeline:
        error = pipeline.classify(Odd(text, status_code=status) if status else TimeoutError(text))
    assert error.effect == "possible"


def test_the_tool_of_a_pipeline_that_times_out_says_so(make_pipeline, run):
    def send() -> None:
        raise TimeoutError("timed out")

    assert "It may have taken effect." in run(make_pipeline(send), "send").content


@pytest.mark.parametrize(
    ("text", "sent", "cls"),
    [
        (
            "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist",
            {"vmid": 999},
            errors.ResourceNotFoundError,
        ),
        ("no such user: kim", {"user": "kim", "force": True}, errors.ResourceNotFoundError),
        ("zone 'example.org' already exists", {"zone": "example.org"}, errors.ResourceConflictError),
        (
            "Configuration file 'nodes/pve1/qemu-server/999.conf' does not exist",
            {"vmid": 9},
            errors.ToolUnavailableError,
        ),
        ("no such user: kimberly", {"user": "kim"}, errors.ToolUnavailableError),
        ("template not found", {"user": "kim"}, errors.ToolUnavailableError),
        ("internal error while reading kim", {"user": "kim"}, errors.ToolUnavailableError),
    ],
)
def test_a_server_that_fails_over_a_value_that_was_sent_says_what_it_is(text, sent, cls):
    def act(**_: Any) -> None:
        raise Odd(text, status_code=500)

    with Pipeline([Tool.from_schema("act", "", {"type": "object"}, act)], autoload=False) as pipeline:
        error = pipeline.call("act", sent).error
    assert (type(error), error.http_status, error.effect) == (cls, 500, "possible")


def test_a_413_that_speaks_of_a_quota_is_one():
    error = status_error(Failure(Odd("File would exceed quota (300.9 of 300 MB)", status_code=413)))
    assert type(error) is errors.ToolQuotaError
    error = status_error(Failure(Odd("File is larger than 10 MB", status_code=413)))
    assert type(error) is errors.ToolArgumentError


def test_advice_to_upgrade_is_no_quota():
    error = status_error(Failure(Odd("Rate limit reached. Upgrade your plan for higher limits.", status_code=429)))
    assert type(error) is errors.ToolRateLimitError
    error = status_error(Failure(Odd("Storage limit reached, please upgrade your plan.", status_code=403)))
    assert type(error) is errors.ToolQuotaError
