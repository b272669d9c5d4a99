"""Slack, which reports failures with status 200, `ok: false` and a code under `error`.

https://docs.slack.dev/reference/methods lists the codes of each method. `tests/published/slack.txt` is the list of 2020;
the words below were also checked against the codes of 2026.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    argument_named_in,
    pointer_to,
    reason_error,
    status_error,
)
from mulligan.plugin import meanings as m

rules = Rules("slack")
last = Rules("slack", last=True)
SERVICE = "Slack"

TOKEN = m.AUTHENTICATION._replace(message="The service rejected the token")
SECRET = m.AUTHENTICATION._replace(message="The service rejected the client's credentials")
DENIED = m.PERMISSION._replace(message="The service does not allow this to the account here", fatal=False)
MISSING = m.NOT_FOUND._replace(message="The service found no such resource, or none visible to this token")
STORAGE = m.QUOTA._replace(message="The storage or quota of the service is exhausted")
DONE = m.CONFLICT._replace(message="The service reports that this is already so", code="ALREADY_EXISTS")
DISABLED = m.CONFLICT._replace(message="The service has this feature disabled")
LATE = m.TIMEOUT._replace(message="The service did not receive the whole request in time")

codes = Codes(
    {
        TOKEN: """
            account_inactive bad_token cannot_auth_user invalid_auth invalid_token no_tokens_found not_authed
            not_bearer_token org_login_required sudo_required token_expired token_not_found token_revoked
            two_factor_setup_required
        """,
        SECRET: """
            access_token_exchange_failed auth_mismatch bad_client_secret client_id_token_mismatch invalid_client
            invalid_client_id invalid_code invalid_code_verifier invalid_grant invalid_refresh_token
            no_refresh_token token_already_exchanged
        """,
        m.PERMISSION: """
            access_denied accesslimited admin_unauthorized ekm_access_denied enterprise_is_restricted missing_scope
            no_access no_permission no_perms not_admin not_allowed not_allowed_token_type not_an_admin not_an_owner
            not_app_admin not_authorized not_in_channel not_owner not_paid not_permitted paid_only paid_teams_only
            permission_denied plan_upgrade_required restricted_plan_level team_access_not_granted upgrade_required
            user_is_restricted user_is_ultra_restricted user_must_be_admin
        """,
        DENIED: """
            cant_delete cant_delete_file cant_delete_message cant_invite cant_kick_from_general cant_update_message
            compliance_exports_prevent_deletion invitee_cant_see_channel invitor_cannot_see_channel user_is_bot
        """,
        MISSING: """
            canvas_deleted file_deleted file_is_deleted no_channel no_pin no_reaction no_such_subteam no_user
            not_found not_visible record_deleted template_not_visible user_not_visible
        """,
        m.CONFLICT: """
            cant_archive_general cant_invite_self default_org_wide_channel edit_window_closed is_archived
            is_inactive last_member last_ra_channel leaving_team_not_in_channel no_active_sessions
            no_bot_user_for_app no_channel_memberships no_local_user_on_team no_teams_to_disconnect not_archived
            not_pinned not_starred parent_with_link restricted_action_thread_locked
        """,
        m.RATE_LIMIT: "message_limit_exceeded rate_limited ratelimited sent_recently",
        STORAGE: "over_file_storage_limit storage_limit_reached team_over_storage_limit team_quota_exceeded",
        m.LIMIT_REACHED: "restricted_too_many ura_max_channels",
        m.UNAVAILABLE: "data_not_available fatal_error internal_error service_unavailable team_added_to_org",
        m.FAILED: "cannot_create_dialog cannot_fetch_versions cannot_prompt partial_failure unknown_error",
        LATE: "request_timeout",
        m.UNIMPLEMENTED: """
            deprecated_endpoint method_deprecated method_not_found method_not_supported not_implemented
            not_supported unknown_method
        """,
        m.TOO_LARGE: "attachment_payload_limit_exceeded over_pagination_limit too_large",
        m.ARGUMENT: """
            blocks_text_mismatch error_lower_case_names_only error_no_image insecure_request json_not_object
            markdown_text_conflict method_not_supported_for_channel_type no_text not_enough_users
            superfluous_charset time_in_past time_too_far url_in_message
        """,
    },
    words=(
        (MISSING, "_not_found$|^cannot_find_"),
        (m.EXISTS, r"taken|_exists|^duplicate_|username_same"),
        (DONE, "already|_used$"),
        (m.RATE_LIMIT, "rate_?limit|too_many_requests"),
        (m.TOO_LARGE, "too_(large|big)"),
        (m.LIMIT_REACHED, "_limit_(reached|exceeded)|_exceeded$|^over_"),
        (m.BUSY, "_in_progress$|_migrating$|_incomplete$|_not_yet_|under_review"),
        (m.UNAVAILABLE, "unavailable"),
        (
            m.ARGUMENT,
            "^(error_)?(invalid|bad|missing|unknown|unsupported|malformed)_|_invalid(_|$)|(^|_)validat|^cannot_(parse|resolve)",
        ),
        (
            m.ARGUMENT,
            "too_(long|many|short)|_mismatch|_does_not_match|_not_supported|_(required|empty)(_|$)|^unexpected_",
        ),
        (
            m.ARGUMENT,
            "_not_(provided|supplied|specified)|^(must|specify)_|must_be|^reserved_|_does_not_support_|malware",
        ),
        (m.FAILED, "^(could_not|failed?|failure|unable|error)_|_(failed|failure|error)$|_auto_provision"),
        (m.PERMISSION, "^restricted_action(_|$)|_(permission|access)_denied$|^no_external_invite_permission$"),
        (DENIED, "_denied$|not_allowed|blocked|^forbidden_|restrict|cannot_be|not_own|_only$|^published_app"),
        (DENIED, "_cannot_|^free_team|_tier_|limited_access|nonapproved"),
        (DISABLED, "disabled|_not_(enabled|available|hosted|eligible)|^not_enabled$"),
        (m.ARGUMENT, r"^no_\w*(provided|given|specified|selected|uploaded|query|scopes|valid|content)"),
        (m.CONFLICT, "^(cant|cannot|can_not)_|archived|inactive|expired|exchanged|deactivated|locked|_closed|pending"),
        (m.CONFLICT, "^(is|not)_|_(is|not)_|_state$|conflict|^stopped_|unverified|_missing(_|$)"),
    ),
    skipped={
        "a spelling mistake of the list": "account_inactiv request_timeou upgrade_require",
        "the example of api.test, whose code is the caller's own": "my_error",
    },
)
_POINTER = re.compile(r"^(?:\[ERROR\] )?(.{0,100}?)(?::[^\[]*)?\[json-pointer:(/[\w/.-]{1,100})\]")
_ARGUMENTS = {"msg_too_long": "text", "time_in_past": "post_at", "time_too_far": "post_at"}  # for codes that name none
_NO_ARGUMENTS = frozenset(("arguments", "args", "array_arg", "arg_name", "json", "form_data", "charset", "request"))


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """A returned response with `ok: false`, if its form or the tool's name identifies Slack."""
    answer = failure.value
    if not isinstance(answer, Mapping) or answer.get("ok") is not False:
        return None
    if "response_metadata" not in answer and "slack" not in str(failure.tool_name).lower():
        return None
    return _by_code(answer, failure)


