"""GitHub's GraphQL errors: raised by githubkit, PyGithub and ghapi, and returned as values."""

import asyncio
from collections.abc import Callable
from typing import Any

import ghapi.graphql
import github
import githubkit
import pytest
from github_server import Serve
from test_github_rest import classify, raised

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

TYPES = {
    "NOT_FOUND": (ResourceNotFoundError, False),
    "FORBIDDEN": (ToolPermissionError, True),
    "INSUFFICIENT_SCOPES": (ToolPermissionError, True),
    "UNAUTHENTICATED": (ToolAuthenticationError, True),
    "MAX_NODE_LIMIT_EXCEEDED": (ToolArgumentError, False),
    "RESOURCE_LIMITS_EXCEEDED": (ToolArgumentError, False),
    "EXCESSIVE_PAGINATION": (ToolArgumentError, False),
    "MISSING_PAGINATION_BOUNDARIES": (ToolArgumentError, False),
    "UNPROCESSABLE": (ToolArgumentError, False),
    "STALE_DATA": (ResourceConflictError, False),
    "SERVICE_UNAVAILABLE": (ToolUnavailableError, False),
    "INTERNAL_ERROR": (ToolUnavailableError, False),
}


def with_githubkit(url: str) -> None:
    githubkit_client(url).graphql("{ viewer { login } }")


def githubkit_client(url: str) -> githubkit.GitHub[Any]:
    client = githubkit.GitHub("x", base_url=url, auto_retry=False, http_cache=False, trust_env=False)
    KEPT[:] = [client]
    return client


KEPT: list[object] = []  # githubkit's namespaces hold their client weakly


def with_pygithub(url: str) -> None:
    client = github.Github(base_url=url, auth=github.Auth.Token("x"), retry=None, seconds_between_requests=None)
    client.requester.graphql_query("{ viewer { login } }", {})


def with_ghapi(url: str) -> None:
    client = ghapi.graphql.GhGql(token="x")
    client.url = url
    asyncio.run(client("{ viewer { login } }"))


CLIENTS = [with_githubkit, with_pygithub, with_ghapi]


def answer(*errors: dict[str, Any], data: object = None) -> dict[str, Any]:
    return {"data": data, "errors": list(errors)}


@pytest.mark.parametrize("call", CLIENTS)
@pytest.mark.parametrize("kind", TYPES)
def test_the_type_decides_through_every_client(
    pipeline: Pipeline, serve: Serve, kind: str, call: Callable[[str], None]
) -> None:
    body = answer({"type": kind, "message": "Something about it", "path": ["repository"]})
    error = classify(pipeline, raised(call, serve(200, body)))

    assert (type(error), error.fatal) == TYPES[kind]
    assert (error.provider, error.rule) == ("github", "mulligan_github:graphql_type")


@pytest.mark.parametrize("call", [with_pygithub, with_ghapi])
@pytest.mark.parametrize("kind", ["RATE_LIMIT", "RATE_LIMITED"])
def test_a_rate_limit_is_one(pipeline: Pipeline, serve: Serve, kind: str, call: Callable[[str], None]) -> None:
    error = classify(pipeline, raised(call, serve(200, answer({"type": kind, "message": "API rate limit exceeded"}))))

    assert (type(error), error.provider) == (ToolRateLimitError, "github")


@pytest.mark.parametrize("call", CLIENTS)
def test_what_was_not_found_is_named_and_may_be_private(
    pipeline: Pipeline, serve: Serve, call: Callable[[str], None]
) -> None:
    message = "Could not resolve to a Repository with the name 'acme/nope'."
    error = classify(
        pipeline, raised(call, serve(200, answer({"type": "NOT_FOUND", "message": message}, data={"r": None})))
    )

    assert error.resource == "acme/nope"
    assert error.message == "Resource not found: acme/nope, or not visible with these credentials."
    assert error.effect == "none"


def test_a_number_that_was_not_found_is_named(pipeline: Pipeline) -> None:
    message = "Could not resolve to an Issue with the number of 99."
    error = classify(pipeline, answer({"type": "NOT_FOUND", "message": message}))

    assert error.resource == "99"


@pytest.mark.parametrize("call", CLIENTS)
def test_of_several_mutations_some_may_be_done(pipeline: Pipeline, serve: Serve, call: Callable[[str], None]) -> None:
    body = answer({"type": "FORBIDDEN", "message": "no", "path": ["b"]}, data={"a": {"id": 1}, "b": None})
    error = classify(pipeline, raised(call, serve(200, body)))

    assert (type(error), error.effect) == (ToolPermissionError, "possible")


def test_a_value_that_exists_already_is_a_conflict(pipeline: Pipeline) -> None:
    message = "A pull request already exists for acme:feature."
    error = classify(pipeline, answer({"type": "UNPROCESSABLE", "message": message}))

    assert type(error) is ResourceConflictError


def test_single_sign_on_is_told_to_the_person(pipeline: Pipeline) -> None:
    body = answer({"type": "FORBIDDEN", "message": "Resource protected", "extensions": {"saml_failure": True}})
    error = classify(pipeline, body)

    assert "authorize the GitHub token" in error.user_message


@pytest.mark.parametrize("call", [with_githubkit, with_pygithub])
def test_a_query_that_does_not_fit_the_schema(pipeline: Pipeline, serve: Serve, call: Callable[[str], None]) -> None:
    body = answer({
        "message": "Field 'logi' doesn't exist on type 'User'",
        "path": ["query", "viewer", "logi"],
        "locations": [{"line": 1, "column": 12}],
        "extensions": {"code": "undefinedField", "typeName": "User", "fieldName": "logi"},
    })  # fmt: skip
    error = classify(pipeline, raised(call, serve(200, body)))

    assert (type(error), error.rule) == (ToolArgumentError, "mulligan_github:graphql_query")
    assert [problem.pointer for problem in error.problems] == ["/logi"]


@pytest.mark.parametrize("call", CLIENTS)
def test_a_query_that_github_gives_up_on_is_a_timeout(
    pipeline: Pipeline, serve: Serve, call: Callable[[str], None]
) -> None:
    told = "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug."
    error = classify(pipeline, raised(call, serve(200, answer({"message": told}))))

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "github")


def test_any_other_error_that_githubkit_raises(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(with_githubkit, serve(200, answer({"message": "Oops", "type": "BRAND_NEW"}))))

    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_github:client_failed")


@pytest.mark.parametrize("kind", TYPES)
def test_a_returned_body_is_a_failure(pipeline: Pipeline, kind: str) -> None:
    body = answer({"type": kind, "message": "Something about it"}, data={"repository": None})
    error = classify(pipeline, body)

    assert (type(error), error.fatal) == TYPES[kind]
    assert error.provider == "github"


def test_a_returned_body_with_data_is_a_result(pipeline: Pipeline) -> None:
    body = answer({"type": "NOT_FOUND", "message": "no"}, data={"a": {"id": 1}, "b": None})

    assert pipeline.classify(body) is None


def test_graphql_errors_of_others_are_left_alone(pipeline: Pipeline) -> None:
    error: ToolError = classify(
        pipeline, answer({"message": "Not logged in", "extensions": {"code": "UNAUTHENTICATED"}})
    )

    assert error.provider is None
