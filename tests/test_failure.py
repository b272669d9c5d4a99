"""What the author of a rule reads a failure with."""

from __future__ import annotations

import json

import pytest

from mulligan import errors
from mulligan.plugin import Failure, status_error


class Answer:
    """An HTTP client's answer, as most clients shape it."""

    def __init__(self, status: int = 400, headers: dict[str, str] | None = None, content: bytes | str = b"") -> None:
        self.status_code = status
        self.headers = headers or {}
        self._content = content


class ServiceError(Exception):
    """An exception that stores whatever it is given."""

    def __init__(self, message: str = "", **stored: object) -> None:
        super().__init__(message)
        self.__dict__.update(stored)


# --- body


@pytest.mark.parametrize(
    "stored",
    [
        {"body": {"error": {"code": "x"}}},
        {"body": '{"error": {"code": "x"}}'},
        {"data": {"error": {"code": "x"}}},
        {"json_body": {"error": {"code": "x"}}},
        {"content": b'{"error": {"code": "x"}}'},
        {"response": Answer(content=b' {"error": {"code": "x"}}')},
        {"response": {"error": {"code": "x"}}},
        {"reason": ServiceError(response=Answer(content=b'{"error": {"code": "x"}}'))},
    ],
)
def test_the_body_is_parsed_wherever_a_library_keeps_it(stored):
    assert Failure(ServiceError("no", **stored)).body == {"error": {"code": "x"}}


def test_a_body_may_be_a_list_of_errors():
    told = [{"errorCode": "NOT_FOUND", "message": "gone"}]
    assert Failure(ServiceError(content=json.dumps(told))).body == told


@pytest.mark.parametrize(
    "stored", [{}, {"body": None}, {"body": "<html>"}, {"body": "{oops"}, {"body": "[" * 100_000}, {"body": 3}]
)
def test_no_body_is_none(stored):
    assert Failure(ServiceError("no", **stored)).body is None


def test_a_body_that_is_no_json_is_told_as_text():
    assert (
        Failure(ServiceError(response=Answer(content=b"<Error>Slow down</Error>"))).body_text
        == "<Error>Slow down</Error>"
    )
    assert Failure(ServiceError()).body_text == ""
    assert len(Failure(ServiceError(body="x" * 9_000)).body_text) == 2_000


def test_a_body_that_was_not_read_yet_stays_unread():
    class Streaming:
        _content = False

        @property
        def content(self) -> bytes:
            raise AssertionError("read")

        @property
        def text(self) -> str:
            raise AssertionError("read")

    assert Failure(ServiceError(response=Streaming())).body is None


def test_the_body_of_a_value_is_the_value():
    value = {"ok": False, "error": "channel_not_found"}
    assert Failure(value=value).body == value


# --- look and says


def test_look_goes_through_attributes_and_keys():
    error = ServiceError(response={"Error": {"Code": "NoSuchKey"}}, request=Answer(418))
    assert Failure(error).look("response", "Error", "Code") == "NoSuchKey"
    assert Failure(error).look("request", "status_code") == 418
    assert Failure(error).look("request", "nothing", "at all") is None
    assert Failure(value={"a": {"b": 1}}).look("a", "b") == 1


def test_look_never_raises():
    class Sour(Exception):
        @property
        def request(self) -> None:
            raise RuntimeError("not set")

    assert Failure(Sour()).look("request", "url") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Rate limit exceeded.", True),
        ("RATE  LIMIT", True),
        ("the corporate limit", False),
        ("rate limits", False),
        ("a quota (monthly)", True),
    ],
)
def test_says_finds_whole_words_in_any_case(text, said):
    assert Failure(RuntimeError(text)).says("rate limit", "quota (monthly)") is said


def test_says_reads_the_body_too():
    error = ServiceError(
        "403 Client Error: Forbidden", response=Answer(403, content=b'{"message": "secondary rate limit"}')
    )
    assert Failure(error).says("secondary rate limit")


# --- status_error


@pytest.mark.parametrize(
    ("status", "cls", "effect"),
    [
        (400, errors.ToolArgumentError, "none"),
        (401, errors.ToolAuthenticationError, "none"),
        (402, errors.ToolQuotaError, "none"),
        (403, errors.ToolPermissionError, "none"),
        (404, errors.ResourceNotFoundError, "none"),
        (408, errors.ToolTimeoutError, "possible"),
        (409, errors.ResourceConflictError, "none"),
        (429, errors.ToolRateLimitError, "none"),
        (500, errors.ToolUnavailableError, "possible"),
        (501, errors.ToolExecutionError, "none"),
        (503, errors.ToolUnavailableError, "possible"),
        (504, errors.ToolTimeoutError, "possible"),
        (507, errors.ToolQuotaError, "none"),
    ],
)
def test_what_a_status_means(status, cls, effect):
    error = status_error(Failure(ServiceError("no")), status)
    assert (type(error), error.effect, error.http_status) == (cls, effect, status)
    assert str(status) in error.message


def test_a_status_error_takes_the_status_and_the_wait_of_the_failure():
    error = status_error(Failure(ServiceError("no", response=Answer(429, {"Retry-After": "30"}))))
    assert (type(error), error.http_status, error.retry_after) == (errors.ToolRateLimitError, 429, 30)


def test_a_status_error_lets_a_rule_know_better():
    failure = Failure(ServiceError("no", status_code=404))
    error = status_error(failure, resource="octo/hello", provider="github", fatal=True)
    assert error.message == "Resource not found: octo/hello"
    assert (error.resource, error.provider, error.fatal) == ("octo/hello", "github", True)
    assert status_error(failure, 404, message="No such issue.").message == "No such issue."


def test_a_status_error_without_a_status_claims_nothing():
    error = status_error(Failure(ServiceError("no")))
    assert (type(error), error.message, error.effect) == (errors.ToolExecutionError, "The service failed.", "possible")


# --- where it came from


def test_met_looks_at_causes_and_members():
    error = ServiceError("no answer")
    error.__cause__ = ExceptionGroup("two", [ValueError("x"), ConnectionRefusedError(111, "refused")])
    failure = Failure(error)
    assert failure.met("ConnectionError")
    assert failure.met("builtins.KeyError", "builtins.ValueError")
    assert not failure.met("TimeoutError")
    assert not Failure(value={"ok": False}).met("Exception")


def test_came_through_tells_whose_code_an_exception_passed():
    try:
        json.loads("{")
    except json.JSONDecodeError as error:
        failure = Failure(error)
    assert failure.came_through("json") == "json"
    assert failure.came_through("http", "json.decoder") == "json.decoder"
    assert failure.came_through("js", "http") is None
    assert Failure(ValueError("never raised")).came_through("json") is None
    assert Failure(value=3).came_through("json") is None
