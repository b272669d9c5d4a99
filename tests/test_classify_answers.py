"""What carries an answer is understood without a plugin, however a library keeps status, headers, body and address."""

from __future__ import annotations

import enum
import json
import time
from collections import UserDict, namedtuple
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any

import pytest

from mulligan import Pipeline, errors
from mulligan.plugin import Failure


class ApiError(Exception):
    """An exception that stores whatever it is given."""

    def __init__(self, message: str = "it went wrong", **stored: Any) -> None:
        super().__init__(message)
        self.__dict__.update(stored)


class Odd(Exception):
    """As an author shapes it whose library nobody knows."""


def answer(
    status: int, body: Any = "", headers: dict[str, str] | None = None, url: str = "https://api.example/v1/things/7"
) -> Any:
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    request = SimpleNamespace(url=url, method="GET")
    return SimpleNamespace(status_code=status, headers=headers or {}, _content=content, url=url, request=request)


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


# --- where the status is


class WithProperty(Exception):
    def __init__(self) -> None:
        self._answer = answer(404)

    @property
    def status_code(self) -> int:
        return self._answer.status_code


class WithSlots(Exception):
    __slots__ = ("status",)

    def __init__(self) -> None:
        self.status = 404


class OnTheClass(Exception):
    code = 404


Reply = namedtuple("Reply", "status headers")

CARRIERS: dict[str, BaseException] = {
    "status_code": ApiError(status_code=404),
    "status": ApiError(status=404),
    "http_status": ApiError(http_status=404),
    "code": ApiError(code=404),
    "response_code": ApiError(response_code=404),
    "text": ApiError(status="404"),
    "line": ApiError(status="404 Not Found"),
    "enum": ApiError(status=HTTPStatus.NOT_FOUND),
    "response": ApiError(response=answer(404)),
    "falsy response": ApiError(
        response=type("Falsy", (SimpleNamespace,), {"__bool__": lambda self: False})(status_code=404)
    ),
    "raw_response": ApiError(raw_response=answer(404)),
    "resp": ApiError(resp=SimpleNamespace(status="404")),
    "meta": ApiError(meta=SimpleNamespace(status=404)),
    "named tuple": ApiError(response=Reply(404, {})),
    "botocore": ApiError(response={"Error": {"Code": "404"}, "ResponseMetadata": {"HTTPStatusCode": 404}}),
    "mapping": ApiError(response=UserDict(status=404)),
    "reason": ApiError(reason=ApiError(response=answer(404))),
    "error": ApiError(error=SimpleNamespace(code=404)),
    "property": WithProperty(),
    "slots": WithSlots(),
    "class": OnTheClass("gone"),
    "private": ApiError(_status=404),
}


@pytest.mark.parametrize("kind", CARRIERS)
def test_the_status_is_found(bare, kind):
    error = bare.classify(CARRIERS[kind])
    assert (type(error), error.http_status) == (errors.ResourceNotFoundError, 404)
    assert error.rule == "classify:http_status"


def test_a_cause_that_carries_a_status_is_found(bare):
    outer = Odd("could not get the thing")
    outer.__cause__ = Odd("first")
    outer.__cause__.__cause__ = ApiError(status_code=429, response=answer(429, headers={"Retry-After": "9"}))
    error = bare.classify(outer)
    assert (type(error), error.retry_after) == (errors.ToolRateLimitError, 9)


def test_what_was_being_handled_is_no_cause(bare):
    try:
        try:
            raise ApiError(status_code=404)
        except ApiError:
            raise Odd("something else")
    except Odd as error:
        assert type(bare.classify(error)) is errors.ToolExecutionError


