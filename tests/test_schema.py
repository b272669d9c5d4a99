"""Annotations as JSON Schema."""

from __future__ import annotations

import re
import socket
import sys
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import InitVar, dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from pathlib import Path, PurePosixPath
from re import IGNORECASE
from re import compile as pattern
from types import ModuleType
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
)
from uuid import UUID

import annotated_types
import attrs
import jsonschema_rs
import msgspec
import pydantic
import pytest
import typing_extensions
from annotation_schemas import schema_of
from typing_extensions import ReadOnly, TypeAliasType

from mulligan.errors import UsageError

STRING, INTEGER, NUMBER, NULL = ({"type": name} for name in ("string", "integer", "number", "null"))


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Bits(Flag):
    ONE = 1


class Opaque(Enum):
    THING = object()


UserId = NewType("UserId", int)
Name = TypeAliasType("Name", str)
Tree = TypeAliasType("Tree", "dict[str, Tree] | int")


@dataclass
class Point:
    """A place.

    Attributes:
        x: how far to the east
    """

    x: int
    y: float = 0.0
    """how far to the north"""
    tags: list[str] = field(default_factory=list)
    cache: dict[str, int] = field(default_factory=dict, init=False)
    origin: InitVar[bool] = False


@attrs.frozen
class Box:
    _width: Annotated[int, "in pixels"]
    when: datetime = attrs.field(factory=datetime.now)
    names: tuple[str, ...] = ()
    notes: list[str] = attrs.Factory(list)


class Options(TypedDict, total=False):
    """How to search."""

    deep: bool
    limit: Required[int]
    near: ReadOnly[Point]


class MoreOptions(Options):
    name: str
    alias: Annotated[NotRequired[str], "another name"]


class ExtendedOptions(typing_extensions.TypedDict):
    name: NotRequired[str]


class Pair(NamedTuple):
    """Two."""

    first: int
    second: Pair | None = None


@dataclass
class Node:
    name: str
    children: list[Node] = field(default_factory=list)


@dataclass
class Left:
    right: Right | None = None


@dataclass
class Right:
    left: Left | None = None


class Item(pydantic.BaseModel):
    price: float


class Order(pydantic.BaseModel):
    items: list[Item]


class Chain(pydantic.BaseModel):
    next: Chain | None = None


