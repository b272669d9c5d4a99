"""Redaction: find secrets in foreign text by value, shape or name, and replace them with a mark."""

from __future__ import annotations

from collections.abc import Iterable

REDACTED = "[redacted]"


def redact_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Replace each span with the redaction mark; overlapping or adjacent spans share one mark.

    Args:
        text: any text.
        spans: pairs of start and end positions, in any order.

    Returns:
        The text with `[redacted]` in place of the spans.
    """
    done = 0
    parts: list[str] = []
    for start, end in sorted(spans):
        if start > done or not parts:
            parts += text[done:start], REDACTED
        done = max(done, end)
    return "".join([*parts, text[done:]])
