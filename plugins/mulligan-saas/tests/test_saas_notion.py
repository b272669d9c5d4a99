"""Notion, through notion_client."""

import logging

import httpx
import notion_client
import notion_client.errors
import pytest
from conftest import Classify
from mulligan_saas.notion import codes
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
    ToolTimeoutError,
    ToolUnavailableError,
)

PAGE = "7d2f8c1e-0000-4000-8000-000000000000"
CODES = {
    "unauthorized": (401, ToolAuthenticationError, True),
    "restricted_resource": (403, ToolPermissionError, True),
    "object_not_found": (404, ResourceNotFoundError, False),
    "rate_limited": (429, ToolRateLimitError, False),
    "invalid_json": (400, ToolArgumentError, False),
    "invalid_request_url": (400, ToolArgumentError, False),
    "invalid_request": (400, ToolArgumentError, False),
    "validation_error": (400, ToolArgumentError, False),
    "conflict_error": (409, ResourceConflictError, False),
    "internal_server_error": (500, ToolUnavailableError, False),
    "service_unavailable": (503, ToolUnavailableError, False),
    "gateway_timeout": (504, ToolTimeoutError, False),
}


def retrieve(url: str, page: str = PAGE) -> object:
    options = {"auth": "x", "base_url": url, "retry": False, "timeout_ms": 500, "log_level": logging.CRITICAL}
    client = notion_client.Client(client=httpx.Client(trust_env=False, timeout=1), **options)

    def call() -> object:
        with client:
            return client.pages.retrieve(page)

    return call


def told(code: str, message: str = "No.") -> dict[str, object]:
    return {"object": "error", "status": CODES[code][0], "code": code, "message": message}


@pytest.mark.parametrize("code", CODES)
def test_the_code_decides(classify: Classify, serve: Serve, code: str) -> None:
    status, cls, fatal = CODES[code]
    error = classify(raised(retrieve(serve(status, told(code)))))

    assert (type(error), error.fatal, error.provider, error.http_status) == (cls, fatal, "notion", status)
    assert error.effect == ("possible" if cls in (ToolUnavailableError, ToolTimeoutError) else "none")
    assert error.rule == "mulligan_saas:answered"


def test_what_is_missing_may_only_not_be_shared(classify: Classify, serve: Serve) -> None:
    message = f"Could not find page with ID: {PAGE}. Make sure the relevant pages are shared with your integration."
    error = classify(raised(retrieve(serve(404, told("object_not_found", message)))), page_id=PAGE)

    assert (error.resource, "not shared" in error.message) == (PAGE, True)


def test_the_rate_limit_tells_how_long(classify: Classify, serve: Serve) -> None:
    error = classify(raised(retrieve(serve(429, told("rate_limited"), {"Retry-After": "7"}))))

    assert error.retry_after == 7.0


@pytest.mark.parametrize(
    ("message", "pointers"),
    [
        ('path failed validation: path.page_id should be a valid uuid, instead was `"x"`.', ["/page_id"]),
        (
            "Fix one: body.properties.Name.title should be defined. body.children[0].type should be defined, not `x`.",
            ["/properties/Name/title", "/children/0/type"],
        ),
    ],
)
def test_every_field_that_notion_names_is_a_problem(
    classify: Classify, serve: Serve, message: str, pointers: list[str]
) -> None:
    error = classify(raised(retrieve(serve(400, told("validation_error", message)))))

    assert [problem.pointer for problem in error.problems] == pointers


def test_what_is_archived_must_be_restored(classify: Classify, serve: Serve) -> None:
    message = "Can't edit block that is archived. You must unarchive the block before editing."
    error = classify(raised(retrieve(serve(400, told("validation_error", message)))))

    assert type(error) is ResourceConflictError


def test_a_page_instead_of_an_answer_is_known_by_its_status(classify: Classify, serve: Serve) -> None:
    error = classify(raised(retrieve(serve(502, "<html>bad gateway</html>"))))

    assert (type(error), error.http_status, error.provider) == (ToolUnavailableError, 502, "notion")


def test_notion_that_does_not_answer_in_time(classify: Classify, serve: Serve) -> None:
    error = classify(raised(retrieve(serve(how="hang"))))

    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "possible", "notion")


def test_an_id_that_leads_elsewhere_is_not_sent(classify: Classify, dead: str) -> None:
    error = classify(raised(retrieve(dead, "../users")))

    assert (type(error), error.effect, error.provider) == (ToolArgumentError, "none", "notion")
    assert error.message == "An ID contains invalid characters."


def test_network_failures_that_the_client_lets_through(classify: Classify, dead: str) -> None:
    exception = raised(retrieve(dead))
    error = classify(exception)

    assert isinstance(exception, httpx.ConnectError)
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert (error.provider, error.message) == ("notion", "Notion cannot be reached.")


@pytest.mark.parametrize(
    ("message", "pointer", "fault"),
    [
        ("body failed validation: body.parent.page_id should be defined, instead was `undefined`.", "/parent/page_id", "is missing"),
        ("Status is not a property that exists.", "/properties/Status", "is unknown"),
        ("Due date is expected to be date.", "/properties/Due date", "has the wrong type"),
        ("body.children.length should be ≤ `100`, instead was `101`.", "/children", "has too many items, or is too long"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_field(classify: Classify, serve: Serve, message: str, pointer: str, fault: str) -> None:
    error = classify(raised(retrieve(serve(400, told("validation_error", message)))))

    assert [(problem.pointer, problem.message) for problem in error.problems] == [(pointer, fault)]


def test_any_other_error_of_the_client_is_named(classify: Classify) -> None:
    error = classify(notion_client.errors.NotionClientErrorBase("x"))

    assert (type(error), error.provider, error.message) == (ToolExecutionError, "notion", "Notion failed.")


def test_every_code_of_the_client_has_a_meaning() -> None:
    known = {code.value for code in notion_client.APIErrorCode}

    assert [code for code in known if codes.meaning_of(code) is None] == []
