"""Slack: https://docs.slack.dev/reference/methods. It answers with status 200, `ok: false` and a code under `error`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Effect,
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
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
    status_error,
)

rules = Rules("slack")

_CODES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: """
        account_inactive bad_client_secret invalid_auth invalid_refresh_token not_authed org_login_required
        token_expired token_revoked two_factor_setup_required
    """,
    ToolPermissionError: """
        access_denied accesslimited cant_delete_message cant_invite cant_kick_from_general cant_update_message
        ekm_access_denied enterprise_is_restricted missing_scope no_permission not_allowed not_allowed_token_type
        not_an_admin not_authorized not_in_channel paid_only restricted_action team_access_not_granted user_is_bot
        user_is_restricted user_is_ultra_restricted
    """,
    ResourceConflictError: """
        cant_archive_general cant_invite_self edit_window_closed is_archived is_inactive last_ra_channel name_taken
        not_archived not_pinned not_starred
    """,
    ResourceNotFoundError: "no_channel no_reaction no_such_subteam no_user",
    ToolRateLimitError: "message_limit_exceeded rate_limited ratelimited",
    ToolQuotaError: "over_file_storage_limit storage_limit_reached team_over_storage_limit",
    ToolUnavailableError: "fatal_error internal_error service_unavailable team_added_to_org",
    ToolTimeoutError: "request_timeout",
    ToolArgumentError: """
        blocks_text_mismatch channel_type_not_supported file_deleted json_not_object markdown_text_conflict
        method_not_supported_for_channel_type msg_blocks_too_long msg_too_long no_item_specified no_text
        superfluous_charset time_in_past time_too_far too_long
    """,
    ToolExecutionError: "deprecated_endpoint method_deprecated unknown_method",
}
_CLASS = {code: cls for cls, codes in _CODES.items() for code in codes.split()}
_PATTERNS: tuple[tuple[re.Pattern[str], type[ToolError]], ...] = (
    (re.compile(r"\w+_not_found"), ResourceNotFoundError),
    (re.compile(r"(?:restricted_action|not_allowed|cannot|cant)_\w+|\w+_(?:denied|restricted)"), ToolPermissionError),
    (re.compile(r"already_\w+|name_taken_\w+|\w+_(?:taken|archived)"), ResourceConflictError),
    (re.compile(r"(?:invalid|bad|missing|too_many)_\w+|\w+_(?:too_long|too_large|required|empty)"), ToolArgumentError),
)
_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "Slack rejected the token",
    ToolPermissionError: "Slack denied permission",
    ResourceConflictError: "The current state does not allow this",
    ToolRateLimitError: "Slack's rate limit is reached",
    ToolQuotaError: "Slack's storage is exhausted",
    ToolUnavailableError: "Slack reported an internal error",
    ToolTimeoutError: "Slack did not receive the whole request in time",
    ToolArgumentError: "Slack rejected the arguments",
    ToolExecutionError: "Slack does not support this",
    ResourceNotFoundError: "Slack found no such resource, or none visible to this token",
}
_THING = re.compile(r"(channel|user|file|message|thread|usergroup|team|bookmark|emoji|view|canvas|list)_not_found")
_POINTER = re.compile(r"^(?:\[ERROR\] )?(.{0,100}?)(?::[^\[]*)?\[json-pointer:(/[\w/.-]{1,100})\]")


@rules()
def returned(failure: Failure) -> ToolError | None:
    """An answer with `ok: false` that a tool returned, where its shape or the tool's name says Slack."""
    answer = failure.value
    if not isinstance(answer, Mapping) or answer.get("ok") is not False:
        return None
    if "response_metadata" not in answer and "slack" not in str(failure.tool_name).lower():
        return None
    return _by_code(answer, failure)


@rules("slack_sdk.SlackApiError")
def answered(failure: Failure) -> ToolError:
    """A code that Slack answered with; where there is none, such as in a proxy's page, the status."""
    answer = failure.look("response", "data") or failure.look("response")
    told = _by_code(answer, failure) if isinstance(answer, Mapping) else None
    if told is None and failure.status is not None:
        return status_error(failure)
    return told or ToolExecutionError("The Slack call failed.")


