"""google-auth: credentials that are missing, invalid, or could not be renewed."""

from __future__ import annotations

from mulligan.plugin import Failure, ToolAuthenticationError, ToolError, ToolTimeoutError, ToolUnavailableError
from mulligan_google.answers import rules
from mulligan_google.connections import connection


@rules("google.auth.exceptions.TransportError", "google.auth.exceptions.ResponseError")
def renewal(failure: Failure) -> ToolError | None:
    """The server that gives out tokens cannot be reached; the call itself was not made."""
    error = connection(failure)
    error.effect = "none"
    return error


@rules("google.auth.exceptions.TimeoutError")
def renewal_timeout(failure: Failure) -> ToolError | None:
    """The server that gives out tokens did not answer in time; the call itself was not made."""
    return ToolTimeoutError("Fetching a token timed out; nothing was sent.", effect="none")


@rules("google.auth.exceptions.RefreshError")
def refresh(failure: Failure) -> ToolError | None:
    """A token that could not be renewed: revoked or expired, unless the server has a problem of its own."""
    if failure.look("retryable") is True:
        return ToolUnavailableError("Google's token server failed; nothing was sent.", effect="none")
    return ToolAuthenticationError("Google's credentials are expired, revoked or invalid: log in again.", effect="none")


@rules("google.auth.exceptions.GoogleAuthError")
def missing(failure: Failure) -> ToolError | None:
    """No usable credentials were found."""
    return ToolAuthenticationError("No usable credentials were found for Google.", effect="none")
