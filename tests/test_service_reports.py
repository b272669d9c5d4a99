"""What a service says is read wherever its client keeps it, and however it is written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mulligan import Pipeline, Policy, Tool, ToolResult
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolExecutionError,
    ToolPermissionError,
)


class Stored(Exception):
    """An exception that keeps what it is given."""

    def __init__(self, text: str, **fields: Any) -> None:
        super().__init__(text)
        self.__dict__.update(fields)


class Response:
    """An answer, with its body as text."""

    def __init__(self, status: int, body: Any) -> None:
        self.status_code, self.headers, self.text = status, {}, json.dumps(body)


def answered(status: int, body: Any) -> Stored:
    return Stored(f"{status} Client Error for url: https://api.example/v1", response=Response(status, body))


def call(error: Exception, arguments: dict[str, Any], name: str = "update_loan", **options: Any) -> ToolResult:
    def fail(**_: Any) -> None:
        raise error

    schema = {"type": "object", "properties": dict.fromkeys(arguments, {})}
    with Pipeline([Tool.from_schema(name, "Update a loan.", schema, fail, **options)], autoload=False) as pipeline:
        return pipeline.call(name, arguments)


def test_the_body_in_an_attribute_json_is_read_instead_of_the_dump_of_it():
    body = {"error": {"message": "The shelf 'north' is full of dust."}}
    error = Stored(f"ApiError(status_code=400, json={body!r})", status_code=400, headers={}, json=body)
    content = call(error, {"shelf": "north"}).content
    assert "The shelf 'north' is full of dust." in content
    assert "ApiError(" not in content


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            {"errors": [{"message": "Cannot save.", "context": "The shelf is locked by its owner."}]},
            ["Cannot save.", "The shelf is locked by its owner."],
        ),
        ({"error": {"type": "bad", "messages": ["The day is missing.", "No copy given."]}}, ["The day is missing."]),
        (
            {
                "code": "rest_invalid_param",
                "message": "Invalid parameter(s): genre",
                "data": {"status": 400, "params": {"genre": "genre is not one of novel, poem or play."}},
            },
            ["Invalid parameter(s): genre", "genre is not one of novel, poem or play."],
        ),
    ],
    ids=["context", "messages", "by parameter"],
)
def test_each_sentence_of_a_body_is_quoted_once(body, lines):
    content = call(answered(400, body), {"genre": "crime", "shelf": "north"}).content
    for line in lines:
        assert content.count(line) == 1, content


def test_results_beside_an_error_are_no_part_of_it():
    body = {"errors": [{"message": "No loan."}], "data": {"loan": None, "note": {"message": "Bring it back soon."}}}
    assert "Bring it back soon." not in call(answered(400, body), {"loan": "l1"}).content


@pytest.mark.parametrize(
    ("code", "data", "cls"),
    [
        (-32602, "The session has expired.", ToolAuthenticationError),
        (-32603, "The session has expired.", ToolAuthenticationError),
        (-32600, "Access denied for this shelf.", ToolPermissionError),
        (-32602, "Shelf not found.", ResourceNotFoundError),
        (-32603, "key not found in cache", ToolExecutionError),  # not of what was asked for
        (-32602, "property api_key is missing", ToolArgumentError),
        (-32602, "access denied for a path outside of the root", ToolArgumentError),
        (-32602, "too many requests in one batch", ToolArgumentError),
        (-32602, "The shelf is blue.", ToolArgumentError),
        (-32603, {"shelf": "north"}, ToolExecutionError),
    ],
)
def test_a_code_that_a_server_sends_for_everything_does_not_hide_what_it_says(code, data, cls):
    error = Stored(f"Invalid params. {data}", code=code, message="Invalid params.", data=data)
    assert type(call(error, {"shelf": "north"}).error) is cls


@pytest.mark.parametrize(
    ("body", "cls"),
    [
        ({"message": "Invalid request", "params": {"q": "rate limit exceeded"}}, ToolArgumentError),  # what was sent
        ({"message": "Invalid request", "context": "while the user said: quota exceeded"}, ToolArgumentError),
        (
            {"code": 7, "message": "Loan not saved", "data": {"status": "UNAUTHORIZED"}},
            ToolArgumentError,
        ),  # of the loan
        ({".tag": ["x"], "error": "Token expired."}, ToolAuthenticationError),
    ],
)
def test_what_stands_beside_an_error_is_not_taken_for_it(body, cls):
    assert type(call(answered(400, body), {"q": "rate limit exceeded"}).error) is cls


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("nats: wrong last sequence: 19", ResourceConflictError),
        ("stale revision", ResourceConflictError),
        ("The given etag does not match the current etag", ResourceConflictError),
        ("generation 4 is not the latest generation (6)", ResourceConflictError),
        ("wrong expected version of Python: 3.8", None),
        ("Cannot update archived shelf: north (archived in March)", ResourceConflictError),
        ("wrong sequence of steps", None),
        ("unexpected sequence in line 3", None),
        ("revision not found", ResourceNotFoundError),
    ],
)
def test_what_has_changed_meanwhile_is_a_conflict(text, cls):
    found = type(call(RuntimeError(text), {"shelf": "north"}).error)
    assert found is (cls or ToolExecutionError)


def step(error: Exception, arguments: dict[str, Any], **options: Any) -> str:
    return call(error, arguments, **options).feedback.next_step


@pytest.mark.parametrize(
    "text",
    [
        "No such shelf ‘nroth’; perhaps you meant ‘north’?",
        "No such shelf “nroth”. Did you mean “north”?",
        "No such shelf 'nroth'; did you mean 'north'?",
    ],
)
def test_a_name_in_typographic_quotes_is_a_name(text):
    result = call(RuntimeError(text), {"shelf": "nroth", "day": 3})
    assert result.content.startswith("Error executing tool update_loan: Resource not found: nroth\n")
    assert result.feedback.next_step.startswith('choose the right value for "shelf" from those quoted above, then call')


def test_the_quotation_keeps_the_marks_of_the_report():
    assert "‘nroth’" in call(RuntimeError("No such shelf ‘nroth’"), {"shelf": "nroth"}).content


@pytest.mark.parametrize(
    "text",
    ["genre is not one of novel, poem, and play.", "genre must be one of novel, poem or play"],
)
def test_a_list_needs_no_colon(text):
    assert "from those quoted above" in step(ValueError(text), {"genre": "crime"})


@pytest.mark.parametrize(
    "text",
    ["genre must not be one of novel, poem or play", "not found in any of /a, /b and /c", "Try one of these, in order"],
)
def test_what_must_not_be_sent_is_not_offered(text):
    assert "quoted above, then" not in step(ValueError(text), {"genre": "poem"})


def test_a_name_keeps_the_marks_with_which_it_was_sent():
    result = call(answered(404, {"message": "Shelf “Plan «A»” was not found"}), {"shelf": "Plan «A»"})
    assert result.error.resource == "Plan «A»"


def test_the_name_of_a_member_is_compared_with_the_names_that_a_report_lists():
    text = "Invalid field name 'Due'. Valid field names are: 'Lent On', 'Due Date', 'Borrower'."
    result = call(answered(400, {"message": text}), {"loan": "l1", "fields": {"Due": "2026-01-02"}})
    assert "[nearest first: Due Date, Lent On, Borrower]" in result.content
    assert (
        result.feedback.next_step
        == "use the names and values quoted above to correct the arguments, then call update_loan again."
    )


def test_the_argument_that_a_report_names_is_the_one_that_is_missing():
    error = answered(422, {"message": "The genre parameter doesn't match any active genre."})
    result = call(error, {"id": "loan-7", "title": "Dawn", "genre": "crime"})
    assert isinstance(result.error, ResourceNotFoundError)
    assert result.error.resource == "crime"


@pytest.mark.parametrize(
    ("text", "is_less"),
    [
        ("reading took longer than 20 s and was stopped; read 2,000 lines or fewer per call", True),
        ("the scan took longer than 5 s; ask for fewer than 500 rows at a time", True),
        ("no reply within 5 s, or fewer if the line is busy", False),
    ],
)
def test_a_timeout_that_says_how_much_is_allowed_is_asked_for_less(text, is_less):
    def read_log(name: str, limit: int) -> str:
        raise TimeoutError(text)

    with Pipeline(
        [Tool.from_function(read_log, read_only=True)], policy=Policy(retry=False), autoload=False
    ) as pipeline:
        told = pipeline.call("read_log", {"name": "log", "limit": 10_000}).feedback.next_step
    assert (
        told
        == 'call read_log again for less: with a smaller "limit". With the same arguments it will most likely fail again.'
    ) is (is_less)


def test_a_short_resource_is_not_cut_out_of_words():
    content = call(RuntimeError('A shelf with the name "x" already exists.'), {"shelf": "north"}).content
    assert content.startswith("Error executing tool update_loan: The resource already exists.\n")


def test_an_argument_that_only_the_service_requires_is_added():
    error = answered(422, {"errors": {"due_date": ["is required for this borrower"]}})
    schema = {"type": "object", "properties": {"borrower": {}, "due_date": {}}, "required": ["borrower"]}

    def fail(**_: Any) -> None:
        raise error

    with Pipeline([Tool.from_schema("create_loan", "Create a loan.", schema, fail)], autoload=False) as pipeline:
        told = pipeline.call("create_loan", {"borrower": "Ana"}).feedback.next_step
    assert told == 'call create_loan again with "due_date" added, and the other arguments unchanged.'
