"""Jira and Confluence, through jira and atlassian."""

import atlassian
import atlassian.errors
import jira
import jira.exceptions
import pytest
import requests
from conftest import Classify
from saas_server import Serve, raised

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolUnavailableError,
)

STATUSES = {
    400: (ToolArgumentError, False),
    401: (ToolAuthenticationError, True),
    403: (ToolPermissionError, True),
    404: (ResourceNotFoundError, False),
    409: (ResourceConflictError, False),
    429: (ToolRateLimitError, False),
    503: (ToolUnavailableError, False),
}


def with_jira(url: str) -> object:
    def call() -> object:
        options = {"server": url, "check_update": False}
        client = jira.JIRA(options=options, token_auth="x", get_server_info=False, max_retries=0, timeout=5)
        try:
            return client.issue("PROJ-404")
        finally:
            client.close()

    return call


def with_atlassian(url: str) -> object:
    def call() -> object:
        with atlassian.Jira(url=url, token="x", timeout=5) as client:
            return client.issue("PROJ-404")

    return call


def confluence(url: str, method: str = "get_page_by_id", *arguments: object) -> object:
    def call() -> object:
        with atlassian.Confluence(url=url, token="x", timeout=5) as client:
            return getattr(client, method)(*(arguments or ("404",)))

    return call


def told(*messages: str, **errors: str) -> dict[str, object]:
    return {"errorMessages": list(messages), "errors": errors}


@pytest.mark.parametrize("ask", [with_jira, with_atlassian])
@pytest.mark.parametrize("status", STATUSES)
def test_an_answer_of_jira_by_status(classify: Classify, serve: Serve, status: int, ask: object) -> None:
    error = classify(raised(ask(serve(status, told("No.")))))

    assert (type(error), error.fatal) == STATUSES[status]
    assert (error.http_status, error.provider) == (status, "jira")


@pytest.mark.parametrize("ask", [with_jira, with_atlassian])
def test_a_missing_issue_may_only_be_invisible(classify: Classify, serve: Serve, ask: object) -> None:
    exception = raised(ask(serve(404, told("Issue does not exist or you do not have permission to see it."))))

    for error in (classify(exception), classify(exception, issue_key="PROJ-404")):
        assert error.resource == "PROJ-404"
        assert error.message == "Resource not found: PROJ-404, or not visible with these credentials."


@pytest.mark.parametrize("ask", [with_jira, with_atlassian])
def test_the_rejected_fields_are_problems(classify: Classify, serve: Serve, ask: object) -> None:
    error = classify(raised(ask(serve(400, told(summary="You must specify a summary.", project="required")))))

    assert [problem.pointer for problem in error.problems] == ["/summary", "/project"]


def test_a_field_in_jql_is_a_problem(classify: Classify, serve: Serve) -> None:
    error = classify(raised(with_jira(serve(400, told("The value 'NOPE' does not exist for the field 'project'.")))))

    assert [problem.pointer for problem in error.problems] == ["/project"]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Authentication-Denied-Reason": "CAPTCHA_CHALLENGE; login-url=http://x/login.jsp"},
        {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"},
    ],
)
@pytest.mark.parametrize("ask", [with_jira, with_atlassian])
def test_a_refused_login_under_403(classify: Classify, serve: Serve, headers: dict[str, str], ask: object) -> None:
    error = classify(raised(ask(serve(403, told("No."), headers))))

    assert (type(error), error.http_status, error.fatal) == (ToolAuthenticationError, 403, True)


def test_the_rate_limit_of_jira_tells_how_long(classify: Classify, serve: Serve) -> None:
    assert classify(raised(with_jira(serve(429, {}, {"Retry-After": "12"})))).retry_after == 12.0


def test_an_error_of_jira_never_tells_the_token(classify: Classify, serve: Serve) -> None:
    error = classify(raised(with_jira(serve(403, told("No.")))))

    assert "Bearer" not in f"{error.message}{error.user_message}{error.resource}"


