"""Feedback as text, within its limit: whole parts are left out, the least important first; JSON stays JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from mulligan.copies import copied_feedback
from mulligan.errors import PluginError
from mulligan.feedback import Feedback, FeedbackFormat, body
from mulligan.policy import Limits
from mulligan.secrets.redaction import cut
from mulligan.untrusted.objects import guarded
from mulligan.untrusted.serialize import utf8

Render = Callable[[Feedback], str | Mapping[str, Any]]


class Room(NamedTuple):
    """How much feedback may take.

    Attributes:
        chars: characters.
        tokens: tokens, or None for any number.
        counter: counts the tokens of a text; None for an estimate.
    """

    chars: int
    tokens: int | None = None
    counter: Callable[[str], int | None] = lambda text: None

    def holds(self, text: str) -> bool:
        """Whether there is room for a text."""
        if self.tokens is None or len(text) > self.chars:
            return len(text) <= self.chars
        counted = self.counter(text)
        return (-(-len(text) // _CHARS_OF_A_TOKEN) if counted is None else counted) <= self.tokens


_CHARS_OF_A_TOKEN = 4
_PARTS, _FIRST = (4, 6, 8, 12), 4  # the first members are kept as long as their texts can be cut instead
_DROPPED_FIRST = ("detail", "hints", "notes")
_HALVED = ("options", "problems")
_SHORT, _SHORTEST, _PREFIX = 100, 50, 40
_DROPPED_LAST = (
    "corrected",
    "suggestion",
    "options_total",
    "problems_total",
    "effect_note",
    "wait_note",
    "author_message",
    "next_step",
)


def fit(feedback: Feedback, render: Render, room: Room) -> tuple[Feedback, str] | None:
    """Renders feedback within a limit, leaving out parts while it is too long.

    Args:
        feedback: the parts.
        render: renders the parts.
        room: the limit of the text.

    Returns:
        The parts in the text, and the text; or None if even the smallest text is too long.
    """
    rendered = render(feedback)
    text = rendered if type(rendered) is str else _text(rendered)
    if room.holds(text):
        return feedback, text
    told = feedback
    for told in _smaller(feedback):
        rendered = render(told)
        text = _text(rendered)
        if room.holds(text):
            return told, text
    return (told, _shrunk(rendered, room)) if isinstance(rendered, Mapping) else None


def shortened(text: str, room: Room) -> str:
    """The beginning of a text, as much as there is room for.

    Args:
        text: the text.
        room: how long it may be.
    """
    short = cut(text, room.chars)
    while short and not room.holds(short):
        short = cut(short, len(short) * 3 // 4)
    return short


def _text(rendered: str | Mapping[str, Any]) -> str:
    if isinstance(rendered, str):
        return rendered
    import json

    return json.dumps(rendered, ensure_ascii=False)


def _shrunk(rendered: Mapping[str, Any], room: Room) -> str:
    """A mapping that is too long even with the fewest parts: its texts are cut, then its last members left out."""
    chars = room.chars if room.tokens is None else min(room.chars, room.tokens * _CHARS_OF_A_TOKEN)
    for part in _PARTS:
        most = chars // part
        members = {name: cut(value, most) if isinstance(value, str) else value for name, value in rendered.items()}
        fewest = 1 if part == _PARTS[-1] else _FIRST
        while not room.holds(_text(members)) and len(members) > fewest:
            members.popitem()
        if room.holds(_text(members)):
            break
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


_OWN = "mulligan.render.builtin"
Silence = Callable[[FeedbackFormat], None]
ByHook = Callable[[Feedback, FeedbackFormat], str | Mapping[str, Any] | None]


def rendered(
    feedback: Feedback,
    format: FeedbackFormat | None,
    limits: Limits,
    on_silence: Silence,
    *,
    by_hook: ByHook | None = None,
    count_tokens: Callable[[str], int | None] = lambda text: None,
) -> tuple[Feedback, str]:
    """The parts that went into the text, and the text.

    Args:
        feedback: the parts.
        format: how they are worded; None for the core's own words.
        limits: bounds on the text.
        on_silence: called with a format that gave no text, so that the text format was taken.
        by_hook: how plugins word it, where one of them does.
        count_tokens: how many tokens a text takes, where a plugin knows.
    """
    fitted = None
    room = Room(limits.feedback_chars, limits.feedback_tokens, count_tokens)
    if format is not None:
        hooked = partial(_hooked, by_hook, format, on_silence)
        fitted = _tried(feedback, hooked, room) or _tried(feedback, partial(_render, format), room)
    told, text = fitted or _tried(feedback, plain_text, room) or (feedback, shortened(feedback.headline, room))
    return told, text if text.isascii() else utf8(text)


def _tried(feedback: Feedback, render: Render, room: Room) -> tuple[Feedback, str] | None:
    try:
        return fit(feedback, render, room)
    except PluginError:
        raise
    except Exception:
        return None


def _hooked(
    by_hook: ByHook | None, format: FeedbackFormat, on_silence: Silence, parts: Feedback
) -> str | Mapping[str, Any]:
    worded = by_hook(parts, format) if by_hook is not None else guarded(partial(_by_format, format, parts))
    if worded is None:
        on_silence(format)
        raise LookupError(format.name)
    return worded


def _by_format(format: FeedbackFormat, parts: Feedback) -> str | Mapping[str, Any] | None:
    """What the format itself gives; None for what is neither text nor a mapping of JSON values."""
    worded: Any = _render(format, parts)
    if isinstance(worded, str):
        return worded
    if not isinstance(worded, Mapping):
        return None
    import json

    json.dumps(worded)
    return worded


def _render(format: FeedbackFormat, parts: Feedback) -> str | Mapping[str, Any]:
    """What the format gives; one of a plugin is given a copy, so that nothing it changes has an effect."""
    return format.render(parts if type(format).__module__ == _OWN else copied_feedback(parts))


def plain_text(feedback: Feedback) -> str:
    """The feedback in the core's own words: the headline, then one part a line.

    Args:
        feedback: the parts.
    """
    return "\n".join([feedback.headline, *body(feedback)])
