"""What is wrong with a text that is not JSON, and where."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from json import JSONDecodeError

_HINTS = (
    ("'", "JSON strings and keys need double quotes"),
    ("“", "JSON strings and keys need straight double quotes"),
    ("NaN", "NaN is not JSON"),
    ("Infinity", "Infinity is not JSON"),
    ("-Infinity", "Infinity is not JSON"),
    ("None", "write null, not None"),
    ("True", "write true, not True"),
    ("False", "write false, not False"),
    ("```", "send the bare JSON object, without a code fence"),
    ("//", "JSON does not allow comments"),
    ("/*", "JSON does not allow comments"),
)
_CLOSING = ("}", "]")
_LITERALS = ("true", "false", "null")
_TRUNCATED = "Input data was truncated"
_HALF_A_WORD = re.compile(r'[tfn][^"]{0,3}\Z')


def syntax(text: str, error: JSONDecodeError) -> str:
    """What is wrong with a text that is not JSON, in our own words, with line and column.

    Args:
        text: the text.
        error: what the standard library says.
    """
    if _is_cut_off(text, error):
        return cut_off(text)
    rest = text[error.pos : error.pos + 12]
    hint = next((hint for start, hint in _HINTS if rest.startswith(start)), "")
    if rest.startswith(_CLOSING):
        before = text[: error.pos].rstrip()
        if before.endswith(","):
            hint = "remove the comma before it"
        elif not before or error.msg.startswith("Extra data"):
            hint = f"this {rest[0]!r} has no opening bracket"
    return f"not valid JSON at {place(text, error.pos)}: {_lower(error.msg)}" + (f"; {hint}" if hint else "")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:].rstrip(":").removesuffix(" at")


def cut_off(text: str) -> str:
    """What is wrong with a text that ends before its JSON does.

    Args:
        text: the text.
    """
    return f"not valid JSON: it ends too early at {place(text, len(text))} and seems to be cut off"


def is_truncated(text: str, refused: str) -> bool:
    """Whether a text surely ends before its JSON does, so that nobody else need be asked what is wrong with it.

    Args:
        text: the text, which is not valid.
        refused: what msgspec says. It also says so of half a surrogate escape, and of a word that is none near the end.
    """
    return refused == _TRUNCATED and "\\u" not in text and _HALF_A_WORD.search(text[-4:]) is None


def _is_cut_off(text: str, error: JSONDecodeError) -> bool:
    """Whether the text stops inside a string or a word, or where something more must come."""
    rest = text[error.pos : error.pos + 12].strip()
    return error.msg.startswith("Unterminated string") or any(word.startswith(rest) for word in _LITERALS)


def place(text: str, position: int) -> str:
    """Line and column of a position, both counted from 1.

    Args:
        text: the text.
        position: characters before it.
    """
    line = text.count("\n", 0, position) + 1
    return f"line {line} column {position - text.rfind(chr(10), 0, position)}"
