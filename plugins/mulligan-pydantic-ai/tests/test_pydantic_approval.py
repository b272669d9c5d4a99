"""A person approves calls: they are deferred, and made again with the person's decision, also in another process."""

import json
import pathlib
import subprocess
import sys

import pytest
from mulligan_pydantic_ai import Mulligan
from pydantic_ai import Agent, DeferredToolResults, ToolApproved
from pydantic_ai.exceptions import UserError
from pydantic_bank import NEEDED, TWO, bank, decided
from scripted import Script, call, play, say

from mulligan import Approve, NeedsApproval, Pipeline, Reject, hookimpl
from mulligan.errors import ToolPermissionError
from mulligan.plugin import CallFinished, StepFinished
from mulligan.testing import capture_events

DONE = [say("Done.")]
ONE = [call("c1", "pay", {"amount": 1}), call("c3", "note", {"text": "a"})]


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def is_async(request):
    return request.param


def again(agent, first, decisions, **more):
    """The next run, with a person's decisions."""
    return play(agent, Script(DONE), message_history=first.messages, deferred_tool_results=decided(decisions), **more)


@pytest.mark.parametrize("stream", [False, True], ids=["run", "streamed"])
@pytest.mark.parametrize(
    ("decision", "ran", "text"),
    [(True, [1], "paid 1"), ({"amount": 5}, [5], "paid 5"), ("Too much.", [], "Too much."), (False, [], "denied")],
    ids=["approve", "edit", "reject", "reject-silently"],
)
def test_a_person_decides(stream, is_async, decision, ran, text):
    runs, events = [], capture_events()
    agent = bank(runs, Pipeline(plugins=[events]), is_async=is_async)
    first = play(agent, Script(ONE), stream=stream)
    (waiting,) = first.output.approvals
    assert (waiting.tool_call_id, waiting.args_as_dict(), runs) == ("c1", {"amount": 1}, ["a"])
    second = again(agent, first, {"c1": decision}, stream=stream)
    assert second.output == "Done."
    assert text in second.answers["c1"]
    assert second.answers["c3"] == "noted a"
    assert runs == ["a", *ran]
    assert [event.call_id for event in events.of(CallFinished)] == ["c3", *(["c1"] if ran else [])]
    assert [sorted(step.ids) for step in events.of(StepFinished)] == [["c3"], *([["c1"]] if ran else [])]


def test_two_calls_wait_at_once_and_each_gets_its_own_decision(is_async):
    runs = []
    agent = bank(runs, is_async=is_async)
    first = play(agent, Script(TWO))
    assert [one.tool_call_id for one in first.output.approvals] == ["c1", "c2"]
    second = again(agent, first, {"c1": "Too much.", "c2": True})
    assert (second.answers["c1"], second.answers["c2"]) == ("Too much.", "paid 2")
    assert runs == ["a", 2]


def test_a_run_that_goes_on_without_an_answer_runs_nothing(is_async):
    runs = []
    agent = bank(runs, is_async=is_async)
    first = play(agent, Script(TWO))
    second = play(agent, Script(DONE), message_history=first.messages, deferred_tool_results=DeferredToolResults())
    assert isinstance(second.error, UserError)
    assert runs == ["a"]


def test_another_process_decides(tmp_path):
    def process(*arguments):
        script = pathlib.Path(__file__).parent / "pydantic_bank.py"
        command = [sys.executable, str(script), str(tmp_path / "talk.json"), *arguments]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])

    first = process()
    assert (first["waiting"], first["ran"]) == (["c1", "c2"], ["a"])
    second = process(json.dumps({"c1": {"amount": 7}, "c2": "Too much."}))
    assert second["ran"] == [7]
    assert (second["answers"]["c1"], second["answers"]["c2"]) == ("paid 7", "Too much.")


class LargePayments:
    """A plugin that judges the arguments."""

    def __init__(self):
        self.judged = []

    @hookimpl
    def authorize(self, tool, arguments):
        if tool.name != "pay":
            return None
        self.judged.append(arguments["amount"])
        if arguments["amount"] > 1_000:
            return ToolPermissionError("Never more than 1000.", fatal=False)
        return NeedsApproval(f"{arguments['amount']} is much.") if arguments["amount"] > 100 else None


def test_a_plugin_asks_about_some_calls_and_judges_what_a_person_has_changed(is_async):
    plugin, runs = LargePayments(), []
    agent = bank(runs, Pipeline(plugins=[plugin]), options=None, is_async=is_async)
    calls = [(5, "c1"), (500, "c2"), ("600", "c3")]
    first = play(agent, Script([call(id, "pay", {"amount": amount}) for amount, id in calls]))
    assert [one.tool_call_id for one in first.output.approvals] == ["c2", "c3"]
    assert first.output.metadata == {"c2": {"reason": "500 is much."}, "c3": {"reason": "600 is much."}}
    assert (runs, plugin.judged) == ([5], [5, 500, 600])
    second = again(agent, first, {"c2": {"amount": 5_000}, "c3": True})
    assert "Never more than 1000." in second.answers["c2"]
    assert second.answers["c3"] == "paid 600"
    assert runs == [5, 600]


@pytest.mark.parametrize("arguments", [{"amount": "many"}, {}, {"amount": 1, "to": "ann"}, '{"amount": '])
def test_no_one_is_asked_about_a_call_that_cannot_run(arguments):
    runs = []
    played = play(bank(runs), Script([call("c1", "pay", arguments)], DONE))
    assert "nothing was run" in played.answers["c1"]
    assert (played.output, runs) == ("Done.", [])


def test_changed_arguments_that_do_not_fit_run_nothing(is_async):
    runs = []
    agent = bank(runs, is_async=is_async)
    second = again(agent, play(agent, Script(ONE)), {"c1": {"amount": "five"}})
    assert "/amount: wrong type" in second.answers["c1"]
    assert runs == ["a"]


@pytest.mark.parametrize(
    ("decision", "ran", "text"),
    [(Approve(), [1], "paid 1"), (Reject("Too much."), [], "Reason: Too much.")],
)
def test_an_approver_of_the_host_is_asked_instead(decision, ran, text):
    runs = []
    played = play(bank(runs, Pipeline(approver=lambda request: decision)), Script([ONE[0]], DONE))
    assert text in played.answers["c1"]
    assert (played.output, runs) == ("Done.", ran)


def test_an_agent_that_cannot_defer_says_so():
    played = play(bank([], output_type=[str]), Script(ONE))
    assert isinstance(played.error, UserError)
    assert "DeferredToolRequests" in str(played.error)


def test_a_decision_of_the_agents_own_handler_counts_at_once():
    from pydantic_ai.capabilities import HandleDeferredToolCalls

    runs = []

    async def approve(ctx, requests):
        return DeferredToolResults(approvals={one.tool_call_id: ToolApproved() for one in requests.approvals})

    def pay(amount: int) -> str:
        """Pay."""
        runs.append(amount)
        return f"paid {amount}"

    own = [Mulligan(tool_options=NEEDED), HandleDeferredToolCalls(handler=approve)]
    played = play(Agent(tools=[pay], capabilities=own), Script([ONE[0]], DONE))
    assert (played.answers["c1"], runs) == ("paid 1", [1])
