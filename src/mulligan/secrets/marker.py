"""The mark that takes the place of a secret."""

from __future__ import annotations

from collections.abc import Iterable

REDACTED = "[redacted]"


def redact_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Put one mark in the place of each span; spans that touch count as one.

    Args:
        text: any text.
        spans: where to begin and where to end, in any order.

    Returns:
        The text with `[redacted]` in the place of the spans.
    """
    done = 0
    parts: list[str] = []
    for start, end in sorted(spans):
        if start > done or not parts:
            parts += text[done:start], REDACTED
        done = max(done, end)
    return "".join([*parts, text[done:]])
