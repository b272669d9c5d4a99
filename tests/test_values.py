"""What tools return, as the text that a model reads: strings unchanged, everything else as JSON, and what cannot be written."""

from __future__ import annotations

import asyncio
import collections
import datetime
import enum
import fractions
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from mulligan.untrusted import json_values as plain
from mulligan.untrusted.serialize import as_content


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
    (float("nan"), '"NaN"'),
    ({"high": float("inf"), "low": -float("inf")}, '{"high":"Infinity","low":"-Infinity"}'),
    ([float("inf"), {"a": float("-inf")}], '["Infinity",{"a":"-Infinity"}]'),
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
    (datetime.timedelta(hours=1), '"PT1H"'),
    (datetime.timedelta(days=2), '"P2D"'),
    (datetime.timedelta(0), '"PT0S"'),
    (datetime.timedelta(hours=-1), '"-PT1H"'),
    ({datetime.date(2026, 1, 2): 3}, '{"2026-01-02":3}'),
    ([{Color.RED: {UUID(int=1): 1}}], '[{"red":{"00000000-0000-0000-0000-000000000001":1}}]'),
    ({Level.HIGH: 1, Path("a/b"): 2, Decimal("1.10"): 3, b"a": 4}, '{"3":1,"a/b":2,"1.10":3,"YQ==":4}'),
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
    "object": (object(), "it contains a value of type object"),
    "inside": ({"rows": [1, object()]}, "it contains a value of type object"),
    "function": (print, "it contains a value of type builtin_function_or_method"),
    "class": (User, "it contains a value of type pydantic"),
    "complex": (1 + 2j, "it contains a value of type complex"),
    "fraction": (fractions.Fraction(1, 3), "it contains a value of type fractions.Fraction"),
    "namespace": (SimpleNamespace(a=1), "it contains a value of type types.SimpleNamespace"),
    "tuple keys": ({(1, 2): 3}, "it has a key of type tuple, but only strings and numbers can be keys."),
    "objects as keys inside": ([{object(): 3}], "it contains a value of type object"),
    "keys that are written alike": (
        {"2026-01-02": 3, datetime.date(2026, 1, 2): 4},
        "it has two keys that are written alike, one of type datetime.date",
    ),
    "cyclic list": (cyclic("list"), "nested too deeply or contains itself"),
    "cyclic dict": (cyclic("dict"), "nested too deeply or contains itself"),
    "cyclic object": (cyclic("object"), "nested too deeply or contains itself"),
    "deep": (nested(100_000), "nested too deeply or contains itself"),
    "endless model": (EndlessModel(), "nested too deeply or contains itself"),
    "a number of 5,000 digits": (10**5_000, "it is of type int"),
    "raises": (raising(ValueError("x")), "it is of type test_values.Model"),
    "raises unreadably": (raising(Unreadable()), "it is of type test_values.Model"),
    "exits": (raising(SystemExit(3)), "it is of type test_values.Model"),
    "cancels": (raising(asyncio.CancelledError()), "it is of type test_values.Model"),
    "out of memory": (raising(MemoryError()), "it is of type test_values.Model"),
    "group": (raising(BaseExceptionGroup("g", [SystemExit()])), "it is of type test_values.Model"),
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
            assert "The tool ran, but its result cannot be written as JSON" in result.content
            assert "The tool ran, and its effect was applied." in result.content
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
import os, sys, threading
from mulligan import Pipeline, Tool
kept = []  # Python 3.13 itself ends the process when it frees such a value in a thread with a small stack
def give(depth, kind):
    value = 1
    for _ in range(depth):
        value = {"a": value} if kind == "dict" else [value] if kind == "list" else (value,)
    kept.append(value)
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
sys.stdout.flush()
os._exit(0)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout) == (0, "lives\nlives\n"), ended.stderr[-2_000:]


# --- values without an end, and those that stand for more than any memory holds


class EndlessList(list[Any]):
    """As a lazy list of an API client that always finds one more page."""

    def __iter__(self) -> Any:
        while True:
            yield {"message": "page", "code": 404}