@rules("slack_sdk.SlackApiError")
def answered(failure: Failure) -> ToolError | None:
    """A code in Slack's response; if there is none, as in a proxy's HTML page, the status."""
    answer = failure.look("response", "data") or failure.look("response")
    error = _by_code(answer, failure) if isinstance(answer, Mapping) else None
    return status_error(failure, service=SERVICE) if error is None and failure.status is not None else error


def _by_code(answer: Mapping[str, Any], failure: Failure) -> ToolError | None:
    code = answer.get("error")
    if not isinstance(code, str):
        return None
    error = codes.error(failure, code, service=SERVICE) or reason_error(failure, code)
    if isinstance(error, ResourceNotFoundError):
        error.resource = _sent(code, failure) or failure.resource
        if error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        error.problems = _problems(code, answer, failure) or error.problems
    elif isinstance(error, ToolRateLimitError):
        error.retry_after = failure.retry_after or Failure(value=answer).retry_after
    elif error is not None and code == "missing_scope":
        error.user_message = f"The Slack token lacks a scope: {answer.get('needed')}."
    return error


def _sent(code: str, failure: Failure) -> str | None:
    """The value that the call sent for the argument that the code names."""
    value = (failure.arguments or {}).get(argument_named_in(code, failure.arguments) or "")
    return value if isinstance(value, str) and value else None


def _problems(code: str, answer: Mapping[str, Any], failure: Failure) -> list[Problem]:
    """The pointers in `response_metadata.messages`, otherwise the argument that the code names."""
    metadata = answer.get("response_metadata")
    messages = metadata.get("messages") if isinstance(metadata, Mapping) else None
    listed = messages[:20] if isinstance(messages, list) else ()
    matches = [match for text in listed if isinstance(text, str) and (match := _POINTER.match(text))]
    if matches:
        return [Problem(match[2], "is missing" if "missing" in match[1] else "is not accepted") for match in matches]
    subject = _ARGUMENTS.get(code) or re.sub(r"^(invalid|missing|bad|no)_|_(too_long|too_large)$", "", code)
    name = argument_named_in(subject, failure.arguments)
    if name is None and not failure.arguments and subject != code and subject not in _NO_ARGUMENTS:
        name = subject
    return (
        [Problem(pointer_to(name), "is missing" if code.startswith(("missing_", "no_")) else "is not accepted")]
        if name
        else []
    )


_CLIENT: Mapping[str, m.Meaning] = {
    "SlackTokenRotationError": m.AUTHENTICATION._replace(message="The token of the service could not be renewed"),
    "BotUserAccessError": m.PERMISSION._replace(message="The service does not allow this to a bot"),
    "SlackClientNotConnectedError": m.DROPPED._replace(
        message="The connection to the service is closed", effect="none"
    ),
    "SlackRequestError": m.ARGUMENT._replace(message="The client of the service rejected the arguments"),
    "SlackObjectFormationError": m.ARGUMENT._replace(message="The client of the service rejected the arguments"),
    "SlackClientConfigurationError": m.FAILED._replace(
        message="The client of the service is misconfigured", effect="none"
    ),
}


@rules(*(f"slack_sdk.{name}" for name in _CLIENT))
def client(failure: Failure) -> ToolError:
    """Errors of the client before anything is sent: arguments, a bot's token, a closed connection."""
    meaning = next(meaning for name, meaning in _CLIENT.items() if failure.matches(f"slack_sdk.{name}"))
    return m.error_of(failure, meaning, service=SERVICE)


@last("slack_sdk.SlackClientError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client, such as for an unknown code."""
    return ToolExecutionError("The Slack call failed.")
