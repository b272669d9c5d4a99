"""What the three formats share: the parts of a feedback that may hold foreign text, made safe to write."""

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
    """Whether a text is no more than a name or a path: without blanks, markup and links.

    Args:
        text: what may be foreign.
    """
    return text.isprintable() and "//" not in text and _NAME(text) is not None


def is_plain(text: str) -> bool:
    """Whether a text is one line of words without markup and links, where only names stand in quotation marks or backticks.

    Args:
        text: what may be foreign.
    """
    return text.isprintable() and "//" not in text and _WORDS(text) is not None


def next_step(feedback: Feedback) -> str:
    """The next step: the corrected call if there is one; where the step names something that is no name, one without it.

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
        return "do not call this tool again: it will fail the same way. Tell the user what is needed."
    if feedback.suggestions:
        return "decide which of the suggestions is meant, then call again with it; if none is, do not repeat this call."
    return "correct the call, or take another approach."


def unfenced_detail(feedback: Feedback) -> str:
    """The foreign text without the core's fence, for a format that has a fence of its own.

    Args:
        feedback: the parts.
    """
    lines = feedback.detail.split("\n")
    if len(lines) > len(("label", "<<<mark", "mark>>>")) and lines[-1] == f"{lines[1][3:]}>>>":
        return "\n".join(lines[2:-1])
    return feedback.detail


def seconds(feedback: Feedback) -> str:
    """How long to wait, as digits, from ten seconds on rounded up; empty where there is nothing to wait for.

    Args:
        feedback: the parts.
    """
    wait = feedback.retry_after
    return "" if wait is None else f"{wait:g}" if wait < _EXACT else str(math.ceil(wait))


def inert_json(text: str) -> str:
    """The same JSON value, with markup and everything invisible written as JSON's own escapes.

    Args:
        text: JSON text, in which such characters occur in strings only.
    """
    return "".join(char if char.isprintable() and char not in "<>&`" else _escape(char) for char in text)


def _escape(char: str) -> str:
    return re.sub("(.{4})", r"\\u\1", char.encode("utf-16-be", "surrogatepass").hex())


def max_chars(feedback: Feedback) -> int:
    """How long the smallest text may be. The core cuts the message before it gives up, so this becomes 60 in the end.

    Args:
        feedback: the parts.
    """
    return max(_SMALLEST, len(feedback.message))


def fit_to_limit(text: str, limit: int, write: Callable[[str], str]) -> str:
    """A text as `write` puts it, shortened before it is written, so that no escape is ever cut.

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
