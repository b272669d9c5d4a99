"""Which allowed value an argument's description explains by the words that were sent: `ndwi` for `water`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mulligan.repair.names import escalates
from mulligan.resolve.words import split_words, stem

_LONGEST, _MOST = 400, 40
_PART = re.compile(r"\s*(?:,|;|\bor\b|\band\b)\s*")
_MEANING = r"\s*(?:=|:|\(|\bmeans\b|\bis\b)\s*([^,;.()=:\n]{1,60})"
_END = ".) \n"


def find_described(sent: str, candidates: Sequence[str], description: str) -> str | None:
    """The one allowed value that a description explains with all of the words that were sent; None if that is unclear.

    The description either explains values one by one (`draft = not yet sent`, `rh (relative humidity)`), or lists as many
    meanings as there are values, in their order.

    Args:
        sent: the value as sent.
        candidates: the allowed values.
        description: the argument's description, by the tool's own author.
    """
    words = _stems(sent)
    if not words or len(description) > _LONGEST or len(candidates) > _MOST:
        return None
    meanings = [_meaning_of(one, description) for one in candidates]
    if not any(meanings) and not any(_has_word(description, one) for one in candidates):
        parts = _PART.split(description.strip(_END))
        meanings = parts if len(parts) == len(candidates) else meanings
    found = [one for one, meaning in zip(candidates, meanings, strict=True) if words <= _stems(meaning)]
    return found[0] if len(found) == 1 and not escalates(sent, found[0]) else None


def _meaning_of(value: str, description: str) -> str:
    match = re.search(rf"(?<![\w-]){re.escape(value)}{_MEANING}", description, re.IGNORECASE)
    return match[1] if match else ""


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, split_words(text)))
