"""Answers of Google's APIs that are errors, and requests that their libraries refuse to send."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import (
    Effect,
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    status_error,
)
from mulligan_google.details import Details
from mulligan_google.reasons import CANONICAL, MAPS, meaning

rules = Rules("google")
last = Rules("google", last=True)

_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "Google rejected the credentials",
    ToolPermissionError: "The Google account lacks permission for this",
    ResourceConflictError: "The current state of the resource does not allow this",
    ToolRateLimitError: "Google's rate limit is reached",
    ToolQuotaError: "A quota at Google is exhausted",
    ToolTimeoutError: "Google did not respond in time",
    ToolUnavailableError: "The Google service is temporarily unavailable",
    ToolArgumentError: "Google rejected the request as invalid",
    ToolCancelledError: "The call to Google was cancelled",
    ToolExecutionError: "The Google call failed",
}
_NARROWER = (
    "ALREADY_EXISTS",
    "ABORTED",
    "FAILED_PRECONDITION",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "UNKNOWN",
    "DATA_LOSS",
)
_EXISTING = frozenset(("duplicate", "alreadyExists", "resourceAlreadyExists", "teamDriveAlreadyExists"))
_WAITING = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)
_HIDDEN = " Or the account cannot see it."
_PLAIN = (400, 409, 412, 499)
_BUSY = 429


@rules("google.api_core.exceptions.RetryError")
def retried(failure: Failure) -> ToolError | None:
    """The library tried again until its time was over."""
    return ToolTimeoutError("Google did not respond successfully in time, despite retries.", effect="possible")


@rules(
    "google.api_core.exceptions.GoogleAPICallError",
    "googleapiclient.errors.HttpError",
    "google.cloud.storage.exceptions.InvalidResponse",
    "google.resumable_media.common.InvalidResponse",
    "gspread.exceptions.APIError",
    "firebase_admin.exceptions.FirebaseError",
)
def answered(failure: Failure) -> ToolError | None:
    """An answer that is an error: by its reasons, its canonical code and its HTTP status."""
    told = Details(failure)
    status = failure.status or _http_status(failure)
    canonical = told.status or _firebase(failure)
    cls = _class(told, canonical, status)
    if cls is None:
        return _plain(failure, told, status)
    return _error(cls, told, canonical, status)


def _http_status(failure: Failure) -> int | None:
    status = failure.look("http_response", "status_code")
    return status if isinstance(status, int) else None


def _firebase(failure: Failure) -> str:
    code = failure.look("code")
    return code if isinstance(code, str) else ""


def _class(told: Details, canonical: str, status: int | None) -> type[ToolError] | None:
    """The class that reasons or the canonical code decide; None where the status says it all."""
    known = meaning(told.reasons, status)
    if known is ToolRateLimitError and told.is_long_quota:
        return ToolQuotaError
    if known is not None:
        return known
    if status == _BUSY or canonical == "RESOURCE_EXHAUSTED":
        return ToolQuotaError if told.is_long_quota else ToolRateLimitError
    if status is None or status in _PLAIN:
        return CANONICAL.get(canonical)
    return None


def _plain(failure: Failure, told: Details, status: int | None) -> ToolError:
    error = status_error(failure, status)
    return error if type(error) is ToolExecutionError else _error(type(error), told, told.status, status, error.effect)


def _error(
    cls: type[ToolError], told: Details, canonical: str, status: int | None, effect: Effect | None = None
) -> ToolError:
    named = told.resource if cls in (ResourceNotFoundError, ResourceConflictError) else told.named_resource
    if cls is ResourceNotFoundError:
        words = f"Resource not found: {named}.{_HIDDEN}" if named else f"Google has no such resource.{_HIDDEN}"
    else:
        words = f"{_MESSAGES[cls]}{f' (HTTP {status})' if status else ''}."
    return cls(
        words,
        code=_code(cls, told, canonical),
        http_status=status,
        retry_after=told.retry_after if cls in _WAITING else None,
        resource=named,
        effect=effect or cls.effect,
        problems=told.problems if cls is ToolArgumentError else (),
    )


def _code(cls: type[ToolError], told: Details, canonical: str) -> str | None:
    if CANONICAL.get(canonical) is cls and canonical in _NARROWER:
        return canonical
    return "ALREADY_EXISTS" if cls is ResourceConflictError and _EXISTING.intersection(told.reasons) else None


@rules("googlemaps.exceptions.ApiError")
def maps(failure: Failure) -> ToolError | None:
    """An answer of the Maps web services, which has a status of its own and HTTP 200."""
    cls = MAPS.get(str(failure.look("status")))
    if cls is None:
        return ToolExecutionError(_MESSAGES[ToolExecutionError] + ".")
    return cls(
        "Google Maps found no results." if cls is ResourceNotFoundError else f"{_MESSAGES[cls]}.",
        effect=cls.effect,
    )


@rules("googlemaps.exceptions.HTTPError")
def maps_http(failure: Failure) -> ToolError | None:
    """The Maps web services answered with an HTTP status."""
    return status_error(failure)


@rules("gspread.exceptions.SpreadsheetNotFound", "gspread.exceptions.WorksheetNotFound")
def sheet(failure: Failure) -> ToolError | None:
    """A spreadsheet or worksheet that is not there, or not shared with the account."""
    name = (
        failure.text
        if failure.matches("gspread.exceptions.WorksheetNotFound") and 0 < len(failure.text) < 200
        else failure.resource
    )
    return ResourceNotFoundError(
        f"Resource not found: {name}.{_HIDDEN}" if name else f"The sheet does not exist.{_HIDDEN}",
        resource=name,
        effect="none",
    )


_UNFIT = (
    *(
        f"googleapiclient.errors.{name}"
        for name in (
            "UnknownFileType",
            "UnknownLinkType",
            "UnknownApiNameOrVersion",
            "UnacceptableMimeTypeError",
            "MediaUploadSizeError",
            "InvalidChunkSizeError",
            "InvalidNotificationError",
        )
    ),
    *(
        f"gspread.exceptions.{name}"
        for name in ("NoValidUrlKeyFound", "IncorrectCellLabel", "InvalidInputValue", "UnSupportedExportFormat")
    ),
    "google.api_core.exceptions.DuplicateCredentialArgs",
    "google.cloud.storage.exceptions.InvalidPathError",
)


@rules(*_UNFIT)
def unfit(failure: Failure) -> ToolError | None:
    """A request that the library refuses to send."""
    return ToolArgumentError("Google's library rejected the call; nothing was sent.", effect="none")


_CHECKS = (
    (r"Got an unexpected keyword argument '?(\w{1,100})'?", "unknown"),
    (r'Missing required parameter "(\w{1,100})"', "is missing"),
    (r'Parameter "(\w{1,100})" value ', "is not an allowed value"),
)


@rules("TypeError")
def parameters(failure: Failure) -> ToolError | None:
    """google-api-python-client checks a method's parameters and raises Python's own TypeError."""
    found = ((re.match(pattern, failure.text), words) for pattern, words in _CHECKS)
    match, words = next(((match, words) for match, words in found if match), (None, ""))
    if match is None or failure.came_through("googleapiclient") is None:
        return None
    return ToolArgumentError(
        "The parameters do not match the method; nothing was sent.",
        problems=[Problem(f"/{match[1]}", words)],
        effect="none",
    )


@rules("googleapiclient.errors.InvalidJsonError")
def not_json(_: Failure) -> ToolError | None:
    """An answer or a description of an API that is not JSON."""
    return ToolExecutionError("Google returned a response that is not JSON.")


@last("googleapiclient.errors.Error", "google.api_core.exceptions.GoogleAPIError")
def other(failure: Failure) -> ToolError | None:
    """Anything else that the libraries raise by themselves, such as an answer that cannot be read."""
    return ToolExecutionError("Google's library failed.")
