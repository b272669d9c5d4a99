"""Every stage, the tool and what it returns, against every kind of fault: one result each, as if the saboteur were not there."""

from __future__ import annotations

import asyncio
import contextlib
import decimal
import functools
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import pytest

from mulligan import Pipeline, Tool, ToolResult, errors
from mulligan.hooks.manager import HOOKS
from mulligan.plugin import hookimpl

LIMIT = 2_000
HUGE = 3_000_000
COROUTINES: list[Any] = []


@pytest.fixture(autouse=True)
def _close_coroutines() -> Iterator[None]:
    yield
    while COROUTINES:
        COROUTINES.pop().close()


# --- what can be raised


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Unprintable(Exception):
    def __repr__(self) -> str:
        raise SystemExit(5)

    __str__ = __repr__


class Untyped(Exception):
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no class")


class Unequal(Exception):
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __hash__(self) -> int:
        raise RuntimeError("not hashable")


class Untouchable(Exception):
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class Untrue(Exception):
    def __bool__(self) -> bool:
        raise RuntimeError("neither")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Lying(Exception):
    """Fields that classifiers look at, all of a wrong type."""

    status_code = errno = code = response = headers = filename = "not what it seems"
    retry_after = url = request = exceptions = object()


class Furious(Exception):
    """Fields that classifiers look at, all raising."""

    @property
    def status_code(self) -> Any:
        raise RuntimeError("status")

    response = headers = retry_after = filename = errno = code = status = url = status_code


class NewText(Exception):
    def __str__(self) -> Any:
        return 3


class OwnBase(BaseException):
    pass


def cyclic_cause() -> BaseException:
    first, second = ValueError("first"), KeyError("second")
    first.__cause__, second.__cause__ = second, first
    return first


def long_chain() -> BaseException:
    error: BaseException = ValueError("the first of many")
    for number in range(20_000):
        later = ValueError(number)
        later.__cause__, later.__context__, error = error, error, later
    return error


def deep_group() -> BaseException:
    error: Exception = ValueError("x")
    for _ in range(1_000):
        error = ExceptionGroup("g", [error])
    return error


def recurse() -> Any:
    return recurse() + 1


def throw(error: Any) -> Any:
    raise error


EXCEPTIONS: dict[str, Callable[[], Any]] = {
    "ValueError": lambda: ValueError("x"),
    "KeyError": lambda: KeyError(("a", 1)),
    "bare class": lambda: LookupError,
    "AssertionError": AssertionError,
    "StopIteration": lambda: StopIteration(3),
    "StopAsyncIteration": lambda: StopAsyncIteration(3),
    "MemoryError": MemoryError,
    "OSError": lambda: OSError(28, "no space", "/x"),
    "TimeoutError": lambda: TimeoutError("x"),
    "NotImplementedError": NotImplementedError,
    "UnicodeError": lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "\ud800"),
    "DeprecationWarning": lambda: DeprecationWarning("old"),
    "SystemExit": lambda: SystemExit(3),
    "SystemExit with text": lambda: SystemExit("bye"),
    "CancelledError": lambda: asyncio.CancelledError("x"),
    "own BaseException": lambda: OwnBase("x"),
    "ExceptionGroup": lambda: ExceptionGroup("g", [ValueError("a"), KeyError("b")]),
    "group of 10,000": lambda: ExceptionGroup("g", [ValueError(number) for number in range(10_000)]),
    "group nested 1,000 deep": deep_group,
    "BaseExceptionGroup": lambda: BaseExceptionGroup("g", [SystemExit(3), ValueError("x")]),
    "group with a cancellation": lambda: BaseExceptionGroup("g", [asyncio.CancelledError(), ValueError("x")]),
    "raising __str__": Unreadable,
    "raising __repr__": Unprintable,
    "raising __class__": Untyped,
    "raising __eq__ and __hash__": Unequal,
    "raising __getattribute__": Untouchable,
    "raising __bool__ and __len__": Untrue,
    "__str__ of a wrong type": NewText,
    "fields of wrong types": Lying,
    "fields that raise": Furious,
    "huge text": lambda: ValueError("x" * HUGE),
    "huge arguments": lambda: ValueError(*["word " * 1_000] * 1_000),
    "lone surrogates": lambda: ValueError("\ud800" * 5_000),
    "control characters": lambda: ValueError("\x1b[2J\x00\u202e\r\n" * 1_000),
    "cyclic cause": cyclic_cause,
    "20,000 causes": long_chain,
    "UsageError": lambda: errors.UsageError("of another pipeline"),
    "PluginError": lambda: errors.PluginError("of another pipeline"),
    "huge type name": lambda: type("X" * 100_000, (Exception,), {})("x"),
}


