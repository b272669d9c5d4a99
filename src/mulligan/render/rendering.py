"""Feedback as text, in the format that was asked for; where that fails or stays too long, in the next best way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from mulligan.copies import copied_feedback
from mulligan.errors import PluginError
from mulligan.feedback import Feedback, FeedbackFormat, body
from mulligan.policy import Limits
from mulligan.render.fitting import Render, Room, fit, shortened
from mulligan.untrusted.objects import guarded
from mulligan.untrusted.serialize import utf8

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
