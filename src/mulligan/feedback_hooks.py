"""The hooks that are about feedback, a part of `mulligan.hookspecs`: what the model reads, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.classify.failure import Failure
from mulligan.errors import ToolError
from mulligan.feedback import Feedback, FeedbackFormat
from mulligan.hookimpl import hookspec


@hookspec(firstresult=True)
def render_feedback(feedback: Feedback, format: FeedbackFormat) -> str | Mapping[str, Any] | None:
    """Decides how feedback is worded: for one kind of failure anew; a whole format comes by `feedback_formats`.

    Asked once for each failure, and again with fewer parts where the text is too long. A mapping is written as JSON; None
    leaves it to the next plugin.

    The built-in asks the format's own `render`.

    Args:
        feedback: the parts, redacted and bounded.
        format: the format that was asked for.

    Example:
        @hookimpl
        def render_feedback(feedback, format):
            if format.name == "text" and feedback.error_type == "ToolTimeoutError":
                return f"{feedback.headline}\\nAsk for less in one call."
    """


@hookspec(firstresult=True)
def count_tokens(text: str) -> int | None:
    """Decides how many tokens of the model's context a text takes.

    Asked only where `Limits.feedback_tokens` is set, for each feedback text, and again with fewer parts where it is too long.
    None leaves it to the next plugin.

    The built-in estimate is a quarter of the characters, rounded up.

    Args:
        text: the whole feedback.

    Example:
        @hookimpl
        def count_tokens(text):
            return len(re.findall(r"\\w+|[^\\w\\s]", text))
    """


@hookspec
def hints(error: ToolError, failure: Failure | None) -> Iterable[str]:
    """Contributes further advice for the model, one sentence each.

    Asked once for each failure. There is no built-in.

    Args:
        error: what the failure means.
        failure: what happened, or None where no tool was run.

    Example:
        @hookimpl
        def hints(error):
            if isinstance(error, ToolQuotaError) and error.provider == "acme":
                yield "Ask for several records in one call."
    """
    return ()


@hookspec
def feedback_formats() -> Iterable[FeedbackFormat]:
    """Contributes formats of feedback, chosen by name per pipeline, session and tool.

    Asked once for each pipeline. The built-in ones are `text`, `json` and `block`.

    Example:
        class Shout(FeedbackFormat):
            name = "shout"

            def render(self, feedback):
                return feedback.headline.upper()

        @hookimpl
        def feedback_formats():
            yield Shout()
    """
    return ()
