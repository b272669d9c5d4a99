"""Error responses of Google's APIs. All of its libraries raise them with the same reasons and canonical codes."""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolUnavailableError,
    reason_of,
    status_error,
)
from mulligan.plugin import meanings as m
from mulligan_google.codes import canonical, reasons
from mulligan_google.connections import meaning_of_grpc
from mulligan_google.details import Details

rules = Rules("google")
SERVICE = "Google"
HIDDEN = " Or the account cannot see it."
UNCHANGED = m.FAILED._replace(
    message="The resource was not modified since, so the service did not send it", effect="none"
)
_WAITING = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)
_DECIDED_BY_CODE = (None, 400, 409, 412, 499)
_NOT_MODIFIED, _UNAUTHENTICATED, _BUSY = 304, 401, 429


@rules(
    "google.api_core.exceptions.GoogleAPICallError",
    "googleapiclient.errors.HttpError",
    "google.cloud.storage.exceptions.InvalidResponse",
    "google.resumable_media.common.InvalidResponse",
    "gspread.exceptions.APIError",
    "firebase_admin.exceptions.FirebaseError",
)
def answered(failure: Failure) -> ToolError:
    """An error response, by its reasons, its canonical code and its HTTP status."""
    details = Details(failure)
    status = failure.status or _http_status(failure)
    if failure.look("code") == _NOT_MODIFIED or failure.look("resp", "status") == _NOT_MODIFIED:
        return m.error_of(failure, UNCHANGED, service=SERVICE)
    by_grpc = meaning_of_grpc(details.status, details.message) if failure.look("grpc_status_code") is not None else None
    if by_grpc is not None:
        return m.error_of(failure, by_grpc, service=SERVICE, http_status=None)
    meaning, code = _meaning(details, details.status or _named_code(failure), status)
    if meaning is None and status is None:
        meaning = reason_of(failure.type_name.rpartition(".")[2])
    if meaning is None:
        error = status_error(failure, status, service=SERVICE, resource=details.named_resource)
    else:
        error = m.error_of(
            failure, meaning, service=SERVICE, told=code, resource=details.named_resource, http_status=status
        )
    return _completed(error, details)


def _http_status(failure: Failure) -> int | None:
    status = failure.look("http_response", "status_code")
    return status if isinstance(status, int) else None


def _named_code(failure: Failure) -> str:
    """The canonical code that firebase-admin stores as text, or the status of a failed Pub/Sub acknowledgement."""
    code = failure.look("error_code", "name") or failure.look("code")
    return code if isinstance(code, str) else ""


def _meaning(details: Details, code: str, status: int | None) -> tuple[m.Meaning | None, str]:
    """The meaning of the reasons or the canonical code, and the one that decided; None if the status suffices."""
    if status == _UNAUTHENTICATED:  # then `required` refers to the login, not to a parameter
        return m.AUTHENTICATION, next(iter(details.reasons), code)
    for reason in details.reasons:
        meaning = reasons.meaning_of(reason)
        if meaning is not None:
            return m.QUOTA if meaning is m.RATE_LIMIT and details.is_long_quota else meaning, reason
    if status == _BUSY or code == "RESOURCE_EXHAUSTED":
        return m.QUOTA if details.is_long_quota else m.RATE_LIMIT, code
    return canonical.meaning_of(code) if status in _DECIDED_BY_CODE else None, code


def _completed(error: ToolError, details: Details) -> ToolError:
    """Adds the wait, name and fields from the details, which are more precise than the exception."""
    if isinstance(error, _WAITING):
        error.retry_after = details.retry_after
    elif isinstance(error, (ResourceNotFoundError, ResourceConflictError)):
        error.resource = details.resource
    elif isinstance(error, ToolArgumentError):
        error.problems = details.problems or error.problems
    if isinstance(error, ResourceNotFoundError):
        error.message = not_found_message(error.resource)
    return error


def not_found_message(name: str | None) -> str:
    """The message for a resource that is missing or not visible to the account.

    Args:
        name: its name, if it is known.
    """
    return f"Resource not found: {name}.{HIDDEN}" if name else f"Google found no such resource.{HIDDEN}"
