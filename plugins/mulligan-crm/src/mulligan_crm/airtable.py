"""Airtable, through pyairtable, which raises requests' HTTPError; the URL or the client identifies Airtable.

https://airtable.com/developers/web/api/errors. `tests/published/airtable.txt` has the types that Airtable's own client knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolRateLimitError,
    status_error,
)
from mulligan.plugin import meanings as m
from mulligan_crm.arguments import argument_with, problems_of, query_argument

rules = Rules("airtable")
last = Rules("airtable", last=True)
SERVICE = "Airtable"

HIDDEN = m.NOT_FOUND._replace(message="The service found no such resource, or none visible with these credentials")
BILLING = m.QUOTA._replace(message="The monthly limit of requests to the service is reached")
PAGE_EXPIRED = m.ARGUMENT._replace(message="The page of the service has expired: list the records again from the start")
CLIENT = m.ARGUMENT._replace(message="The client of the service rejected the arguments", effect="none")

codes = Codes(
    {
        m.AUTHENTICATION: "AUTHENTICATION_REQUIRED INVALID_API_KEY UNAUTHORIZED",
        m.PERMISSION: "INVALID_PERMISSIONS NOT_AUTHORIZED",
        HIDDEN: "INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND NOT_FOUND",
        m.RATE_LIMIT: "RATE_LIMIT_REACHED TOO_MANY_REQUESTS",
        BILLING: "PUBLIC_API_BILLING_LIMIT_EXCEEDED",
        m.TOO_LARGE: "REQUEST_TOO_LARGE",
        PAGE_EXPIRED: "LIST_RECORDS_ITERATOR_NOT_AVAILABLE",
        m.UNAVAILABLE: "SERVER_ERROR SERVICE_UNAVAILABLE",
        m.FAILED: "UNEXPECTED_ERROR",
        m.ARGUMENT: "UNKNOWN_COLUMN_NAME UNKNOWN_FIELD_NAME UNPROCESSABLE_ENTITY",
    },
    words=(
        (HIDDEN, "_NOT_FOUND$|_DOES_NOT_EXIST$"),
        (m.EXISTS, "^DUPLICATE_"),
        (m.TOO_LARGE, "_TOO_LARGE$"),
        (m.LIMIT_REACHED, "_LIMIT_(REACHED|EXCEEDED)$"),
        (m.ARGUMENT, "^(INVALID|MISSING|UNKNOWN|UNSUPPORTED|CANNOT)_|_(INVALID|MISSING)$"),
    ),
    skipped={
        "what the client for JavaScript calls a connection that failed": "CONNECTION_ERROR",
    },
)
_WAIT = 30.0  # the wait that Airtable documents after too many requests
_FIELD = re.compile(r"\b[Uu]nknown field names?: \"?([^\"\n]{1,100})\"?|\b[Ff]ield \"([^\"\n]{1,100})\"")
_OPTION = re.compile(r"\bselect option \"{1,2}([^\"\n]{1,200})\"{1,2}")


@rules("requests.HTTPError")
def answered(failure: Failure) -> ToolError | None:
    """An error response from Airtable, by its type, otherwise by its status."""
    if failure.status is None or not _is_airtable(failure):
        return None
    kind, text = _type_and_message(failure.body)
    error = None if failure.status >= 500 else codes.error(failure, kind, service=SERVICE)
    if error is None:
        error = status_error(failure, service=SERVICE)
    if isinstance(error, ResourceNotFoundError):
        if error.resource:
            error.message = f"Resource not found: {error.resource}, or not visible with these credentials."
    elif isinstance(error, ToolRateLimitError):
        error.retry_after = failure.retry_after or _WAIT
    elif isinstance(error, ToolArgumentError):
        error.problems = problems_of(_fields(kind, text, failure), failure.arguments, SERVICE) or error.problems
    return error


def _is_airtable(failure: Failure) -> bool:
    return failure.host == "api.airtable.com" or failure.came_through("pyairtable") is not None


def _type_and_message(body: object) -> tuple[str, str]:
    """The type and message of a response: `error` is a mapping or only the type; a rate limit has a list."""
    reported: Any = body.get("error") if isinstance(body, Mapping) else None
    listed = body.get("errors") if isinstance(body, Mapping) else None
    if reported is None and isinstance(listed, list) and listed:
        reported = listed[0]
    if isinstance(reported, str):
        return reported, ""
    if not isinstance(reported, Mapping):
        return "", ""
    kind, text = reported.get("type") or reported.get("error"), reported.get("message")
    return (kind if isinstance(kind, str) else ""), (text[:1_000] if isinstance(text, str) else "")


def _fields(kind: str, text: str, failure: Failure) -> Iterator[tuple[str, str]]:
    """The formula, the field that a message names, or the argument with the rejected option."""
    field, option, query = _FIELD.search(text), _OPTION.search(text), query_argument(failure.arguments)
    if kind == "INVALID_FILTER_BY_FORMULA" and query:
        yield query, text
    elif field:
        yield (field[1] or field[2]), text
    elif option:
        name = argument_with(option[1], failure.arguments)
        if name:
            yield name, text


@rules("pyairtable.MissingRecordError")
def missing_record(failure: Failure) -> ToolError:
    """A requested record that the client did not receive."""
    return m.error_of(failure, HIDDEN, service=SERVICE)


@rules(*(f"pyairtable.{name}Error" for name in ("InvalidParameter", "ReadonlyField", "CircularFormula")))
def checked(failure: Failure) -> ToolError:
    """Values that the client itself rejects: nothing was sent."""
    return m.error_of(failure, CLIENT, service=SERVICE)


@last("pyairtable.PyAirtableError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client, such as for a sent or received value that its models reject."""
    return ToolExecutionError("The Airtable client cannot use a value.")
