"""Salesforce: simple_salesforce against a server that answers as Salesforce documents it."""

import mulligan_crm
import pytest
import requests
from conftest import Answer, Classify, accounts, create_account, get_account, query, raised, salesforce
from mulligan_testkit.loopback import Serve
from simple_salesforce import exceptions, login

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

TOTAL, CONCURRENT = "TotalRequests Limit exceeded.", "ConcurrentRequests (Concurrent API Requests) Limit exceeded."


def told(code: str, message: str = "No.", **more: object) -> list[dict[str, object]]:
    return [{"message": message, "errorCode": code, **more}]


@pytest.mark.parametrize(
    ("status", "code", "message", "cls", "fatal"),
    [
        (401, "INVALID_SESSION_ID", "Session expired or invalid", ToolAuthenticationError, True),
        (403, "API_CURRENTLY_DISABLED", "API is disabled for this User", ToolPermissionError, True),
        (400, "INSUFFICIENT_ACCESS_OR_READONLY", "insufficient access rights", ToolPermissionError, False),
        (400, "INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY", "insufficient access", ToolPermissionError, False),
        (403, "REQUEST_LIMIT_EXCEEDED", TOTAL, ToolQuotaError, True),
        (403, "REQUEST_LIMIT_EXCEEDED", CONCURRENT, ToolRateLimitError, False),
        (400, "STORAGE_LIMIT_EXCEEDED", "storage limit exceeded", ToolQuotaError, True),
        (400, "UNABLE_TO_LOCK_ROW", "unable to obtain exclusive access", ResourceConflictError, False),
        (400, "ENTITY_IS_LOCKED", "the entity is locked for editing", ResourceConflictError, False),
        (400, "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "T: execution of AfterInsert", ResourceConflictError, False),
        (400, "FIELD_CUSTOM_VALIDATION_EXCEPTION", "Close date must be later", ToolArgumentError, False),
        (400, "MALFORMED_QUERY", "unexpected token", ToolArgumentError, False),
        (404, "ENTITY_IS_DELETED", "entity is deleted", ResourceNotFoundError, False),
        (500, "UNKNOWN_EXCEPTION", "An unexpected error occurred.", ToolUnavailableError, False),
        (503, "SERVER_UNAVAILABLE", "too busy", ToolUnavailableError, False),
        (400, "WOBBLY_THING", "no", ToolArgumentError, False),
    ],
)
def test_the_code_counts_before_the_status(
    answer: Answer, status: int, code: str, message: str, cls: type, fatal: bool
) -> None:
    error = answer(create_account, status, told(code, message))

    assert (type(error), error.fatal, error.http_status, error.provider) == (cls, fatal, status, "salesforce")
    assert error.effect == ("possible" if cls is ToolUnavailableError else "none")


def test_a_row_lock_is_transient_and_other_locks_are_not(answer: Answer) -> None:
    row = answer(lambda url: accounts(url).update("0011x", {}), 400, told("UNABLE_TO_LOCK_ROW"))
    approval = answer(create_account, 400, told("ENTITY_IS_LOCKED"))

    assert (row.code, row.transient, row.resource) == ("ABORTED", True, "0011x")
    assert (approval.code, approval.transient) == ("FAILED_PRECONDITION", False)
    assert row.message == "Salesforce reports that the resource is locked or in use (UNABLE_TO_LOCK_ROW)."


def test_limits_say_which_one(answer: Answer) -> None:
    storage = answer(create_account, 400, told("STORAGE_LIMIT_EXCEEDED"))
    daily = answer(create_account, 403, told("REQUEST_LIMIT_EXCEEDED", TOTAL))

    assert storage.message == "A storage, license or credit limit of Salesforce is reached (STORAGE_LIMIT_EXCEEDED)."
    assert daily.message == "The daily limit of requests to Salesforce is reached (REQUEST_LIMIT_EXCEEDED)."


@pytest.mark.parametrize(
    ("call", "body", "arguments", "problems"),
    [
        (
            create_account,
            told("REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName]", fields=["LastName"]),
            {"fields": {"FirstName": "x"}},
            [("/fields/LastName", "missing", None)],
        ),
        (
            create_account,
            told("REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName, Company]", fields=[]),
            {"last_name": "", "first_name": "x"},
            [("/last_name", "missing", '""'), ("/Company", "missing", None)],
        ),
        (
            create_account,
            told("FIELD_CUSTOM_VALIDATION_EXCEPTION", "Close date must be later", fields=["CloseDate"]),
            {"close_date": "2020-01-01"},
            [("/close_date", "rejected by Salesforce", '"2020-01-01"')],
        ),
        (
            create_account,
            told("INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST", "bad value", fields=["Industry"]),
            {"records": [{"Industry": "Foo"}]},
            [("/records/0/Industry", "rejected by Salesforce", '"Foo"')],
        ),
        (
            create_account,
            told("INVALID_FIELD", "No such column 'Foo__c' on sobject of type Account"),
            {"fields": {"Foo__c": 1}},
            [("/fields/Foo__c", "rejected by Salesforce", "1")],
        ),
        (
            query,
            told("INVALID_FIELD", "SELECT Foo FROM Account\n ^\nERROR at Row:1:Column:8\nNo such column 'Foo'"),
            {"soql": "SELECT Foo FROM Account"},
            [("/soql", "rejected by Salesforce", '"SELECT Foo FROM Account"')],
        ),
        (
            query,
            told("MALFORMED_QUERY", "unexpected token: FORM"),
            {"query": "SELECT Id FORM Account"},
            [("/query", "rejected by Salesforce", '"SELECT Id FORM Account"')],
        ),
        (
            get_account,
            told("MALFORMED_ID", "Account ID: id value of incorrect type: 0011"),
            {"account_id": "0011"},
            [("/account_id", "rejected by Salesforce", '"0011"')],
        ),
    ],
)
def test_the_rejected_fields_are_problems(
    answer: Answer, call: object, body: object, arguments: dict, problems: list
) -> None:
    error = answer(call, 400, body, arguments)

    assert type(error) is ToolArgumentError
    assert [(one.pointer, one.message, one.got) for one in error.problems] == problems


MATCH = {"matchResults": [{"matchRecords": [{"record": {"Id": "0011x00000ABCDEAA1"}}]}]}


@pytest.mark.parametrize(
    ("body", "existing"),
    [
        (
            told(
                "DUPLICATE_VALUE", "duplicate value found: Ext__c duplicates value on record with id: 0011x00000ABCDE"
            ),
            "0011x00000ABCDE",
        ),
        (told("DUPLICATES_DETECTED", "Use one of these records?", duplicateResult=MATCH), "0011x00000ABCDEAA1"),
        (told("DUPLICATES_DETECTED", "Use one of these records?", duplicateResult={"matchResults": [3]}), "Account"),
    ],
)
def test_a_duplicate_names_the_record_that_exists(answer: Answer, body: object, existing: str) -> None:
    error = answer(create_account, 400, body, {"ext": 7})

    assert (type(error), error.code, error.resource) == (ResourceConflictError, "ALREADY_EXISTS", existing)
    assert error.message.endswith(f": {existing}")


@pytest.mark.parametrize(
    ("call", "status", "body", "arguments", "resource"),
    [
        (get_account, 404, told("NOT_FOUND"), {"account_id": "0011x00000ABCDE"}, "0011x00000ABCDE"),
        (get_account, 404, told("NOT_FOUND"), {}, "0011x00000ABCDE"),
        (create_account, 400, told("INVALID_CROSS_REFERENCE_KEY", fields=["OwnerId"]), {"owner_id": "005x"}, "005x"),
    ],
)
def test_a_missing_record_is_the_one_that_was_sent(
    answer: Answer, call: object, status: int, body: object, arguments: dict, resource: str
) -> None:
    error = answer(call, status, body, arguments)

    assert (type(error), error.resource) == (ResourceNotFoundError, resource)
    assert error.message == f"Resource not found: {resource}, or not visible with these credentials."


def test_an_external_id_of_several_records(answer: Answer) -> None:
    found = ["/services/data/v59.0/sobjects/Account/001A", "/services/data/v59.0/sobjects/Account/001B"]
    error = answer(lambda url: accounts(url).get_by_custom_id("Ext__c", "7"), 300, found, {"external_id": "7"})

    assert (type(error), error.effect) == (ToolArgumentError, "none")
    assert error.message == "Salesforce found several records: use the ID of one."


@pytest.mark.parametrize("body", ["<html>Bad</html>", "", [], [7], {"message": 3}, [{"errorCode": 7, "message": None}]])
def test_a_body_of_another_shape_counts_by_its_status(answer: Answer, body: object) -> None:
    error = answer(create_account, 502, body)

    assert (type(error), error.message) == (ToolUnavailableError, "Salesforce is temporarily unavailable (HTTP 502).")


def test_a_connection_lost_midway_may_have_been_a_change(answer: Answer) -> None:
    error = answer(create_account, 201, {}, drop=True)

    assert (type(error), error.effect, error.fatal, error.provider) == (
        ToolConnectionError,
        "possible",
        False,
        "salesforce",
    )


def test_no_answer_in_time(answer: Answer) -> None:
    assert type(answer(create_account, 201, {}, delay=10)) is ToolTimeoutError


def test_no_server(classify: Classify, dead: str) -> None:
    error = classify(raised(lambda: create_account(dead)))

    assert (type(error), error.effect, error.message) == (ToolConnectionError, "none", "Salesforce cannot be reached.")


@pytest.mark.parametrize(
    ("status", "body", "cls", "fatal", "http_status"),
    [
        (
            400,
            {"error": "invalid_grant", "error_description": "authentication failure"},
            ToolAuthenticationError,
            True,
            None,
        ),
        (400, {"error": "rate_limit_exceeded"}, ToolRateLimitError, False, None),
        (503, "<html>Down</html>", ToolUnavailableError, False, 503),
        (400, {"error_description": "no code"}, ToolAuthenticationError, True, None),
    ],
)
def test_a_login_that_failed(
    classify: Classify, serve: Serve, status: int, body: object, cls: type, fatal: bool, http_status: int | None
) -> None:
    url = serve(status, body)
    error = classify(raised(lambda: login.token_login(url, {}, "login", "key", None, None)))

    assert (type(error), error.fatal, error.http_status) == (cls, fatal, http_status)
    assert (error.effect, error.provider) == ("none", "salesforce")


FAULT = (
    '<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    'xmlns:sf="urn:fault.partner.soap.sforce.com"><soapenv:Body><sf:exceptionCode>{}</sf:exceptionCode>'
    "<sf:exceptionMessage>{}</sf:exceptionMessage></soapenv:Body></soapenv:Envelope>"
)


@pytest.mark.parametrize(
    ("code", "message", "cls"),
    [
        ("INVALID_LOGIN", "Invalid username, password, security token", ToolAuthenticationError),
        ("SERVER_UNAVAILABLE", "Busy.", ToolUnavailableError),
        ("REQUEST_LIMIT_EXCEEDED", TOTAL, ToolQuotaError),
    ],
)
def test_a_login_by_soap_that_failed(classify: Classify, serve: Serve, code: str, message: str, cls: type) -> None:
    url = serve(500, FAULT.format(code, message))
    error = classify(raised(lambda: login.soap_login(url, "", {}, None)))

    assert (type(error), error.effect) == (cls, "none")


@pytest.mark.parametrize(
    ("text", "cls", "message"),
    [
        (
            "Job failure. Response content: InvalidBatch : Field name not found : Foo",
            ToolArgumentError,
            "Salesforce rejected the arguments (InvalidBatch).",
        ),
        ("Job failure. Response content: wobbly", ToolExecutionError, "The job of Salesforce failed."),
        ("Job timeout. Job status: InProgress", ToolTimeoutError, "The job of Salesforce did not end in time."),
        ("wobbly", ToolExecutionError, "The Salesforce call failed."),
    ],
)
def test_a_job_of_the_bulk_api(classify: Classify, text: str, cls: type, message: str) -> None:
    error = classify(exceptions.SalesforceOperationError(text), {"records": [{"Foo": 1}]})

    assert (type(error), error.message, error.effect, error.provider) == (cls, message, "possible", "salesforce")


def test_a_job_that_failed_names_the_field(classify: Classify) -> None:
    failure = exceptions.SalesforceGeneralError("", "Failed", "750x", "InvalidBatch : Field name not found : Foo")
    error = classify(failure, {"records": [{"Foo": 1}]})

    assert [one.pointer for one in error.problems] == ["/records/0/Foo"]


def test_data_of_a_job_that_were_not_taken(classify: Classify) -> None:
    text = "Failed to upload job data. Error Code 503. Response content: busy"
    error = classify(exceptions.SalesforceBulkV2LoadError(text))

    assert (type(error), error.http_status, error.effect) == (ToolUnavailableError, 503, "possible")


def saved(code: str, message: str = "No.", *fields: str) -> dict[str, object]:
    errors = [{"statusCode": code, "message": message, "fields": list(fields)}]
    return {"id": None, "success": False, "created": False, "errors": errors}


def test_records_of_which_each_one_failed(pipeline: Pipeline) -> None:
    value = [saved("REQUIRED_FIELD_MISSING", "Required fields are missing: [LastName]", "LastName")]
    error = pipeline.classify(value, tool="create", arguments={"fields": {"FirstName": "x"}})

    assert error is not None
    assert (type(error), error.provider, error.effect) == (ToolArgumentError, "salesforce", "none")
    assert [one.pointer for one in error.problems] == ["/fields/LastName"]


def test_the_record_that_made_all_others_fail_counts(pipeline: Pipeline) -> None:
    value = [saved("ALL_OR_NONE_OPERATION_ROLLED_BACK"), saved("UNABLE_TO_LOCK_ROW")]
    error = pipeline.classify(value, tool="create")

    assert error is not None
    assert error.message == "Salesforce reports that the resource is locked or in use (UNABLE_TO_LOCK_ROW)."


@pytest.mark.parametrize(
    "value",
    [
        [saved("UNABLE_TO_LOCK_ROW"), {"id": "001", "success": True, "errors": []}],
        [{"success": False, "errors": []}],
        [],
    ],
)
def test_anything_else_is_a_result(pipeline: Pipeline, value: object) -> None:
    assert pipeline.classify(value, tool="create") is None


def test_a_failure_without_a_code_is_not_salesforces(pipeline: Pipeline) -> None:
    error = pipeline.classify([{"success": False, "errors": [{"message": "no"}]}], tool="create")
    assert error is not None
    assert error.provider is None


def test_an_answer_of_requests_itself_is_left_alone(classify: Classify, dead: str) -> None:
    assert classify(raised(lambda: requests.get(dead, timeout=1))).provider is None


def test_the_model_reads_what_salesforce_says_and_no_session(serve: Serve) -> None:
    url = serve(400, told("FIELD_CUSTOM_VALIDATION_EXCEPTION", "Close date must be later", fields=["CloseDate"]))
    tool = Tool.from_schema("create", "", {"type": "object"}, lambda **_: create_account(url))
    with Pipeline([tool], plugins=[mulligan_crm], autoload=False) as pipeline:
        text = pipeline.call(ToolCall("c1", "create", {"close_date": "2020-01-01"})).content

    assert "/close_date" in text
    assert "Close date must be later" in text
    assert "secret-session" not in text


def test_a_query_of_the_bulk_api_that_failed(classify: Classify, serve: Serve) -> None:
    answered = serve(400, {"exceptionCode": "InvalidSessionId", "exceptionMessage": "Invalid session id"})
    error = classify(raised(lambda: salesforce(answered).bulk.Account.query("SELECT Id FROM Account")))

    assert (type(error), error.fatal) == (ToolAuthenticationError, True)
