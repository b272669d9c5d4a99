"""Foreign text, made fit for one line of a log."""

from __future__ import annotations

from mulligan.plugin import clean

_LONGEST = 300


def one_line(text: object) -> str:
    """One line without control characters, shortened.

    Args:
        text: what another party said.
    """
    line = clean(str(text), newlines=False)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
