"""The tokens of nearly valid JSON: its wrappers, brackets and quoted strings, and whether they are complete.

An escape that JSON, Python and JavaScript read differently is ambiguous.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Literal

_PART = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”|//[^\n]*|/\*.*?\*/|/\*|[{}\[\],:]|[^\s{}\[\],:"'“”]+|\s+|.""",
    re.DOTALL,
)
_FENCE = re.compile(r"```\w*\s*")
_PAIRS = {"{": "}", "[": "]"}
_CLOSING = ("}", "]")
_OPENED = ('"', "'", "“", "/*")
_NEVER_CLOSED = ("/*", "“")
_COMMENTS = ("//", "/*")
Language = Literal["json", "python", "unclear"]
IDENTIFIER = re.compile(r"(?!(?:true|false|null|True|False|None)\Z)[A-Za-z_$][\w$-]*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_SIGN = re.compile(r'\\.|"', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")
_COMMON = frozenset("\"'\\bfnrt")  # the same in JSON, Python and JavaScript
_SPECIAL = frozenset("aNUuvx01234567\n\r\u2028\u2029/")  # has a special meaning in at least one of them
_PYTHON = frozenset(("True", "False", "None"))
_LOWER = frozenset(("true", "false", "null"))


def strip_code_fence(text: str) -> str:
    """Return the text without a surrounding code fence."""
    first, _, rest = text.strip().partition("\n")
    return rest[:-3].rstrip() if rest.endswith("```") and _FENCE.fullmatch(first) else text


def unwrap_string(text: str) -> str:
    """Return the object text inside a JSON string; any other text is returned unchanged."""
    inner = _parse_string(text.strip())
    return inner if inner is not None and inner.lstrip().startswith("{") else text


def is_complete(arguments: object) -> bool:
    """Whether arguments are complete: every bracket and quote is closed, the outermost bracket last.

    Args:
        arguments: the arguments as sent: text, bytes, a mapping, or None.
    """
    if isinstance(arguments, (bytes, bytearray)):
        arguments = bytes(arguments).decode(errors="replace")
    if not isinstance(arguments, str):
        from mulligan.dialects.readers import CutOff

        return isinstance(arguments, Mapping) and not isinstance(arguments, CutOff)
    inner = _parse_string(arguments.strip())
    return _is_closed(arguments if inner is None else inner)


def has_minus_zero(arguments: object) -> bool:
    """Whether arguments contain the number `-0`, whose sign an integer cannot keep.

    Args:
        arguments: the arguments as sent: text, bytes, a mapping, or None.
    """
    if isinstance(arguments, (bytes, bytearray)):
        arguments = bytes(arguments).decode(errors="replace")
    return isinstance(arguments, str) and "-0" in arguments and "-0" in tokenize(arguments)


def _is_closed(text: str) -> bool:
    if _ends_in_item(text) and "//" not in text and "/*" not in text:
        return False
    expected_closings: list[str] = []
    last = ""
    for part in _parts(text):
        if part in _PAIRS:
            expected_closings.append(_PAIRS[part])
        elif part in _CLOSING:
            if expected_closings and expected_closings.pop() != part:
                return False
        elif part in _OPENED:
            return False
        elif part.isspace() or part.startswith(_COMMENTS) or not part.strip("`"):
            continue
        last = part
    return not expected_closings and last in _CLOSING


def _ends_in_item(text: str) -> bool:
    """Whether a text clearly ends in a word or a string, or after a separator, unless that is a comment."""
    last = text.rstrip(" \t\r\n`")[-1:]
    return last.isascii() and (last.isalnum() or last in ('"', "'", ",", ":"))


def tokenize(text: str) -> Iterator[str]:
    """Yield the tokens of a text without white space and comments.

    An unterminated comment or string yields only its opening delimiter. What follows `/*` or `“` belongs to it.

    Args:
        text: JSON, valid or nearly so.
    """
    for part in _parts(text):
        if not part.isspace() and (part == "/*" or not part.startswith(_COMMENTS)):
            yield part


def _parts(text: str) -> Iterator[str]:
    for found in _PART.finditer(text):
        yield found[0]
        if found[0] in _NEVER_CLOSED:  # searching for the end of each later one would take quadratic time
            return


def _parse_string(text: str) -> str | None:
    """Parse a JSON string, allowing line breaks in it; None if the text is not one."""
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return None
    try:
        read = json.loads(text, strict=False)
    except ValueError:
        return None
    return read if isinstance(read, str) else None


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
