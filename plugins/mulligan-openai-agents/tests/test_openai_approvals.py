"""Calls that a person approves, through the SDK's own interruptions."""

import asyncio
import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest
from agents import Agent, Runner, RunState, SQLiteSession, function_tool, handoff
from agents.testing import ScriptedModel
from mulligan_openai_agents import RunStopped, run_config, wrap
from scripted import SILENT, call, heard, say

from mulligan import Approve, NeedsApproval, Pipeline, Policy, errors
from mulligan.plugin import (
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallRepaired,
    CallStarted,
    StepFinished,
    hookimpl,
)
from mulligan.testing import capture_events

both = pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])


class LargeRefunds:
    @hookimpl
    def authorize(self, tool, arguments):
        if tool.name == "refund" and arguments["amount"] > 100:
            return NeedsApproval(f"{arguments['amount']} is more than 100.")
        if tool.name == "refund" and arguments["amount"] < 0:
            return errors.ToolPermissionError("A refund is never negative.", fatal=False)
        return None


def bank(ran):
    @function_tool
    def refund(order: str, amount: int, note: str = "") -> str:
        """Refund an order."""
        ran.append((order, amount))
        return f"refunded {amount} for {order}"

    return refund


def agent_of(tools, *messages, **more):
    return Agent(name="worker", tools=tools, model=ScriptedModel([*messages, [say("Done.")]]), **more)


async def go(agent, what, stream=False, config=None):
    config = config or run_config(SILENT)
    if not stream:
        return await Runner.run(agent, what, run_config=config)
    streamed = Runner.run_streamed(agent, what, run_config=config)
    async for _ in streamed.stream_events():
        pass
    return streamed


def decided(agent, decisions, *, stream=False, config=None):
    """Runs an agent to its end; a person decides by call id: True, False, or words for a rejection."""

    async def run():
        asked, left = [], dict(decisions)
        result = await go(agent, "go", stream, config)
        while result.interruptions:
            state = result.to_state()
            asked.append([item.raw_item.call_id for item in result.interruptions])
            for item in result.interruptions:
                decision = left.pop(item.raw_item.call_id)
                if decision is True:
                    state.approve(item)
                else:
                    state.reject(item, rejection_message=decision or None)
            result = await go(agent, state, stream, config)
        return asked, result

    return asyncio.run(run())


ALWAYS = {"refund": {"approve": True}}
REJECTED = (
    "Tool refund: This call was not run: a person rejected it.\n"
    "Next: do not repeat this call. Take another approach, or ask the user what to do instead."
)


@both
def test_a_person_is_asked_about_the_calls_that_a_check_names(stream):
    ran, events = [], capture_events()
    sent = [
        call("c1", "refund", {"order": "a", "amount": 20}),
        call("c2", "refund", {"order": "b", "amount": 200}),
        call("c3", "refund", {"order": "c", "amount": 300}),
        call("c4", "refund", {"order": "d", "amount": "many"}),
        call("c5", "refund", '{"order": "e", "amount": '),
        call("c6", "refund", {"order": "f", "amount": -1}),
    ]
    pipeline = Pipeline(plugins=[LargeRefunds(), events])
    agent = wrap(agent_of([bank(ran)], sent, [call("d1", "refund", {"order": "c", "amount": 300})]), pipeline=pipeline)
    asked, result = decided(agent, {"c2": True, "c3": False}, stream=stream)
    assert asked == [["c2", "c3"]]
    assert sorted(ran) == [("a", 20), ("b", 200)]
    answers = heard(agent.model)
    assert answers["c2"] == "refunded 200 for b"
    assert answers["c3"] == answers["d1"] == REJECTED
    assert "/amount: wrong type" in answers["c4"]
    assert "not valid JSON" in answers["c5"]
    assert "A refund is never negative." in answers["c6"]
    assert result.final_output == "Done."

    for kind in (CallStarted, CallFinished):
        assert sorted(event.call_id for event in events.of(kind)) == ["c1", "c2", "c3", "c4", "c5", "c6", "d1"]
    steps = events.of(StepFinished)
    assert [(step.step, sorted(step.ids)) for step in steps] == [(1, ["c1", "c2", "c3", "c4", "c5", "c6"]), (2, ["d1"])]
    requested = [(event.call_id, event.reason, event.step) for event in events.of(ApprovalRequested)]
    assert sorted(requested) == [("c2", "200 is more than 100.", 1), ("c3", "300 is more than 100.", 1)]
    assert sorted((event.call_id, event.decision) for event in events.of(ApprovalDecided)) == [
        ("c2", "approved"),
        ("c3", "rejected"),
    ]
    assert len({event.session_id for event in events}) == 1


