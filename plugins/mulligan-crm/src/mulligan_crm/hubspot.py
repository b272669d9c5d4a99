"""HubSpot, through hubspot-api-client: by the category of the response, otherwise by the status.

https://developers.hubspot.com/docs/api-reference/error-handling
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolRateLimitError,
    hookimpl,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_crm.arguments import problems_of

rules = Rules("hubspot")
last = Rules("hubspot", last=True)
SERVICE = "HubSpot"

HIDDEN = m.NOT_FOUND._replace(message="The service found no such resource, or none visible with these credentials")
SCOPES = m.PERMISSION._replace(message="The token of the service lacks a scope")
GATED = m.PERMISSION._replace(message="The service has not enabled this for the account", fatal=False)
DAILY = m.QUOTA._replace(message="The daily limit of requests to the service is reached")
LOCKED = m.BUSY._replace(message="The service has locked this for a moment")
MOVING = m.UNAVAILABLE._replace(message="The service is moving the account to another location", effect="none")
CLIENT = m.ARGUMENT._replace(message="The client of the service rejected the arguments")

codes = Codes(
    {
        m.AUTHENTICATION: """
            BAD_AUTH_CODE BAD_CLIENT_ID BAD_CLIENT_SECRET BAD_REFRESH_TOKEN EXPIRED_AUTHENTICATION INVALID_AUTHENTICATION
            MISSING_REFRESH_TOKEN REVOKED_AUTHENTICATION
        """,
        SCOPES: "MISSING_SCOPES",
        m.PERMISSION: "BANNED MISSING_PERMISSIONS USER_DOES_NOT_HAVE_PERMISSIONS",
        GATED: "GATED",
        HIDDEN: "OBJECT_NOT_FOUND",
        m.EXISTS: "CONFLICTING_UNIQUE_VALUE OBJECT_ALREADY_EXISTS",
        m.CONFLICT: "CONFLICT",
        m.RATE_LIMIT: "RATE_LIMIT RATE_LIMITS",
        MOVING: "MIGRATION_IN_PROGRESS",
        m.ARGUMENT: "VALIDATION_ERROR INVALID_INPUT_JSON INVALID_PARAMS MISMATCH_REDIRECT_URI_AUTH_CODE",
    }
)
_WAITS = {"SECONDLY": 1.0, "TEN_SECONDLY_ROLLING": 10.0}  # the length of each window
_LOCK = 2.0  # how long a lock lasts
_EXISTING = re.compile(r"\bExisting ID: ?(\d{1,20})\b|\b(\d{1,20}) already has that value\b")
_PARAMETER = re.compile(r"\bparameter `(\w{1,80})`|\bargument '(\w{1,80})'")
_MOST_VALUES = 20_000


@rules("hubspot.ApiException")
def answered(failure: Failure) -> ToolError | None:
    """An error response from HubSpot, by its category, else by its status; or a failed connection."""
    if failure.status is None:
        return transport_error(failure, service=SERVICE)
    body = failure.body if isinstance(failure.body, Mapping) else {}
    error = _by_category(body, failure)
    if error is None and failure.status == 423:
        error = m.error_of(failure, LOCKED, service=SERVICE, retry_after=failure.retry_after or _LOCK, resource=None)
    if error is None and failure.status == 477:
        error = m.error_of(failure, MOVING, service=SERVICE)
    return _with_details(error or status_error(failure, service=SERVICE), body, failure)


def _by_category(body: Mapping[str, Any], failure: Failure) -> ToolError | None:
    candidates = (*(error.get("code") for error in _errors(body)), *map(body.get, ("category", "errorType", "status")))
    known_code = next(
        (code for code in candidates if isinstance(code, str) and codes.meaning_of(code) is not None), None
    )
    meaning = codes.meaning_of(known_code)
    if meaning is None or (failure.status or 400) >= 500:
        return None
    if meaning is m.RATE_LIMIT and body.get("policyName") == "DAILY":
        meaning = DAILY
    elif meaning in (m.CONFLICT, m.ARGUMENT) and _existing(body):
        meaning = m.EXISTS
    return m.error_of(failure, meaning, service=SERVICE, told=known_code)


def _with_details(error: ToolError, body: Mapping[str, Any], failure: Failure) -> ToolError:
    if isinstance(error, ResourceNotFoundError):
        error.resource = _missing(body, failure) or error.resource
        if error.resource:
            error.message = f"Resource not found: {error.resource}, or not visible with these credentials."
    elif isinstance(error, ResourceConflictError) and error.code == "ALREADY_EXISTS":
        error.resource = _existing(body) or error.resource
        if error.resource:
            error.message = f"{error.message.rstrip('.')}: {error.resource}"
        error.problems = problems_of(_fields(body), failure.arguments, SERVICE)
    elif isinstance(error, ToolArgumentError):
        error.problems = problems_of(_fields(body), failure.arguments, SERVICE) or error.problems
    elif isinstance(error, ToolRateLimitError) and error.retry_after is None:
        error.retry_after = _WAITS.get(str(body.get("policyName")))
    elif isinstance(error, ToolPermissionError):
        scopes = ", ".join(_scopes(body))
        if scopes:
            error.user_message = f"The HubSpot token lacks a scope: {scopes[:300]}."
    return error


def _errors(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    errors = body.get("errors")
    return [one for one in errors[:20] if isinstance(one, Mapping)] if isinstance(errors, list) else []


def _text(entry: Mapping[str, Any]) -> str:
    text = entry.get("message")
    return text[:_MOST_VALUES] if isinstance(text, str) else ""


def _context(entry: Mapping[str, Any], *names: str) -> list[str]:
    """The texts of an entry's `context` under the given names; each is a list or one text."""
    context = entry.get("context")
    if not isinstance(context, Mapping):
        return []
    found = (context.get(name) for name in names)
    each = (one for values in found for one in (values[:20] if isinstance(values, list) else (values,)))
    return [one[:200] for one in each if isinstance(one, str) and one]


