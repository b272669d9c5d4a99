"""Feedback as text, within its limit: whole parts are left out, the least important first; JSON stays JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from mulligan.copies import copy_feedback
from mulligan.errors import PluginError
from mulligan.feedback import Feedback, FeedbackFormat, body
from mulligan.policy import Limits
from mulligan.secrets.redaction import cut
from mulligan.untrusted.objects import guarded
from mulligan.untrusted.serialize import utf8

Render = Callable[[Feedback], str | Mapping[str, Any]]


class SizeLimit(NamedTuple):
    """How much feedback may take.

    Attributes:
        chars: characters.
        tokens: tokens, or None for any number.
        counter: counts the tokens of a text; None for an estimate.
    """

    chars: int
    tokens: int | None = None
    counter: Callable[[str], int | None] = lambda text: None

    def fits(self, text: str) -> bool:
        """Whether there is room for a text."""
        if self.tokens is None or len(text) > self.chars:
            return len(text) <= self.chars
        counted = self.counter(text)
        return (-(-len(text) // _CHARS_OF_A_TOKEN) if counted is None else counted) <= self.tokens


_CHARS_OF_A_TOKEN = 4
_TEXT_SHARES, _KEPT_MEMBERS = (4, 6, 8, 12), 4  # the first members are kept as long as their texts can be cut instead
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


def fit_to_limit(feedback: Feedback, render: Render, limit: SizeLimit) -> tuple[Feedback, str] | None:
    """Renders feedback within a limit, leaving out parts while it is too long.

    Args:
        feedback: the parts.
        render: renders the parts.
        limit: the limit of the text.

    Returns:
        The parts in the text, and the text; or None if even the smallest text is too long.
    """
    rendered = render(feedback)
    text = rendered if type(rendered) is str else _text(rendered)
    if limit.fits(text):
        return feedback, text
    smaller = feedback
    for smaller in _smaller_copies(feedback):
        rendered = render(smaller)
        text = _text(rendered)
        if limit.fits(text):
            return smaller, text
    return (smaller, _shrink_mapping(rendered, limit)) if isinstance(rendered, Mapping) else None


def truncate_to(text: str, limit: SizeLimit) -> str:
    """The beginning of a text, as much as there is room for.

    Args:
        text: the text.
        limit: how long it may be.
    """
    short = cut(text, limit.chars)
    while short and not limit.fits(short):
        short = cut(short, len(short) * 3 // 4)
    return short


def _text(rendered: str | Mapping[str, Any]) -> str:
    if isinstance(rendered, str):
        return rendered
    import json

    return json.dumps(rendered, ensure_ascii=False)


def _shrink_mapping(rendered: Mapping[str, Any], limit: SizeLimit) -> str:
    """A mapping that is too long even with the fewest parts: its texts are cut, then its last members left out."""
    chars = limit.chars if limit.tokens is None else min(limit.chars, limit.tokens * _CHARS_OF_A_TOKEN)
    for part in _TEXT_SHARES:
        most = chars // part
        members = {name: cut(value, most) if isinstance(value, str) else value for name, value in rendered.items()}
        fewest = 1 if part == _TEXT_SHARES[-1] else _KEPT_MEMBERS
        while not limit.fits(_text(members)) and len(members) > fewest:
            members.popitem()
        if limit.fits(_text(members)):
            break
    return _text(members)


def _smaller_copies(feedback: Feedback) -> Iterator[Feedback]:
    """Copies with ever fewer parts."""
    current = feedback
    for part in _DROPPED_FIRST:
        if getattr(current, part):
            yield (current := _without_part(current, part))
    for part in _HALVED:
        while kept := getattr(current, part):
            current = copy(current)
            setattr(current, part, kept[: len(kept) // 2])
            yield current
    for part in _DROPPED_LAST:
        yield (current := _without_part(current, part))
    for length in (_SHORT, _SHORTEST):
        current = copy(current)
        current.message, current.headline = cut(current.message, length), cut(current.headline, length + _PREFIX)
        yield current


def _without_part(feedback: Feedback, part: str) -> Feedback:
    smaller = copy(feedback)
    setattr(smaller, part, type(getattr(feedback, part))())
    return smaller


_BUILT_IN_MODULE = "mulligan.render.builtin"
OnSilentFormat = Callable[[FeedbackFormat], None]
ByHook = Callable[[Feedback, FeedbackFormat], str | Mapping[str, Any] | None]


def render_to_fit(
    feedback: Feedback,
    format: FeedbackFormat | None,
    limits: Limits,
    on_silent_format: OnSilentFormat,
    *,
    by_hook: ByHook | None = None,
    count_tokens: Callable[[str], int | None] = lambda text: None,
) -> tuple[Feedback, str]:
    """The parts that went into the text, and the text.

    Args:
        feedback: the parts.
        format: how they are worded; None for the core's own words.
        limits: bounds on the text.
        on_silent_format: called with a format that gave no text, so that the text format was taken.
        by_hook: how plugins word it, where one of them does.
        count_tokens: how many tokens a text takes, where a plugin knows.
    """
    fitted = None
    limit = SizeLimit(limits.feedback_chars, limits.feedback_tokens, count_tokens)
    if format is not None:
        hooked = partial(_render_by_hook, by_hook, format, on_silent_format)
        fitted = _try_to_fit(feedback, hooked, limit) or _try_to_fit(feedback, partial(_render, format), limit)
    shown, text = (
        fitted or _try_to_fit(feedback, plain_text, limit) or (feedback, truncate_to(feedback.headline, limit))
    )
    return shown, text if text.isascii() else utf8(text)


def _try_to_fit(feedback: Feedback, render: Render, limit: SizeLimit) -> tuple[Feedback, str] | None:
    try:
        return fit_to_limit(feedback, render, limit)
    except PluginError:
        raise
    except Exception:
        return None


def _render_by_hook(
    by_hook: ByHook | None, format: FeedbackFormat, on_silent_format: OnSilentFormat, parts: Feedback
) -> str | Mapping[str, Any]:
    rendering = by_hook(parts, format) if by_hook is not None else guarded(partial(_render_checked, format, parts))
    if rendering is None:
        on_silent_format(format)
        raise LookupError(format.name)
    return rendering


def _render_checked(format: FeedbackFormat, parts: Feedback) -> str | Mapping[str, Any] | None:
    """What the format itself gives; None for what is neither text nor a mapping of JSON values."""
    rendering: Any = _render(format, parts)
    if isinstance(rendering, str):
        return rendering
    if not isinstance(rendering, Mapping):
        return None
    import json

    json.dumps(rendering)
    return rendering


def _render(format: FeedbackFormat, parts: Feedback) -> str | Mapping[str, Any]:
    """What the format gives; one of a plugin is given a copy, so that nothing it changes has an effect."""
    return format.render(parts if type(format).__module__ == _BUILT_IN_MODULE else copy_feedback(parts))


def plain_text(feedback: Feedback) -> str:
    """The feedback in the core's own words: the headline, then one part a line.

    Args:
        feedback: the parts.
    """
    return "\n".join([feedback.headline, *body(feedback)])
