"""Read a value as another type: a number in text, a boolean in a word, a list in a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from mulligan.repair.json_text import fix_syntax
from mulligan.repair.json_tokens import is_complete
from mulligan.repair.lossless import AMBIGUOUS_NUMBER, parse_json
from mulligan.repair.units import find_words, strip_words
from mulligan.resolve.words import canonical, split_words

_NUMBER = re.compile(r"(\D*?)((?<![\w.,])[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+|0|[1-9]\d*)(?:\.\d+)?)(\D*)")
_ONLY_WORDS = re.compile(
    r"[\s\"'`]*[^\W\d_]+(?:(?:-|\s+)[^\W\d_]+)*[\s\"'`]*"
)  # a hyphen inside a number word is not a minus sign
_LABELLED = re.compile(r"(?:#|(?P<label>[A-Za-z]{2,20})[-_#])(?P<digits>[1-9]\d{0,17})")
_LABELS = re.compile(r"(?:id|no|nr|num|number)$")
_BLANK = re.compile(r"[\s\"'`]*")
_TRUE = frozenset(("true", "yes", "on", "y", "t", "1", "enabled"))
_FALSE = frozenset(("false", "no", "off", "n", "f", "0", "disabled"))
_NULL = frozenset(("", "null", "none", "nil", "undefined"))
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNDER_TWENTY = {word: number for number, word in enumerate(_SMALL.split())}
_ROUND = {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
_SCALES = {"billion": 1_000_000_000, "million": 1_000_000, "thousand": 1_000}  # the largest first
_LONGEST, _LONGEST_JSON, _MOST_PARTS = 200, 20_000, 20
_BETWEEN = re.compile(r"\s*[,;\n]\s*(?:and\s+)?|\s+and\s+")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,9})?")
_IDENTIFIER = re.compile(r"(?=\S*[\d@._/:#-])[\w@.+/:#-]{3,}")  # with a sign or digit that a plain word has not
_DIGIT = re.compile(r"\d")


def convert_number(kind: str, value: object, is_named: Callable[[str], bool]) -> int | float | None:
    """Read text as a number of a JSON Schema type.

    Args:
        kind: `integer` or `number`.
        value: the value as sent.
        is_named: as for `parse_number`.

    Returns:
        The number, or None if the value is not text for one, or the type cannot represent it exactly.
    """
    number = parse_number(value, is_named) if isinstance(value, str) else None
    if number is None or (number.is_signed() and not number):  # an integer cannot represent -0
        return None
    if number == number.to_integral_value():
        return int(number) if kind == "integer" or number.as_tuple().exponent == 0 else _exact_float(number)
    return None if kind == "integer" else _exact_float(number)


def parse_labelled_number(text: str, name: str) -> int | None:
    """Read an identifier that repeats the name of its argument: `vm-118` for `vmid`. It is a guess, so it must be asked.

    Args:
        text: the text as sent.
        name: the name of the argument.

    Returns:
        The number, or None if the text says anything else, or the number begins with a zero.
    """
    found = _LABELLED.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None:
        return None
    label, digits = found["label"], found["digits"]
    is_label = not label or label.casefold() in (*split_words(name), _LABELS.sub("", canonical(name)))
    return int(digits) if is_label else None


def _exact_float(number: Decimal) -> float | None:
    read = float(number)
    return read if Decimal(repr(read)) == number else None


def parse_number(text: str, is_named: Callable[[str], bool] = lambda word: False) -> Decimal | None:
    """Read text that is one number, in digits (`1,234.50`) or words (`twenty-one`).

    Args:
        text: the text as sent.
        is_named: whether the argument itself states a word beside the number, such as a unit.

    Returns:
        The number, or None if the text says anything else as well.
    """
    if len(text) > _LONGEST:
        return None
    if not _DIGIT.search(text):
        return _number_in_words(text, is_named)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    before, digits, after = found.groups()
    if not (_BLANK.fullmatch(strip_words(before)) and _BLANK.fullmatch(strip_words(after))):
        return None
    if not all(map(is_named, find_words(f"{before} {after}"))):
        return None
    if AMBIGUOUS_NUMBER.fullmatch(digits):
        return None
    return Decimal(digits.replace(",", ""))


def _number_in_words(text: str, is_named: Callable[[str], bool]) -> Decimal | None:
    """Read a number spelled out in English, before or after words that the argument itself states."""
    if not _ONLY_WORDS.fullmatch(text):
        return None
    words = [word for word in find_words(text) if not is_named(word)]
    if len(words) > 1 and words[0] == "minus":
        number = _cardinal(words[1:])
        return None if number is None else Decimal(-number)
    number = _cardinal(words)
    return None if number is None else Decimal(number)


def _cardinal(words: list[str]) -> int | None:
    """Read a whole number in English words, such as `two hundred and fifty thousand` or `a dozen`; None for anything else."""
    if words and words[-1] == "dozen":
        count = 1 if words[:-1] in ([], ["a"]) else _cardinal(words[:-1])
        return None if count is None else 12 * count
    total = 0
    for scale, worth in _SCALES.items():
        if scale in words:
            place = words.index(scale)
            count = _under_thousand(words[:place])
            if not count:
                return None
            total, words = total + count * worth, words[place + 1 :]
            if not words:
                return total
    if total and words[0] == "and":
        words = words[1:]
    rest = _under_thousand(words)
    return None if rest is None or (total and not rest) else total + rest


def _under_thousand(words: list[str]) -> int | None:
    if "hundred" in words:
        place = words.index("hundred")
        count = 1 if words[:place] == ["a"] else _under_hundred(words[:place])
        rest = words[place + 1 :]
        if not count or count > 9:
            return None
        if not rest:
            return 100 * count
        more = _under_hundred(rest[1:] if rest[0] == "and" else rest)
        return 100 * count + more if more else None
    return _under_hundred(words)


def _under_hundred(words: list[str]) -> int | None:
    if len(words) == 1:
        return _UNDER_TWENTY.get(words[0], _ROUND.get(words[0]))
    if len(words) != 2 or words[0] not in _ROUND:
        return None
    unit = _UNDER_TWENTY.get(words[1], 0)
    return _ROUND[words[0]] + unit if 0 < unit < 10 else None


def parse_bool(value: object) -> bool | None:
    """Read a word or number as a boolean; None if it is not one."""
    word = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def is_null(value: object) -> bool:
    """Whether text is blank or a word for no value."""
    return isinstance(value, str) and value.strip().lower() in _NULL


def may_be_json(text: str) -> bool:
    """Whether text starts like a JSON object or list, so that it cannot be anything else."""
    return text.lstrip().startswith(("{", "["))


def parse_json_as(text: str, kind: type) -> Any:
    """Parse an object or list from JSON or nearly valid JSON.

    Args:
        text: the text as sent.
        kind: `dict` or `list`.

    Returns:
        The object or list, or None if the text contains none or is truncated.
    """
    value = parse_json(text) if may_be_json(text) else None
    if value is None and may_be_json(text) and len(text) <= _LONGEST_JSON and is_complete(text):
        fixed = fix_syntax(text)
        value = None if fixed is None else parse_json(fixed)
    return value if type(value) is kind else None


def split_values(text: str, item: Mapping[str, Any]) -> list[str] | None:
    """Read text that lists several numbers, allowed values or identifiers: `12, 14 and 15`, `ana@x.org; per@x.org`.

    What was meant is a guess, so it must be asked. Plain words are not split: they may be one sentence.

    Args:
        text: the text as sent.
        item: the schema of a list item.

    Returns:
        The values as texts, or None if the text says anything else, or may be one number, such as `1,234`.
    """
    parts = _BETWEEN.split(text.strip()) if len(text) <= _LONGEST else []
    if not 1 < len(parts) <= _MOST_PARTS:
        return None
    if item.get("type") in ("integer", "number"):
        is_list = not AMBIGUOUS_NUMBER.search(text) and all(map(_PLAIN_NUMBER.fullmatch, parts))
    elif "enum" in item:
        is_list = all(part in item["enum"] for part in parts)
    else:
        is_list = item.get("type") == "string" and all(map(_IDENTIFIER.fullmatch, parts))
    return parts if is_list else None