def _existing(body: Mapping[str, Any]) -> str | None:
    for entry in (body, *_errors(body)):
        found = _EXISTING.search(_text(entry))
        if found:
            return found[1] or found[2]
    return None


def _missing(body: Mapping[str, Any], failure: Failure) -> str | None:
    """The ID that the response names, if the call sent it."""
    sent = {str(value) for value in (failure.arguments or {}).values() if type(value) in (str, int)}
    ids = [one for entry in (body, *_errors(body)) for one in _context(entry, "id", "ids", "objectId")]
    return next((one for one in ids if one in sent), ids[0] if len(ids) == 1 else None)


def _scopes(body: Mapping[str, Any]) -> list[str]:
    return [
        scope
        for entry in (body, *_errors(body))
        for scope in _context(entry, "requiredGranularScopes", "requiredScopes", "missingScopes")
    ]


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each property that HubSpot rejects, with its reason."""
    for entry in _errors(body):
        named = _context(entry, "propertyName", "propertyNames", "properties")
        place = entry.get("in")
        for field in named or ([place] if isinstance(place, str) and place else []):
            yield field, _text(entry)
    for field in _context(body, "properties", "propertyName"):
        yield field, _text(body)
    for value in _property_errors(_text(body)):
        if isinstance(value, Mapping) and isinstance(value.get("name"), str):
            yield value["name"], _text(value)


def _property_errors(message: str) -> list[Any]:
    """The values of `Property values were not valid: [{"name": "email", "message": ...}]`."""
    start = message.find("[{")
    if start < 0:
        return []
    try:
        found = json.loads(message[start:])
    except (ValueError, RecursionError):
        return []
    return found[:20] if isinstance(found, list) else []


@rules("hubspot.OpenApiException")
def checked(failure: Failure) -> ToolError | None:
    """Arguments that the client itself rejects: nothing was sent."""
    if failure.matches("hubspot.ApiException"):
        return None
    found = _PARAMETER.search(failure.text)
    fields = [(next(filter(None, found.groups())), failure.text)] if found else []
    problems = problems_of(fields, failure.arguments, "the HubSpot client")
    return m.error_of(failure, CLIENT, service=SERVICE, effect="none", problems=problems)


@hookimpl
def detect(value: Any) -> Failure | None:
    """The response of a batch in which every part failed; if some succeeded, the value is a result."""
    try:
        errors = _batch_errors(value)
    except Exception:  # an unreadable value reports no failure
        return None
    return Failure(value=value, message="\n".join(map(_text, errors))[:2_000]) if errors else None


def _batch_errors(value: Any) -> list[Mapping[str, Any]]:
    """The errors of `{"status": "COMPLETE", "results": [], "errors": [{"category": ..., "message": ...}]}`."""
    if not isinstance(value, Mapping) or value.get("results") != [] or not isinstance(value.get("status"), str):
        return []
    errors = value.get("errors")
    if not isinstance(errors, list) or not errors:
        return []
    known = [one for one in errors if isinstance(one, Mapping) and isinstance(one.get("category"), str) and _text(one)]
    return known if len(known) == len(errors) else []


@rules.returned
def returned(failure: Failure) -> ToolError | None:
    """A returned error body of HubSpot, or a returned batch in which every part failed."""
    if not isinstance(failure.value, Mapping):
        return None
    errors = _batch_errors(failure.value)
    body = errors[0] if errors else failure.value
    if not errors and not ("correlationId" in body and isinstance(body.get("category"), str)):
        return None
    error = _by_category(body, failure)
    return None if error is None else _with_details(error, body, failure)


@last("hubspot.OpenApiException")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The HubSpot call failed.")
