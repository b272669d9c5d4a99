"""A person approves, edits or rejects a call by Strands' own interrupts."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest
from mulligan_strands import MulliganPlugin
from strands import tool
from strands.session.file_session_manager import FileSessionManager
from strands.tools.executors import SequentialToolExecutor
from strands_play import agent, play

from mulligan import Approve, NeedsApproval, Pipeline, Reject, hookimpl
from mulligan.plugin import (
    ApprovalDecided,
    ApprovalRequested,
    CallAbandoned,
    CallFinished,
    CallStarted,
    RequestNoted,
    StepFinished,
)
from mulligan.testing import capture_events


class Bank:
    """Counts what was paid."""

    def __init__(self):
        self.paid = []

    @property
    def pay(self):
        @tool
        def pay(amount: int, to: str = "ann") -> str:
            """Pay an amount in euros."""
            self.paid.append((amount, to))
            return f"paid {amount} to {to}"

        return pay


@pytest.fixture
def bank():
    return Bank()


def paying(bank, *turns, pipeline=None, **options):
    turns = turns or ([("c1", "pay", {"amount": 5})], "ok")
    plugin = MulliganPlugin(pipeline, tool_options={"pay": {"approve": True}})
    return agent(*turns, tools=[bank.pay], plugins=[plugin], **options)


def answers(paused, *responses):
    interrupts = paused.result.interrupts
    return [
        {"interruptResponse": {"interruptId": one.id, "response": response}}
        for one, response in zip(interrupts, responses, strict=False)
    ]


@pytest.mark.parametrize("response", ["y", "Yes", True, Approve(), {"arguments": {"amount": 5, "to": "ann"}}], ids=repr)
def test_a_call_runs_once_when_a_person_approves_it(bank, response):
    one = paying(bank)
    paused = play(one)
    (interrupt,) = paused.result.interrupts
    assert (paused.result.stop_reason, interrupt.name, bank.paid) == ("interrupt", "mulligan:approve", [])
    assert interrupt.reason == {"tool": "pay", "arguments": {"amount": 5}, "reason": ""}
    resumed = play(one, answers(paused, response))
    assert (resumed.last, bank.paid) == ("ok", [(5, "ann")])
    assert resumed.text("c1").startswith("paid 5 to ann")


@pytest.mark.parametrize("response", [Approve({"amount": 3}), {"arguments": {"amount": 3}}], ids=repr)
def test_a_call_runs_with_the_arguments_that_a_person_gave_it_and_the_model_reads_them(bank, response):
    one = paying(bank)
    resumed = play(one, answers(play(one), response))
    assert bank.paid == [(3, "ann")]
    assert resumed.text("c1") == (
        'paid 3 to ann\nNote: a person approved this call with changed arguments: {"amount": 3}'
    )


def test_a_person_is_asked_again_if_the_changed_arguments_do_not_fit(bank):
    one = paying(bank)
    paused = play(one, answers(play(one), {"arguments": {"amount": "much", "who": "ann"}}))
    (interrupt,) = paused.result.interrupts
    assert interrupt.name == "mulligan:approve:2"
    assert {problem["pointer"] for problem in interrupt.reason["problems"]} == {"/amount", "/who"}
    resumed = play(one, answers(paused, {"arguments": {"amount": 4}}))
    assert (resumed.last, bank.paid) == ("ok", [(4, "ann")])


@pytest.mark.parametrize("response", ["The bill is wrong.", Reject("The bill is wrong.")], ids=repr)
def test_a_rejected_call_does_not_run_and_the_model_reads_why(bank, response):
    one = paying(bank, [("c1", "pay", {"amount": 5})], [("c2", "pay", {"amount": 5})], "ok")
    resumed = play(one, answers(play(one), response))
    assert (resumed.last, bank.paid) == ("ok", [])
    assert "a person rejected it.\nReason: The bill is wrong." in resumed.text("c1")
    assert "a person rejected it." in resumed.text("c2")


@pytest.mark.parametrize("response", ["no", "N", False, 0, {"arguments": "all"}], ids=repr)
def test_what_is_no_approval_is_a_rejection(bank, response):
    one = paying(bank)
    resumed = play(one, answers(play(one), response))
    assert "Reason:" not in resumed.text("c1") and "a person rejected it." in resumed.text("c1") and bank.paid == []


def test_without_an_answer_the_call_waits(bank):
    one = paying(bank)
    paused = play(one)
    again = play(one, answers(paused, None))
    assert (again.result.stop_reason, bank.paid) == ("interrupt", [])
    assert isinstance(play(one, "never mind").error, TypeError)
    assert play(one, answers(again, "y")).text("c1") == "paid 5 to ann"


@pytest.mark.parametrize("executor", [None, SequentialToolExecutor()], ids=["concurrent", "sequential"])
def test_two_calls_wait_at_once(bank, executor):
    events = capture_events()
    calls = [("c1", "pay", {"amount": 1}), ("c2", "pay", {"amount": 2})]
    one = paying(bank, calls, "ok", pipeline=Pipeline(plugins=[events]), tool_executor=executor)
    paused = play(one)
    if executor is None:
        assert len(paused.result.interrupts) == 2
        half = play(one, answers(paused, "y"))
        assert (half.result.stop_reason, bank.paid) == ("interrupt", [(1, "ann")])
        resumed = play(one, answers(half, "not twice"))
    else:
        half = play(one, answers(paused, "y"))
        resumed = play(one, answers(half, "not twice"))
    assert (resumed.last, bank.paid) == ("ok", [(1, "ann")])
    assert resumed.text("c1") == "paid 1 to ann" and "Reason: not twice" in resumed.text("c2")
    assert [sorted(step.ids) for step in events.of(StepFinished)] == [["c1", "c2"]]


def test_a_check_gives_the_reason_and_arguments_are_validated_before_a_person_is_asked(bank):
    class Large:
        @hookimpl
        def authorize(self, tool, arguments):
            return NeedsApproval("More than 100 euros.") if arguments["amount"] > 100 else None

    calls = [("c1", "pay", {"amount": 500}), ("c2", "pay", {"amount": 5}), ("c3", "pay", {"amount": "much"})]
    one = agent(calls, "ok", tools=[bank.pay], plugins=[MulliganPlugin(Pipeline(plugins=[Large()]))])
    paused = play(one)
    (interrupt,) = paused.result.interrupts
    assert interrupt.reason["reason"] == "More than 100 euros." and bank.paid == [(5, "ann")]
    resumed = play(one, answers(paused, "y"))
    assert bank.paid == [(5, "ann"), (500, "ann")]
    assert "nothing was run" in resumed.text("c3")


def test_the_hosts_own_approver_comes_first(bank):
    asked = []

    def approver(request):
        asked.append(request.arguments)
        return Approve()

    one = paying(bank, pipeline=Pipeline(approver=approver))
    assert play(one).text("c1") == "paid 5 to ann"
    assert asked == [{"amount": 5}]


def test_an_approved_call_is_reported_once_with_the_id_of_the_conversation(bank):
    events = capture_events()
    one = paying(bank, pipeline=Pipeline(plugins=[events]))
    play(one, answers(play(one), "y"))
    kinds = [type(event) for event in events]
    noted = [RequestNoted, CallStarted, ApprovalRequested, CallAbandoned]
    assert kinds == [*noted, ApprovalDecided, CallFinished, StepFinished]
    assert {event.session_id for event in events} == {one.session_id}
    assert [event.call_id for event in events][1:6] == ["c1"] * 5


PROCESS = """
import json, sys
sys.path.insert(0, {tests!r})
from test_strands_approval import Bank, paying, play
from strands.session.file_session_manager import FileSessionManager
for talk, answers in json.load(sys.stdin).items():
    bank = Bank()
    one = paying(bank, "Paid.", session_manager=FileSessionManager(talk, storage_dir={folder!r}))
    resumed = play(one, answers)
    print(json.dumps([talk, resumed.last, bank.paid, resumed.text("c1"), repr(resumed.error)]))
