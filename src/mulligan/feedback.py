"""The parts of the text that a model reads after a failure, and the formats that render them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs

from mulligan.catalogue import ENGLISH, UNKNOWN, Catalogue
from mulligan.errors import Problem


@attrs.define
class Feedback:
    """The parts of a feedback text. All of them are redacted, cleaned and bounded already.

    Attributes:
        tool_name: the name that was called, safe to show.
        error_type: class name of the error.
        code: canonical gRPC status name.
        fatal: whether the run must stop.
        headline: the pinned first line.
        message: what failed, without the headline's prefix.
        user_message: one sentence for the user.
        next_step: one concrete step, as an imperative sentence.
        effect_note: what may have been changed already; empty if nothing was.
        wait_note: how long to wait, as a sentence; empty if the next step says so, or if it is unknown.
        problems: what is wrong with the arguments, the first few.
        problems_total: how many there are in all.
        resource: the path, URL, table ... that it is about, or None.
        retry_after: seconds to wait, or None.
        http_status: the provider's HTTP status, or None.
        provider: the service that failed, or None.
        suggestions: names that may be meant, best first.
        suggestion: the one close proposal or the best guesses, as a sentence; empty without any.
        options: names to choose from, best first.
        options_total: how many there are in all.
        corrected: the corrected call as JSON text if the whole call could be worked out; otherwise empty.
        hints: further advice of plugins.
        notes: how often this has happened, and what was read differently from how it was sent.
        detail: the foreign text, in its fence; empty if there is none.
        exception: the type of the exception that the tool raised, safe to show, if the error's class does not imply it.
        author_message: the message of the tool's author to the model, on one line; empty without one.
        catalogue: the templates of the sentences around the parts.
    """

    tool_name: str
    error_type: str
    code: str
    fatal: bool
    headline: str
    message: str
    user_message: str = ""
    next_step: str = ""
    effect_note: str = ""
    problems: Sequence[Problem] = ()
    problems_total: int = 0
    resource: str | None = None
    retry_after: float | None = None
    http_status: int | None = None
    provider: str | None = None
    suggestions: tuple[str, ...] = ()
    suggestion: str = ""
    options: tuple[str, ...] = ()
    options_total: int = 0
    corrected: str = ""
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    detail: str = ""
    wait_note: str = ""
    exception: str = ""
    author_message: str = ""
    catalogue: Catalogue = attrs.field(default=ENGLISH, repr=False, eq=False)


class FeedbackFormat:
    """Renders feedback. A plugin's format is a subclass, contributed by the hook `feedback_formats`.

    Attributes:
        name: the name by which a pipeline, a session or a tool selects it.
    """

    name: ClassVar[str]

    def render(self, feedback: Feedback) -> str | Mapping[str, Any]:
        """The text that the model reads; a mapping is written as JSON.

        A format need not limit the length: if the text is too long, `render` is called again with fewer parts.

        Args:
            feedback: the parts.
        """
        raise NotImplementedError(f"{type(self).__name__} has no render(feedback)")


def body(feedback: Feedback) -> list[str]:
    """Everything but the headline, one part per line, as the built-in formats share it.

    Args:
        feedback: the parts.
    """
    catalogue = feedback.catalogue
    lines = [_problem_line(problem, catalogue) for problem in feedback.problems]
    if len(lines) < feedback.problems_total:
        lines.append(catalogue["problems_total"].format(total=feedback.problems_total))
    if feedback.suggestion:
        lines.append(feedback.suggestion)
    if feedback.options_total:
        lines.append(_options_line(feedback))
    if feedback.author_message:
        lines.append(catalogue["author_says"].format(text=feedback.author_message))
    lines += feedback.notes
    if feedback.effect_note:
        lines.append(feedback.effect_note)
    if feedback.detail:
        lines.append(feedback.detail)
    lines += feedback.hints
    if feedback.wait_note:
        lines.append(feedback.wait_note)
    if step := _next_step_line(feedback):
        lines.append(step)
    return lines


def step_of(feedback: Feedback) -> str:
    """The one next step as in `body`, without the word that introduces it; empty if there is none.

    Args:
        feedback: the parts.
    """
    return _next_step_line(feedback).removeprefix(feedback.catalogue["next"].partition("{step}")[0])


def _next_step_line(feedback: Feedback) -> str:
    if feedback.corrected:
        return feedback.catalogue["next_corrected"].format(call=feedback.corrected)
    return feedback.catalogue["next"].format(step=feedback.next_step) if feedback.next_step else ""


def _options_line(feedback: Feedback) -> str:
    listed, total = len(feedback.options), feedback.options_total
    template = "options_none" if not listed else "options_some" if listed < total else "options"
    return feedback.catalogue[template].format(listed=listed, total=total, names=", ".join(feedback.options))


def _problem_line(problem: Problem, catalogue: Catalogue) -> str:
    pointer, message, expected, got = problem
    template = "problem" + ("" if expected is None else "_expected") + ("" if got is None else "_got")
    if message == UNKNOWN and template == "problem_expected":
        template = "problem_allowed"
    what = catalogue.get(f"problem:{message}", message)
    return catalogue[template].format(place=pointer or catalogue["whole"], what=what, expected=expected, got=got)
