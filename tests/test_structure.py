"""JSON values as Python objects: what is accepted, what is built, and what is said when it cannot be."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import InitVar, dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path, PurePosixPath
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, Union, get_args, get_origin
from uuid import UUID

import annotated_types
import attrs
import jsonschema_rs
import pydantic
import pytest
from annotation_schemas import schema_of
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import TypeAliasType

from mulligan.errors import Problem
from mulligan.validate.signature import Injected, read_parameters
from mulligan.validate.structure import StructureError

Structure = Callable[[dict[str, Any]], dict[str, Any]]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Sign(Enum):
    PLUS = 1
    NONE = None
    HALF = 0.5


class Level(IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Point:
    x: int
    y: float = 0.0


@attrs.frozen
class Box:
    _corner: Point
    tags: tuple[str, ...] = ()


class Pair(NamedTuple):
    first: int
    second: float = 0.5


class Options(TypedDict):
    deep: bool
    limit: NotRequired[int]


class Names(TypedDict, total=False):
    first: str
    others: list[Names]


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)
    next: Node | None = None


@dataclass
class Circle:
    kind: Literal["circle"]
    size: float


@dataclass
class Square:
    kind: Literal["square"]
    size: float


@dataclass
class Span:
    first: date
    last: date
    strict: InitVar[bool] = True

    def __post_init__(self, strict: bool) -> None:
        if strict and self.last < self.first:
            raise ValueError("last must not be before first\nand so on")


@attrs.define
class Even:
    number: int = attrs.field(validator=attrs.validators.ge(2))
    text: str = attrs.field(default="", validator=attrs.validators.instance_of(str))


@dataclass
class Broken:
    size: int

    def __post_init__(self) -> None:
        self.size = {}[self.size]


class Item(pydantic.BaseModel):
    price: float
    names: dict[str, int | bool] = {}

    @pydantic.field_validator("price")
    @classmethod
    def _positive(cls, price: float) -> float:
        if price < 0:
            raise ValueError("a price is not negative")
        return price


class Lookalike:
    @classmethod
    def model_json_schema(cls, ref_template: str) -> dict[str, Any]:
        return {"type": "object"}

    @classmethod
    def model_validate(cls, value: Any) -> Lookalike:
        raise ValueError("never")


Tree = TypeAliasType("Tree", "dict[str, Tree] | int")
Text = TypeAliasType("Text", "str")
When = TypeAliasType("When", "date | int")
Json = TypeAliasType("Json", "dict[str, Json] | list[Json] | str")


def structure_of(annotation: Any) -> Structure | None:
    def function(it): ...

    function.__annotations__ = {"it": annotation}
    return read_parameters(function).structure


def build(annotation: Any, value: Any) -> Any:
    structure = structure_of(annotation)
    return value if structure is None else structure({"it": value})["it"]


def problems(annotation: Any, value: Any) -> tuple[Problem, ...]:
    with pytest.raises(StructureError) as caught:
        build(annotation, value)
    return caught.value.problems


SAME = [
    str,
    bool,
    None,
    Any,
    list,
    dict,
    list[str],
    Sequence[str],
    dict[str, str],
    Mapping[str, list[bool]],
    dict[Annotated[str, annotated_types.MinLen(1)], bool],
    Literal["a", True],
    str | None,
    list[str] | bool,
    int | float,
    Names,
    dict[str, list[Names]],
    Annotated[str, "doc"],
    Annotated[list[Text], annotated_types.MinLen(1)],
    Json,
]


@pytest.mark.parametrize("annotation", SAME, ids=str)
def test_nothing_to_do(annotation: Any) -> None:
    assert structure_of(annotation) is None


NUMBERS = [
    (int, 1.0, 1),
    (int, 2, 2),
    (float, 3, 3.0),
    (float, 2.5, 2.5),
    (int | None, 1.0, 1),
    (int | None, None, None),
    (float | str, 3, 3.0),
    (float | str, "3", "3"),
    (Literal[1, 2], 2.0, 2),
    (Annotated[int, annotated_types.Ge(0)] | list[str], 1.0, 1),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), NUMBERS)
def test_numbers_get_the_type_of_the_annotation(annotation: Any, value: Any, expected: Any) -> None:
    built = build(annotation, value)
    assert built == expected
    assert type(built) is type(expected)


def test_cattrs_is_imported_only_where_it_is_needed() -> None:
    program = (
        "import sys\n"
        "from datetime import date\n"
        "from mulligan.validate.signature import read_parameters\n"
        "def plain(a: int, b: str, c: list[str], d: float | None = None) -> None: ...\n"
        "def dated(day: date) -> None: ...\n"
        "read_parameters(plain).structure({'a': 1.0, 'b': '', 'c': []})\n"
        "dated = read_parameters(dated)\n"
        "assert 'cattrs' not in sys.modules\n"
        "dated.structure({'day': '2026-11-21'})\n"
        "assert 'cattrs' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


BUILT = [
    (list[int], [1, 2.0], [1, 2]),
    (set[int], [1, 2], {1, 2}),
    (frozenset[str], ["a"], frozenset({"a"})),
    (AbstractSet[str], ["a"], frozenset({"a"})),
    (tuple[float, ...], [1], (1.0,)),
    (tuple[int, date], [1, "2026-11-21"], (1, date(2026, 11, 21))),
    (tuple[()], [], ()),
    (dict[str, int], {"a": 1.0}, {"a": 1}),
    (dict[int, str], {"-7": "a"}, {-7: "a"}),
    (dict[Color, int], {"red": 1}, {Color.RED: 1}),
    (dict[date, bool], {"2026-11-21": True}, {date(2026, 11, 21): True}),
    (Color, "red", Color.RED),
    (Level, 2.0, Level.HIGH),
    (Literal[Color.RED, 1], "red", Color.RED),
    (date, "2026-11-21", date(2026, 11, 21)),
    (datetime, "2026-11-21T23:00:00Z", datetime(2026, 11, 21, 23, tzinfo=UTC)),
    (time, "23:00:01", time(23, 0, 1)),
    (timedelta, "P1W2DT3H4M5.5S", timedelta(weeks=1, days=2, hours=3, minutes=4, seconds=5.5)),
    (timedelta, "PT90S", timedelta(seconds=90)),
    (timedelta, 1.5, timedelta(seconds=1.5)),
    (UUID, "123e4567-e89b-12d3-a456-426614174000", UUID("123e4567-e89b-12d3-a456-426614174000")),
    (Path, "a/b", Path("a/b")),
    (PurePosixPath, "a/b", PurePosixPath("a/b")),
    (Decimal, "12.50", Decimal("12.50")),
    (Decimal, 0.1, Decimal("0.1")),
    (Decimal, 10**30, Decimal(10**30)),
    (bytes, "AAEC", b"\x00\x01\x02"),
    (Point, {"x": 1.0, "y": 2}, Point(1, 2.0)),
    (Point, {"x": 1}, Point(1)),
    (Box, {"corner": {"x": 1}, "tags": ["a"]}, Box(Point(1), ("a",))),
    (Pair, [1, 2], Pair(1, 2.0)),
    (Pair, [1], Pair(1, 0.5)),
    (Options, {"deep": True, "limit": 1.0}, {"deep": True, "limit": 1}),
    (Options, {"deep": True}, {"deep": True}),
    (Node, {"value": 1, "children": [{"value": 2}], "next": {"value": 3}}, Node(1, [Node(2)], Node(3))),
    (
        Span,
        {"first": "2026-01-02", "last": "2026-01-01", "strict": False},
        Span(date(2026, 1, 2), date(2026, 1, 1), False),
    ),
    (Tree, {"a": {"b": 1.0}}, {"a": {"b": 1}}),
    (Item, {"price": 1}, Item(price=1.0)),
    (list[Annotated[date, "doc"]], ["2026-11-21"], [date(2026, 11, 21)]),
    (int | float | date, 1, 1),
    (int | float | date, 1.0, 1.0),
    (float | int | date, 1, 1),
    (bool | int | date, True, True),
    (date | str, "2026-11-21", date(2026, 11, 21)),
    (date | str, "soon", "soon"),
    (str | date, "2026-11-21", "2026-11-21"),
    (Point | None, None, None),
    (Point | Options, {"deep": False}, {"deep": False}),
    (Point | dict[str, int], {"x": 1, "z": 2}, {"x": 1, "z": 2}),
    (Circle | Square, {"kind": "square", "size": 1}, Square("square", 1.0)),
    (list[Circle | Square], [{"kind": "circle", "size": 1}], [Circle("circle", 1.0)]),
    (list[int] | list[date], ["2026-11-21"], [date(2026, 11, 21)]),
    (Pair | set[str], ["a"], {"a"}),
    (Annotated[int, annotated_types.Lt(0)] | Annotated[float, annotated_types.Gt(0)] | date, 1, 1.0),
    (Item | Point, {"x": 1}, Point(1)),
    (Level | str | date, 1.0, Level.LOW),
    (Sign | date, 0.5, Sign.HALF),
    (Literal[1] | date, 1.0, 1),
    (When | list[str], "2026-11-21", date(2026, 11, 21)),
    (Annotated[timedelta, "doc"] | int, 5, 5),
    (timedelta | int, 2.5, timedelta(seconds=2.5)),
]


@pytest.mark.parametrize(("annotation", "value", "expected"), BUILT, ids=str)
def test_objects(annotation: Any, value: Any, expected: Any) -> None:
    before = copy.deepcopy(value)
    assert jsonschema_rs.is_valid(schema_of(annotation), value)
    built = build(annotation, value)
    assert built == expected
    assert type(built) is type(expected)
    assert repr(built) == repr(expected)
    assert (value, repr(value)) == (before, repr(before))


def test_all_arguments_together() -> None:
    def function(
        name: str, count: int, *, day: date, place: Injected[Path], ratio: float = 1.0, tags: set[str] | None = None
    ):
        pass

    structure = read_parameters(function).structure
    assert structure is not None
    arguments = {"name": "a", "count": 2.0, "day": "2026-11-21", "tags": ["x"]}
    assert structure(arguments) == {"name": "a", "count": 2, "day": date(2026, 11, 21), "tags": {"x"}}
    assert arguments == {"name": "a", "count": 2.0, "day": "2026-11-21", "tags": ["x"]}


def test_the_arguments_stay_as_they_were_sent() -> None:
    structure = structure_of(int)
    assert structure is not None
    arguments = {"it": 1.0}
    built = structure(arguments)
    assert built == {"it": 1} and type(built["it"]) is int
    assert type(arguments["it"]) is float
    assert structure({"it": 1}) == {"it": 1}


UNFIT = [
    (date, "2026-13-45", "", "not a valid date", "date as in 2026-11-21", '"2026-13-45"'),
    (datetime, "soon", "", "not a valid date and time", "date and time as in 2026-11-21T23:00:00+00:00", '"soon"'),
    (time, "25:00", "", "not a valid time", "time as in 23:00:00", '"25:00"'),
    (timedelta, "P1Y", "", "not a valid duration", "duration as in P1DT12H30M, or a number of seconds", '"P1Y"'),
    (timedelta, "P", "", "not a valid duration", "duration as in P1DT12H30M, or a number of seconds", '"P"'),
    (timedelta, 1e300, "", "not a valid duration", "duration as in P1DT12H30M, or a number of seconds", "1e300"),
    (UUID, "12", "", "not a valid UUID", "UUID as in 123e4567-e89b-12d3-a456-426614174000", '"12"'),
    (bytes, "a", "", "not a valid Base64", "text in Base64 (RFC 4648)", '"a"'),
    (dict[int, str], {"9" * 5000: ""}, "/" + "9" * 5000, "not a valid whole number", "whole number as in 42", '""'),
    (list[date], ["2026-11-21", ""], "/1", "not a valid date", "date as in 2026-11-21", '""'),
    (dict[str, date], {"a/b~c": ""}, "/a~1b~0c", "not a valid date", "date as in 2026-11-21", '""'),
    (Box, {"corner": {"x": "1"}}, "/corner/x", "wrong type", "integer", '"1"'),
    (tuple[int, date], [1, ""], "/1", "not a valid date", "date as in 2026-11-21", '""'),
    (set[Any], [[]], "", "contains an array or an object", "array of values of other types", "[[]]"),
    (float, 10**400, "", "too large", "number that fits a 64-bit float", None),
    (list[float], [10**400], "/0", "too large", "number that fits a 64-bit float", None),
    (
        date | UUID,
        "x",
        "",
        "matches none of the allowed forms",
        "date as in 2026-11-21 or UUID as in 123e4567-e89b-12d3-a456-426614174000",
        '"x"',
    ),
    (date | None, "x", "", "not a valid date", "date as in 2026-11-21", '"x"'),
    (
        Span,
        {"first": "2026-01-02", "last": "2026-01-01"},
        "",
        "rejected by Span: last must not be before first",
        None,
        None,
    ),
    (list[Even], [{"number": 1}], "/0", "rejected by Even: 'number' must be >= 2: 1", None, '{"number":1}'),
    (Broken, {"size": 1}, "", "rejected by Broken", None, '{"size":1}'),
    (Item, {"price": -1}, "/price", "rejected by Item: a price is not negative", None, "-1"),
    (
        list[Item],
        [{"price": "x"}],
        "/0/price",
        "rejected by Item: Input should be a valid number, unable to parse string as a number",
        None,
        '"x"',
    ),
    (Item, {}, "/price", "rejected by Item: Field required", None, "null"),
    (Lookalike, {}, "", "rejected by Lookalike: never", None, "{}"),
]


@pytest.mark.parametrize(("annotation", "value", "pointer", "message", "expected", "got"), UNFIT)
def test_problems(
    annotation: Any, value: Any, pointer: str, message: str, expected: str | None, got: str | None
) -> None:
    (problem,) = problems(annotation, value)
    assert problem[:3] == (f"/it{pointer}", message, expected)
    assert got is None or problem.got == got


def test_all_problems_are_found() -> None:
    def function(first: date, last: list[date], name: str) -> None: ...

    structure = read_parameters(function).structure
    assert structure is not None
    with pytest.raises(StructureError) as caught:
        structure({"first": "x", "last": ["2026-11-21", "y", "z"], "name": "n"})
    assert [problem.pointer for problem in caught.value.problems] == ["/first", "/last/1", "/last/2"]
    assert str(caught.value) == "/first: not a valid date; /last/1: not a valid date; /last/2: not a valid date"
    assert caught.value.__cause__ is not None


def test_pydantic_paths_lead_to_the_value() -> None:
    found = problems(Item, {"price": 1, "names": {"a": "x"}})
    assert {problem.pointer for problem in found} == {"/it/names/a"}


def test_too_deep_to_read() -> None:
    value: Any = 1
    for _ in range(3000):
        value = {"a": value}
    found = problems(Tree, value)
    assert {problem.message for problem in found} == {"cannot be read"}


STRICT = [
    (str, 1),
    (bool, "false"),
    (bool, 1),
    (int, True),
    (int, 3.9),
    (int, "1"),
    (float, "nan"),
    (float, True),
    (None, 0),
    (list[str], "abc"),
    (list[str], {"a": 1}),
    (set[str], "abc"),
    (dict[str, str], [["a", "b"]]),
    (dict[int, str], {"07": "a"}),
    (tuple[int, int], [1]),
    (tuple[int, int], [1, 2, 3]),
    (Literal[1], True),
    (Literal["a"], ["a"]),
    (Color, "green"),
    (Point, {"x": 1, "z": 1}),
    (Point, {}),
    (Point, []),
    (Pair, []),
    (Options, {"limit": 1}),
    (date, 1),
    (Decimal, True),
    (Decimal, "NaN"),
    (Path, None),
    (int | str, None),
    (Point | Options, {}),
]


@pytest.mark.parametrize(("annotation", "value"), STRICT, ids=str)
def test_nothing_is_coerced(annotation: Any, value: Any) -> None:
    assert not jsonschema_rs.is_valid(schema_of(annotation), value)
    assert problems(tuple[annotation], [value])


LEAVES = [str, int, float, bool, None, Any, Literal["a", 1, True], Literal[2, None], Color, Sign, Level, Text, Tree]
LEAVES += [Point, Pair, Options, Names, Node, Circle, Circle | Square, Box]
SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 2.0, 0.5, "", "a", "red", "1", "-2"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["x", "y", "first", "deep", "value", "1"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def _around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        inner.map(lambda item: list[item]),
        inner.map(lambda item: dict[str, item]),
        inner.map(lambda item: dict[int, item]),
        inner.map(lambda item: tuple[item, ...]),
        st.tuples(inner, inner).map(lambda items: tuple[items]),
        st.tuples(inner, inner).map(lambda items: Union[items]),  # noqa: UP007
        inner.map(lambda item: Annotated[item, "doc"]),
    )


ANNOTATIONS = st.recursive(st.sampled_from(LEAVES), _around, max_leaves=4)


def fitting(schema: dict[str, Any], root: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that are likely to fit a schema."""
    if "$ref" in schema:
        return fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root, depth + 1)
    if "anyOf" in schema:
        shallow = [part for part in schema["anyOf"] if depth < 4 or part.get("type") in ("null", "integer")]
        return st.one_of([fitting(part, root, depth) for part in shallow or schema["anyOf"]])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    most = 2 if depth < 4 else 0
    if schema.get("type") == "array":
        fixed = st.tuples(*[fitting(part, root, depth) for part in schema.get("prefixItems", [])]).map(list)
        items = schema.get("items", {})
        more = st.lists(fitting(items, root, depth + 1), max_size=most) if isinstance(items, dict) else st.just([])
        return st.tuples(fixed, more).map(lambda parts: parts[0] + parts[1])
    if schema.get("type") == "object":
        required = schema.get("required", ())
        parts = {
            name: fitting(part, root, depth + 1)
            for name, part in schema.get("properties", {}).items()
            if most or name in required
        }
        needed = {name: part for name, part in parts.items() if name in required}
        optional = {name: part for name, part in parts.items() if name not in required}
        others = schema.get("additionalProperties", {})
        if others is False:
            return st.fixed_dictionaries(needed, optional=optional)
        return st.dictionaries(st.sampled_from(["1", "-2", "0"]), fitting(others, root, depth + 1), max_size=most)
    kinds = {
        "string": st.sampled_from(["", "a", "red"]),
        "integer": st.sampled_from([1, 2.0, -1]),
        "number": st.sampled_from([1, 2.0, 0.5]),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    return kinds.get(schema.get("type", ""), JSON)


def is_exactly(value: Any, annotation: Any) -> bool:
    """Whether a value has exactly the type that its annotation says, all the way down."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is Any:
        return True
    if origin is Annotated:
        return is_exactly(value, arguments[0])
    if origin in (Union, UnionType):
        return any(is_exactly(value, member) for member in arguments)
    if origin is Literal:
        return any(value == option and type(value) is type(option) for option in arguments)
    if annotation is Tree:
        return is_exactly(value, dict[str, Tree] | int)
    if annotation is Text:
        return type(value) is str
    if annotation in (Options, Names):
        hints = {"deep": bool, "limit": int, "first": str, "others": list[Names]}
        return type(value) is dict and all(is_exactly(member, hints[name]) for name, member in value.items())
    if annotation in FIELDS:
        return type(value) is annotation and all(
            is_exactly(getattr(value, name), hint) for name, hint in FIELDS[annotation].items()
        )
    if origin is dict:
        return type(value) is dict and all(
            is_exactly(key, arguments[0]) and is_exactly(member, arguments[1]) for key, member in value.items()
        )
    if origin is list or arguments[1:] == (...,):
        return type(value) is origin and all(is_exactly(item, arguments[0]) for item in value)
    if origin is tuple:
        return type(value) is tuple and all(map(is_exactly, value, arguments)) and len(value) == len(arguments)
    return type(value) is (NoneType if annotation is None else annotation)


FIELDS: dict[Any, dict[str, Any]] = {
    Point: {"x": int, "y": float},
    Pair: {"first": int, "second": float},
    Box: {"_corner": Point, "tags": tuple[str, ...]},
    Node: {"value": int, "children": list[Node], "next": Node | None},
    Circle: {"kind": Literal["circle"], "size": float},
    Square: {"kind": Literal["square"], "size": float},
}


@given(st.data())
def test_structure_accepts_exactly_what_the_schema_accepts(data: st.DataObject) -> None:
    annotation = tuple[data.draw(ANNOTATIONS), Any]
    schema = schema_of(annotation)
    value = data.draw(st.tuples(fitting(schema["prefixItems"][0], schema) | JSON, JSON).map(list))
    before = json.dumps(value)
    structure = structure_of(tuple[annotation])
    assert structure is not None
    if jsonschema_rs.validator_for(schema, offline=True).is_valid(value):
        ((built,),) = structure({"it": [value]}).values()
        assert is_exactly(built, annotation)
    else:
        with pytest.raises(StructureError):
            structure({"it": [value]})
    assert json.dumps(value) == before


@given(ANNOTATIONS, st.data())
def test_top_level_arguments_get_exact_types(annotation: Any, data: st.DataObject) -> None:
    schema = schema_of(annotation)
    value = data.draw(fitting(schema, schema))
    if jsonschema_rs.validator_for(schema, offline=True).is_valid(value):
        assert is_exactly(build(annotation, value), annotation)


@given(st.data())
def test_schema_accepts_what_pydantic_accepts(data: st.DataObject) -> None:
    annotation = data.draw(
        st.sampled_from([int | None, list[str | int], dict[str, float], tuple[int, bool], Literal["a", 1], Point, Node])
    )
    theirs = pydantic.TypeAdapter(annotation).json_schema()
    ours = schema_of(annotation)
    value = data.draw(fitting(ours, ours) | JSON)
    if jsonschema_rs.is_valid(ours, value):
        assert jsonschema_rs.is_valid(theirs, value)
    elif not isinstance(value, (dict, list)):
        assert not jsonschema_rs.is_valid(theirs, value)
