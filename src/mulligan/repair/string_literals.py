"""Read quoted strings; an escape that JSON, Python and JavaScript read differently is ambiguous."""

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
_COMMON = frozenset("\"'\\bfnrt")  # the same in JSON, Python and JavaScript
_SPECIAL = frozenset("aNUuvx01234567\n\r\u2028\u2029/")  # has a special meaning in at least one of them
_PYTHON = frozenset(("True", "False", "None"))
_LOWER = frozenset(("true", "false", "null"))


def language_of(parts: Iterable[str]) -> Language:
    """The language that a text is evidently written in; JSON unless there is evidence to the contrary.

    Args:
        parts: the tokens of the text, without white space.
    """
    listed = list(parts)
    words = {part for part in listed if part[0] not in "\"'“"}
    has_bare_key = any(after == ":" and IDENTIFIER.fullmatch(part) for part, after in pairwise(listed))
    if words & _PYTHON and not (words & _LOWER or has_bare_key):
        return "python"
    has_single_quotes = any(part[0] == "'" for part in listed)
    return "unclear" if has_single_quotes or has_bare_key or words & _PYTHON else "json"


def read_quoted(part: str, language: Language) -> str | None:
    """Read a quoted string, if every language it may be written in reads it alike.

    A backslash before an ordinary letter is literal in Python, and most likely meant so in JSON: `"\\d"`. If the string
    also contains a real escape, as in `C:\\Users\\new`, it is ambiguous.

    Args:
        part: the string, with its quotation marks.
        language: the language of the whole text.

    Returns:
        The content, or None if the languages differ or the string is invalid.
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
    """Return an escape, or a quotation mark that needs one, as JSON writes it."""
    return {"\\'": "'", '"': '\\"'}.get(found[0], found[0])
