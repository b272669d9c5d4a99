"""The one of several names or values that is meant by another, where it is clear which."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from mulligan.repair.names import drops_words, is_same_name, is_same_value, is_too_much, same_digits, same_signs
from mulligan.repair.tables import is_known_value, same_names, same_values
from mulligan.repair.units import may_be_symbol
from mulligan.resolve.suggestions import Entry, NameIndex
from mulligan.resolve.words import is_restyled

_LONGEST, _MOST = 200, 200
_WORD = re.compile(r"[^\W\d_]+")


class Choice(NamedTuple):
    """What is meant.

    Attributes:
        name: the candidate.
        sure: it differs in case and separators only.
    """

    name: str
    sure: bool


def value_meant(given: str, candidates: Sequence[str]) -> Choice | None:
    """The allowed value that is meant by another; None where it is not clear, or it would do more than what was sent.

    Args:
        given: what was sent.
        candidates: the allowed values.
    """
    choice = _meant(given, tuple(candidates), _synonyms, is_same_value)
    if choice is None or not _has_case_of(given, choice.name):
        return None
    return None if not choice.sure and is_too_much(given, choice.name) else choice


def _synonyms(given: str, candidates: Sequence[str]) -> list[str]:
    """The candidates that mean the same, none of which leaves a word out or has another number."""
    has_number = any(map(str.isdigit, given))
    return [
        value
        for value in same_values(given, candidates)
        if not (
            drops_words(given, value) or (has_number and any(map(str.isdigit, value)) and not same_digits(given, value))
        )
    ]


def _has_case_of(given: str, value: str) -> bool:
    """Whether no word of a value is in another case that may make it another unit."""
    ours, theirs = _WORD.findall(given), _WORD.findall(value)
    pairs = zip(ours, theirs, strict=False)
    differing = [(one, other) for one, other in pairs if one != other and one.casefold() == other.casefold()]
    return not any(may_be_symbol(one, other) and not is_known_value(other) for one, other in differing)


def name_meant(given: str, candidates: Sequence[str]) -> Choice | None:
    """The name of an argument that is meant by another; None where it is not clear.

    Args:
        given: the name that was sent.
        candidates: the names that exist and were not sent.
    """
    return _meant(given, tuple(candidates), same_names, is_same_name)


@lru_cache(maxsize=256)
def _meant(
    given: str,
    candidates: tuple[str, ...],
    same: Callable[[str, Sequence[str]], list[str]],
    is_same: Callable[[str, str], bool],
) -> Choice | None:
    if not given or len(given) > _LONGEST or not candidates or len(candidates) > _MOST:
        return None
    equal = [name for name in candidates if is_restyled(given.strip(), name)]
    if len(equal) == 1:
        return Choice(equal[0], sure=True)
    alike = [name for name in same(given, candidates) if same_signs(given, name)]
    if len(alike) == 1:
        return Choice(alike[0], sure=False)
    near = nearest(given, alike or candidates)
    return Choice(near, sure=False) if near is not None and is_same(given, near) else None


def nearest(given: str, candidates: Sequence[str]) -> str | None:
    """The candidate nearest by spelling, words and meaning, as with names of tools; None where several may be meant.

    Args:
        given: what was sent.
        candidates: what there is.
    """
    names, confident = NameIndex([Entry(name) for name in candidates]).suggest(given)
    return names[0] if confident or len(names) == 1 else None