@pytest.mark.parametrize(
    "outer",
    [
        Odd("wrapped", ConnectionRefusedError(111, "refused")),
        ApiError(reason=ConnectionRefusedError(111, "refused")),
        ApiError(original=ConnectionRefusedError(111, "refused")),
        ApiError(errors={("10.0.0.1", 22): ConnectionRefusedError(111, "refused")}),
        ApiError(errors=[ConnectionRefusedError(111, "refused")]),
        ApiError(last_attempt=SimpleNamespace(_exception=ConnectionRefusedError(111, "refused"))),
        ExceptionGroup("two", [Odd("first"), ConnectionRefusedError(111, "refused")]),
    ],
)
def test_an_exception_that_is_kept_inside_counts_as_the_cause(bare, outer):
    error = bare.classify(outer)
    assert (type(error), error.effect, error.fatal) == (errors.ToolConnectionError, "none", True)


def test_a_chain_may_be_endless_or_circular(bare):
    first, second = Odd("a"), Odd("b")
    first.__cause__, second.__cause__ = second, first
    assert type(bare.classify(first)) is errors.ToolExecutionError
    last = outer = Odd("0")
    for number in range(10_000):
        last.__cause__ = Odd(str(number))
        last = last.__cause__
    last.__cause__ = ApiError(status_code=404)
    assert type(bare.classify(outer)) is errors.ToolExecutionError


# --- what the body overrules


