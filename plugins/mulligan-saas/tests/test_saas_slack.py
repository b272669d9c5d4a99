"""Slack, through slack_sdk and as returned answers."""

import asyncio

import pytest
import slack_sdk
import slack_sdk.errors
import slack_sdk.web.async_client
from conftest import Classify
from saas_server import Serve, raised

from mulligan import Pipeline
from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

CODES: dict[type[ToolError], str] = {
    ToolAuthenticationError: "invalid_auth not_authed token_revoked token_expired account_inactive two_factor_setup_required",
    ToolPermissionError: "missing_scope not_in_channel restricted_action restricted_action_read_only_channel no_permission",
    ResourceNotFoundError: "channel_not_found user_not_found users_not_found message_not_found file_not_found no_reaction",
    ResourceConflictError: "already_reacted already_pinned already_in_channel name_taken is_archived not_pinned",
    ToolRateLimitError: "ratelimited rate_limited",
    ToolQuotaError: "over_file_storage_limit",
    ToolArgumentError: "invalid_arguments invalid_blocks no_text msg_too_long too_many_attachments missing_post_type",
    ToolUnavailableError: "internal_error fatal_error service_unavailable",
    ToolTimeoutError: "request_timeout",
    ToolExecutionError: "unknown_method method_deprecated cannot_create_dialog",
}
FATAL = (ToolAuthenticationError, ToolPermissionError, ToolQuotaError)


def post(url: str) -> object:
    client = slack_sdk.WebClient(token="x", base_url=f"{url}/api/", timeout=5)
    return lambda: client.chat_postMessage(channel="C0NOPE", text="hello")


def apost(url: str) -> object:
    async def send() -> None:
        client = slack_sdk.web.async_client.AsyncWebClient(token="x", base_url=f"{url}/api/", timeout=5)
        await client.chat_postMessage(channel="C0NOPE", text="hello")

    return lambda: asyncio.run(send())


@pytest.mark.parametrize("send", [post, apost])
@pytest.mark.parametrize(("code", "cls"), [(code, cls) for cls, codes in CODES.items() for code in codes.split()])
def test_the_code_decides(classify: Classify, serve: Serve, code: str, cls: type, send: object) -> None:
    error = classify(raised(send(serve(200, {"ok": False, "error": code}))))

    assert (type(error), error.fatal, error.provider) == (cls, cls in FATAL, "slack")
    assert error.rule == "mulligan_saas:answered"


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        ("cannot_parse", ToolArgumentError),
        ("cannot_find_message", ResourceNotFoundError),
        ("cannot_find_channel", ResourceNotFoundError),
        ("cannot_create_dialog", ToolExecutionError),
        ("name_already_exists", ResourceConflictError),
        ("handle_already_exists", ResourceConflictError),
        ("hash_conflict", ResourceConflictError),
        ("not_found", ResourceNotFoundError),
        ("too_large", ToolArgumentError),
        ("team_quota_exceeded", ToolQuotaError),
        ("invalid_token", ToolAuthenticationError),
        ("bad_token", ToolAuthenticationError),
    ],
)
def test_codes_that_a_loose_pattern_once_took(classify: Classify, serve: Serve, code: str, cls: type) -> None:
    error = classify(raised(post(serve(200, {"ok": False, "error": code}))))

    assert (type(error), error.fatal) == (cls, cls in FATAL)


@pytest.mark.parametrize("code", ["cannot_add_bot", "cant_kick_self", "user_cannot_create_channel", "name_not_allowed"])
def test_a_word_alone_never_ends_the_run(classify: Classify, serve: Serve, code: str) -> None:
    assert not classify(raised(post(serve(200, {"ok": False, "error": code})))).fatal


def test_a_code_of_tomorrow_is_left_to_mulligan(classify: Classify, serve: Serve) -> None:
    unknown, read = (
        classify(raised(post(serve(200, {"ok": False, "error": code})))) for code in ("wobbly", "quota_exhausted")
    )

    assert (type(unknown), unknown.rule, unknown.provider) == (ToolExecutionError, "mulligan_saas:other", "slack")
    assert (type(read), read.provider) == (ToolQuotaError, "slack")


def test_a_message_names_slack_and_the_code(classify: Classify, serve: Serve) -> None:
    error = classify(raised(post(serve(200, {"ok": False, "error": "invalid_auth"}))))

    assert error.message == "Slack rejected the token (invalid_auth)."


@pytest.mark.parametrize("send", [post, apost])
def test_the_rate_limit_tells_how_long(classify: Classify, serve: Serve, send: object) -> None:
    url = serve(429, {"ok": False, "error": "ratelimited"}, {"Retry-After": "20"})
    error = classify(raised(send(url)))

    assert (type(error), error.retry_after, error.http_status) == (ToolRateLimitError, 20.0, 429)


