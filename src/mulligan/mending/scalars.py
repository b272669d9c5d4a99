"""One value read as another type: a number in a text, a truth value in a word, a list in a line."""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = re.compile(r"(?<![\w.,%])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w,%]|\.\d)")
_UNIT = re.compile(r"(?<![\w.,])([-+]?\d+(?:\.\d+)?)(?=[A-Za-z€$£°]{1,12}\b)")
_TRUE = frozenset(("true", "yes", "on", "y", "t", "1", "enabled"))
_FALSE = frozenset(("false", "no", "off", "n", "f", "0", "disabled"))
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
_LONGEST = 200


def number_in(text: str) -> int | float | None:
    """The one number in a text, in digits (`19.90 euros`, `1,000`) or words (`three nights`); None for none or several.

    Args:
        text: what was sent.
    """
    if len(text) > _LONGEST or "%" in text:
        return None
    found = _NUMBER.findall(text) or _UNIT.findall(text)
    if len(found) == 1:
        digits = found[0].replace(",", "")
        return float(digits) if "." in digits else int(digits)
    return _number_in_words(text) if not re.search(r"\d", text) else None


def _number_in_words(text: str) -> int | None:
    total = part = 0
    runs = 0
    inside = False
    for word in re.findall(r"[a-z]+", text.lower()):
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
    return total + part if runs == 1 else None


def truth_in(value: object) -> bool | None:
    """The truth value that a word or a number stands for; None where it stands for none.

    Args:
        value: what was sent.
    """
    word = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def json_in(text: str, kind: type) -> Any:
    """The object or list that a text holds as JSON; None where it holds none.

    Args:
        text: what was sent.
        kind: `dict` or `list`.
    """
    if not text.strip().startswith("{" if kind is dict else "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if type(value) is kind else None


def parts_of(text: str) -> list[str]:
    """The items of a list that was sent as a line: `bug, p1`; the text itself where it has no comma.

    Args:
        text: what was sent.
    """
    return [part.strip() for part in text.split(",") if part.strip()] or [text]
