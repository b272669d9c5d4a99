"""Airtable: pyairtable against a server that answers as Airtable documents it."""

import mulligan_crm
import pyairtable
import pyairtable.exceptions
import pytest
import requests
from conftest import Answer, Classify, create_record, find_records, get_record, raised, table
from mulligan_testkit.loopback import Serve

from mulligan import Pipeline, Tool, ToolCall
from mulligan.errors import (
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

RECORD = "recAAAAAAAAAAAAAA"


def told(kind: str, message: str = "No.") -> dict[str, object]:
    return {"error": {"type": kind, "message": message}}


def limited(kind: str) -> dict[str, object]:
    return {"errors": [{"error": kind, "message": "Too many requests."}]}


@pytest.mark.parametrize(
    ("status", "body", "cls", "fatal"),
    [
        (401, told("AUTHENTICATION_REQUIRED", "Authentication required"), ToolAuthenticationError, True),
        (403, told("INVALID_PERMISSIONS", "You are not permitted to create records"), ToolPermissionError, True),
        (403, told("INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND"), ResourceNotFoundError, False),
        (404, {"error": "NOT_FOUND"}, ResourceNotFoundError, False),
        (404, told("MODEL_ID_NOT_FOUND"), ResourceNotFoundError, False),
        (413, "", ToolArgumentError, False),
        (422, told("ROW_DOES_NOT_EXIST"), ResourceNotFoundError, False),
        (422, told("INVALID_REQUEST_UNKNOWN"), ToolArgumentError, False),
        (422, told("LIST_RECORDS_ITERATOR_NOT_AVAILABLE"), ToolArgumentError, False),
        (422, told("WOBBLY"), ToolArgumentError, False),
        (429, limited("RATE_LIMIT_REACHED"), ToolRateLimitError, False),
        (429, limited("PUBLIC_API_BILLING_LIMIT_EXCEEDED"), ToolQuotaError, True),
        (500, told("SERVER_ERROR"), ToolUnavailableError, False),
        (502, "<html>Bad</html>", ToolUnavailableError, False),
        (422, {"error": 7}, ToolArgumentError, False),
        (422, {"errors": [7]}, ToolArgumentError, False),
    ],
)
def test_the_type_counts_before_the_status(answer: Answer, status: int, body: object, cls: type, fatal: bool) -> None:
    error = answer(create_record, status, body)

    assert (type(error), error.fatal, error.http_status, error.provider) == (cls, fatal, status, "airtable")
    assert error.effect == ("possible" if cls is ToolUnavailableError else "none")


@pytest.mark.parametrize(
    ("call", "body", "arguments", "problems"),
    [
        (
            create_record,
            told("UNKNOWN_FIELD_NAME", 'Unknown field name: "Nmae"'),
            {"fields": {"Nmae": "x"}},
            [("/fields/Nmae", '"x"')],
        ),
        (
            create_record,
            told("INVALID_VALUE_FOR_COLUMN", 'Field "Due date" cannot accept the provided value'),
            {"due_date": "soon"},
            [("/due_date", '"soon"')],
        ),
        (
            create_record,
            told("INVALID_MULTIPLE_CHOICE_OPTIONS", 'Insufficient permissions to create new select option ""Foo""'),
            {"status": "Foo"},
            [("/status", '"Foo"')],
        ),
        (
            find_records,
            told("INVALID_FILTER_BY_FORMULA", "The formula is invalid: Unknown field names: foo"),
            {"formula": "{foo}=1"},
            [("/formula", '"{foo}=1"')],
        ),
    ],
)
def test_the_rejected_fields_are_problems(
    answer: Answer, call: object, body: object, arguments: dict, problems: list
) -> None:
    error = answer(call, 422, body, arguments)

    assert type(error) is ToolArgumentError
    assert [(one.pointer, one.got) for one in error.problems] == problems
    assert {one.message for one in error.problems} == {"rejected by Airtable"}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"error": "NOT_FOUND"}),
        (422, told("ROW_DOES_NOT_EXIST", f"Record ID {RECORD} does not exist in this table")),
        (403, told("INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND")),
    ],
)
def test_a_missing_record_is_the_one_that_was_sent(answer: Answer, status: int, body: object) -> None:
    error = answer(get_record, status, body, {"record_id": RECORD})

    assert error.resource == RECORD
    assert error.message == f"Resource not found: {RECORD}, or not visible with these credentials."


