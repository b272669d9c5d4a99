"""Events of a whole step, all calls of one message: what observers are told, and what the person is shown."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mulligan import Policy, ToolCall, errors, tool
from mulligan.plugin import CallFinished, CallStarted, Notice, StepFinished, hookimpl


class Watcher:
    def __init__(self) -> None:
        self.events: list[Any] = []

    @hookimpl
    def observe(self, event: Any) -> None:
        self.events.append(event)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


@tool(read_only=True)
def read(path: str) -> str:
    """Read a file."""
    if path == "gone":
        raise FileNotFoundError(2, "No such file", path)
    return "text"


@tool
def pay(amount: int) -> str:
    """Pay."""
    raise errors.ToolAuthenticationError("The key was refused.", user_message="Log in to the bank.")


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def pipeline(make_pipeline, watcher):
    return make_pipeline(read, pay, plugins=[watcher], policy=Policy(repair="all"))


CALLS = [
    ToolCall("a", "read", {"path": "ok"}),
    ToolCall("b", "read_fil", {"path": "ok"}),
    ToolCall("c", "read", {"path": {"x": 1}}),
    ToolCall("d", "READ", '{"path": "ok",}'),
    ToolCall("e", "read", {"path": "gone"}),
]
MESSAGE = {
    "tool_calls": [
        {"id": call.id, "function": {"name": call.name, "arguments": call.arguments}, "type": "function"}
        for call in CALLS
    ]
}
WAYS = {
    "call_many": lambda one: one.call_many(CALLS),
    "acall_many": lambda one: asyncio.run(one.acall_many(CALLS)),
    "answer": lambda one: one.answer(MESSAGE).results,
    "aanswer": lambda one: asyncio.run(one.aanswer(MESSAGE)).results,
}


@pytest.mark.parametrize("of", ["pipeline", "session"])
@pytest.mark.parametrize("way", WAYS)
def test_one_event_for_each_step(pipeline, watcher, way, of):
    given = WAYS[way](pipeline if of == "pipeline" else pipeline.session("talk"))
    (step,) = watcher.of(StepFinished)
    assert watcher.events[-1] is step
    assert (step.session_id, step.ids) == (None if of == "pipeline" else "talk", ("a", "b", "c", "d", "e"))
    assert step.names == ("read", "read_fil", "read", "READ", "read")
    assert [result.content for result in step.results] == [result.content for result in given]
    assert [result.call.id for result in step.invalid] == ["b", "c"]
    assert [result.call.id for result in step.repaired] == ["d"]
    assert [result.call.id for result in step.failed] == ["b", "c", "e"]
    assert step.fatal is False
    assert step.duration >= max(step.durations) > 0
    assert len(watcher.of(CallStarted)) == len(watcher.of(CallFinished)) == 5
    assert watcher.of(Notice) == []
    assert repr(step) == "StepFinished(read, read_fil, read, READ, read: 3 of 5 failed)"


def test_one_call_is_no_step_and_no_calls_are_none(pipeline, watcher):
    pipeline.call("read", {"path": "ok"})
    pipeline.call_many([])
    asyncio.run(pipeline.acall_many([]))
    pipeline.answer({"role": "assistant", "tool_calls": []})
    assert watcher.of(StepFinished) == watcher.of(Notice) == []


@pytest.mark.parametrize("way", ["call_many", "acall_many"])
def test_a_step_that_has_nothing_to_show_gives_a_notice(pipeline, watcher, way):
    calls = [("read", {"path": "gone"}), ("read", {"path": "gone"}), ("pay", {"amount": 3}), ("nope", {})]
    one = pipeline.session("talk")
    one.call_many(calls) if way == "call_many" else asyncio.run(one.acall_many(calls))
    (notice,) = watcher.of(Notice)
    assert notice == Notice(
        "talk",
        "Resource not found: gone. Log in to the bank. The assistant called a tool that does not exist.",
        True,
    )
    assert watcher.events[-1] is notice
    assert watcher.of(StepFinished)[0].fatal


def test_a_notice_holds_no_secret(make_pipeline, watcher):
    secret = "sk-" + "a1B2" * 10

    def leak() -> None:
        raise errors.ToolExecutionError("x", user_message=f"The key {secret} is wrong.")

    make_pipeline(leak, plugins=[watcher]).call_many([("leak", {}), (secret, {})])
    told = repr(watcher.of(Notice)) + repr(watcher.of(StepFinished)) + repr(watcher.of(StepFinished)[0].names)
    assert "The key [redacted] is wrong." in told
    assert secret not in told


def test_a_repeated_invalid_call_is_still_an_invalid_one(pipeline, watcher):
    session = pipeline.session()
    for _ in range(4):
        session.call_many([("nope", {}), ("read", {})])
    assert [len(step.invalid) for step in watcher.of(StepFinished)] == [2] * 4
    assert isinstance(watcher.of(StepFinished)[3].results[0].error, errors.RepeatedCallError)


def test_what_an_observer_changes_in_a_step_changes_nothing(make_pipeline):
    class Meddler:
        @hookimpl
        def observe(self, event: Any) -> None:
            if isinstance(event, StepFinished):
                event.results[0].content = "other"
                raise RuntimeError("no")

    pipeline = make_pipeline(read, plugins=[Meddler()])
    assert [result.content for result in pipeline.call_many([("read", {"path": "ok"})])] == ["text"]
    assert [fault.hook for fault in pipeline.faults] == ["observe"]


def test_a_step_that_is_cancelled_is_not_finished(make_pipeline, watcher):
    async def wait() -> str:
        await asyncio.sleep(60)
        return "late"

    async def main(session: Any) -> None:
        task = asyncio.ensure_future(session.acall_many([("wait", {})] * 3))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    session = make_pipeline(wait, plugins=[watcher]).session()
    asyncio.run(main(session))
    assert watcher.of(StepFinished) == []
    assert session.memory._open_steps == 0
