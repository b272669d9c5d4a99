"""HubSpot: hubspot-api-client against a server that answers as HubSpot documents it."""

import json

import mulligan_crm
import pytest
from conftest import Answer, Classify, contacts, create_contact, get_contact, raised
from hubspot.crm.contacts.exceptions import ApiException
from mulligan_testkit.loopback import Serve
from urllib3.util.retry import Retry

from mulligan import Pipeline, Tool, ToolCall
from mulligan.errors import (
    ResourceConflictError,
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


def told(message: str, category: str | None = None, **more: object) -> dict[str, object]:
    body = {"status": "error", "message": message, "correlationId": "a43683b0-5717-4ceb-80b4-104d02915d8c", **more}
    return body if category is None else {**body, "category": category}


@pytest.mark.parametrize(
    ("status", "cls", "fatal", "effect"),
    [
        (400, ToolArgumentError, False, "none"),
        (401, ToolAuthenticationError, True, "none"),
        (403, ToolPermissionError, True, "none"),
        (404, ResourceNotFoundError, False, "none"),
        (409, ResourceConflictError, False, "none"),
        (414, ToolArgumentError, False, "none"),
        (429, ToolRateLimitError, False, "none"),
        (500, ToolUnavailableError, False, "possible"),
        (502, ToolUnavailableError, False, "possible"),
        (504, ToolTimeoutError, False, "possible"),
    ],
)
def test_an_answer_without_a_category_by_status(
    answer: Answer, status: int, cls: type, fatal: bool, effect: str
) -> None:
    error = answer(create_contact, status, told("No."))

    assert (type(error), error.fatal, error.effect, error.http_status) == (cls, fatal, effect, status)
    assert (error.provider, error.rule) == ("hubspot", "mulligan_crm:answered")


@pytest.mark.parametrize(
    ("status", "category", "cls", "fatal"),
    [
        (401, "INVALID_AUTHENTICATION", ToolAuthenticationError, True),
        (401, "EXPIRED_AUTHENTICATION", ToolAuthenticationError, True),
        (403, "MISSING_SCOPES", ToolPermissionError, True),
        (403, "GATED", ToolPermissionError, False),
        (404, "OBJECT_NOT_FOUND", ResourceNotFoundError, False),
        (400, "OBJECT_NOT_FOUND", ResourceNotFoundError, False),
        (409, "CONFLICT", ResourceConflictError, False),
        (400, "VALIDATION_ERROR", ToolArgumentError, False),
        (429, "RATE_LIMITS", ToolRateLimitError, False),
        (500, "VALIDATION_ERROR", ToolUnavailableError, False),
        (400, "WOBBLY", ToolArgumentError, False),
    ],
)
def test_the_category_counts_before_the_status(
    answer: Answer, status: int, category: str, cls: type, fatal: bool
) -> None:
    error = answer(create_contact, status, told("No.", category))

    assert (type(error), error.fatal) == (cls, fatal)


def test_a_refresh_token_that_is_no_longer_valid(answer: Answer) -> None:
    error = answer(create_contact, 400, {"status": "BAD_REFRESH_TOKEN", "message": "missing or invalid refresh token"})

    assert (type(error), error.message) == (
        ToolAuthenticationError,
        "HubSpot rejected the credentials (BAD_REFRESH_TOKEN).",
    )


ABSENT = [
    {"isValid": False, "message": 'Property "foo" does not exist', "error": "PROPERTY_DOESNT_EXIST", "name": "foo"}
]


@pytest.mark.parametrize(
    ("body", "arguments", "problems"),
    [
        (
            told(f"Property values were not valid: {json.dumps(ABSENT)}", "VALIDATION_ERROR"),
            {"properties": {"foo": "x"}},
            [("/properties/foo", "rejected by HubSpot", '"x"')],
        ),
        (
            told(
                "Some required properties were not set.", "VALIDATION_ERROR", context={"properties": ["hs_timestamp"]}
            ),
            {"properties": {"hs_note_body": "x"}},
            [("/properties/hs_timestamp", "missing", None)],
        ),
        (
            told(
                "Property values were not valid",
                "VALIDATION_ERROR",
                errors=[
                    {
                        "message": "Email address a is invalid",
                        "code": "INVALID_EMAIL",
                        "context": {"propertyName": ["email"]},
                    }
                ],
            ),
            {"email": "a"},
            [("/email", "rejected by HubSpot", '"a"')],
        ),
        (
            told("Wrong.", "VALIDATION_ERROR", errors=[{"message": "Wrong.", "in": "lifecyclestage"}]),
            {"contacts": [{"lifecycle_stage": "x"}]},
            [("/contacts/0/lifecycle_stage", "rejected by HubSpot", '"x"')],
        ),
        (told("Wrong: [{", "VALIDATION_ERROR", errors=[7, {"in": 3}], context=[1]), {"email": "a"}, []),
    ],
)
def test_the_rejected_properties_are_problems(answer: Answer, body: object, arguments: dict, problems: list) -> None:
    error = answer(create_contact, 400, body, arguments)

    assert type(error) is ToolArgumentError
    assert [(one.pointer, one.message, one.got) for one in error.problems] == problems


@pytest.mark.parametrize(
    ("status", "body", "existing"),
    [
        (409, told("Contact already exists. Existing ID: 12345", "CONFLICT"), "12345"),
        (
            400,
            told(
                "Property values were not valid",
                "VALIDATION_ERROR",
                errors=[
                    {"message": "Cannot set it on 1. 456 already has that value.", "code": "CONFLICTING_UNIQUE_VALUE"}
                ],
            ),
            "456",
        ),
    ],
)
def test_a_duplicate_names_the_one_that_exists(answer: Answer, status: int, body: object, existing: str) -> None:
    error = answer(create_contact, status, body, {"email": "a@b.c"})

    assert (type(error), error.code, error.resource) == (ResourceConflictError, "ALREADY_EXISTS", existing)
    assert error.message.startswith("HubSpot reports that the resource already exists (")
    assert error.message.endswith(f"): {existing}")


def test_a_missing_object_is_the_one_that_was_sent(answer: Answer) -> None:
    body = told("Object not found. objectId are usually numeric.", "OBJECT_NOT_FOUND", context={"id": ["404404"]})
    error = answer(get_contact, 404, body, {"contact_id": "404404"})

    assert error.resource == "404404"
    assert error.message == "Resource not found: 404404, or not visible with these credentials."


@pytest.mark.parametrize(("policy", "wait"), [("TEN_SECONDLY_ROLLING", 10.0), ("SECONDLY", 1.0), ("NEW", None)])
def test_the_rate_limit_has_the_length_of_its_window(answer: Answer, policy: str, wait: float | None) -> None:
    error = answer(create_contact, 429, told("You have reached your limit.", "RATE_LIMITS", policyName=policy))

    assert (type(error), error.retry_after, error.fatal) == (ToolRateLimitError, wait, False)


def test_a_wait_that_hubspot_names_counts(answer: Answer) -> None:
    body = told("You have reached your limit.", "RATE_LIMITS", policyName="SECONDLY")

    assert answer(create_contact, 429, body, headers={"Retry-After": "7"}).retry_after == 7.0


def test_the_daily_limit_is_a_quota(answer: Answer) -> None:
    error = answer(
        create_contact, 429, told("You have reached your daily limit.", errorType="RATE_LIMIT", policyName="DAILY")
    )

    assert (type(error), error.fatal, error.effect) == (ToolQuotaError, True, "none")
    assert error.message == "The daily limit of requests to HubSpot is reached (RATE_LIMIT)."


def test_a_lock_lasts_two_seconds(answer: Answer) -> None:
    error = answer(create_contact, 423, told("Locked."))

    assert (type(error), error.code, error.retry_after, error.transient) == (
        ResourceConflictError,
        "ABORTED",
        2.0,
        True,
    )
    assert error.message == "HubSpot has locked this for a moment (HTTP 423)."


def test_an_account_that_is_being_moved(answer: Answer) -> None:
    error = answer(create_contact, 477, told("Migration in progress"), headers={"Retry-After": "600"})

    assert (type(error), error.retry_after, error.effect) == (ToolUnavailableError, 600.0, "none")
    assert error.message == "HubSpot is moving the account to another location (HTTP 477)."


def test_a_person_reads_which_scope_is_missing(answer: Answer) -> None:
    needed = {"message": "Needed.", "context": {"requiredGranularScopes": ["crm.objects.contacts.write"]}}
    error = answer(create_contact, 403, told("This app lacks scopes.", "MISSING_SCOPES", errors=[needed]))

    assert error.message == "The token of HubSpot lacks a scope (MISSING_SCOPES)."
    assert error.user_message == "The HubSpot token lacks a scope: crm.objects.contacts.write."


@pytest.mark.parametrize("body", ["<html>Bad</html>", "", [], {"category": 7, "errors": {"a": 1}, "status": None}])
def test_a_body_of_another_shape_counts_by_its_status(answer: Answer, body: object) -> None:
    assert type(answer(create_contact, 400, body)) is ToolArgumentError


def test_a_connection_lost_midway_may_have_been_a_change(answer: Answer) -> None:
    error = answer(create_contact, 201, {}, drop=True)

    assert (type(error), error.effect, error.fatal, error.provider) == (
        ToolConnectionError,
        "possible",
        False,
        "hubspot",
    )


def test_no_answer_in_time(answer: Answer) -> None:
    error = answer(create_contact, 201, {}, delay=10)

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "hubspot")


