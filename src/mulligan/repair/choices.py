"""Match a name or value that was sent to exactly one known candidate."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from mulligan.repair.names import drops_words, escalates, has_same_digits, has_same_signs, is_same_name, is_same_value
from mulligan.repair.synonyms import is_known_value, name_synonyms, value_synonyms
from mulligan.repair.units import may_be_symbol
from mulligan.resolve.suggestions import Entry, SuggestionIndex
from mulligan.resolve.words import is_restyled

_LONGEST, _MOST = 200, 200
_WORD = re.compile(r"[^\W\d_]+")


class Choice(NamedTuple):
    """The candidate that was meant.

    Attributes:
        name: the candidate.
        sure: whether it differs only in case and separators.
    """

    name: str
    sure: bool


def match_value(sent: str, candidates: Sequence[str]) -> Choice | None:
    """Match a value to an allowed one.

    Args:
        sent: the value as sent.
        candidates: the allowed values.

    Returns:
        The match, or None if it is ambiguous or would do more than the value that was sent.
    """
    choice = _match_candidate(sent, tuple(candidates), _synonyms, is_same_value)
    if choice is None or not _has_same_unit_case(sent, choice.name):
        return None
    return None if not choice.sure and escalates(sent, choice.name) else choice


def _synonyms(sent: str, candidates: Sequence[str]) -> list[str]:
    """The candidates with the same meaning that drop no word and have no different number."""
    has_number = any(map(str.isdigit, sent))
    return [
        value
        for value in value_synonyms(sent, candidates)
        if not (
            drops_words(sent, value)
            or (has_number and any(map(str.isdigit, value)) and not has_same_digits(sent, value))
        )
    ]


def _has_same_unit_case(sent: str, value: str) -> bool:
    """Whether no word differs only in case in a way that may make it another unit."""
    ours, theirs = _WORD.findall(sent), _WORD.findall(value)
    pairs = zip(ours, theirs, strict=False)
    differing = [(one, other) for one, other in pairs if one != other and one.casefold() == other.casefold()]
    return not any(may_be_symbol(one, other) and not is_known_value(other) for one, other in differing)


def match_name(sent: str, candidates: Sequence[str]) -> Choice | None:
    """Match an argument name to one of the tool's argument names.

    Args:
        sent: the name as sent.
        candidates: the existing names that were not sent.

    Returns:
        The match, or None if it is ambiguous.
    """
    return _match_candidate(sent, tuple(candidates), name_synonyms, is_same_name)


@lru_cache(maxsize=256)
def _match_candidate(
    sent: str,
    candidates: tuple[str, ...],
    find_synonyms: Callable[[str, Sequence[str]], list[str]],
    is_variant: Callable[[str, str], bool],
) -> Choice | None:
    if not sent or len(sent) > _LONGEST or not candidates or len(candidates) > _MOST:
        return None
    equal = [name for name in candidates if is_restyled(sent.strip(), name)]
    if len(equal) == 1:
        return Choice(equal[0], sure=True)
    synonyms = [name for name in find_synonyms(sent, candidates) if has_same_signs(sent, name)]
    if len(synonyms) == 1:
        return Choice(synonyms[0], sure=False)
    nearest_name = find_nearest(sent, synonyms or candidates)
    return Choice(nearest_name, sure=False) if nearest_name is not None and is_variant(sent, nearest_name) else None


def find_nearest(sent: str, candidates: Sequence[str]) -> str | None:
    """Find the nearest candidate by spelling, words and meaning, as for tool names; None if several are plausible."""
    names, confident = SuggestionIndex([Entry(name) for name in candidates]).suggest(sent)
    return names[0] if confident or len(names) == 1 else None
