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
    ToolAuthenticationError: """account_inactive bad_client_secret invalid_auth invalid_refresh_token not_authed org_login_required
        token_expired token_revoked two_factor_setup_required""",
    ToolPermissionError: """access_denied accesslimited cant_delete_message cant_invite cant_kick_from_general cant_update_message
        ekm_access_denied enterprise_is_restricted missing_scope no_permission not_allowed not_allowed_token_type not_an_admin
        not_authorized not_in_channel paid_only restricted_action team_access_not_granted user_is_bot user_is_restricted
        user_is_ultra_restricted""",
    ResourceConflictError: """already_archived already_in_channel already_invited already_pinned already_reacted already_starred
        cant_archive_general channel_is_archived duplicate_message_not_found edit_window_closed is_archived is_inactive name_taken
        not_archived not_pinned not_starred cant_invite_self last_ra_channel""",
    ToolRateLimitError: "rate_limited ratelimited message_limit_exceeded",
    ToolQuotaError: "over_file_storage_limit storage_limit_reached team_over_storage_limit",
    ToolUnavailableError: "fatal_error internal_error service_unavailable team_added_to_org",
    ToolTimeoutError: "request_timeout",
    ToolArgumentError: """blocks_text_mismatch channel_type_not_supported file_deleted json_not_object markdown_text_conflict
        method_not_supported_for_channel_type missing_argument missing_charset missing_file_data missing_post_type missing_recipient
        missing_required_argument msg_blocks_too_long msg_too_long no_text superfluous_charset time_in_past time_too_far too_long
        too_many_attachments too_many_contact_cards too_many_emoji too_many_reactions too_many_users""",
    ToolExecutionError: "deprecated_endpoint method_deprecated unknown_method",
    ResourceNotFoundError: "no_channel no_item_specified no_reaction no_such_subteam no_user",
}
_CLASS = {code: cls for cls, codes in _CODES.items() for code in codes.split()}
_PATTERNS: tuple[tuple[re.Pattern[str], type[ToolError]], ...] = (
    (re.compile(r"\w+_not_found"), ResourceNotFoundError),
    (re.compile(r"(?:restricted_action|not_allowed|cannot|cant)_\w+|\w+_(?:denied|restricted|not_allowed)"), ToolPermissionError),
    (re.compile(r"already_\w+|name_taken_\w+|\w+_(?:taken|archived)"), ResourceConflictError),
    (re.compile(r"(?:invalid|bad|missing|too_many)_\w+|\w+_(?:too_long|too_large|too_short|required|empty)"), ToolArgumentError),
)
_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "Slack rejected the token",
    ToolPermissionError: "Slack refused permission",
    ResourceConflictError: "The present state does not allow it",
    ToolRateLimitError: "Slack limits how often it may be called",
    ToolQuotaError: "Slack's storage is used up",
    ToolUnavailableError: "Slack failed on its side",
    ToolTimeoutError: "Slack did not get the whole request in time",
    ToolArgumentError: "Slack does not accept the arguments",
    ToolExecutionError: "Slack does not do this",
    ResourceNotFoundError: "Slack found no such thing, or none that this token may see",
}
_THINGS = ("channel", "user", "file", "message", "thread", "usergroup", "team", "bookmark", "emoji", "reaction", "view", "canvas", "list")
_POINTER = re.compile(r"^(?:\[ERROR\] )?(.{0,100}?)(?::[^\[]*)?\[json-pointer:(/[\w/.-]{1,100})\]")


@rules()
def answered(failure: Failure) -> ToolError | None:
    """A code that Slack answered with, raised as `SlackApiError` or returned as `ok: false`."""
    if not failure.matches("slack_sdk.SlackApiError") and failure.exception is not None:
        return None
    code = failure.look("response", "data", "error") or failure.look("data", "error") or failure.look("error")
    if not isinstance(code, str) or _answer(failure).get("ok") is not False:
        return status_error(failure) if failure.status is not None and failure.matches("slack_sdk.SlackApiError") else None
    cls = _meaning(code)
    if cls is None:
        return ToolExecutionError("Slack could not do this.") if failure.exception is not None else None
    return _error(cls, code, failure)


def _answer(failure: Failure) -> Mapping[str, Any]:
    answer = failure.look("response", "data") or failure.look("data") or failure.value
    return answer if isinstance(answer, Mapping) else {}


def _meaning(code: str) -> type[ToolError] | None:
    return _CLASS.get(code) or next((cls for pattern, cls in _PATTERNS if pattern.fullmatch(code)), None)


def _error(cls: type[ToolError], code: str, failure: Failure) -> ToolError:
    if failure.exception is None and code not in _CLASS and not code.endswith("_not_found"):
        return ToolExecutionError("The service could not do this.")
    error = cls(f"{_MESSAGES[cls]} ({code}).", http_status=failure.status, effect=_effect(cls))
    if cls is ResourceNotFoundError:
        error.resource = _thing(code, failure)
        error.message = f"Resource not found: {error.resource}" if error.resource else error.message
    elif cls is ToolArgumentError:
        error.problems = _problems(code, _answer(failure))
    elif cls is ToolRateLimitError:
        error.retry_after = _wait(failure)
    elif cls is ResourceConflictError and ("already" in code or "taken" in code):
        error.code = "ALREADY_EXISTS"
    elif code == "missing_scope":
        error.user_message = f"The Slack token lacks a scope: {_answer(failure).get('needed')}."
    return error


def _effect(cls: type[ToolError]) -> Effect:
    """Slack says of its own failures that a part may have been done."""
    return "possible" if cls in (ToolUnavailableError, ToolTimeoutError, ToolExecutionError) else "none"


def _thing(code: str, failure: Failure) -> str | None:
    """The argument that is named like what was not found, such as `channel` or `channel_id`."""
    arguments = failure.arguments or {}
    thing = next((one for one in _THINGS if one in code), None)
    named = (arguments.get(name) for name in (thing, f"{thing}_id", f"{thing}_name"))
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


def _wait(failure: Failure) -> float | None:
    if failure.retry_after is not None:
        return failure.retry_after
    headers = _answer(failure).get("headers")
    told = headers.get("Retry-After") or headers.get("retry-after") if isinstance(headers, Mapping) else None
    return float(told) if str(told).isdigit() else None


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
    return ToolArgumentError("The Slack client does not accept the arguments.")


@rules("slack_sdk.SlackClientConfigurationError")
def configuration(_: Failure) -> ToolError:
    """The client is not set up right."""
    return ToolExecutionError("The Slack client is not set up right.", effect="none")
