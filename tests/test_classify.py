"""What failures mean: everything that Python itself raises, whatever carries an HTTP status, and chains and groups of them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import errno
import http.client
import io
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mulligan import Failure, Pipeline, Policy, Tool, errors
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)


@pytest.fixture(scope="module")
def pipeline():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


def caught(make: Any) -> BaseException:
    try:
        make()
    except BaseException as error:
        return error
    raise AssertionError("it did not fail")


def os_error(number: int, path: str | None = None) -> OSError:
    return OSError(number, os.strerror(number), path)


# exception, class, code, fatal, effect, transient, resource
PYTHON: dict[str, tuple[Any, type[errors.ToolError], str, bool, str, bool, str | None]] = {
    "ENOENT": (lambda: open("no/such/file"), ResourceNotFoundError, "NOT_FOUND", False, "none", False, "no/such/file"),
    "ENOENT of a directory": (
        lambda: os.listdir("no/such/dir"),
        ResourceNotFoundError,
        "NOT_FOUND",
        False,
        "none",
        False,
        "no/such/dir",
    ),
    "ENOENT of a program": (
        lambda: subprocess.run(["no-such-program"]),
        ResourceNotFoundError,
        "NOT_FOUND",
        False,
        "none",
        False,
        "no-such-program",
    ),
    "ENOENT bare": (FileNotFoundError("a/b.ts"), ResourceNotFoundError, "NOT_FOUND", False, "none", False, "a/b.ts"),
    "ENOENT bare sentence": (
        FileNotFoundError("there is no such file"),
        ResourceNotFoundError,
        "NOT_FOUND",
        False,
        "none",
        False,
        None,
    ),
    "ENOENT bytes": (
        FileNotFoundError(2, "x", b"a/\xff"),
        ResourceNotFoundError,
        "NOT_FOUND",
        False,
        "none",
        False,
        "a/\ufffd",
    ),
    "EACCES": (
        os_error(errno.EACCES, "/etc/shadow"),
        ToolPermissionError,
        "PERMISSION_DENIED",
        False,
        "none",
        False,
        "/etc/shadow",
    ),
    "EPERM": (os_error(errno.EPERM, "/x"), ToolPermissionError, "PERMISSION_DENIED", False, "none", False, "/x"),
    "EROFS": (os_error(errno.EROFS, "/x"), ToolPermissionError, "PERMISSION_DENIED", False, "none", False, "/x"),
    "EACCES without a path": (
        PermissionError("no"),
        ToolPermissionError,
        "PERMISSION_DENIED",
        True,
        "none",
        False,
        None,
    ),
    "EEXIST": (lambda: os.mkdir("/"), ResourceConflictError, "ALREADY_EXISTS", False, "none", False, "/"),
    "EEXIST bare": (FileExistsError("x"), ResourceConflictError, "ALREADY_EXISTS", False, "none", False, None),
    "ENOTEMPTY": (
        os_error(errno.ENOTEMPTY, "/x"),
        ResourceConflictError,
        "FAILED_PRECONDITION",
        False,
        "none",
        False,
        "/x",
    ),
    "EBUSY": (os_error(errno.EBUSY, "/x"), ResourceConflictError, "FAILED_PRECONDITION", False, "none", False, "/x"),
    "EISDIR": (lambda: open("/"), ToolArgumentError, "INVALID_ARGUMENT", False, "none", False, "/"),
    "ENOTDIR": (os_error(errno.ENOTDIR, "/x"), ToolArgumentError, "INVALID_ARGUMENT", False, "none", False, "/x"),
    "ENAMETOOLONG": (
        os_error(errno.ENAMETOOLONG, "/x"),
        ToolArgumentError,
        "INVALID_ARGUMENT",
        False,
        "none",
        False,
        "/x",
    ),
    "ELOOP": (os_error(errno.ELOOP, "/x"), ToolArgumentError, "INVALID_ARGUMENT", False, "none", False, "/x"),
    "ENOSPC": (os_error(errno.ENOSPC, "/x"), ToolQuotaError, "RESOURCE_EXHAUSTED", True, "possible", False, "/x"),
    "EDQUOT": (os_error(errno.EDQUOT), ToolQuotaError, "RESOURCE_EXHAUSTED", True, "possible", False, None),
    "EMFILE": (os_error(errno.EMFILE), ToolUnavailableError, "UNAVAILABLE", False, "none", True, None),
    "EAGAIN": (BlockingIOError(errno.EAGAIN, "x"), ToolUnavailableError, "UNAVAILABLE", False, "none", True, None),
    "ECONNREFUSED": (
        ConnectionRefusedError(errno.ECONNREFUSED, "x"),
        ToolConnectionError,
        "UNAVAILABLE",
        True,
        "none",
        False,
        None,
    ),
    "ECONNREFUSED bare": (ConnectionRefusedError("x"), ToolConnectionError, "UNAVAILABLE", True, "none", False, None),
    "EHOSTUNREACH": (os_error(errno.EHOSTUNREACH), ToolConnectionError, "UNAVAILABLE", True, "none", False, None),
    "ENETUNREACH": (os_error(errno.ENETUNREACH), ToolConnectionError, "UNAVAILABLE", True, "none", False, None),
    "gaierror": (
        socket.gaierror(-2, "Name or service not known"),
        ToolConnectionError,
        "UNAVAILABLE",
        True,
        "none",
        False,
        None,
    ),
    "ECONNRESET": (
        ConnectionResetError(errno.ECONNRESET, "x"),
        ToolConnectionError,
        "UNAVAILABLE",
        False,
        "possible",
        True,
        None,
    ),
    "ECONNABORTED": (ConnectionAbortedError("x"), ToolConnectionError, "UNAVAILABLE", False, "possible", True, None),
    "EPIPE": (BrokenPipeError(errno.EPIPE, "x"), ToolConnectionError, "UNAVAILABLE", False, "possible", True, None),
    "disconnected": (
        http.client.RemoteDisconnected("x"),
        ToolConnectionError,
        "UNAVAILABLE",
        False,
        "possible",
        True,
        None,
    ),
    "ETIMEDOUT": (os_error(errno.ETIMEDOUT), ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible", True, None),
    "TimeoutError": (TimeoutError("x"), ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible", True, None),
    "subprocess timeout": (
        subprocess.TimeoutExpired("x", 3),
        ToolTimeoutError,
        "DEADLINE_EXCEEDED",
        False,
        "possible",
        True,
        None,
    ),
    "cancelled": (asyncio.CancelledError(), ToolCancelledError, "CANCELLED", False, "possible", False, None),
    "future cancelled": (
        concurrent.futures.CancelledError(),
        ToolCancelledError,
        "CANCELLED",
        False,
        "possible",
        False,
        None,
    ),
    "certificate": (
        ssl.SSLCertVerificationError(1, "x"),
        ToolConnectionError,
        "UNAVAILABLE",
        True,
        "none",
        False,
        None,
    ),
    "TLS end": (ssl.SSLEOFError(8, "x"), ToolConnectionError, "UNAVAILABLE", False, "possible", True, None),
    "JSON": (lambda: json.loads("{"), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "unicode": (lambda: b"\xff".decode(), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "program": (
        lambda: subprocess.run([sys.executable, "-c", "exit(3)"], check=True),
        ToolExecutionError,
        "INTERNAL",
        False,
        "possible",
        False,
        None,
    ),
    "import": (
        lambda: __import__("no_such_module_here"),
        ToolExecutionError,
        "INTERNAL",
        False,
        "possible",
        False,
        None,
    ),
    "import bare": (ImportError("x"), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "memory": (MemoryError(), ToolQuotaError, "RESOURCE_EXHAUSTED", False, "possible", False, None),
    "recursion": (RecursionError(), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "exit": (SystemExit(2), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "division": (lambda: 1 / 0, ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "overflow": (lambda: 2.0**10_000, ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "key": (lambda: {}["a"], ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "attribute": (lambda: None.x, ToolExecutionError, "INTERNAL", False, "possible", False, None),  # type: ignore[attr-defined]
    "assertion": (AssertionError("x"), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "not implemented": (NotImplementedError(), ToolExecutionError, "INTERNAL", False, "possible", False, None),
    "closed file": (lambda: closed_read(), ToolExecutionError, "INTERNAL", False, "possible", False, None),
}


def closed_read() -> None:
    file = io.StringIO()
    file.close()
    file.read()


@pytest.mark.parametrize("kind", PYTHON)
def test_what_python_raises(pipeline, kind):
    given, cls, code, fatal, effect, transient, resource = PYTHON[kind]
    exception = given if isinstance(given, BaseException) else caught(given)
    error = pipeline.classify(exception)
    assert type(error) is cls
    assert (error.code, error.fatal, error.effect, error.transient, error.resource) == (
        code,
        fatal,
        effect,
        transient,
        resource,
    )
    assert error.rule.startswith(("classify:", "host:"))
    assert error.__cause__ is exception
    assert error.user_message.endswith(".") or error.user_message == f"Resource not found: {resource}"
    assert pipeline.faults == ()


@pytest.mark.parametrize("kind", PYTHON)
def test_the_same_through_a_tool(make_pipeline, run, kind):
    given, cls, *_ = PYTHON[kind]

    def work() -> None:
        raise given if isinstance(given, BaseException) else caught(given)

    result = run(make_pipeline(work), "work")
    assert type(result.error) is cls
    assert result.content.startswith("Error executing tool work: ")
    assert "No such file or directory" not in result.content


BUGS = {
    "index": lambda: [][1],
    "type": lambda: 1 + "a",  # type: ignore[operator]
    "value": lambda: int("x"),
    "key": lambda: {}["user not found"],
    "invalid": lambda: throw(RuntimeError("row 7 is invalid")),
    "not found": lambda: throw(LookupError("customer not found")),
    "denied": lambda: throw(Exception("permission denied")),
    "exists": lambda: throw(Exception("order 7 already exists")),
    "rate": lambda: throw(Exception("too many requests, slow down")),
    "quota": lambda: throw(Exception("quota exceeded")),
    "unauthorized": lambda: throw(Exception("401 unauthorized: invalid api key")),
    "usage": lambda: throw(errors.UsageError("of another pipeline")),
    "reported": lambda: {"ok": False, "error": "invalid_arguments"},
    "reported, in words": lambda: {"error": "customer not found"},
}


def throw(error: BaseException) -> Any:
    raise error


@pytest.mark.parametrize("kind", BUGS)
def test_words_alone_never_say_that_nothing_happened(make_pipeline, run, kind):
    """A tool that may write and says some words after it wrote: nobody may conclude that nothing was written."""
    wrote = []

    def write(row: str) -> Any:
        wrote.append(row)
        return BUGS[kind]()

    def again(run, tool, call):
        yield run
        return (yield run)

    result = run(make_pipeline(write, middleware=[again]), "write", {"row": "a"})
    assert wrote == ["a"]
    assert result.error.effect != "none"
    assert "Nothing was run" not in result.content
    assert "exactly the same arguments" not in result.content


# --- HTTP


class Response:
    """An answer of an HTTP client."""

    def __init__(
        self, status: int, headers: dict[str, str] | None = None, url: str = "https://api.example.org/v1/orders/7?key=1"
    ) -> None:
        self.status_code, self.headers, self.url = status, headers or {}, url


class ClientError(Exception):
    """An error with an answer, as HTTP clients raise it."""

    def __init__(self, response: Response, text: str = "") -> None:
        super().__init__(text or f"{response.status_code} error for url {response.url}")
        self.response = response


class StatusError(Exception):
    def __init__(self, **fields: Any) -> None:
        super().__init__("failed")
        self.__dict__.update(fields)


STATUSES: dict[int, tuple[type[errors.ToolError], str, bool, str]] = {
    400: (ToolArgumentError, "INVALID_ARGUMENT", False, "none"),
    401: (ToolAuthenticationError, "UNAUTHENTICATED", True, "none"),
    402: (ToolQuotaError, "RESOURCE_EXHAUSTED", True, "none"),
    403: (ToolPermissionError, "PERMISSION_DENIED", True, "none"),
    404: (ResourceNotFoundError, "NOT_FOUND", False, "none"),
    407: (ToolAuthenticationError, "UNAUTHENTICATED", True, "none"),
    408: (ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible"),
    409: (ResourceConflictError, "ABORTED", False, "none"),
    410: (ResourceNotFoundError, "NOT_FOUND", False, "none"),
    412: (ResourceConflictError, "FAILED_PRECONDITION", False, "none"),
    413: (ToolArgumentError, "INVALID_ARGUMENT", False, "none"),
    414: (ToolArgumentError, "INVALID_ARGUMENT", False, "none"),
    421: (ToolUnavailableError, "UNAVAILABLE", False, "none"),
    422: (ToolArgumentError, "INVALID_ARGUMENT", False, "none"),
    423: (ResourceConflictError, "ABORTED", False, "none"),
    425: (ToolUnavailableError, "UNAVAILABLE", False, "none"),
    428: (ResourceConflictError, "FAILED_PRECONDITION", False, "none"),
    429: (ToolRateLimitError, "RESOURCE_EXHAUSTED", False, "none"),
    431: (ToolArgumentError, "INVALID_ARGUMENT", False, "none"),
    440: (ToolAuthenticationError, "UNAUTHENTICATED", True, "none"),
    451: (ToolPermissionError, "PERMISSION_DENIED", True, "none"),
    499: (errors.ToolCancelledError, "CANCELLED", False, "none"),
    500: (ToolUnavailableError, "UNAVAILABLE", False, "possible"),
    501: (ToolExecutionError, "UNIMPLEMENTED", False, "none"),
    502: (ToolUnavailableError, "UNAVAILABLE", False, "possible"),
    503: (ToolUnavailableError, "UNAVAILABLE", False, "possible"),
    504: (ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible"),
    505: (ToolExecutionError, "UNIMPLEMENTED", False, "none"),
    507: (ToolQuotaError, "RESOURCE_EXHAUSTED", True, "none"),
    511: (ToolAuthenticationError, "UNAUTHENTICATED", True, "none"),
    522: (ToolTimeoutError, "DEADLINE_EXCEEDED", False, "none"),
    524: (ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible"),
    525: (errors.ToolConnectionError, "UNAVAILABLE", True, "none"),
    526: (errors.ToolConnectionError, "UNAVAILABLE", True, "none"),
    598: (ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible"),
    599: (ToolTimeoutError, "DEADLINE_EXCEEDED", False, "possible"),
}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("carrier", ["response", "status_code", "status", "code", "http_status", "text status", "boto"])
def test_a_status_in_any_carrier(pipeline, status, carrier):
    cls, code, fatal, effect = STATUSES[status]
    exception: Exception = {
        "response": lambda: ClientError(Response(status)),
        "text status": lambda: StatusError(status=str(status)),
        "boto": lambda: StatusError(response={"ResponseMetadata": {"HTTPStatusCode": status, "HTTPHeaders": {}}}),
    }.get(carrier, lambda: StatusError(**{carrier: status}))()
    error = pipeline.classify(exception)
    assert type(error) is cls
    assert (error.code, error.fatal, error.effect, error.http_status) == (code, fatal, effect, status)
    assert "key=1" not in error.message


@pytest.mark.parametrize(
    "status", [True, 200, 302, 399, 600, 4_040, -404, 404.0, "4 04", "abc", None, [404], {"a": 404}]
)
def test_what_is_no_status_is_none(pipeline, status):
    error = pipeline.classify(StatusError(status_code=status, code=status))
    assert (type(error), error.http_status) == (ToolExecutionError, None)


def test_the_resource_of_a_404_is_the_path(pipeline):
    error = pipeline.classify(ClientError(Response(404)))
    assert error.resource == "/v1/orders/7"
    assert error.message == "Resource not found: /v1/orders/7"


def test_a_404_without_a_place_takes_the_argument_that_names_one(pipeline):
    found = pipeline.classify(StatusError(status_code=404), arguments={"order_id": "o-7", "limit": 3})
    assert (found.resource, found.message) == ("o-7", "Resource not found: o-7")
    assert pipeline.classify(StatusError(status_code=404), arguments={"limit": 3}).resource is None


@pytest.mark.parametrize(
    ("status", "headers", "text", "cls"),
    [
        (403, {"Retry-After": "3"}, "", ToolRateLimitError),
        (403, {"X-RateLimit-Remaining": "0"}, "", ToolRateLimitError),
        (403, {}, "You have exceeded a secondary rate limit", ToolRateLimitError),
        (403, {"X-RateLimit-Remaining": "12"}, "Forbidden", ToolPermissionError),
        (429, {}, "insufficient_quota: check your plan and billing details", ToolQuotaError),
        (429, {"Retry-After": "3"}, "quota exceeded for now", ToolRateLimitError),
        (429, {}, "slow down", ToolRateLimitError),
    ],
)
def test_a_rate_limit_and_a_quota_are_told_apart(pipeline, status, headers, text, cls):
    assert type(pipeline.classify(ClientError(Response(status, headers), text))) is cls


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Pump is restarting or running.", ResourceConflictError),
        ("The lift is moving", ResourceConflictError),
        ("Cannot add an entry because the ledger is closed", ResourceConflictError),
        ("Only pending transfers can be recalled", ResourceConflictError),
        ("Cut 7 is in state 3 (milled); a milled cut cannot be moved.", ResourceConflictError),
        ("start is past the end of the term", ToolArgumentError),
        ("Only letters and digits can be used", ToolArgumentError),
        ("Only one of start and end can be specified", ToolArgumentError),
        ("The value is over the maximum of 5", ToolArgumentError),
        ("version mismatch", ToolArgumentError),
        ("options conflict with each other", ToolArgumentError),
        ("The name is in use", ToolArgumentError),
        ("status is completed: not one of open, in_progress", ToolArgumentError),
        ("force must be true if the instance is running", ToolArgumentError),
        ("the amount is already over 500", ToolArgumentError),
        ("billing address is in state Texas", ToolArgumentError),
        ("unexpected token: expression is closed", ToolArgumentError),
        ("the rating is locked to 1-5", ToolArgumentError),
        ("The end cannot be before the start", ToolArgumentError),
        ("colour: only red, green and blue are accepted", ToolArgumentError),
        ("quantity must be at most 3", ToolArgumentError),
        ("name is a required property", ToolArgumentError),
        ("unexpected field 'paid'", ToolArgumentError),
    ],
)
def test_the_state_of_a_thing_is_no_argument(pipeline, status, text, cls):
    error = pipeline.classify(ClientError(Response(status), text))
    assert (type(error), error.effect, error.http_status) == (cls, "none", status)


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("The disk usage of this volume is too high, ask an administrator", ToolQuotaError),
        ("Storage quota exceeded for the account", ToolQuotaError),
        ("The file is larger than 10 MB", ToolArgumentError),
        ("Your file is 20 MB; only 5 MB of storage space allowed per file", ToolArgumentError),
    ],
)
def test_a_full_storage_is_no_matter_of_the_request(pipeline, text, cls):
    assert type(pipeline.classify(ClientError(Response(413), text))) is cls


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("You have reached the maximum number of 4 kilns.", ToolQuotaError),
        ("adding a domain would exceed your domain limit", ToolQuotaError),
        ("Maximum number of seats reached for this account", ToolQuotaError),
        ("This kiln has reached its limit of 4 pots.", ResourceConflictError),
        ("The limit of 20 tags has been reached", ResourceConflictError),
        ("Maximum nesting depth reached", ToolArgumentError),
        ("The number of retries reached its maximum", ToolArgumentError),
        ("The note has reached its limit of 300 words", ToolArgumentError),
        ("The amount would exceed your transfer limit", ToolArgumentError),
        ("This will exceed your request limit", ToolArgumentError),
    ],
)
def test_what_is_used_up_is_no_matter_of_the_arguments(pipeline, status, text, cls):
    assert type(pipeline.classify(ClientError(Response(status), text))) is cls
    response = Response(status)
    response.text = json.dumps({"errors": [{"detail": text}]})
    raised = ClientError(response, f"{status} Client Error: Bad Request for url: {response.url}")
    assert type(pipeline.classify(raised)) is cls


@pytest.mark.parametrize(
    ("status", "text", "cls"),
    [
        (403, "Ballot is already sealed", ResourceConflictError),
        (404, "Parcel 9 is already delivered", ResourceConflictError),
        (403, "cannot edit a published poll", ResourceConflictError),
        (403, "Your account is already blocked", ToolPermissionError),  # of the account, not of a thing
        (403, "The token is already expired", ToolAuthenticationError),
        (403, "Only members can vote", ToolPermissionError),
        (404, "The parcel does not exist or is archived", ResourceNotFoundError),
        (404, "Parcel 9 is already deleted", ResourceNotFoundError),
    ],
)
def test_a_state_is_also_read_behind_a_403_and_a_404(pipeline, status, text, cls):
    assert type(pipeline.classify(ClientError(Response(status), text))) is cls


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Your licence has expired.", ToolPermissionError),
        ("The organisation has been suspended for unpaid bills", ToolPermissionError),
        ("Billing of this project is disabled", ToolPermissionError),
        ("Your API key has been deactivated", ToolAuthenticationError),
        ("The kiln is locked", ResourceConflictError),
        ("Savings account 12 is closed", ResourceConflictError),  # a thing that a call may name
        ("Your plan must be at most 3 lines if the item is closed", ToolArgumentError),
    ],
)
def test_a_closed_account_is_no_state_to_read(pipeline, status, text, cls):
    assert type(pipeline.classify(ClientError(Response(status), text))) is cls


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Quota exceeded for metric 'Write requests per minute per project'", ToolRateLimitError),
        ("You have exceeded your quota of 20 searches per hour", ToolRateLimitError),
        ("The daily upload quota has been exceeded", ToolQuotaError),
        ("You exceeded your current quota, please check your plan and billing details", ToolQuotaError),
    ],
)
def test_a_quota_for_a_short_time_is_a_rate(pipeline, text, cls):
    assert type(pipeline.classify(ClientError(Response(429), text))) is cls


@pytest.mark.parametrize("status", [400, 409, 422])
def test_what_a_named_thing_lacks_is_no_quota_of_the_account(pipeline, status):
    error = ClientError(Response(status), "Insufficient stock of oak-plank-2m, 3 are left")
    assert type(pipeline.classify(error, arguments={"sku": "oak-plank-2m"})) is ResourceConflictError
    text = "Insufficient balance, please top up"
    assert type(pipeline.classify(ClientError(Response(402), text), arguments={"sku": "oak"})) is ToolQuotaError


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Your cart has reached its maximum of 9 lines of flowers", ToolArgumentError),
        ("Your cart has reached the limit of 9 flowers", ResourceConflictError),
        ("You have reached the maximum number of guests for this evening", ResourceConflictError),
        ("Your team has reached the maximum number of guests", ToolQuotaError),
    ],
)
def test_a_thing_of_the_user_that_is_full_is_no_account(pipeline, text, cls):
    assert type(pipeline.classify(ClientError(Response(422), text))) is cls


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/services/T01ABCDEF/B01ABCDEF/qN7xPz2LmT5cV8bK1rWd9sYf", "/services/T01ABCDEF/B01ABCDEF"),
        ("/v3/0b5c6f3f8e9d4a27b1c2d3e4f5a60718/eth", "/v3"),
        ("/api/webhooks/1122/abc-def", "/api/webhooks/1122/abc-def"),
        ("/hooks/catch/123456/abcde1", "/hooks"),
        ("/bot/s3cr3t/send", "/bot"),
        ("/api/tokens/b7k2m/rotate", "/api/tokens"),
        ("/3f2b8c1e-7d4a-4e2b-9c11-0a1b2c3d4e5f", None),
        ("/v1/orders/2024-17", "/v1/orders/2024-17"),
    ],
)
def test_the_path_of_a_request_is_shown_up_to_what_may_be_a_key(pipeline, path, shown):
    error = pipeline.classify(ClientError(Response(404, url=f"https://hooks.example{path}"), "404"))
    assert error.resource == shown


def test_the_text_of_a_decoder_is_about_a_response_unless_an_argument_reads_so(pipeline):
    error = ValueError("Expecting ',' delimiter: line 1 column 9 (char 8)")
    assert type(pipeline.classify(error, arguments={"to": "a"})) is ToolExecutionError
    assert type(pipeline.classify(error, arguments={"body": '{"a": 1 "b": 2}'})) is ToolArgumentError
    unread = ValueError("Expecting value: line 1 column 1 (char 0)")
    assert type(pipeline.classify(unread, arguments={"text": "hello"})) is ToolArgumentError
    assert type(pipeline.classify(unread, arguments={"text": "[" * 100_000})) is ToolExecutionError
    other = ValueError("Unexpected token 'FORM': line 1 column 10 (char 9)")
    assert type(pipeline.classify(other, arguments={"query": "select a FORM b"})) is not ToolExecutionError


@pytest.mark.parametrize(
    ("status", "text", "arguments"),
    [
        (422, "The team red is disabled", {"team": "red"}),
        (400, "The subscription sub_1 has been cancelled", {"subscription_id": "sub_1"}),
        (422, "The token DOGE is frozen", {"token": "DOGE"}),
        (400, "This key is locked by another client", {"key": "k"}),
    ],
)
def test_a_thing_that_a_call_names_is_no_account_and_no_key_of_the_caller(pipeline, status, text, arguments):
    assert not pipeline.classify(ClientError(Response(status), text), arguments=arguments).fatal


@pytest.mark.parametrize(
    "text",
    [
        "Your credit balance is exhausted. The previous rate was 10 requests per minute.",
        "insufficient_quota: You have used all the credits of your trial (500/h plan)",
        "You exceeded your current quota, please check your plan. Tokens per minute limit: 0",
    ],
)
def test_an_empty_account_is_no_rate(pipeline, text):
    assert pipeline.classify(ClientError(Response(429), text)).fatal


def test_a_code_outweighs_the_state_of_a_thing(pipeline):
    text = "The period is closed"
    coded = StatusError(status_code=400, code="INVALID_ARGUMENT", message=text)
    assert type(pipeline.classify(coded)) is ToolArgumentError
    assert type(pipeline.classify(ClientError(Response(400), text))) is ResourceConflictError


IN_AN_HOUR = datetime.now(UTC) + timedelta(hours=1)


@pytest.mark.parametrize(
    ("headers", "low", "high"),
    [
        ({"Retry-After": "30"}, 30, 30),
        ({"retry-after": "1.5"}, 1.5, 1.5),
        ({"retry-after-ms": "1500"}, 1.5, 1.5),
        ({"Retry-After": format_datetime(IN_AN_HOUR, usegmt=True)}, 600, 3_600),
        ({"Retry-After": format_datetime(IN_AN_HOUR - timedelta(hours=2), usegmt=True)}, 0, 0),
        ({"X-RateLimit-Reset": "60", "X-RateLimit-Remaining": "0"}, 60, 60),
        ({"X-RateLimit-Reset": str(int(IN_AN_HOUR.timestamp())), "X-RateLimit-Remaining": "0"}, 600, 3_600),
        ({"X-RateLimit-Reset": "60", "X-RateLimit-Remaining": "5"}, None, None),
        ({"Retry-After": "soon"}, None, None),
        ({"Retry-After": "-3"}, None, None),
        ({"Retry-After": "nan"}, None, None),
        ({"Retry-After": "inf"}, None, None),
        ({"Retry-After": "9" * 5_000}, None, None),
        ({"Retry-After": ""}, None, None),
        ({}, None, None),
    ],
)
def test_how_long_to_wait(pipeline, headers, low, high):
    waited = pipeline.classify(ClientError(Response(429, headers))).retry_after
    assert waited is None if low is None else low <= waited <= high


@pytest.mark.parametrize(
    ("given", "seconds"),
    [(3, 3.0), (timedelta(seconds=2.5), 2.5), ("7", 7.0), (True, None), (-1, None), (float("nan"), None), ([], None)],
)
def test_an_attribute_says_how_long_to_wait(pipeline, given, seconds):
    assert pipeline.classify(StatusError(status_code=429, retry_after=given)).retry_after == seconds


def test_waiting_is_told_to_the_model(make_pipeline, run):
    def ask() -> None:
        raise ClientError(Response(429, {"Retry-After": "7"}))

    result = run(make_pipeline(Tool.from_function(ask, read_only=True)), "ask")
    assert "call ask again with exactly the same arguments after 7 s" in result.content
    assert result.feedback.retry_after == 7.0


def test_a_503_with_retry_after_had_no_effect(pipeline):
    assert pipeline.classify(ClientError(Response(503, {"Retry-After": "3"}))).effect == "none"


def test_a_real_server(make_pipeline, run):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status = int(self.path.strip("/"))
            self.send_response(status)
            self.send_header("Retry-After", "5")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def fetch(status: int) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{status}") as answer:
                return str(answer.status)
        except urllib.error.HTTPError as error:
            error.close()
            raise

    pipeline = make_pipeline(fetch)
    try:
        for status in (401, 404, 409, 422, 429, 500):
            error = run(pipeline, "fetch", {"status": status}).error
            assert (type(error), error.http_status) == (STATUSES[status][0], status)
        assert run(pipeline, "fetch", {"status": 429}).error.retry_after == 5.0
        assert run(pipeline, "fetch", {"status": 404}).error.resource.endswith("404")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert isinstance(run(pipeline, "fetch", {"status": 200}).error, ToolConnectionError)


# --- where the host came from


@pytest.mark.parametrize(
    "arguments",
    [
        {"url": "https://exmaple.org"},
        {"host": "exmaple.org"},
        {"query": "see https://exmaple.org/x"},
        {"base_url": "x"},
    ],
)
def test_a_host_that_the_arguments_named_is_not_fatal(pipeline, arguments):
    for exception in (
        socket.gaierror(-2, "x"),
        ConnectionRefusedError(errno.ECONNREFUSED, "x"),
        urllib.error.URLError(socket.gaierror(-2, "x")),
    ):
        error = pipeline.classify(exception, arguments=arguments)
        assert isinstance(error, ToolConnectionError)
        assert error.fatal is False
    assert pipeline.classify(socket.gaierror(-2, "x"), arguments={"query": "x"}).fatal is True


# --- chains and groups


def test_what_an_unknown_error_was_raised_from(pipeline):
    class ShopError(Exception):
        pass

    def work() -> None:
        try:
            open("no/such/file")
        except FileNotFoundError as error:
            raise ShopError("cannot read the order") from error

    error = pipeline.classify(caught(work))
    assert (type(error), error.resource) == (ResourceNotFoundError, "no/such/file")


def test_what_an_error_was_only_handling_says_nothing(pipeline):
    def work() -> None:
        try:
            open("no/such/file")
        except FileNotFoundError:
            raise KeyError("x")  # noqa: B904

    assert type(pipeline.classify(caught(work))) is ToolExecutionError


@pytest.mark.parametrize(
    "group",
    [
        ExceptionGroup("g", [FileNotFoundError("a.md")]),
        ExceptionGroup("g", [ExceptionGroup("h", [FileNotFoundError("a.md")])]),
        ExceptionGroup("g", [KeyError("x"), FileNotFoundError("a.md")]),
        ExceptionGroup("g", [ExceptionGroup("h", [KeyError("x"), ValueError("y")]), FileNotFoundError("a.md")]),
        BaseExceptionGroup("g", [FileNotFoundError("a.md"), SystemExit(3)]),
    ],
)
def test_the_member_of_a_group_that_says_most(pipeline, group):
    error = pipeline.classify(group)
    assert (type(error), error.resource) == (ResourceNotFoundError, "a.md")
    assert error.__cause__ is not None


def test_an_error_of_the_tree_inside_of_a_group_or_chain_is_found(pipeline):
    own = errors.ToolQuotaError("Used up.")
    assert pipeline.classify(ExceptionGroup("g", [own])) is own
    assert isinstance(pipeline.classify(ExceptionGroup("g", [KeyError("x"), own])), ToolQuotaError)
    wrapped = RuntimeError("wrapped")
    wrapped.__cause__ = own
    assert isinstance(pipeline.classify(wrapped), ToolQuotaError)


# --- matching by name


class AcmeError(Exception):
    """As if another package had defined it."""


AcmeError.__module__ = "acme.errors.http"


class Derived(AcmeError):
    """One of the host's own."""


