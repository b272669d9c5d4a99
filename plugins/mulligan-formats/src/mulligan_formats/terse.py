"""The format `terse`: two lines for small windows. Foreign text that is more than plain words is a JSON string."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mulligan.plugin import Feedback, FeedbackFormat, clean
from mulligan_formats.parts import fit_to_limit, inert_json, is_name, is_plain, max_chars, next_step, seconds

_LEAST = 40
_MOST = 80
_OPTIONS = 5


class TerseFormat(FeedbackFormat):
    """What failed, and what to do next.

    Args:
        chars: characters of the text; only the author's message, a problem, the names to choose from, the next step, the
            corrected call and the wait may exceed them.
    """

    name = "terse"

    def __init__(self, chars: int = 200) -> None:
        self._chars = chars

    def render(self, feedback: Feedback) -> str:
        """Two lines; any other parts that fit precede the next step.

        Args:
            feedback: the parts.
        """
        step = _step(feedback)
        wait = _wait(feedback, step)
        rest = " ".join(
            filter(None, [_author_message(feedback), _problem(feedback), _choice(feedback, step), step, wait])
        )
        limit = self._chars if step else min(self._chars, max_chars(feedback))
        what = _subject(feedback) if step else "Error"
        left = limit - len(f"{what}: \n{rest}")
        first = f"{what}: {_message(feedback, max(_LEAST, left) if step else left)}"
        for extra in _extras(feedback):
            if len(f"{first}\n{extra} {rest}") <= limit:
                rest = f"{extra} {rest}"
        return f"{first}\n{rest}".strip()


def _step(feedback: Feedback) -> str:
    if feedback.corrected:
        return f"Call: {inert_json(feedback.corrected)}"
    return f"Next: {step}" if (step := next_step(feedback)) else ""


def _wait(feedback: Feedback, step: str) -> str:
    wait = f"{seconds(feedback)} s"
    return "" if feedback.retry_after is None or f"after {wait}," in step else f"Wait {wait}."


def _subject(feedback: Feedback) -> str:
    unknown = feedback.headline.startswith("Error: ")
    return "Error" if unknown else f"Error executing tool {_plain_or_quoted(feedback.tool_name)}"


def _message(feedback: Feedback, limit: int) -> str:
    names = is_name(feedback.tool_name) and is_name(feedback.resource or "")
    return fit_to_limit(feedback.message, limit, _plain_or_quoted if names else _quoted)


def _problem(feedback: Feedback) -> str:
    """The first problem, with its place and what is expected there, unless the corrected call shows it."""
    if feedback.corrected or not feedback.problems:
        return ""
    pointer, message, expected, _ = feedback.problems[0]
    where = fit_to_limit(pointer or "/", _MOST, _name if is_name(pointer or "/") else _quoted)
    what = f"expected {fit_to_limit(expected, _MOST, _expected)}" if expected else fit_to_limit(message, _MOST, _quoted)
    return f"{where}: {what}."


def _author_message(feedback: Feedback) -> str:
    return f"The tool says: {_quoted(feedback.author_message)}" if feedback.author_message else ""


def _choice(feedback: Feedback, step: str) -> str:
    """The proposed names, unless the next step names them all."""
    proposed = _proposed_names(feedback)
    return inert_json(feedback.suggestion) if any(f'"{name}"' not in step for name in proposed) else ""


def _proposed_names(feedback: Feedback) -> list[str]:
    return [name for name in feedback.suggestions if f'"{name}"' in feedback.suggestion]


def _extras(feedback: Feedback) -> Iterator[str]:
    """The parts that may precede the next step, most important first."""
    others = [_name(problem.pointer) for problem in feedback.problems[1:]]
    if others and not feedback.corrected:
        yield f"Also wrong: {', '.join(others)}."
    if feedback.effect_note:
        yield feedback.effect_note
    if feedback.options and not _proposed_names(feedback):
        yield f"Tools: {', '.join(map(_name, feedback.options[:_OPTIONS]))}."


def _name(text: str) -> str:
    return text if is_name(text) else _quoted(text)


def _expected(text: str) -> str:
    names = text.removeprefix("one of ").split(", ")
    return text if is_plain(text) and all(is_name(name.strip('"')) for name in names) else _quoted(text)


def _plain_or_quoted(text: str) -> str:
    return text if is_plain(text) else _quoted(text)


def _quoted(text: str) -> str:
    return inert_json(json.dumps(clean(text, newlines=False), ensure_ascii=False)) if text else ""
