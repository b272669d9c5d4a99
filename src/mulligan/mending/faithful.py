"""Whether a text that was mended says what was sent: no more, no less, and nothing that was cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

_PART = re.compile(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|“[^”]*”|//[^\n]*|/\*.*?\*/|/\*|[{}\[\],:]|[^\s{}\[\],:"'“”]+|\s+|.""",
    re.DOTALL,
)
_QUOTES = ('"', "'", "“")
_PLAIN = re.compile(r"-?\d[\d.eE+-]*|true|false|null|True|False|None|undefined")
_FENCE = re.compile(r"```\w*\s*")
_PAIRS = {"{": "}", "[": "]"}
_CLOSING = ("}", "]")
_OPENED = ('"', "'", "“", "/*")
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_NO_CONTENT = re.compile(r"[\s{}\[\],:\"'“”]+")
_CONSTANTS = {True: ("true", "True"), False: ("false", "False"), None: ("null", "None", "undefined")}
_EMPTY = "\0"


def unfenced(text: str) -> str:
    """The text without a code fence around it.

    Args:
        text: what was sent.
    """
    first, _, rest = text.strip().partition("\n")
    return rest[:-3].rstrip() if rest.endswith("```") and _FENCE.fullmatch(first) else text


def unwrapped(text: str) -> str:
    """The text that a JSON string holds where it is that of an object; otherwise the text itself.

    Args:
        text: what was sent.
    """
    inner = _string(text.strip())
    return inner if inner is not None and inner.lstrip().startswith("{") else text


def is_whole(arguments: object) -> bool:
    """Whether arguments surely arrived to their end: every bracket and quotation is closed, the last of them last.

    Args:
        arguments: as they were sent: text, bytes, a mapping, or None.
    """
    if isinstance(arguments, (bytes, bytearray)):
        arguments = bytes(arguments).decode(errors="replace")
    if not isinstance(arguments, str):
        from mulligan.dialects.asked import CutOff

        return isinstance(arguments, Mapping) and not isinstance(arguments, CutOff)
    inner = _string(arguments.strip())
    return _is_closed(arguments if inner is None else inner)


def _is_closed(text: str) -> bool:
    waiting: list[str] = []
    last = ""
    for part in _parts(text):
        if part in _PAIRS:
            waiting.append(_PAIRS[part])
        elif part in _OPENED or (part in _CLOSING and waiting and waiting.pop() != part):
            return False
        last = last if set(part) == {"`"} else part
    return not waiting and last in _CLOSING


def same_content(text: str, mended: str) -> bool:
    """Whether a mended text has all that stands in a text besides its punctuation, in the same order, and nothing else.

    A comment is something that was sent, and has no place in JSON.

    Args:
        text: what was sent.
        mended: the JSON it was read as.
    """
    fewer = all(_count(mended, mark) <= _count(text, mark) for mark in _PAIRS)
    return fewer and not _has_comment(text) and _content(text) == _content(mended)


def brackets(text: str) -> list[str]:
    """The brackets of a text outside of its strings, in their order.

    Args:
        text: JSON, or what is nearly JSON.
    """
    return [part for part in _parts(text) if part in _PAIRS or part in _CLOSING]


def stands_in(value: Any, places: str | Collection[str]) -> bool:
    """Whether every key and value of some JSON value was sent.

    Args:
        value: the value.
        places: the text that was sent, in which each must stand; or the parts of it, of which each must be one.
    """
    if isinstance(value, dict):
        return all(stands_in(name, places) and stands_in(item, places) for name, item in value.items())
    if isinstance(value, list):
        return all(stands_in(item, places) for item in value)
    if isinstance(value, str):
        return value in places or json.dumps(value, ensure_ascii=False)[1:-1] in places
    if value is None or isinstance(value, bool):
        return any(word in places for word in _CONSTANTS[value])
    return repr(value) in places


def quoted_parts(text: str) -> frozenset[str]:
    """The keys, strings, numbers and constants of a text, each as it is there and as it reads.

    Args:
        text: what was sent.
    """
    parts = list(_parts(text))
    quoted = [part for part in parts if part[0] in _QUOTES and len(part) > 1]
    plain = [
        part for part, after in zip(parts, [*parts[1:], ""], strict=True) if after == ":" or _PLAIN.fullmatch(part)
    ]
    return frozenset([*quoted, *map(_read, quoted), *plain])


def _parts(text: str) -> Iterator[str]:
    """The parts of a text, without white space and comments; a comment or quotation that has no end is its beginning."""
    for found in _PART.finditer(text):
        part = found[0]
        if not part.isspace() and (part == "/*" or not part.startswith(("//", "/*"))):
            yield part


def _has_comment(text: str) -> bool:
    return any(found[0].startswith(("//", "/*")) for found in _PART.finditer(text))


def _count(text: str, mark: str) -> int:
    return sum(part == mark for part in _parts(text))


def _content(text: str) -> str:
    """The text without punctuation, and with the words of JSON; an empty string counts as one character."""
    read = (_read(part) for part in _parts(text))
    return _NO_CONTENT.sub("", "".join(read))


def _read(part: str) -> str:
    quoted = len(part) > 1 and part[0] in "\"'“"
    if not quoted:
        return _WORDS.get(part, part)
    inner = part[1:-1]
    if part[0] == "'":
        inner = re.sub(r'(?<!\\)"', '\\"', inner.replace("\\'", "'"))
    elif part[0] == '"':
        inner = inner.replace("\\'", "'")
    read = _string(f'"{inner}"')
    return (inner if read is None else read) or _EMPTY


def _string(text: str) -> str | None:
    """What a JSON string reads, line breaks in it allowed; None where the text is no JSON string."""
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return None
    try:
        read = json.loads(text, strict=False)
    except ValueError:
        return None
    return read if isinstance(read, str) else None
