"""A person approves calls: asked by an interrupt of the graph, answered by a command, also in another process."""

import json
import pathlib
import subprocess
import sys

import pytest
from langchain_bank import KINDS, NEEDED, THREAD, TWO, bank
from langchain_core.messages import AIMessage
from langchain_script import answers, asked, model, says
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from mulligan_langchain import MulliganMiddleware, execute_tool_safely_sync
from pydantic import ValidationError

from mulligan import Approve, NeedsApproval, Pipeline, hookimpl
from mulligan.plugin import ApprovalDecided, ApprovalRequested, CallFinished, StepFinished
from mulligan.testing import capture_events

ONE = says(("c1", "pay", {"amount": 1}), ("c3", "note", {"text": "a"}))
APPROVED = {"type": "approve"}
REJECTED = {"type": "reject", "message": "Too much."}


def edited(amount, name="pay"):
    return {"type": "edit", "edited_action": {"name": name, "args": {"amount": amount}}}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def play(run, kind, ran, *turns, **options):
    made = KINDS[kind](model(*turns), bank(ran), InMemorySaver(), **options)
    return made, run(made, asked(), THREAD)


def requests(end):
    """What a person is asked, by the ids of the calls."""
    values = [one.value for one in end["__interrupt__"]]
    return {one["tool_call_id"]: one for value in values for one in value.get("requests", [value])}


def answered(end, decisions):
    """The command that answers every question of an interrupted run."""
    first = end["__interrupt__"][0]
    if first.value["type"] == "tool_approvals":
        return Command(resume=decisions)
    return Command(resume={one.id: decisions[one.value["tool_call_id"]] for one in end["__interrupt__"]})


@pytest.mark.parametrize(
    ("decision", "ran", "text"),
    [
        (APPROVED, [1], "paid 1"),
        (edited(5), [5], 'paid 5\nNote: a person approved this call with changed arguments: {"amount": 5}'),
        (edited(1), [1], "paid 1"),
        (
            REJECTED,
            [],
            "Tool pay: This call was not run: a person rejected it.\nReason: Too much.\nNext: do not repeat",
        ),
        ({"type": "reject"}, [], "Tool pay: This call was not run: a person rejected it.\nNext: do not repeat"),
    ],
    ids=["approve", "edit", "edit-same", "reject", "reject-silently"],
)
def test_a_person_decides(run, kind, decision, ran, text):
    runs, events = [], capture_events()
    made, end = play(run, kind, runs, ONE, pipeline=Pipeline(plugins=[events]))
    asked_about = {"type": "tool_approval", "tool_call_id": "c1", "name": "pay", "args": {"amount": 1}}
    assert requests(end) == {"c1": {**asked_about, "description": "pay needs approval."}}
    assert 1 not in runs
    end = run(made, answered(end, {"c1": decision}), THREAD)
    told = answers(end["messages"])
    assert told["c1"].text.startswith(text)
    assert told["c3"].text == "noted a"
    assert [one for one in runs if one != "a"] == ran
    assert runs.count("a") == 1
    assert end["messages"][-1].text == "Done."
    assert [event.call_id for event in events.of(ApprovalRequested)] == ["c1"] * len(events.of(ApprovalRequested))
    assert [event.call_id for event in events.of(ApprovalDecided)] == ["c1"]
    assert sorted(event.call_id for event in events.of(CallFinished)) == ["c1", "c3"]
    assert [sorted(step.ids) for step in events.of(StepFinished)] == [["c1", "c3"]]


def test_nothing_runs_until_there_is_an_answer(run, kind):
    runs = []
    made, end = play(run, kind, runs, ONE)
    again = run(made, None, THREAD)
    assert requests(again) == requests(end)
    assert [one for one in runs if one != "a"] == []


def test_two_calls_wait_at_once_and_each_gets_its_own_decision(run, kind):
    runs = []
    made, end = play(run, kind, runs, TWO)
    assert {id: one["args"] for id, one in requests(end).items()} == {"c1": {"amount": 1}, "c2": {"amount": 2}}
    end = run(made, answered(end, {"c2": APPROVED, "c1": REJECTED}), THREAD)
    told = answers(end["messages"])
    assert sorted(map(str, runs)) == ["2", "a"]
    assert "rejected" in told["c1"].text
    assert (told["c2"].text, told["c3"].text) == ("paid 2", "noted a")


def test_one_of_two_is_answered_and_the_other_still_waits(run, kind):
    runs = []
    made, end = play(run, kind, runs, TWO)
    if kind == "middleware":
        first = next(one for one in end["__interrupt__"] if one.value["tool_call_id"] == "c1")
        end = run(made, Command(resume={first.id: APPROVED}), THREAD)
        assert list(requests(end)) == ["c2"]
        end = run(made, answered(end, {"c2": APPROVED}), THREAD)
        assert answers(end["messages"])["c2"].text == "paid 2"
        assert sorted(map(str, runs)) == ["1", "2", "a"]
    else:
        told = answers(run(made, Command(resume={"c1": APPROVED}), THREAD)["messages"])
        assert "it waits for a person's approval" in told["c2"].text
        assert sorted(map(str, runs)) == ["1", "a"]