@pytest.mark.parametrize(
    ("status", "body", "cls"),
    [
        (400, {"error": "invalid_grant"}, errors.ToolAuthenticationError),
        (
            400,
            {"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}},
            errors.ToolAuthenticationError,
        ),
        (400, {"__type": "com.acme#ThrottlingException"}, errors.ToolRateLimitError),
        (400, {"__type": "AccessDeniedException"}, errors.ToolPermissionError),
        (400, {"__type": "ResourceNotFoundException"}, errors.ResourceNotFoundError),
        (400, {"error": {"message": "Your credit balance is too low to use this."}}, errors.ToolQuotaError),
        (400, {"error": {"code": "missing_required_parameter", "param": "messages"}}, errors.ToolArgumentError),
        (400, {"detail": "page is not a number"}, errors.ToolArgumentError),
        (400, {"description": "Bad Request: chat not found"}, errors.ResourceNotFoundError),
        (401, {"error": "insufficient_quota"}, errors.ToolAuthenticationError),
        (403, {"message": "API rate limit exceeded for 10.0.0.1."}, errors.ToolRateLimitError),
        (403, {"error": {"errors": [{"reason": "userRateLimitExceeded"}]}}, errors.ToolRateLimitError),
        (403, {"error": {"errors": [{"reason": "dailyLimitExceeded"}]}}, errors.ToolQuotaError),
        (403, {"detail": "Authentication credentials were not provided."}, errors.ToolAuthenticationError),
        (403, {"code": "InvalidObjectState"}, errors.ResourceConflictError),
        (403, {"message": "You may not see this."}, errors.ToolPermissionError),
        (404, {"error": "rate_limited"}, errors.ResourceNotFoundError),
        (409, {"Error": {"Code": "LimitExceeded"}}, errors.ToolQuotaError),
        (409, {"error": {"code": "AlreadyExists"}}, errors.ResourceConflictError),
        (412, {}, errors.ResourceConflictError),
        (422, {"message": "Reference already exists"}, errors.ResourceConflictError),
        (422, {"errors": [{"field": "title", "code": "missing_field"}]}, errors.ToolArgumentError),
        (429, {"error": {"code": "insufficient_quota"}}, errors.ToolQuotaError),
        (429, {"error": "Your account has run out of credits."}, errors.ToolQuotaError),
        (429, {"error": {"type": "circuit_breaking_exception"}}, errors.ToolUnavailableError),
        (429, {"message": "Too many requests"}, errors.ToolRateLimitError),
        (500, {"message": "write x: no space left on device"}, errors.ToolQuotaError),
        (500, {"error": {"status": "INTERNAL"}}, errors.ToolUnavailableError),
        (503, {"code": "SlowDown"}, errors.ToolRateLimitError),
        (503, {"message": "Please slow down"}, errors.ToolUnavailableError),
        (504, {}, errors.ToolTimeoutError),
        (529, {"error": {"type": "overloaded_error"}}, errors.ToolUnavailableError),
        (507, {}, errors.ToolQuotaError),
        (501, {}, errors.ToolExecutionError),
        (418, {}, errors.ToolArgumentError),
    ],
)
def test_the_body_says_which_of_several_things_a_status_means(bare, status, body, cls):
    error = bare.classify(ApiError(response=answer(status, body)))
    assert (type(error), error.http_status) == (cls, status)


@pytest.mark.parametrize("headers", [{"x-ratelimit-remaining": "0"}, {"Retry-After": "30"}])
def test_a_403_that_asks_to_wait_is_a_rate_limit(bare, headers):
    assert type(bare.classify(ApiError(response=answer(403, headers=headers)))) is errors.ToolRateLimitError


def test_a_wait_makes_a_quota_a_rate_limit(bare):
    body = {"error": {"code": "quota_exceeded"}}
    assert type(bare.classify(ApiError(response=answer(429, body, {"Retry-After": "30"})))) is errors.ToolRateLimitError
    assert type(bare.classify(ApiError(response=answer(429, body)))) is errors.ToolQuotaError


@pytest.mark.parametrize(
    ("body", "cls"),
    [
        ({"error": {"type": "overloaded_error"}}, errors.ToolUnavailableError),
        ({"error": {"type": "api_error", "code": "rate_limit_exceeded"}}, errors.ToolRateLimitError),
        ({"errors": [{"type": "NOT_FOUND", "message": "no"}]}, errors.ResourceNotFoundError),
        ({"errors": [{"extensions": {"code": "FORBIDDEN"}, "message": "no"}]}, errors.ToolPermissionError),
        ({"code": 11000, "codeName": "DuplicateKey"}, errors.ResourceConflictError),
    ],
)
def test_a_reason_without_a_status_counts_too(bare, body, cls):
    error = bare.classify(ApiError(body=body))
    assert (type(error), error.rule, error.http_status) == (cls, "classify:body_reason", None)


# --- libraries as they are, by their shapes


class Stripe(Exception):
    def __init__(self) -> None:
        super().__init__("Request req_1: No such customer: 'cus_1'")
        self.http_status, self.code, self.headers = 404, "resource_missing", {"request-id": "req_1"}
        self.json_body = {"error": {"code": "resource_missing", "param": "id", "message": "No such customer: 'cus_1'"}}


class Kubernetes(Exception):
    def __init__(self, status: int, reason: str, headers: Any = None) -> None:
        super().__init__(status, reason)
        self.status, self.reason, self.headers = status, reason, headers
        self.body = json.dumps({"kind": "Status", "reason": reason.replace(" ", ""), "code": status})


class Slack(Exception):
    def __init__(self, code: str, status: int = 200, headers: Any = None) -> None:
        super().__init__(f"The request to the API failed. (error: {code})")
        self.response = SimpleNamespace(status_code=status, headers=headers or {}, data={"ok": False, "error": code})


class Telegram(Exception):
    def __init__(self) -> None:
        super().__init__("Flood control exceeded. Retry in 12 seconds")
        self._retry_after = timedelta(seconds=12)

    @property
    def retry_after(self) -> int:
        return int(self._retry_after.total_seconds())


class Gitlab(Exception):
    def __init__(self) -> None:
        super().__init__("403: 403 Forbidden")
        self.response_code, self.response_body, self.error_message = (
            403,
            b'{"message":"403 Forbidden"}',
            "403 Forbidden",
        )


class Neo4j(Exception):
    code = "Neo.ClientError.Security.Unauthorized"


class Salesforce(Exception):
    def __init__(self) -> None:
        super().__init__("Malformed request")
        self.status, self.content = 400, [{"errorCode": "INVALID_SESSION_ID", "message": "Session expired or invalid"}]
        self.url = "https://x.example/services/data/v1/query"


@pytest.mark.parametrize(
    ("error", "cls", "told"),
    [
        (Stripe(), errors.ResourceNotFoundError, {"http_status": 404}),
        (Kubernetes(404, "Not Found"), errors.ResourceNotFoundError, {}),
        (Kubernetes(409, "AlreadyExists"), errors.ResourceConflictError, {"code": "ALREADY_EXISTS"}),
        (Kubernetes(429, "TooManyRequests", {"Retry-After": "1"}), errors.ToolRateLimitError, {"retry_after": 1}),
        (Slack("channel_not_found"), errors.ResourceNotFoundError, {}),
        (Slack("not_authed"), errors.ToolAuthenticationError, {"fatal": True}),
        (Slack("missing_scope"), errors.ToolPermissionError, {"fatal": True}),
        (Slack("ratelimited", 429, {"Retry-After": "30"}), errors.ToolRateLimitError, {"retry_after": 30}),
        (Slack("msg_too_long"), errors.ToolArgumentError, {}),
        (Slack("name_taken"), errors.ResourceConflictError, {"code": "ALREADY_EXISTS"}),
        (Telegram(), errors.ToolRateLimitError, {"retry_after": 12}),
        (Gitlab(), errors.ToolPermissionError, {"http_status": 403}),
        (Neo4j("no"), errors.ToolAuthenticationError, {}),
        (Salesforce(), errors.ToolAuthenticationError, {"http_status": 400}),
    ],
)
def test_a_library_that_nobody_wrote_a_rule_for(bare, error, cls, told):
    found = bare.classify(error)
    assert type(found) is cls, found.rule
    assert {name: getattr(found, name) for name in told} == told


# --- headers


def test_headers_are_those_of_the_answer_and_not_of_the_request():
    error = ApiError(response=answer(404, headers={"X-Id": "1"}), headers={"Authorization": "secret"})
    assert Failure(error).headers == {"x-id": "1"}


@pytest.mark.parametrize(
    "error",
    [
        ApiError(headers={"X-Id": "1"}),
        ApiError(hdrs={"X-Id": "1"}),
        ApiError(meta=SimpleNamespace(headers={"X-Id": "1"})),
        ApiError(resp={"X-Id": "1"}),
        ApiError(response={"ResponseMetadata": {"HTTPHeaders": {"X-Id": "1"}}}),
    ],
)
def test_headers_are_found(error):
    assert Failure(error).headers == {"x-id": "1"}


# --- how long to wait


def later(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30),
        ({"retry-after": "1.5"}, 1.5),
        (lambda: {"Retry-After": format_datetime(later(120), usegmt=True)}, 120),
        (lambda: {"Retry-After": format_datetime(later(-120), usegmt=True)}, 0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"x-ms-retry-after-ms": "250"}, 0.25),
        (lambda: {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 90)}, 90),
        (lambda: {"X-RateLimit-Reset": str(int(time.time() * 1_000) + 90_000)}, 90),
        ({"x-ratelimit-reset": "45"}, 45),
        (lambda: {"x-rate-limit-reset": str(int(time.time()) + 90)}, 90),
        ({"x-ratelimit-reset-after": "3.5"}, 3.5),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "50"}, 50),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}, 90),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "200ms"}, 0.2),
        (
            lambda: {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": later(20).isoformat(),
            },
            20,
        ),
        ({"RateLimit": '"api";r=0;t=55'}, 55),
        ({"RateLimit": "limit=100, remaining=0, reset=50"}, 50),
        ({"RateLimit": '"api";r=4;t=55'}, None),
        ({"x-ratelimit-remaining": "4", "x-ratelimit-reset": "45"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "1e400"}, None),
        ({}, None),
    ],
)
def test_how_long_to_wait_is_read_from_headers(bare, headers, seconds):
    given = headers() if callable(headers) else headers  # those that hold a time are made when they are needed
    error = bare.classify(ApiError(response=answer(429, headers=given)))
    assert error.retry_after == (None if seconds is None else pytest.approx(seconds, abs=3))


