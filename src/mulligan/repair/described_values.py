"""Which allowed value an argument's description explains by the words that were sent: `ndwi` for `water`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mulligan.repair.names import escalates, is_modifier
from mulligan.resolve.words import split_words, stem

_LONGEST, _MOST, _MOST_OTHERS = 400, 40, 1
_PART = re.compile(r"\s*(?:,|;|\bor\b|\band\b)\s*")
_MEANING = r"\s*(?:=|:|\(|\bmeans\b|\bis\b)\s*([^,;.()=:\n]{1,60})"
_END = ".) \n"


def find_described(sent: str, candidates: Sequence[str], description: str) -> str | None:
    """The one allowed value that a description explains with all of the words that were sent; None if that is unclear.

    The description either explains values one by one (`draft = first version`, `rh (relative humidity)`), or lists as many
    meanings as there are values, in their order. A meaning may have one more word, unless that turns it around: `draft =
    not sent` explains nothing by the word `sent`, nor does `private = hidden from everyone` by `everyone`.

    Args:
        sent: the value as sent.
        candidates: the allowed values.
        description: the argument's description, by the tool's own author.
    """
    words = split_words(sent)
    if not words or len(description) > _LONGEST or len(candidates) > _MOST:
        return None
    meanings = [_meaning_of(one, description) for one in candidates]
    if not any(meanings) and not any(_has_word(description, one) for one in candidates):
        parts = _PART.split(description.strip(_END))
        meanings = parts if len(parts) == len(candidates) else meanings
    found = [one for one, meaning in zip(candidates, meanings, strict=True) if _explains(meaning, words)]
    return found[0] if len(found) == 1 and not escalates(sent, found[0]) else None


def _meaning_of(value: str, description: str) -> str:
    match = re.search(rf"(?<![\w-]){re.escape(value)}{_MEANING}", description, re.IGNORECASE)
    return match[1] if match else ""


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def _explains(meaning: str, sent: Sequence[str]) -> bool:
    words, sent_words = ({stem(word): word for word in found} for found in (split_words(meaning), sent))
    others = [word for word in words if word not in sent_words]
    return sent_words.keys() <= words.keys() and len(others) <= _MOST_OTHERS and not any(map(is_modifier, others))
