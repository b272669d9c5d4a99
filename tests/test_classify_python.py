"""What Python, its standard library and the validators raise: made by doing the real thing."""

from __future__ import annotations

import asyncio
import concurrent.futures
import concurrent.futures.process
import errno
import ftplib
import http.client
import json
import os
import queue
import signal
import smtplib
import socket
import sqlite3
import ssl
import subprocess
import sys
import tarfile
import urllib.error
import zipfile
from io import BytesIO
from typing import Any

import attrs
import cattrs
import msgspec
import pydantic
import pytest

from mulligan import Pipeline, Tool, errors


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


def raised(function: Any) -> BaseException:
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def python(code: str, **options: Any) -> BaseException:
    return raised(lambda: subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, **options))


# --- the operating system


@pytest.mark.parametrize(
    ("number", "path", "cls", "fatal", "effect"),
    [
        (errno.ENOENT, "a.md", errors.ResourceNotFoundError, False, "none"),
        (errno.EACCES, "a.md", errors.ToolPermissionError, False, "none"),
        (errno.EACCES, None, errors.ToolPermissionError, True, "none"),
        (errno.EROFS, "a.md", errors.ToolPermissionError, False, "none"),
        (errno.EEXIST, "a.md", errors.ResourceConflictError, False, "none"),
        (errno.ENOTEMPTY, "a", errors.ResourceConflictError, False, "none"),
        (errno.EISDIR, "a", errors.ToolArgumentError, False, "none"),
        (errno.ENOTDIR, "a/b", errors.ToolArgumentError, False, "none"),
        (errno.ENAMETOOLONG, "a", errors.ToolArgumentError, False, "none"),
        (errno.ELOOP, "a", errors.ToolArgumentError, False, "none"),
        (errno.ENOSPC, "a", errors.ToolQuotaError, True, "possible"),
        (errno.EMFILE, None, errors.ToolUnavailableError, False, "none"),
        (errno.ECONNREFUSED, None, errors.ToolConnectionError, True, "none"),
        (errno.EHOSTUNREACH, None, errors.ToolConnectionError, True, "none"),
        (errno.ECONNRESET, None, errors.ToolConnectionError, False, "possible"),
        (errno.EPIPE, None, errors.ToolConnectionError, False, "possible"),
        (errno.ETIMEDOUT, None, errors.ToolTimeoutError, False, "possible"),
        (errno.EIO, None, errors.ToolExecutionError, False, "possible"),
    ],
)
def test_an_errno(bare, number, path, cls, fatal, effect):
    error = bare.classify(OSError(number, os.strerror(number), path) if path else OSError(number, os.strerror(number)))
    assert (type(error), error.fatal, error.effect, error.resource) == (cls, fatal, effect, path)


@pytest.mark.parametrize(
    ("error", "cls"),
    [
        (PermissionError("no"), errors.ToolPermissionError),
        (FileExistsError("no"), errors.ResourceConflictError),
        (ConnectionRefusedError("no"), errors.ToolConnectionError),
        (ConnectionResetError("no"), errors.ToolConnectionError),
        (TimeoutError("no"), errors.ToolTimeoutError),
        (TimeoutError("no"), errors.ToolTimeoutError),
        (OSError("Failure"), errors.ToolExecutionError),
    ],
)
def test_an_oserror_without_errno_is_told_by_its_type(bare, error, cls):
    assert type(bare.classify(error)) is cls


def test_a_host_that_the_call_named_may_be_misspelt(bare):
    refused = ConnectionRefusedError(errno.ECONNREFUSED, "refused")
    assert bare.classify(refused).fatal is True
    assert bare.classify(refused, arguments={"path": "a.md"}).fatal is True
    assert bare.classify(refused, arguments={"url": "a.example"}).fatal is False
    assert bare.classify(refused, arguments={"page": "https://a.example/x"}).fatal is False