def test_matching_by_qualified_name():
    failure = Failure(Derived("x"))
    for name in (
        "acme.errors.http.AcmeError",
        "acme.errors.AcmeError",
        "acme.AcmeError",
        "Exception",
        "builtins.BaseException",
        f"{__name__}.Derived",
    ):
        assert failure.matches(name), name
    assert failure.matches("x.Y", "Exception")
    for name in ("acm.AcmeError", "acme.errors.htt.AcmeError", "AcmeError", "KeyError", "acme.Derived", "", "."):
        assert not failure.matches(name), name
    assert not failure.matches()
    assert not Failure(value={"error": "x"}).matches("Exception")
    assert Failure(FileNotFoundError("x")).matches("OSError")


def test_a_failure_says_what_is_known():
    exception = ClientError(Response(404, {"Content-Type": "text/plain"}), "gone")
    failure = Failure(exception, tool_name="fetch", arguments={"a": 1})
    assert (failure.status, failure.text, failure.tool_name, failure.stage) == (404, "gone", "fetch", "execute")
    assert failure.headers["content-type"] == "text/plain"
    assert failure.exceptions == (exception,)
    assert failure.type_name.endswith("ClientError")
    reported = Failure(value={"error": "x"}, message="x", status=409)
    assert (reported.status, reported.text, reported.type_name, reported.exceptions, reported.headers) == (
        409,
        "x",
        "",
        (),
        {},
    )
    assert Failure(value={"a": 1}).text.replace("'", '"').replace(" ", "") == '{"a":1}'
    assert len(Failure(ValueError("x " * 10_000)).text) <= 2_000


