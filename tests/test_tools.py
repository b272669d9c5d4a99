"""Tools: made of functions and of schemas, called like functions, described to models, and what a wrong one is told."""

from __future__ import annotations

import asyncio
import copy
import datetime
import functools
import inspect
import pickle
import socket
import threading
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal
from uuid import UUID

import attrs
import pydantic
import pytest

from mulligan import Deadline, Injected, Pipeline, Tool, ToolCall, errors, tool
from mulligan.plugin import values_by_name

FLAGS = {
    "timeout": 2.5,
    "read_only": True,
    "idempotent": True,
    "destructive": False,
    "inline": True,
    "killable": True,
    "secret": "phrase",
    "resources": ("a", "b"),
    "detect": False,
    "format": "json",
    "tags": ["slow", "remote"],
    "tool_type": "extension",
    "provider": "bank",
}


class Color(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int = 0


@attrs.define
class Box:
    side: float


class User(pydantic.BaseModel):
    name: str


def read_file(path: str, lines: int = 10) -> str:
    """Read a text file of the workspace.

    Args:
        path: where it is.
        lines: how many lines.
    """
    return f"{path}:{lines}"


@tool(read_only=True, secret="key")
def look_up(word: str, key: str = "") -> str:
    """Look a word up."""
    if not word:
        raise ValueError("no word")
    return word


class Library:
    @tool(name="lend")
    @staticmethod
    def lend(title: str) -> str:
        """Lend a book."""
        return title


# --- the decorator


def test_a_decorated_function_can_be_called_as_before():
    decorated = tool(read_file)
    assert isinstance(decorated, Tool)
    assert decorated("a.md") == decorated(path="a.md") == read_file("a.md") == "a.md:10"
    assert decorated.handler is read_file
    assert (decorated.__name__, decorated.__doc__, decorated.__module__) == ("read_file", read_file.__doc__, __name__)
    assert inspect.signature(decorated) == inspect.signature(read_file)
    assert inspect.unwrap(decorated) is read_file
    assert repr(decorated) == "Tool('read_file')"


def test_the_function_is_left_unchanged():
    before = dict(vars(read_file))
    tool(timeout=3)(read_file)
    assert vars(read_file) == before


def test_the_decorator_with_options():
    @tool(name="cat", description="Shows a file.", **FLAGS)
    def show(path: str, phrase: str = "") -> str:
        """Another text."""
        return path

    assert (show.name, show.description) == ("cat", "Shows a file.")
    for option, value in FLAGS.items():
        if option in ("secret", "tags"):
            value = frozenset([value] if isinstance(value, str) else value)
        assert getattr(show, option) == value


def test_the_defaults_are_the_careful_ones():
    plain = tool(read_file)
    assert (plain.timeout, plain.read_only, plain.idempotent, plain.destructive) == (None, False, False, None)
    assert (plain.inline, plain.killable, plain.detect, plain.format) == (False, False, True, None)
    assert (plain.secret, plain.tags, plain.tool_type, plain.provider) == (frozenset(), frozenset(), "function", None)


def test_name_description_and_schema_come_from_the_function():
    made = Tool.from_function(read_file)
    assert made.name == "read_file"
    assert made.description == "Read a text file of the workspace."
    assert made.summary == read_file.__doc__
    assert made.parameters["required"] == ["path"]
    assert made.parameters["additionalProperties"] is False
    assert made.parameters["properties"]["path"] == {"type": "string", "description": "where it is."}
    assert made.parameters["properties"]["lines"] == {
        "type": "integer",
        "description": "how many lines.",
        "default": 10,
    }


def test_a_function_without_docstring_has_no_description():
    assert Tool.from_function(lambda: 1, name="one").description == ""
    assert Tool.from_function(lambda: 1, name="one", description="Gives one.").description == "Gives one."


class Reader:
    def read(self, path: str) -> str:
        return path

    def __call__(self, path: str) -> str:
        return path


@pytest.mark.parametrize(
    ("function", "name"),
    [(read_file, "read_file"), (Reader().read, "read"), (Reader(), "Reader")],
    ids=["function", "method", "object"],
)
def test_callables_of_several_kinds(make_pipeline, run, function, name):
    assert tool(function).name == name
    assert run(make_pipeline(function), name, {"path": "a"}).content.startswith("a")


def test_a_partial_shows_what_is_still_open(make_pipeline, run):
    made = Tool.from_function(functools.partial(read_file, lines=3), name="read")
    assert list(made.parameters["properties"]) == ["path"]
    assert run(make_pipeline(made), "read", {"path": "a"}).content == "a:3"


def test_what_is_awaited_is_known():
    async def coroutine() -> int:
        return 1

    async def generator():
        yield 1

    class Caller:
        async def __call__(self) -> int:
            return 1

    for function in (coroutine, generator, functools.partial(coroutine), Caller()):
        assert Tool.from_function(function, name="work").is_async
    for function in (lambda: 1, functools.partial(read_file, "a"), print):
        assert not Tool("work", "", function).is_async


# --- what a wrong one is told


def make_stars(*paths: str) -> None: ...
def make_names(**options: str) -> None: ...
def make_bare(path) -> None: ...
def make_positional(path: str, /) -> None: ...


class Unbound:
    def read(self, path: str) -> None: ...


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tool(make_stars), r"make_stars: \*paths has no parameter names.*`paths: list\[str\]`"),
        (lambda: tool(make_names), r"make_names: \*\*options hides the names of its arguments.*Tool.from_schema"),
        (lambda: tool(make_bare), r"make_bare: the parameter 'path' has no annotation. Annotate it, as in `path: str`"),
        (lambda: tool(make_positional), r"make_positional: the parameter 'path' is positional-only.*Remove the `/`"),
        (lambda: tool(Unbound.read), r"Unbound.read: it is an unbound method with the parameter 'self'.*thing.method"),
        (lambda: tool(3), r"a tool needs a function, not 3"),
        (lambda: tool("read"), r"a tool needs a function, not 'read'"),
        (lambda: tool(read_file, timeout=0), r"tool 'read_file': timeout must be above zero seconds, not 0"),
        (lambda: tool(read_file, timeout=-1), r"tool 'read_file': timeout must be above zero seconds, not -1"),
        (lambda: tool(read_file, timeout="5"), r"tool 'read_file': timeout must be"),
        (
            lambda: tool(read_file, readonly=True),
            r"unknown tool option 'readonly' \(did you mean 'read_only'\?\); available: ",
        ),
        (lambda: tool(readonly=True)(read_file), r"unknown tool option 'readonly'"),
        (lambda: Tool.from_schema("", "", {}, print), r"a tool name must be a non-empty string, not ''"),
        (lambda: Tool.from_schema(3, "", {}, print), r"a tool name must be a non-empty string, not 3"),
        (
            lambda: Tool.from_schema("a", "", [], print),
            r"tool 'a': parameters must be a JSON Schema as a mapping, not \[\]",
        ),
        (
            lambda: Tool.from_schema("a", "", {"type": "array"}, print),
            r"tool 'a': its schema must be of type 'object'.*not 'array'",
        ),
        (lambda: Tool.from_schema("a", "", {}, "print"), r"tool 'a': its handler must be callable, not 'print'"),
        (lambda: Tool.from_schema("a", 5, {}, print), r"tool 'a': its description must be a string, not 5"),
        (
            lambda: tool(description=["Find."])(endless_names),
            r"tool 'endless_names': its description must be a string, not \['Find.'\]",
        ),
        (lambda: Tool.from_schema("a", "", {}, print, schema={}), r"unknown tool option 'schema'"),
        (lambda: tool(len), r"len: it is not written in Python"),
    ],
)
def test_a_wrong_tool_is_told_at_registration(make, text):
    with pytest.raises(errors.UsageError, match=text):
        made = make()
        assert not isinstance(made, Tool)


