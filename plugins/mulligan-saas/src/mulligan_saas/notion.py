"""Notion: https://developers.notion.com/reference/status-codes. The code counts, else the status."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    status_error,
)

rules = Rules("notion")

_CODES: Mapping[str, tuple[type[ToolError], str]] = {
    "unauthorized": (ToolAuthenticationError, "Notion rejected the token."),
    "restricted_resource": (ToolPermissionError, "The Notion integration lacks permission for this."),
    "object_not_found": (ResourceNotFoundError, "Notion found no such resource, or none shared."),
    "rate_limited": (ToolRateLimitError, "Notion's rate limit is reached."),
    "invalid_json": (ToolArgumentError, "Notion could not read the request."),
    "invalid_request_url": (ToolArgumentError, "The request URL is unknown to Notion."),
    "invalid_request": (ToolArgumentError, "Notion does not support the request."),
    "invalid_grant": (ToolAuthenticationError, "Notion rejected the authorization."),
    "missing_version": (ToolArgumentError, "The request has no Notion API version."),
    "validation_error": (ToolArgumentError, "Notion rejected the arguments."),
    "conflict_error": (ResourceConflictError, "The call conflicted with another change: read the current state first."),
    "internal_server_error": (ToolUnavailableError, "Notion reported an internal error."),
    "bad_gateway": (ToolUnavailableError, "Notion is temporarily unavailable."),
    "service_unavailable": (ToolUnavailableError, "Notion is temporarily unavailable."),
    "database_connection_unavailable": (ToolUnavailableError, "Notion is temporarily unavailable."),
    "gateway_timeout": (ToolTimeoutError, "Notion did not respond in time."),
}
_FIELD = re.compile(r"\b(?:body|path|query)\.((?:\w|\[\d+\]|\.(?=\w)){1,200})")
_ID = re.compile(r"\bwith ID: ([\w-]{1,64})")


@rules("notion_client.HTTPResponseError")
def answered(failure: Failure) -> ToolError:
    """A code that Notion answered with; where there is none, such as in a proxy's page, the status."""
    code = failure.look("code")
    known = _CODES.get(str(getattr(code, "value", code)))
    if known is None:
        return status_error(failure)
    cls, message = known
    if cls is ToolArgumentError and failure.says("is archived", "must unarchive"):
        return ResourceConflictError("The resource is archived. Restore it first.", http_status=failure.status)
    error = cls(message, http_status=failure.status)
    if cls is ResourceNotFoundError:
        error.resource = _resource(failure)
        if error.resource:
            error.message = f"Resource not found: {error.resource}, or not shared with the Notion integration."
    elif cls is ToolArgumentError:
        error.problems = _problems(failure)
    elif cls in (ToolRateLimitError, ToolUnavailableError):
        error.retry_after = failure.retry_after
    elif cls is ResourceConflictError:
        error.code = "ABORTED"
    return error


def _resource(failure: Failure) -> str | None:
    named = _ID.search(failure.text)
    return failure.resource or (named[1] if named else None)


def _problems(failure: Failure) -> list[Problem]:
    """Notion names each field in prose as `body.properties.Name`, with what it should be."""
    fields = dict.fromkeys(found[1] for found in _FIELD.finditer(failure.text))
    pointers = ("/" + re.sub(r"\[(\d+)\]", r"/\1", field).replace(".", "/") for field in fields)
    return [Problem(pointer, "is not accepted") for pointer in pointers][:8]


@rules("notion_client.RequestTimeoutError")
def timeout(_: Failure) -> ToolError:
    """No answer in time."""
    return ToolTimeoutError("Notion did not respond in time.")


@rules("notion_client.InvalidPathParameterError")
def path(_: Failure) -> ToolError:
    """An id that would lead to another address: nothing was sent."""
    return ToolArgumentError("An ID contains invalid characters.")