class Unwritable(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
    socket: socket.socket


class Dangling(TypedDict):
    it: Nowhere  # noqa: F821


class Untyped(TypedDict):
    it: socket.socket


@attrs.define
class Bare:
    x = attrs.field()


T = TypeVar("T")


@dataclass
class Shelf(Generic[T]):
    thing: T


SIMPLE = [
    (str, STRING),
    (int, INTEGER),
    (float, NUMBER),
    (bool, {"type": "boolean"}),
    (None, NULL),
    (Any, {}),
    (object, {}),
    (Optional[int], {"anyOf": [INTEGER, NULL]}),  # noqa: UP045
    (int | None, {"anyOf": [INTEGER, NULL]}),
    (
        Union[int, str, list[int]],  # noqa: UP007
        {"anyOf": [INTEGER, STRING, {"type": "array", "items": INTEGER}]},
    ),
    (Path | str, STRING),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["a", 1, None], {"enum": ["a", 1, None]}),
    (Literal[Color.RED, "green"], {"type": "string", "enum": ["red", "green"]}),
    (Color, {"type": "string", "enum": ["red", "blue"]}),
    (Level, {"type": "integer", "enum": [1, 2]}),
    (list, {"type": "array"}),
    (list[Any], {"type": "array"}),
    (list[int], {"type": "array", "items": INTEGER}),
    (Sequence[int], {"type": "array", "items": INTEGER}),
    (Iterable[int], {"type": "array", "items": INTEGER}),
    (set[str], {"type": "array", "items": STRING, "uniqueItems": True}),
    (frozenset[str], {"type": "array", "items": STRING, "uniqueItems": True}),
    (AbstractSet[str], {"type": "array", "items": STRING, "uniqueItems": True}),
    (tuple, {"type": "array"}),
    (tuple[int, ...], {"type": "array", "items": INTEGER}),
    (
        tuple[int, str],
        {"type": "array", "prefixItems": [INTEGER, STRING], "items": False, "minItems": 2, "maxItems": 2},
    ),
    (tuple[()], {"type": "array", "items": False, "minItems": 0, "maxItems": 0}),
    (dict, {"type": "object"}),
    (dict[str, Any], {"type": "object"}),
    (Mapping[str, int], {"type": "object", "additionalProperties": INTEGER}),
    (
        dict[int, str],
        {
            "type": "object",
            "propertyNames": {"pattern": "^(0|-?[1-9][0-9]*)$"},
            "additionalProperties": STRING,
        },
    ),
    (
        dict[Color, int],
        {"type": "object", "propertyNames": {"enum": ["red", "blue"]}, "additionalProperties": INTEGER},
    ),
    (dict[date, Any], {"type": "object", "propertyNames": {"format": "date"}}),
    (dict[Name, Any], {"type": "object"}),
    (date, {"type": "string", "format": "date"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (time, {"type": "string", "format": "time"}),
    (timedelta, {"anyOf": [{"type": "string", "format": "duration"}, NUMBER]}),
    (UUID, {"type": "string", "format": "uuid"}),
    (Decimal, {"anyOf": [NUMBER, {"type": "string", "pattern": "^-?[0-9]+([.][0-9]+)?$"}]}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (Path, STRING),
    (PurePosixPath, STRING),
    (UserId, INTEGER),
    (Name, STRING),
]


@pytest.mark.parametrize(("annotation", "schema"), SIMPLE, ids=[str(annotation) for annotation, _ in SIMPLE])
def test_simple_types(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema
    jsonschema_rs.meta.validate(schema)


LIMITED = [
    (Annotated[int, annotated_types.Ge(0)], {"type": "integer", "minimum": 0}),
    (
        Annotated[float, annotated_types.Gt(0), annotated_types.Lt(1)],
        NUMBER | {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
    ),
    (Annotated[int, annotated_types.Interval(ge=1, le=9)], INTEGER | {"minimum": 1, "maximum": 9}),
    (Annotated[int, annotated_types.MultipleOf(5)], INTEGER | {"multipleOf": 5}),
    (Annotated[int, annotated_types.Ge(0), annotated_types.Ge(5)], INTEGER | {"minimum": 0, "allOf": [{"minimum": 5}]}),
    (Annotated[str, annotated_types.Len(1, 9)], STRING | {"minLength": 1, "maxLength": 9}),
    (Annotated[list[int], annotated_types.MaxLen(3)], {"type": "array", "items": INTEGER, "maxItems": 3}),
    (
        Annotated[dict[str, int], msgspec.Meta(min_length=1)],
        {"type": "object", "additionalProperties": INTEGER, "minProperties": 1},
    ),
    (Annotated[str, msgspec.Meta(pattern="^a")], STRING | {"pattern": "^a"}),
    (Annotated[str, pattern("^a")], STRING | {"pattern": "^a"}),
    (Annotated[str, pydantic.Field(pattern="^a", max_length=2)], STRING | {"pattern": "^a", "maxLength": 2}),
    (Annotated[str, pydantic.StringConstraints(min_length=2)], STRING | {"minLength": 2}),
    (pydantic.PositiveInt, INTEGER | {"exclusiveMinimum": 0}),
    (Annotated[int | None, annotated_types.Ge(0)], {"anyOf": [INTEGER | {"minimum": 0}, NULL]}),
    (
        Annotated[Annotated[int, "doc"] | None, annotated_types.Ge(0)],
        {"anyOf": [INTEGER | {"minimum": 0, "description": "doc"}, NULL]},
    ),
    (Annotated[Name, annotated_types.MinLen(1)], STRING | {"minLength": 1}),
    (Annotated[Decimal, annotated_types.Ge(Decimal("0.5"))], NUMBER | {"minimum": 0.5}),
    (Annotated[Decimal, annotated_types.Le(Decimal(2))], NUMBER | {"maximum": 2}),
    (Annotated[int, "how many"], INTEGER | {"description": "how many"}),
    (Annotated[int, pydantic.Field(description="how many")], INTEGER | {"description": "how many"}),
    (Annotated[int, msgspec.Meta(description="how many")], INTEGER | {"description": "how many"}),
    (Annotated[int, typing_extensions.Doc("how many")], INTEGER | {"description": "how many"}),
    (Annotated[int, object(), int], INTEGER),
]


@pytest.mark.parametrize(
    ("annotation", "schema"), LIMITED, ids=[re.sub(" at 0x[0-9a-f]+", "", str(annotation)) for annotation, _ in LIMITED]
)
def test_limits_and_descriptions(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema
    jsonschema_rs.meta.validate(schema)


def test_dataclass() -> None:
    assert schema_of(Point) == {
        "type": "object",
        "description": "A place.",
        "properties": {
            "x": {"type": "integer", "description": "how far to the east"},
            "y": {"type": "number", "description": "how far to the north", "default": 0.0},
            "tags": {"type": "array", "items": STRING, "default": []},
            "origin": {"type": "boolean", "default": False},
        },
        "required": ["x"],
        "additionalProperties": False,
    }


def test_class_whose_source_is_not_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("made_up")
    monkeypatch.setitem(sys.modules, "made_up", module)
    exec("import dataclasses\n@dataclasses.dataclass\nclass Made:\n    x: int\n    'lost'", vars(module))
    assert schema_of(module.Made)["properties"] == {"x": INTEGER}


def test_class_whose_source_cannot_be_read_by_itself() -> None:
    @dataclass
    class Inner:
        text: str = """
Not indented.
"""
        """lost"""

    assert schema_of(Inner)["properties"] == {"text": STRING | {"default": "\nNot indented.\n"}}


def test_attrs_class() -> None:
    assert schema_of(Box) == {
        "type": "object",
        "properties": {
            "width": {"type": "integer", "description": "in pixels"},
            "when": {"type": "string", "format": "date-time"},
            "names": {"type": "array", "items": STRING, "default": []},
            "notes": {"type": "array", "items": STRING, "default": []},
        },
        "required": ["width"],
        "additionalProperties": False,
    }


def test_typed_dict_knows_what_is_required() -> None:
    schema = schema_of(MoreOptions)
    assert sorted(schema["required"]) == ["limit", "name"]
    assert list(schema["properties"]) == ["deep", "limit", "near", "name", "alias"]
    assert schema["properties"]["alias"] == {"type": "string", "description": "another name"}
    assert schema["additionalProperties"] is False
    assert schema_of(Options)["description"] == "How to search."
    assert schema_of(ExtendedOptions)["required"] == []


def test_named_tuple_is_an_array() -> None:
    assert schema_of(Pair) == {
        "$ref": "#/$defs/Pair",
        "$defs": {
            "Pair": {
                "type": "array",
                "description": "Two.",
                "prefixItems": [
                    {"type": "integer", "title": "first"},
                    {"anyOf": [{"$ref": "#/$defs/Pair"}, NULL], "title": "second", "default": None},
                ],
                "items": False,
                "minItems": 1,
                "maxItems": 2,
            }
        },
    }


def test_class_that_is_used_once_stands_in_place() -> None:
    schema = schema_of(dict[str, Left])
    assert list(schema["$defs"]) == ["Left"]
    right = schema["$defs"]["Left"]["properties"]["right"]["anyOf"][0]
    assert right["properties"]["left"]["anyOf"] == [{"$ref": "#/$defs/Left"}, NULL]


def test_class_that_is_used_twice_is_defined() -> None:
    schema = schema_of(tuple[Point, Point])
    assert schema["prefixItems"] == [{"$ref": "#/$defs/Point"}, {"$ref": "#/$defs/Point"}]
    assert "$defs" not in schema_of(list[Point])


def test_recursive_types() -> None:
    assert schema_of(Node)["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert schema_of(Tree) == {
        "$ref": "#/$defs/Tree",
        "$defs": {
            "Tree": {
                "anyOf": [{"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}}, INTEGER],
            }
        },
    }


def test_two_classes_of_one_name_are_kept_apart() -> None:
    other = attrs.make_class("Point", {"z": attrs.field(type=int)})
    schema = schema_of(tuple[Point, Point, other, other])
    assert [item["$ref"] for item in schema["prefixItems"]] == ["#/$defs/Point"] * 2 + ["#/$defs/Point_2"] * 2
    assert list(schema["$defs"]["Point_2"]["properties"]) == ["z"]


def test_pydantic_model_writes_its_own_schema() -> None:
    schema = schema_of(dict[str, Order])
    assert schema["additionalProperties"]["properties"]["items"]["items"] == {"$ref": "#/$defs/Item"}
    assert schema["$defs"]["Item"]["properties"]["price"]["type"] == "number"
    assert jsonschema_rs.is_valid(schema_of(list[Chain]), [{"next": {"next": None}}])
    assert not jsonschema_rs.is_valid(schema_of(list[Chain]), [{"next": {"next": 1}}])


def test_definitions_of_pydantic_get_another_name_where_theirs_is_taken() -> None:
    item = attrs.make_class("Item", {"weight": attrs.field(type=int)})
    schema = schema_of(tuple[item, item, Order])
    assert jsonschema_rs.is_valid(schema, [{"weight": 1}, {"weight": 2}, {"items": [{"price": 1.5}]}])
    assert not jsonschema_rs.is_valid(schema, [{"weight": 1}, {"weight": 2}, {"items": [{"weight": 1}]}])


ORACLE = [
    int | None,
    list[int | str],
    dict[str, list[float]],
    set[int],
    tuple[int, ...],
    Literal["a", "b"],
    Literal[1, "b"],
    date,
    UUID,
    Annotated[int, annotated_types.Ge(1)],
    Annotated[list[str], annotated_types.Len(1, 2)],
]


@pytest.mark.parametrize("annotation", ORACLE, ids=str)
def test_same_schema_as_pydantic(annotation: Any) -> None:
    assert schema_of(annotation) == pydantic.TypeAdapter(annotation).json_schema()


@dataclass
class PlainDataclass:
    a: int
    b: list[str] = field(default_factory=list)
    c: float | None = None


@attrs.define
class PlainAttrs:
    a: dict[str, int]
    b: Literal["x"] = "x"


class PlainDict(TypedDict):
    a: tuple[int, ...]
    b: NotRequired[bool]


@pytest.mark.parametrize("cls", [PlainDataclass, PlainAttrs, PlainDict])
def test_same_fields_as_msgspec(cls: type) -> None:
    ours, (theirs,) = schema_of(cls), msgspec.json.schema(cls)["$defs"].values()
    assert ours["required"] == theirs["required"]
    for name in theirs["properties"]:
        ours["properties"][name].pop("default", None)
        theirs["properties"][name].pop("default", None)
    assert ours["properties"] == {
        name: {"type": "string"} | part if "enum" in part else part for name, part in theirs["properties"].items()
    }


REFUSED = [
    (socket.socket, "socket.socket has no JSON Schema: supported are str, int"),
    (Bits, "Bits has no JSON Schema"),
    (T, "~T has no JSON Schema"),
    (Shelf[int], "Shelf"),
    (Shelf, "field 'thing' of Shelf: ~T has no JSON Schema"),
    (Opaque, "which JSON cannot represent: use str, int, float, bool or None"),
    (Literal[b"x"], "has the value b'x', which JSON cannot represent"),
    (set[list[int]], "list[int] is not hashable and cannot be in a set: use a list of them"),
    (frozenset[Point], "Point is not hashable and cannot be in a frozenset"),
    (dict[float, int], "float cannot be the key of a dict, since JSON keys are strings: use str, int"),
    (dict[Level, int], "Level cannot be the key of a dict"),
    (
        Annotated[date, annotated_types.Ge(date(2020, 1, 1))],
        "JSON Schema cannot express ge=datetime.date(2020, 1, 1) of datetime.date",
    ),
    (Annotated[date | None, annotated_types.Ge(3)], "check it inside the function"),
    (Annotated[str, annotated_types.Ge(3)], "JSON Schema cannot express ge=3 of str: remove the limit from Annotated"),
    (Annotated[Name | Color, annotated_types.Ge(3)], "JSON Schema cannot express ge=3"),
    (
        Annotated[Annotated[str, "a", annotated_types.MinLen(1)], annotated_types.Ge(3)],
        "JSON Schema cannot express ge=3 of str",
    ),
    (Annotated[float, annotated_types.Ge(float("nan"))], "JSON Schema cannot express ge=nan of float"),
    (Annotated[Decimal, annotated_types.Ge(Decimal("inf"))], "JSON Schema cannot express ge=Decimal('Infinity')"),
    (
        Annotated[str, pattern("^a", IGNORECASE)],
        "JSON Schema cannot express pattern=re.compile('^a', re.IGNORECASE) of str",
    ),
    (Annotated[str, annotated_types.MaxLen(True)], "JSON Schema cannot express max_length=True"),
    (namedtuple("Plain", "x"), "field 'x' of Plain has no annotation"),
    (Dangling, "the annotations of Dangling cannot be resolved (name 'Nowhere' is not defined). Define or import"),
    (
        TypeAliasType("Lost", "list[Nowhere]"),  # noqa: F821
        "type alias Lost: the annotation 'list[Nowhere]' cannot be resolved",
    ),
    (Untyped, "field 'it' of Untyped: socket.socket has no JSON Schema"),
    (Bare, "field 'x' of Bare has no annotation. Annotate it, as in `x: str`."),
    (Unwritable, "Unwritable cannot write its JSON Schema: "),
]


@pytest.mark.parametrize(("annotation", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_error_names_the_culprit_and_the_next_step(annotation: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        schema_of(annotation)
    assert says in str(caught.value)