class EndlessDict(dict[str, Any]):
    def items(self) -> Any:
        return zip(map(str, itertools.count()), itertools.repeat("x"), strict=False)

    __iter__ = keys = lambda self: map(str, itertools.count())  # type: ignore[assignment]

    def values(self) -> Any:
        return itertools.repeat({"userErrors": EndlessList([{}])})


class EndlessMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return EndlessList([{}]) if key == "errors" else None

    def __iter__(self) -> Any:
        return itertools.repeat("errors")

    def __len__(self) -> int:
        return 1


class EndlessSet(set[int]):
    def __iter__(self) -> Any:
        return itertools.count()


class EndlessCollection(collections.abc.Collection[Any]):
    """Says that it is empty, and that it holds everything."""

    def __iter__(self) -> Any:
        return itertools.repeat(self)

    def __len__(self) -> int:
        return 0

    def __contains__(self, value: object) -> bool:
        return True


class Growing(list[Any]):
    def __iter__(self) -> Any:
        for _ in itertools.count():
            yield "x" * 1_000_000


class EndlessText(str):
    def __iter__(self) -> Any:
        return itertools.repeat("x")

    def __len__(self) -> int:
        return 10**18

    def encode(self, *_: Any) -> Any:
        return b"".join(itertools.repeat(b"x"))

    __str__ = __repr__ = lambda self: "".join(itertools.repeat("x"))


class EndlessSequence(Sequence[int]):
    def __getitem__(self, index: Any) -> Any:
        return index

    def __len__(self) -> int:
        return 10**12


@dataclass
class Page:
    number: int = 1

    @property
    def next(self) -> Page:
        return Page(self.number + 1)


class Model:
    def model_dump(self, mode: str) -> Any:
        return EndlessList()


def doubled(start: Any, times: int, kind: Callable[[Any, Any], Any]) -> Any:
    """A value of a few parts that stands for 2 ** times."""
    for _ in range(times):
        start = kind(start, start)
    return start


ENDLESS: dict[str, Callable[[], Any]] = {
    "list": lambda: EndlessList([1]),
    "in a list": lambda: [EndlessList([1])],
    "as errors": lambda: {"errors": EndlessList([{}])},
    "as detail": lambda: {"detail": EndlessList([{}])},
    "as an error": lambda: {"error": EndlessList([{}])},
    "as data": lambda: {"data": EndlessDict()},
    "dict": EndlessDict,
    "in a dict": lambda: {"a": EndlessDict()},
    "mapping": EndlessMapping,
    "set": EndlessSet,
    "of itself": EndlessCollection,
    "growing": Growing,
    "sequence": EndlessSequence,
    "range": lambda: range(10**15),
    "model": Model,
    "in an attrs class": lambda: Box(1.0, EndlessList()),
    "repeated": lambda: collections.deque([EndlessList()]),
    "keys": lambda: collections.abc.KeysView(EndlessMapping()),
    "many lists": lambda: doubled([1], 40, lambda a, b: [a, b]),
    "many tuples": lambda: doubled((1,), 40, lambda a, b: (a, b)),
    "many dicts": lambda: doubled({}, 40, lambda a, b: {"a": a, "b": b}),
    "many models": lambda: doubled(Box(1.0), 40, lambda a, b: [Box(1.0, [a, b])]),
    "long texts": lambda: ["x" * 1_000_000] * 1_000,
    "long keys": lambda: [{"x" * 1_000_000: 1}] * 1_000,
    "long bytes": lambda: [bytes(1_000_000)] * 1_000,
}


