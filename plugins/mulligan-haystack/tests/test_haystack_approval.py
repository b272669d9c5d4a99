"""A person approves calls: by a confirmation strategy of Haystack, or by the pipeline's approver."""

import pytest
from haystack.hooks.human_in_the_loop import AlwaysAskPolicy, BlockingConfirmationStrategy, ConfirmationHook
from haystack.hooks.human_in_the_loop.dataclasses import ConfirmationUIResult
from mulligan_haystack import wrap
from scripted import agent, call, play

from mulligan import Approve, NeedsApproval, Pipeline, Reject, hookimpl
from mulligan.errors import UsageError

NEEDED = {"pay": {"approve": True}}


class Desk:
    """A user interface that answers as it was told, by amount."""

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def get_user_confirmation(self, tool_name, tool_description, tool_params):
        self.asked.append((tool_name, tool_params))
        return self.answers[tool_params["amount"]]


def strategy(desk):
    return BlockingConfirmationStrategy(confirmation_policy=AlwaysAskPolicy(), confirmation_ui=desk)


def bank(ran):
    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}"

    return [pay]


@pytest.fixture(params=[False, True], ids=["sync", "awaited"])
def awaited(request):
    return request.param


@pytest.mark.parametrize(
    ("answer", "ran", "text"),
    [
        (ConfirmationUIResult(action="confirm"), [5], "paid 5"),
        (ConfirmationUIResult(action="modify", new_tool_params={"amount": 4}), [4], "paid 4\nNote: a person approved"),
        (
            ConfirmationUIResult(action="modify", new_tool_params={"amount": "x"}),
            [],
            "changed arguments, which are not",
        ),
        (ConfirmationUIResult(action="reject", feedback="Too much."), [], "Too much."),
    ],
    ids=["approve", "edit", "edit-wrong", "reject"],
)
def test_a_person_decides(awaited, answer, ran, text):
    done, desk = [], Desk({5: answer})
    calls = [call("c1", "pay", {"amount": 5}), call("c2", "pay", {"amount": "much"})]
    one = wrap(agent(bank(done), calls), tool_options=NEEDED, confirmation=strategy(desk))
    played = play(one, awaited=awaited)
    assert done == ran and text in played.answers["c1"] and played.output == "Done."
    assert desk.asked == [("pay", {"amount": 5})]
    assert "nothing was run" in played.answers["c2"]


def test_two_calls_of_one_message(awaited):
    done = []
    desk = Desk({5: ConfirmationUIResult(action="confirm"), 6: ConfirmationUIResult(action="reject")})
    calls = [call("c1", "pay", {"amount": 5}), call("c2", "pay", {"amount": 6})]
    one = wrap(agent(bank(done), calls), tool_options=NEEDED, confirmation=strategy(desk))
    played = play(one, awaited=awaited)
    assert done == [5] and played.answers["c1"] == "paid 5"
    assert "rejected it" in played.answers["c2"] and played.failed["c2"]


@pytest.mark.parametrize("decision", [Approve(), Approve({"amount": 3}), Reject("Too much.")], ids=repr)
def test_the_pipelines_approver_is_asked(awaited, decision):
    done, asked = [], []

    def approver(request):
        asked.append(request.arguments)
        return decision

    one = wrap(agent(bank(done), [call("c1", "pay", {"amount": 5})]), Pipeline(approver=approver), tool_options=NEEDED)
    played = play(one, awaited=awaited)
    assert asked == [{"amount": 5}]
    assert done == ([] if isinstance(decision, Reject) else [3 if decision.arguments else 5])
    assert played.failed["c1"] is isinstance(decision, Reject)


def test_without_anyone_to_ask_nothing_runs(awaited):
    done = []
    played = play(wrap(agent(bank(done), [call("c1", "pay", {"amount": 5})]), tool_options=NEEDED), awaited=awaited)
    assert done == [] and "was not run" in played.answers["c1"]


def test_a_plugin_may_ask_and_the_request_of_the_run_reaches_the_strategy():
    class Rule:
        @hookimpl
        def authorize(self, call, tool):
            return NeedsApproval("It is money.")

    contexts = []

    class Strategy(BlockingConfirmationStrategy):
        def run(self, *, confirmation_strategy_context=None, **options):
            contexts.append(confirmation_strategy_context)
            return super().run(**options)

    done, desk = [], Desk({5: ConfirmationUIResult(action="confirm")})
    own = Strategy(confirmation_policy=AlwaysAskPolicy(), confirmation_ui=desk)
    one = wrap(agent(bank(done), [call("c1", "pay", {"amount": 5})]), Pipeline(plugins=[Rule()]), confirmation=own)
    play(one, hook_context={"user": "ann"})
    assert done == [5] and contexts == [{"user": "ann"}]


def test_a_confirmation_hook_of_the_host_stays_as_it_is(awaited):
    done, desk = [], Desk({5: ConfirmationUIResult(action="modify", new_tool_params={"amount": 4})})
    own = ConfirmationHook({"pay": strategy(desk)})
    one = wrap(agent(bank(done), [call("c1", "pay", {"amount": 5})], hooks={"before_tool": [own]}))
    played = play(one, awaited=awaited)
    assert done == [4] and played.answers["c1"] == "paid 4"


def test_an_approver_and_a_strategy_are_one_too_many():
    with pytest.raises(UsageError, match="the pipeline has an approver; leave one of the two out"):
        wrap(agent([]), Pipeline(approver=lambda _: None), confirmation=strategy(Desk({})))
