"""Makes foreign text safe for one line of a log."""

from __future__ import annotations

from mulligan.plugin import clean

_LONGEST = 300


def one_line(text: object, most: int = _LONGEST) -> str:
    """One line without control characters, shortened.

    Args:
        text: foreign text.
        most: the maximum number of characters.
    """
    line = clean(str(text), newlines=False)
    return line if len(line) <= most else line[: most - 1] + "…"