def log_in(user: str, password: str, note: Injected[str] = "") -> str:
    """Log in."""
    return user


NAMED = {"type": "object", "properties": {"user": {}, "password": {}}}
OPEN = "; to allow other arguments, set additionalProperties: true in its schema"


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: tool(secret=["pasword"])(log_in),
            (
                "tool 'log_in': secret names 'pasword', which is not an argument (did you mean 'password'?); "
                "available: user, password, note"
            ),
        ),
        (
            lambda: tool(secret="token")(functools.partial(log_in, "Ada")),
            "tool 'log_in': secret names 'token', which is not an argument; available: password, note",
        ),
        (
            lambda: tool(secret="pasword", schema=NAMED)(log_in),
            (
                "tool 'log_in': secret names 'pasword', which is not an argument (did you mean 'password'?); "
                f"available: user, password{OPEN}"
            ),
        ),
        (
            lambda: Tool.from_schema("a", "", {**NAMED, "additionalProperties": False}, log_in, secret={"token"}),
            f"tool 'a': secret names 'token', which is not an argument; available: user, password{OPEN}",
        ),
        (lambda: tool(log_in, secret=5), "tool 'log_in': secret must be a string or a list of strings, not 5"),
        (lambda: tool(log_in, approve="no"), "tool 'log_in': approve must be True or False, not 'no'"),
        (lambda: tool(log_in, tags=5), "tool 'log_in': tags must be a string or a list of strings, not 5"),
        (
            lambda: tool(log_in, tags=["a", 5]),
            "tool 'log_in': tags must be a string or a list of strings, not ['a', 5]",
        ),
        (lambda: tool(log_in, schema=5), "tool 'log_in': parameters must be a JSON Schema as a mapping, not 5"),
        (
            lambda: tool(log_in, readonly=True),
            (
                "unknown tool option 'readonly' (did you mean 'read_only'?); available: aliases, also_called, approve, claims_read_only, description, destructive, detect, "
                "executor, format, idempotent, inline, killable, name, output_schema, provider, read_only, resources, schema, secret, "
                "tags, timeout, tool_type"
            ),
        ),
        (
            lambda: Tool.from_schema("a", "", {}, log_in, schema={}),
            (
                "unknown tool option 'schema' (did you mean 'output_schema'?); available: aliases, also_called, approve, claims_read_only, destructive, "
                "detect, executor, format, idempotent, inline, killable, output_schema, provider, read_only, resources, secret, tags, timeout, tool_type"
            ),
        ),
        (
            lambda: tool(lambda: 1),
            (
                "a lambda has no name for a model to call. Write a function with `def`, or name it, as in "
                "Tool.from_function(..., name='add')."
            ),
        ),
        (
            lambda: Tool.from_function(eval("lambda x: x"), name="same"),
            (
                "<lambda>: a lambda's parameters cannot be annotated. Write a function with `def`, with parameters such as "
                "`x: str`."
            ),
        ),
        (
            lambda: tool(len),
            (
                "len: it is not written in Python, so its parameters have no annotations. Write a function that "
                "calls it."
            ),
        ),
        (
            lambda: tool(log_in, name="get weather (v2)!"),
            "tool 'get weather (v2)!': its name contains spaces, which providers reject; use name='get_weather_v2'",
        ),
        (
            lambda: tool(log_in, name="log\x00in"),
            ("tool 'log\\x00in': its name contains invisible characters, which providers reject; use name='log_in'"),
        ),
        (
            lambda: tool(log_in, name="x" * 129),
            (
                f"tool '{'x' * 40}...': its name is longer than 128 characters, which providers reject; "
                f"use name='{'x' * 64}'"
            ),
        ),
        (lambda: tool(log_in, name=""), "a tool name must be a non-empty string, not ''"),
    ],
)
def test_what_a_tool_has_not_and_what_it_cannot_be_called_is_told_when_it_is_made(make, text):
    with pytest.raises(errors.UsageError) as caught:
        make()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"properties": {}},
        {"properties": {"user": {}}, "additionalProperties": True},
        {"properties": {"user": {}}, "additionalProperties": {"type": "string"}},
        {"properties": {"user": {}}, "patternProperties": {"^p": {}}},
        {"properties": {"user": {}}, "allOf": [{"properties": {"password": {}}}]},
        {"$ref": "#/$defs/A", "$defs": {"A": NAMED}},
    ],
)
def test_an_argument_that_a_schema_may_allow_can_be_secret(schema):
    assert Tool.from_schema("a", "", schema, log_in, secret="password").secret == {"password"}


