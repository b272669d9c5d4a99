"""What python-gitlab raises without an answer: connections, settings, attributes."""

import pathlib

import gitlab
import gitlab.config
import gitlab.exceptions
import pytest
import requests
from conftest import Classify, client, create_issue, project, raised
from mulligan_testkit.loopback import Serve

from mulligan.errors import (
    ToolArgumentError,
    ToolConnectionError,
    ToolExecutionError,
    ToolTimeoutError,
)


def test_a_connection_lost_midway_may_have_been_a_change(answer: Classify) -> None:
    error = answer(create_issue, 201, {}, {"title": "x"}, drop=True)

    assert (type(error), error.effect, error.fatal, error.provider) == (
        ToolConnectionError,
        "possible",
        False,
        "gitlab",
    )
    assert error.message == "The connection to GitLab was dropped mid-request."


def test_no_answer_in_time(answer: Classify) -> None:
    error = answer(create_issue, 201, {}, {"title": "x"}, delay=10)

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "gitlab")


def test_no_server(classify: Classify, dead: str) -> None:
    error = classify(raised(lambda: project(client(dead))))

    assert (type(error), error.effect, error.fatal, error.provider) == (ToolConnectionError, "none", True, "gitlab")
    assert error.message == "GitLab cannot be reached."


def test_a_connection_of_requests_itself_is_left_alone(classify: Classify, dead: str) -> None:
    assert classify(raised(lambda: requests.get(dead, timeout=1))).provider is None


def test_an_answer_that_is_no_json_may_follow_a_change(answer: Classify) -> None:
    error = answer(create_issue, 201, "oops", {"title": "x"}, headers={"Content-Type": "application/json"})

    assert (type(error), error.effect) == (ToolExecutionError, "possible")
    assert error.message == "GitLab sent an answer that its client cannot read."


def test_a_server_that_has_moved(classify: Classify, serve: Serve) -> None:
    moved = serve(302, "", {"Location": serve(200, [])})
    error = classify(raised(lambda: create_issue(client(moved))))

    assert (type(error), error.effect) == (ToolExecutionError, "none")
    assert error.user_message == "Update the URL of the GitLab server: it redirects to another address."


@pytest.mark.parametrize(
    ("sent", "problems"),
    [
        ({"titel": "x"}, [("/title", "missing")]),
        ({}, [("/title", "missing")]),
    ],
)
def test_attributes_that_the_client_requires(classify: Classify, dead: str, sent: dict, problems: list) -> None:
    issues = client(dead).projects.get(1, lazy=True).issues
    error = classify(raised(lambda: issues.create(sent)), sent)

    assert (type(error), error.effect, error.message) == (
        ToolArgumentError,
        "none",
        "The GitLab client rejected the arguments.",
    )
    assert [(one.pointer, one.message) for one in error.problems] == problems


def test_attributes_of_anything_else_are_left_alone(classify: Classify) -> None:
    assert classify(AttributeError("Missing attributes: title")).provider is None


def test_a_configuration_that_is_not_there(classify: Classify, tmp_path: pathlib.Path) -> None:
    error = classify(raised(lambda: gitlab.Gitlab.from_config("nope", [str(tmp_path / "nope.cfg")])))

    assert (type(error), error.effect) == (ToolExecutionError, "none")
    assert error.message == "The client of GitLab is misconfigured."


def test_anything_else_of_the_client(classify: Classify) -> None:
    error = classify(gitlab.exceptions.GitlabOperationError("wobbly"))

    assert (type(error), error.rule, error.provider) == (ToolExecutionError, "mulligan_gitlab:other", "gitlab")
