"""What tools return, as the text that a model reads: strings unchanged, everything else as JSON, and what cannot be written."""

from __future__ import annotations

import asyncio
import collections
import datetime
import enum
import fractions
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path, PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import attrs
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool, errors
from mulligan.foreign.values import as_content


class Color(enum.Enum):
    RED = "red"
    BOX = (1, 2)


class Level(enum.IntEnum):
    HIGH = 3


class Name(enum.StrEnum):
    ANN = "ann"


class Flag(enum.Flag):
    A = 1
    B = 2


@dataclass
class Point:
    x: int
    tags: set[str]


@attrs.define
class Box:
    side: float
    inner: Any = None


class User(pydantic.BaseModel):
    name: str
    born: datetime.date


class Pair(NamedTuple):
    left: int
    right: str


class Fixed(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return {"a": 1}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


class Array:
    """Like an array of numbers of another library."""

    def tolist(self) -> list[int]:
        return [1, 2]


class Text(str):
    def __str__(self) -> str:
        return "another text"


CONTENTS: list[tuple[Any, str]] = [
    ("text", "text"),
    ("", ""),
    ("é😀\u202e", "é😀\u202e"),
    ("a\ud800b", "a\ufffdb"),
    ("\ud83d\ude00", "😀"),
    (Text("as it is"), "as it is"),
    (None, "null"),
    (True, "true"),
    (0, "0"),
    (10**30, str(10**30)),
    (1.5, "1.5"),
    (-0.0, "-0.0"),
    (float("nan"), "null"),
    ([float("inf"), {"a": float("-inf")}], '[null,{"a":null}]'),
    ([], "[]"),
    ({}, "{}"),
    ((1, "é"), '[1,"é"]'),
    ({"b": 1, "a": [None]}, '{"b":1,"a":[null]}'),
    ({1: "a", None: "b", 1.5: "d"}, '{"1":"a","null":"b","1.5":"d"}'),
    ({"a": "\ud800"}, '{"a":"\ufffd"}'),
    ({"b", "a", "c"}, '["a","b","c"]'),
    (frozenset({2, 10, 1}), "[1,10,2]"),
    ({(2, 1), (1, 2)}, "[[1,2],[2,1]]"),
    (Color.RED, '"red"'),
    ({"c": Color.BOX}, '{"c":[1,2]}'),
    (Level.HIGH, "3"),
    (Name.ANN, "ann"),
    ([Name.ANN], '["ann"]'),
    (Flag.A | Flag.B, "3"),
    (Point(1, {"b", "a"}), '{"x":1,"tags":["a","b"]}'),
    (Box(2.0, Box(1.0)), '{"side":2.0,"inner":{"side":1.0,"inner":null}}'),
    (User(name="Ada", born=datetime.date(1815, 12, 10)), '{"name":"Ada","born":"1815-12-10"}'),
    ([User(name="Ada", born=datetime.date(1815, 12, 10))], '[{"name":"Ada","born":"1815-12-10"}]'),
    (Pair(1, "x"), '[1,"x"]'),
    (Fixed(), '{"a":1}'),
    (MappingProxyType({"a": 1}), '{"a":1}'),
    (collections.OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
    (collections.Counter("aab"), '{"a":2,"b":1}'),
    (collections.deque([1, 2]), "[1,2]"),
    (range(3), "[0,1,2]"),
    ({"a": 1}.keys(), '["a"]'),
    (datetime.datetime(2026, 11, 21, 8, 30, tzinfo=datetime.UTC), '"2026-11-21T08:30:00+00:00"'),
    (datetime.time(8, 30), '"08:30:00"'),
    (datetime.timedelta(hours=1), '"1:00:00"'),
    (Decimal("1.10"), '"1.10"'),
    (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
    (Path("a/b"), '"a/b"'),
    (PurePosixPath("a"), '"a"'),
    (b"\x00\xff", '"AP8="'),
    (bytearray(b"a"), '"YQ=="'),
    (memoryview(b"a"), '"YQ=="'),
    (Array(), "[1,2]"),
]


@pytest.mark.parametrize(("value", "content"), CONTENTS, ids=lambda value: type(value).__name__)
def test_content(value, content):
    assert as_content(value) == content
    assert type(as_content(value)) is str
    as_content(value).encode()


@pytest.mark.parametrize(("value", "content"), CONTENTS, ids=lambda value: type(value).__name__)
def test_content_by_a_pipeline(make_pipeline, run, value, content):
    result = run(make_pipeline(Tool.from_function(lambda: value, name="give", detect=False)), "give")
    assert (result.content, result.is_error) == (content, False)
    assert result.value is value


def cyclic(kind: str) -> Any:
    if kind == "list":
        value: Any = []
        value.append(value)
    elif kind == "dict":
        value = {}
        value["me"] = value
    else:
        value = Box(1.0)
        value.inner = [value]
    return value


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def raising(error: BaseException) -> Any:
    def dump(self: Any, mode: str = "") -> Any:
        raise error

    return type("Model", (), {"model_dump": dump})()


class EndlessModel:
    def model_dump(self, mode: str) -> Any:
        return {"next": EndlessModel()}


class HostileLook:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class HostileClass:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no class")


class HostileText(str):
    def encode(self, *_: Any) -> Any:
        raise RuntimeError("no bytes")

    def __str__(self) -> str:
        raise RuntimeError("no text")


UNWRITABLE: dict[str, tuple[Any, str]] = {
    "object": (object(), "it holds a object"),
    "inside": ({"rows": [1, object()]}, "it holds a object"),
    "function": (print, "it holds a builtin_function_or_method"),
    "class": (User, "it holds a"),
    "complex": (1 + 2j, "it holds a complex"),
    "fraction": (fractions.Fraction(1, 3), "it holds a fractions.Fraction"),
    "namespace": (SimpleNamespace(a=1), "it holds a types.SimpleNamespace"),
    "tuple keys": ({(1, 2): 3}, "it has a key that is a tuple, and only texts and numbers can be keys."),
    "dates as keys inside": ([{datetime.date(2026, 1, 2): 3}], "it has a key that is a datetime.date, and only"),
    "cyclic list": (cyclic("list"), "nested too deep or contains itself"),
    "cyclic dict": (cyclic("dict"), "nested too deep or contains itself"),
    "cyclic object": (cyclic("object"), "nested too deep or contains itself"),
    "deep": (nested(100_000), "nested too deep or contains itself"),
    "endless model": (EndlessModel(), "nested too deep or contains itself"),
    "a number of 5,000 digits": (10**5_000, "it is a int"),
    "raises": (raising(ValueError("x")), "it is a"),
    "raises unreadably": (raising(Unreadable()), "it is a"),
    "exits": (raising(SystemExit(3)), "it is a"),
    "cancels": (raising(asyncio.CancelledError()), "it is a"),
    "out of memory": (raising(MemoryError()), "it is a"),
    "group": (raising(BaseExceptionGroup("g", [SystemExit()])), "it is a"),
    "hostile look": (HostileLook(), ""),
    "hostile class": (HostileClass(), ""),
    "hostile text": (HostileText("é"), ""),
}


@pytest.mark.parametrize("kind", UNWRITABLE)
def test_what_cannot_be_written_was_done_all_the_same(make_pipeline, run, kind):
    value, reason = UNWRITABLE[kind]
    pipeline = make_pipeline(Tool.from_function(lambda: value, name="give"), Tool.from_function(lambda: 1, name="one"))
    for _ in range(4):
        result = run(pipeline, "give", call_id="7")
        if kind == "hostile text" and not result.is_error:
            assert result.content == "é"
            continue
        assert isinstance(result.error, errors.ToolExecutionError)
        if kind not in ("hostile class", "hostile look"):
            assert result.error.effect == "done"
            assert "The tool ran, but what it returned cannot be written as JSON" in result.content
            assert "The tool did run: what it does is done." in result.content
            assert result.error.rule == "host:serialise"
        assert reason in result.content
        assert (result.attempts, result.call.id, result.value) == (1, "7", None)
    assert run(pipeline, "one").content == "1"
    assert pipeline.faults == ()


@pytest.mark.parametrize("passing", [KeyboardInterrupt(), GeneratorExit()])
def test_what_must_pass_passes(passing):
    with pytest.raises(type(passing)):
        as_content(raising(passing))


def test_a_reason_holds_no_foreign_text():
    secret = "xK9vault77combination"
    with pytest.raises(errors.ToolExecutionError) as caught:
        as_content(raising(TypeError(secret)))
    assert secret not in str(caught.value)


def test_deep_values_never_end_the_process():
    program = """
import threading
from mulligan import Pipeline, Tool
def give(depth, kind):
    value = 1
    for _ in range(depth):
        value = {"a": value} if kind == "dict" else [value] if kind == "list" else (value,)
    return value
def go():
    with Pipeline([Tool.from_schema("give", "", {"type": "object"}, give)], autoload=False) as pipeline:
        for depth in (100, 1_000, 10_000, 100_000, 1_000_000):
            for kind in ("dict", "list", "tuple"):
                result = pipeline.call("give", {"depth": depth, "kind": kind})
                assert result.is_error == (depth > 500) or depth == 1_000, (depth, result)
    print("lives")
go()
threading.stack_size(256 * 1024)
thread = threading.Thread(target=go)
thread.start()
thread.join()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "lives\nlives\n"), ended.stderr[-2_000:]


def test_sets_are_written_alike_in_every_process():
    program = (
        "from mulligan.foreign.values import as_content; print(as_content({'b', 'a', 'c', 'zz', 1, None, (2, 'x')}))"
    )
    outputs = set()
    for seed in ("1", "2", "3"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        outputs.add(
            subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True).stdout
        )
    assert len(outputs) == 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=10,
    )
)
def test_json_values_come_back_as_they_were(value):
    content = as_content(value)
    content.encode()
    assert (content if isinstance(value, str) else json.loads(content)) == value


@given(st.sets(st.integers() | st.text(max_size=3)))
def test_sets_are_sorted(value):
    assert as_content(value) == as_content(set(sorted(value, key=repr)))


def test_a_value_is_what_the_tool_gave_not_a_copy():
    value = {"a": [1]}
    with Pipeline([Tool.from_function(lambda: value, name="give")], autoload=False) as pipeline:
        assert pipeline.call("give").value is value
