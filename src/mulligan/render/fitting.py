"""Renders feedback within its limit: omits whole parts, the least important first, so that JSON remains valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from mulligan.copies import copy_feedback
from mulligan.errors import PluginError
from mulligan.feedback import Feedback, FeedbackFormat, body
from mulligan.policy import Limits
from mulligan.secrets.redaction import truncate
from mulligan.untrusted.objects import call_safely
from mulligan.untrusted.serialize import replace_surrogates

Render = Callable[[Feedback], str | Mapping[str, Any]]


class SizeLimit(NamedTuple):
    """The maximum size of feedback.

    Attributes:
        chars: the maximum number of characters.
        tokens: the maximum number of tokens, or None.
        counter: counts the tokens of a text; if it returns None, the count is estimated.
    """

    chars: int
    tokens: int | None = None
    counter: Callable[[str], int | None] = lambda text: None

    def fits(self, text: str) -> bool:
        """Whether a text is within the limit."""
        if self.tokens is None or len(text) > self.chars:
            return len(text) <= self.chars
        counted = self.counter(text)
        return (-(-len(text) // _CHARS_OF_A_TOKEN) if counted is None else counted) <= self.tokens


_CHARS_OF_A_TOKEN = 4
_TEXT_SHARES, _KEPT_MEMBERS = (4, 6, 8, 12), 4  # the first members are kept while cutting their texts is enough
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
    """Renders feedback within a limit, omitting parts while it is too long.

    Args:
        feedback: the parts.
        render: renders the parts.
        limit: the maximum size of the text.

    Returns:
        The parts in the text, and the text; None if even the smallest text is too long.
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
    """The start of a text, cut to the limit."""
    short = truncate(text, limit.chars)
    while short and not limit.fits(short):
        short = truncate(short, len(short) * 3 // 4)
    return short


def _text(rendered: str | Mapping[str, Any]) -> str:
    if isinstance(rendered, str):
        return rendered
    import json

    return json.dumps(rendered, ensure_ascii=False)


def _shrink_mapping(rendered: Mapping[str, Any], limit: SizeLimit) -> str:
    """Shrinks a mapping that is too long even with the fewest parts: cuts its texts, then drops its last members."""
    chars = limit.chars if limit.tokens is None else min(limit.chars, limit.tokens * _CHARS_OF_A_TOKEN)
    for part in _TEXT_SHARES:
        most = chars // part
        members = {name: truncate(value, most) if isinstance(value, str) else value for name, value in rendered.items()}
        fewest = 1 if part == _TEXT_SHARES[-1] else _KEPT_MEMBERS
        while not limit.fits(_text(members)) and len(members) > fewest:
            members.popitem()
        if limit.fits(_text(members)):
            break
    return _text(members)


def _smaller_copies(feedback: Feedback) -> Iterator[Feedback]:
    """Copies with fewer and fewer parts."""
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
        current.message, current.headline = (
            truncate(current.message, length),
            truncate(current.headline, length + _PREFIX),
        )
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
    """The parts that are in the text, and the text.

    Args:
        feedback: the parts.
        format: renders the parts; None for plain text.
        limits: bounds on the text.
        on_silent_format: called with a format that returned nothing usable, before plain text replaces it.
        by_hook: renders the parts by the hook `render_feedback`; None if no plugin implements it.
        count_tokens: the number of tokens of a text, or None if no plugin counts them.
    """
    limit = SizeLimit(limits.feedback_chars, limits.feedback_tokens, count_tokens)
    is_built_in = by_hook is None and type(format).__module__ == _BUILT_IN_MODULE
    fitted = _try_to_fit(feedback, format.render, limit) if is_built_in and format is not None else None
    if fitted is None and format is not None:
        hooked = partial(_render_by_hook, by_hook, format, on_silent_format)
        fitted = _try_to_fit(feedback, hooked, limit) or _try_to_fit(feedback, partial(_render, format), limit)
    shown, text = (
        fitted or _try_to_fit(feedback, plain_text, limit) or (feedback, truncate_to(feedback.headline, limit))
    )
    return shown, text if text.isascii() else replace_surrogates(text)


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
    rendering = by_hook(parts, format) if by_hook is not None else call_safely(partial(_render_checked, format, parts))
    if rendering is None:
        on_silent_format(format)
        raise LookupError(format.name)
    return rendering


def _render_checked(format: FeedbackFormat, parts: Feedback) -> str | Mapping[str, Any] | None:
    """The format's result; None if it is neither text nor a mapping of JSON values."""
    rendering: Any = _render(format, parts)
    if isinstance(rendering, str):
        return rendering
    if not isinstance(rendering, Mapping):
        return None
    import json

    json.dumps(rendering)
    return rendering


def _render(format: FeedbackFormat, parts: Feedback) -> str | Mapping[str, Any]:
    """The format's result. A plugin's format receives a copy of the parts, so that its changes have no effect."""
    return format.render(parts if type(format).__module__ == _BUILT_IN_MODULE else copy_feedback(parts))


def plain_text(feedback: Feedback) -> str:
    """The feedback as plain text: the headline, then one line for each part."""
    return "\n".join([feedback.headline, *body(feedback)])
