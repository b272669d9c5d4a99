"""GitHub's REST answers, through every client that people use: the meaning must not depend on the client."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import ghapi.core
import github
import githubkit
import httpx
import mulligan_github
import pytest
import requests
from github_server import Serve, github_body, github_headers

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
    ToolUnavailableError,
)
from mulligan.middleware import retry


@dataclass(frozen=True)
class Case:
    """One answer of GitHub, and what it means."""

    status: int
    message: str
    cls: type[ToolError]
    rule: str
    more: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    pointer: str | None = None
    retry_after: float | None = None
    code: str | None = None
    fatal: bool = False


def invalid(name: str, code: str, resource: str = "Issue", **more: str) -> dict[str, Any]:
    return {"errors": [{"resource": resource, "field": name, "code": code, **more}]}


CASES = {
    "401": Case(401, "Bad credentials", ToolAuthenticationError, "credentials", fatal=True),
    "401-otp": Case(
        401, "Must specify two-factor authentication OTP code.", ToolAuthenticationError, "credentials",
        headers={"X_GitHub_OTP": "required; app"}, fatal=True,
    ),
    "403-logins": Case(
        403, "Maximum number of login attempts exceeded. Please try again later.", ToolAuthenticationError, "locked_out", fatal=True
    ),
    "403-permission": Case(
        403, "Resource not accessible by integration", ToolPermissionError, "permission",
        headers={"X_Accepted_GitHub_Permissions": "issues=write"}, fatal=True,
    ),
    "403-sso": Case(
        403, "Resource protected by organization SAML enforcement.", ToolPermissionError, "single_sign_on",
        headers={"X_GitHub_SSO": "required; url=https://github.com/orgs/acme/sso"}, fatal=True,
    ),
    "403-primary": Case(
        403, "API rate limit exceeded for user ID 1.", ToolRateLimitError, "primary_rate_limit",
        headers={"X_RateLimit_Remaining": "0"}, retry_after=1_800,
    ),
    "429-primary": Case(
        429, "API rate limit exceeded for user ID 1.", ToolRateLimitError, "primary_rate_limit",
        headers={"X_RateLimit_Remaining": "0"}, retry_after=1_800,
    ),
    "403-secondary": Case(
        403, "You have exceeded a secondary rate limit.", ToolRateLimitError, "secondary_rate_limit",
        headers={"Retry_After": "17"}, retry_after=17,
    ),
    "403-secondary-silent": Case(
        403, "You have exceeded a secondary rate limit.", ToolRateLimitError, "secondary_rate_limit", retry_after=60
    ),
    "403-too-large": Case(
        403, "This API returns blobs up to 1 MB in size.", ToolArgumentError, "too_large", more=invalid("data", "too_large", "Blob")
    ),
    "403-archived": Case(403, "Repository was archived so is read-only.", ResourceConflictError, "archived"),
    "404": Case(404, "Not Found", ResourceNotFoundError, "missing_or_private"),
    "405": Case(
        405, "Pull Request is not mergeable", ResourceConflictError, "not_mergeable",
        more={"documentation_url": "https://docs.github.com/rest/pulls/pulls#merge-a-pull-request"}, code="FAILED_PRECONDITION",
    ),
    "409": Case(409, "README.md does not match 3d21ec53", ResourceConflictError, "conflict", code="ABORTED"),
    "409-empty": Case(409, "Git Repository is empty.", ResourceConflictError, "conflict", code="FAILED_PRECONDITION"),
    "410": Case(410, "This issue was deleted", ResourceNotFoundError, "gone"),
    "422-missing-field": Case(
        422, "Validation Failed", ToolArgumentError, "validation", more=invalid("title", "missing_field"), pointer="/title"
    ),
    "422-message": Case(422, "Invalid request.\n\n\"sha\" wasn't supplied.", ToolArgumentError, "validation", pointer="/sha"),
    "422-exists": Case(
        422, "Validation Failed", ResourceConflictError, "already_there", more=invalid("name", "already_exists", "Label"),
        pointer="/name", code="ALREADY_EXISTS",
    ),
    "422-exists-text": Case(422, "Reference already exists", ResourceConflictError, "already_there", code="ALREADY_EXISTS"),
    "422-reference": Case(422, "Reference does not exist", ResourceNotFoundError, "missing_reference"),
    "422-forward": Case(422, "Update is not a fast forward", ResourceConflictError, "moved_on", code="ABORTED"),
    "422-spam": Case(
        422, "Validation Failed", ToolRateLimitError, "secondary_rate_limit",
        more=invalid("", "custom", message="was submitted too quickly"), retry_after=60,
    ),
    "451": Case(451, "Repository access blocked", ToolPermissionError, "blocked", more={"block": {"reason": "dmca"}}, fatal=True),
    "400": Case(400, "Problems parsing JSON", ToolArgumentError, "other_status"),
    "501": Case(501, "Not implemented", ToolExecutionError, "other_status"),
    "503": Case(503, "Service Unavailable", ToolUnavailableError, "other_status"),
}  # fmt: skip
BODILESS = {
    "400",
    "401",
    "401-otp",
    "403-permission",
    "403-sso",
    "403-primary",
    "429-primary",
    "404",
    "409",
    "410",
    "451",
    "501",
    "503",
}


def with_pygithub(url: str) -> None:
    client = github.Github(base_url=url, auth=github.Auth.Token("x"), retry=None, seconds_between_requests=None)
    client.get_repo("acme/nope")


def with_githubkit(url: str) -> None:
    client = githubkit.GitHub("x", base_url=url, auto_retry=False, http_cache=False, trust_env=False)
    client.rest.repos.get("acme", "nope")


def with_ghapi(url: str) -> None:
    ghapi.core.GhApi(token="x", gh_host=url, sync=True).repos.get("acme", "nope")


def with_requests(url: str) -> None:
    requests.get(f"{url}/repos/acme/nope", timeout=5).raise_for_status()


def with_httpx(url: str) -> None:
    httpx.get(f"{url}/repos/acme/nope", trust_env=False).raise_for_status()


def with_urllib(url: str) -> None:
    urllib.request.urlopen(f"{url}/repos/acme/nope", timeout=5)


def with_aiohttp(url: str) -> None:
    async def get() -> None:
        async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(f"{url}/repos/acme/nope"):
            pass

    asyncio.run(get())


READING = [with_pygithub, with_githubkit, with_ghapi, with_requests, with_httpx]


def raised(call: Callable[[str], None], url: str) -> Exception:
    try:
        call(url)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def classify(pipeline: Pipeline, failure: object, **arguments: object) -> ToolError:
    error = pipeline.classify(failure, tool="github_call", arguments=arguments)
    assert error is not None
    return error


def start(serve: Serve, case: Case) -> str:
    return serve(
        case.status,
        github_body(case.status, case.message) | case.more,
        github_headers() | github_headers(**case.headers),
    )


@pytest.mark.parametrize("call", READING)
@pytest.mark.parametrize("name", CASES)
def test_an_answer_means_the_same_through_every_client(
    pipeline: Pipeline, serve: Serve, name: str, call: Callable[[str], None]
) -> None:
    case = CASES[name]
    error = classify(pipeline, raised(call, start(serve, case)), owner="acme", repo="nope", title="x")

    assert type(error) is case.cls
    assert error.rule in (
        f"mulligan_github:{case.rule}",
        "mulligan_github:githubkit_rate_limit" if call is with_githubkit else "",
    )
    assert (error.fatal, error.provider, error.http_status) == (case.fatal, "github", case.status)
    assert error.effect == ("possible" if case.status == 503 else "none")
    assert case.code in (None, error.code)
    assert case.pointer in (None, *(problem.pointer for problem in error.problems))
    assert (error.retry_after is None) == (case.retry_after is None)
    if case.retry_after is not None:
        assert error.retry_after == pytest.approx(case.retry_after, abs=5)


@pytest.mark.parametrize("call", [with_urllib, with_aiohttp])
@pytest.mark.parametrize("name", sorted(BODILESS))
def test_headers_alone_are_enough_where_a_client_drops_the_body(
    pipeline: Pipeline, serve: Serve, name: str, call: Callable[[str], None]
) -> None:
    case = CASES[name]
    exception = raised(call, start(serve, case))
    error = classify(pipeline, exception)
    if isinstance(exception, urllib.error.HTTPError):
        exception.close()

    assert (type(error), error.fatal, error.provider, error.http_status) == (
        case.cls,
        case.fatal,
        "github",
        case.status,
    )


def test_a_proxy_page_without_any_json_is_the_service_being_down(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(with_pygithub, serve(502, "<html>Unicorn!</html>")))

    assert (type(error), error.effect, error.provider) == (ToolUnavailableError, "possible", "github")


@pytest.mark.parametrize(
    ("arguments", "resource"),
    [
        ({"repo": "acme/nope"}, "acme/nope"),
        ({"owner": "acme", "repo": "nope"}, "acme/nope"),
        ({"owner": "acme", "repo": "site", "path": "docs/guide.md"}, "docs/guide.md"),
        ({"owner": "acme", "repo": "site", "issue_number": 99}, "acme/site#99"),
        ({"username": "nobody"}, "nobody"),
    ],
)
def test_a_404_names_what_was_asked_for_and_says_that_it_may_be_private(
    pipeline: Pipeline, serve: Serve, arguments: dict[str, object], resource: str
) -> None:
    exception = raised(with_pygithub, serve(404, github_body(404, "Not Found")))
    error = classify(pipeline, exception, **arguments)

    assert error.resource == resource
    assert error.message == f"Resource not found: {resource}, or it is private and not visible with these credentials."
    assert "private" in error.user_message


def test_the_argument_that_the_message_names_is_the_resource(pipeline: Pipeline, serve: Serve) -> None:
    exception = raised(with_pygithub, serve(404, github_body(404, "No commit found for the ref no-such-branch")))
    error = classify(pipeline, exception, owner="acme", repo="site", path="README.md", ref="no-such-branch")

    assert error.resource == "no-such-branch"


def test_without_arguments_the_address_is_the_resource(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(with_requests, serve(404, github_body(404, "Not Found"))))

    assert error.resource == "/repos/acme/nope"


def test_a_person_reads_which_permission_it_takes(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(with_requests, start(serve, CASES["403-permission"])))

    assert error.user_message == "The GitHub token lacks a permission. Required: issues=write."


def test_every_rejected_field_is_a_problem_of_its_own(pipeline: Pipeline, serve: Serve) -> None:
    errors = [
        {"resource": "PullRequest", "field": "base", "code": "invalid"},
        {"resource": "PullRequest", "field": "title", "code": "missing_field"},
        {"resource": "PullRequest", "code": "custom", "message": "No commits between main and main"},
        "a text among them",
    ]
    error = classify(pipeline, raised(with_pygithub, serve(422, github_body(422, "Validation Failed", errors=errors))))

    assert [(one.pointer, one.message) for one in error.problems] == [
        ("/base", "is not valid"),
        ("/title", "is required"),
    ]


@pytest.mark.parametrize(
    ("message", "pointer", "fault"),
    [
        ('"colour" is not a permitted key', "/colour", "unknown"),
        ("For 'properties/labels', {} is not an array", "/labels", "is not valid"),
    ],
)
def test_a_message_that_names_a_field_is_a_problem(
    pipeline: Pipeline, serve: Serve, message: str, pointer: str, fault: str
) -> None:
    error = classify(pipeline, raised(with_pygithub, serve(422, github_body(422, f"Invalid request.\n\n{message}."))))

    assert [(one.pointer, one.message) for one in error.problems] == [(pointer, fault)]


def test_the_host_alone_tells_github(pipeline: Pipeline) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(404, text="nope"))
    with httpx.Client(transport=transport) as client, pytest.raises(httpx.HTTPStatusError) as caught:
        client.get("https://api.github.com/repos/acme/nope").raise_for_status()
    error = classify(pipeline, caught.value)

    assert (error.provider, error.rule) == ("github", "mulligan_github:missing_or_private")


@pytest.mark.parametrize("status", [401, 403, 404, 422, 429, 500])
def test_answers_of_others_are_left_alone(pipeline: Pipeline, serve: Serve, status: int) -> None:
    body = {"message": "Not Found", "documentation_url": "https://docs.example.com"}
    error = classify(pipeline, raised(with_requests, serve(status, body)))

    assert error.provider is None
    assert error.rule is not None
    assert not error.rule.startswith("mulligan_github")


def test_an_address_that_only_mentions_github_is_not_github(pipeline: Pipeline, serve: Serve) -> None:
    url = serve(404, {})
    exception = raised(lambda _: requests.get(f"{url}/api.github.com/repos", timeout=5).raise_for_status(), url)

    assert classify(pipeline, exception).provider is None


def test_a_405_that_is_not_about_merging_is_a_wrong_request(pipeline: Pipeline, serve: Serve) -> None:
    error = classify(pipeline, raised(with_pygithub, serve(405, github_body(405, "Method Not Allowed"))))

    assert (type(error), error.rule, error.provider) == (ToolArgumentError, "mulligan_github:other_status", "github")


def rejected(*errors: object) -> dict[str, Any]:
    return github_body(422, "Validation Failed", errors=list(errors))


@pytest.mark.parametrize(
    ("error", "arguments", "pointer", "fault"),
    [
        ({"field": "name", "code": "custom", "message": "name already exists on this account"}, {}, "/name", "is already taken"),
        ({"field": "body", "code": "custom", "message": "body is too long (maximum is 65536)"}, {}, "/body", "is too long"),
        ({"field": "milestone", "code": "missing", "value": 9}, {}, "/milestone", "refers to something that does not exist"),
        ({"field": "q", "code": "invalid", "message": "The search is longer than 256"}, {"query": "x"}, "/query", "is too long"),
        ({"field": "base", "code": "invalid"}, {"base_branch": "x"}, "/base", "is not valid"),
        ({"field": "label_name", "code": "missing_field"}, {"labelName": ""}, "/labelName", "is required"),
    ],
)  # fmt: skip
def test_a_field_is_pointed_at_in_the_call_s_own_arguments(
    pipeline: Pipeline, serve: Serve, error: object, arguments: dict[str, object], pointer: str, fault: str
) -> None:
    found = classify(pipeline, raised(with_pygithub, serve(422, rejected(error))), **arguments)

    assert [(one.pointer, one.message) for one in found.problems] == [(pointer, fault)]


def test_a_name_that_is_taken_is_one_of_several_faults(pipeline: Pipeline, serve: Serve) -> None:
    body = rejected({"field": "name", "code": "already_exists"}, {"field": "color", "code": "missing_field"})
    error = classify(pipeline, raised(with_pygithub, serve(422, body)))

    assert type(error) is ToolArgumentError
    assert [one.message for one in error.problems] == ["is already taken", "is required"]


@pytest.mark.parametrize(
    ("status", "message", "rule"),
    [
        (405, "Repository rule violations found\n\nChanges must be made through a pull request.", "against_the_rules"),
        (409, "Repository rule violations found\n\nCannot update this protected ref.", "against_the_rules"),
        (422, "Required status check \"ci\" is expected.", "against_the_rules"),
        (409, "Merge conflict", "conflict"),
    ],
)  # fmt: skip
def test_what_the_state_of_a_repository_does_not_allow(
    pipeline: Pipeline, serve: Serve, status: int, message: str, rule: str
) -> None:
    error = classify(pipeline, raised(with_pygithub, serve(status, github_body(status, message))))

    assert (type(error), error.code, error.fatal) == (ResourceConflictError, "FAILED_PRECONDITION", False)
    assert error.rule == f"mulligan_github:{rule}"
    assert "has changed since" not in error.message


def test_an_argument_that_the_message_names_without_its_value_is_the_resource(pipeline: Pipeline, serve: Serve) -> None:
    exception = raised(with_pygithub, serve(404, github_body(404, "Branch not found")))

    assert classify(pipeline, exception, owner="acme", repo="site", path="x", branch_name="dev").resource == "dev"


def test_what_github_says_of_a_field_is_quoted(serve: Serve) -> None:
    url = serve(422, rejected({"field": "base", "code": "custom", "message": "base must be a branch"}))

    def create_pull(base: str) -> None:
        with_pygithub(url)

    with Pipeline([create_pull], plugins=[mulligan_github], autoload=False) as running:
        content = running.call("create_pull", {"base": "x"}).content

    assert "base: base must be a branch" in content
    assert "- /base: was not accepted." in content


@pytest.mark.parametrize(("is_one_request", "effect"), [(True, "none"), (False, "possible")])
def test_a_rejected_request_tells_only_of_itself(serve: Serve, is_one_request: bool, effect: str) -> None:
    """GitHub checks a request before it changes anything; a tool may have made another one before."""
    errors = [{"resource": "Issue", "field": "title", "code": "missing_field"}]
    url = serve(422, {"message": "Validation Failed", "errors": errors}, github_headers())

    def create_issue(text: str) -> None:
        requests.post(url, json={"body": text}, timeout=5).raise_for_status()

    around = [retry(before_effect=True, attempts=1)] if is_one_request else []
    with Pipeline([create_issue], plugins=[mulligan_github], autoload=False, middleware=around) as pipeline:
        result = pipeline.call("create_issue", {"text": "It leaks."})

    assert result.error is not None
    assert (type(result.error), result.error.effect) == (ToolArgumentError, effect)
    assert ("It may have taken effect." in result.content) is not is_one_request