def test_another_process_decides(kind, tmp_path):
    def process(*arguments):
        script = pathlib.Path(__file__).parent / "langchain_bank.py"
        command = [sys.executable, str(script), kind, str(tmp_path / "talk.sqlite"), *arguments]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])

    first = process()
    assert 1 not in first["ran"]
    assert 2 not in first["ran"]
    decisions = {"c1": edited(7), "c2": REJECTED}
    by_interrupt = {id: decisions[value["tool_call_id"]] for id, value in first["asked"].items() if "name" in value}
    second = process(json.dumps(by_interrupt or decisions))
    assert [one for one in first["ran"] + second["ran"] if one != "a"] == [7]
    assert (first["ran"] + second["ran"]).count("a") == 1
    assert second["answers"]["c1"].startswith("paid 7")
    assert "Too much." in second["answers"]["c2"]


@pytest.mark.parametrize(
    ("decision", "message"),
    [
        ("yes", "dictionary|Unable to extract tag"),
        ({"type": "respond", "message": "Paid."}, "Input tag 'respond'"),
        (edited("five"), "/amount"),
        (edited(5, name="note"), "use the name 'pay', not 'note'"),
        (edited({"$ne": 1}), "/amount"),
    ],
    ids=["word", "respond", "wrong-type", "other-tool", "object"],
)
def test_an_answer_that_is_no_decision_is_refused_and_the_call_still_waits(run, kind, decision, message):
    runs = []
    made, end = play(run, kind, runs, ONE)
    with pytest.raises(ValidationError, match=message):
        run(made, answered(end, {"c1": decision}), THREAD)
    assert [one for one in runs if one != "a"] == []
    end = run(made, answered(end, {"c1": APPROVED}), THREAD)
    assert answers(end["messages"])["c1"].text == "paid 1"
    assert runs.count(1) == 1


def test_a_decision_about_another_call_is_refused(run):
    made, end = play(run, "node", [], ONE)
    with pytest.raises(ValidationError, match="no call with the id 'c9' waits; waiting: 'c1'"):
        run(made, Command(resume={"c9": APPROVED}), THREAD)


class LargePayments:
    """A plugin that judges the arguments."""

    def __init__(self):
        self.judged = []

    @hookimpl
    def authorize(self, tool, arguments):
        if tool.name == "pay":
            self.judged.append(arguments["amount"])
            return NeedsApproval(f"{arguments['amount']} is much.") if arguments["amount"] > 100 else None
        return None


def test_a_plugin_asks_about_some_calls_whose_arguments_are_valid(run, kind):
    plugin, runs = LargePayments(), []
    turn = says(("c1", "pay", {"amount": 5}), ("c2", "pay", {"amount": "500"}), ("c3", "pay", {"sum": 1}))
    made, end = play(run, kind, runs, turn, pipeline=Pipeline(plugins=[plugin]), options=None)
    assert {id: one["description"] for id, one in requests(end).items()} == {"c2": "500 is much."}
    assert 500 not in runs
    told = answers(run(made, answered(end, {"c2": APPROVED}), THREAD)["messages"])
    assert sorted(runs) == [5, 500]
    assert "- /sum: unknown argument; allowed: amount." in told["c3"].text
    assert set(plugin.judged) == {5, 500}
    assert (told["c1"].text, told["c2"].text) == ("paid 5", "paid 500")


@pytest.mark.parametrize("arguments", [{"amount": "many"}, {}, {"amount": 1, "to": "ann"}, '{"amount": '])
def test_no_one_is_asked_about_a_call_that_cannot_run(run, kind, arguments):
    runs = []
    end = play(run, kind, runs, says(("c1", "pay", arguments)))[1]
    assert "__interrupt__" not in end
    assert "nothing was run" in answers(end["messages"])["c1"].text
    assert runs == []


def test_a_rejected_call_is_not_asked_about_again_until_the_person_writes(run, kind):
    runs = []
    same = [says((id, "pay", {"amount": 1})) for id in ("c1", "c2", "c3")]
    made, end = play(run, kind, runs, *same[:2], AIMessage("No."), same[2])
    end = run(made, answered(end, {"c1": REJECTED}), THREAD)
    assert "Too much." in answers(end["messages"])["c2"].text
    end = run(made, asked("Do it after all."), THREAD)
    assert list(requests(end)) == ["c3"]
    assert runs == []


def test_an_approver_of_the_host_is_asked_instead(run, kind):
    runs = []
    pipeline = Pipeline(approver=lambda request: Approve({"amount": 3}))
    end = play(run, kind, runs, ONE, pipeline=pipeline)[1]
    assert answers(end["messages"])["c1"].text.startswith("paid 3")


def test_outside_of_a_graph_no_one_can_be_asked():
    runs = []
    pay = bank(runs)[0]
    pay.metadata = {"mulligan": {"approve": True}}
    result = execute_tool_safely_sync(pay, {"amount": 1})
    assert "it needs a person's approval, which was not given" in result.content
    assert runs == []


def test_an_agent_that_is_a_tool_asks_too(run):
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    runs = []
    middleware = [MulliganMiddleware(tool_options=NEEDED)]
    inner = create_agent(model(ONE), bank(runs), middleware=middleware)

    @tool
    def delegate(task: str) -> str:
        """Delegate."""
        return inner.invoke(asked(task))["messages"][-1].text

    @tool
    async def adelegate(task: str) -> str:
        """Delegate."""
        return (await inner.ainvoke(asked(task)))["messages"][-1].text

    given = delegate if run.__name__ == "invoke" else adelegate
    made = KINDS["node"](model(says(("d1", given.name, {"task": "Pay."}))), [given], InMemorySaver(), options=None)
    end = run(made, asked(), THREAD)
    assert list(requests(end)) == ["c1"]
    end = run(made, answered(end, {"c1": APPROVED}), THREAD)
    assert answers(end["messages"])["d1"].text == "Done."
    assert sorted(map(str, runs)) == ["1", "a"]