def _by_code(answer: Mapping[str, Any], failure: Failure) -> ToolError | None:
    code = answer.get("error")
    if not isinstance(code, str):
        return None
    cls = _CLASS.get(code) or next((cls for pattern, cls in _PATTERNS if pattern.fullmatch(code)), None)
    return None if cls is None else _error(cls, code, answer, failure)


def _error(cls: type[ToolError], code: str, answer: Mapping[str, Any], failure: Failure) -> ToolError:
    error = cls(f"{_MESSAGES[cls]} ({code}).", http_status=failure.status, effect=_effect(cls))
    if cls is ResourceNotFoundError:
        error.resource = _thing(code, failure)
        error.message = f"Resource not found: {error.resource}" if error.resource else error.message
    elif cls is ToolArgumentError:
        error.problems = _problems(code, answer)
    elif cls is ToolRateLimitError:
        error.retry_after = _wait(answer, failure)
    elif cls is ResourceConflictError and ("already" in code or "taken" in code):
        error.code = "ALREADY_EXISTS"
    elif code == "missing_scope":
        error.user_message = f"The Slack token lacks a scope: {answer.get('needed')}."
    return error


def _effect(cls: type[ToolError]) -> Effect:
    """Slack says of its own failures that a part may have been done."""
    return "possible" if cls in (ToolUnavailableError, ToolTimeoutError, ToolExecutionError) else "none"


def _thing(code: str, failure: Failure) -> str | None:
    """The argument that is named like what was not found, such as `channel` or `channel_id`."""
    arguments = failure.arguments or {}
    told = _THING.search(code)
    names = (told[1], f"{told[1]}_id", f"{told[1]}_name") if told else ()
    named = (arguments.get(name) for name in names)
    found = next((value for value in named if isinstance(value, str) and value), None)
    return found or failure.resource


def _problems(code: str, answer: Mapping[str, Any]) -> list[Problem]:
    """The pointers of `response_metadata.messages`; else the argument that the code names."""
    metadata = answer.get("response_metadata")
    messages = metadata.get("messages") if isinstance(metadata, Mapping) else None
    found = [told for one in (messages or ())[:20] if isinstance(one, str) and (told := _POINTER.match(one))]
    if found:
        return [Problem(told[2], "is missing" if "missing" in told[1] else "is not accepted") for told in found]
    named = {"no_text": "text", "msg_too_long": "text", "invalid_blocks": "blocks", "time_in_past": "post_at"}
    field = named.get(code) or (code.removeprefix("invalid_") if code.startswith("invalid_") else None)
    return [Problem(f"/{field}", "is not accepted")] if field and field not in ("arguments", "args", "json") else []


def _wait(answer: Mapping[str, Any], failure: Failure) -> float | None:
    if failure.retry_after is not None:
        return failure.retry_after
    headers = answer.get("headers")
    told = {str(name).lower(): value for name, value in headers.items()} if isinstance(headers, Mapping) else {}
    wait = str(told.get("retry-after", ""))
    return float(wait) if wait.isdecimal() else None


@rules("slack_sdk.SlackTokenRotationError")
def rotation(_: Failure) -> ToolError:
    """The token could not be renewed."""
    return ToolAuthenticationError("The Slack token could not be renewed.")


@rules("slack_sdk.BotUserAccessError")
def bot(_: Failure) -> ToolError:
    """A method that bots may not call."""
    return ToolPermissionError("Slack does not allow this to a bot.")


@rules("slack_sdk.SlackClientNotConnectedError")
def not_connected(_: Failure) -> ToolError:
    """The connection for events is closed."""
    message = "The connection to Slack is closed."
    return ToolConnectionError(message, fatal=False, transient=True, effect="none")


@rules("slack_sdk.SlackRequestError", "slack_sdk.SlackObjectFormationError")
def request(_: Failure) -> ToolError:
    """Arguments that the client itself refuses: nothing was sent."""
    return ToolArgumentError("The Slack client rejected the arguments.")


@rules("slack_sdk.SlackClientConfigurationError")
def configuration(_: Failure) -> ToolError:
    """The client is not set up right."""
    return ToolExecutionError("The Slack client is misconfigured.", effect="none")
