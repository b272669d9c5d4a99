"""Read broken JSON by the names that a tool's schema declares: what was most likely meant, to be asked and never run.

A text with quotation marks that are not escaped, a value without quotation marks, a calculation of two numbers, a
list that another member interrupts and an inner object or list that is not closed are read if the whole text has
exactly one such reading. Nothing is dropped, and nothing that was cut off is completed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from mulligan.repair.json_tokens import strip_code_fence, unwrap_string
from mulligan.repair.lossless import parse_json
from mulligan.repair.schemas import SchemaResolver, is_of_type
from mulligan.validate.numbers import PreciseNumberError, read_exact

_LONGEST, _MOST_STEPS, _DEEPEST = 5_000, 400, 8
_SPACE = re.compile(r"\s*")
_KEY = re.compile(r'"([^"\\\s]{1,64})"\s*:')
_LITERAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null")
_BARE = re.compile(r"\+?[^\W_][\w .:/-]*")
_NO_VALUE = frozenset(("true", "false", "null", "none", "nil", "nan", "infinity", "undefined", "void"))
_OPERATION = re.compile(r"(-?\d{1,9}(?:\.\d{1,6})?)\s*([-+*])\s*(\d{1,9}(?:\.\d{1,6})?)")
_OPERATORS = {"+": Decimal.__add__, "-": Decimal.__sub__, "*": Decimal.__mul__}
_JOINED = re.compile(r'"\s*[-+*%,.]?\s*"')  # several texts in a row, joined in a way that only a program knows
_NO_SIBLINGS: Mapping[str, Any] = {}
_STRING_OR_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]|"', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_QUOTE = re.compile(r'(?<!\\)((?:\\\\)*)"')


def guess_arguments(text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments that a text was most likely meant to be.

    Args:
        text: the arguments as sent, which are not valid JSON.
        schema: the schema of the tool's arguments.

    Returns:
        The arguments, or None if the text has no such reading or several.
    """
    if len(text) > _LONGEST:
        return None
    text = unwrap_string(strip_code_fence(text)).strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None  # no reading of it is an object, as of nearly every text that was cut off
    if _begins_with_object(text):  # more follows that is not part of it, whatever quotation marks would make of it
        return _first_of_equals(text)
    if (closed := _close_inner(text)) is not None:
        return closed
    reader = _Reader(text, SchemaResolver(schema))
    try:
        found = [value for value, end in reader.values(0, schema, "", 0) if end == len(text)]
    except _TooManySteps:
        return None
    return found[0] if len(found) == 1 and isinstance(found[0], dict) else None


def _begins_with_object(text: str) -> bool:
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict)


def _close_inner(text: str) -> dict[str, Any] | None:
    """The object, if its text only lacks brackets before others that close what is around: `{"a": [1, {"b": 2}}`."""
    open_brackets: list[str] = []
    parts: list[str] = []
    for part in _STRING_OR_SIGN.findall(text):
        if part in _CLOSING:
            open_brackets.append(_CLOSING[part])
        elif part in _CLOSING.values():
            if part not in open_brackets:
                return None
            while (closing := open_brackets.pop()) != part:
                parts.append(closing)
        parts.append(part)
    if open_brackets:  # cut off
        return None
    value = parse_json("".join(parts), _read_float)
    return value if isinstance(value, dict) else None


def _read_float(number: str) -> float | int:
    """A number with all its digits; raises `ValueError` if it has too many, or is NaN or infinite."""
    read = read_exact(number)
    if isinstance(read, Decimal):
        raise PreciseNumberError(number)
    return read


def _first_of_equals(text: str) -> dict[str, Any] | None:
    """The object that a text repeats, if it holds nothing else."""
    decoder, place = json.JSONDecoder(parse_float=_read_float, parse_constant=_read_float), 0
    found: list[Any] = []
    try:
        while place < len(text) and len(found) < _DEEPEST:
            value, place = decoder.raw_decode(text, place)
            found.append(value)
            place = _skip(text, place)
    except (ValueError, RecursionError):
        return None
    is_same = place == len(text) and len(found) > 1 and all(value == found[0] for value in found)
    return found[0] if is_same and isinstance(found[0], dict) else None


def _skip(text: str, place: int) -> int:
    space = _SPACE.match(text, place)
    return space.end() if space else place


def _takes_string(schema: Mapping[str, Any], text: str) -> bool:
    return text in schema["enum"] if "enum" in schema else is_of_type(text, schema.get("type"))


class _TooManySteps(Exception):
    """The text has too many possible readings."""