def test_a_part_of_a_function_has_its_name(make_pipeline, run):
    made = Tool.from_function(functools.partial(functools.partial(read_file), "a.md"))
    assert made.name == "read_file"
    assert run(make_pipeline(made), "read_file", {"lines": 3}).content == "a.md:3"


def test_a_type_without_schema_names_function_parameter_and_what_can_be_used():
    def connect(host: str, channel: socket.socket) -> None: ...

    made = Tool.from_function(connect)
    with pytest.raises(errors.UsageError, match=r"connect, parameter 'channel': .*supported are str, int"):
        _ = made.parameters


# --- through a pipeline


def test_python_objects_are_built(make_pipeline, run):
    seen: dict[str, Any] = {}

    def work(
        day: datetime.date,
        id: UUID,
        path: Path,
        color: Color,
        point: Point,
        box: Box,
        user: User,
        tags: set[str],
        pair: tuple[int, str],
    ) -> None:
        seen.update(locals())

    arguments = {
        "day": "2026-11-21",
        "id": "12345678-1234-5678-1234-567812345678",
        "path": "a/b",
        "color": "red",
        "point": {"x": 1},
        "box": {"side": 2},
        "user": {"name": "Ada"},
        "tags": ["a"],
        "pair": [1, "x"],
    }
    result = run(make_pipeline(work), "work", arguments)
    assert not result.is_error, result.content
    del seen["seen"]
    assert seen == {
        "day": datetime.date(2026, 11, 21),
        "id": UUID("12345678-1234-5678-1234-567812345678"),
        "path": Path("a/b"),
        "color": Color.RED,
        "point": Point(1, 0),
        "box": Box(2.0),
        "user": User(name="Ada"),
        "tags": {"a"},
        "pair": (1, "x"),
    }


