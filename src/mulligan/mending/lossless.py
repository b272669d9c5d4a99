"""Whether a value that was read as another type, or under another name, still says exactly what was sent."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_ONE_WORD = re.compile(r"[^\s,;|]+")
_SEPARATORS = re.compile(r"(?<=[^\W\d_])[-_. ]+(?=[^\W_])|(?<=[^\W_])[-_. ]+(?=[^\W\d_])")  # not between two digits
_SHORTEST_WORD = 3


def is_lossless(sent: Any, read: Any) -> bool:
    """Whether a JSON value can be read as another one without losing or adding anything.

    A number or truth value in quotation marks, JSON in a string, a whole number for a text, one value for a list of
    one, a name or a word in another case or with other separators, null for a member that is left out.

    Args:
        sent: what was sent.
        read: what it is read as.
    """
    if isinstance(sent, dict) and isinstance(read, dict):
        return _object(sent, read)
    if isinstance(sent, list) and isinstance(read, list):
        return len(sent) == len(read) and all(map(is_lossless, sent, read))
    if isinstance(read, list):
        return _list(sent, read)
    if isinstance(sent, str):
        return _text(sent, read)
    if isinstance(read, str):
        return type(sent) is int and str(sent) == read
    return type(sent) is type(read) and bool(sent == read)


def _object(sent: dict[str, Any], read: dict[str, Any]) -> bool:
    others = [name for name in read if name not in sent]
    for name, value in sent.items():
        if name in read:
            found = name
        else:
            alike = [other for other in others if _same_word(name, other)]
            if not alike:
                if value is None:
                    continue
                return False
            found = alike[0]
            others.remove(found)
        if not is_lossless(value, read[found]):
            return False
    return not others


def _list(sent: Any, read: list[Any]) -> bool:
    """A list for one value: JSON in a string, or a list of it alone; a text of several words may have meant several."""
    if isinstance(sent, str) and sent.lstrip().startswith("["):
        return _text(sent, read)
    is_one = not isinstance(sent, str) or _ONE_WORD.fullmatch(sent) is not None
    return is_one and len(read) == 1 and is_lossless(sent, read[0])


def _text(sent: str, read: Any) -> bool:
    if isinstance(read, str):
        return sent == read or _same_word(sent, read)
    if isinstance(read, bool):
        return sent.strip().casefold() == str(read).casefold()
    if isinstance(read, (int, float)):
        number = sent.strip()
        return _NUMBER.fullmatch(number) is not None and Decimal(number) == Decimal(repr(read))
    if isinstance(read, (dict, list)):
        held = held_in(sent)
        return held is not None and is_lossless(held, read)
    return False


def held_in(text: str) -> Any:
    """What a text holds as JSON; None where it is none, or one in which a key stands twice.

    Args:
        text: the text.
    """

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key stands twice")
        return found

    try:
        return json.loads(text, object_pairs_hook=members)
    except (ValueError, RecursionError):
        return None


def _same_word(one: str, other: str) -> bool:
    """Whether two words differ in case and separators only; `1.5` and `15`, `-date` and `date`, `M` and `m` do not."""
    forms = {_SEPARATORS.sub("", word.strip()).casefold() for word in (one, other)}
    return len(forms) == 1 and len(forms.pop()) >= _SHORTEST_WORD
