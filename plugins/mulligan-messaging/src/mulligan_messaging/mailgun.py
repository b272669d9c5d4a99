"""Mailgun, through its own client, which raises only if there is no response and returns error responses.

https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses
"""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
)
from mulligan.plugin import meanings as m
from mulligan_messaging.arguments import problem_with

rules = Rules("mailgun")
last = Rules("mailgun", last=True)
SERVICE = "Mailgun"


@rules("mailgun.DeliverabilityError")
def spam(failure: Failure) -> ToolError:
    """A message that was rejected as spam and not sent."""
    problems = problem_with("body", failure.arguments, "looks like spam")
    return ToolArgumentError("The message looks like spam, so it was not sent.", problems=problems)


@rules("mailgun.RouteNotFoundError")
def no_route(failure: Failure) -> ToolError:
    """An endpoint that Mailgun does not have."""
    return m.error_of(failure, m.UNIMPLEMENTED, service=SERVICE)


@last("mailgun.ApiError")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The Mailgun call failed.")
