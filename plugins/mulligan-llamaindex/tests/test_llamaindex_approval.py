"""A person approves calls: asked and answered by events of the workflow, also after the context was saved."""

import asyncio
import json

import pytest
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent
from mulligan_llamaindex import wrap
from scripted import agent, call, play

from mulligan import Approve, NeedsApproval, Pipeline, hookimpl

NEEDED = {"pay": {"approve": True}}
TWO = [call("c1", "pay", {"amount": 1}), call("c2", "pay", {"amount": 2}), call("c3", "note", {"text": "a"})]


def bank(ran):
    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}"

    async def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return f"noted {text}"

    return [pay, note]


def answering(decisions, asked=None):
    def on_event(handler, event):
        if isinstance(event, InputRequiredEvent):
            if asked is not None:
                asked.append((event.tool_id, event.tool_name, event.tool_kwargs, event.prefix))
            if event.tool_id in decisions:
                answer = HumanResponseEvent(tool_id=event.tool_id, **decisions[event.tool_id])
                handler.ctx.send_event(answer)

    return on_event


@pytest.mark.parametrize(
    ("decision", "ran", "text"),
    [
        ({"approved": True}, [1], "paid 1"),
        (
            {"approved": True, "tool_kwargs": {"amount": 5}},
            [5],
            "paid 5\nNote: a person approved this call with changed",
        ),
        ({"approved": False, "reason": "Too much."}, [], "rejected it.\nReason: Too much."),
        ({"response": "yes"}, [], "rejected it."),
        ({"approved": "yes"}, [], "rejected it."),
        ({"approved": True, "tool_kwargs": {"amount": "five"}}, [], "changed arguments, which are not valid"),
    ],
    ids=["approve", "edit", "reject", "unclear", "not-true", "edit-wrong"],
)
def test_a_person_decides(decision, ran, text):
    runs, asked = [], []
    made = wrap(agent(bank(runs), [TWO[0], TWO[2]]), tool_options=NEEDED)
    played = play(made, on_event=answering({"c1": decision}, asked))
    assert asked == [("c1", "pay", {"amount": 1}, "pay needs approval.")]
    assert text in played.answers["c1"]
    assert (played.answers["c3"], played.output) == ("noted a", "Done.")
    assert [one for one in runs if one != "a"] == ran
    assert runs.count("a") == 1


def test_two_calls_wait_at_once_and_each_gets_its_own_decision():
    runs = []
    made = wrap(agent(bank(runs), TWO), tool_options=NEEDED)
    decisions = {"c1": {"approved": False}, "c2": {"approved": True}}
    played = play(made, on_event=answering(decisions))
    assert "rejected" in played.answers["c1"]
    assert played.answers["c2"] == "paid 2"
    assert sorted(map(str, runs)) == ["2", "a"]


def test_a_context_that_was_saved_while_a_call_waits():
    async def until_asked(runs):
        made = wrap(agent(bank(runs), [TWO[0]]), tool_options=NEEDED)
        handler = made.run(user_msg="Pay.", ctx=Context(made))
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent):
                saved = json.dumps(handler.ctx.to_dict())
                await handler.cancel_run()
                return saved
        return None

    async def decide(saved, runs):
        made = wrap(agent(bank(runs)), tool_options=NEEDED)
        ctx = Context.from_dict(made, json.loads(saved))
        await ctx.store.set("memory", ChatMemoryBuffer.from_defaults(llm=made.llm))  # LlamaIndex does not save it
        handler = made.run(ctx=ctx)
        handler.ctx.send_event(HumanResponseEvent(tool_id="c1", approved=True))
        return str(await handler)

    runs: list = []
    saved = asyncio.run(until_asked(runs))
    assert runs == []
    assert asyncio.run(decide(saved, runs)) == "Done."
    assert runs == [1]


class LargePayments:
    @hookimpl
    def authorize(self, tool, arguments):
        return NeedsApproval("It is much.") if tool.name == "pay" and arguments["amount"] > 100 else None


def test_a_plugin_asks_about_some_calls_whose_arguments_are_valid():
    runs, asked = [], []
    calls = [call(f"c{number}", "pay", {"amount": amount}) for number, amount in enumerate([5, 500, "many"])]
    made = wrap(agent(bank(runs), calls), Pipeline(plugins=[LargePayments()]))
    played = play(made, on_event=answering({"c1": {"approved": True}}, asked))
    assert asked == [("c1", "pay", {"amount": 500}, "It is much.")]
    assert sorted(runs) == [5, 500]
    assert "/amount: wrong type" in played.answers["c2"]


def test_an_approver_of_the_host_is_asked_instead():
    runs = []
    made = wrap(agent(bank(runs), [TWO[0]]), Pipeline(approver=lambda request: Approve()), tool_options=NEEDED)
    assert play(made).answers["c1"] == "paid 1"