class _Reader:
    """Finds all readings of a text; each is a value and the place where it ends."""

    def __init__(self, text: str, schemas: SchemaResolver) -> None:
        self._text, self._schemas, self._steps_left = text, schemas, _MOST_STEPS

    def values(
        self, start: int, schema: Any, closing: str, depth: int, siblings: Mapping[str, Any] = _NO_SIBLINGS
    ) -> Iterator[tuple[Any, int]]:
        """The readings of a value.

        Args:
            start: where it starts.
            schema: its schema.
            closing: the bracket that closes what it is in.
            depth: how deep it is nested.
            siblings: the members of the object that it is in: a text does not go on across one of them.
        """
        self._steps_left -= 1
        if self._steps_left < 0 or depth > _DEEPEST:
            raise _TooManySteps
        schema = self._schemas.resolve(schema) if isinstance(schema, Mapping) else {}
        start = _skip(self._text, start)
        sign = self._text[start : start + 1]
        if sign == "{":
            yield from self._members(start + 1, self._schemas.properties(schema), {}, depth)
        elif sign == "[":
            yield from self._items(start + 1, self._schemas.items(schema), [], depth, siblings)
        elif sign == '"':
            yield from self._strings(start + 1, closing, siblings)
        elif sign:
            yield from self._bare(start, schema, closing)

    def _members(
        self, start: int, known: Mapping[str, Any], read: dict[str, Any], depth: int
    ) -> Iterator[tuple[Any, int]]:
        key = _KEY.match(self._text, _skip(self._text, start))
        if key is None or key[1] in read:
            return
        for value, end in self.values(key.end(), known.get(key[1]), "}", depth + 1, known):
            after, members = _skip(self._text, end), {**read, key[1]: value}
            if self._text.startswith("}", after):
                yield members, after + 1
            elif self._text.startswith(",", after):
                yield from self._members(after + 1, known, members, depth)

    def _items(
        self, start: int, schema: Any, read: list[Any], depth: int, siblings: Mapping[str, Any]
    ) -> Iterator[tuple[Any, int]]:
        """The readings of a list; a declared member of the object around it ends one that was not closed."""
        for value, end in self.values(start, schema, "]", depth + 1):
            after, items = _skip(self._text, end), [*read, value]
            if self._text.startswith("]", after):
                yield items, after + 1
            elif siblings and self._precedes_member(after, siblings):
                yield items, after
            elif self._text.startswith(",", after):
                yield from self._items(after + 1, schema, items, depth, siblings)

    def _strings(self, start: int, closing: str, siblings: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
        """The texts that may end at one of the next quotation marks; within a list, only at the first."""
        for quote in _QUOTE.finditer(self._text, start):
            end = quote.end()
            if self._may_end(end, closing):
                raw = self._text[start : end - 1]
                if _JOINED.search(raw):
                    return
                inner = _QUOTE.sub(r'\1\\"', raw)
                try:
                    value = json.loads(f'"{inner}"', strict=False)
                except ValueError:
                    return
                yield value, end
                if self._precedes_member(end, siblings):
                    return
            elif closing == "]":
                return

    def _precedes_member(self, end: int, siblings: Mapping[str, Any]) -> bool:
        after = _skip(self._text, end)
        if not self._text.startswith(",", after):
            return False
        key = _KEY.match(self._text, _skip(self._text, after + 1))
        return key is not None and (not siblings or key[1] in siblings)

    def _bare(self, start: int, schema: Mapping[str, Any], closing: str) -> Iterator[tuple[Any, int]]:
        """A value without quotation marks: a literal, a calculation of two numbers, or plain text."""
        end = start
        while end < len(self._text) and self._text[end] not in '"{[' and not self._may_end(end, closing):
            end += 1
        raw = self._text[start:end].strip()
        options = self._schemas.options(schema) or [schema]
        operation = _OPERATION.fullmatch(raw)
        if _LITERAL.fullmatch(raw):
            if (value := parse_json(raw, _read_float)) is not None or raw == "null":
                yield value, end
        elif any(_takes_string(option, raw) for option in options):
            if _BARE.fullmatch(raw) and "//" not in raw and raw.casefold() not in _NO_VALUE:
                yield raw, end
        elif operation is not None:
            number = _OPERATORS[operation[2]](Decimal(operation[1]), Decimal(operation[3]))
            yield int(number) if number == number.to_integral_value() else float(number), end

    def _may_end(self, end: int, closing: str) -> bool:
        """Whether a value may end here: the bracket is closed, or another member or item follows."""
        after = _skip(self._text, end)
        if closing and self._text.startswith(closing, after):
            return True
        if not self._text.startswith(",", after):
            return False
        return closing == "]" or _KEY.match(self._text, _skip(self._text, after + 1)) is not None
