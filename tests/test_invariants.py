"""What holds for every input: one bounded result for each call, the same each time, whatever a plugin does."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan import Limits, Pipeline, Policy, Problem, Tool, ToolCall, ToolResult, errors
from mulligan.hooks.manager import HOOKS
from mulligan.plugin import hookimpl

ANY_TEXT = st.text(st.characters(), max_size=60)  # surrogates and controls too
LONG_TEXT = st.builds(lambda text, times: text * times, ANY_TEXT, st.sampled_from([1, 1, 1, 50, 500]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)
VALUES = (
    JSON
    | st.builds(object)
    | st.binary(max_size=8)
    | st.sets(st.integers(), max_size=4)
    | st.complex_numbers()
    | st.tuples(JSON)
)
NAMES = st.sampled_from(["read", "give", "raise", "aread", "inline", "bounded"]) | ANY_TEXT
ARGUMENTS = (
    st.none()
    | ANY_TEXT
    | st.builds(json.dumps, JSON)
    | st.dictionaries(st.sampled_from(["path", "n", "extra"]), JSON, max_size=3)
    | st.builds(json.dumps, st.fixed_dictionaries({"path": st.text(max_size=10)}))
    | st.binary(max_size=10)
    | VALUES
)
CALLS = st.builds(ToolCall, st.none() | st.text(max_size=5), NAMES, ARGUMENTS)
PLAIN = {
    *(
        ValueError,
        KeyError,
        OSError,
        RuntimeError,
        TimeoutError,
        ConnectionError,
        FileNotFoundError,
        PermissionError,
        StopIteration,
    ),
    *(MemoryError, RecursionError, SystemExit, asyncio.CancelledError, LookupError, NotADirectoryError),
}
EXCEPTIONS = st.recursive(
    st.builds(
        lambda cls, args: cls(*args),
        st.sampled_from(sorted(PLAIN, key=str)),
        st.lists(LONG_TEXT | st.integers(), max_size=3),
    ),
    lambda inner: (
        st.builds(
            lambda text, errors: BaseExceptionGroup(text, errors), ANY_TEXT, st.lists(inner, min_size=1, max_size=3)
        )
        | st.builds(lambda error, cause: setattr(error, "__cause__", cause) or error, inner, inner)
    ),
    max_leaves=4,
)
ERROR_CLASSES = [cls for cls in errors.ToolError.__subclasses__() if cls.__module__ == "mulligan.errors"]
TOOL_ERRORS = st.builds(
    lambda cls, message, **fields: cls(message, **fields),
    st.sampled_from(ERROR_CLASSES),
    LONG_TEXT,
    code=st.none() | st.sampled_from(["ABORTED", "ALREADY_EXISTS"]),
    fatal=st.none() | st.booleans(),
    transient=st.none() | st.booleans(),
    effect=st.sampled_from([None, "none", "possible", "done"]),
    user_message=st.none() | LONG_TEXT,
    retry_after=st.none() | st.floats(),
    resource=st.none() | LONG_TEXT,
    provider=st.none() | LONG_TEXT,
    http_status=st.none() | st.integers(),
    problems=st.lists(
        st.builds(Problem, LONG_TEXT, LONG_TEXT, st.none() | LONG_TEXT, st.none() | LONG_TEXT), max_size=12
    ),
)


class World:
    """A pipeline whose tools give and raise what they are told."""

    def __init__(self, **options: Any) -> None:
        self.value: Any = None
        self.error: BaseException | None = None

        def read(path: str) -> str:
            return f"read {path}"

        async def aread(path: str) -> str:
            await asyncio.sleep(0)
            return f"read {path}"

        def give() -> Any:
            return self.value

        def throw() -> None:
            raise ValueError("nothing to raise") if self.error is None else self.error

        self.pipeline = Pipeline(
            [
                *(read, aread, give, Tool.from_function(throw, name="raise")),
                Tool.from_function(read, name="inline", inline=True),
                Tool.from_function(read, name="bounded", timeout=20),
            ],
            autoload=False,
            **options,
        )

    def both(self, call: ToolCall) -> tuple[ToolResult, ToolResult]:
        """The results by `call` and by `acall`."""
        return self.pipeline.call(call), asyncio.run(self.pipeline.acall(call))


@pytest.fixture(scope="module")
def worlds() -> Iterator[Any]:
    made: dict[Any, World] = {}

    def world(format: str = "text", feedback_chars: int = 2_000, detail: str = "quoted", number: int = 0) -> World:
        key = (format, feedback_chars, detail, number)
        if key not in made:
            limits, policy = Limits(feedback_chars=feedback_chars), Policy(detail=detail)  # type: ignore[arg-type]
            made[key] = World(format=format, limits=limits, policy=policy)
        return made[key]

    yield world
    for one in made.values():
        one.pipeline.close()


def strictly(text: str) -> Any:
    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(text, parse_constant=refuse)


def is_recorded(result: ToolResult, earlier: Iterable[ToolResult]) -> bool:
    """Whether a result repeats the answer that a call of this id had when it ran; its feedback is not kept."""
    return result.attempts == 0 and any(
        one.attempts
        and (one.call.id, one.call.name, one.content) == (result.call.id, result.call.name, result.content)
        and (one.is_error, type(one.error)) == (result.is_error, type(result.error))
        for one in earlier
        if one.call.id is not None
    )


def true_id(id: str | None) -> str | None:
    """An id as a result has it: an empty or blank one is none."""
    return id if id is not None and id.strip() else None


def check(result: ToolResult, call: ToolCall, limit: int = 2_000, earlier: Iterable[ToolResult] = ()) -> None:
    assert isinstance(result, ToolResult)
    assert result.call.id == true_id(call.id)
    assert type(result.content) is str
    result.content.encode()
    assert result.is_error == (result.error is not None)
    assert result.is_error == (result.feedback is not None) or is_recorded(result, earlier)
    if result.is_error:
        assert 0 < len(result.content) <= limit
        assert result.content.isprintable() or not set(result.content) & set("\r\x00\x1b\x85\u2028\u202e")
        assert result.error is not None
        assert result.fatal is bool(result.error.fatal)
    strictly(json.dumps(result.to_dict()))
    repr(result)


def shown(result: ToolResult) -> tuple[Any, ...]:
    return result.content, result.is_error, type(result.error), result.attempts, result.fatal


@settings(max_examples=600)
@given(CALLS)
def test_i1_every_call_has_one_result(worlds, call):
    world = worlds()
    for result in world.both(call):
        check(result, call)
    assert world.pipeline.faults == ()
    assert world.pipeline.call("read", '{"path": "a"}').content == "read a"


@settings(max_examples=300)
@given(VALUES)
def test_i1_every_value_has_one_result(worlds, value):
    world = worlds()
    world.value = value
    call = ToolCall("7", "give", {})
    for result in world.both(call):
        check(result, call)
        assert result.attempts == 1
    assert world.pipeline.faults == ()


@settings(max_examples=300)
@given(EXCEPTIONS)
def test_i1_every_exception_has_one_result(worlds, error):
    world = worlds()
    world.error = error
    call = ToolCall("7", "raise", {})
    for result in world.both(call):
        check(result, call)
        assert result.is_error
        assert result.attempts == 1
    assert world.pipeline.faults == ()


@settings(max_examples=60)
@given(st.lists(CALLS, max_size=8), st.booleans())
def test_i2_as_many_results_as_calls_with_their_ids_in_order(worlds, calls, awaited):
    pipeline = worlds().pipeline
    results = asyncio.run(pipeline.acall_many(calls)) if awaited else pipeline.call_many(calls)
    assert len(results) == len(calls)
    for result, call in zip(results, calls, strict=True):
        check(result, call)
    alone = [pipeline.call(call) for call in calls]
    assert [shown(result) for result in results] == [shown(result) for result in alone]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.text(max_size=5), NAMES, ANY_TEXT | st.builds(json.dumps, JSON)), max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_i2_one_answer_for_each_id(worlds, asked, awaited, anthropic):
    pipeline = worlds().pipeline
    if anthropic:
        blocks = [{"type": "tool_use", "id": id, "name": name, "input": given} for id, name, given in asked]
        message: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "x"}, *blocks]}
    else:
        tool_calls = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": given}} for id, name, given in asked
        ]
        message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    answers = asyncio.run(pipeline.aanswer(message)) if awaited else pipeline.answer(message)
    ids = [id for id, _, _ in asked]
    assert [result.call.id for result in answers.results] == list(map(true_id, ids))
    if anthropic:
        assert [block["tool_use_id"] for answer in answers for block in answer["content"]] == ids
    else:
        assert [answer["tool_call_id"] for answer in answers] == ids
    json.loads(json.dumps(answers))


@settings(max_examples=400)
@given(
    TOOL_ERRORS | EXCEPTIONS,
    st.sampled_from(["text", "json", "block"]),
    st.sampled_from([200, 300, 500, 2_000, 10_000]),
    st.sampled_from(["quoted", "type", "none"]),
)
def test_i3_feedback_is_bounded_in_every_format(worlds, error, format, limit, detail):
    world = worlds(format, limit, detail)
    world.error = error
    call = ToolCall("7", "raise", {})
    for result in world.both(call):
        check(result, call, limit)
        if format == "json":
            told = strictly(result.content)
            assert told["error"] is True
            assert told["toolName"] == "raise"
            assert {"message", "feedback"} <= set(told)
        elif format == "block":
            assert result.content.startswith("Tool Execution Result:\nTool Name: raise\nStatus: FAILED\nError Type: ")
        else:
            assert result.content.startswith("Error executing tool raise: ")
    assert world.pipeline.faults == ()


@settings(max_examples=200)
@given(NAMES | LONG_TEXT, ARGUMENTS, st.sampled_from(["text", "json", "block"]), st.sampled_from([200, 2_000]))
def test_i3_feedback_for_any_name_is_bounded_in_every_format(worlds, name, arguments, format, limit):
    call = ToolCall("7", name, arguments)
    result = worlds(format, limit).pipeline.call(call)
    check(result, call, limit)
    if result.is_error and format == "json":
        assert strictly(result.content)["error"] is True


FAULTS: list[Any] = [
    *(
        lambda: 1 / 0,
        lambda: 3,
        lambda: "text",
        lambda: [3],
        lambda: {"a": object()},
        lambda: object(),
        lambda: sys.exit(3),
    ),
    *(lambda: next(iter(())), lambda: (_ for _ in [3]), lambda: type),
]
RIGHT = {("observe", index) for index in (1, 2, 3, 4, 5, 8, 9)} | {
    ("execute", 9),
    ("repair", 9),
    ("render_feedback", 2),
    ("hints", 4),
}


@settings(max_examples=150)
@given(CALLS, st.sampled_from([hook for hook in HOOKS if hook != "authorize"]), st.integers(0, len(FAULTS) - 1))
def test_i6_a_saboteur_changes_nothing_and_is_named(worlds, call, hook, index):
    saboteur = ModuleType("saboteur")
    saboteur_function = FAULTS[index]
    setattr(saboteur, hook, hookimpl(lambda: saboteur_function()))
    world = World(plugins=[saboteur])
    try:
        disturbed = [world.pipeline.call(call) for _ in range(2)]
        if (hook, index) in RIGHT - {("observe", index)}:
            return
        worlds().value, worlds().error = None, None
        undisturbed = worlds().pipeline.call(call)
        for result in disturbed:
            check(result, call)
            assert shown(result) == shown(undisturbed)
            assert repr(result.value) == repr(undisturbed.value) or " at 0x" in repr(result.value)
        assert {(fault.plugin, fault.hook) for fault in world.pipeline.faults} <= {("saboteur", hook)}
    finally:
        world.pipeline.close()


@settings(max_examples=200)
@given(CALLS)
def test_i7_the_same_call_gives_the_same_bytes(worlds, call):
    first, second = (worlds(number=number).pipeline for number in (1, 2))
    results = [first.call(call), second.call(call), first.call(call)]
    if " at 0x" not in results[0].content:
        assert len({result.content for result in results}) == 1


CONVERSATIONS = """
import asyncio, hashlib, json, sys
from mulligan import Pipeline, Tool, errors