@pytest.mark.parametrize("error", [socket.gaierror(-2, "Name or service not known"), socket.herror(1, "Unknown host")])
def test_a_name_that_cannot_be_resolved(bare, error):
    told = bare.classify(error)
    assert (type(told), told.fatal, told.effect) == (errors.ToolConnectionError, True, "none")


def test_tls(bare):
    told = bare.classify(ssl.SSLCertVerificationError(1, "certificate verify failed"))
    assert (type(told), told.fatal, told.effect) == (errors.ToolConnectionError, True, "none")
    told = bare.classify(ssl.SSLEOFError(8, "EOF occurred in violation of protocol"))
    assert (type(told), told.fatal, told.effect, told.transient) == (
        errors.ToolConnectionError,
        False,
        "possible",
        True,
    )


# --- programs


def test_a_program_that_is_missing(bare):
    told = bare.classify(raised(lambda: subprocess.run(["no-such-program-x"], check=True)))
    assert (type(told), told.resource) == (errors.ResourceNotFoundError, "no-such-program-x")


def test_a_program_that_fails(bare):
    told = bare.classify(python("import sys; print('it broke', file=sys.stderr); sys.exit(3)"))
    assert (type(told), told.message) == (errors.ToolExecutionError, "The program failed with exit status 3.")


def test_a_program_that_says_what_is_missing(bare):
    told = bare.classify(python("import sys; sys.exit('cat: /data/x.txt: No such file or directory')"))
    assert (type(told), told.resource, told.effect) == (errors.ResourceNotFoundError, "/data/x.txt", "possible")


def test_a_program_that_may_not(bare):
    told = bare.classify(python("import sys; sys.exit('open: Permission denied')"))
    assert (type(told), told.fatal, told.effect) == (errors.ToolPermissionError, False, "possible")


def test_a_program_that_was_killed(bare):
    told = bare.classify(python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    assert told.message == f"The program was killed by signal {signal.SIGKILL.value}."


def test_a_program_that_takes_too_long(bare):
    told = bare.classify(python("import time; time.sleep(30)", timeout=0.2))
    assert (type(told), told.effect) == (errors.ToolTimeoutError, "possible")


def test_what_a_program_wrote_is_quoted(make_pipeline, run):
    def build() -> None:
        raise subprocess.CalledProcessError(2, ["make"], stderr=b"line 3: odd token\n")

    content = run(make_pipeline(build), "build").content
    assert "The program failed with exit status 2." in content
    assert "line 3: odd token" in content


# --- waiting


def test_what_was_cancelled(bare):
    future: concurrent.futures.Future[None] = concurrent.futures.Future()
    future.cancel()
    for error in (asyncio.CancelledError(), raised(future.result), KeyboardInterrupt()):
        assert type(bare.classify(error)) is errors.ToolCancelledError


def test_futures(bare):
    waiting: concurrent.futures.Future[None] = concurrent.futures.Future()
    assert type(bare.classify(raised(lambda: waiting.result(timeout=0)))) is errors.ToolTimeoutError
    assert (
        type(bare.classify(raised(lambda: waiting.set_exception("x") or waiting.set_result(1))))
        is errors.ToolExecutionError
    )
    assert type(bare.classify(concurrent.futures.process.BrokenProcessPool("died"))) is errors.ToolExecutionError


def test_a_stream_that_ends_midway(bare):
    told = bare.classify(asyncio.IncompleteReadError(b"ab", 4))
    assert (type(told), told.fatal, told.effect) == (errors.ToolConnectionError, False, "possible")


def test_a_full_queue(bare):
    full: queue.Queue[int] = queue.Queue(1)
    full.put(1)
    assert type(bare.classify(raised(lambda: full.put_nowait(2)))) is errors.ToolUnavailableError


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RecursionError(), "The tool exceeded the recursion limit."),
        (SystemExit(2), "The tool tried to exit the program. This was prevented."),
        (ModuleNotFoundError("x", name="numpy"), "The tool could not import module numpy."),
        (ImportError("x"), "The tool could not import a module."),
        (
            UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"),
            "The tool received text in an unexpected encoding.",
        ),
    ],
)
def test_what_is_the_tools_own_fault(bare, error, message):
    told = bare.classify(error)
    assert (type(told), told.message, told.fatal) == (errors.ToolExecutionError, message, False)


