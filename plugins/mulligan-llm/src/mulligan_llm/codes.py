"""What the error codes and types of language model services mean, from their API references."""

from __future__ import annotations

from mulligan.plugin import Codes
from mulligan.plugin import meanings as m

NO_MODEL = m.NOT_FOUND._replace(message="The service found no such model or resource, or none for this account")
REFUSED = m.ARGUMENT._replace(message="The service refused the content")

codes = Codes(
    {
        m.AUTHENTICATION: """
            account_deactivated api_key_invalid authentication_error expired_api_key incorrect_api_key
            invalid_api_key invalid_authentication invalid_organization invalid_token mismatched_organization
            token_expired unauthenticated unauthorized
        """,
        m.PERMISSION: """
            access_denied access_terminated api_key_scope_missing forbidden insufficient_permissions
            ip_not_authorized missing_scope organization_on_hold organization_restricted permission_denied
            permission_error
            unsupported_country_region_territory
        """,
        NO_MODEL: """
            deploymentnotfound model_decommissioned model_not_found not_found not_found_error
            previous_response_not_found
        """,
        m.CONFLICT: """
            cmek_key_disabled cmek_key_network_blocked conflict_error organization_type_not_supported
            parent_organization_required
        """,
        m.BUSY: "conversation_locked",
        m.RATE_LIMIT: """
            ramp_limit_exceeded rate_limit_error rate_limit_exceeded rate_limited ratelimitreached requests
            service_tier_capacity_exceeded slow_down tokens too_many_requests
        """,
        m.QUOTA: """
            billing_error billing_hard_limit_reached billing_not_active blocked_api_access credit_limit
            insufficient_balance insufficient_credits insufficient_quota quota_exceeded
        """,
        m.TIMEOUT: "deadline_exceeded request_timeout timeout timeout_error",
        m.UNAVAILABLE: """
            api_error capacity_exceeded engine_overloaded internal_error internal_server_error model_overloaded
            overloaded_error server_error service_unavailable
        """,
        m.TOO_LARGE: "context_length_exceeded request_too_large string_above_max_length",
        REFUSED: "content_filter content_policy_violation moderation_blocked",
        m.ARGUMENT: "invalid_argument invalid_prompt json_validate_failed missing_required_parameter tool_use_failed",
    },
    words=(
        (m.QUOTA, r"quota|billing|(?:^|_)credits?(?:_|$)|balance|spend_limit|(?:api_key|member)_limit_exceeded"),
        (m.RATE_LIMIT, r"rate_?limit|too_many_requests|throttl"),
        (m.TIMEOUT, r"_timeout$|timed_out$"),
        (NO_MODEL, r"_not_found$"),
        (m.CONFLICT, r"(?:^|_)already_|_in_flight$|_archived$"),
        (m.UNAVAILABLE, r"overloaded|unavailable"),
    ),
)
_BUSY = 429  # may also mean a quota: only the message distinguishes them
_VAGUE = (None, 400, 402, 403, 409, 422, 429)


def meaning_of(code: object, status: int | None) -> m.Meaning | None:
    """The meaning of a code or type; None if it adds nothing to the status.

    Args:
        code: the code or type of an error, as the service sends it.
        status: the HTTP status of the response.
    """
    if not isinstance(code, str):
        return None
    plain = code.lower()
    listed = codes.listed.get(plain)
    if listed is not None or status not in _VAGUE:
        return listed
    meaning = codes.meaning_of(plain)
    return None if meaning is m.RATE_LIMIT and status == _BUSY else meaning
