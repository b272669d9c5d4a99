"""Foreign text, made fit for one line of a log."""

from __future__ import annotations

from mulligan.plugin import clean

_LONGEST = 300


def one_line(text: object, most: int = _LONGEST) -> str:
    """One line without control characters, shortened.

    Args:
        text: what another party said.
        most: how many characters it may have.
    """
    line = clean(str(text), newlines=False)
    return line if len(line) <= most else line[: most - 1] + "…"
