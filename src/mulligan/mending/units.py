"""Units and currencies beside a number: they may be left out only where the argument says that very unit itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import cache
from typing import Any

from mulligan.suggesting.words import pieces, stem

_UNITS = """
ms msec msecs millisecond milliseconds millis
s sec secs second seconds
m min mins minute minutes
h hr hrs hour hours
d day days
wk wks week weeks
mo month months
y yr yrs year years
b byte bytes
kb kilobyte kilobytes
mb megabyte megabytes
gb gigabyte gigabytes
tb terabyte terabytes
kib kibibytes
mib mebibytes
gib gibibytes
mm millimeter millimeters millimetre millimetres
cm centimeter centimeters centimetre centimetres
m meter meters metre metres
km kms kilometer kilometers kilometre kilometres
mi mile miles
ft foot feet
mg mgs milligram milligrams
g gram grams
kg kgs kilo kilos kilogram kilograms
lb lbs pound pounds
oz ounce ounces
ml milliliter milliliters millilitre millilitres
l liter liters litre litres
c ° celsius centigrade
f ° fahrenheit
° deg degree degrees
% pct percent percentage
px pixel pixels
"""
_CURRENCIES = """
€ eur euro euros
$ usd dollar dollars
£ gbp pound pounds sterling
¥ jpy yen
₹ inr rupee rupees
chf franc francs
cny rmb yuan
"""
_SYMBOLS = frozenset("°%€$£¥₹")
_WORD = re.compile(r"[^\W\d_]+|[°%€$£¥₹]")
_LONGEST, _SHORTEST_NOUN = 400, 3


def words_of(text: str) -> list[str]:
    """The words of a text, and its signs of units and currencies.

    Args:
        text: what stands around a number.
    """
    return [word.lower() for word in _WORD.findall(text)]


def without_words(text: str) -> str:
    """What is left of a text besides its words, and the signs of units and currencies.

    Args:
        text: what stands around a number.
    """
    return _WORD.sub("", text)


class Said:
    """What an argument says of itself: which units, and which nouns.

    Args:
        name: its name.
        schema: its schema.
        beside: the members of the object that it is one of: what was sent, else what is the default.
    """

    def __init__(self, name: str, schema: Mapping[str, Any], beside: Mapping[str, Any]) -> None:
        texts = [schema.get(word) for word in ("title", "description")]
        self._told = [word for text in texts if isinstance(text, str) for word in _pieces(text[:_LONGEST])]
        self._named = _pieces(name)
        self._beside = beside

    def names(self, word: str) -> bool:
        """Whether it names a word that stands beside a number, so that the number alone says the same.

        Args:
            word: a lower-case word, or the sign of a unit.
        """
        units = _groups().get(word, frozenset())
        if units & self._units:
            return True
        if units and self._units:
            return False
        if units & _currencies():
            return self._is_in(units)
        nouns = {stem(noun) for noun in (*self._named, *self._told)}
        return not units and len(word) >= _SHORTEST_NOUN and stem(word) in nouns

    def has_units_of(self, given: str) -> bool:
        """Whether it says each unit that another name of it says, `timeout_ms` for `timeout`.

        Args:
            given: the other name.
        """
        groups = [_groups()[word] for word in _pieces(given) if word in _groups() and len(word) > 1]
        return all(group & self._units for group in groups)

    def is_measured_in(self, word: str) -> bool:
        """Whether a word is the unit that it says: `minutes` for a duration in minutes.

        Args:
            word: a name that was sent.
        """
        return bool(_groups().get(word.lower(), frozenset()) & self._units)

    @property
    def _units(self) -> Set[int]:
        """The unit that the name says; else the one that the description says, where it says no other too."""
        for words in (self._named, [word for word in self._told if len(word) > 1 or word in _SYMBOLS]):
            found = [_groups()[word] for word in words if word in _groups()]
            if found:
                return frozenset.intersection(*found)
        return frozenset()

    def _is_in(self, units: Set[int]) -> bool:
        """Whether no argument beside it says another currency, or may say one."""
        said = [value for name, value in self._beside.items() if "currency" in name.casefold()]
        return all(units & _groups().get(str(value).lower(), frozenset()) for value in said)


def is_unit(word: str) -> bool:
    """Whether a lower-case word is that of a unit or currency.

    Args:
        word: the word.
    """
    return word in _groups()


def _pieces(text: str) -> list[str]:
    return [*pieces(text), *_SYMBOLS.intersection(text)]


@cache
def _groups() -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate((_UNITS + _CURRENCIES).split("\n")):
        for word in line.split():
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@cache
def _currencies() -> frozenset[int]:
    return frozenset().union(*(_groups()[word] for word in _CURRENCIES.split()))