def test_jira_without_an_answer(classify: Classify) -> None:
    error = classify(jira.exceptions.JIRAError("Empty Response!"))

    assert (type(error), error.message) == (ToolExecutionError, "The Jira client received no usable response.")
    assert type(classify(jira.exceptions.NotJIRAInstanceError("x"))) is ToolExecutionError


@pytest.mark.parametrize("status", STATUSES)
def test_an_answer_of_confluence_by_status(classify: Classify, serve: Serve, status: int) -> None:
    body = {"statusCode": status, "message": "No.", "reason": ""}
    error = classify(raised(confluence(serve(status, body))))

    assert (type(error), error.fatal) == STATUSES[status]
    assert (error.http_status, error.provider) == (status, "confluence")


def test_a_missing_page_may_only_be_invisible(classify: Classify, serve: Serve) -> None:
    exception = raised(confluence(serve(404, {"statusCode": 404, "message": "No content found with id"})))
    error = classify(exception, page_id="404")

    assert type(exception).__module__ == "atlassian.errors"
    assert error.message == "Resource not found: 404, or not visible with these credentials."


@pytest.mark.parametrize(
    ("exception", "cls", "fatal"),
    [
        (atlassian.errors.ApiNotFoundError("no"), ResourceNotFoundError, False),
        (atlassian.errors.ApiPermissionError("no"), ToolPermissionError, True),
        (atlassian.errors.ApiConflictError("no"), ResourceConflictError, False),
        (atlassian.errors.ApiValueError("no"), ToolArgumentError, False),
        (atlassian.errors.ApiNotAcceptable("no"), ToolArgumentError, False),
        (atlassian.errors.ApiError("no"), ToolExecutionError, False),
        (atlassian.errors.JsonRPCError("no"), ToolExecutionError, False),
        (atlassian.errors.JsonRPCRestrictionsError("no"), ToolPermissionError, True),
    ],
)
def test_errors_of_atlassian_without_an_answer(
    classify: Classify, exception: Exception, cls: type, fatal: bool
) -> None:
    error = classify(exception)

    assert (type(error), error.fatal, error.provider) == (cls, fatal, "confluence")


@pytest.mark.parametrize("path", ["/items/7", "/api/2/issue/X", "/rest/api/things"])
def test_answers_of_others_are_left_alone(classify: Classify, serve: Serve, path: str) -> None:
    url = serve(404, {})

    assert classify(raised(lambda: requests.get(url + path, timeout=5).raise_for_status())).provider is None


def test_a_name_that_only_ends_like_one_of_a_resource_is_none(classify: Classify, serve: Serve) -> None:
    missing = raised(with_jira(serve(404, told("Issue does not exist."))))

    assert classify(missing, monkey="bananas", issue_key="ABC-1").resource == "ABC-1"
    assert classify(missing, monkey="bananas", issueKey="ABC-1").resource == "ABC-1"
    assert classify(atlassian.errors.ApiNotFoundError("no"), paid=True, page_id="42").resource == "42"


@pytest.mark.parametrize(
    ("ask", "provider", "service"),
    [(with_jira, "jira", "Jira"), (with_atlassian, "jira", "Jira"), (confluence, "confluence", "Confluence")],
)
def test_a_connection_names_its_service(
    classify: Classify, dead: str, ask: object, provider: str, service: str
) -> None:
    error = classify(raised(ask(dead)))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert (error.provider, service in error.message) == (provider, True)


def test_a_message_that_names_a_thing_names_its_argument(classify: Classify, serve: Serve) -> None:
    missing = raised(with_jira(serve(404, told("No sprint with that name was found."))))

    assert classify(missing, issue_key="ABC-1", sprint="42").resource == "42"


def test_a_field_that_jira_calls_otherwise_is_the_argument(classify: Classify, serve: Serve) -> None:
    body = told(issuetype="Specify a valid issue type", project="project is required")
    error = classify(raised(with_jira(serve(400, body))), issue_type="Buug", project_key="")

    assert [(problem.pointer, problem.message) for problem in error.problems] == [
        ("/issue_type", "is not accepted"),
        ("/project_key", "is required"),
    ]
