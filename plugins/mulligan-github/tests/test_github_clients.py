"""What the clients raise without an answer of GitHub, and with a class that says more than the answer."""

import time

import github
import githubkit
import githubkit.exception
import pytest
from github_server import Serve, github_body, github_headers
from githubkit.exception import AuthCredentialError, AuthExpiredError, CacheUnsupportedError, WebhookTypeNotFound
from test_github_rest import classify, raised, with_githubkit, with_pygithub

from mulligan import Pipeline
from mulligan.errors import (
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolRateLimitError,
    ToolTimeoutError,
)


def test_pygithub_that_may_not_wait_so_long_says_how_long(pipeline: Pipeline, serve: Serve) -> None:
    headers = github_headers(X_RateLimit_Remaining="0")
    url = serve(403, github_body(403, "API rate limit exceeded for user ID 1."), headers)
    retry = github.GithubRetry(total=3, max_rate_limit_wait=1)
    client = github.Github(base_url=url, auth=github.Auth.Token("x"), retry=retry, seconds_between_requests=None)
    error = classify(pipeline, raised(lambda _: client.get_repo("acme/site"), url))

    assert type(error) is ToolRateLimitError
    assert error.rule == "mulligan_github:wait_too_long"
    assert error.retry_after == pytest.approx(1_801, abs=5)


def test_githubkit_reports_a_graphql_rate_limit_under_status_200(pipeline: Pipeline, serve: Serve) -> None:
    body = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    url = serve(200, body, {"X-RateLimit-Reset": str(int(time.time()) + 600)})
    client = githubkit.GitHub("x", base_url=url, auto_retry=False, http_cache=False, trust_env=False)
    error = classify(pipeline, raised(lambda _: client.graphql("{ viewer { login } }"), url))

    assert (type(error), error.provider) == (ToolRateLimitError, "github")
    assert error.retry_after == pytest.approx(600, abs=5)


@pytest.mark.parametrize("cls", [AuthCredentialError, AuthExpiredError])
def test_githubkit_without_credentials_sends_nothing(pipeline: Pipeline, cls: type[Exception]) -> None:
    error = classify(pipeline, cls("Refresh token is not provided."))

    assert (type(error), error.fatal, error.effect) == (ToolAuthenticationError, True, "none")
    assert error.message == "The GitHub credentials are incomplete or have expired."


def test_githubkit_that_cannot_connect_has_sent_nothing(pipeline: Pipeline, dead: str) -> None:
    error = classify(pipeline, raised(with_githubkit, dead))

    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert (error.provider, error.message) == ("github", "GitHub cannot be reached.")


def test_githubkit_whose_connection_is_reset_may_have_done_it(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(with_githubkit, serve(reset=True)))

    assert (type(error), error.fatal, error.transient, error.effect) == (ToolConnectionError, False, True, "possible")


def test_githubkit_that_waits_too_long_may_have_done_it(pipeline: Pipeline) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        client = githubkit.GitHub("x", base_url=url, auto_retry=False, http_cache=False, timeout=0.2, trust_env=False)
        error = classify(pipeline, raised(lambda _: client.rest.repos.get("acme", "site"), url))

    assert (type(error), error.effect) == (ToolTimeoutError, "possible")
    assert (error.provider, error.message) == ("github", "GitHub did not respond in time.")


def test_network_failures_that_pygithub_lets_through(pipeline: Pipeline, serve: Serve, dead: str) -> None:
    unreachable = classify(pipeline, raised(with_pygithub, dead))
    dropped = classify(pipeline, raised(with_pygithub, serve(reset=True)))

    assert (type(unreachable), unreachable.fatal, unreachable.effect) == (ToolConnectionError, True, "none")
    assert (type(dropped), dropped.fatal, dropped.effect) == (ToolConnectionError, False, "possible")
    assert (unreachable.provider, dropped.provider) == ("github", "github")
    assert "GitHub" in unreachable.message


def test_an_object_that_pygithub_cannot_complete(pipeline: Pipeline) -> None:
    error = classify(pipeline, github.IncompletableObject(400, message="Cannot complete object as it contains no URL"))

    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_github:misread")


def test_an_attribute_of_another_type_than_pygithub_expects(pipeline: Pipeline, serve: Serve) -> None:
    url = serve(200, {"login": 42, "url": "/users/ann"})
    client = github.Github(base_url=url, auth=github.Auth.Token("x"), retry=None, seconds_between_requests=None)
    error = classify(pipeline, raised(lambda _: client.get_user("ann").login, url))

    assert (type(error), error.message) == (ToolExecutionError, "The GitHub client received an unusable response.")


def test_a_cache_that_githubkit_cannot_use(pipeline: Pipeline) -> None:
    assert type(classify(pipeline, CacheUnsupportedError("sync cache in async client"))) is ToolExecutionError


def test_an_unknown_webhook_event(pipeline: Pipeline) -> None:
    error = classify(pipeline, WebhookTypeNotFound("pusj"))

    assert (type(error), error.resource) == (ToolArgumentError, "pusj")
    assert error.message == "GitHub has no webhook event with that name."


def test_a_query_without_page_info(pipeline: Pipeline, serve: Serve) -> None:
    url = serve(200, {"data": {"viewer": {"login": "ann"}}})
    client = githubkit.GitHub("x", base_url=url, auto_retry=False, http_cache=False, trust_env=False)
    error = classify(pipeline, raised(lambda _: list(client.graphql.paginate("{ viewer { login } }")), url))

    assert (type(error), error.rule) == (ToolArgumentError, "mulligan_github:pagination")
    assert "pageInfo" in error.message


def test_any_other_exception_of_a_client_is_named(pipeline: Pipeline) -> None:
    for exception in (github.GithubException(0, None, None), githubkit.exception.GitHubException("x")):
        error = classify(pipeline, exception)

        assert (type(error), error.provider, error.message) == (ToolExecutionError, "github", "The GitHub call failed.")
