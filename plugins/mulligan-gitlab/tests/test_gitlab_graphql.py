"""GraphQL answers: `gitlab.GraphQL` against a server that answers as GitLab does, and answers that a tool returned."""

import asyncio

import gitlab
import pytest
from conftest import Classify, raised
from mulligan_testkit.loopback import Serve

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

MUTATION = "mutation { createIssue(input: {}) { errors } }"
ABSENT = (
    "The resource that you are attempting to access does not exist or you don't have permission to perform this action"
)


def execute(url: str, query: str = MUTATION) -> object:
    return lambda: gitlab.GraphQL(url, token="x", timeout=1, obey_rate_limit=False).execute(query)


def aexecute(url: str, query: str = MUTATION) -> object:
    client = gitlab.AsyncGraphQL(url, token="x", timeout=1, obey_rate_limit=False)
    return lambda: asyncio.run(client.execute(query))


def reported(message: str, **extensions: str) -> dict[str, object]:
    return {"errors": [{"message": message, "locations": [], "extensions": extensions}]}


@pytest.mark.parametrize("ask", [execute, aexecute])
@pytest.mark.parametrize(
    ("message", "cls", "effect"),
    [
        (ABSENT, ResourceNotFoundError, "none"),
        ("Query has complexity of 300, which exceeds max complexity of 250", ToolArgumentError, "none"),
        (
            "Request timed out. Please try a less complex query or a smaller set of records.",
            ToolTimeoutError,
            "possible",
        ),
        ("Invalid token", ToolAuthenticationError, "none"),
        ("Internal server error: undefined method", ToolUnavailableError, "possible"),
        ("Wobbly.", ToolExecutionError, "possible"),
    ],
)
def test_an_error_by_its_message(
    classify: Classify, serve: Serve, ask: object, message: str, cls: type, effect: str
) -> None:
    error = classify(raised(ask(serve(200, reported(message)))))

    assert (type(error), error.effect, error.provider) == (cls, effect, "gitlab")


@pytest.mark.parametrize(
    ("body", "arguments", "pointer"),
    [
        (
            reported("Field 'foo' doesn't exist on type 'Project'", code="undefinedField", fieldName="foo"),
            {"query": "{ foo }"},
            "/query",
        ),
        (
            reported("Argument 'titel' isn't defined", code="argumentNotAccepted", argumentName="titel", name="Input"),
            {"titel": "x"},
            "/titel",
        ),
        (
            reported("Field is missing required arguments: id", code="missingRequiredArguments", arguments="id"),
            {"query": "{ project { id } }"},
            "/query",
        ),
        (reported("Variable $path of type ID! was provided invalid value"), {"path": None}, "/path"),
    ],
)
def test_a_query_that_does_not_fit_the_schema(
    classify: Classify, serve: Serve, body: object, arguments: dict, pointer: str
) -> None:
    error = classify(raised(execute(serve(200, body))), arguments)

    assert (type(error), error.effect) == (ToolArgumentError, "none")
    assert error.message == "The query does not match the schema of GitLab."
    assert [one.pointer for one in error.problems] == [pointer]


def test_a_resource_that_is_not_there_or_not_visible(classify: Classify, serve: Serve) -> None:
    exception = raised(execute(serve(200, reported(ABSENT))))
    named, unnamed = classify(exception, {"project_path": "a/b", "title": "x"}), classify(exception)

    assert (named.resource, unnamed.resource) == ("a/b", None)
    assert named.message == "Resource not found: a/b, or not visible with these credentials."
    assert unnamed.message == "GitLab found no such resource, or none visible with these credentials."


def test_of_several_mutations_some_may_have_been_applied(classify: Classify, serve: Serve) -> None:
    body = {"data": {"a": {"issue": {"id": 1}}, "b": None}, **reported(ABSENT)}

    assert classify(raised(execute(serve(200, body)))).effect == "possible"


@pytest.mark.parametrize(
    ("status", "cls"), [(401, ToolAuthenticationError), (429, ToolRateLimitError), (503, ToolUnavailableError)]
)
def test_an_answer_without_graphql_by_its_status(classify: Classify, serve: Serve, status: int, cls: type) -> None:
    error = classify(raised(execute(serve(status, "No"))))

    assert (type(error), error.http_status, error.provider) == (cls, status, "gitlab")


@pytest.mark.parametrize("ask", [execute, aexecute])
def test_a_connection_lost_midway_may_have_been_a_mutation(classify: Classify, serve: Serve, ask: object) -> None:
    error = classify(raised(ask(serve(200, {}, drop=True))))

    assert (type(error), error.effect, error.provider) == (ToolConnectionError, "possible", "gitlab")


def test_no_server(classify: Classify, dead: str) -> None:
    error = classify(raised(execute(dead)))

    assert (type(error), error.effect, error.fatal) == (ToolConnectionError, "none", True)


def test_a_query_that_is_no_graphql(classify: Classify, dead: str) -> None:
    error = classify(raised(execute(dead, "query{")), {"query": "query{"})

    assert (type(error), error.message, error.effect) == (ToolArgumentError, "The query is not valid GraphQL.", "none")
    assert [one.pointer for one in error.problems] == ["/query"]


NOTHING_MADE = {"createIssue": {"errors": ["Title can't be blank"], "issue": None}}


@pytest.mark.parametrize("value", [NOTHING_MADE, {"data": NOTHING_MADE}])
def test_a_mutation_that_made_nothing(pipeline: Pipeline, value: object) -> None:
    error = pipeline.classify(value, tool="gitlab_create_issue")

    assert error is not None
    assert (type(error), error.provider, error.effect) == (ToolArgumentError, "gitlab", "none")


def test_a_mutation_that_met_something_of_that_name(pipeline: Pipeline) -> None:
    value = {"createBranch": {"errors": ["Branch already exists"], "branch": None}}
    error = pipeline.classify(value, tool="gitlab_create_branch")

    assert type(error) is ResourceConflictError


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("create_issue", NOTHING_MADE),
        ("gitlab_create_issue", {"createIssue": {"errors": ["Label is unknown"], "issue": {"id": 1}}}),
        ("gitlab_create_issue", {"createIssue": {"errors": [], "issue": None}}),
        ("gitlab_create_issue", {"a": {"errors": ["no"], "x": None}, "b": {"errors": [], "x": {"id": 1}}}),
        ("gitlab_errors", {"errors": {"errors": []}}),
    ],
)
def test_anything_else_is_a_result(pipeline: Pipeline, tool: str, value: object) -> None:
    assert pipeline.classify(value, tool=tool) is None
