"""A person approves calls by the confirmations of ADK."""

from __future__ import annotations

import asyncio
import json
import pathlib
import subprocess
import sys

import pytest
from adk_bank import APPROVE, Bank, pays
from google.adk.models.lite_llm import LiteLlm
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import FunctionTool, LongRunningFunctionTool
from mulligan_adk import MulliganPlugin
from mulligan_adk.litellm import RawCalls
from test_adk_malformed import Wire

from mulligan import Approve, NeedsApproval, Pipeline, hookimpl
from mulligan.errors import ToolPermissionError, ToolQuotaError
from mulligan.plugin import ApprovalDecided, ApprovalRequested, CallFinished, CallStarted, StepFinished
from mulligan.testing import capture_events

pytestmark = pytest.mark.filterwarnings("ignore")

WAITS = "This call was not run: it waits for a person's approval."
YES = {"confirmed": True}


def changed(**arguments):
    return {"confirmed": True, "payload": {"arguments": arguments}}


DECISIONS = [
    (YES, [5], {"result": "paid 5"}),
    (changed(amount=5), [5], {"result": "paid 5"}),
    (
        changed(amount=1),
        [1],
        {"result": 'paid 1\nNote: a person approved this call with changed arguments: {"amount": 1}'},
    ),
    ({"confirmed": False}, [], "This call was not run: a person rejected it.\nNext: do not repeat"),
    (
        {"confirmed": False, "payload": {"reason": "Too much."}},
        [],
        "This call was not run: a person rejected it.\nReason: Too much.\n",
    ),
    (changed(amount="one"), [], "The arguments that it was approved with are not valid: /amount: wrong type"),
    (changed(), [], "The arguments that it was approved with are not valid: /amount: "),
]


@pytest.mark.parametrize(("decision", "ran", "answer"), DECISIONS)
def test_a_person_decides(decision, ran, answer):
    events = capture_events()
    bank = Bank([*pays(5), ("c9", "note", {"text": "a"})], "Done.", pipeline=Pipeline(plugins=[events]))
    waiting = bank.say("go")
    assert WAITS in waiting["c1"]["error"]
    assert waiting["c9"] == {"result": "noted a"}
    assert bank.asked() == {
        "c1": {"confirmed": False, "hint": "pay needs approval.", "payload": {"arguments": {"amount": 5}}}
    }
    assert bank.ran == ["a"]
    told = bank.say({"c1": decision})["c1"]
    assert told == answer if isinstance(answer, dict) else answer in told["error"]
    assert bank.ran == ["a", *ran]
    assert [(event.call_id, event.decision) for event in events.of(ApprovalDecided)][:1] == [
        ("c1", "rejected" if not ran else "edited" if ran == [1] else "approved")
    ]
    assert {event.call_id for event in events.of(ApprovalRequested)} == {"c1"}
    assert len(events.of(CallStarted)) == len(events.of(CallFinished)) == 3  # once more when it is made again
    assert [sorted(step.ids) for step in events.of(StepFinished)] == [["c1", "c9"], ["c1"]]
    assert {event.session_id for event in events} == {"talk"}


def test_no_answer_runs_nothing():
    bank = Bank(pays(5), "It waits.")
    bank.say("go")
    bank.say("How are you?")
    assert bank.ran == []
    assert WAITS in str(bank.clerk.model.requests[-1].contents)


def test_two_wait_at_once_and_are_decided_together():
    bank = Bank(pays(5, 6), "Done.")
    assert sorted(bank.say("go")) == ["c1", "c2"]
    told = bank.say({"c1": {"confirmed": False}, "c2": YES})
    assert bank.ran == [6]
    assert "rejected" in told["c1"]["error"]
    assert told["c2"] == {"result": "paid 6"}


def test_two_wait_at_once_and_are_decided_one_after_the_other():
    bank = Bank(pays(5, 6), "One is done.", "Done.")
    bank.say("go")
    assert bank.say({"c2": YES})["c2"] == {"result": "paid 6"}
    assert bank.say({"c1": YES})["c1"] == {"result": "paid 5"}
    assert bank.ran == [6, 5]


def test_an_answer_that_comes_twice_counts_once():
    bank = Bank(pays(5), "Done.", "Done.")
    bank.say("go")
    bank.say({"c1": YES})
    bank.say({"c1": YES})
    assert bank.ran == [5]


def test_another_process_decides(tmp_path):
    def process(said):
        script = pathlib.Path(__file__).parent / "adk_bank.py"
        command = [sys.executable, "-W", "ignore", str(script), str(tmp_path / "talk.db"), said]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])

    first = process("go")
    assert first["ran"] == []
    assert [asked["payload"]["arguments"]["amount"] for asked in first["asked"].values()] == [5, 6]
    second = process(json.dumps({"c1": changed(amount=1), "c2": {"confirmed": False}}))
    assert second["ran"] == [1]
    assert second["answers"]["c1"]["result"].startswith("paid 1\nNote: a person approved")
    assert "rejected" in second["answers"]["c2"]["error"]