@pytest.mark.parametrize(
    "make",
    [
        lambda: [][0],
        lambda: 1 / 0,
        lambda: None.x,
        lambda: undefined,  # noqa: F821
        lambda: "a" + 1,
        lambda: {}["timeout"],
        lambda: exec("raise AssertionError('Permission denied')"),
        lambda: exec("raise NotImplementedError('not found')"),
        lambda: exec("raise ValueError('odd seed')"),
    ],
)
def test_a_bug_in_the_tool_is_nothing_else(bare, make):
    told = bare.classify(raised(make))
    assert (type(told), told.rule) == (errors.ToolExecutionError, "host:unclassified")


# --- archives, addresses, mail and file servers


def test_a_member_that_is_not_in_an_archive(bare):
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        told = bare.classify(raised(lambda: archive.getinfo("report.csv")))
    assert (type(told), told.resource) == (errors.ResourceNotFoundError, "report.csv")
    with tarfile.open(fileobj=BytesIO(), mode="w") as archive:
        told = bare.classify(raised(lambda: archive.getmember("report.csv")))
    assert (type(told), told.resource) == (errors.ResourceNotFoundError, "report.csv")


def test_urllib(bare):
    told = bare.classify(urllib.error.URLError(ConnectionRefusedError(111, "refused")))
    assert (type(told), told.effect) == (errors.ToolConnectionError, "none")
    told = bare.classify(urllib.error.HTTPError("https://a.example/x?k=1", 404, "Not Found", {"X-Id": "1"}, BytesIO()))
    assert (type(told), told.http_status, told.resource) == (errors.ResourceNotFoundError, 404, "/x")


@pytest.mark.parametrize(
    ("error", "cls", "effect"),
    [
        (http.client.RemoteDisconnected("closed"), errors.ToolConnectionError, "possible"),
        (http.client.IncompleteRead(b"ab", 4), errors.ToolConnectionError, "possible"),
        (http.client.BadStatusLine("x"), errors.ToolConnectionError, "possible"),
        (http.client.InvalidURL("nonnumeric port"), errors.ToolArgumentError, "none"),
        (http.client.HTTPException("odd"), errors.ToolExecutionError, "possible"),
        (ftplib.error_perm("530 Login incorrect."), errors.ToolAuthenticationError, "none"),
        (ftplib.error_perm("550 a.txt: No such file"), errors.ResourceNotFoundError, "none"),
        (ftplib.error_perm("550 Permission denied."), errors.ToolPermissionError, "none"),
        (ftplib.error_temp("421 Service not available."), errors.ToolUnavailableError, "possible"),
        (ftplib.error_temp("425 Can't open data connection."), errors.ToolConnectionError, "possible"),
        (ftplib.error_proto("odd"), errors.ToolExecutionError, "possible"),
        (smtplib.SMTPAuthenticationError(535, b"no"), errors.ToolAuthenticationError, "none"),
        (smtplib.SMTPServerDisconnected("closed"), errors.ToolConnectionError, "possible"),
        (smtplib.SMTPDataError(452, b"full"), errors.ToolQuotaError, "none"),
        (smtplib.SMTPDataError(554, b"spam"), errors.ToolExecutionError, "possible"),
    ],
)
def test_servers_of_the_standard_library(bare, error, cls, effect):
    told = bare.classify(error)
    assert (type(told), told.effect, told.http_status) == (cls, effect, None)


def test_a_recipient_that_does_not_exist(bare):
    told = bare.classify(smtplib.SMTPRecipientsRefused({"nobody@example.org": (550, b"no such user")}))
    assert (type(told), told.resource) == (errors.ResourceNotFoundError, "nobody@example.org")


