"""google-auth: credentials that are missing, invalid or could not be refreshed."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_google.connections import connection

rules = Rules("google")


@rules("google.auth.exceptions.TransportError", "google.auth.exceptions.ResponseError")
def renewal(failure: Failure) -> ToolError:
    """The token server is unreachable; the call itself was not made."""
    error = connection(failure)
    error.effect = "none"
    return error


@rules("google.auth.exceptions.TimeoutError")
def renewal_timeout(failure: Failure) -> ToolError:
    """The token server did not respond in time; the call itself was not made."""
    return m.error_of(failure, m.TIMEOUT, message="Fetching a token timed out; nothing was sent.", effect="none")


@rules("google.auth.exceptions.RefreshError")
def refresh(failure: Failure) -> ToolError:
    """A token that could not be refreshed because it is revoked or expired, or because the server failed."""
    if failure.look("retryable") is True:
        message = "Google's token server failed; nothing was sent."
        return m.error_of(failure, m.UNAVAILABLE, message=message, effect="none")
    message = "Google's credentials are expired, revoked or invalid: log in again."
    return m.error_of(failure, m.AUTHENTICATION, message=message)


@rules("google.auth.exceptions.GoogleAuthError")
def missing(failure: Failure) -> ToolError:
    """No usable credentials were found, or they are invalid."""
    if failure.matches("google.auth.exceptions.DefaultCredentialsError"):
        return m.error_of(failure, m.AUTHENTICATION, message="No usable credentials were found for Google.")
    return m.error_of(failure, m.AUTHENTICATION, message="Google's credentials are missing or invalid.")