class Limit:
    @hookimpl
    def authorize(self, tool, arguments):
        if tool.name == "pay" and arguments["amount"] > 100:
            return NeedsApproval(f"{arguments['amount']} is more than the limit.")
        if tool.name == "pay" and arguments["amount"] < 0:
            return ToolPermissionError("Nothing negative.", fatal=False)


def test_a_check_asks_about_some_calls_and_judges_what_a_person_changes():
    bank = Bank(pays(5, 500, 600, "much"), "Done.", pipeline=Pipeline(plugins=[Limit()]), tool_options=None)
    told = bank.say("go")
    assert told["c1"] == {"result": "paid 5"}
    assert "wrong type" in told["c4"]["error"]
    assert {id: asked["hint"] for id, asked in bank.asked().items()} == {
        "c2": "500 is more than the limit.",
        "c3": "600 is more than the limit.",
    }
    told = bank.say({"c2": changed(amount=-1), "c3": changed(amount=700)})
    assert "Nothing negative." in told["c2"]["error"]
    assert told["c3"]["result"].startswith("paid 700")
    assert bank.ran == [5, 700]


def test_a_rejected_call_is_not_put_before_a_person_again_in_the_same_turn():
    again = [("c2", "pay", {"amount": 5})]
    bank = Bank(pays(5), again, "No.", again, "No.")
    bank.say("go")
    told = bank.say({"c1": {"confirmed": False, "payload": {"reason": "Too much."}}})
    assert "Too much." in told["c2"]["error"]
    assert list(bank.asked()) == ["c1"]
    bank.say("Do it after all.")
    assert list(bank.asked()) == ["c1", "c2"]
    assert bank.ran == []


def test_an_approver_of_the_host_is_asked_instead():
    bank = Bank(pays(5), "Done.", pipeline=Pipeline(approver=lambda request: Approve({"amount": 3})))
    assert bank.say("go")["c1"]["result"].startswith("paid 3\n")
    assert bank.asked() == {}


@pytest.mark.parametrize("resumable", [False, True])
def test_what_a_person_has_approved_is_guarded_like_any_call(resumable):
    events, ran = capture_events(), []

    async def pay(amount: int) -> str:
        """Pay an amount."""
        ran.append(amount)
        if amount == 6:
            await asyncio.sleep(30)
        if len(ran) < 3:
            raise ConnectionResetError("reset by peer")
        return f"paid {amount}"

    options = {"pay": {"approve": True, "timeout": 4, "read_only": True}}
    pipeline = Pipeline(plugins=[events])
    bank = Bank(pays(5), "Done.", tools=[pay], tool_options=options, pipeline=pipeline, resumable=resumable)
    bank.say("go")
    assert bank.say({"c1": YES})["c1"] == {"result": "paid 5"}
    assert ran == [5, 5, 5]
    assert events.of(StepFinished)[-1].ids == ("c1",)
    options["pay"]["timeout"] = 0.1
    bank = Bank(pays(6), "Done.", tools=[pay], tool_options=options, resumable=resumable)
    bank.say("go")
    assert "No response within 0.1 s" in bank.say({"c1": YES})["c1"]["error"]


def test_a_tool_that_writes_runs_once_after_its_approval():
    ran = []

    async def pay(amount: int) -> str:
        """Pay an amount."""
        ran.append(amount)
        raise ConnectionResetError("reset by peer")

    bank = Bank(pays(5), "Done.", tools=[pay])
    bank.say("go")
    assert "dropped" in bank.say({"c1": YES})["c1"]["error"]
    assert ran == [5]


def test_a_fatal_failure_after_an_approval_ends_the_run():
    async def pay(amount: int) -> str:
        """Pay an amount."""
        raise ToolQuotaError("The credit is used up.")

    bank = Bank(pays(5), "never", tools=[pay])
    bank.say("go")
    with pytest.raises(RuntimeError, match=r"The credit is used up\.") as stopped:
        bank.say({"c1": YES})
    assert type(stopped.value.__cause__) is ToolQuotaError
    assert len(bank.clerk.model.requests) == 1


VALUES = [("text", {"result": "text"}), (None, {"result": None}), ({"a": 1}, {"a": 1}), (7, {"result": 7}), ({}, {})]


