"""What the model reads of a response: the service's own words and its reason for each field, never a link about the status."""

from __future__ import annotations

import io
import json
import urllib.error
from email.message import Message
from types import SimpleNamespace
from typing import Any

import pytest

from mulligan import Pipeline, Tool

LINK = "https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/404"


class HTTPStatusError(Exception):
    """As httpx raises it; a server of our own is asked in the tests of mulligan-http."""


def answered(status: int, body: Any, phrase: str = "Bad Request") -> HTTPStatusError:
    url = "https://shop.example/orders"
    error = HTTPStatusError(f"Client error '{status} {phrase}' for url '{url}'\nFor more information check: {LINK}")
    content = (body if isinstance(body, str) else json.dumps(body)).encode()
    request = SimpleNamespace(url=url, method="POST")
    error.response = SimpleNamespace(
        status_code=status, headers={"content-type": "x"}, _content=content, request=request
    )  # type: ignore[attr-defined]
    return error


def quoted(error: BaseException, **arguments: Any) -> list[str]:
    """The lines in the fence."""

    def order(**_: Any) -> str:
        raise error

    schema = {"type": "object", "properties": {name: {} for name in arguments}}
    with Pipeline(autoload=False) as pipeline:
        from mulligan import Tool

        pipeline.tools.add(Tool.from_schema("order", "Orders.", schema, order))
        lines = pipeline.call("order", arguments).content.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith("<<<")), None)
    if start is None:
        return []
    end = next(at for at, line in enumerate(lines) if line.endswith(">>>"))
    return lines[start + 1 : end]


BODIES: dict[str, tuple[Any, list[str]]] = {
    "message": ({"message": "no such port Atlantis"}, ["no such port Atlantis"]),
    "detail": ({"detail": "Tide tables end in 2031."}, ["Tide tables end in 2031."]),
    "error.message": (
        {"error": {"code": "bad", "message": "speed must be less than 10"}},
        ["speed must be less than 10"],
    ),
    "a list of texts": (
        {"errors": ["Name can't be blank", "Port is closed"]},
        ["Name can't be blank", "Port is closed"],
    ),
    "RFC 9457": (
        {"type": "about:blank", "title": "No berth is free.", "detail": "The next one is free at noon.", "status": 400},
        ["No berth is free: The next one is free at noon."],
    ),
    "JSON:API": (
        {
            "errors": [
                {"title": "Invalid", "detail": "must be a harbour", "source": {"pointer": "/data/attributes/port"}}
            ]
        },
        ["port: must be a harbour"],
    ),
    "Google": (
        {
            "error": {
                "code": 400,
                "status": "INVALID_ARGUMENT",
                "message": "The request is invalid.",
                "details": [{"fieldViolations": [{"field": "speed", "description": "must be at most 100"}]}],
            }
        },
        ["The request is invalid.", "speed: must be at most 100"],
    ),
    "Azure": (
        {
            "error": {
                "code": "Bad",
                "message": "The input is invalid.",
                "details": [{"target": "port", "message": "lower case only"}],
            }
        },
        ["The input is invalid.", "port: lower case only"],
    ),
    "FastAPI": (
        {
            "detail": [
                {"loc": ["body", "cargo", 0, "weight"], "msg": "Input should be less than 10", "type": "less_than"}
            ]
        },
        ["cargo.0.weight: Input should be less than 10"],
    ),
    "Django REST framework": (
        {"port": ["Enter a valid port."], "non_field_errors": ["The two dates overlap."]},
        ["port: Enter a valid port.", "The two dates overlap."],
    ),
    "Rails": ({"errors": {"port": ["can't be blank"]}}, ["port: can't be blank"]),
    "a plain text": ("worker 3 lost its lease", ["worker 3 lost its lease"]),
    "a page": (
        "<html><head><title>Harbour closed</title><style>p {}</style></head><body><h1>Closed</h1><p>Until noon.</p></body></html>",
        ["Harbour closed", "Closed", "Until noon."],
    ),
}


@pytest.mark.parametrize("kind", BODIES)
def test_the_words_of_the_service(kind):
    body, expected = BODIES[kind]
    lines = [line for line in quoted(answered(400, body), cargo=1) if not line.startswith("/")]
    assert lines == expected


@pytest.mark.parametrize("body", ["", "{}", "[]", "{", "<svg/>"])
def test_without_words_the_text_of_the_client_remains_without_its_link(body):
    (line,) = quoted(answered(404, body, "Not Found"))
    assert line == "Client error '404 Not Found' for url 'https://shop.example/orders'"


def test_what_the_tool_adds_is_kept():
    error = answered(400, {"message": "speed must be less than 10"})
    error.args = ("could not change course of the ferry at 400",)
    assert quoted(error) == ["could not change course of the ferry at 400", "speed must be less than 10"]


def test_a_dump_of_the_body_is_read_once():
    error = answered(429, {"error": {"message": "Slow down, please.", "code": "rate"}})
    error.args = ("Error code: 429 - {'error': {'message': 'Slow down, please.', 'code': 'rate'}}",)
    assert quoted(error) == ["Slow down, please."]


def test_nothing_is_read_from_the_network():
    """The body of urllib's HTTPError is still on its way: reading it may wait, so its author reads it."""
    unread = io.BytesIO(b'{"message": "no such port"}')
    error = urllib.error.HTTPError("https://shop.example", 404, "Not Found", Message(), unread)
    assert quoted(error) == ["HTTP Error 404: Not Found"]
    assert unread.tell() == 0


@pytest.mark.parametrize("port", ["Oslo", 0, False])
def test_an_argument_that_was_sent_is_not_called_missing(port):
    with Pipeline(autoload=False) as pipeline:
        error = pipeline.classify(answered(422, {"errors": {"port": ["is required"]}}), arguments={"port": port})
    (problem,) = error.problems  # type: ignore[union-attr]
    assert (problem.pointer, problem.message) == ("/port", "rejected by the service")


def test_an_argument_that_was_not_sent_is_missing():
    with Pipeline(autoload=False) as pipeline:
        error = pipeline.classify(answered(422, {"errors": {"port": ["is required"]}}), arguments={"cargo": 1})
    assert [problem.message for problem in error.problems] == ["missing"]  # type: ignore[union-attr]


def test_a_response_that_is_shown_by_its_class_gives_way_to_what_it_says():
    class Refused(Exception):
        def __init__(self) -> None:
            super().__init__(Answer())
            self.response = Answer()

    class Answer:
        __module__, __qualname__ = "acme.http", "Answer"
        status_code, headers, url = 403, {}, "https://a.example/x"
        text = '{"message": "Resource not accessible by integration"}'

        def __repr__(self) -> str:
            return "<acme.http.Answer>"

    def read(name: str) -> None:
        raise Refused

    with Pipeline([Tool.from_function(read)], autoload=False) as pipeline:
        content = pipeline.call("read", {"name": "a"}).content
    assert "Resource not accessible by integration" in content
    assert "acme.http" not in content


@pytest.mark.parametrize("body", [{"errors": "Depot 7 is closed."}, {"error": {"errors": "Depot 7 is closed."}}])
def test_one_text_for_all_errors_is_what_the_service_says(body):
    assert quoted(answered(422, body, "Unprocessable Entity")) == ["Depot 7 is closed."]
