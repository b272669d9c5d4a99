"""Reads JSON as people write it, with comments and trailing commas, and keeps the place of each value in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs

_BLANK = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ATOM = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DECODER = json.JSONDecoder()
_MOST_LEVELS = 200


class JsonTextError(ValueError):
    """The text is not JSON, with or without comments; the message says where."""


@attrs.frozen
class Node:
    """A value and its place.

    Attributes:
        value: the value.
        start: where its text begins.
        end: where its text ends.
        members: the nodes of an object by key, or of a list by index.
    """

    value: Any
    start: int
    end: int
    members: dict[Any, Node] = attrs.field(factory=dict)


def parse_json_text(text: str) -> Node:
    """Parses a text.

    Args:
        text: JSON, possibly with comments, trailing commas and a byte order mark.

    Raises:
        JsonTextError: it is not JSON, or a key occurs twice.
    """
    node = _Reader(text).value(_skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _error(text, end, "the end of the file is expected")
    return node


def with_edits(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with some parts replaced.

    Args:
        text: the text.
        edits: start, end and replacement of each part; no two overlap.
    """
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text


def indented(value: Any, text: str, place: int) -> str:
    """A value as text, in the style of the text around it.

    Args:
        value: the value.
        text: the text around it.
        place: where in it the value will be.
    """
    line = text[text.rfind("\n", 0, place) + 1 : place]
    margin = line[: len(line) - len(line.lstrip())]
    unit = "\t" if "\t" in margin else " " * (_smallest_step(text) or 2)
    ending = "\r\n" if "\r\n" in text else "\n"
    return to_json(value, unit).replace("\n", ending + margin)


def to_json(value: Any, indent: str | None = None) -> str:
    """A value as JSON that UTF-8 can encode: a lone surrogate stays an escape.

    Args:
        value: the value.
        indent: what each level is indented by, or None for one line.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _smallest_step(text: str) -> int:
    return min((len(found) for found in re.findall(r"^( +)\S", text, re.MULTILINE)), default=0)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, place: int, level: int) -> Node:
        text = self._text
        if level > _MOST_LEVELS:
            raise _error(text, place, "it is nested too deeply")
        first = text[place : place + 1]
        if first == '"':
            return self._string(place)
        if first == "{":
            return self._object(place, level)
        if first == "[":
            return self._list(place, level)
        found = _ATOM.match(text, place)
        if found is None:
            raise _error(text, place, "a value is expected")
        return Node(json.loads(found[0]), place, found.end())

    def _string(self, place: int) -> Node:
        if self._text[place : place + 1] != '"':
            raise _error(self._text, place, "a text in double quotes is expected")
        try:
            value, end = _DECODER.raw_decode(self._text, place)
        except json.JSONDecodeError as error:
            raise _error(self._text, error.pos, error.msg) from None
        return Node(value, place, end)

    def _object(self, place: int, level: int) -> Node:
        members: dict[str, Node] = {}
        for start in self._items(place, "}"):
            key = self._string(start)
            if key.value in members:
                raise _error(self._text, start, f"the key {key.value!r} is there twice")
            colon = _skip(self._text, key.end)
            if self._text[colon : colon + 1] != ":":
                raise _error(self._text, colon, "a colon is expected")
            member = self.value(_skip(self._text, colon + 1), level + 1)
            members[key.value] = member
            self._after = member.end
        end = self._after + 1
        return Node({key: member.value for key, member in members.items()}, place, end, members)

    def _list(self, place: int, level: int) -> Node:
        members: list[Node] = []
        for start in self._items(place, "]"):
            members.append(self.value(start, level + 1))
            self._after = members[-1].end
        return Node([member.value for member in members], place, self._after + 1, dict(enumerate(members)))

    def _items(self, place: int, closing: str) -> Iterator[int]:
        """Yields where each item begins; at the end, `_after` is the place of the closing bracket."""
        at = _skip(self._text, place + 1)
        while self._text[at : at + 1] != closing:
            yield at
            at = _skip(self._text, self._after)
            if self._text[at : at + 1] == ",":
                at = _skip(self._text, at + 1)
            elif self._text[at : at + 1] != closing:
                raise _error(self._text, at, f"a comma or {closing} is expected")
        self._after = at


def _skip(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return place if found is None else found.end()


def _error(text: str, place: int, why: str) -> JsonTextError:
    line = text.count("\n", 0, place) + 1
    column = place - text.rfind("\n", 0, place)
    return JsonTextError(f"line {line}, column {column}: {why}")
