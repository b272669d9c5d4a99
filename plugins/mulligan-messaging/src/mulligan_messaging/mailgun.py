"""Mailgun, through its own client, which raises only what kept it from an answer; it returns answers as they are.

https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses
"""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import problem_with

rules = Rules("mailgun")
last = Rules("mailgun", last=True)
SERVICE = "Mailgun"


@rules("mailgun.UploadError")
def too_large(failure: Failure) -> ToolError:
    """A message that the client does not send since it is too large."""
    return m.error_of(failure, m.TOO_LARGE, service=SERVICE, effect="none")


@rules("mailgun.DeliverabilityError")
def spam(failure: Failure) -> ToolError:
    """A message that looks like spam, so it was not sent."""
    problems = problem_with("body", failure.arguments, "looks like spam")
    return ToolArgumentError("The message looks like spam, so it was not sent.", problems=problems)


@rules("mailgun.RouteNotFoundError")
def no_route(failure: Failure) -> ToolError:
    """An endpoint that Mailgun does not have."""
    return m.error_of(failure, m.UNIMPLEMENTED, service=SERVICE)


@rules("mailgun.ApiError")
def failed(failure: Failure) -> ToolError | None:
    """No connection, or an answer that says so by its status."""
    error = transport_error(failure, service=SERVICE)
    if error is not None:
        return error
    if failure.matches("mailgun.MailgunTimeoutError"):
        return m.error_of(failure, m.TIMEOUT, service=SERVICE)
    answer = next((one for one in (failure, *failure.inner) if one.status is not None), None)
    return None if answer is None else status_error(answer, service=SERVICE)


@last("mailgun.ApiError")
def other(_: Failure) -> ToolError:
    """Anything else of the client."""
    return ToolExecutionError("The Mailgun call failed.")
