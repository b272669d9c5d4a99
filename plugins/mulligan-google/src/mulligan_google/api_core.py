"""Failures without a response in google-api-core and libraries based on it: retries and rejected requests."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules("google")
last = Rules("google", last=True)
SERVICE = "Google"


@rules("google.api_core.exceptions.RetryError")
def retried(failure: Failure) -> ToolError:
    """The library retried until its deadline."""
    message = "Google did not respond successfully in time, despite retries."
    return m.error_of(failure, m.TIMEOUT, message=message, http_status=None)


@rules(
    "google.api_core.exceptions.DuplicateCredentialArgs",
    "google.api_core.exceptions.AsyncRestUnsupportedParameterError",
    "google.cloud.storage.exceptions.InvalidPathError",
)
def rejected_by_library(failure: Failure) -> ToolError:
    """A request that the library rejects before sending."""
    return m.error_of(failure, m.ARGUMENT, message="Google's library rejected the call; nothing was sent.")


@last("google.api_core.exceptions.GoogleAPIError")
def other(failure: Failure) -> ToolError:
    """Any other exception of the library itself, such as an unreadable response."""
    return m.error_of(failure, m.FAILED, message="Google's library failed.")
