"""One value read as another type: a number in a text, a truth value in a word, a list in a line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mulligan.mending.faithful import is_whole
from mulligan.mending.lossless import held_in
from mulligan.mending.syntax import mend_syntax
from mulligan.mending.units import without_words, words_of

_NUMBER = re.compile(r"(\D*?)((?<!\w)[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(\D*)")
_BEFORE, _AFTER = re.compile(r"[\s\"'`(:=#~≈]*"), re.compile(r"[\s\"'`).!-]*")
_FILLERS = frozenset(
    ["a", "an", "the", "about", "around", "approximately", "roughly", "exactly", "just", "only", "or", "so"]
)
_TRUE = frozenset(("true", "yes", "on", "y", "t", "1", "enabled"))
_FALSE = frozenset(("false", "no", "off", "n", "f", "0", "disabled"))
_NULL = frozenset(("", "null", "none", "nil", "undefined"))
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: number for number, word in enumerate(_SMALL.split())} | {
    word: 10 * number for number, word in enumerate(_TENS.split(), 2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_OTHERS = {"dozen": 12, "couple": 2, "single": 1}
_LONGEST, _LONGEST_JSON = 200, 20_000


def number_of(kind: str, value: object, is_named: Callable[[str], bool]) -> int | float | None:
    """The number that a text is, if it is of a type; None where it is not.

    Args:
        kind: `integer` or `number`.
        value: what was sent.
        is_named: as for `number_in`.
    """
    number = number_in(value, is_named) if isinstance(value, str) else None
    if number is None or kind == "number":
        return number
    return int(number) if float(number).is_integer() else None


def number_in(text: str, is_named: Callable[[str], bool] = lambda word: False) -> int | float | None:
    """The one number that a text is, in digits (`1,000`) or words (`twenty one`); None where it says anything else too.

    Args:
        text: what was sent.
        is_named: whether a word beside the number, such as that of a unit, is what the argument says itself.
    """
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None if re.search(r"\d", text) else _number_in_words(text[:_LONGEST], is_named)
    before, digits, after = found.groups()
    if not (_BEFORE.fullmatch(without_words(before)) and _AFTER.fullmatch(without_words(after))):
        return None
    if not all(word in _FILLERS or is_named(word) for word in words_of(f"{before} {after}")):
        return None
    digits = digits.replace(",", "")
    return float(digits) if "." in digits else int(digits)


def _number_in_words(text: str, is_named: Callable[[str], bool]) -> int | None:
    total = part = 0
    runs = 0
    inside = False
    for word in words_of(text):
        if word in _WORDS or word in _SCALES or word in _OTHERS:
            runs += not inside
            inside = True
            if word in _SCALES:
                part = max(part, 1) * _SCALES[word]
                total, part = (total + part, 0) if _SCALES[word] >= 1_000 else (total, part)
            else:
                part += _WORDS.get(word, _OTHERS.get(word, 0))
        elif word != "and" or not inside:
            inside = False
            if not (word in _FILLERS or is_named(word)):
                return None
    return total + part if runs == 1 else None


def truth_in(value: object) -> bool | None:
    """The truth value that a word or a number stands for; None where it stands for none.

    Args:
        value: what was sent.
    """
    word = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def is_null(value: object) -> bool:
    """Whether a text is a word for no value, or holds none.

    Args:
        value: what was sent.
    """
    return isinstance(value, str) and value.strip().lower() in _NULL


def is_json(text: str) -> bool:
    """Whether a text begins as a JSON object or list does, so that it is that or nothing.

    Args:
        text: what was sent.
    """
    return text.lstrip().startswith(("{", "["))


def json_in(text: str, kind: type) -> Any:
    """The object or list that a text holds as JSON, or as what is nearly JSON; None where it holds none, or is cut off.

    Args:
        text: what was sent.
        kind: `dict` or `list`.
    """
    value = held_in(text) if is_json(text) else None
    if value is None and is_json(text) and len(text) <= _LONGEST_JSON and is_whole(text):
        mended = mend_syntax(text)
        value = None if mended is None else held_in(mended)
    return value if type(value) is kind else None


def parts_of(text: str) -> list[str]:
    """The items of a list that was sent as a line: `bug, p1`; the text itself where it has no comma.

    Args:
        text: what was sent.
    """
    return [part.strip() for part in text.split(",") if part.strip()] or [text]
