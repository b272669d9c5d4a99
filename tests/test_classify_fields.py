"""The fields that a service or a validator rejects, in the shapes of bodies and texts that are common."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, errors
from mulligan.plugin import Failure, Problem, Rules, pointer_to

SENT = {"mail": "x", "guests": [{"diet": "none"}], "seats": 3, "maxPrice": 9, "note": "by the window please"}


class ApiError(Exception):
    def __init__(self, status: int, body: Any = None, text: str = "the request failed") -> None:
        super().__init__(text)
        self.status_code, self.body = status, body


@pytest.fixture(scope="module")
def bare():
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


BODIES: dict[str, tuple[Any, list[str]]] = {
    "zod": (
        {"error": {"issues": [{"code": "too_small", "path": ["guests", 0, "diet"], "message": "bad"}]}},
        ["/guests/0/diet"],
    ),
    "zod, a list": ([{"code": "custom", "path": ["seats"], "message": "odd"}], ["/seats"]),
    "zod, flat": (
        {"error": {"formErrors": [], "fieldErrors": {"mail": ["Invalid"], "seats": ["Odd"]}}},
        ["/mail", "/seats"],
    ),
    "joi": ({"details": [{"message": '"seats" must be even', "path": ["seats"], "type": "number.even"}]}, ["/seats"]),
    "hapi": (
        {"message": "Invalid request payload input", "validation": {"source": "payload", "keys": ["seats"]}},
        ["/seats"],
    ),
    "ajv": ({"errors": [{"instancePath": "/guests/0", "keyword": "type", "message": "must be object"}]}, ["/guests/0"]),
    "ajv, missing": (
        {
            "errors": [
                {
                    "instancePath": "",
                    "keyword": "required",
                    "params": {"missingProperty": "day"},
                    "message": "must have it",
                }
            ]
        },
        ["/day"],
    ),
    "express": ({"errors": [{"type": "field", "msg": "Invalid value", "path": "mail", "location": "body"}]}, ["/mail"]),
    "express, mapped": ({"errors": {"mail": {"msg": "Invalid value", "param": "mail", "location": "body"}}}, ["/mail"]),
    "laravel": ({"message": "Wrong.", "errors": {"guests.0.diet": ["The diet is unknown."]}}, ["/guests/0/diet"]),
    "rails, sentences": ({"errors": ["Seats must be even"]}, ["/seats"]),
    "spring": ({"errors": [{"defaultMessage": "must be even", "objectName": "order", "field": "seats"}]}, ["/seats"]),
    "spring, mapped": ({"mail": "must be an address", "seats": "must be even"}, ["/mail", "/seats"]),
    "jakarta": ({"parameterViolations": [{"path": "book.arg0.seats", "message": "must be even"}]}, ["/seats"]),
    "problem details": (
        {"title": "Constraint Violation", "violations": [{"field": "seats", "message": "odd"}]},
        ["/seats"],
    ),
    "asp.net": ({"title": "Errors occurred.", "errors": {"Seats": ["The Seats field is wrong."]}}, ["/seats"]),
    "asp.net, json": (
        {"title": "Errors occurred.", "errors": {"$.guests[0].diet": ["Not converted."]}},
        ["/guests/0/diet"],
    ),
    "nest": (
        {"message": ["seats must be even", "mail must be an address"], "error": "Bad Request"},
        ["/seats", "/mail"],
    ),
    "class-validator": (
        {"message": [{"property": "seats", "constraints": {"isEven": "seats must be even"}}]},
        ["/seats"],
    ),
    "pydantic, v1": (
        {"validation_error": {"body_params": [{"loc": ["seats"], "msg": "odd", "type": "value"}]}},
        ["/seats"],
    ),
    "django, nested": ({"guests": [{"diet": ["This is wrong."]}]}, ["/guests/0/diet"]),
    "marshmallow": ({"errors": {"json": {"seats": ["Not an even number."]}}}, ["/seats"]),
    "mongoose": (
        {"errors": {"day": {"name": "ValidatorError", "message": "Path `day` is required.", "path": "day"}}},
        ["/day"],
    ),
    "google": (
        {"error": {"errors": [{"reason": "bad", "location": "maxPrice", "locationType": "parameter"}]}},
        ["/maxPrice"],
    ),
    "azure": ({"error": {"code": "Bad", "message": "Wrong.", "target": "seats"}}, ["/seats"]),
    "discord": (
        {
            "message": "Invalid Form Body",
            "errors": {"guests": {"0": {"diet": {"_errors": [{"code": "X", "message": "odd"}]}}}},
        },
        ["/guests/0/diet"],
    ),
    "slack": ({"error": "bad", "response_metadata": {"messages": ["[ERROR] missing required field: day"]}}, ["/day"]),
    "jira": ({"errorMessages": [], "errors": {"seats": "Seats come in pairs."}}, ["/seats"]),
    "graphql": ({"data": {"book": {"userErrors": [{"field": ["input", "seats"], "message": "odd"}]}}}, ["/seats"]),
    "graphql, the place of an answer": (
        {"errors": [{"message": "It failed.", "path": ["order", "seats"], "locations": [{"line": 1}]}]},
        [],
    ),
    "okta": (
        {"errorSummary": "Api validation failed", "errorCauses": [{"errorSummary": "mail: An address is odd"}]},
        ["/mail"],
    ),
    "linkedin": ({"errorDetails": {"inputErrors": [{"input": {"inputPath": {"fieldPath": "seats"}}}]}}, ["/seats"]),
    "another case": ({"errors": [{"field": "max_price", "message": "too low"}]}, ["/maxPrice"]),
    "its own type": ({"errors": [{"field": "Booking.seats", "message": "odd"}]}, ["/seats"]),
    "a list of names": ({"message": "Missing.", "fields": ["Day"]}, ["/Day"]),
    "an address": ({"timestamp": "now", "error": "Bad Request", "path": "/v1/seats"}, []),
    "an exception's name": ({"errors": [{"name": "ValidationError", "message": "It failed."}]}, []),
    "nothing": ({"message": "Bad Request"}, []),
}


@pytest.mark.parametrize("shape", BODIES)
def test_the_fields_that_a_body_rejects(bare, shape):
    body, pointers = BODIES[shape]
    error = bare.classify(ApiError(422, body), arguments=SENT)
    assert type(error) is errors.ToolArgumentError
    assert [problem.pointer for problem in error.problems] == pointers


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("Value 'x' at 'mail' failed to satisfy constraint: it must be an address", "/mail"),
        ("Invalid type for parameter guests[0].diet, value: 3, valid types: <class 'str'>", "/guests/0/diet"),
        ("body/guests/0/diet must be string", "/guests/0/diet"),
        ("body failed validation: body.guests[0].diet should be defined", "/guests/0/diet"),
        ("Key: 'Booking.Seats' Error:Field validation for 'Seats' failed on the 'even' tag", "/seats"),
        ("json: cannot unmarshal string into Go struct field Booking.seats of type int", "/seats"),
        (
            'not valid (through reference chain: a.Booking["guests"]->java.util.ArrayList[0]->a.Guest["diet"])',
            "/guests/0/diet",
        ),
        ("'many' is not of type 'integer' - 'seats'", "/seats"),
        ("Failed to convert 'seats' with value: 'x'", "/seats"),
        ("missing field `day` at line 1 column 3", "/day"),
        ("Missing required parameter: day", "/day"),
        ("Required fields are missing: [Day]", "/Day"),
        ("day is required", "/day"),
        ("seats: 3 > 2, which is the maximum allowed", "/seats"),
        ("seats parameter is not an even number", "/seats"),
        ('[{"code": "custom", "path": ["guests", 0, "diet"], "message": "odd"}]', "/guests/0/diet"),
        ('Variable "$input" got invalid value 3 at "input.seats"; expected even', "/seats"),
        ("authentication is required", None),
        ("The request is invalid", None),
        ("An error occurred in the note service", None),
    ],
)
def test_the_field_that_a_text_rejects(bare, text, pointer):
    error = bare.classify(ApiError(400, text=text), arguments=SENT)
    assert (error.problems[0].pointer if error.problems else None) == pointer


def test_a_field_within_a_query_is_that_argument(bare):
    error = bare.classify(
        ApiError(400, text='Cannot query field "sieze" on type "Room"'), arguments={"query": "{ sieze }"}
    )
    assert [problem.pointer for problem in error.problems] == ["/query"]


def test_a_value_that_was_sent_is_no_name_of_a_field(bare):
    error = bare.classify(ApiError(400, text="'vegan' is not a valid diet"), arguments={"diet": "vegan"})
    assert [problem.pointer for problem in error.problems] == ["/diet"]


def test_a_credential_that_is_missing_is_no_field(bare):
    error = bare.classify(ApiError(400, {"message": "api_key is required"}), arguments={"seats": 3})
    assert (type(error), error.fatal) == (errors.ToolAuthenticationError, True)


def test_a_constraint_on_a_field_is_no_conflict(bare):
    error = bare.classify(ApiError(400, BODIES["problem details"][0]), arguments=SENT)
    assert type(error) is errors.ToolArgumentError
    taken = bare.classify(ApiError(422, {"errors": {"mail": ["has already been taken"]}}), arguments=SENT)
    assert type(taken) is errors.ResourceConflictError


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["errors", "field", "path", "json", "children", "params", "loc", "x"]), inner, max_size=4
        )
    ),
    max_leaves=25,
)


@given(JSON, st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_any_body_can_be_read(body, arguments):
    failure = Failure(ApiError(400, {"errors": body}), arguments=arguments)
    assert len(failure.problems) <= 8
    assert all(problem.pointer.startswith("/") for problem in failure.problems)


def test_quotes_separate_nothing_but_the_steps_in_brackets():
    """A secret with quotes in it would otherwise leave in another spelling, which redaction does not know."""
    assert pointer_to("quote\"and'apostrophe") == ""
    assert pointer_to("metadata['x'][0].y") == "/metadata/x/0/y"


@pytest.mark.parametrize("said", ["is required", "Is missing.", "missing", "is needed", "a value is required"])
@pytest.mark.parametrize(
    ("value", "is_sent"), [("a", True), (0, True), (False, True), ("", False), (None, False), ([], False)]
)
def test_no_rule_calls_missing_what_was_sent(said, value, is_sent):
    rules, plugin = Rules("acme"), ModuleType("acme")
    problems = [Problem("/title", said, expected="a title"), Problem("/other", said), Problem("/title", "is too long")]

    @rules("builtins.ZeroDivisionError")
    def rejected(failure: Failure) -> Any:
        """Fields that the service rejects."""
        return errors.ToolArgumentError("No.", problems=problems)

    plugin.classify = rules.hookimpl()  # type: ignore[attr-defined]
    with Pipeline(plugins=[plugin], autoload=False, strict=True) as pipeline:
        found = pipeline.classify(ZeroDivisionError(), tool="create", arguments={"title": value}).problems

    assert [one.message for one in found] == ["rejected by the service" if is_sent else said, said, "is too long"]
    assert [one.expected for one in found] == ["a title", None, None]


def test_a_tool_may_call_missing_what_was_sent():
    def create(title: str) -> None:
        raise errors.ToolArgumentError("No.", problems=[Problem("/title", "is required")])

    with Pipeline([create], autoload=False) as pipeline:
        assert pipeline.call("create", {"title": " "}).error.problems == (Problem("/title", "is required"),)
