"""Tokenize nearly valid JSON, remove its wrappers, and detect truncation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

_PART = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”|//[^\n]*|/\*.*?\*/|/\*|[{}\[\],:]|[^\s{}\[\],:"'“”]+|\s+|.""",
    re.DOTALL,
)
_FENCE = re.compile(r"```\w*\s*")
_PAIRS = {"{": "}", "[": "]"}
_CLOSING = ("}", "]")
_OPENED = ('"', "'", "“", "/*")


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
    expected_closings: list[str] = []
    last = ""
    for part in tokenize(text):
        if part in _PAIRS:
            expected_closings.append(_PAIRS[part])
        elif part in _OPENED or (part in _CLOSING and expected_closings and expected_closings.pop() != part):
            return False
        last = last if set(part) == {"`"} else part
    return not expected_closings and last in _CLOSING


def tokenize(text: str) -> Iterator[str]:
    """Yield the tokens of a text without white space and comments.

    An unterminated comment or string yields only its opening delimiter.

    Args:
        text: JSON, valid or nearly so.
    """
    for found in _PART.finditer(text):
        part = found[0]
        if not part.isspace() and (part == "/*" or not part.startswith(("//", "/*"))):
            yield part


def _parse_string(text: str) -> str | None:
    """Parse a JSON string, allowing line breaks in it; None if the text is not one."""
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return None
    try:
        read = json.loads(text, strict=False)
    except ValueError:
        return None
    return read if isinstance(read, str) else None