def test_a_mutable_default_is_not_shared_between_calls(make_pipeline, run):
    def collect(item: str, into: Annotated[list[str] | None, "where"] = None) -> list[str]:
        return [*(into or []), item]

    pipeline = make_pipeline(collect)
    assert run(pipeline, "collect", {"item": "a"}).content == run(pipeline, "collect", {"item": "a"}).content == '["a"]'


def test_a_schema_replaces_the_one_of_the_signature(make_pipeline, run):
    @tool(schema={"type": "object", "properties": {"path": {"type": "string", "maxLength": 3}}, "required": ["path"]})
    def read(path: Path) -> str:
        return type(path).__name__ + path

    pipeline = make_pipeline(read)
    assert run(pipeline, "read", {"path": "abc"}).content == "strabc"
    assert run(pipeline, "read", {"path": "abcd"}).error.problems[0].expected == "at most 3 characters"
    assert pipeline.tools.definitions()[0]["function"]["parameters"]["properties"]["path"]["maxLength"] == 3


def test_with_a_schema_of_its_own_the_annotations_need_no_schema(make_pipeline, run):
    @tool(schema={"type": "object", "properties": {"channel": {"type": "string"}}})
    def send(channel: socket.socket | str, user: Injected[object] = None) -> str:
        return f"{channel} {user}"

    assert run(make_pipeline(send), "send", {"channel": "x"}, context={"user": "Ada"}).content == "x Ada"


def test_from_schema_hands_over_json_values(make_pipeline, run):
    made = Tool.from_schema(
        "add", "Adds.", {"properties": {"a": {}, "b": {}}}, lambda a, b: a + b, read_only=True, tags="sum"
    )
    assert (made.name, made.description, made.read_only, made.tags) == ("add", "Adds.", True, frozenset(["sum"]))
    assert run(make_pipeline(made), "add", {"a": [1], "b": [2]}).value == [1, 2]


def test_from_schema_with_an_async_handler(make_pipeline, run):
    async def add(a: int, b: int) -> int:
        await asyncio.sleep(0)
        return a + b

    made = Tool.from_schema("add", "", {"type": "object"}, add)
    assert made.is_async
    assert run(make_pipeline(made), "add", {"a": 1, "b": 2}).value == 3


def test_a_handler_that_the_arguments_do_not_fit_is_a_failure_of_the_tool(make_pipeline, run):
    made = Tool.from_schema("add", "", {"type": "object"}, lambda a: a)
    result = run(make_pipeline(made), "add", {"b": 1})
    assert isinstance(result.error, (errors.ToolArgumentError, errors.ToolExecutionError))


# --- injected parameters


class Database:
    def __init__(self, name: str) -> None:
        self.name = name


def lookup(key: str, db: Injected[Database]) -> str:
    """Look a key up.

    Args:
        key: what to look up.
        db: the database.
    """
    return f"{db.name}/{key}"


def test_injected_parameters_are_hidden_and_filled(make_pipeline, run):
    made = Tool.from_function(lookup)
    assert list(made.parameters["properties"]) == ["key"]
    assert made.injected == {"db": Database}
    pipeline = make_pipeline(made)
    assert run(pipeline, "lookup", {"key": "a"}, context={"db": Database("main"), "other": 1}).content == "main/a"
    session = pipeline.session()
    assert run(session, "lookup", {"key": "b"}, context={"db": Database("side")}).content == "side/b"


