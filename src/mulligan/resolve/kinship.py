"""What two words have to do with one another, as a number.

Imported at the first miss only, and rapidfuzz with it.
"""

from __future__ import annotations

import bisect

from rapidfuzz.distance import OSA

from mulligan.resolve.words import SHORTEST_WORD, UNKNOWN, Lexicon, Word

# What one word is worth in the place of another. From SYNONYM on, two words count as the same one.
_SAME_STEM, SYNONYM, MISSPELT, _BEGINNING, RELATED = 0.96, 0.85, 0.8, 0.6, 0.5
# What a word of a description is worth: the word itself, another for it, a related one.
_TOLD, _TOLD_OTHERWISE, _HINTED = 0.5, 0.4, 0.2
_LENGTHS_OF_SLIPS = (4, 8)  # from the first on one letter may differ, from the second on two


class Kin(dict[str, float]):
    """What words of the toolset are worth in the place of one word that was called, each worked out once.

    Args:
        word: the word that was called.
        lexicon: the words of the toolset.
    """

    def __init__(self, word: Word, lexicon: Lexicon) -> None:
        self._word = word
        self._lexicon = lexicon

    def __missing__(self, text: str) -> float:
        worth = self[text] = kinship(self._word, self._lexicon.word(text))
        return worth


class Told:
    """What descriptions say about one word that was called.

    Args:
        word: the word that was called.
        lexicon: the words of the toolset.
    """

    def __init__(self, word: Word, lexicon: Lexicon) -> None:
        self._word = word
        self._lexicon = lexicon
        self._seen: set[str] = set()
        self._telling: dict[str, float] = {}

    def by(self, description: frozenset[str]) -> float:
        """What a description says about it, from 0 to 1."""
        for text in description - self._seen:
            told = self._lexicon.word(text)
            if told.stem == self._word.stem:
                self._telling[text] = _TOLD
            elif told.meaning.same & self._word.meaning.same:
                self._telling[text] = _TOLD_OTHERWISE
            elif told.meaning.related & self._word.meaning.related:
                self._telling[text] = _HINTED
        self._seen |= description
        return max((self._telling[text] for text in description & self._telling.keys()), default=0.0)


def kinship(one: Word, other: Word) -> float:
    """What one word is worth in the place of another, from 0 to 1."""
    if one.stem == other.stem:
        return 1.0 if one.text == other.text else _SAME_STEM
    if one.meaning.same & other.meaning.same:
        return SYNONYM
    if one.meaning is UNKNOWN or other.meaning is UNKNOWN:
        short, long = sorted((one.text, other.text), key=len)
        allowed = slips(len(short))
        if allowed and distance(short, long, allowed) <= allowed:
            return MISSPELT
        if len(short) >= SHORTEST_WORD and long.startswith(short):
            return _BEGINNING
    return RELATED if one.meaning.related & other.meaning.related else 0.0


def distance(one: str, other: str, most: int) -> int:
    """How many letters must be changed, added, dropped or swapped with the next; `most + 1` for more than `most`."""
    return OSA.distance(one, other, score_cutoff=most)


def slips(length: int) -> int:
    """How many letters of a name of that length may differ for a slip of the pen."""
    return bisect.bisect_right(_LENGTHS_OF_SLIPS, length)