def test_the_rate_limit_lasts_half_a_minute(answer: Answer) -> None:
    error = answer(get_record, 429, limited("RATE_LIMIT_REACHED"))

    assert (error.retry_after, error.message) == (30.0, "The rate limit of Airtable is reached (RATE_LIMIT_REACHED).")
    assert answer(get_record, 429, {}, headers={"Retry-After": "7"}).retry_after == 7.0


def test_retries_of_the_client_that_were_all_refused(classify: Classify, serve: Serve) -> None:
    records = table(serve(429, limited("RATE_LIMIT_REACHED")), retry_strategy=pyairtable.retry_strategy(total=1))
    error = classify(raised(lambda: records.get(RECORD)))

    assert (type(error), error.retry_after, error.provider) == (ToolRateLimitError, 30.0, "airtable")


def test_the_monthly_limit_is_a_quota(answer: Answer) -> None:
    error = answer(get_record, 429, limited("PUBLIC_API_BILLING_LIMIT_EXCEEDED"))

    assert error.message == (
        "The monthly limit of requests to Airtable is reached (PUBLIC_API_BILLING_LIMIT_EXCEEDED)."
    )


def test_a_connection_lost_midway_may_have_been_a_change(answer: Answer) -> None:
    error = answer(create_record, 200, {}, drop=True)

    assert (type(error), error.effect, error.fatal, error.provider) == (
        ToolConnectionError,
        "possible",
        False,
        "airtable",
    )


def test_no_answer_in_time(answer: Answer) -> None:
    assert type(answer(create_record, 200, {}, delay=10)) is ToolTimeoutError


def test_no_server(classify: Classify, dead: str) -> None:
    error = classify(raised(lambda: create_record(dead)))

    assert (type(error), error.effect, error.message) == (ToolConnectionError, "none", "Airtable cannot be reached.")


@pytest.mark.parametrize(
    ("failure", "cls", "message"),
    [
        (pyairtable.exceptions.MissingRecordError([RECORD]), ResourceNotFoundError, f"Resource not found: {RECORD}"),
        (
            pyairtable.exceptions.ReadonlyFieldError("x is read-only"),
            ToolArgumentError,
            "The client of Airtable rejected the arguments.",
        ),
        (
            pyairtable.exceptions.UnsavedRecordError("x"),
            ToolExecutionError,
            "The Airtable client cannot use a value.",
        ),
    ],
)
def test_what_the_client_itself_raises(classify: Classify, failure: Exception, cls: type, message: str) -> None:
    error = classify(failure, {"record_id": RECORD})

    assert (type(error), error.message, error.provider) == (cls, message, "airtable")


def test_an_answer_of_anyone_else_is_left_alone(classify: Classify, serve: Serve) -> None:
    url = serve(422, told("UNKNOWN_FIELD_NAME"))

    assert classify(raised(lambda: requests.get(url, timeout=1).raise_for_status())).provider is None


def test_an_answer_from_airtables_address_needs_no_client(classify: Classify) -> None:
    response = requests.Response()
    response.status_code, response.url = 422, "https://api.airtable.com/v0/appX/Contacts"
    response._content = b'{"error": {"type": "UNKNOWN_FIELD_NAME", "message": "Unknown field name: \\"Nmae\\""}}'
    error = classify(raised(response.raise_for_status), {"Nmae": "x"})

    assert (error.provider, [one.pointer for one in error.problems]) == ("airtable", ["/Nmae"])


def test_the_model_reads_what_airtable_says_and_no_token(serve: Serve) -> None:
    url = serve(422, told("INVALID_VALUE_FOR_COLUMN", 'Field "Status" cannot accept the provided value'))
    tool = Tool.from_schema("create", "", {"type": "object"}, lambda **_: create_record(url))
    with Pipeline([tool], plugins=[mulligan_crm], autoload=False) as pipeline:
        text = pipeline.call(ToolCall("c1", "create", {"fields": {"Status": "x"}})).content

    assert "/fields/Status" in text
    assert "cannot accept the provided value" in text
    assert "secret-token" not in text