@pytest.fixture
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million steps for each kind of value would take minutes."""
    monkeypatch.setattr(plain, "MOST_VALUES", 10_000)
    monkeypatch.setattr(plain, "MOST_CHARS", 10_000_000)


def test_a_million_values_are_read_and_no_more(make_pipeline, run):
    pipeline = make_pipeline(Tool.from_schema("give", "", {"type": "object"}, lambda n: collections.deque(range(n))))
    assert len(run(pipeline, "give", {"n": 999_999}).content) > 6_000_000
    assert "it contains more than 1,000,000 values" in run(pipeline, "give", {"n": 1_000_001}).content


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_value_without_an_end_is_given_up(make_pipeline, run, kind):
    give = Tool.from_function(lambda: ENDLESS[kind](), name="give", description="")
    result = run(make_pipeline(give), "give", call_id="7")
    assert (type(result.error), result.error.effect) == (errors.ToolExecutionError, "done")
    assert "it contains more than" in result.content or "it is nested too deeply" in result.content
    assert (result.call.id, result.attempts) == ("7", 1)


def test_what_lies_about_itself_is_read_as_it_is(make_pipeline, run):
    give = Tool.from_function(lambda: {"a": EndlessText("whole")}, name="give", description="")
    text = Tool.from_function(lambda: EndlessText("whole"), name="text", description="")
    page = Tool.from_function(Page, name="page", description="")
    pipeline = make_pipeline(give, text, page)
    contents = [run(pipeline, name).content for name in ("give", "text", "page")]
    assert contents == ['{"a":"whole"}', "whole", '{"number":1}']


def test_a_value_that_is_made_while_it_is_read_ends_with_the_call(make_pipeline, run):
    """Each of its pages takes a while, as over a network: the deadline counts for them, too."""

    class Slow(list[int]):
        def __iter__(self) -> Any:
            for page in itertools.count():
                time.sleep(0.01)
                read.append(page)
                yield page

    read: list[int] = []
    result = run(make_pipeline(Tool.from_function(lambda: Slow(), timeout=0.2, name="slow", description="")), "slow")
    assert "reading it took too long" in result.content
    assert (result.error.effect, len(read) < 1_000) == ("done", True)


@pytest.mark.usefixtures("fewer")
@pytest.mark.parametrize("kind", ["list", "in a list", "dict", "mapping", "set", "many lists", "growing", "sequence"])
def test_arguments_without_an_end_are_refused(make_pipeline, run, kind):
    pipeline = make_pipeline(Tool.from_schema("give", "", {"type": "object"}, lambda **_: "ran"))
    for arguments in ({"a": ENDLESS[kind]()}, ENDLESS[kind]()):
        result = run(pipeline, "give", arguments)
        assert (type(result.error), result.attempts) == (errors.ToolArgumentError, 0)


def test_sets_are_written_alike_in_every_process():
    program = "from mulligan.untrusted.serialize import as_content; print(as_content({'b', 'a', 'c', 'zz', 1, None, (2, 'x')}))"
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


_PARTS = {
    datetime.date: st.dates(),
    datetime.datetime: st.datetimes(timezones=st.just(datetime.UTC)),
    datetime.time: st.times(),
    datetime.timedelta: st.timedeltas(min_value=datetime.timedelta(0)),
    UUID: st.uuids(),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False, places=3),
    bytes: st.binary(max_size=9),
    Level: st.sampled_from(Level),
    Name: st.sampled_from(Name),
    Path: st.sampled_from([Path("a/b"), Path("/c")]),
}


@pytest.mark.parametrize("kind", _PARTS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_what_one_tool_returns_another_takes(kind: Any, data: st.DataObject) -> None:
    value = data.draw(_PARTS[kind])
    taken: list[Any] = []

    def take(value: Any, rows: Any) -> None:
        taken.append((value, rows))

    take.__annotations__ = {"value": kind, "rows": list[dict[str, kind]]}
    give = Tool.from_function(lambda: {"value": value, "rows": [{"a": value}]}, name="give")
    with Pipeline([give, take], autoload=False) as pipeline:
        result = pipeline.call("take", pipeline.call("give").content)
        assert (result.error, taken) == (None, [(value, [{"a": value}])])


@given(st.sets(st.integers() | st.text(max_size=3)))
def test_sets_are_sorted(value):
    assert as_content(value) == as_content(set(sorted(value, key=repr)))


def test_a_value_is_what_the_tool_gave_not_a_copy():
    value = {"a": [1]}
    with Pipeline([Tool.from_function(lambda: value, name="give")], autoload=False) as pipeline:
        assert pipeline.call("give").value is value