@both
@pytest.mark.parametrize("is_approved", [True, False])
def test_a_tool_that_is_declared_so_is_always_asked_about(stream, is_approved):
    ran = []
    agent = agent_of([bank(ran)], [call("c1", "refund", {"order": "a", "amount": 1})])
    agent = wrap(agent, tool_options={"ref*": {"approve": True}})
    asked, result = decided(agent, {"c1": is_approved}, stream=stream)
    assert (asked, ran) == ([["c1"]], [("a", 1)] if is_approved else [])
    assert heard(agent.model)["c1"] == ("refunded 1 for a" if is_approved else REJECTED)


@both
def test_the_words_of_a_rejection_are_the_persons(stream):
    ran, events = [], capture_events()
    pipeline = Pipeline(plugins=[LargeRefunds(), events])
    sent = {"order": "a", "amount": 500}
    agent = agent_of([bank(ran)], [call("c1", "refund", sent)], [call("c2", "refund", sent)])
    agent = wrap(agent, pipeline=pipeline)
    asked, _ = decided(agent, {"c1": "Not before Monday."}, stream=stream)
    answers = heard(agent.model)
    assert (asked, ran) == ([["c1"]], [])
    assert answers["c1"] == "Not before Monday."
    assert "a person rejected it.\nReason: Not before Monday." in answers["c2"]
    assert [(event.decision, event.reason) for event in events.of(ApprovalDecided)] == [
        ("rejected", "Not before Monday.")
    ]
    assert [step.ids for step in events.of(StepFinished)] == [("c1",), ("c2",)]


def test_what_a_person_approves_has_been_repaired_before_they_are_asked():
    ran, events = [], capture_events()
    pipeline = Pipeline(plugins=[LargeRefunds(), events], policy=Policy(repair=("json", "coerce")))
    agent = agent_of([bank(ran)], [call("c1", "refund", '{"order": "a", "amount": 200,}')])
    agent = wrap(agent, pipeline=pipeline)
    asked, _ = decided(agent, {"c1": True})
    assert (asked, ran) == ([["c1"]], [("a", 200)])
    assert heard(agent.model)["c1"].startswith("refunded 200 for a\nNote: ")
    assert events.names == [
        "RequestNoted",
        "CallStarted",
        "CallRepaired",
        "ApprovalRequested",
        "ApprovalDecided",
        "CallFinished",
        "StepFinished",
    ]
    assert [event.call_id for event in events.of(CallRepaired)] == ["c1"]