@pytest.mark.parametrize(
    ("stored", "seconds"),
    [
        ({"retry_after": 7}, 7),
        ({"retry_after": timedelta(minutes=2)}, 120),
        ({"retry_after": "7"}, 7),
        ({"retry_after": True}, None),
        ({"retry_after": "soon"}, None),
        ({"body": {"retry_after": 12}}, 12),
        ({"body": {"error": {"retryAfter": "12"}}}, 12),
        ({"body": {"parameters": {"retry_after": 12}}}, 12),
        ({"body": {"retry_after_ms": 1_500}}, 1.5),
        ({"body": {"error": {"details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "34s"}]}}}, 34),
        ({"body": {"headers": {"Retry-After": "8"}}}, 8),
        ({"body": {"message": "Rate limit reached. Please try again in 20s."}}, 20),
        ({"body": {"message": "Please retry after 2 minutes"}}, 120),
        ({"body": {"message": "try again in 500ms"}}, 0.5),
        ({"body": {"message": "try again in a while"}}, None),
    ],
)
def test_how_long_to_wait_is_read_from_fields_and_text(bare, stored, seconds):
    error = bare.classify(ApiError(status_code=429, **stored))
    assert error.retry_after == seconds


# --- what it is about


@pytest.mark.parametrize(
    ("error", "arguments", "resource"),
    [
        (ApiError(response=answer(404)), None, "/v1/things/7"),
        (ApiError(response=answer(404, url="https://api.example/v1/things/7?key=secret")), None, "/v1/things/7"),
        (ApiError(status_code=404, url="https://api.example/a/b?c=d#e"), None, "/a/b"),
        (ApiError(status_code=404, request=SimpleNamespace(url="https://api.example/a")), None, "/a"),
        (ApiError(status=404, request_info=SimpleNamespace(real_url="https://api.example/a")), None, "/a"),
        (ApiError(response=answer(404, url="https://api.example/")), None, None),
        (ApiError(response=answer(404)), {"thing_id": 7, "name": "x"}, "/v1/things/7"),
        (ApiError(response=answer(404, url="https://api.example/issue/PROJ-4")), {"issue_key": "PROJ-4"}, "PROJ-4"),
        (ApiError(response=answer(404, {"path": "/wiki/Foo"})), None, "/wiki/Foo"),
        (ApiError(status_code=404), {"bucket": "data", "key": "a/b.csv"}, "a/b.csv"),
        (ApiError(status_code=404), {"repo": "acme/site"}, "acme/site"),
        (ApiError(status_code=404), {"limit": 3}, None),
        (ApiError("No such File object: file-1", status_code=404), None, "file-1"),
        (
            ApiError("No commit found for the ref no-such-branch", status_code=404),
            {"repo": "a", "ref": "no-such-branch"},
            "no-such-branch",
        ),
        (LookupError("widget 17 does not exist"), None, "widget 17"),
        (LookupError("widget 17 does not exist"), {"container": "17"}, "17"),
        (LookupError("index logs-7 was not found"), {"index": "logs-7"}, "logs-7"),
        (LookupError("index logs-7 was not found"), {"index": "logs-8"}, "index logs-7"),
        (KeyError("There is no item named 'report.csv' in the archive"), None, "report.csv"),
        (RuntimeError('relation "invoices" does not exist'), None, "invoices"),
        (RuntimeError("cat: /data/x.txt: No such file or directory"), None, "/data/x.txt"),
    ],
)
def test_what_it_is_about(bare, error, arguments, resource):
    told = bare.classify(error, tool="get", arguments=arguments)
    assert (type(told), told.resource) == (errors.ResourceNotFoundError, resource)


# --- which fields were rejected


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (
            {"detail": [{"loc": ["body", "user", "email"], "msg": "field required", "type": "missing"}]},
            [("/user/email", "missing")],
        ),
        ({"errors": [{"field": "title", "code": "missing_field"}]}, [("/title", "missing")]),
        (
            {"error": {"param": "messages[0].role", "code": "invalid_value"}},
            [("/messages/0/role", "rejected by the service")],
        ),
        (
            {"errors": [{"source": {"pointer": "/data/attributes/email"}, "detail": "must be set"}]},
            [("/email", "rejected by the service")],
        ),
        (
            {"error": {"details": [{"fieldViolations": [{"field": "page_size", "description": "too big"}]}]}},
            [("/page_size", "rejected by the service")],
        ),
        ({"invalid-params": [{"name": "age", "reason": "must be positive"}]}, [("/age", "rejected by the service")]),
        (
            {"errors": {"email": ["is not valid"], "name": ["can't be blank"]}},
            [("/email", "rejected by the service"), ("/name", "missing")],
        ),
        ({"message": "Missing required parameter: 'messages'."}, [("/messages", "missing")]),
        ({"message": "no"}, []),
        ({"errors": "no"}, []),
    ],
)
def test_the_fields_that_a_service_rejects_are_named(bare, body, problems):
    error = bare.classify(ApiError("no", response=answer(422, body)))
    assert type(error) is errors.ToolArgumentError
    assert [(problem.pointer, problem.message) for problem in error.problems] == problems


def test_what_was_sent_is_told_beside_the_field(bare):
    error = bare.classify(ApiError("no", response=answer(422, {"param": "user.age"})), arguments={"user": {"age": -1}})
    assert [(problem.pointer, problem.got) for problem in error.problems] == [("/user/age", "-1")]


# --- gRPC and JSON-RPC


class Code(enum.Enum):
    NOT_FOUND = (5, "not found")
    UNAVAILABLE = (14, "unavailable")
    RESOURCE_EXHAUSTED = (8, "resource exhausted")
    DEADLINE_EXCEEDED = (4, "deadline exceeded")
    OK = (0, "ok")


class Rpc(Exception):
    def __init__(self, code: Any, details: str = "") -> None:
        super().__init__()
        self._told = code, details

    def code(self) -> Any:
        return self._told[0]

    def details(self) -> str:
        return self._told[1]


@pytest.mark.parametrize(
    ("error", "cls", "effect"),
    [
        (Rpc(Code.NOT_FOUND), errors.ResourceNotFoundError, "none"),
        (Rpc(Code.DEADLINE_EXCEEDED), errors.ToolTimeoutError, "possible"),
        (Rpc(Code.UNAVAILABLE, "server is draining"), errors.ToolUnavailableError, "possible"),
        (Rpc(Code.UNAVAILABLE, "failed to connect to all addresses"), errors.ToolConnectionError, "none"),
        (Rpc(Code.RESOURCE_EXHAUSTED, "slow down"), errors.ToolRateLimitError, "none"),
        (Rpc(Code.RESOURCE_EXHAUSTED, "Received message larger than max (5 vs. 4)"), errors.ToolArgumentError, "none"),
        (Rpc(Code.OK), errors.ToolExecutionError, "possible"),
        (Rpc(5), errors.ToolExecutionError, "possible"),
    ],
)
def test_a_grpc_status(bare, error, cls, effect):
    told = bare.classify(error)
    assert (type(told), told.effect) == (cls, effect)


@pytest.mark.parametrize(
    ("value", "cls"),
    [
        (
            {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
            errors.ToolNotFoundError,
        ),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}}, errors.ToolArgumentError),
        (
            {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Unknown resource: x"}},
            errors.ResourceNotFoundError,
        ),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}, errors.ToolExecutionError),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no"}}, errors.ToolExecutionError),
        ({"isError": True, "content": [{"type": "text", "text": "MCP error -32602: no"}]}, errors.ToolArgumentError),
    ],
)
def test_a_json_rpc_code(bare, value, cls):
    assert type(bare.classify(value)) is cls


