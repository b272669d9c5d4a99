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

rules = Rules("confluence")
last = Rules("confluence", last=True)

_NAMES_PAGE = re.compile(r"(?:\b|_)(?:id|key|title|space)$|[a-z](?:Id|ID|Key|Title|Space)$", re.ASCII)
_PATH = re.compile(r"/wiki/(?:rest/)?api/|/rest/api/(?:content|space|search|user|group|longtask|audit|template)\b")


@rules("atlassian.ApiError", "requests.HTTPError")
def answered(failure: Failure) -> ToolError | None:
    """An answer of Confluence by status; the client keeps requests' HTTPError as `reason`."""
    status = failure.status or failure.look("reason", "response", "status_code")
    if not isinstance(status, int) or not _is_confluence(failure):
        return None
    error = status_error(failure, status)
    if isinstance(error, ResourceNotFoundError):
        error.resource = _resource(failure)
        what = f"Resource not found: {error.resource}" if error.resource else "Confluence found no such resource"
        error.message = f"{what}, or not visible with these credentials."
    return error


def _is_confluence(failure: Failure) -> bool:
    url = str(failure.look("response", "url"))[:2_000]
    return failure.matches("atlassian.ApiError") or _PATH.search(url) is not None


def _resource(failure: Failure) -> str | None:
    """The argument that names a page or a space; else what the failure tells."""
    for name, value in (failure.arguments or {}).items():
        if _NAMES_PAGE.search(name) and type(value) in (str, int):
            return str(value)
    return failure.resource


@rules("atlassian.ApiNotFoundError")
def missing(failure: Failure) -> ToolError:
    """A page or space that is not there, or that the account may not see."""
    message = "Confluence found no such resource, or none visible."
    return ResourceNotFoundError(message, resource=_resource(failure))


@rules("atlassian.ApiPermissionError", "atlassian.JsonRPCRestrictionsError")
def permission(_: Failure) -> ToolError:
    """The account may not do this."""
    return ToolPermissionError("Confluence denied permission.")


@rules("atlassian.ApiConflictError")
def conflict(_: Failure) -> ToolError:
    """The page has changed meanwhile."""
    return ResourceConflictError("It has changed since: read its current state first.", code="ABORTED")


@rules("atlassian.ApiValueError", "atlassian.ApiNotAcceptable")
def value(_: Failure) -> ToolError:
    """Values that Confluence, or the client itself, does not accept."""
    return ToolArgumentError("Confluence rejected the values.")


@last("atlassian.ApiError", "atlassian.JsonRPCError")
def other(_: Failure) -> ToolError:
    """Any other error of the client."""
    return ToolExecutionError("Confluence failed.")