"""
DECISIONS = {
    "approved": ("y", [[5, "ann"]], "paid 5 to ann"),
    "edited": (
        {"arguments": {"amount": 4}},
        [[4, "ann"]],
        "paid 4 to ann\nNote: a person approved this call with changed",
    ),
    "rejected": ("Not now.", [], "Tool pay: This call was not run: a person rejected it.\nReason: Not now."),
}


def test_calls_are_decided_in_another_process(bank, tmp_path):
    sent = {}
    for talk, (response, _, _) in DECISIONS.items():
        paused = play(paying(bank, session_manager=FileSessionManager(talk, storage_dir=str(tmp_path))))
        sent[talk] = answers(paused, response)
    assert bank.paid == []
    program = PROCESS.format(tests=str(pathlib.Path(__file__).parent), folder=str(tmp_path))
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, input=json.dumps(sent), capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [talk for talk, *_ in told] == list(DECISIONS)
    for talk, last, paid, text, error in told:
        assert (last, paid, error) == ("Paid.", DECISIONS[talk][1], "None")
        assert text.startswith(DECISIONS[talk][2])


def test_a_tool_in_the_background_asks_too(bank):
    options = {"background_tasks": {"always": ["pay"]}}
    one = paying(bank, [("c1", "pay", {"amount": 5})], "waiting", "ok", **options)
    paused = play(one)
    assert (paused.result.stop_reason, bank.paid) == ("interrupt", [])
    assert play(one, answers(paused, "y")).error is None
    assert bank.paid == [(5, "ann")]