def throw(error):
    raise error

def search(query: str, labels: list[str], limit: int, mode: str = "a") -> str:
    return query

tools = [Tool.from_schema(f"{verb}_{noun}", f"{verb} a {noun}", {"type": "object"}, lambda **_: {"b", "a", "c"})
         for verb in ("get", "list", "delete", "update") for noun in ("file", "issue", "user", "page", "branch", "tag")]
failing = [Tool.from_function(make, name=name) for name, make in {
    "missing": lambda: throw(FileNotFoundError(2, "x", "a/b.md")),
    "unknown": lambda: throw(LookupError("nobody <<<knows>>>")),
    "grouped": lambda: throw(ExceptionGroup("g", [ValueError("a"), KeyError("b")])),
    "reported": lambda: {"ok": False, "z": 1, "a": {"x", "y"}},
    "unwritable": lambda: {"a": print},
    "limited": lambda: throw(errors.ToolRateLimitError("Slow down.", retry_after=3)),
}.items()]
said = hashlib.sha256()
for format in ("text", "json", "block"):
    with Pipeline([search, *tools, *failing], autoload=False, format=format) as pipeline:
        session = pipeline.session()
        for number in range(26):
            calls = [("get_fil", {}), ("fetch_issue", {"id": number}), ("search", {"query": 3, "labels": "x", "zz": 1, "aa": 2}),
                     ("search", "{'query': 1}"), ("missing", {}), ("unknown", {"n": 1} if number % 2 else {}), ("grouped", None),
                     ("reported", {}), ("unwritable", {}), ("limited", {}), ("get_file", {}), (f"x{number}", "")]
            results = session.call_many(calls) + asyncio.run(session.acall_many(calls[:3]))
            for result in results:
                told = result.to_dict()
                del told["duration"]
                said.update(result.content.encode() + json.dumps(told).encode())
            said.update(json.dumps(session.to_dict()).encode())
