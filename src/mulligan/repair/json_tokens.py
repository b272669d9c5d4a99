"""The parts of a text that is nearly JSON, what it is wrapped in, and whether it arrived to its end."""

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
    """The text without a code fence around it.

    Args:
        text: what was sent.
    """
    first, _, rest = text.strip().partition("\n")
    return rest[:-3].rstrip() if rest.endswith("```") and _FENCE.fullmatch(first) else text


def unwrap_string(text: str) -> str:
    """The text that a JSON string holds where it is that of an object; otherwise the text itself.

    Args:
        text: what was sent.
    """
    inner = _parse_string(text.strip())
    return inner if inner is not None and inner.lstrip().startswith("{") else text


def is_complete(arguments: object) -> bool:
    """Whether arguments are complete: every bracket and quotation is closed, the outermost bracket last.

    Args:
        arguments: as they were sent: text, bytes, a mapping, or None.
    """
    if isinstance(arguments, (bytes, bytearray)):
        arguments = bytes(arguments).decode(errors="replace")
    if not isinstance(arguments, str):
        from mulligan.dialects.readers import CutOff

        return isinstance(arguments, Mapping) and not isinstance(arguments, CutOff)
    inner = _parse_string(arguments.strip())
    return _is_closed(arguments if inner is None else inner)


def has_minus_zero(arguments: object) -> bool:
    """Whether a number in arguments is `-0`, of which a whole number loses the sign: as a text it would be another one.

    Args:
        arguments: as they were sent: text, bytes, a mapping, or None.
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
    """The parts of a text, without white space and comments; a comment or quotation that has no end is its beginning.

    Args:
        text: JSON, or what is nearly JSON.
    """
    for found in _PART.finditer(text):
        part = found[0]
        if not part.isspace() and (part == "/*" or not part.startswith(("//", "/*"))):
            yield part


def _parse_string(text: str) -> str | None:
    """What a JSON string reads, line breaks in it allowed; None where the text is no JSON string."""
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return None
    try:
        read = json.loads(text, strict=False)
    except ValueError:
        return None
    return read if isinstance(read, str) else None
