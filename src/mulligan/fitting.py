"""Feedback within its limit: whole parts are left out, the least important first; JSON stays JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any

from mulligan.feedback import Feedback
from mulligan.redaction import cut

Render = Callable[[Feedback], str | Mapping[str, Any]]
_DROPPED_FIRST = ("detail", "hints", "notes")
_HALVED = ("options", "problems")
_SHORT, _SHORTEST, _PREFIX = 100, 50, 40
_DROPPED_LAST = ("corrected", "suggestion", "options_total", "problems_total", "effect_note", "wait_note", "next_step")


def fit(feedback: Feedback, render: Render, limit: int) -> tuple[Feedback, str] | None:
    """Renders feedback within a limit, leaving out parts as long as it is too long.

    Args:
        feedback: the parts.
        render: how they are worded.
        limit: characters.

    Returns:
        The parts that went into the text, and the text; or None where even the smallest text is too long.
    """
    rendered = render(feedback)
    text = rendered if type(rendered) is str else _text(rendered)
    if len(text) <= limit:
        return feedback, text
    told = feedback
    for told in _smaller(feedback):
        rendered = render(told)
        text = _text(rendered)
        if len(text) <= limit:
            return told, text
    return (told, _shrunk(rendered, limit)) if isinstance(rendered, Mapping) else None


def _text(rendered: str | Mapping[str, Any]) -> str:
    if isinstance(rendered, str):
        return rendered
    import json

    return json.dumps(rendered, ensure_ascii=False)


def _shrunk(rendered: Mapping[str, Any], limit: int) -> str:
    """A mapping that is too long even with the fewest parts: its texts are cut, then its last members left out."""
    members = {name: cut(value, limit // 4) if isinstance(value, str) else value for name, value in rendered.items()}
    while len(_text(members)) > limit and len(members) > 1:
        members.popitem()
    return _text(members)


def _smaller(feedback: Feedback) -> Iterator[Feedback]:
    """Copies with ever fewer parts."""
    current = feedback
    for part in _DROPPED_FIRST:
        if getattr(current, part):
            yield (current := _without(current, part))
    for part in _HALVED:
        while kept := getattr(current, part):
            current = copy(current)
            setattr(current, part, kept[: len(kept) // 2])
            yield current
    for part in _DROPPED_LAST:
        yield (current := _without(current, part))
    for length in (_SHORT, _SHORTEST):
        current = copy(current)
        current.message, current.headline = cut(current.message, length), cut(current.headline, length + _PREFIX)
        yield current


def _without(feedback: Feedback, part: str) -> Feedback:
    smaller = copy(feedback)
    setattr(smaller, part, type(getattr(feedback, part))())
    return smaller
