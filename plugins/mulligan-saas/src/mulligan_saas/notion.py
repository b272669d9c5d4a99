"""Notion, through notion_client: https://developers.notion.com/reference/status-codes. By code, else by status."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    pointer_to,
    status_error,
)
from mulligan.plugin import meanings as m

rules = Rules("notion")
last = Rules("notion", last=True)
SERVICE = "Notion"

TOKEN = m.AUTHENTICATION._replace(message="The service rejected the token")
GRANT = m.AUTHENTICATION._replace(message="The service rejected the authorization")
ARCHIVED = m.CONFLICT._replace(message="The resource is archived. Restore it first")
INVALID_ID = m.ARGUMENT._replace(message="An ID contains invalid characters")

codes = Codes(
    {
        TOKEN: "unauthorized",
        GRANT: "invalid_grant",
        m.PERMISSION._replace(
            message="The integration of the service lacks permission for this"
        ): "restricted_resource",
        m.NOT_FOUND: "object_not_found",
        m.RATE_LIMIT: "rate_limited",
        m.ARGUMENT: "invalid_json invalid_request invalid_request_url missing_version validation_error",
        m.ABORTED: "conflict_error",
        m.UNAVAILABLE: "internal_server_error bad_gateway service_unavailable database_connection_unavailable",
        m.TIMEOUT: "gateway_timeout",
    }
)
_FIELD = re.compile(r"\b(?:body|path|query)\.((?:\w|\[\d+\]|\.(?=\w)){1,200}) (should(?: be defined)?)?")
_PROPERTY = {"not a property that exists": "is unknown", "expected to be": "has the wrong type"}
_PROPERTIES = re.compile(rf"(?:^|\n|: )([^:\n]{{1,100}}?) is ({'|'.join(_PROPERTY)})\b")
_ID = re.compile(r"\bwith ID: ([\w-]{1,64})")


@rules("notion_client.HTTPResponseError")
def answered(failure: Failure) -> ToolError:
    """A code in Notion's response; if there is none, as in a proxy's HTML page, the status."""
    code = failure.look("code")
    code = getattr(code, "value", code)
    error = codes.error(failure, code, service=SERVICE)
    if error is None:
        return status_error(failure, service=SERVICE)
    if isinstance(error, ToolArgumentError):
        if failure.says("is archived", "must unarchive"):
            return m.error_of(failure, ARCHIVED)
        error.problems = _problems(failure) or error.problems
    elif isinstance(error, ResourceNotFoundError):
        error.resource = _resource(failure)
        what = f"Resource not found: {error.resource}" if error.resource else "Notion found no such resource"
        error.message = f"{what}, or it is not shared with the Notion integration."
    return error


def _resource(failure: Failure) -> str | None:
    named = _ID.search(failure.text)
    return named[1] if named else failure.resource


def _problems(failure: Failure) -> list[Problem]:
    """The fields that Notion names in prose: `body.properties.Name should be ...`, `Name is not a property that exists`."""
    text = failure.text[:2_000]
    problems = [_problem(found[1], found[2]) for found in _FIELD.finditer(text)]
    problems += [
        Problem(pointer_to(["properties", found[1]]), _PROPERTY[found[2]]) for found in _PROPERTIES.finditer(text)
    ]
    return list({problem.pointer: problem for problem in problems}.values())[:8]


def _problem(field: str, said: str | None) -> Problem:
    if field.endswith(".length"):
        return Problem(pointer_to(field.removesuffix(".length")), "has too many items, or is too long")
    return Problem(pointer_to(field), "is missing" if said == "should be defined" else "is not accepted")


@rules("notion_client.InvalidPathParameterError")
def path(failure: Failure) -> ToolError:
    """An ID that would change the URL's path: nothing was sent."""
    return m.error_of(failure, INVALID_ID)


@last("notion_client.NotionClientErrorBase")
def other(failure: Failure) -> ToolError:
    """Any other exception of the client."""
    return m.error_of(failure, m.FAILED, service=SERVICE)