# --- what can be given


class RaisingBool:
    def __bool__(self) -> bool:
        raise RuntimeError("neither")


class RaisingIter:
    def __iter__(self) -> Any:
        raise RuntimeError("no items")


class RaisingLen:
    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        return iter([1])


class RaisingClass:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no class")


class RaisingLook:
    def __getattribute__(self, name: str) -> Any:
        raise SystemExit(3)


class RaisingEq:
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")


class RaisingMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise SystemExit(3)

    def __iter__(self) -> Any:
        raise SystemExit(3)

    def __len__(self) -> int:
        raise SystemExit(3)


def cyclic_dict() -> dict[str, Any]:
    cyclic: dict[str, Any] = {}
    cyclic["me"] = cyclic
    return cyclic


def coroutine() -> Any:
    async def later() -> None: ...

    COROUTINES.append(later())
    return COROUTINES[-1]


def endless() -> Iterator[int]:
    while True:
        yield 1


def failing_midway() -> Iterator[Any]:
    raise ValueError("midway")
    yield


VALUES: dict[str, Callable[[], Any]] = {
    "zero": lambda: 0,
    "one": lambda: 1,
    "True": lambda: True,
    "NaN": lambda: float("nan"),
    "text": lambda: "text",
    "huge text": lambda: "x" * HUGE,
    "bytes": lambda: b"bytes",
    "empty list": list,
    "list": lambda: [1, "a", None],
    "tuple": lambda: (1,),
    "dict of objects": lambda: {"a": object()},
    "cyclic dict": cyclic_dict,
    "raising mapping": RaisingMapping,
    "object": object,
    "Ellipsis": lambda: ...,
    "NotImplemented": lambda: NotImplemented,
    "exception": lambda: ValueError("returned"),
    "class": lambda: decimal.Decimal,
    "function": lambda: throw,
    "coroutine": coroutine,
    "generator": lambda: (number for number in range(3)),
    "endless generator": endless,
    "generator that fails": failing_midway,
    "raising __bool__": RaisingBool,
    "raising __iter__": RaisingIter,
    "raising __len__": RaisingLen,
    "raising __class__": RaisingClass,
    "raising __getattribute__": RaisingLook,
    "raising __eq__": RaisingEq,
    "module": lambda: contextlib,
}

FAULTS: dict[str, Callable[[], Any]] = {
    **{f"raises {name}": functools.partial(lambda make: throw(make()), make) for name, make in EXCEPTIONS.items()},
    "recurses": recurse,
    **{f"gives {name}": make for name, make in VALUES.items()},
}

# what is no fault for a stage: a right answer of a right type
RIGHT: dict[str, set[str]] = {
    "validate": set(),
    "repair": {"class", "function"},
    "execute": {"class", "function"},
    "render_feedback": {"text"},
    "middlewares": {"empty list"},
    "hints": {"empty list", "dict of objects", "cyclic dict"},
    "feedback_formats": {"empty list"},
    "dialects": {"empty list"},
    "executors": {"empty list"},
    "observe": set(VALUES) - {"coroutine"},
}
STAGES: dict[str, list[tuple[str, Any]]] = {
    "resolve": [("read", {"path": "a"}), ("nope", {})],
    "validate": [("read", {"path": "a"}), ("read", "{")],
    "repair": [("nope", {}), ("read", {}), ("read", "{")],
    "execute": [("read", {"path": "a"})],
    "detect": [("read", {"path": "a"}), ("told", {})],
    "classify": [("missing", {}), ("unknown", {}), ("told", {})],
    "render_feedback": [("missing", {}), ("nope", {})],
    "middlewares": [("read", {"path": "a"}), ("missing", {})],
    "hints": [("missing", {}), ("nope", {})],
    "feedback_formats": [("missing", {}), ("read", {"path": "a"})],
    "dialects": [("missing", {}), ("read", {"path": "a"})],
    "executors": [("missing", {}), ("read", {"path": "a"})],
    "observe": [("missing", {}), ("read", {"path": "a"}), ("nope", {})],
}


