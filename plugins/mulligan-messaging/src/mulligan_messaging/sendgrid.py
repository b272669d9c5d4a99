"""SendGrid, through sendgrid and its python_http_client: by status, with the fields that the body names.

https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send and its page on errors: `{"errors": [{"message": ...,
"field": "personalizations.0.to.0.email", "help": ...}]}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.plugin import (
    Failure,
    Problem,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    status_error,
)
from mulligan_messaging.arguments import problem_with

rules = Rules("sendgrid")
last = Rules("sendgrid", last=True)
SERVICE = "SendGrid"
_FIELDS: Mapping[str, str] = {"content": "body", "attachments": "attachment", "reply_to_list": "reply_to"}
_NUMBERS = re.compile(r"\d+|email|name|value|type|personalizations|message")
_MOST_ERRORS = 20


@rules("python_http_client.HTTPError")
def answered(failure: Failure) -> ToolError:
    """An error response from SendGrid, by status, with the fields that it names."""
    error = status_error(failure, service=SERVICE)
    problems = [problem for field in _named(failure) for problem in _problems(field, failure)]
    if isinstance(error, ToolArgumentError):
        error.problems = problems or error.problems
    elif isinstance(error, ToolPermissionError) and any(field.partition(".")[0] == "from" for field in _named(failure)):
        error.message = "SendGrid has not verified the sender."
        error.user_message = (
            "SendGrid has not verified the sender of the message. Verify it in SendGrid, then try again."
        )
        error.problems, error.fatal = problems, not problems
    return error


def _named(failure: Failure) -> Iterator[str]:
    body = failure.body
    errors = body.get("errors") if isinstance(body, Mapping) else None
    for one in errors[:_MOST_ERRORS] if isinstance(errors, list) else ():
        field = one.get("field") if isinstance(one, Mapping) else None
        if isinstance(field, str) and 0 < len(field) <= 200:
            yield field


def _problems(field: str, failure: Failure) -> list[Problem]:
    """The problem with the argument for a field; none if the call has no such argument."""
    steps = [step for step in field.split(".") if step and not _NUMBERS.fullmatch(step)]
    return problem_with(_FIELDS.get(steps[0], steps[0]), failure.arguments) if steps else []


@rules("sendgrid.ApiKeyIncludedException")
def key_in_message(failure: Failure) -> ToolError:
    """The client found an API key in the text of the message and did not send it."""
    message = "The text of the message contains an API key of SendGrid, so it was not sent."
    return ToolArgumentError(message, problems=problem_with("body", failure.arguments, "contains an API key"))


@last("sendgrid.SendGridException")
def other(_: Failure) -> ToolError:
    """Any other exception of the client."""
    return ToolExecutionError("The SendGrid call failed.")
