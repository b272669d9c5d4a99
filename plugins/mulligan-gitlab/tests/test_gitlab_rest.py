"""REST answers: python-gitlab against a server that answers as GitLab documents it."""

import mulligan_gitlab
import pytest
from conftest import (
    Classify,
    client,
    create_file,
    create_issue,
    create_merge_request,
    get_file,
    get_merge_request,
    list_without_waiting,
    merge,
    project,
)
from mulligan_testkit.loopback import Serve

from mulligan import Pipeline, Tool, ToolCall
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolUnavailableError,
)

FILE = {"project": "team/app", "file_path": "src/a.py", "branch": "mian"}
HIDDEN = "or not visible with these credentials."


@pytest.mark.parametrize(
    ("status", "cls", "fatal", "effect"),
    [
        (400, ToolArgumentError, False, "none"),
        (401, ToolAuthenticationError, True, "none"),
        (403, ToolPermissionError, True, "none"),
        (404, ResourceNotFoundError, False, "none"),
        (409, ResourceConflictError, False, "none"),
        (412, ResourceConflictError, False, "none"),
        (422, ToolArgumentError, False, "none"),
        (500, ToolUnavailableError, False, "possible"),
        (502, ToolUnavailableError, False, "possible"),
        (503, ToolUnavailableError, False, "possible"),
    ],
)
def test_an_answer_by_status(answer: Classify, status: int, cls: type, fatal: bool, effect: str) -> None:
    error = answer(create_issue, status, {"message": f"{status} No"}, {"title": "x"})

    assert (type(error), error.fatal, error.effect, error.http_status) == (cls, fatal, effect, status)
    assert (error.provider, error.rule) == ("gitlab", "mulligan_gitlab:answered")


@pytest.mark.parametrize(
    ("call", "kind", "arguments", "resource", "message"),
    [
        (project, "404 Project Not Found", {"project": "team/nope"}, "team/nope", "project team/nope"),
        (project, "404 Project Not Found", {"repo": "team/nope", "ref": "x"}, "team/nope", "project team/nope"),
        (get_file, "404 File Not Found", {"project": "a/b", "file_path": "src/a.py"}, "src/a.py", "file src/a.py"),
        (get_file, "404 Commit Not Found", {"path": "src/a.py", "ref": "mian"}, "mian", "commit mian"),
        (get_file, "404 Branch Not Found", {"path": "src/a.py", "branch": "mian"}, "mian", "branch mian"),
        (get_merge_request, "404 Not found", {"project_id": "a/b", "mr_iid": 7}, "7", "mr_iid 7"),
        (get_merge_request, "404 Merge Request Not Found", {"project": "a/b", "mr_iid": 7}, "7", "merge request 7"),
        (project, "404 Not Found", {"project": "team/nope"}, "team/nope", "team/nope"),
        (project, "404 Group Not Found", {"namespace": "team"}, "team", "group team"),
        (create_issue, "404 Epic Not Found", {"title": "x"}, None, "epic"),
    ],
)
def test_the_missing_resource_is_the_argument_of_its_kind(
    answer: Classify, call: object, kind: str, arguments: dict, resource: str | None, message: str
) -> None:
    error = answer(call, 404, {"message": kind}, arguments)

    assert (type(error), error.resource) == (ResourceNotFoundError, resource)
    assert error.message == f"Resource not found: {message}, {HIDDEN}"


def test_a_missing_resource_that_nothing_names(answer: Classify) -> None:
    error = answer(create_issue, 404, {"error": "404 Not Found"}, {"weight": 3, "labels": ["y"]})

    assert error.message == "GitLab found no such resource, or none visible with these credentials."