@pytest.mark.parametrize(("value", "sent"), VALUES)
def test_the_value_of_an_approved_call_is_sent_as_adk_sends_it(value, sent):
    ran = []

    def pay(amount: int) -> object:
        """Pay an amount."""
        ran.append(amount)
        return value

    bank = Bank(pays(5), "Done.", tools=[pay])
    bank.say("go")
    assert bank.say({"c1": YES})["c1"] == sent
    assert ran == [5]


def test_the_model_reads_beside_a_value_what_a_person_has_changed():
    def pay(amount: int) -> dict:
        """Pay an amount."""
        return {"paid": amount}

    bank = Bank(pays(5), "Done.", tools=[pay])
    bank.say("go")
    note = 'Note: a person approved this call with changed arguments: {"amount": 1}'
    assert bank.say({"c1": changed(amount=1)})["c1"] == {"paid": 1, "note": note}


@pytest.mark.parametrize("decision", [YES, {"confirmed": False}])
def test_a_long_running_tool_waits_too(decision):
    ran = []

    def pay(amount: int) -> None:
        """Pay an amount."""
        ran.append(amount)

    bank = Bank(pays(5), "Done.", tools=[LongRunningFunctionTool(pay)])
    assert WAITS in bank.say("go")["c1"]["error"]
    told = bank.say({"c1": decision})
    assert ran == ([5] if decision is YES else [])
    assert ("c1" in told) is (decision is not YES)


def test_the_confirmations_of_adk_itself_stay_as_they_are():
    ran = []

    def pay(amount: int) -> str:
        """Pay an amount."""
        ran.append(amount)
        return f"paid {amount}"

    for decision, answer in (
        (YES, {"result": "paid 5"}),
        ({"confirmed": False}, {"error": "This tool call is rejected."}),
    ):
        ran.clear()
        bank = Bank(pays(5), "Done.", tools=[FunctionTool(pay, require_confirmation=True)], tool_options=None)
        assert bank.say("go")["c1"]["error"].startswith("This tool call requires confirmation")
        assert bank.say({"c1": decision})["c1"] == answer
        assert ran == ([5] if decision is YES else [])


def test_other_callbacks_are_asked_before_an_approved_call_runs():
    asked = []

    class Later(BasePlugin):
        async def before_tool_callback(self, *, tool, tool_args, tool_context):
            asked.append("plugin")

    async def guard(*, tool, args, tool_context):
        asked.append("agent")
        return {"error": "closed"} if args["amount"] == 6 else None

    def watch(a_tool, its_args, its_context):
        asked.append(its_args["amount"])

    bank = Bank(pays(5, 6), "Done.", plugins=[MulliganPlugin(tool_options=APPROVE), Later(name="later")])
    bank.clerk.before_tool_callback = [guard, watch]
    told = bank.say("go")
    assert told["c2"] == {"error": "closed"}
    asked.clear()
    assert bank.say({"c1": YES})["c1"] == {"result": "paid 5"}
    assert asked == ["plugin", "agent", 5]
    assert bank.ran == [5]


def test_a_call_whose_json_was_repaired_is_approved_as_it_was_repaired():
    wire = Wire([("c1", "pay", '{"amount": 5}}')], "Done.")
    bank = Bank("unused", repair="json")
    bank.clerk.model = LiteLlm("openai/scripted", llm_client=RawCalls(wire))
    bank.say("go")
    assert bank.asked()["c1"]["payload"] == {"arguments": {"amount": 5}}
    assert bank.say({"c1": YES})["c1"] == {"result": "paid 5"}
    assert bank.ran == [5]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [('{"amount": 5}', "as no tool with that name is available"), ('{"amount": 5}}', "could not be read")],
)
def test_a_call_of_another_name_is_not_run_by_a_repair_without_a_person(arguments, answer):
    bank = Bank("unused", repair="all", tool_options={"pay": {"approve": True, "read_only": True}})
    wire = Wire([("c1", "Pay", arguments)], "Done.")
    bank.clerk.model = LiteLlm("openai/scripted", llm_client=RawCalls(wire))
    assert answer in bank.say("go")["c1"]["error"]
    assert bank.asked() == {}
    assert bank.ran == []


def test_adk_still_repeats_a_confirmed_call_with_tools_that_no_plugin_has_seen():
    seen = []

    class Watching(MulliganPlugin):
        async def before_tool_callback(self, *, tool, tool_args, tool_context):
            seen.append("run_async" in vars(tool))
            return await super().before_tool_callback(tool=tool, tool_args=tool_args, tool_context=tool_context)

    bank = Bank(pays(5), "Done.", plugins=[Watching(tool_options=APPROVE)])
    bank.say("go")
    bank.say({"c1": YES})
    assert seen == [True, False], (
        "ADK takes the tools of confirmed calls elsewhere: see MulliganPlugin.before_tool_callback"
    )