def test_a_model_cannot_fill_an_injected_parameter(make_pipeline, run):
    result = run(make_pipeline(lookup), "lookup", {"key": "a", "db": "evil"}, context={"db": Database("main")})
    assert [problem.pointer for problem in result.error.problems] == ["/db"]


def test_a_missing_injected_value_names_tool_parameter_and_next_step(make_pipeline, run):
    for context in (None, {}, {"database": 1}):
        with pytest.raises(
            errors.UsageError, match=r"tool 'lookup' needs 'db': pass call\(..., context=\{'db': ...\}\)"
        ):
            run(make_pipeline(lookup), "lookup", {"key": "a"}, context=context)


def test_an_injected_default_is_used(make_pipeline, run):
    def greet(name: str, user: Injected[str] = "nobody", other: Injected[str | None] = None) -> str:
        return f"{name} by {user}"

    assert run(make_pipeline(greet), "greet", {"name": "x"}).content == "x by nobody"
    assert run(make_pipeline(greet), "greet", {"name": "x"}, context={"user": "Ada"}).content == "x by Ada"


@pytest.mark.parametrize("context", [{"usr": "Ada"}, {"usr": "Ada", "deadline": None}, {"a": 1, "b": 2}])
def test_a_context_that_no_tool_takes_anything_from_is_a_mistake(make_pipeline, run, context):
    def greet(name: str, user: Injected[str] = "nobody") -> str:
        return f"{name} by {user}"

    for tools in ([greet], [greet, read_file]):
        with pytest.raises(errors.UsageError, match=f"'{next(iter(context))}'.*no tool has an Injected parameter"):
            run(make_pipeline(*tools), "greet", {"name": "x"}, context=context)
    assert run(make_pipeline(greet), "greet", {"name": "x"}, context={"user": "Ada", "usr": 1}).content == "x by Ada"


def test_the_call_and_the_deadline_are_injected(make_pipeline, run):
    def work(n: int, call: Injected[ToolCall], deadline: Injected[Deadline]) -> list[Any]:
        return [call.id, call.name, n, deadline.remaining]

    bounded, unbounded = Tool.from_function(work, timeout=60), Tool.from_function(work, name="unbounded")
    pipeline = make_pipeline(bounded, unbounded)
    assert run(pipeline, "work", {"n": 1}, call_id="key-1").value[:3] == ["key-1", "work", 1]
    assert 0 < run(pipeline, "work", {"n": 1}).value[3] <= 60
    assert run(pipeline, "unbounded", {"n": 1}).value[3] == float("inf")
    given = Deadline(5.0, lambda: 2.0)
    assert run(pipeline, "work", {"n": 1}, context={"deadline": given}).value[3] == 3.0
    assert repr(given) == "Deadline(3.000 s left)"
    assert Deadline(5.0, lambda: 9.0).remaining == 0.0


# --- without handler


def test_a_tool_without_its_handler_cannot_be_run():
    made = Tool.from_function(read_file, **{**FLAGS, "secret": "path"})
    spec = made.without_handler()
    assert (spec.name, spec.description, spec.parameters) == (made.name, made.description, made.parameters)
    for option in FLAGS:
        if option != "resources":
            assert getattr(spec, option) == getattr(made, option)
    with pytest.raises(errors.UsageError, match="a repairer cannot run tools: its tools have no handlers"):
        spec(path="a")


# --- suggestions of resources and others that plugins use


def test_schema_work_is_done_once_on_first_use():
    made = Tool.from_function(read_file)
    assert not {"parameters", "validator", "_signature"} & set(vars(made))
    assert made.parameters is made.parameters
    assert made.validator is made.validator


def test_a_generator_is_consumed_and_closed(make_pipeline, run):
    closed = []

    def count(upto: int):
        try:
            yield from range(upto)
        finally:
            closed.append(upto)

    async def acount(upto: int):
        try:
            for number in range(upto):
                yield number
        finally:
            closed.append(upto)

    for timeout in (None, 30):
        pipeline = make_pipeline(
            Tool.from_function(count, timeout=timeout), Tool.from_function(acount, timeout=timeout)
        )
        for name in ("count", "acount"):
            closed.clear()
            assert run(pipeline, name, {"upto": 3}).value == [0, 1, 2]
            assert closed == [3]


