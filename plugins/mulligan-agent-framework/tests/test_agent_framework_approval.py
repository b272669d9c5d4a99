"""A person approves calls: by a request that ends the run, or by the pipeline's approver."""

import datetime
import json

import pytest
from agent_framework import AgentSession, Message, tool
from mulligan_agent_framework import Mulligan
from scripted import agent, call, play

from mulligan import Approve, NeedsApproval, Pipeline, Reject, hookimpl
from mulligan.plugin import CallFinished, CallStarted
from mulligan.testing import capture_events

NEEDED = {"pay": {"approve": True}}


def bank(ran, **options):
    @tool(name="pay", **options)
    async def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}"

    @tool(name="note")
    def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return f"noted {text}"

    return [pay, note]


WAYS = {"option": ({}, {"tool_options": NEEDED}), "framework": ({"approval_mode": "always_require"}, {})}


@pytest.fixture(params=WAYS, ids=WAYS)
def bank_and_options(request):
    return WAYS[request.param]


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def stream(request):
    return request.param


def decide(request, approved):
    return Message("user", [request.to_function_approval_response(approved)])


@pytest.mark.parametrize(
    ("approved", "ran", "text"), [(True, [5], "paid 5"), (False, [], "rejected by user")], ids=["approve", "reject"]
)
def test_a_person_decides(stream, bank_and_options, approved, ran, text):
    done, (made, options) = [], bank_and_options
    calls = [
        call("c1", "pay", {"amount": 5}),
        call("c2", "pay", {"amount": "much"}),
        call("c3", "note", {"text": "a"}),
        call("c4", "pya", {"amount": 5}),
    ]
    one, session = agent(bank(done, **made), calls, middleware=[Mulligan(**options)]), AgentSession()
    first = play(one, stream=stream, session=session)
    (request,) = first.asked
    assert (request.function_call.name, request.function_call.parse_arguments()) == ("pay", {"amount": 5})
    assert "- /amount: wrong type" in first.answers["c2"] and first.answers["c3"] == "noted a"
    assert "Tool 'pya' not found." in first.answers["c4"] and done == ["a"]
    second = play(one, decide(request, approved), stream=stream, session=session)
    assert second.output.endswith("Done.") and done == ["a", *ran]
    read = {
        content.call_id: content.result
        for message in one.client.requests[-1]
        for content in message.contents
        if content.type == "function_result"
    }
    assert sorted(read) == ["c1", "c2", "c3", "c4"] and text in read["c1"]


def test_two_requests_are_answered_in_another_process(stream, bank_and_options):
    done, (made, options) = [], bank_and_options
    calls = [call("c1", "pay", {"amount": 5}), call("c2", "pay", {"amount": 6})]
    first = agent(bank(done, **made), calls, middleware=[Mulligan(**options)])
    session = AgentSession()
    asked = play(first, stream=stream, session=session).asked
    assert [request.function_call.call_id for request in asked] == ["c1", "c2"] and done == []
    restored = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    second = agent(bank(done, **made), middleware=[Mulligan(**options)])
    answers = [asked[0].to_function_approval_response(True), asked[1].to_function_approval_response(False)]
    played = play(second, Message("user", answers), stream=stream, session=restored)
    assert played.output.endswith("Done.") and done == [5]
    assert played.answers["c1"] == "paid 5" and "rejected" in played.answers["c2"]


def test_no_answer_runs_nothing_and_a_new_message_goes_on(stream, bank_and_options):
    done, (made, options) = [], bank_and_options
    one = agent(bank(done, **made), [call("c1", "pay", {"amount": 5})], middleware=[Mulligan(**options)])
    session = AgentSession()
    (request,) = play(one, stream=stream, session=session).asked
    assert play(one, stream=stream, session=session).output == "Done." and done == []
    play(one, decide(request, True), stream=stream, session=session)
    assert done == [5]


def test_a_request_and_its_reason_are_reported_once(stream):
    class Rule:
        @hookimpl
        def authorize(self, call, tool):
            return NeedsApproval("It is money.")

    done, events = [], capture_events()
    one = agent(
        bank(done), [call("c1", "pay", {"amount": 5})], middleware=[Mulligan(Pipeline(plugins=[Rule(), events]))]
    )
    session = AgentSession(session_id="s1")
    (request,) = play(one, stream=stream, session=session).asked
    assert request.additional_properties["reason"] == "It is money."
    play(one, decide(request, True), stream=stream, session=session)
    assert done == [5]
    assert [event.call_id for event in events.of(CallStarted)] == ["c1"]
    assert [(event.call_id, event.session_id) for event in events.of(CallFinished)] == [("c1", "s1")]


def test_an_approved_call_that_fails_is_explained(stream, bank_and_options):
    made, options = bank_and_options

    @tool(name="pay", **made)
    def pay(amount: int) -> str:
        """Pay."""
        raise FileNotFoundError(2, "No such file or directory", "purse")

    one = agent([pay], [call("c1", "pay", {"amount": 5})], middleware=[Mulligan(**options)])
    session = AgentSession()
    (request,) = play(one, stream=stream, session=session).asked
    played = play(one, decide(request, True), stream=stream, session=session)
    assert "Resource not found: purse" in played.answers["c1"]


def test_an_approved_call_runs_with_what_the_tools_own_model_reads(stream, bank_and_options):
    made, options = bank_and_options
    ran = []

    @tool(name="pay", **made)
    def pay(amount: float, when: datetime.date) -> str:
        """Pay."""
        ran.append((amount, when))
        return "paid"

    one = agent([pay], [call("c1", "pay", {"amount": "5", "when": "2021-01-01"})], middleware=[Mulligan(**options)])
    session = AgentSession()
    (request,) = play(one, stream=stream, session=session).asked
    assert request.function_call.parse_arguments() == {"amount": "5", "when": "2021-01-01"}
    played = play(one, decide(request, True), stream=stream, session=session)
    assert ran == [(5, datetime.date(2021, 1, 1))] and played.answers["c1"] == "paid"


@pytest.mark.parametrize("decision", [Approve(), Approve({"amount": 3}), Reject("Too much.")], ids=repr)
def test_the_pipelines_approver_is_asked(stream, bank_and_options, decision):
    done, asked, (made, options) = [], [], bank_and_options

    def approver(request):
        asked.append(request.arguments)
        return decision

    one = agent(
        bank(done, **made),
        [call("c1", "pay", {"amount": 5})],
        middleware=[Mulligan(Pipeline(approver=approver), **options)],
    )
    played = play(one, stream=stream)
    assert asked == [{"amount": 5}] and played.output == "Done."
    assert done == ([] if isinstance(decision, Reject) else [3 if decision.arguments else 5])
    assert ("Too much." in played.answers["c1"]) is isinstance(decision, Reject)
