"""A set of hashes in eight bytes each: a long conversation makes hundreds of thousands of calls."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

_DIGITS = 16
_FEWEST_RECENT = 1_000
_SORTED_TO_RECENT = 16


class HashSet:
    """A set of hashes by their first 16 hexadecimal digits: in a million calls, two share them once in 10^7 conversations.

    Args:
        hashes: hexadecimal digits, 16 or more.

    Raises:
        ValueError: an item is not such a hash.
    """

    def __init__(self, hashes: Iterable[str] = ()) -> None:
        self._sorted = array("Q", sorted(set(map(_number, hashes))))
        self._recent: set[int] = set()

    def add(self, hash: str) -> None:
        """Add a hash. Recent hashes are merged into the sorted ones when they reach a sixteenth of them."""
        number = _number(hash)
        if self._holds(number):
            return
        self._recent.add(number)
        if len(self._recent) > max(_FEWEST_RECENT, len(self._sorted) // _SORTED_TO_RECENT):
            self._sorted = array("Q", sorted([*self._sorted, *self._recent]))
            self._recent.clear()

    def __contains__(self, hash: str) -> bool:
        return self._holds(_number(hash))

    def __iter__(self) -> Iterator[str]:
        return (f"{number:0{_DIGITS}x}" for number in (*self._sorted, *sorted(self._recent)))

    def _holds(self, number: int) -> bool:
        if number in self._recent:
            return True
        place = bisect_left(self._sorted, number)
        return place < len(self._sorted) and self._sorted[place] == number


def _number(hash: str) -> int:
    digits = hash[:_DIGITS]
    try:
        return int(digits if len(digits) == _DIGITS else "", 16)
    except ValueError:
        raise ValueError(f"{hash[:40]!r} is not a hash of at least {_DIGITS} hexadecimal digits") from None