# --- databases


def sqlite(*statements: str) -> BaseException:
    connection = sqlite3.connect(":memory:")
    try:
        return raised(lambda: [connection.execute(statement) for statement in statements])
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("statements", "cls"),
    [
        (("select * from invoices",), errors.ResourceNotFoundError),
        (("create table a (b)", "select c from a"), errors.ToolArgumentError),
        (("selec 1",), errors.ToolArgumentError),
        (("create table a (b)", "create table a (b)"), errors.ResourceConflictError),
        (
            ("create table a (b unique)", "insert into a values (1)", "insert into a values (1)"),
            errors.ResourceConflictError,
        ),
        (("create table a (b not null)", "insert into a values (null)"), errors.ToolArgumentError),
        (("create table a (b check (b > 1))", "insert into a values (0)"), errors.ToolArgumentError),
        (("pragma max_page_count = 1", "create table a (b)"), errors.ToolQuotaError),
    ],
)
def test_sqlite(bare, statements, cls):
    assert type(bare.classify(sqlite(*statements))) is cls


class DriverError(Exception):
    def __init__(self, message: str, **stored: Any) -> None:
        super().__init__(message)
        self.__dict__.update(stored)


@pytest.mark.parametrize(
    ("state", "cls", "effect"),
    [
        ("42P01", errors.ResourceNotFoundError, "none"),
        ("42703", errors.ToolArgumentError, "none"),
        ("42601", errors.ToolArgumentError, "none"),
        ("42501", errors.ToolPermissionError, "none"),
        ("23505", errors.ResourceConflictError, "none"),
        ("23502", errors.ToolArgumentError, "none"),
        ("28P01", errors.ToolAuthenticationError, "none"),
        ("3D000", errors.ResourceNotFoundError, "none"),
        ("40001", errors.ResourceConflictError, "none"),
        ("53100", errors.ToolQuotaError, "possible"),
        ("57P01", errors.ToolUnavailableError, "possible"),
        ("57014", errors.ToolCancelledError, "possible"),
        ("08006", errors.ToolConnectionError, "possible"),
        ("08001", errors.ToolConnectionError, "none"),
        ("ZZ999", errors.ToolExecutionError, "possible"),
        (None, errors.ToolExecutionError, "possible"),
        ("short", errors.ToolExecutionError, "possible"),
    ],
)
@pytest.mark.parametrize("name", ["sqlstate", "pgcode"])
def test_a_sqlstate(bare, name, state, cls, effect):
    told = bare.classify(DriverError("odd", **{name: state}))
    assert (type(told), told.effect) == (cls, effect)


def test_a_read_only_transaction_refuses_the_statement_and_not_the_run(bare):
    told = bare.classify(DriverError("cannot execute", sqlstate="25006"))
    assert (type(told), told.fatal, told.effect) == (errors.ToolPermissionError, False, "none")


def test_a_statement_that_was_cancelled_for_its_time(bare):
    told = bare.classify(
        DriverError("canceling statement due to statement timeout: statement timed out", sqlstate="57014")
    )
    assert type(told) is errors.ToolTimeoutError


# --- arguments


def search(query: str, *, limit: int = 10) -> str:
    return query


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"query": "a", "colour": "red"}, ("/colour", "unknown argument")),
        ({}, ("/query", "missing")),
    ],
)
def test_a_call_that_does_not_fit_the_signature(bare, arguments, problem):
    told = bare.classify(raised(lambda: search(**arguments)), arguments=arguments)
    assert type(told) is errors.ToolArgumentError
    assert [(one.pointer, one.message) for one in told.problems] == [problem]