@pytest.mark.parametrize(
    ("amount", "runs", "text"),
    [
        (100, [("a", 100)], "refunded 100 for a\nNote: a person approved this call with changed arguments"),
        ("ten", [], "changed arguments, which are not valid"),
        (-1, [], "A refund is never negative."),
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_an_approver_of_the_pipeline_is_asked_at_once_and_may_change_the_arguments(is_async, amount, runs, text):
    ran, seen = [], []

    def decide(request):
        seen.append((request.call.id, request.reason))
        return Approve(arguments={**request.arguments, "amount": amount})

    async def decide_later(request):
        return decide(request)

    pipeline = Pipeline(plugins=[LargeRefunds()], approver=decide_later if is_async else decide)
    agent = wrap(agent_of([bank(ran)], [call("c1", "refund", {"order": "a", "amount": 500})]), pipeline=pipeline)
    asked, _ = decided(agent, {})
    assert (asked, seen, ran) == ([], [("c1", "500 is more than 100.")], runs)
    assert text in heard(agent.model)["c1"]


@both
def test_a_call_without_an_answer_does_not_run_and_a_new_message_goes_on(stream):
    ran = []
    agent = wrap(agent_of([bank(ran)], [call("c1", "refund", {"order": "a", "amount": 500})]), tool_options=ALWAYS)

    async def run():
        waiting = await go(agent, "go", stream)
        assert [item.raw_item.call_id for item in waiting.interruptions] == ["c1"]
        return await go(agent, "Never mind.", stream)

    assert asyncio.run(run()).final_output == "Done."
    assert ran == []


@pytest.mark.parametrize("mulligan_asks", [False, True])
def test_the_sdks_own_policy_of_a_tool_stays(mulligan_asks):
    ran = []

    async def is_for_mallory(context, arguments, call_id):
        return arguments["to"] == "mallory"

    @function_tool(needs_approval=is_for_mallory)
    def pay(to: str, amount: int) -> str:
        """Pay."""
        ran.append(to)
        return "paid"

    @function_tool(needs_approval=True)
    def close(account: str) -> str:
        """Close an account."""
        ran.append(account)
        return "closed"

    class LargePayments:
        @hookimpl
        def authorize(self, tool, arguments):
            return NeedsApproval("large") if arguments.get("amount", 0) > 100 else None

    sent = [
        call("c1", "pay", {"to": "ann", "amount": 5}),
        call("c2", "pay", {"to": "mallory", "amount": 5}),
        call("c3", "pay", {"to": "bob", "amount": 500}),
        call("c4", "close", {"account": "x"}),
    ]
    pipeline = Pipeline(plugins=[LargePayments()] if mulligan_asks else [])
    agent = wrap(agent_of([pay, close], sent), pipeline=pipeline)
    asked, _ = decided(agent, dict.fromkeys(["c2", "c3", "c4"], True))
    assert asked == [["c2", "c3", "c4"] if mulligan_asks else ["c2", "c4"]]
    assert sorted(ran) == ["ann", "bob", "mallory", "x"]


def test_what_is_always_approved_is_not_asked_about_again():
    ran = []
    sent = [[call(f"c{n}", "refund", {"order": str(n), "amount": 1})] for n in range(3)]
    agent = wrap(agent_of([bank(ran)], *sent), tool_options={"refund": {"approve": True}})

    async def run():
        result = await go(agent, "go")
        state = result.to_state()
        state.approve(result.interruptions[0], always_approve=True)
        return await go(agent, state)

    assert asyncio.run(run()).final_output == "Done."
    assert ran == [("0", 1), ("1", 1), ("2", 1)]


def test_a_fatal_failure_beside_a_call_that_waits_stops_the_run_after_the_decision():
    ran = []

    @function_tool
    def charge(amount: int) -> str:
        """Charge a card."""
        raise errors.ToolAuthenticationError("The bank refuses the key.")

    sent = [call("c1", "charge", {"amount": 1}), call("c2", "refund", {"order": "a", "amount": 200})]
    agent = wrap(agent_of([charge, bank(ran)], sent), pipeline=Pipeline(plugins=[LargeRefunds()]))
    with pytest.raises(RunStopped) as stopped:
        decided(agent, {"c2": True})
    assert ran == [("a", 200)]
    answers = {item["call_id"]: item["output"] for item in stopped.value.messages if "output" in item}
    assert answers["c2"] == "refunded 200 for a"
    assert "The bank refuses the key." in answers["c1"]


def test_calls_of_an_earlier_run_are_neither_asked_about_nor_approved():
    """The transcript of a conversation holds them; a server may use their ids again."""
    ran, kept = [], SQLiteSession("talk")
    sent = [call("c1", "refund", {"order": "a", "amount": 20})], [call("c1", "refund", {"order": "b", "amount": 200})]
    agent = agent_of([bank(ran)])
    agent.model = ScriptedModel([sent[0], [say("Done.")], sent[1]])
    guarded = wrap(agent, pipeline=Pipeline(plugins=[LargeRefunds()]))

    async def run():
        await Runner.run(guarded, "Refund a.", session=kept, run_config=SILENT)
        return await Runner.run(guarded, "Refund b.", session=kept, run_config=SILENT)

    result = asyncio.run(run())
    assert [item.arguments for item in result.interruptions] == ['{"order": "b", "amount": 200}']
    assert ran == [("a", 20)]


def nested(ran, events):
    pipeline = Pipeline(plugins=[LargeRefunds(), events])
    inner = wrap(agent_of([bank(ran)], [call("i1", "refund", {"order": "a", "amount": 200})]), pipeline=pipeline)
    outer = agent_of([inner.as_tool("ask_bank", "Ask.")], [call("o1", "ask_bank", {"input": "go"})])
    return wrap(outer, pipeline=Pipeline(plugins=[events]))


def test_a_person_is_asked_about_a_call_of_an_agent_that_is_a_tool():
    ran, events = [], capture_events()
    agent = nested(ran, events)
    asked, result = decided(agent, {"i1": True})
    assert (asked, ran, result.final_output) == ([["i1"]], [("a", 200)], "Done.")
    assert heard(agent.model)["o1"] == "Done."
    assert sorted(event.call_id for event in events.of(CallStarted)) == ["i1", "o1"]
    assert [event.call_id for event in events.of(CallFinished)] == ["i1", "o1"]


@pytest.mark.parametrize("value", ["a text", {"b": 1}, ["c"]])
def test_a_state_that_is_continued_twice_runs_a_call_once_and_answers_with_what_it_returned(value):
    ran = []

    @function_tool
    def pay(amount: int) -> Any:
        """Pay."""
        ran.append(amount)
        return value

    agent = wrap(agent_of([pay], [call("c1", "pay", {"amount": 1})]), tool_options={"pay": {"approve": True}})

    async def run():
        result = await go(agent, "go")
        state = result.to_state()
        state.approve(result.interruptions[0])
        await go(agent, state)
        agent.model.enqueue([say("Done.")])
        state = result.to_state()
        state.approve(result.interruptions[0])
        return [item.output for item in (await go(agent, state)).new_items if item.type == "tool_call_output_item"]

    assert asyncio.run(run()) == [value]
    assert ran == [1]


def test_a_person_is_asked_about_a_call_of_an_agent_that_was_handed_off_to():
    for make in (lambda agent: agent, handoff):
        ran = []
        back = agent_of([bank(ran)], [call("c1", "refund", {"order": "a", "amount": 200})])
        front = Agent(name="front", model=ScriptedModel([[call("f1", "transfer_to_worker")]]), handoffs=[make(back)])
        guarded = wrap(front, pipeline=Pipeline(plugins=[LargeRefunds()]))

        async def run():
            result = await go(guarded, "go")
            state = await RunState.from_string(guarded, result.to_state().to_string())
            (item,) = state.get_interruptions()
            assert type(item.agent).guard is type(guarded).guard
            state.approve(item)
            return await go(guarded, state)

        assert asyncio.run(run()).final_output == "Done."
        assert ran == [("a", 200)]


@both
@pytest.mark.parametrize("is_one_process", [True, False])
def test_two_calls_wait_and_are_decided_later(tmp_path, is_one_process, stream):
    """The same program saves the run and, started again, decides; `deciding.py` is that program."""
    program = pathlib.Path(__file__).with_name("deciding.py")
    stages = [["start", "decide"]] if is_one_process else [["start"], ["decide"]]
    for names in stages:
        command = [sys.executable, str(program), str(tmp_path), "streamed" if stream else "run", *names]
        subprocess.run(command, check=True, timeout=120)
    assert json.loads((tmp_path / "ran.json").read_text()) == [["a", 200]]
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen["answers"] == {"c1": "refunded 200 for a", "c2": REJECTED}
    assert seen["output"] == "Done."
    assert seen["events"] == {"CallStarted": ["c1", "c2"], "CallFinished": ["c1", "c2"], "steps": [["c1", "c2"]]}
