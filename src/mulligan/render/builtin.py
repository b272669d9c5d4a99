"""The default `render_feedback` plugin, with the formats `text`, `json` and `block`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from mulligan.feedback import Feedback, FeedbackFormat, body, step_of
from mulligan.hookimpl import hookimpl


class TextFormat(FeedbackFormat):
    """Plain lines: what failed, why, and what to do next."""

    name = "text"

    def render(self, feedback: Feedback) -> str:
        """The headline, then one line for each part."""
        return "\n".join([feedback.headline, *body(feedback)])


class JsonFormat(FeedbackFormat):
    """One JSON object: `error`, `message`, `toolName`, `feedback`, and the parts as fields."""

    name = "json"

    def render(self, feedback: Feedback) -> Mapping[str, Any]:
        """The object, without empty parts."""
        fields: dict[str, Any] = {
            "code": feedback.code,
            "errorType": feedback.error_type,
            "exceptionType": feedback.exception,
            "fatal": feedback.fatal,
            "resource": feedback.resource,
            "retryAfter": feedback.retry_after,
            "httpStatus": feedback.http_status,
            "provider": feedback.provider,
            "problems": [problem._asdict() for problem in feedback.problems],
            "suggestions": list(feedback.suggestions),
            "authorMessage": feedback.author_message,
            "nextStep": step_of(feedback),
        }
        members = {name: value for name, value in fields.items() if value not in (None, [], "")}
        advice = "\n".join(_advice(feedback)) or feedback.message
        message, name = "\n".join(_what_failed(feedback)), feedback.tool_name or None
        return {"error": True, "message": message, "toolName": name, "feedback": advice, **members}


class BlockFormat(FeedbackFormat):
    """A block of labelled lines."""

    name = "block"

    def render(self, feedback: Feedback) -> str:
        """Five labelled lines, then the advice."""
        lines = [
            "Tool Execution Result:",
            f"Tool Name: {feedback.tool_name}",
            "Status: FAILED",
            f"Error Type: {feedback.error_type}" + (f" ({feedback.exception})" if feedback.exception else ""),
        ]
        first, *others = _what_failed(feedback)
        return "\n".join([*lines, f"Error Message: {first}", *others, *_advice(feedback)])


def _what_failed(feedback: Feedback) -> list[str]:
    """What failed: our own sentence, then the reported text in its fence."""
    return [feedback.message, feedback.detail] if feedback.detail else [feedback.message]


def _advice(feedback: Feedback) -> list[str]:
    """The next step, and the parts that support it."""
    if not feedback.detail:
        return body(feedback)
    rest = copy(feedback)
    rest.detail = ""
    return body(rest)


@hookimpl(trylast=True)
def feedback_formats() -> Iterable[FeedbackFormat]:
    """The built-in formats."""
    return [TextFormat(), JsonFormat(), BlockFormat()]


@hookimpl(trylast=True)
def render_feedback(feedback: Feedback, format: FeedbackFormat) -> str | Mapping[str, Any]:
    """The feedback, rendered by the format."""
    return format.render(feedback)
