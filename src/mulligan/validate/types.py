"""Shapes: what an annotation says about JSON values, as one small immutable record for each kind of type.

`annotations` reads them, `schema` writes them as JSON Schema, and `converters` builds Python objects from them, so that
schema and objects always agree on what an annotation means.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import attrs


class UnfitError(ValueError):
    """One value that does not fit, raised where it is read.

    Attributes:
        message: what is wrong, without the value.
        expected: what would be right, or None.
        path: where, from the value that was being read.
    """

    def __init__(self, message: str, expected: str | None = None, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.path = path


@attrs.frozen(cache_hash=True)
class Scalar:
    """A value that JSON has by itself: str, int, float, bool, NoneType, or object for any value."""

    type: type


@attrs.frozen(cache_hash=True)
class Text:
    """A value that JSON has no type for and that is sent as text, such as a date, a path, or an int that is a key."""

    type: type


@attrs.frozen(cache_hash=True)
class Option:
    """One value of a `Choice`: the type and the value in JSON, and the value in Python."""

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
    """A dict with any keys; the shape of the keys is one of text."""

    key: Shape
    value: Shape


@attrs.frozen(cache_hash=True)
class Record:
    """A TypedDict, dataclass, attrs class or NamedTuple; `fields.fields_of` gives the fields."""

    type: type


@attrs.frozen(cache_hash=True)
class Model:
    """A class that writes its own schema and builds itself, as the models of pydantic do."""

    type: type


@attrs.frozen(cache_hash=True)
class OneOf:
    """A union."""

    members: tuple[Shape, ...]


@attrs.frozen(cache_hash=True)
class Alias:
    """A type with a name of its own; it may refer to itself."""

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
