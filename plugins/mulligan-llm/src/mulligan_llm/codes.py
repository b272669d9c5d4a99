"""What the error codes and types of language model services mean, as their API references list them."""

from __future__ import annotations

import re

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

_NAMED: dict[type[ToolError], str] = {
    ToolAuthenticationError: """
        account_deactivated api_key_invalid authentication_error expired_api_key incorrect_api_key
        invalid_api_key invalid_authentication invalid_organization invalid_token mismatched_organization
        token_expired unauthenticated unauthorized
    """,
    ToolPermissionError: """
        access_denied access_terminated api_key_scope_missing forbidden insufficient_permissions
        ip_not_authorized missing_scope organization_restricted permission_denied permission_error
        unsupported_country_region_territory
    """,
    ResourceNotFoundError: """
        deploymentnotfound model_decommissioned model_not_found not_found not_found_error
        previous_response_not_found
    """,
    ResourceConflictError: "conflict_error conversation_locked",
    ToolRateLimitError: """
        ramp_limit_exceeded rate_limit_error rate_limit_exceeded rate_limited ratelimitreached requests
        slow_down service_tier_capacity_exceeded tokens too_many_requests
    """,
    ToolQuotaError: """
        billing_error billing_hard_limit_reached billing_not_active blocked_api_access credit_limit
        insufficient_balance insufficient_credits insufficient_quota quota_exceeded
    """,
    ToolTimeoutError: "deadline_exceeded request_timeout timeout timeout_error",
    ToolUnavailableError: """
        api_error capacity_exceeded engine_overloaded internal_error internal_server_error model_overloaded
        overloaded_error server_error service_unavailable
    """,
    ToolArgumentError: """
        content_filter content_policy_violation context_length_exceeded invalid_argument invalid_prompt
        json_validate_failed missing_required_parameter moderation_blocked request_too_large
        string_above_max_length tool_use_failed
    """,
}
_CLASSES = {code: cls for cls, codes in _NAMED.items() for code in codes.split()}
_WORDS: tuple[tuple[type[ToolError], str], ...] = (
    (
        ToolQuotaError,
        r"quota|billing|(?:^|_)credits?(?:_|$)|balance|spend_limit|(?:api_key|member)_limit_exceeded",
    ),
    (ToolRateLimitError, r"rate_?limit|too_many_requests|throttl"),
    (ToolTimeoutError, r"_timeout$|timed_out$"),
    (ResourceNotFoundError, r"_not_found$"),
    (ResourceConflictError, r"(?:^|_)already_|_in_flight$|_archived$"),
    (ToolUnavailableError, r"overloaded|unavailable"),
)
_VAGUE = (None, 400, 403, 409, 422, 429)


def meaning(code: object, status: int | None) -> type[ToolError] | None:
    """The class of error that a code or type stands for, or None where it says no more than the status.

    Args:
        code: the code or type of an error, as the service sends it.
        status: the HTTP status of the answer.
    """
    if not isinstance(code, str):
        return None
    plain = code.lower()
    known = _CLASSES.get(plain)
    if known is not None or status not in _VAGUE:
        return known
    return next((cls for cls, words in _WORDS if re.search(words, plain)), None)