@pytest.mark.parametrize("code", [-32000, -32042, -1, 7001])
def test_an_error_of_another_program_names_its_code_and_not_the_class_that_carries_it(bare, code):
    def book() -> str:
        raise ApiError("Row 7 wobbles", error=SimpleNamespace(code=code, message="Row 7", data=None))

    read = Pipeline([book], autoload=False).call("book", {}).content
    assert f"The server reported the error {code}." in read
    assert "Row 7 wobbles" in read
    assert "ApiError" not in read
    assert type(bare.classify(ApiError("Read timed out", error=SimpleNamespace(code=code, message="")))) is (
        errors.ToolTimeoutError
    )


# --- foreign objects are not trusted


class Sour(Exception):
    """Every property of it would do harm."""

    @property
    def status_code(self) -> int:
        raise SystemExit(3)

    @property
    def response(self) -> Any:
        return open("/nonexistent/never/read")  # noqa: SIM115

    @property
    def body(self) -> Any:
        raise RecursionError

    @property
    def headers(self) -> Any:
        while True:
            pass

    @property
    def retry_after(self) -> Any:
        time.sleep(1_000)


class Liar(Exception):
    """It lies about what it is, and raises when asked for anything."""

    @property
    def __class__(self) -> Any:
        raise ValueError("no")

    def __getattribute__(self, name: str) -> Any:
        raise ValueError("no")


