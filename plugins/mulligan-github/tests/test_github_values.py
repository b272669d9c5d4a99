"""Answers that a tool returned: GitHub's bodies, clients' answer objects, and the texts of GitHub's MCP server."""

import httpx
import pytest
import requests
from github_server import Serve, github_body, github_headers
from test_github_rest import classify

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolPermissionError,
    ToolRateLimitError,
)


@pytest.mark.parametrize(
    ("status", "message", "cls"),
    [
        (404, "Not Found", ResourceNotFoundError),
        (401, "Bad credentials", ToolAuthenticationError),
        (403, "Resource not accessible by integration", ToolPermissionError),
        (422, "Validation Failed", ToolArgumentError),
        (422, "Reference already exists", ResourceConflictError),
    ],
)
def test_a_returned_body_is_a_failure(pipeline: Pipeline, status: int, message: str, cls: type) -> None:
    error = classify(pipeline, github_body(status, message))

    assert (type(error), error.http_status, error.provider) == (cls, status, "github")


@pytest.mark.parametrize(
    ("message", "status"), [("Not Found", 404), ("Bad credentials", 401), ("Validation Failed", 422)]
)
def test_an_older_body_without_status_is_known_by_its_message(pipeline: Pipeline, message: str, status: int) -> None:
    body = {"message": message, "documentation_url": "https://docs.github.com/enterprise-server@3.4/rest"}

    assert classify(pipeline, body).http_status == status


@pytest.mark.parametrize(
    "value",
    [
        {"number": 12, "title": "404 Not Found", "state": "open", "body": "Bad credentials"},
        {"message": "Fix: Not Found", "sha": "3d21ec53", "html_url": "https://github.com/acme/site"},
        {"merged": True, "message": "Pull Request successfully merged", "sha": "3d21ec53"},
        {"message": "see the manual", "documentation_url": "https://docs.example.com"},
        {"errors": [{"type": "NOT_FOUND", "line": 3}]},
        {"errors": []},
        ["Not Found"],
    ],
)
def test_a_document_is_a_result(pipeline: Pipeline, value: object) -> None:
    assert pipeline.classify(value) is None


def test_a_returned_answer_of_requests(pipeline: Pipeline, serve: Serve) -> None:
    url = serve(404, github_body(404, "Not Found"), github_headers())
    error = classify(pipeline, requests.get(f"{url}/repos/acme/nope", timeout=5))

    assert (type(error), error.provider, error.http_status) == (ResourceNotFoundError, "github", 404)


def test_a_returned_answer_of_httpx(pipeline: Pipeline, serve: Serve) -> None:
    url = serve(
        422,
        github_body(422, "Validation Failed", errors=[{"field": "title", "code": "missing_field"}]),
        github_headers(),
    )
    error = classify(pipeline, httpx.get(url, trust_env=False))

    assert (type(error), [one.pointer for one in error.problems]) == (ToolArgumentError, ["/title"])


def mcp(text: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def test_githubs_mcp_server_reports_a_missing_file(pipeline: Pipeline) -> None:
    text = (
        "failed to get file contents: GET https://api.github.com/repos/acme/site/contents/docs/a.md: 404 Not Found []"
    )
    error = classify(pipeline, mcp(text), owner="acme", repo="site", path="docs/a.md")

    assert (type(error), error.resource) == (ResourceNotFoundError, "docs/a.md")
    assert (error.provider, error.http_status, error.rule) == ("github", 404, "mulligan_github:missing_or_private")


def test_githubs_mcp_server_reports_rejected_fields(pipeline: Pipeline) -> None:
    text = (
        "failed to create issue: POST https://api.github.com/repos/acme/site/issues: 422 Validation Failed "
        "[{Resource:Issue Field:title Code:missing_field Message:}]"
    )
    error = classify(pipeline, mcp(text))

    assert (type(error), error.http_status) == (ToolArgumentError, 422)
    assert [(one.pointer, one.message) for one in error.problems] == [("/title", "is required")]


def test_githubs_mcp_server_reports_the_rate_limit(pipeline: Pipeline) -> None:
    text = (
        "failed to search: GET https://api.github.com/search/code?q=x: 403 API rate limit exceeded for user ID 1. "
        "[rate reset in 12m05s]"
    )
    error = classify(pipeline, mcp(text))

    assert (type(error), error.retry_after) == (ToolRateLimitError, 725.0)


def test_the_same_text_about_another_host_is_not_github(pipeline: Pipeline) -> None:
    error = classify(pipeline, mcp("failed: GET https://api.example.com/items: 404 Not Found []"))

    assert error.provider is None
