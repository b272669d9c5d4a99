"""What a tool raised or returned, described as JSON and made again without its classes."""

from __future__ import annotations

import json
import socket
import urllib.error
from email.message import Message

import pytest
from mulligan_ledger import snapshot

from mulligan import Pipeline, tool
from mulligan.errors import ToolRateLimitError, ToolUnavailableError


def again(outcome):
    """What is made of a described outcome that went through JSON."""
    described = json.loads(json.dumps(snapshot.describe_outcome(outcome, lambda text: text)))
    handler = snapshot.to_handler(described)
    try:
        return handler()
    except BaseException as error:
        return error


class Response:
    def __init__(self, status, body, **headers):
        self.status_code, self.headers, self._content = status, headers, json.dumps(body).encode()

    @property
    def text(self):
        return self._content.decode()


class AcmeError(Exception):
    def __init__(self, message, response):
        super().__init__(message)
        self.response = response
        self._code = "E42"

    @property
    def code(self):
        return self._code


AcmeError.__module__ = "acme.errors"
AcmeError.__qualname__ = "AcmeError"


def raised(error, cause=None):
    try:
        raise error from cause
    except BaseException as caught:
        return caught


def http_error():
    headers = Message()
    headers["Retry-After"] = "7"
    return urllib.error.HTTPError("https://api.example.com/v1/items/9", 429, "Too Many Requests", headers, None)


OUTCOMES = {
    "key": KeyError("city"),
    "os": FileNotFoundError(2, "No such file or directory", "a/b.txt"),
    "own text": raised(ValueError("unknown unit: furlong")),
    "cause": raised(RuntimeError("search failed"), ConnectionRefusedError(111, "Connection refused")),
    "group": ExceptionGroup("two", [ValueError("n must be positive"), KeyError("a")]),
    "unicode": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    "dns": socket.gaierror(-2, "Name or service not known"),
    "http": http_error(),
    "response": raised(
        AcmeError("Acme said no", Response(404, {"error": {"code": "no_item", "message": "No item 9"}}))
    ),
    "retry-after": raised(AcmeError("Slow down", Response(429, {"message": "slow"}, **{"Retry-After": "3"}))),
    "ours": ToolUnavailableError("Busy.", retry_after=2),
    "returned": {"isError": True, "content": [{"type": "text", "text": "no such table: songs"}]},
    "returned status": Response(503, {"error": "down"}),
    "text": "Error: ENOENT: no such file or directory, open 'a.txt'",
    "exit": SystemExit(3),
    "timeout": TimeoutError("timed out"),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_it_means_the_same_without_its_classes(name):
    outcome = OUTCOMES[name]
    pipeline = Pipeline(autoload=False)
    before, after = (
        pipeline.classify(one, tool="look", arguments={"city": "Rome", "n": 3}) for one in (outcome, again(outcome))
    )

    assert type(after) is type(before)
    for field in ("message", "code", "rule", "http_status", "retry_after", "resource", "transient", "fatal", "effect"):
        assert getattr(after, field, None) == getattr(before, field, None), field


def test_a_class_that_is_not_here_keeps_its_names_and_properties():
    error = again(OUTCOMES["response"])

    assert type(error) is not AcmeError
    assert (type(error).__module__, type(error).__qualname__) == ("acme.errors", "AcmeError")
    assert str(error) == "Acme said no"
    assert error.code == "E42"
    assert error.response.status_code == 404


def test_nothing_is_imported_for_a_recorded_name():
    described = {
        "raised": [{"mro": [["antigravity", "Nope"], ["builtins", "Exception"]], "text": "x", "args": [], "fields": {}}]
    }
    with pytest.raises(Exception, match="x") as caught:
        snapshot.to_handler(described)()

    import sys

    assert "antigravity" not in sys.modules
    assert type(caught.value).__module__ == "antigravity"


@pytest.mark.parametrize(
    "mro", [[], [["builtins", "exec"]], [["builtins", "object"]], [["os", "system"]], [["mulligan", "Pipeline"]]]
)
def test_a_name_that_is_no_exception_becomes_a_plain_one(mro):
    with pytest.raises(Exception, match="^x$"):
        snapshot.to_handler({"raised": [{"mro": mro, "text": "x", "args": ["x"], "fields": {}}]})()


def test_the_modules_that_it_came_through_are_seen_again():
    from mulligan.classify.failure import Failure

    scope = {"__name__": "acme.client"}
    exec("def request():\n    raise OSError('reset')", scope)
    try:
        scope["request"]()
    except OSError as caught:
        error = caught

    assert Failure(again(error)).came_through("acme") == "acme"


def test_it_is_bounded_and_says_what_was_cut():
    deep: dict = {}
    for _ in range(100):
        deep = {"inner": deep, "text": "x" * 100_000, "wide": list(range(10_000))}
    error = RuntimeError("x" * 100_000)
    error.body = deep
    text = json.dumps(snapshot.describe_outcome(error, lambda one: one))

    assert len(text) < 300_000
    assert '"$cut"' in text


def test_an_object_that_resists_is_no_problem():
    class Hostile:
        def __getattr__(self, name):
            raise RuntimeError("no")

        def __str__(self):
            raise RuntimeError("no")

        __repr__ = __str__

    error = RuntimeError("x")
    error.thing, error.itself = Hostile(), error

    assert isinstance(again(error), RuntimeError)


def test_a_rate_limit_of_ours_keeps_its_seconds():
    assert again(ToolRateLimitError("Wait.", retry_after=9)).retry_after == 9


@pytest.mark.parametrize("name", ["KeyboardInterrupt", "GeneratorExit"])
def test_a_changed_file_cannot_end_the_replay(name):
    described = {"raised": [{"mro": [["builtins", name], ["builtins", "BaseException"]], "text": "stop"}]}

    @tool
    def fail() -> None:
        """Fail."""
        snapshot.to_handler(described)()

    with Pipeline([fail], autoload=False) as pipeline:
        assert pipeline.call("fail").is_error
