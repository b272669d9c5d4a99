"""google-api-core and the libraries on it, where there is no answer: retries, and what is refused before it is sent."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules("google")
last = Rules("google", last=True)
SERVICE = "Google"


@rules("google.api_core.exceptions.RetryError")
def retried(failure: Failure) -> ToolError:
    """The library tried again until its time was over."""
    message = "Google did not respond successfully in time, despite retries."
    return m.error_of(failure, m.TIMEOUT, message=message, http_status=None)


@rules(
    "google.api_core.exceptions.DuplicateCredentialArgs",
    "google.api_core.exceptions.AsyncRestUnsupportedParameterError",
    "google.cloud.storage.exceptions.InvalidPathError",
)
def rejected_by_library(failure: Failure) -> ToolError:
    """A request that the library refuses to send."""
    return m.error_of(failure, m.ARGUMENT, message="Google's library rejected the call; nothing was sent.")


@last("google.api_core.exceptions.GoogleAPIError")
def other(failure: Failure) -> ToolError:
    """Anything else that the library raises by itself, such as an answer that cannot be read."""
    return m.error_of(failure, m.FAILED, message="Google's library failed.")
