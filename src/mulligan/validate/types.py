"""Shapes: one small immutable record for each kind of type, which says what an annotation means in JSON.

`annotations` reads shapes, `schema` writes them as JSON Schema, and `converters` builds Python objects from them, so
schema and objects always agree on the meaning of an annotation.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

import attrs

_DECIMAL = "^-?[0-9]+([.][0-9]+)?$"
_WHOLE = "^(0|-?[1-9][0-9]*)$"
_NUMBER = "[0-9]{1,15}(?:[.][0-9]{1,9})?"
_UNITS = "".join(f"(?:(?P<{unit}>{_NUMBER}){unit[0].upper()})?" for unit in ("hours", "minutes", "seconds"))
_DURATION = re.compile(f"P(?=[0-9T])(?:(?P<weeks>{_NUMBER})W)?(?:(?P<days>{_NUMBER})D)?(?:T(?=[0-9]){_UNITS})?")


class UnfitError(ValueError):
    """One value that does not match its shape, raised by the function that reads it.

    Attributes:
        message: what is wrong, without the value.
        expected: a description of valid values, or None.
        path: the place, relative to the value being read.
    """

    def __init__(self, message: str, expected: str | None = None, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.path = path


@attrs.frozen(cache_hash=True)
class Scalar:
    """A value that JSON represents directly: str, int, float, bool, NoneType, or object for any value."""

    type: type


@attrs.frozen(cache_hash=True)
class Text:
    """A value that is sent as text because JSON has no type for it, such as a date, a path, or an int used as a key."""

    type: type


@attrs.frozen(cache_hash=True)
class Option:
    """One value of a `Choice`: its type and value in JSON, and its value in Python."""

    type: type
    json: Any
    python: Any


@attrs.frozen(cache_hash=True)
class Choice:
    """One of a few fixed values: a Literal or an Enum."""

    options: tuple[Option, ...]


@attrs.frozen(cache_hash=True)
class Array:
    """Any number of items: list, set, frozenset or tuple."""

    item: Shape
    build: type


@attrs.frozen(cache_hash=True)
class Row:
    """A tuple with a shape for each position."""

    items: tuple[Shape, ...]


@attrs.frozen(cache_hash=True)
class Map:
    """A dict with any keys; the keys have a shape that JSON represents as text."""

    key: Shape
    value: Shape


@attrs.frozen(cache_hash=True)
class Record:
    """A TypedDict, dataclass, attrs class or NamedTuple; `annotations.fields_of` returns its fields."""

    type: type


@attrs.frozen(cache_hash=True)
class Model:
    """A class that generates its own schema and builds its own objects, such as a pydantic model."""

    type: type


@attrs.frozen(cache_hash=True)
class OneOf:
    """A union."""

    members: tuple[Shape, ...]


@attrs.frozen(cache_hash=True)
class Alias:
    """A named type alias; it may refer to itself."""

    type: Any


@attrs.frozen(cache_hash=True)
class Limited:
    """A shape with limits: pairs of a JSON Schema keyword and its value."""

    shape: Shape
    limits: tuple[tuple[str, Any], ...]


@attrs.frozen(cache_hash=True)
class Described:
    """A shape with a description."""

    shape: Shape
    description: str


Shape: TypeAlias = (
    Scalar | Text | Choice | Array | Row | Map | Record | Model | OneOf | Alias | Limited | Described
)  # fmt: skip


class TextForm(NamedTuple):
    """The text format of a type.

    Attributes:
        noun: the name of such a value in messages.
        schema: JSON Schema.
        read: returns the Python object, or raises ValueError or OverflowError.
        expected: a description of valid values.
    """

    noun: str
    schema: Mapping[str, Any]
    read: Callable[[Any], Any]
    expected: str


def text_form(cls: type) -> TextForm:
    """The text format of the type of a `Text` shape: an entry of the table, or a kind of path.

    Raises:
        KeyError: the type is neither.
    """
    if issubclass(cls, PurePath):
        return TextForm("path", {"type": "string"}, partial(_read_path, cls), "path")
    return _FORMS[cls]


def _read_path(cls: type, value: str) -> Any:
    if not value:
        raise ValueError  # pathlib reads an empty path as the working directory
    return cls(value)


def _read_matching(pattern: str, read: Callable[[str], Any], value: str) -> Any:
    if not re.fullmatch(pattern, value):
        raise ValueError
    return read(value)


def _read_decimal(value: Any) -> Decimal:
    if isinstance(value, str):
        return _read_matching(_DECIMAL, Decimal, value)  # type: ignore[no-any-return]
    return Decimal(str(value) if isinstance(value, float) else value)


def _read_duration(value: Any) -> timedelta:
    if not isinstance(value, str):
        return timedelta(seconds=float(value))
    parts = _DURATION.fullmatch(value)
    if parts is None:
        raise ValueError
    return timedelta(**{unit: float(number) for unit, number in parts.groupdict("0").items()})


_FORMS: Mapping[type, TextForm] = MappingProxyType(
    {
        date: TextForm("date", {"type": "string", "format": "date"}, date.fromisoformat, "date as in 2026-11-21"),
        datetime: TextForm(
            "date and time",
            {"type": "string", "format": "date-time"},
            datetime.fromisoformat,
            "date and time as in 2026-11-21T23:00:00+00:00",
        ),
        time: TextForm("time", {"type": "string", "format": "time"}, time.fromisoformat, "time as in 23:00:00"),
        timedelta: TextForm(
            "duration",
            {"anyOf": [{"type": "string", "format": "duration"}, {"type": "number"}]},
            _read_duration,
            "duration as in P1DT12H30M, or a number of seconds",
        ),
        UUID: TextForm(
            "UUID",
            {"type": "string", "format": "uuid"},
            UUID,
            "UUID as in 123e4567-e89b-12d3-a456-426614174000",
        ),
        Decimal: TextForm(
            "decimal number",
            {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _DECIMAL}]},
            _read_decimal,
            "decimal number as in 12.50",
        ),
        bytes: TextForm(
            "Base64",
            {"type": "string", "contentEncoding": "base64"},
            partial(base64.b64decode, validate=True),
            "text in Base64 (RFC 4648)",
        ),
        int: TextForm(
            "whole number",
            {"type": "string", "pattern": _WHOLE},
            partial(_read_matching, _WHOLE, int),
            "whole number as in 42",
        ),
    }
)
