"""Shared by the three formats: makes the parts of a feedback that may contain foreign text safe to write."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from mulligan.plugin import Feedback, safe_str

_SMALLEST = 60
_EXACT = 10.0
_MARKUP = r"\"<>\[\]{}`|\\&#*"
_NAME = re.compile(rf"[^\s{_MARKUP}]*").fullmatch
_WORDS = re.compile(rf'(?:[^{_MARKUP}]|"[^\s{_MARKUP}]+"|`[^\s{_MARKUP}]+`)*').fullmatch


def is_name(text: str) -> bool:
    """Whether a text is only a name or a path: without spaces, markup and links.

    Args:
        text: a text that may be foreign.
    """
    return text.isprintable() and "//" not in text and _NAME(text) is not None


def is_plain(text: str) -> bool:
    """Whether a text is one line of words without markup and links, which quotes only names.

    Args:
        text: a text that may be foreign.
    """
    return text.isprintable() and "//" not in text and _WORDS(text) is not None


def next_step(feedback: Feedback) -> str:
    """The next step, or the corrected call if there is one. A step that contains other than names is replaced.

    Args:
        feedback: the parts.
    """
    if feedback.corrected:
        return "make this corrected call."
    step = feedback.next_step
    names = (feedback.tool_name, *feedback.suggestions)
    if is_plain(step) and all(is_name(name) or name not in step for name in names):
        return step
    if feedback.fatal:
        return "answer the user in words, without a tool call: say what failed and what is needed."
    if feedback.suggestions:
        return "decide which of the suggestions is meant, then call again with it; if none is, do not repeat this call."
    return "correct the call, or take another approach."


def unfenced_detail(feedback: Feedback) -> str:
    """The foreign text without the core's fence, for a format with its own fence.

    Args:
        feedback: the parts.
    """
    lines = feedback.detail.split("\n")
    if len(lines) > len(("label", "<<<mark", "mark>>>")) and lines[-1] == f"{lines[1][3:]}>>>":
        return "\n".join(lines[2:-1])
    return feedback.detail


def seconds(feedback: Feedback) -> str:
    """How long to wait, as digits, rounded up from ten seconds; empty if there is no wait.

    Args:
        feedback: the parts.
    """
    wait = feedback.retry_after
    return "" if wait is None else f"{wait:g}" if wait < _EXACT else str(math.ceil(wait))


def inert_json(text: str) -> str:
    """The same JSON value, with markup and all invisible characters as JSON escapes.

    Args:
        text: JSON text, in which such characters occur in strings only.
    """
    return "".join(char if char.isprintable() and char not in "<>&`" else _escape(char) for char in text)


def _escape(char: str) -> str:
    return re.sub("(.{4})", r"\\u\1", char.encode("utf-16-be", "surrogatepass").hex())


def max_chars(feedback: Feedback) -> int:
    """The maximum length of the smallest text. The core truncates the message as a last resort, so this shrinks to 60.

    Args:
        feedback: the parts.
    """
    return max(_SMALLEST, len(feedback.message))


def fit_to_limit(text: str, limit: int, write: Callable[[str], str]) -> str:
    """A text in the form that `write` produces, truncated before writing, so that no escape is cut.

    Args:
        text: the text.
        limit: the most characters of the result.
        write: escapes or quotes a text.
    """
    written, size = write(text), len(text)
    while len(written) > limit and size > 0:
        size = min(size - 1, size * max(limit, 0) // len(written))
        written = write(f"{safe_str(text, size)}…")
    return written if len(written) <= limit else ""