# --- names that exist


def test_a_tool_that_knows_its_resources_suggests_the_near_ones(make_pipeline, run):
    names = ["docs/setup.md", "docs/usage.md", "src/main.py"]
    ways = {
        "list": names,
        "generator function": lambda arguments: (name for name in names),
        "iterator": iter(names),
        "function of the arguments": lambda arguments: [f"{arguments['path'].split('/')[0]}/setup.md"],
    }

    def read(path: str) -> str:
        raise FileNotFoundError(2, "x", path)

    for way, resources in ways.items():
        pipeline = make_pipeline(Tool.from_function(read, resources=resources))
        run(pipeline, "read", {"path": "docs/usgae.md"})
        result = run(pipeline, "read", {"path": "docs/setpu.md"})
        assert result.error.suggestions[:1] == ("docs/setup.md",), way
        assert '"docs/setup.md"' in result.content
        assert result.feedback.suggestions[0] == "docs/setup.md"


def endless_names(arguments: dict[str, Any]) -> Any:
    while True:
        yield "docs/other.md"


@pytest.mark.parametrize(
    "resources",
    [
        lambda arguments: 1 / 0,
        lambda arguments: 3,
        lambda arguments: None,
        lambda arguments: [object(), None, 3],
        endless_names,
        lambda: [],
    ],
    ids=["raises", "number", "none", "odd items", "endless", "no parameter"],
)
def test_resources_that_cannot_be_listed_cost_only_the_suggestions(make_pipeline, run, resources):
    def read(path: str) -> str:
        raise FileNotFoundError(2, "x", path)

    pipeline = make_pipeline(Tool.from_function(read, resources=resources))
    for _ in range(4):
        result = run(pipeline, "read", {"path": "docs/setpu.md"})
        assert result.content.startswith("Error executing tool read: Resource not found: docs/setpu.md")


@pytest.mark.parametrize("is_slow", [True, False])
def test_listing_resources_ends_by_the_deadline_of_the_call(make_pipeline, run, is_slow):
    """The listing goes on until the call is back, or for a minute if the call waits for it."""
    is_back = threading.Event()

    def slow_names(arguments: dict[str, Any]) -> Any:
        yield "docs/setup.md"
        while not is_back.wait(0.01):
            yield "docs/other.md"

    def blocking_names(arguments: dict[str, Any]) -> Any:
        is_back.wait(60)
        return ["docs/setup.md"]

    def read(path: str) -> str:
        raise FileNotFoundError(2, "x", path)

    resources = slow_names if is_slow else blocking_names
    pipeline = make_pipeline(Tool.from_function(read, resources=resources, timeout=0.4))
    try:
        result = run(pipeline, "read", {"path": "docs/setpu.md"})
    finally:
        is_back.set()
    assert result.content.startswith("Error executing tool read: Resource not found: docs/setpu.md")
    assert result.error.suggestions == (("docs/setup.md",) if is_slow else ())


def test_listing_resources_does_not_block_the_event_loop(make_pipeline):
    def read(path: str) -> str:
        raise FileNotFoundError(2, "x", path)

    def names(arguments: dict[str, Any]) -> list[str]:
        time.sleep(0.3)
        return ["docs/setup.md"]

    async def main() -> tuple[int, Any]:
        pipeline = make_pipeline(Tool.from_function(read, resources=names))
        call = asyncio.ensure_future(pipeline.acall("read", {"path": "docs/setpu.md"}))
        turns = 0
        while not call.done():
            turns += 1
            await asyncio.sleep(0.01)
        return turns, call.result()

    turns, result = asyncio.run(main())
    assert turns > 10
    assert result.error.suggestions == ("docs/setup.md",)


# --- objects that refuse what they are made of


@dataclass
class Account:
    number: str

    def __post_init__(self) -> None:
        if not self.number.isdigit():
            raise ValueError(f"no number: {self.number}")


