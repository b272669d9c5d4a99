"""Foreign objects are looked at without running their code: what it computes may wait for a server that is gone."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, UserDict, namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

import attrs
import pytest

from mulligan import Pipeline, Tool, errors
from mulligan.plugin import Failure

RAN: list[str] = []
_OWN = ("__new__", "__init__", "__init_subclass__", "__getattribute__", "__setattr__", "__reduce__", "__reduce_ex__")


@pytest.fixture(autouse=True)
def nothing_ran() -> Iterator[None]:
    RAN.clear()
    yield


def _noted(name: str) -> Callable[..., Any]:
    def method(*_: Any, **__: Any) -> Any:
        RAN.append(name)
        raise RuntimeError(name)

    return method


def watched(base: type, *kept: str) -> Any:
    """A subclass that notes in `RAN` whatever of its code runs: every method, `__getattr__`, and properties."""
    names = {name for name in dir(base) if callable(getattr(base, name, None))} - {*_OWN, *kept, "__class__"}
    code = {name: _noted(f"{base.__name__}.{name}") for name in {*names, "__getattr__"} - set(kept)}
    computed = ("__class__", "args", "filename", "errno", "status_code", "response", "headers", "body", "error", "name")
    code |= {name: property(_noted(f"{base.__name__}.{name}")) for name in computed if name not in kept}
    hashed = {} if base.__hash__ is None or base is object else {"__hash__": base.__hash__}
    return type(f"Watched{base.__name__.title()}", (base,), {**code, **hashed})


Object, Text, Whole, Real, Map, Items = (watched(base) for base in (object, str, int, float, dict, list))
Raised = watched(Exception, "__str__", "with_traceback", "add_note")
Missing = watched(FileNotFoundError, "__str__", "with_traceback", "add_note")
Unknown = watched(KeyError, "__str__", "with_traceback", "add_note")
Leaving = watched(SystemExit, "__str__", "with_traceback", "add_note")


class Table(Mapping[str, Any]):
    """A mapping that has to ask for what it holds."""

    __getitem__ = __iter__ = __len__ = __contains__ = get = items = keys = values = _noted("Table")  # type: ignore[assignment]


Pair = namedtuple("Pair", "isError content")


@attrs.define
class Answer:
    is_error: bool
    content: Any


@dataclass(slots=True)
class Report:
    isError: bool
    content: Any


def stored(**members: Any) -> Any:
    """An object whose class computes all attributes, and that stores some."""
    made = object.__new__(Object)
    object.__getattribute__(made, "__dict__").update(members)
    return made


def raising(error: BaseException) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def carrying(error: BaseException, **members: Any) -> BaseException:
    BaseException.__dict__["__dict__"].__get__(error).update(members)
    return error


# what a tool does, and what the model reads of it
REPORTS: dict[str, tuple[Callable[[], Any], str]] = {
    "an error of a mapping": (lambda: {"error": Map(message=Text("no disk"))}, "no disk"),
    "an error as text": (lambda: {Text("error"): Text("no disk")}, "no disk"),
    "a status": (lambda: {"status": Whole(404), "error": Text("no disk")}, "no disk"),
    "a whole mapping": (lambda: Map(isError=True, content=Items([Map(text=Text("no disk"))])), "no disk"),
    "a mapping in order": (lambda: OrderedDict(error=Text("no disk")), "no disk"),
    "a mapping around a dict": (lambda: type("Own", (UserDict,), {"get": _noted("get")})(error="no disk"), "no disk"),
    "a view of a mapping": (lambda: MappingProxyType(Map(error=Text("no disk"))), "no disk"),
    "a list of errors": (lambda: {"errors": [Map(message=Text("no disk"), path=Items())]}, "no disk"),
    "beside a value": (lambda: {"error": "no disk", "odd": Object()}, "no disk"),
    "what an object stores": (lambda: stored(isError=True, content=Items([stored(text=Text("no disk"))])), "no disk"),
    "an answer": (lambda: stored(status=Whole(503), headers=Map(), content="no disk"), "503"),
    "a program": (lambda: stored(returncode=Whole(2), stderr=Text("no disk")), "no disk"),
    "a named tuple": (lambda: Pair(True, "no disk"), "no disk"),
    "an attrs class": (lambda: Answer(is_error=True, content="no disk"), "no disk"),
    "a dataclass with slots": (lambda: Report(True, "no disk"), "no disk"),
    "an exception": (raising(Raised("no disk", Object())), "no disk"),
    "an exception's text": (raising(Raised(Text("no disk"))), "no disk"),
    "what it was made with": (raising(ValueError("no disk", Object(), [Object()], {"a": Object()})), "no disk"),
    "an exception in it": (raising(ValueError(Raised("no disk"))), "no disk"),
    "the key of a look-up": (raising(KeyError(Object())), "The tool failed"),
    "a look-up": (raising(Unknown(Text("no disk"))), "no disk"),
    "the path of a file": (raising(FileNotFoundError(2, "no disk", Object())), "The resource was not found"),
    "a missing file": (raising(Missing(2, "no such file", "disk.txt")), "Resource not found: disk.txt"),
    "an exit": (raising(Leaving(Object())), "The tool tried to exit"),
    "a cause": (raising(carrying(Raised("outer"), original=Raised("no disk"))), "outer"),
    "an answer that it stores": (
        raising(carrying(Raised("no"), response=stored(status_code=Whole(404), headers=Table()))),
        "not found",
    ),
    "headers": (raising(carrying(Raised("no disk"), headers=Table(), body=Table(), details=Object())), "no disk"),
    "a wait": (raising(carrying(Raised("slow down"), status=Whole(429), retry_after=Real(7))), "7 s"),
    "a group": (raising(ExceptionGroup("two", [Raised("no disk"), ValueError(Object())])), "two"),
    "a note": (raising(carrying(Raised("no disk"), __notes__=[Object()])), "no disk"),
}


@pytest.mark.parametrize("form", ["call", "acall"])
@pytest.mark.parametrize("kind", REPORTS)
def test_a_failure_is_reported_without_running_foreign_code(kind, form):
    function, told = REPORTS[kind]
    with Pipeline([Tool.from_function(function, name="give")], autoload=False) as pipeline:
        result = pipeline.call("give", {}) if form == "call" else asyncio.run(pipeline.acall("give", {}))
    assert (result.is_error, RAN) == (True, [])
    assert told in result.content


RESULTS: dict[str, Callable[[], Any]] = {
    "an object": Object,
    "an object in a mapping": lambda: {"a": Object()},
    "a mapping that asks": lambda: {"a": [1], "b": {"c": Object()}},
}


@pytest.mark.parametrize("kind", RESULTS)
def test_an_object_that_cannot_be_written_is_named_without_running_its_code(kind):
    with Pipeline([Tool.from_function(RESULTS[kind], name="give")], autoload=False) as pipeline:
        content = pipeline.call("give", {}).content
    assert RAN == []
    assert "WatchedObject" in content


@pytest.mark.parametrize(
    "make",
    [
        lambda: SimpleNamespace(status_code=404),
        lambda: {"status": "404"},
        lambda: stored(_status_code=404),
        lambda: stored(_response=stored(_Client__status=404)),
    ],
)
def test_what_a_client_keeps_of_an_answer_is_read_by_any_of_its_names(make):
    for holder in ("response", "_response", "_Client__response"):
        assert Failure(carrying(Raised("no"), **{holder: make()})).status == 404
    assert RAN == []


def test_what_an_unknown_class_computes_is_not_read_even_if_it_only_looks():
    class Quiet(Exception):
        kept = SimpleNamespace(status=404)

        @property
        def status(self) -> int:
            return self.kept.status

    assert Failure(Quiet("no")).status is None


def test_the_text_that_a_class_of_exceptions_makes_is_read():
    class Spoken(Exception):
        def __str__(self) -> str:
            return "no disk"

    with Pipeline([Tool.from_function(raising(Spoken()), name="give")], autoload=False) as pipeline:
        assert "no disk" in pipeline.call("give", {}).content


def test_an_object_that_an_exception_was_made_with_is_shown_by_its_class():
    class Odd:
        def __repr__(self) -> str:
            raise AssertionError("asked")

    told = Failure(ValueError("no", 3, Odd())).text
    assert told.startswith("('no', 3, <") and told.endswith("Odd>)")


@pytest.mark.parametrize("error", [errors.ToolTimeoutError, errors.ToolRateLimitError])
def test_a_tool_error_around_a_foreign_object_is_itself(error):
    with Pipeline([Tool.from_function(raising(error(Object())), name="give")], autoload=False) as pipeline:
        assert type(pipeline.call("give", {}).error) is error
