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


class Texts:
    """Many short texts that are searched as one long text, which is much faster than a loop over them.

    Args:
        texts: the texts; results refer to them by index.
    """

    def __init__(self, texts: list[str]) -> None:
        self._each = texts

    def near(self, text: str) -> tuple[list[int], bool]:
        """The indexes of the texts with the most similar spelling, best first; and whether the first is similar enough."""
        found = self._spelled_like(text, self._each) if text.islower() else []
        is_near = bool(found) and found[0][1] >= _NEAR_ENOUGH
        if not is_near and not (text.islower() and self._is_lower):
            found = self._spelled_like(text.lower(), map(str.lower, self._each))
            is_near = bool(found) and found[0][1] >= _NEAR_ENOUGH
        return [number for number, _ in found], is_near

    def ending(self, text: str) -> int:
        """The number of texts that end with this one."""
        return sum(map(methodcaller("endswith", text), self._each))

    def holding(self, words: list[str], held: dict[int, float], most: int = 12) -> list[int]:
        """The indexes of the texts that contain the most of these words; rare words count more.

        Of very long texts, only the first few words are searched for.

        Args:
            words: the words.
            held: the scores from earlier searches, by index; this search adds to them.
            most: the maximum number of indexes to return.
        """
        cut_short = []
        for word in words[: max(2, _MOST_SEARCHED // (len(self._joined) + 1))]:
            numbers = self._with(word.rstrip("s"))
            for number in numbers:
                held[number] = held.get(number, 0.0) + 1 / len(numbers)
            if len(numbers) == _MOST_HITS:
                cut_short.append((word.rstrip("s"), frozenset(numbers)))
        for (
            word,
            seen,
        ) in cut_short:  # the search for this word stopped early, so texts found by other words may contain it too
            for number in held.keys() - seen:
                held[number] += (word in self._each[number].lower()) / _MOST_HITS
        return heapq.nlargest(most, held, key=lambda number: (held[number], -number))

    def _spelled_like(self, text: str, texts: Iterable[str]) -> list[tuple[int, float]]:
        found = process.extract(text, texts, scorer=fuzz.ratio, processor=None, score_cutoff=60, limit=_MOST_FOUND)
        return [(number, score) for _, score, number in found]

    def _with(self, word: str) -> list[int]:
        numbers: list[int] = []
        position = self._joined.find(word) if len(word) >= SHORTEST_WORD else -1
        while position >= 0 and len(numbers) < _MOST_HITS:
            number = bisect.bisect_right(self._ends, position)
            numbers.append(number)
            position = self._joined.find(word, self._ends[number])
        return numbers

    @functools.cached_property
    def _joined_as_given(self) -> str:
        return "".join(self._each)

    @functools.cached_property
    def _is_lower(self) -> bool:
        return self._joined == self._joined_as_given

    @functools.cached_property
    def _joined(self) -> str:
        lowered = self._joined_as_given.lower()
        return lowered if len(lowered) == len(self._joined_as_given) else self._joined_as_given

    @functools.cached_property
    def _ends(self) -> list[int]:
        return list(itertools.accumulate(map(len, self._each)))