@pytest.mark.parametrize(
    ("body", "arguments", "problems"),
    [
        ({"error": "title is missing"}, {"project": 1}, [("/title", "missing", None)]),
        (
            {"error": "title is missing, state_event does not have a valid value"},
            {"state_event": "open"},
            [("/title", "missing", None), ("/state_event", "rejected by GitLab", '"open"')],
        ),
        (
            {"error": "labels, title are missing, at least one parameter must be provided"},
            {},
            [("/labels", "missing", None), ("/title", "missing", None)],
        ),
        (
            {"error": "actions[0][file_path] is empty"},
            {"actions": [{"file_path": ""}]},
            [("/actions/0/file_path", "missing", '""')],
        ),
        ({"message": {"title": ["can't be blank"]}}, {}, [("/title", "missing", None)]),
        (
            {"message": {"title": ["is too long (maximum is 255 characters)"]}},
            {"title": "xxx"},
            [("/title", "rejected by GitLab", '"xxx"')],
        ),
        (
            {"message": {"project_namespace.name": ["can contain only letters"]}},
            {"name": "a!"},
            [("/name", "rejected by GitLab", '"a!"')],
        ),
        (
            {"message": {"merge_access_level": ["is invalid"]}},
            {"mergeAccessLevel": 3},
            [("/mergeAccessLevel", "rejected by GitLab", "3")],
        ),
        ({"message": {"base": ["Something else is wrong."]}}, {"title": "x"}, []),
    ],
)
def test_the_rejected_fields_are_problems(answer: Classify, body: object, arguments: dict, problems: list) -> None:
    error = answer(create_issue, 400, body, arguments)

    assert type(error) is ToolArgumentError
    assert [(one.pointer, one.message, one.got) for one in error.problems] == problems


@pytest.mark.parametrize(
    ("call", "status", "message", "cls", "code", "resource"),
    [
        (
            create_merge_request,
            409,
            ["Another open merge request already exists for this source branch: !12"],
            ResourceConflictError,
            "ALREADY_EXISTS",
            "!12",
        ),
        (create_file, 400, "A file with this name already exists", ResourceConflictError, "ALREADY_EXISTS", "src/a.py"),
        (create_file, 400, "A file with this name doesn't exist", ResourceNotFoundError, "NOT_FOUND", "src/a.py"),
        (create_file, 400, "Invalid reference name: mian", ResourceNotFoundError, "NOT_FOUND", "mian"),
        (create_file, 400, "Target mian is invalid", ResourceNotFoundError, "NOT_FOUND", "mian"),
        (
            create_file,
            400,
            "You can only create or edit files when you are on a branch",
            ResourceNotFoundError,
            "NOT_FOUND",
            "mian",
        ),
        (
            create_file,
            400,
            "You are attempting to update a file that has changed since you started editing it.",
            ResourceConflictError,
            "ABORTED",
            "src/a.py",
        ),
        (
            create_file,
            400,
            {"base": ["Maximum number of project hooks (100) exceeded"]},
            ResourceConflictError,
            "FAILED_PRECONDITION",
            "src/a.py",
        ),
    ],
)
def test_a_message_says_more_than_its_status(
    answer: Classify, call: object, status: int, message: object, cls: type, code: str, resource: str
) -> None:
    error = answer(call, status, {"message": message}, FILE)

    assert (type(error), error.code, error.resource, error.fatal) == (cls, code, resource, False)
    assert error.effect == "none"


def test_what_exists_is_named(answer: Classify) -> None:
    body = {"message": ["Another open merge request already exists for this source branch: !12"]}

    assert answer(create_merge_request, 409, body).message == (
        "GitLab reports that the resource already exists (HTTP 409): !12"
    )


def test_a_name_that_is_taken_is_a_conflict_with_its_fields(answer: Classify) -> None:
    error = answer(create_issue, 400, {"message": {"name": ["has already been taken"]}}, {"name": "app"})

    assert (type(error), error.code) == (ResourceConflictError, "ALREADY_EXISTS")
    assert [one.pointer for one in error.problems] == ["/name"]


@pytest.mark.parametrize("status", [405, 406, 422])
def test_a_merge_request_that_cannot_be_merged_now(answer: Classify, status: int) -> None:
    error = answer(merge, status, {"message": "405 Method Not Allowed"}, {"mr_iid": 7})

    assert (type(error), error.code, error.effect) == (ResourceConflictError, "FAILED_PRECONDITION", "none")
    assert error.message == (
        "GitLab cannot merge it now: it may have conflicts, be a draft or closed, or lack approvals or a pipeline "
        f"(HTTP {status})."
    )


def test_a_merge_request_that_has_new_commits(answer: Classify) -> None:
    error = answer(merge, 409, {"message": "SHA does not match HEAD of source branch: 8888"}, {"mr_iid": 7})

    assert (error.code, error.message) == ("ABORTED", "It has changed since: read its current state first (HTTP 409).")


def test_a_method_that_is_not_allowed_elsewhere_is_no_merge(answer: Classify) -> None:
    assert type(answer(create_issue, 405, {"message": "405 Method Not Allowed"})) is ToolArgumentError


