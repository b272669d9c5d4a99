"""What a quoted text says: an escape that JSON, Python and JavaScript read differently says nothing for certain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

Language = Literal["json", "python", "unclear"]

IDENTIFIER = re.compile(r"(?!(?:true|false|null|True|False|None)\Z)[A-Za-z_$][\w$-]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_SIGN = re.compile(r'\\.|"', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_COMMON = frozenset("\"'\\bfnrt")  # the same in all three
_SPECIAL = frozenset("aNUuvx01234567\n\r\u2028\u2029/")  # a character, or nothing, in at least one of them
_PYTHON = frozenset(("True", "False", "None"))
_LOWER = frozenset(("true", "false", "null"))


def language_of(parts: Iterable[str]) -> Language:
    """The language that a text is evidently written in; JSON with a slip if nothing tells otherwise.

    Args:
        parts: the parts of the text, without white space.
    """
    listed = list(parts)
    words = {part for part in listed if part[0] not in "\"'“"}
    has_bare_key = any(after == ":" and IDENTIFIER.fullmatch(part) for part, after in pairwise(listed))
    if words & _PYTHON and not (words & _LOWER or has_bare_key):
        return "python"
    has_single_quotes = any(part[0] == "'" for part in listed)
    return "unclear" if has_single_quotes or has_bare_key or words & _PYTHON else "json"


def read_quoted(part: str, language: Language) -> str | None:
    """What a quoted part reads in every language that it may be in; None if they differ, or it is none.

    A backslash before any other letter is a backslash in Python, and most likely in JSON: `"\\d"`. It is not if another
    escape is beside it, as in `C:\\Users\\new`.

    Args:
        part: the part, with its quotation marks.
        language: the language of the whole text.
    """
    inner = part[1:-1]
    if part[0] == "“":
        return None if "\\" in inner else inner
    escapes = _ESCAPE.findall(inner)
    if not all(len(escape) > 1 or escape in _COMMON or (escape == "/" and language == "json") for escape in escapes):
        is_literal = language != "unclear" and not any(
            len(escape) > 1 or escape in _COMMON or escape in _SPECIAL for escape in escapes
        )
        return inner if is_literal and '"' not in inner else None
    if _CONTROL.search(inner):
        return None
    try:
        read = json.loads(f'"{_SIGN.sub(_escape_for_json, inner)}"', strict=False)
    except ValueError:
        return None
    return read if isinstance(read, str) else None


def _escape_for_json(found: re.Match[str]) -> str:
    """An escape, or a quotation mark that needs one, as JSON writes it."""
    return {"\\'": "'", '"': '\\"'}.get(found[0], found[0])
