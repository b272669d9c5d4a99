"""Where in a conversation an event happened: every one says it, and each call is reported once, wherever it runs."""

from __future__ import annotations

import asyncio
import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mulligan import Budget, Policy, Tool, ToolCall, errors, tool
from mulligan.plugin import (
    AttemptFailed,
    BudgetSpent,
    CallFinished,
    CallRepaired,
    CallStarted,
    Notice,
    PluginFaulted,
    StepFinished,
    Waiting,
    hookimpl,
)
from mulligan.testing import capture_events


def flaky(failures: int) -> Tool:
    ran: list[int] = []

    @tool(read_only=True)
    def look(word: str) -> str:
        """Look a word up."""
        ran.append(1)
        if len(ran) <= failures:
            raise errors.ToolUnavailableError("Busy.", retry_after=0.001)
        return word

    return look


def positions(events: Any) -> list[tuple[Any, ...]]:
    return [
        (type(event).__name__, event.session_id, event.step, event.call_id, event.attempt)
        for event in events
        if not isinstance(event, PluginFaulted)
    ]


WHOLE = [
    ("CallStarted", "talk", 1, "c1", 0),
    ("CallRepaired", "talk", 1, "c1", 0),
    ("AttemptFailed", "talk", 1, "c1", 1),
    ("Waiting", "talk", 1, "c1", 1),
    ("CallRetried", "talk", 1, "c1", 2),
    ("CallFinished", "talk", 1, "c1", 2),
    ("CallStarted", "talk", 1, "c2", 0),
    ("CallFinished", "talk", 1, "c2", 0),
    ("StepFinished", "talk", 1, None, 0),
    ("CallStarted", "talk", 2, "c3", 0),
    ("BudgetSpent", "talk", 2, "c3", 0),
    ("CallFinished", "talk", 2, "c3", 0),
    ("StepFinished", "talk", 2, None, 0),
    ("Notice", "talk", 2, None, 0),
]


def message(*calls: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, name, arguments in calls
        ],
    }


FIRST, SECOND = message(("c1", "look", '{"word": "a",}'), ("c2", "lok", "{}")), message(("c3", "look", '{"word": "b"}'))


def answered(session: Any) -> None:
    session.answer(FIRST)
    session.answer(SECOND)


def in_steps(session: Any) -> None:
    """As an adapter does it, one call after the other."""
    for sent in (FIRST, SECOND):
        with session.step():
            for one in sent["tool_calls"]:
                session.call(one["function"]["name"], one["function"]["arguments"], call_id=one["id"])


def in_threads(session: Any) -> None:
    """The step is opened in this thread, its calls run in others."""
    with ThreadPoolExecutor(1) as pool:
        for sent in (FIRST, SECOND):
            with session.step():
                for one in sent["tool_calls"]:
                    function = one["function"]
                    pool.submit(session.call, function["name"], function["arguments"], call_id=one["id"]).result()


def awaited_in_steps(session: Any) -> None:
    async def play() -> None:
        for sent in (FIRST, SECOND):
            with session.step():
                for one in sent["tool_calls"]:
                    await asyncio.create_task(
                        session.acall(one["function"]["name"], one["function"]["arguments"], call_id=one["id"])
                    )

    asyncio.run(play())


def joined(session: Any) -> None:
    """The host opens the step that `answer` would open."""
    for sent in (FIRST, SECOND):
        with session.step():
            session.answer(sent)


@pytest.mark.parametrize("way", [answered, in_steps, in_threads, awaited_in_steps, joined])
def test_every_event_says_where_it_belongs(make_pipeline, way):
    events = capture_events()
    pipeline = make_pipeline(flaky(1), plugins=[events], policy=Policy(repair="all"))
    way(pipeline.session("talk", budget=Budget(calls=2)))
    assert positions(events) == WHOLE
    step, _ = events.of(StepFinished)
    assert (step.names, step.ids, [one.is_error for one in step.results]) == (
        ("look", "lok"),
        ("c1", "c2"),
        [False, True],
    )


def test_without_a_conversation_there_is_no_step_to_name(make_pipeline):
    events = capture_events()
    make_pipeline(flaky(0), plugins=[events]).call_many([ToolCall("c1", "look", {"word": "a"})])
    assert positions(events) == [
        ("CallStarted", None, 0, "c1", 0),
        ("CallFinished", None, 0, "c1", 1),
        ("StepFinished", None, 0, None, 0),
    ]


def test_calls_that_overlap_are_listed_in_the_order_in_which_they_came_in(make_pipeline):
    @tool
    async def wait(turns: int) -> str:
        """Wait."""
        for _ in range(turns):
            await asyncio.sleep(0)
        return str(turns)

    events = capture_events()
    session = make_pipeline(wait, plugins=[events]).session()

    async def play() -> None:
        with session.step():
            await asyncio.gather(*(session.acall("wait", {"turns": turns}) for turns in (40, 20, 1)))

    asyncio.run(play())
    assert [result.content for result in events.of(StepFinished)[0].results] == ["40", "20", "1"]
    assert [event.result.content for event in events.of(CallFinished)] == ["1", "20", "40"]


def test_a_step_without_calls_is_not_reported_nor_is_one_that_raised(make_pipeline):
    events = capture_events()
    session = make_pipeline(flaky(0), plugins=[events]).session()
    with session.step():
        pass
    with pytest.raises(LookupError), session.step():
        session.call("look", {"word": "a"})
        raise LookupError
    assert events.of(StepFinished) == []
    assert session.memory._collecting == {}


def test_a_fault_is_about_no_call(make_pipeline):
    class Breaks:
        @hookimpl
        def resolve(self, call: Any) -> None:
            raise RuntimeError("no")

    events = capture_events()
    make_pipeline(flaky(0), plugins=[events, Breaks()]).session("talk").call("look", {"word": "a"})
    (fault,) = events.of(PluginFaulted)
    assert (fault.session_id, fault.step, fault.call_id, fault.attempt) == (None, 0, None, 0)


def test_events_are_copied_and_pickled_whole(make_pipeline):
    events = capture_events()
    pipeline = make_pipeline(flaky(1), plugins=[events], policy=Policy(repair="all"))
    in_steps(pipeline.session("talk", budget=Budget(calls=2)))
    kinds = (CallRepaired, AttemptFailed, Waiting, BudgetSpent, Notice)
    kept = [event for event in events if isinstance(event, kinds)]
    assert {type(event) for event in kept} == set(kinds)
    for twins in ([pickle.loads(pickle.dumps(event)) for event in kept], [copy.copy(event) for event in kept]):
        assert positions(twins) == positions(kept)


def test_events_that_say_the_same_are_equal_wherever_they_happened():
    assert Waiting("c", "look", 1.0, session_id="a", step=3) == Waiting("c", "look", 1.0)
    assert Notice("a", "Log in.", True, 4) == Notice("a", "Log in.", True)
    assert Waiting("c", "look", 1.0) != Waiting("c", "look", 2.0)
    assert repr(CallStarted("c", "look", lambda: "", "a", 2)) == "CallStarted(call_id='c', tool_name='look')"