def test_a_merge_without_the_right_to_merge_may_look_like_a_wrong_token(answer: Classify) -> None:
    error = answer(merge, 401, {"message": "401 Unauthorized"}, {"mr_iid": 7})

    assert (type(error), error.fatal) == (ToolAuthenticationError, True)
    assert (
        error.user_message == "GitLab rejected the token, or the account may not merge or approve this merge request."
    )


def test_a_token_that_was_revoked(answer: Classify) -> None:
    error = answer(project, 401, {"error": "invalid_token", "error_description": "Token was revoked."})

    assert (type(error), error.message) == (ToolAuthenticationError, "GitLab rejected the credentials (HTTP 401).")


def test_a_person_reads_which_scope_is_missing(answer: Classify) -> None:
    body = {"error": "insufficient_scope", "error_description": "The request requires more.", "scope": "api"}
    error = answer(create_issue, 403, body)

    assert (type(error), error.fatal, error.message) == (ToolPermissionError, True, "The GitLab token lacks a scope.")
    assert error.user_message == "The GitLab token lacks a scope: api."


def test_a_branch_that_may_not_be_pushed_to_does_not_end_the_run(answer: Classify) -> None:
    error = answer(create_file, 400, {"message": "You are not allowed to push into this branch"}, FILE)

    assert (type(error), error.fatal, error.resource) == (ToolPermissionError, False, "mian")


@pytest.mark.parametrize("words", ["403 Forbidden - Job is not retryable", "403 Forbidden - Job is not playable"])
def test_a_job_in_the_wrong_state_is_no_lack_of_permission(answer: Classify, words: str) -> None:
    error = answer(lambda gl: gl.projects.get(1, lazy=True).jobs.get(3, lazy=True).retry(), 403, {"message": words})

    assert (type(error), error.fatal) == (ResourceConflictError, False)


@pytest.mark.parametrize(
    "words",
    [
        "Your changes could not be committed, because this repository has exceeded its size limit of 10 GiB by 1 GiB",
        "Your push has been rejected, because the namespace storage limit of 10 GiB has been reached.",
    ],
)
def test_a_storage_that_is_full(answer: Classify, words: str) -> None:
    error = answer(create_file, 400, {"message": words}, FILE)

    assert (type(error), error.fatal, error.effect) == (ToolQuotaError, True, "none")


@pytest.mark.parametrize(
    "body", ["Retry later", {"message": {"error": "This endpoint has been requested too many times. Try again later."}}]
)
def test_the_rate_limit(answer: Classify, body: object) -> None:
    error = answer(list_without_waiting, 429, body)

    assert (type(error), error.fatal, error.message) == (
        ToolRateLimitError,
        False,
        "The rate limit of GitLab is reached (HTTP 429).",
    )


def test_a_lock_that_another_request_holds(answer: Classify) -> None:
    error = answer(create_issue, 409, {"message": "409 Conflict: Resource lock"})

    assert (type(error), error.code, error.transient) == (ResourceConflictError, "ABORTED", True)


def test_a_page_of_a_proxy(answer: Classify) -> None:
    page = "<html><head><title>GitLab is not responding</title></head><body><h1>502</h1></body></html>"
    error = answer(create_issue, 502, page)

    assert (type(error), error.message) == (ToolUnavailableError, "GitLab is temporarily unavailable (HTTP 502).")


@pytest.mark.parametrize(
    "body",
    [
        {"message": [{"name": 3}, None]},
        {"message": {"name": {"a": 1}}},
        {"message": 7, "error": None},
        [{"message": "no"}],
        '["a"]',
        "{",
        "",
    ],
)
def test_a_body_of_another_shape_counts_by_its_status(answer: Classify, body: object) -> None:
    assert type(answer(create_issue, 400, body, {"name": "x"})) is ToolArgumentError


def test_the_model_reads_what_gitlab_says_of_each_field(serve: Serve) -> None:
    url = serve(400, {"message": {"title": ["is too long (maximum is 255 characters)"]}})
    tool = Tool.from_schema("create", "", {"type": "object"}, lambda **_: create_issue(client(url)))
    with Pipeline([tool], plugins=[mulligan_gitlab], autoload=False) as pipeline:
        text = pipeline.call(ToolCall("c1", "create", {"title": "xxx"})).content

    assert "/title" in text
    assert "is too long (maximum is 255 characters)" in text
    assert "glpat-secret" not in text
