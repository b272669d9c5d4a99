"""A quantity with its unit, as the number in the unit that an argument states: `1h30m` as 5400 for seconds.

The number says the same in another form, which is asked: a unit may be misread, and a model may have meant the number alone.
"""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

from mulligan.lazy import lazy_pattern
from mulligan.repair.units import is_same_unit, is_unit
from mulligan.repair.values import parse_number
from mulligan.resolve.words import split_words, stem

# Each dimension by its smallest unit, and how many of these the others are. 1 MB is 1,000,000 bytes, 1 MiB is 1,048,576.
_DIMENSIONS = (
    {"ms": 1, "s": 1_000, "minute": 60_000, "h": 3_600_000, "d": 86_400_000, "wk": 604_800_000},
    {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30},
    {"mm": 1, "cm": 10, "meter": 1_000, "km": 1_000_000},
    {"mg": 1, "g": 1_000, "kg": 1_000_000},
    {"ml": 1, "l": 1_000},
)
_PART = r"(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?\s?[^\W\d_]{1,12}"
_QUANTITY = lazy_pattern(rf"({_PART}(?:(?:\s|,\s|\sand\s|,\sand\s)?{_PART}){{0,4}})(/s|ps|\sper\ssecond)?")
_ISO_DURATION = lazy_pattern(r"P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?)?")
_NUMBER_AND_UNIT = lazy_pattern(r"(\d+(?:\.\d+)?)\s?([^\W\d_]+)")
_PER_SECOND = lazy_pattern(r"(?i)\bper second\b|/s\b")
_IS_OTHER_UNIT = lazy_pattern(r"[KMGT]b|M[glm]|[A-Z]")  # `Mb` is a megabit, and `M` may be a month or a million
_IN_WORDS = lazy_pattern(r"([^\W\d_]+(?:[\s-][^\W\d_]+)*)\s([^\W\d_]+)")
_COUNT = lazy_pattern(r"(-?(?:0|[1-9]\d{0,17})(?:\.\d{1,9})?)\s([^\W\d_]{3,30})")
_SCALES = frozenset(("hundred", "thousand", "million", "billion", "trillion", "dozen", "percent", "half", "quarter"))
_COUNTED_WORDS = "people persons guests users items copies pieces rows records lines pages files entries results"
_COUNTED = frozenset(map(stem, _COUNTED_WORDS.split()))
_LONGEST, _LONGEST_ABOUT = 60, 400


def read_quantity(text: str, unit: str, description: str) -> Decimal | None:
    """Read a text of one quantity as a number in another unit of the same dimension.

    Args:
        text: the text as sent.
        unit: the unit that the argument states, in lower case.
        description: the argument's description, which has to say so if it is an amount per second.

    Returns:
        The number; None if the text says anything else, or its units are not in descending order.
    """
    text = _in_digits(text)
    if len(text) > _LONGEST:
        return None
    parts = _parts_of_iso_duration(text)
    if not parts:
        found = _QUANTITY.fullmatch(text)
        if found is None or (found[2] is not None) != (_PER_SECOND.search(description) is not None):
            return None
        written = _NUMBER_AND_UNIT.findall(found[1])
        if any(_IS_OTHER_UNIT.fullmatch(word) for _, word in written):
            return None
        parts = [(Decimal(number), word.lower()) for number, word in written]
    for dimension in _DIMENSIONS:
        worth = _worth(unit, dimension)
        worths = [_worth(word, dimension) for _, word in parts]
        if worth and all(worths):
            is_descending = all(one > other for one, other in pairwise(worths))
            total = sum(number * each for (number, _), each in zip(parts, worths, strict=True))
            return Decimal(total) / worth if is_descending else None
    return None


def read_count(text: str, about: str) -> Decimal | None:
    """Read a number and the word for what is counted: `six people`, `12 copies`.

    Args:
        text: the text as sent.
        about: the name and the description of the argument, of which the word is one; or it is a word for people or things.

    Returns:
        The number; None if the text says anything else.
    """
    text = _in_digits(text)
    found = _COUNT.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    noun = stem(found[2].lower())
    is_counted = noun in _COUNTED or noun in map(stem, split_words(about[:_LONGEST_ABOUT]))
    is_other = is_unit(found[2].lower()) or found[2].lower() in _SCALES or parse_number(found[2]) is not None
    return Decimal(found[1]) if is_counted and not is_other else None


def _in_digits(text: str) -> str:
    """A text such as `two minutes` with its number in digits; any other text without blanks around it."""
    text = text.strip()
    found = _IN_WORDS.fullmatch(text) if len(text) <= _LONGEST else None
    number = parse_number(found[1]) if found else None
    return text if found is None or number is None else f"{number} {found[2]}"


def _parts_of_iso_duration(text: str) -> list[tuple[Decimal, str]]:
    """The numbers and units of a duration by ISO 8601, such as `PT1H30M`; none if it is not one."""
    found = _ISO_DURATION.fullmatch(text)
    if found is None:
        return []
    return [(Decimal(number), unit) for number, unit in zip(found.groups(), "dhms", strict=True) if number]


def _worth(word: str, dimension: dict[str, int]) -> int:
    """How many of its smallest unit a unit is; 0 if it is of another dimension."""
    return next((worth for unit, worth in dimension.items() if unit == word or is_same_unit(word, unit)), 0)