class SourMapping(UserDict):
    def items(self) -> Any:
        raise ValueError("no")

    def get(self, *_: Any) -> Any:
        raise ValueError("no")


STORED = """status status_code code error errors details detail message reason body data response headers url request
    retry_after sqlstate pgcode stderr filename meta type __notes__ returncode""".split()
HOSTILE: dict[str, Any] = {
    "its properties": lambda: Sour("odd"),
    "its class": lambda: Liar("odd"),
    "its answer": lambda: ApiError(response=Liar("odd")),
    "its body": lambda: ApiError(body=SourMapping()),
    "an answer that is a mapping": lambda: ApiError(response=SourMapping()),
    "its headers": lambda: ApiError(headers=SourMapping()),
    "brackets": lambda: ApiError(body="[" * 200_000),
    "braces": lambda: ApiError(body='{"a":' * 100_000),
    "a wide body": lambda: ApiError(body={"error": {"errors": [{"error": {"error": {"error": {}}}}] * 10_000}}),
    "a long text": lambda: ApiError("x" * 5_000_000),
    **{f"its {name}": lambda name=name: ApiError(**{name: Liar("odd")}) for name in STORED},
    "a wait that is no number": lambda: ApiError(retry_after=float("nan")),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_a_foreign_object_does_when_it_is_looked_at_costs_nothing(bare, kind):
    told = bare.classify(HOSTILE[kind](), arguments={"path": "a"})
    assert type(told) is errors.ToolExecutionError
    assert bare.faults == ()


def test_a_failure_of_a_tool_without_a_name_is_worded_without_a_gap(make_pipeline):
    told = make_pipeline().recover(FileNotFoundError(2, "No such file or directory", "a.md")).content
    assert "then call the tool again with one that exists" in told


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        (
            "400, message:\n  Can not decode content-encoding: gzip",
            errors.ToolExecutionError,
            "The response cannot be decoded.",
        ),
        ("Response payload is not completed", errors.ToolConnectionError, "The connection was dropped mid-request."),
    ],
)
def test_a_body_that_aiohttp_cannot_decode_was_not_cut_off(bare, text, cls, message):
    raised = type("ClientPayloadError", (Exception,), {"__module__": "aiohttp.client_exceptions"})(text)
    error = bare.classify(raised)
    assert (type(error), error.message, error.effect, error.http_status) == (cls, message, "possible", None)


@pytest.mark.parametrize("status", [400, 422])
def test_a_body_says_that_a_thing_exists(bare, status):
    response = SimpleNamespace(status_code=status, text='{"error": ["Object violates owner / name unique constraint"]}')
    error = bare.classify(ApiError(f"{status} Client Error", response=response))
    assert (type(error), error.code) == (errors.ResourceConflictError, "ALREADY_EXISTS")
