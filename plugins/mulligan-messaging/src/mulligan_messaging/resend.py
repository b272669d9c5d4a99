"""Resend: by the name of the error, otherwise by the HTTP status.

https://resend.com/docs/api-reference/errors

`tests/published/resend.txt` is the list of the npm package resend.
"""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import (
    Codes,
    Failure,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    status_error,
    text_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import problem_with

rules = Rules("resend")
last = Rules("resend", last=True)
SERVICE = "Resend"

KEY = m.AUTHENTICATION._replace(message="The service rejected the API key")
RESTRICTED = m.PERMISSION._replace(message="The API key of the service may only send messages")
TESTING = m.PERMISSION._replace(
    message="The service refuses this recipient or sender: a domain must be verified", fatal=False
)
SECURITY = m.PERMISSION._replace(message="The service refuses the request for security reasons", fatal=False)
KEY_REUSED = m.CONFLICT._replace(message="The idempotency key was used with other arguments", effect="possible")
KEY_IN_USE = m.BUSY._replace(message="The service is processing a request with this idempotency key", effect="possible")

codes = Codes(
    {
        KEY: "invalid_api_key missing_api_key",
        RESTRICTED: "restricted_api_key",
        SECURITY: "security_error",
        m.NOT_FOUND: "not_found",
        KEY_REUSED: "invalid_idempotent_request",
        KEY_IN_USE: "concurrent_idempotent_requests",
        m.RATE_LIMIT: "rate_limit_exceeded",
        m.QUOTA: "daily_quota_exceeded monthly_quota_exceeded",
        m.UNIMPLEMENTED: "method_not_allowed",
        m.ARGUMENT: """
            invalid_access invalid_attachment invalid_from_address invalid_idempotency_key invalid_parameter
            invalid_region missing_required_field missing_required_fields validation_error
        """,
        m.UNAVAILABLE: "application_error internal_server_error",
    }
)
_FIELDS: Mapping[str, str] = {"invalid_attachment": "attachment", "invalid_from_address": "from"}


@rules("resend.ResendError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Resend, by the name of its error, otherwise by status."""
    name = failure.look("error_type")
    if name == "HttpClientError":
        return _connection(failure)
    if name == "validation_error" and failure.status == 403:
        return m.error_of(failure, TESTING, service=SERVICE, told=name)
    is_page = name == "application_error" and failure.status not in (None, 500)  # not JSON: only the status is Resend's
    error = None if is_page else codes.error(failure, name, service=SERVICE)
    if error is None:
        return None if failure.status is None else status_error(failure, service=SERVICE)
    if isinstance(error, ToolArgumentError):
        field = _FIELDS.get(str(name))
        error.problems = (problem_with(field, failure.arguments) if field else []) or error.problems
    return error


def _connection(failure: Failure) -> ToolError | None:
    """An exception of the HTTP client, which Resend's client keeps only as the context of its own."""
    context = None if failure.exception is None else failure.exception.__context__
    error = None if context is None else transport_error(failure.about(context), service=SERVICE)
    return error or text_error(failure, http_status=None)


@last("resend.ResendError", "resend.NoContentError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client, such as for an empty response."""
    return ToolExecutionError("The Resend call failed.")
