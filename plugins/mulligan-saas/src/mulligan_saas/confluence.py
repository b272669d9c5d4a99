"""Confluence, through `atlassian` (atlassian-python-api), which raises its own errors or requests' HTTPError."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    status_error,
)
from mulligan_saas.arguments import name_sent

rules = Rules("confluence")
last = Rules("confluence", last=True)

_THINGS = ("page", "content", "attachment", "title", "user", "group", "space", "id", "key")
_PATH = re.compile(r"/wiki/(?:rest/)?api/|/rest/api/(?:content|space|search|user|group|longtask|audit|template)\b")


@rules("atlassian.ApiError", "requests.HTTPError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Confluence, by status; the client keeps requests' HTTPError as `reason`."""
    status = failure.status or failure.look("reason", "response", "status_code")
    if not isinstance(status, int) or not _is_confluence(failure):
        return None
    error = status_error(failure, status, service="Confluence")
    if isinstance(error, ResourceNotFoundError):
        error.resource = _resource(failure)
        what = f"Resource not found: {error.resource}" if error.resource else "Confluence found no such resource"
        error.message = f"{what}, or not visible with these credentials."
    return error


def _is_confluence(failure: Failure) -> bool:
    url = str(failure.look("response", "url"))[:2_000]
    return failure.matches("atlassian.ApiError") or _PATH.search(url) is not None


def _resource(failure: Failure) -> str | None:
    """The argument that names a page or a space, otherwise the resource that the failure reports."""
    sent = name_sent(failure, _THINGS)
    return failure.resource if sent is None else sent


@rules("atlassian.ApiPermissionError", "atlassian.JsonRPCRestrictionsError")
def permission(_: Failure) -> ToolError:
    """The account may not do this."""
    return ToolPermissionError("Confluence denied permission.")


@rules("atlassian.ApiConflictError")
def conflict(_: Failure) -> ToolError:
    """The page has changed in the meantime."""
    return ResourceConflictError("It has changed since: read its current state first.", code="ABORTED")


@rules("atlassian.ApiValueError", "atlassian.ApiNotAcceptable")
def value(_: Failure) -> ToolError:
    """Values that Confluence or the client itself rejects."""
    return ToolArgumentError("Confluence rejected the values.")


@last("atlassian.ApiError", "atlassian.JsonRPCError")
def other(_: Failure) -> ToolError:
    """Any other error of the client."""
    return ToolExecutionError("Confluence failed.")