def test_no_server(classify: Classify, dead: str) -> None:
    error = classify(raised(lambda: get_contact(dead)))

    assert (type(error), error.effect, error.fatal) == (ToolConnectionError, "none", True)
    assert error.message == "HubSpot cannot be reached."


def test_a_server_without_tls(classify: Classify, serve: Serve) -> None:
    error = classify(raised(lambda: get_contact(serve(200, {}).replace("http:", "https:"))))

    assert (type(error), error.effect, error.provider) == (ToolConnectionError, "none", "hubspot")


def test_retries_that_were_all_refused(classify: Classify, serve: Serve) -> None:
    api = contacts(serve(429, {}), retry=Retry(total=1, status_forcelist=(429,)))
    error = classify(raised(lambda: api.get_by_id("1")))

    assert (type(error), error.http_status, error.provider) == (ToolRateLimitError, 429, "hubspot")


def test_an_argument_that_the_client_does_not_know(classify: Classify, dead: str) -> None:
    error = classify(raised(lambda: contacts(dead).get_by_id("1", foo=1)), {"foo": 1})

    assert (type(error), error.effect, error.message) == (
        ToolArgumentError,
        "none",
        "The client of HubSpot rejected the arguments.",
    )
    assert [one.pointer for one in error.problems] == ["/foo"]