def test_the_argument_of_that_name_was_not_found(classify: Classify, serve: Serve) -> None:
    exception = raised(post(serve(200, {"ok": False, "error": "channel_not_found"})))
    error = classify(exception, text="hello", channel="C0NOPE")

    assert (error.resource, error.message) == ("C0NOPE", "Resource not found: C0NOPE")
    assert classify(exception, user_id="U1", channel_id="C0NOPE").resource == "C0NOPE"


def test_pointers_that_slack_names(classify: Classify, serve: Serve) -> None:
    messages = [
        "[ERROR] missing required field: channel [json-pointer:/channel]",
        "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ]
    body = {"ok": False, "error": "invalid_arguments", "response_metadata": {"messages": messages}}
    error = classify(raised(post(serve(200, body))))

    assert [(one.pointer, one.message) for one in error.problems] == [
        ("/channel", "is missing"),
        ("/blocks/0/text/text", "is not accepted"),
    ]


@pytest.mark.parametrize(
    ("code", "pointer"), [("no_text", "/text"), ("invalid_blocks", "/blocks"), ("invalid_cursor", "/cursor")]
)
def test_a_code_that_names_the_argument(classify: Classify, serve: Serve, code: str, pointer: str) -> None:
    error = classify(raised(post(serve(200, {"ok": False, "error": code}))))

    assert [problem.pointer for problem in error.problems] == [pointer]


def test_what_exists_already_says_so(classify: Classify, serve: Serve) -> None:
    assert classify(raised(post(serve(200, {"ok": False, "error": "already_pinned"})))).code == "ALREADY_EXISTS"


def test_a_part_may_have_been_done_where_slack_failed(classify: Classify, serve: Serve) -> None:
    assert classify(raised(post(serve(200, {"ok": False, "error": "fatal_error"})))).effect == "possible"
    assert classify(raised(post(serve(200, {"ok": False, "error": "is_archived"})))).effect == "none"


def test_a_person_reads_which_scope_is_missing(classify: Classify, serve: Serve) -> None:
    body = {"ok": False, "error": "missing_scope", "needed": "chat:write", "provided": "users:read"}
    error = classify(raised(post(serve(200, body))))

    assert error.user_message == "The Slack token lacks a scope: chat:write."


def test_a_page_instead_of_an_answer_is_known_by_its_status(classify: Classify, serve: Serve) -> None:
    error = classify(raised(post(serve(503, "<html>down</html>"))))

    assert (type(error), error.http_status, error.provider) == (ToolUnavailableError, 503, "slack")


def test_a_returned_answer_whose_shape_is_slacks(classify: Classify) -> None:
    body = {"ok": False, "error": "invalid_arguments", "response_metadata": {"messages": []}}

    assert (type(classify(body)), classify(body).provider) == (ToolArgumentError, "slack")


def test_a_returned_answer_of_a_tool_named_after_slack(pipeline: Pipeline) -> None:
    body = {"ok": False, "error": "ratelimited", "headers": {"Retry-After": "20"}}
    error = pipeline.classify(body, tool="slack_post_message")

    assert error is not None
    assert (type(error), error.retry_after, error.provider) == (ToolRateLimitError, 20.0, "slack")


def test_a_returned_answer_of_anyone_else_is_left_alone(classify: Classify) -> None:
    assert classify({"ok": False, "error": "user_not_found"}).provider is None


@pytest.mark.parametrize(
    ("exception", "cls", "fatal"),
    [
        (slack_sdk.errors.BotUserAccessError("no"), ToolPermissionError, True),
        (slack_sdk.errors.SlackClientNotConnectedError("no"), ToolConnectionError, False),
        (slack_sdk.errors.SlackObjectFormationError("no"), ToolArgumentError, False),
        (slack_sdk.errors.SlackClientConfigurationError("no"), ToolExecutionError, False),
    ],
)
def test_what_the_client_itself_raises(classify: Classify, exception: Exception, cls: type, fatal: bool) -> None:
    error = classify(exception)

    assert (type(error), error.fatal, error.provider) == (cls, fatal, "slack")


def test_a_file_that_is_neither_path_nor_bytes(classify: Classify, dead: str) -> None:
    client = slack_sdk.WebClient(token="x", base_url=f"{dead}/api/")
    error = classify(raised(lambda: client.files_upload_v2(filename="a", file=42, channel="C1")))

    assert (type(error), error.effect) == (ToolArgumentError, "none")


def test_a_token_that_cannot_be_renewed(classify: Classify, serve: Serve) -> None:
    answered = raised(post(serve(200, {"ok": False, "error": "invalid_refresh_token"})))
    error = classify(slack_sdk.errors.SlackTokenRotationError(answered))

    assert (type(error), error.fatal) == (ToolAuthenticationError, True)


def test_an_answer_without_a_code_is_an_execution_error(classify: Classify, serve: Serve) -> None:
    error = classify(raised(post(serve(200, {"ok": False}))))

    assert (type(error), error.message) == (ToolExecutionError, "The Slack call failed.")