print(said.hexdigest())
"""


def test_i7_the_same_conversations_give_the_same_bytes_in_every_process():
    digests = set()
    for seed in ("0", "1", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        ended = subprocess.run(
            [sys.executable, "-c", CONVERSATIONS], capture_output=True, text=True, env=env, check=False
        )
        assert ended.returncode == 0, ended.stderr[-2_000:]
        digests.add(ended.stdout)
    assert len(digests) == 1
    assert len(digests.pop().strip()) == hashlib.sha256().digest_size * 2


@settings(max_examples=300)
@given(CALLS)
def test_call_and_acall_give_equal_results(worlds, call):
    by_call, by_acall = worlds().both(call)
    assert shown(by_call) == shown(by_acall) or " at 0x" in by_call.content
    told = [result.to_dict() for result in (by_call, by_acall)]
    for one in told:
        del one["duration"]
    assert told[0] == told[1] or " at 0x" in by_call.content


@settings(max_examples=100)
@given(st.lists(CALLS, min_size=1, max_size=25))
def test_a_session_never_ends_a_conversation_and_always_can_be_saved(worlds, calls):
    session = worlds().pipeline.session()
    results: list[ToolResult] = []
    for call in [call for call in calls for _ in range(2)]:
        result = session.call(call)
        check(result, call, earlier=results)
        results.append(result)
    saved = strictly(json.dumps(session.to_dict()))
    assert type(session).from_dict(worlds().pipeline, saved).to_dict() == session.to_dict()