def tools() -> list[Any]:
    def read(path: str) -> str:
        return f"read {path}"

    def missing() -> None:
        raise FileNotFoundError("a.md")

    def unknown() -> None:
        raise LookupError("nobody knows")

    def told() -> dict[str, str]:
        return {"error": "no disk"}

    return [read, missing, unknown, told]


def saboteur(hook: str, fault: Callable[[], Any]) -> ModuleType:
    module = ModuleType("saboteur")
    setattr(module, hook, hookimpl(lambda: fault()))
    return module


def outcome_of(result: ToolResult) -> tuple[Any, ...]:
    return (
        result.content,
        result.is_error,
        type(result.error),
        result.attempts,
        result.value,
        result.fatal,
        result.repairs,
    )


def answered(run: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """The result; what comes out of the call instead is named, and not shown: some of it cannot be."""
    try:
        return run(*args, **options)
    except BaseException as escaped:
        escapee = type(escaped).__name__[:80]
    pytest.fail(f"{escapee} came out of the call")


def check_result(result: ToolResult, id: str | None) -> None:
    assert isinstance(result, ToolResult)
    assert result.call.id == id
    assert type(result.content) is str
    result.content.encode()
    assert not result.is_error or 0 < len(result.content) <= LIMIT
    assert result.is_error == (result.error is not None)


@functools.cache
def undisturbed(name: str, arguments: str, format: str) -> tuple[Any, ...]:
    with Pipeline(tools(), autoload=False, format=format) as pipeline:
        return outcome_of(pipeline.call(name, eval(arguments), call_id="7"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("stage", STAGES)
def test_a_stage(make_pipeline, run, stage, fault):
    kind, _, what = fault.partition(" ")
    format = "json" if stage == "render_feedback" and "e" in what else "text"
    pipeline = answered(make_pipeline, *tools(), plugins=[saboteur(stage, FAULTS[fault])], format=format)
    right = kind == "gives" and what in RIGHT.get(stage, set())
    for number in range(3):
        for name, arguments in STAGES[stage]:
            result = answered(run, pipeline, name, arguments, call_id="7")
            check_result(result, "7")
            if not (right and stage in ("execute", "render_feedback", "hints")):
                assert outcome_of(result) == undisturbed(name, repr(arguments), format), (name, number)
    assert outcome_of(run(pipeline, "read", {"path": "b"}))[:2] == ("read b", False) or (right and stage == "execute")
    if right:
        assert pipeline.faults == ()
    elif (stage, what) != ("render_feedback", "huge text"):
        assert {(fault.plugin, fault.hook) for fault in pipeline.faults} == {("saboteur", stage)}
        assert all(len(fault.error) < 2_000 for fault in pipeline.faults)
        assert 1 <= len(pipeline.faults) <= 3


@pytest.mark.parametrize("fault", FAULTS)
def test_authorize_fails_closed(make_pipeline, run, fault):
    ran = []

    def pay(amount: int) -> None:
        ran.append(amount)

    pipeline = make_pipeline(pay, *tools(), plugins=[saboteur("authorize", FAULTS[fault])])
    for _ in range(4):
        result = answered(run, pipeline, "pay", {"amount": 3}, call_id="7")
        check_result(result, "7")
        assert isinstance(result.error, errors.ToolPermissionError)
    assert ran == []
    assert pipeline.faults[0].plugin == "saboteur"


@pytest.mark.parametrize("passing", [KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("stage", [*STAGES, "authorize"])
def test_what_must_pass_passes(run, stage, passing):
    def interrupt() -> None:
        raise passing

    with pytest.raises(passing), Pipeline(tools(), plugins=[saboteur(stage, interrupt)], autoload=False) as pipeline:
        for name, arguments in STAGES.get(stage, STAGES["execute"]):
            run(pipeline, name, arguments)


FORMS = ["sync", "timeout", "inline", "async", "async timeout"]


def faulty_tool(fault: Callable[[], Any], form: str) -> Tool:
    def work() -> Any:
        return fault()

    async def awork() -> Any:
        return fault()

    return Tool.from_function(
        awork if "async" in form else work,
        name="work",
        timeout=20 if "timeout" in form else None,
        inline=form == "inline",
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if not fault.startswith("gives ")])
def test_the_tool_itself(make_pipeline, run, fault, form):
    pipeline = make_pipeline(faulty_tool(FAULTS[fault], form), *tools())
    for _ in range(2):
        result = answered(run, pipeline, "work", {}, call_id="7")
        check_result(result, "7")
        assert isinstance(result.error, errors.ToolError)
        assert result.attempts == 1
        result.to_dict()
        repr(result)
    assert pipeline.faults == ()
    assert run(pipeline, "missing").content.startswith("Error executing tool missing: Resource not found: a.md")
    assert run(pipeline, "read", {"path": "b"}).content == "read b"


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", VALUES)
def test_what_the_tool_returns(make_pipeline, run, value, form):
    pipeline = make_pipeline(faulty_tool(VALUES[value], form), *tools())
    for _ in range(2):
        result = answered(run, pipeline, "work", {}, call_id="7")
        check_result(result, "7")
        assert result.attempts == 1
        if value == "huge text":
            assert len(result.content) == HUGE
        elif not result.is_error:
            assert len(result.content) < LIMIT
    assert pipeline.faults == ()
    assert run(pipeline, "told").is_error
    assert run(pipeline, "read", {"path": "b"}).content == "read b"


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if not fault.startswith("gives ")])
@pytest.mark.parametrize("format", ["json", "block"])
def test_the_other_formats(make_pipeline, fault, format):
    pipeline = make_pipeline(faulty_tool(FAULTS[fault], "sync"), format=format)
    result = answered(Pipeline.call, pipeline, "work", call_id="7")
    check_result(result, "7")
    assert result.content.startswith(
        '{"error": true' if format == "json" else "Tool Execution Result:\nTool Name: work\n"
    )


def test_call_and_acall_agree_on_every_fault(make_pipeline):
    for fault, make in FAULTS.items():
        for form in ("sync", "async"):
            pipeline = make_pipeline(faulty_tool(make, form), *tools())
            by_call = answered(Pipeline.call, pipeline, "work", {}, call_id="7")
            by_acall = answered(
                lambda *args, **more: asyncio.run(Pipeline.acall(*args, **more)), pipeline, "work", {}, call_id="7"
            )
            assert (by_call.content, type(by_call.error)) == (by_acall.content, type(by_acall.error)), (fault, form)


def test_all_faults_at_once(make_pipeline, run_many):
    made = [
        Tool.from_function(functools.partial(lambda fault: fault(), fault), name=f"t{number}")
        for number, fault in enumerate(FAULTS.values())
    ]
    pipeline = make_pipeline(*made, *tools())
    results: Any = answered(run_many, pipeline, [(one.name, {}) for one in made])
    assert [result.call.name for result in results] == [one.name for one in made]
    for result in results:
        check_result(result, None)


def test_every_hook_is_a_stage_of_the_matrix():
    assert {*STAGES, "authorize", "count_tokens"} == set(HOOKS)  # test_feedback_room breaks the last one


# --- saboteurs that raise nothing, but change what they are given


def change_call(call: Any) -> None:
    call.name, call.arguments = "missing", {"changed": True}


def change_failure(failure: Any) -> None:
    failure.exception, failure.value, failure.tool, failure.arguments = None, "changed", None, {"changed": True}


def change_feedback(feedback: Any) -> None:
    feedback.headline = feedback.message = feedback.next_step = "changed"


def change_event(event: Any) -> None:
    if hasattr(event, "result"):
        event.result.content, event.result.is_error, event.result.error = "changed", False, None


CHANGES: dict[str, tuple[str, Callable[..., None]]] = {
    "resolve changes the call": ("resolve", change_call),
    "validate changes the call": ("validate", change_call),
    "execute changes the call": ("execute", change_call),
    "classify changes the failure": ("classify", change_failure),
    "render_feedback changes the feedback": ("render_feedback", change_feedback),
    "observe changes the result": ("observe", change_event),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_what_a_plugin_changes_in_what_it_is_given_changes_nothing(make_pipeline, run, kind):
    hook, change = CHANGES[kind]
    module = ModuleType("saboteur")
    setattr(module, hook, hookimpl(change))
    pipeline = make_pipeline(*tools(), plugins=[module])
    for name, arguments in (("read", {"path": "a"}), ("missing", {}), ("unknown", {}), ("told", {}), ("nope", {})):
        result = answered(run, pipeline, name, dict(arguments), call_id="7")
        assert outcome_of(result) == undisturbed(name, repr(arguments), "text"), name
