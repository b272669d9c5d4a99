"""Units and currencies beside a number: they may be dropped only if the argument itself states the same unit."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from functools import cache, lru_cache
from typing import Any

from mulligan.resolve.words import split_words, stem

_UNITS = """
us µs μs usec usecs microsecond microseconds micros
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
ul µl μl microliter microliters microlitre microlitres
ml milliliter milliliters millilitre millilitres
l liter liters litre litres
c ° celsius centigrade
f ° fahrenheit
° deg degree degrees
% pct percent percentage
px pixel pixels
db decibel decibels
hz hertz
khz kilohertz
mhz megahertz
ghz gigahertz
kwh kilowatthour kilowatthours
rpm
"""
_CURRENCIES = """
€ eur euro euros
¢ cent cents
$ usd dollar dollars
£ gbp pound pounds sterling
¥ jpy yen
₹ inr rupee rupees
chf franc francs
cny rmb yuan
"""
_MILLI_OR_MEGA = re.compile(
    r"[mp](?:w|wh|v|a|hz|s|pa|j|n|k|t|f|h|b|g|m|l|bar|mol|bit|byte|gy|sv|bq|cd|lm|lx|eq|ev)", re.IGNORECASE
)
_SYMBOLS = frozenset("°%€$£¥₹¢")
_WORD = re.compile(r"[^\W\d_]+|[°%€$£¥₹]")
_UNIT_IN_DESCRIPTION = re.compile(
    r"(?:\b(?:in|as)\s+|\()(?:(?:degrees?|whole|the)\s+)?([^\W\d_]+|[°%€$£¥₹])(?![\w.]*\d)", re.IGNORECASE
)
_UNIT_ALONE = re.compile(  # a description that begins with it: `Seconds; at most 60`
    r"\s*([^\W\d_]+)(?=\s*(?:[;,.(]|\bper\b|$))"
)
_NOT_ALONE = re.compile(r"\b(?:per\b(?! second)|square|cubic|since|epoch|unix)|[²³]|/(?!s\b)[a-z]", re.IGNORECASE)
_NOT_ALONE_WORDS = frozenset(("per", "square", "squared", "sq", "cubic", "since", "epoch", "unix", "at", "2", "3"))
_COUNTED_NOUN = re.compile(r"(?:number of|how many)\s+([^\W\d_]+)", re.IGNORECASE)
_LONGEST, _SHORTEST_NOUN = 400, 3
_SHORT_SYMBOL, _LONGEST_SYMBOL = 2, 3


def find_words(text: str) -> list[str]:
    """The words, unit signs and currency signs of a text, in lower case."""
    return [word.lower() for word in _WORD.findall(text)]


def strip_words(text: str) -> str:
    """Remove words, unit signs and currency signs from a text."""
    return _WORD.sub("", text)


class ArgumentUnits:
    """The unit of an argument, and the nouns in its name.

    The unit comes from its name or title, or else from its description: the unit after `in`, `as` or an opening
    bracket, if the description names no other unit that way ("in seconds", "(EUR)", "in degrees Celsius"). Any other
    mention may be an example. Nouns in the description count only if they are counted: "number of nights", "how many
    guests".

    Args:
        name: the argument's name.
        schema: the argument's schema.
        siblings: gives the members of the enclosing object, with the values sent or else their defaults.
    """

    def __init__(self, name: str, schema: Mapping[str, Any], siblings: Callable[[], Mapping[str, Any]]) -> None:
        self._description = _text_of(schema, "description")
        self._name_words = _words_and_symbols(name)
        self._schema = schema
        self._siblings = siblings

    def names(self, word: str) -> bool:
        """Whether the argument states a word found beside a number, so that the number alone means the same.

        Args:
            word: a lower-case word, or a unit sign.
        """
        units = _groups().get(word, frozenset())
        if units:
            return bool(units & self._units) and self._has_no_other_currency(units)
        if len(word) < _SHORTEST_NOUN:
            return False
        nouns = [*self._name_words, *map(str.lower, _COUNTED_NOUN.findall(self._description))]
        return stem(word) in map(stem, nouns)

    def has_units_of(self, name: str) -> bool:
        """Whether the argument states every unit in another name for it: `timeout_ms` for `timeout` in milliseconds.

        Args:
            name: the other name.
        """
        groups = [_groups()[word] for word in _words_and_symbols(name) if word in _groups()]
        return all(group & self._units for group in groups)

    def is_measured_in(self, word: str) -> bool:
        """Whether a word is the argument's unit: `minutes` for a duration in minutes.

        Args:
            word: a name that was sent.
        """
        return bool(_groups().get(word.lower(), frozenset()) & self._units)

    @property
    def unit(self) -> str | None:
        """The unit of the argument, in lower case; None if it states none, or an amount per another unit, or a moment."""
        if _NOT_ALONE.search(self._description) or not _NOT_ALONE_WORDS.isdisjoint(self._name_words):
            return None
        units = self._units
        if not units:
            first = _UNIT_ALONE.match(self._description)
            units = _groups().get(first[1].lower(), frozenset()) if first else units
        return next((word for word, groups in _groups().items() if groups == units), None) if len(units) == 1 else None

    @property
    def _units(self) -> Set[int]:
        stated = list(map(str.lower, _UNIT_IN_DESCRIPTION.findall(self._description)))
        for words in (self._name_words, _words_and_symbols(_text_of(self._schema, "title")), stated):
            found = [_groups()[word] for word in words if word in _groups()]
            if found:
                return frozenset.intersection(*found)
        return frozenset()

    def _has_no_other_currency(self, units: Set[int]) -> bool:
        """Whether no sibling argument states, or may state, another currency."""
        if not units & _currencies():
            return True
        currencies = [value for name, value in self._siblings().items() if "currency" in name.casefold()]
        return all(units & _groups().get(str(value).lower(), frozenset()) for value in currencies)


def _text_of(schema: Mapping[str, Any], keyword: str) -> str:
    """The start of a text in a schema; empty if it is missing."""
    text = schema.get(keyword)
    return text[:_LONGEST] if isinstance(text, str) else ""


def is_unit(word: str) -> bool:
    """Whether a lower-case word is a unit or currency."""
    return word in _groups()


def is_same_unit(word: str, other: str) -> bool:
    """Whether two lower-case words are the same unit: `seconds` and `s`."""
    groups = _groups()
    return bool(groups.get(word, frozenset()) & groups.get(other, frozenset()))


def may_be_symbol(word: str, other: str) -> bool:
    """Whether a change of case may turn a word into another unit or element: `MW` and `mW`, `CA` and `Ca`.

    Symbols have one to three letters in no uniform style, and a metric prefix may be milli or mega.

    Args:
        word: a word.
        other: the same word in another case.
    """
    plain = _is_plain(word) and _is_plain(other)
    if is_unit(word.lower()) and len(word) == 1:
        return True
    if _MILLI_OR_MEGA.fullmatch(word):
        return True
    if len(word) <= _SHORT_SYMBOL:
        return len(word) == _SHORT_SYMBOL and not plain
    return len(word) <= _LONGEST_SYMBOL and not all(_is_plain(one) or one.istitle() for one in (word, other))


def _is_plain(word: str) -> bool:
    return word.islower() or word.isupper()


@lru_cache(maxsize=1_024)
def _words_and_symbols(text: str) -> tuple[str, ...]:
    """The words of a name or title, and the unit signs in it."""
    return (*split_words(text), *_SYMBOLS.intersection(text))


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
