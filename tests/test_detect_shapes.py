"""The shapes in which services and programs report a failure as a value; and what only looks like one."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from mulligan import Pipeline, errors


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


def run_python(code: str) -> Any:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


REPORTS: dict[str, tuple[Any, type[errors.ToolError], dict[str, Any]]] = {
    # an `error`
    "text": ({"error": "Something went wrong"}, errors.ToolExecutionError, {}),
    "text that is known": ({"error": "Request timed out after 30 s"}, errors.ToolTimeoutError, {"effect": "possible"}),
    "text of DNS": ({"error": "getaddrinfo ENOTFOUND api.example"}, errors.ToolConnectionError, {"fatal": True}),
    "text of Node.js": (
        {"error": "ENOENT: no such file or directory, open '/data/x.json'", "code": "ENOENT"},
        errors.ResourceNotFoundError,
        {"resource": "/data/x.json"},
    ),
    "a denied path": (
        {"error": "EACCES: permission denied, open '/etc/shadow'", "code": "EACCES"},
        errors.ToolPermissionError,
        {"fatal": False},
    ),
    "a code": (
        {"error": {"code": "RATE_LIMIT_EXCEEDED", "message": "x y", "retry_after": 12}},
        errors.ToolRateLimitError,
        {"retry_after": 12},
    ),
    "a quota": ({"error": {"code": "insufficient_quota", "message": "x y"}}, errors.ToolQuotaError, {"fatal": True}),
    "a flag": ({"error": True, "message": "Invalid API key", "toolName": "search"}, errors.ToolAuthenticationError, {}),
    "an argument told again": (
        {"error": "Repository not found", "repository": "a/b"},
        errors.ResourceNotFoundError,
        {},
    ),
    "an AWS error": ({"Error": {"Code": "NoSuchKey", "Message": "x y"}}, errors.ResourceNotFoundError, {}),
    "OAuth": ({"error": "invalid_grant", "error_description": "expired"}, errors.ToolAuthenticationError, {}),
    "an unknown tool": (
        {"error": True, "message": "Model tried to call unavailable tool 'a'. Available tools: b"},
        errors.ToolNotFoundError,
        {},
    ),
    # flags and statuses
    "ok": (
        {"ok": False, "error": "ratelimited", "headers": {"Retry-After": "20"}},
        errors.ToolRateLimitError,
        {"retry_after": 20},
    ),
    "ok of Slack": ({"ok": False, "error": "channel_not_found"}, errors.ResourceNotFoundError, {}),
    "success": (
        {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}], "result": None},
        errors.ToolAuthenticationError,
        {},
    ),
    "JSend": ({"status": "error", "message": "Service temporarily unavailable"}, errors.ToolUnavailableError, {}),
    "status": (
        {"status": 404, "message": "No such page", "path": "/wiki/Foo"},
        errors.ResourceNotFoundError,
        {"http_status": 404, "resource": "/wiki/Foo"},
    ),
    "status in text": (
        {"message": "Not Found", "documentation_url": "https://x.example", "status": "404"},
        errors.ResourceNotFoundError,
        {"http_status": 404},
    ),
    "problem details": (
        {
            "type": "https://example.com/probs/out-of-credit",
            "title": "You do not have enough credit.",
            "status": 403,
            "detail": "It costs 50.",
        },
        errors.ToolQuotaError,
        {"http_status": 403},
    ),
    "Spring": (
        {"timestamp": "2024-05-01", "status": 500, "error": "Internal Server Error", "path": "/a"},
        errors.ToolUnavailableError,
        {"http_status": 500},
    ),
    "code and message": (
        {"code": 401, "message": "Unauthorized"},
        errors.ToolAuthenticationError,
        {"http_status": 401},
    ),
    "a status and a body of the service's own": (
        {"status": 403, "body": {"state": "sealed"}},
        errors.ToolPermissionError,
        {"http_status": 403},
    ),
    "the text of an exception of gRPC": (
        '<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.ALREADY_EXISTS\n\tdetails = "taken"\n>',
        errors.ResourceConflictError,
        {},
    ),
    "the text of an exception with a status": (
        '<HttpError 404 when requesting https://files.example/7 returned "File not found: 7.">',
        errors.ResourceNotFoundError,
        {"http_status": 404},
    ),
    "a proxy": (
        {"statusCode": 429, "headers": {"retry-after": "8"}, "body": '{"message": "Rate exceeded"}'},
        errors.ToolRateLimitError,
        {"retry_after": 8, "http_status": 429},
    ),
    # lists of errors
    "JSON:API": (
        {"errors": [{"status": "422", "title": "Invalid Attribute", "source": {"pointer": "/data/attributes/email"}}]},
        errors.ToolArgumentError,
        {"http_status": 422},
    ),
    "FastAPI": (
        {"detail": [{"loc": ["query", "limit"], "msg": "not an integer", "type": "int_parsing"}]},
        errors.ToolArgumentError,
        {},
    ),
    "GraphQL": (
        {"data": None, "errors": [{"message": "no", "extensions": {"code": "UNAUTHENTICATED"}}]},
        errors.ToolAuthenticationError,
        {},
    ),
    "GraphQL, forbidden": (
        {"errors": [{"message": "no", "extensions": {"code": "FORBIDDEN"}}]},
        errors.ToolPermissionError,
        {},
    ),
    "GraphQL, bad input": (
        {"errors": [{"message": 'Variable "$id" got invalid value', "extensions": {"code": "BAD_USER_INPUT"}}]},
        errors.ToolArgumentError,
        {},
    ),
    "userErrors": (
        {"data": {"make": {"thing": None, "userErrors": [{"field": ["title"], "message": "is blank"}]}}},
        errors.ToolArgumentError,
        {},
    ),
    # functions of clouds, programs, objects
    "a function of a cloud": ({"errorMessage": "abc Task timed out after 3.00 seconds"}, errors.ToolTimeoutError, {}),
    "a function that raised": (
        {"errorMessage": "odd", "errorType": "ResourceNotFoundException", "stackTrace": []},
        errors.ResourceNotFoundError,
        {},
    ),
    "a program": (
        {"stdout": "", "stderr": "cat: /data/x.txt: No such file or directory\n", "returncode": 1},
        errors.ResourceNotFoundError,
        {"resource": "/data/x.txt"},
    ),
    "a program's exit code": ({"stdout": "", "stderr": "it broke", "exit_code": 2}, errors.ToolExecutionError, {}),
    "a completed process": (
        run_python("import sys; sys.exit('cp: x: Permission denied')"),
        errors.ToolPermissionError,
        {"resource": "x"},
    ),
    "an exception": (TimeoutError("timed out"), errors.ToolTimeoutError, {}),
    "an HTTP answer": (
        SimpleNamespace(
            status_code=404, headers={}, url="https://x.example/items/7?k=1", _content=b'{"detail": "Not found."}'
        ),
        errors.ResourceNotFoundError,
        {"http_status": 404, "resource": "/items/7"},
    ),
    "an HTTP answer that limits": (
        SimpleNamespace(status=429, headers={"Retry-After": "11"}),
        errors.ToolRateLimitError,
        {"retry_after": 11},
    ),
    # texts
    "a denied path in a text": (
        "Error: permission denied: /etc/shadow",
        errors.ToolPermissionError,
        {"fatal": False, "resource": "/etc/shadow"},
    ),
    "an argument in a text": (
        "Error: Invalid value for parameter 'limit': must be between 1 and 100",
        errors.ToolArgumentError,
        {},
    ),
    "a tool that failed": ("Error executing tool read: it is odd", errors.ToolExecutionError, {}),
    "an exception in a text": (
        "FileNotFoundError: [Errno 2] No such file or directory: 'a.md'",
        errors.ResourceNotFoundError,
        {"resource": "a.md"},
    ),
    "an exception whose name tells": ("RateLimitError: see you later", errors.ToolRateLimitError, {}),
    "HTTP in a text": ("HTTP Error 404: Not Found", errors.ResourceNotFoundError, {"http_status": 404}),
    "MCP in a text": (
        "MCP error -32602: Invalid arguments for tool get: number: Required",
        errors.ToolArgumentError,
        {},
    ),
    "git": ("fatal: repository 'https://x.example/a' not found", errors.ResourceNotFoundError, {}),
    "what failed": ("Failed to fetch the page: connection refused", errors.ToolConnectionError, {}),
}


@pytest.mark.parametrize("kind", REPORTS)
def test_a_report(bare, kind):
    value, cls, told = REPORTS[kind]
    error = bare.classify(value)
    assert type(error) is cls, error and error.rule
    assert {name: getattr(error, name) for name in told} == told


FIELDS = {
    "JSON:API": "/email",
    "FastAPI": "/limit",
    "GraphQL, bad input": "/id",
    "userErrors": "/title",
    "an argument in a text": "/limit",
    "MCP in a text": "/number",
}


@pytest.mark.parametrize("kind", FIELDS)
def test_the_field_that_a_report_names(bare, kind):
    assert [problem.pointer for problem in bare.classify(REPORTS[kind][0]).problems] == [FIELDS[kind]]


RESULTS: dict[str, Any] = {
    "markup with a name like an exception's": "<ApiError code='404'>a page about errors</ApiError>",
    "the text of a response": "<Response [200]>",
    "a redirection and its body": {"status": 304, "body": {"state": "unchanged"}},
    "a record of a response": {"status": 404, "path": "/orders/7", "body": {"state": "gone"}},
    "no error": {"error": None},
    "an error rate": {"error_rate": 0},
    "an error of a fit": {"slope": 1.2, "error": {"mean": 0.1, "std": 0.02}},
    "an error that is a number in a text": {"error": "0.05"},
    "an error that says none": {"error": "none", "status": "done"},
    "a job that failed": {"job_id": 7, "state": "failed", "error": "timeout"},
    "a run of tests": {
        "passed": 210,
        "failed": 3,
        "errors": 0,
        "failures": [{"test": "test_404", "message": "not found"}],
    },
    "a test that failed": {"name": "test_a", "status": "failed", "message": "not found"},
    "a status of a build": {"status": "failed", "message": "2 tests failed", "build": 7},
    "a deployment": {"id": "d1", "status": "error", "message": "out of memory"},
    "a linter": {"checked": 12, "errors": [{"line": 3, "rule": "E501", "message": "line too long"}]},
    "a link checker": {"url": "https://example.com/gone", "status": 404, "checked_at": "2024-05-01"},
    "a table of codes": {"codes": {"400": "Bad Request", "404": "Not Found"}},
    "a row of that table": {"code": 404, "name": "Not Found"},
    "a country": {"code": "US", "message": "United States", "status": "active"},
    "a log": [{"path": "/a", "status": 404}, {"path": "/b", "status": 500, "error": "timeout"}],
    "a log's line": {"level": "error", "message": "Permission denied", "status": 403},
    "an issue": {"number": 12, "title": "Error: Not found when opening a file", "state": "open", "status": "open"},
    "a message": {"id": 5, "message": "Permission denied"},
    "a mail": {"message": "Unauthorized", "from": "a@example.org"},
    "a warning": {"ok": True, "warning": "missing_charset", "error": None},
    "success with a text as its error": {"success": True, "error": "rate limit nearly reached: 95 of 100"},
    "success with an error that was handled": {"ok": True, "error": {"code": "E7", "message": "index not found, made"}},
    "success with a status": {"ok": True, "status": 404, "message": "the old copy was not found"},
    "a status that says success": {"status": "Success", "error": "not found: optional.cfg"},
    "success with errors": {"success": True, "errors": [{"message": "permission denied", "code": 7}]},
    "a partial answer": {"data": {"a": 1}, "errors": [{"message": "no", "extensions": {"code": "FORBIDDEN"}}]},
    "a mutation that worked": {
        "data": {"make": {"thing": {"id": 1}, "userErrors": [{"field": ["x"], "message": "ignored"}]}}
    },
    "a mutation without errors": {"data": {"make": {"thing": {"id": 1}, "userErrors": []}}},
    "a count of messages": {"status": 500, "message": "x", "count": 3},
    "an answer that is fine": SimpleNamespace(status_code=200, headers={}),
    "a program that worked": run_python("import sys; print('warning', file=sys.stderr)"),
    "a search without a match": {"stdout": "", "stderr": "", "returncode": 1},
    "a program that gave something": {"stdout": "1 failed", "stderr": "ValueError", "returncode": 1},
    "a flag that is no flag": {"ok": "false"},
    "a document": {"title": "HTTP 404", "body": "404 Not Found is a status", "detail": "a page"},
    "a page": "404 Not Found is an HTTP status code. It means that the server has no such page.",
    "a chapter": "Errors and how to handle them: a timeout is no rate limit.",
    "a metric": "Error: 0.031",
    "no errors": "Error: none",
    "a log in a text": "2024-05-01 12:00:00 ERROR Permission denied: /etc/shadow",
    "a longer log": "Error: permission denied: /a\nError: permission denied: /b\nError: permission denied: /c\nok\n",
    "source": "def read():\n    raise PermissionError('Permission denied')\n",
    "a line of source": "raise FileNotFoundError('No such file or directory')",
    "documentation": "FileNotFoundError: Raised when a file or directory is requested but doesn't exist.",
    "documentation of a parameter": "ValueError: If the value is not found.",
    "a long report": "Error: permission denied: " + "x" * 2_000,
    "an exception that says nothing known": "ValueError: odd",
    "bytes": b"Error: permission denied: /etc/shadow",
    "JSON in a text": '{"error": null, "rows": [404]}',
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result(bare, kind):
    assert bare.classify(RESULTS[kind]) is None


class Sour(dict):
    """A mapping that does not want to be read."""

    def get(self, *_: Any) -> Any:
        raise ValueError("no")

    def items(self) -> Any:
        raise ValueError("no")


class Liar:
    """An object that lies about what it is, and raises when asked for anything."""

    def __getattribute__(self, name: str) -> Any:
        raise ValueError("no")


@pytest.mark.parametrize(
    "make", [lambda: Sour(error="x"), lambda: {"error": Sour(message="x")}, lambda: {"status": Liar()}]
)
def test_a_value_that_cannot_be_read_reports_nothing(make):
    with Pipeline(autoload=False) as pipeline:
        for _ in range(5):
            pipeline.classify(make())
        assert pipeline.faults == ()
        assert pipeline.classify({"error": "not found"}) is not None