def test_a_parameter_that_the_client_requires(classify: Classify, dead: str) -> None:
    api = contacts(dead)
    api.api_client.client_side_validation = True
    error = classify(raised(lambda: api.get_by_id(None)))

    assert [(one.pointer, one.message) for one in error.problems] == [("/contact_id", "missing")]


def test_an_exception_without_an_answer(classify: Classify) -> None:
    error = classify(ApiException(status=0, reason="Cannot prepare a request message."))

    assert (type(error), error.rule, error.provider) == (ToolExecutionError, "mulligan_crm:other", "hubspot")


def test_a_body_that_a_tool_returned(pipeline: Pipeline) -> None:
    error = pipeline.classify(told("Contact already exists. Existing ID: 12345", "CONFLICT"), tool="create")

    assert error is not None
    assert (type(error), error.resource, error.provider) == (ResourceConflictError, "12345", "hubspot")


FAILED = {
    "status": "error",
    "category": "OBJECT_NOT_FOUND",
    "message": "Could not get some CONTACT objects.",
    "context": {"ids": ["7"]},
}


def test_a_batch_of_which_each_part_failed(pipeline: Pipeline) -> None:
    value = {"status": "COMPLETE", "results": [], "numErrors": 1, "errors": [FAILED]}
    error = pipeline.classify(value, tool="read", arguments={"ids": ["7"]})

    assert error is not None
    assert (type(error), error.resource, error.provider) == (ResourceNotFoundError, "7", "hubspot")


def test_a_batch_of_which_a_part_was_done_is_a_result(pipeline: Pipeline) -> None:
    value = {"status": "COMPLETE", "results": [{"id": "1"}], "numErrors": 1, "errors": [FAILED]}

    assert pipeline.classify(value, tool="read") is None


def test_the_model_reads_what_hubspot_says_and_no_token(serve: Serve) -> None:
    wrong = {"message": "Email address a is invalid", "code": "INVALID_EMAIL", "context": {"propertyName": ["email"]}}
    url = serve(400, told("Property values were not valid", "VALIDATION_ERROR", errors=[wrong]))
    tool = Tool.from_schema("create", "", {"type": "object"}, lambda **_: create_contact(url))
    with Pipeline([tool], plugins=[mulligan_crm], autoload=False) as pipeline:
        text = pipeline.call(ToolCall("c1", "create", {"email": "a"})).content

    assert "/email" in text
    assert "Email address a is invalid" in text
    assert "secret-token" not in text
