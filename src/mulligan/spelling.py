"""Misspelt words in the host's own code, configuration and command lines; the names of tools are for `resolve/`."""

from __future__ import annotations

from collections.abc import Iterable


def closest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known word that is most like another one, whatever the case of their letters; None if none is.

    Args:
        word: what was written.
        known: the words that exist.
        cutoff: how alike they must be, from 0 to 1.
    """
    import difflib

    spelled = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), spelled, 1, cutoff)
    return spelled[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The next step after an unknown word: `Did you mean 'format'?`, or the words that exist.

    Args:
        word: what was written.
        known: the words that exist.
    """
    names = list(known)
    near = closest(word, names)
    return f"Did you mean {near!r}?" if near is not None else f"Available: {', '.join(names)}"