def test_headers_of_several_shapes():
    assert Failure(StatusError(status_code=404, headers={"A-B": 3})).headers == {"a-b": "3"}
    assert Failure(StatusError(status_code=404, headers=http.client.HTTPMessage())).headers == {}
    assert Failure(StatusError(status_code=404, headers="text")).headers == {}
    boto = StatusError(response={"ResponseMetadata": {"HTTPHeaders": {"Retry-After": "3"}}})
    assert Failure(boto).headers == {"retry-after": "3"}


# --- classify() of the pipeline


def test_classify_takes_a_tool_or_any_name(make_pipeline):
    read = Tool.from_schema("read", "", {"type": "object"}, dict, provider="disk", tool_type="datastore")
    pipeline = make_pipeline(read)
    for given in (read, "read"):
        error = pipeline.classify(KeyError("x"), tool=given, arguments={"a": 1})
        assert (error.tool_name, error.provider, error.tool_type, error.arguments) == (
            "read",
            "disk",
            "datastore",
            {"a": 1},
        )
    assert pipeline.classify(KeyError("x"), tool="other").tool_name == "other"
    assert pipeline.classify(KeyError("x")).tool_name is None


def test_classify_a_value(pipeline):
    assert pipeline.classify({"error": "no disk"}) is not None
    assert pipeline.classify({"rows": []}) is None
    assert pipeline.classify("text") is None
    assert pipeline.classify(None) is None
    assert pipeline.classify(Response(404)).http_status == 404


def test_classify_decides_fatality(make_pipeline):
    pipeline = make_pipeline(policy=Policy(fatal={"pay": True}))
    assert pipeline.classify(KeyError("x"), tool="pay").fatal is True
    assert pipeline.classify(KeyError("x"), tool="read").fatal is False


def test_words_for_arguments_that_should_hold_json(make_pipeline, run):
    def parse(text: str) -> Any:
        return json.loads(text)

    result = run(make_pipeline(parse), "parse", {"text": '{"a": '})
    assert isinstance(result.error, ToolArgumentError)
    assert re.search(r"An argument must be JSON text and is not \(line 1 column \d+\)\.", result.content)
