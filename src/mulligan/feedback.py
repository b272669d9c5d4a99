"""What the model is told after a failure, as parts, and the formats that word them: `Feedback`, `FeedbackFormat`."""

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
        effect_note: what may have been changed already; empty where nothing was.
        wait_note: how long to wait, as a sentence; empty where the next step says so, or nobody knows.
        problems: what is wrong with the arguments, the first few.
        problems_total: how many there are in all.
        resource: what it is about, or None.
        retry_after: seconds to wait, or None.
        http_status: the provider's HTTP status, or None.
        provider: the service that failed, or None.
        suggestions: names that may be meant, best first.
        suggestion: the one close proposal or the best guesses, as a sentence; empty without any.
        options: names to choose from, best first.
        options_total: how many there are in all.
        corrected: the corrected call as JSON text, where it could be computed whole; else empty.
        hints: further advice of plugins.
        notes: how often this has happened, and what was read differently from how it was sent.
        detail: the foreign text, in its fence; empty where there is none.
        exception: the type of the exception that the tool raised, safe to show, if the error's class says nothing of it.
        author_message: what the tool's author says to the model, on one line; empty where nobody does.
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
    """A way to word feedback. A plugin's format is a subclass, offered by the hook `feedback_formats`.

    Attributes:
        name: how a pipeline, a session or a tool asks for it.
    """

    name: ClassVar[str]

    def render(self, feedback: Feedback) -> str | Mapping[str, Any]:
        """The text that the model reads; a mapping is written as JSON.

        Too long a text is no concern of a format: it is asked again with fewer parts.

        Args:
            feedback: the parts.
        """
        raise NotImplementedError(f"{type(self).__name__} has no render(feedback)")


def body(feedback: Feedback) -> list[str]:
    """Everything but the headline, one part a line: what the core's formats share.

    Args:
        feedback: the parts.
    """
    words = feedback.catalogue
    lines = [_problem(problem, words) for problem in feedback.problems]
    if len(lines) < feedback.problems_total:
        lines.append(words["problems_total"].format(total=feedback.problems_total))
    if feedback.suggestion:
        lines.append(feedback.suggestion)
    if feedback.options_total:
        lines.append(_options(feedback))
    if feedback.author_message:
        lines.append(words["author_says"].format(text=feedback.author_message))
    lines += feedback.notes
    if feedback.effect_note:
        lines.append(feedback.effect_note)
    if feedback.detail:
        lines.append(feedback.detail)
    lines += feedback.hints
    if feedback.wait_note:
        lines.append(feedback.wait_note)
    if step := _next(feedback):
        lines.append(step)
    return lines


def step_of(feedback: Feedback) -> str:
    """The one next step as `body` gives it, without the word that introduces it; empty if there is none.

    Args:
        feedback: the parts.
    """
    return _next(feedback).removeprefix(feedback.catalogue["next"].partition("{step}")[0])


def _next(feedback: Feedback) -> str:
    if feedback.corrected:
        return feedback.catalogue["next_corrected"].format(call=feedback.corrected)
    return feedback.catalogue["next"].format(step=feedback.next_step) if feedback.next_step else ""


def _options(feedback: Feedback) -> str:
    listed, total = len(feedback.options), feedback.options_total
    template = "options_none" if not listed else "options_some" if listed < total else "options"
    return feedback.catalogue[template].format(listed=listed, total=total, names=", ".join(feedback.options))


def _problem(problem: Problem, words: Catalogue) -> str:
    pointer, message, expected, got = problem
    template = "problem" + ("" if expected is None else "_expected") + ("" if got is None else "_got")
    if message == UNKNOWN and template == "problem_expected":
        template = "problem_allowed"
    what = words.get(f"problem:{message}", message)
    return words[template].format(place=pointer or words["whole"], what=what, expected=expected, got=got)