def test_a_call_inside_the_tool_that_does_not_fit_is_its_own_fault(make_pipeline, run):
    def work(query: str) -> str:
        return search(query, colour="red")

    def deeper(query: str) -> str:
        return search()

    pipeline = make_pipeline(work, deeper)
    assert type(run(pipeline, "work", {"query": "a"}).error) is errors.ToolExecutionError
    assert type(run(pipeline, "deeper", {"query": "a"}).error) is errors.ToolExecutionError


def test_a_handler_that_does_not_take_what_its_schema_says_is_at_fault_itself(make_pipeline, run):
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
    pipeline = make_pipeline(Tool.from_schema("search", "Search", schema, search))
    assert type(run(pipeline, "search", {"colour": "red"}).error) is errors.ToolExecutionError


class Event(pydantic.BaseModel):
    title: str
    count: int


@attrs.define
class Item:
    count: int


class Thing(msgspec.Struct):
    count: int


VALIDATORS: dict[str, tuple[Any, dict[str, Any], str]] = {
    "pydantic, wrong type": (lambda a: Event(**a), {"title": "x", "count": "many"}, "/count"),
    "pydantic, missing": (lambda a: Event(**a), {"count": 1}, "/title"),
    "msgspec": (lambda a: msgspec.convert(a, Thing), {"count": "many"}, "/count"),
    "cattrs": (lambda a: cattrs.structure(a, Item), {"count": "many"}, "/count"),
}


@pytest.mark.parametrize("kind", VALIDATORS)
def test_a_validator_that_rejects_the_arguments(bare, kind):
    validate, given, pointer = VALIDATORS[kind]
    told = bare.classify(raised(lambda: validate(given)), arguments=given)
    assert (type(told), told.problems[0].pointer) == (errors.ToolArgumentError, pointer)


@pytest.mark.parametrize("kind", VALIDATORS)
def test_a_validator_that_rejects_something_else(bare, kind):
    validate, given, _ = VALIDATORS[kind]
    told = bare.classify(raised(lambda: validate(given)), arguments={"url": "https://a.example"})
    assert type(told) is errors.ToolExecutionError


class ValidationError(Exception):
    """As the library jsonschema raises it."""

    __module__ = "jsonschema.exceptions"

    def __init__(self, message: str, validator: str, path: list[Any], instance: Any) -> None:
        super().__init__(message)
        self.message, self.validator, self.absolute_path, self.instance = message, validator, path, instance


class SchemaError(Exception):
    """As the library jsonschema raises it."""

    __module__ = "jsonschema.exceptions"


def test_a_json_schema_that_rejects_the_arguments(bare):
    missing = ValidationError("'title' is a required property", "required", [], {"count": 1})
    told = bare.classify(missing, arguments={"count": 1})
    assert [(one.pointer, one.message) for one in told.problems] == [("/title", "missing")]
    wrong = ValidationError("'x' is not of type 'integer'", "type", ["items", 0, "count"], "x")
    told = bare.classify(wrong, arguments={"items": [{"count": "x"}]})
    assert [(one.pointer, one.message) for one in told.problems] == [("/items/0/count", "not valid")]
    assert type(bare.classify(wrong, arguments={"url": "a"})) is errors.ToolExecutionError
    assert (
        type(bare.classify(SchemaError("'x' is not valid under any of the given schemas"))) is errors.ToolExecutionError
    )


def test_text_that_is_not_json(bare):
    error = raised(lambda: json.loads("{oops"))
    assert type(bare.classify(error, arguments={"data": "{oops"})) is errors.ToolArgumentError
    told = bare.classify(error, arguments={"url": "a"})
    assert (type(told), told.message) == (errors.ToolExecutionError, "The tool received a response that is not JSON.")


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("Pool 'night' has exceeded its quota.", errors.ToolQuotaError),
        ("The stage 'raw' does not exist.", errors.ResourceNotFoundError),
        ("numbers do not add up", errors.ToolArgumentError),
    ],
)
def test_of_a_sqlstate_that_says_only_its_class_the_text_says_more(bare, text, cls):
    assert type(bare.classify(DriverError(text, sqlstate="22000"))) is cls
