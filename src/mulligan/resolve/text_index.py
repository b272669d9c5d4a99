"""Searches many short texts quickly.

Imported on the first unknown name, together with rapidfuzz.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
from collections.abc import Iterable
from operator import methodcaller

from rapidfuzz import fuzz, process

from mulligan.resolve.words import SHORTEST_WORD

_NEAR_ENOUGH = 88
_MOST_FOUND = 8
_MOST_HITS = 100
_MOST_SEARCHED = 800_000  # characters


class TextIndex:
    """Many short texts that are searched as one long text, which is much faster than a loop over them.

    Args:
        texts: the texts; results refer to them by index.
    """

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def near(self, text: str) -> tuple[list[int], bool]:
        """The indexes of the texts with the most similar spelling, best first; and whether the first is similar enough."""
        found = self._spelled_like(text, self._texts) if text.islower() else []
        is_near = bool(found) and found[0][1] >= _NEAR_ENOUGH
        if not is_near and not (text.islower() and self._is_lower):
            found = self._spelled_like(text.lower(), map(str.lower, self._texts))
            is_near = bool(found) and found[0][1] >= _NEAR_ENOUGH
        return [number for number, _ in found], is_near

    def ending(self, text: str) -> int:
        """The number of texts that end with this one."""
        return sum(map(methodcaller("endswith", text), self._texts))

    def find_containing(self, words: list[str], scores: dict[int, float], most: int = 12) -> list[int]:
        """The indexes of the texts that contain the most of these words; rare words count more.

        Of very long texts, only the first few words are searched for.

        Args:
            words: the words.
            scores: the scores from earlier searches, by index; this search adds to them.
            most: the maximum number of indexes to return.
        """
        cut_short = []
        for word in words[: max(2, _MOST_SEARCHED // (len(self._joined) + 1))]:
            numbers = self._find_word(word.rstrip("s"))
            for number in numbers:
                scores[number] = scores.get(number, 0.0) + 1 / len(numbers)
            if len(numbers) == _MOST_HITS:
                cut_short.append((word.rstrip("s"), frozenset(numbers)))
        for (
            word,
            seen,
        ) in cut_short:  # the search for this word stopped early, so texts found by other words may contain it too
            for number in scores.keys() - seen:
                scores[number] += (word in self._texts[number].lower()) / _MOST_HITS
        return heapq.nlargest(most, scores, key=lambda number: (scores[number], -number))

    def _spelled_like(self, text: str, texts: Iterable[str]) -> list[tuple[int, float]]:
        found = process.extract(text, texts, scorer=fuzz.ratio, processor=None, score_cutoff=60, limit=_MOST_FOUND)
        return [(number, score) for _, score, number in found]

    def _find_word(self, word: str) -> list[int]:
        numbers: list[int] = []
        position = self._joined.find(word) if len(word) >= SHORTEST_WORD else -1
        while position >= 0 and len(numbers) < _MOST_HITS:
            number = bisect.bisect_right(self._ends, position)
            numbers.append(number)
            position = self._joined.find(word, self._ends[number])
        return numbers

    @functools.cached_property
    def _joined_original(self) -> str:
        return "".join(self._texts)

    @functools.cached_property
    def _is_lower(self) -> bool:
        return self._joined == self._joined_original

    @functools.cached_property
    def _joined(self) -> str:
        lowered = self._joined_original.lower()
        return lowered if len(lowered) == len(self._joined_original) else self._joined_original

    @functools.cached_property
    def _ends(self) -> list[int]:
        return list(itertools.accumulate(map(len, self._texts)))