def test_what_a_class_refuses_is_a_problem_of_the_arguments(make_pipeline, run):
    def open_account(account: Account, key: Account | None = None) -> str:
        return account.number

    pipeline = make_pipeline(Tool.from_function(open_account, secret="key"))
    assert run(pipeline, "open_account", {"account": {"number": "12"}}).content == "12"
    result = run(pipeline, "open_account", {"account": {"number": "one"}, "key": {"number": "xK9-vault-77"}})
    assert isinstance(result.error, errors.ToolArgumentError)
    assert {problem.pointer for problem in result.error.problems} == {"/account", "/key"}
    assert "xK9" not in result.content
    assert "xK9" not in repr(result.error.problems)
    assert result.attempts == 0


def test_a_tool_can_be_looked_at_by_other_tools():
    members = dict(inspect.getmembers(Tool))
    assert {"parameters", "description", "validator", "from_function"} <= set(members)
    assert repr(ToolCall("1", "read", {"password": "x"})) == "ToolCall(id='1', name='read', arguments=...)"


@pytest.mark.parametrize("context", [5, [("a", 1)], "a"])
def test_a_context_that_is_no_mapping_is_the_hosts_mistake(make_pipeline, run, context):
    def act() -> str:
        return "ran"

    with pytest.raises(errors.UsageError, match="context must be a mapping"):
        run(make_pipeline(act), "act", {}, context=context)


def test_a_tool_cannot_be_read_only_and_destructive():
    with pytest.raises(errors.UsageError, match="'act': read_only=True and destructive=True contradict"):
        Tool.from_schema("act", "", {"type": "object"}, lambda: None, read_only=True, destructive=True)


def test_an_empty_path_is_refused(make_pipeline, run):
    def remove(path: Path) -> str:
        return str(path)

    result = run(make_pipeline(Tool.from_function(remove)), "remove", {"path": ""})
    assert isinstance(result.error, errors.ToolArgumentError) and result.attempts == 0
    assert "not a valid path" in result.content


def test_a_tiny_wait_is_shown_as_a_tenth_of_a_second(make_pipeline, run):
    def act() -> str:
        raise errors.ToolRateLimitError("Too many.", retry_after=0.0000001)

    content = run(make_pipeline(Tool.from_function(act, read_only=True)), "act", {}).content
    assert "0.1 s" in content and "e-07" not in content


@pytest.mark.parametrize(
    "give",
    [
        lambda schema: schema,
        lambda schema: {**schema},
        lambda schema: MappingProxyType(schema),
        lambda schema: {
            "type": "object",
            "properties": MappingProxyType({"n": schema["properties"]["n"]}),
            "required": ("n",),
        },
    ],
    ids=["parameters", "copied", "view", "parts"],
)
def test_a_schema_may_be_made_of_the_parameters_of_another_tool(make_pipeline, give):
    def count(n: Literal[1, 2]) -> str:
        return f"counted {n}"

    given = give(Tool.from_function(count).parameters)
    pipeline = make_pipeline(Tool.from_schema("other", "", given, count))
    assert pipeline.call("other", {"n": 2}).content == "counted 2"
    assert [problem.pointer for problem in pipeline.call("other", {"n": 3}).error.problems] == ["/n"]
    assert [problem.pointer for problem in pipeline.call("other", {}).error.problems] == ["/n"]


def test_a_model_is_read_by_the_names_that_were_sent():
    class Page(pydantic.BaseModel):
        path: str
        limit: int = pydantic.Field(10, alias="maxLines")
        size: int = 0

    assert values_by_name(Page, {"path": "a", "maxLines": "5", "other": 1}) == {"path": "a", "maxLines": 5}
    with pytest.raises(ValueError, match="maxLines"):
        values_by_name(Page, {"path": "a", "maxLines": "many"})
    assert values_by_name(Page, {"path": "a", "limit": 3}) == {"path": "a"}


@pytest.mark.parametrize(
    "made", [look_up, look_up.with_options(timeout=5), Tool.from_function(read_file), Library.lend]
)
@pytest.mark.parametrize("again", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
def test_a_tool_and_its_results_can_be_pickled_and_copied(made, again):
    other = again(made)
    assert (other.handler, other.name, other.timeout, other.secret) == (
        made.handler,
        made.name,
        made.timeout,
        made.secret,
    )
    assert other.parameters == made.parameters
    with Pipeline([made], autoload=False) as pipeline, Pipeline([other], autoload=False) as second:
        for arguments in ({next(iter(made.parameters["properties"])): "tea"}, {}):
            result = pipeline.call(made.name, arguments)
            assert again(result).content == second.call(made.name, arguments).content == result.content
            assert again(result).tool.handler is made.handler
