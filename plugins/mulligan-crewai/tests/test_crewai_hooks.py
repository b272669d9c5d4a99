"""The hooks of the host, and a person's approval."""

import pytest
from crewai.hooks import register_after_tool_call_hook, register_before_tool_call_hook
from crewai.hooks.tool_hooks import clear_all_tool_call_hooks
from crewai_play import agent, as_tool, play
from mulligan_crewai import ask_on_console, wrap

from mulligan import Approve, Pipeline, Policy, Reject

MODES = pytest.mark.parametrize("native", [True, False], ids=["native", "text"])


@pytest.fixture(autouse=True)
def no_hooks_are_left():
    yield
    clear_all_tool_call_hooks()


def paying():
    paid = []

    def pay(amount: int, to: str = "me") -> str:
        """Pay an amount."""
        paid.append((amount, to))
        return f"paid {amount}"

    return as_tool(pay), paid


@MODES
def test_a_hook_sees_each_call_once_and_what_it_changes_is_what_runs(native):
    seen = []

    def change(context):
        seen.append((context.tool_name, dict(context.tool_input)))
        if "amount" in context.tool_input:
            context.tool_input["amount"] = 3

    register_before_tool_call_hook(change)
    register_after_tool_call_hook(lambda context: f"<{context.tool_result}>")
    tool, paid = paying()
    calls = [("c1", "pay", {"amount": 5}), ("c2", "pay", {"amuont": 6})]
    played = play(wrap(agent([tool], calls, native=native)))
    assert sorted(seen, key=str) == [("pay", {"amount": 5}), ("pay", {"amuont": 6})]
    assert paid == [(3, "me")] and played.answers["c1"] == "<paid 3>"
    assert (
        played.answers["c2"].startswith("<Error executing tool pay: Invalid arguments")
        and played.answers["c2"][-1] == ">"
    )


@MODES
def test_a_hook_that_blocks_a_call_blocks_it(native):
    register_before_tool_call_hook(lambda context: False)
    tool, paid = paying()
    played = play(wrap(agent([tool], [("c1", "pay", {"amount": 5})], native=native)))
    assert paid == [] and played.answers["c1"] == "Tool execution blocked by hook. Tool: pay"


@MODES
def test_a_hook_sees_what_runs_also_if_the_call_was_repaired(native):
    seen = []

    def block(context):
        seen.append((context.tool_name, dict(context.tool_input)))
        return (context.tool_name, context.tool_input) != ("pay", {"amount": 5, "to": "you"})

    register_before_tool_call_hook(block)
    tool, paid = paying()
    sent = ('{"amount": 5, "to": "you",}', '{"amount": 6, "to": "you",}') if native else ()
    calls = [(f"c{number}", "pay", one) for number, one in enumerate(sent)] or [
        ("c0", "pays", {"amount": 5, "to": "you"})
    ]
    options = {"tool_options": {"pay": {"read_only": True, "also_called": ["pays"]}}}
    pipeline = Pipeline(policy=Policy(repair=["json", "name"]))
    played = play(wrap(agent([tool], calls, native=native), pipeline, **options))
    assert ("pay", {"amount": 5, "to": "you"}) in seen
    assert played.answers["c0"].startswith("Tool execution blocked by hook. Tool: pay")
    assert paid == ([(6, "you")] if native else [])


@MODES
@pytest.mark.parametrize("decision", [Approve(), Approve({"amount": 3}), Reject("Too much."), None], ids=repr)
def test_the_hosts_approver_is_asked_about_arguments_that_fit(native, decision):
    asked = []

    def approver(request):
        asked.append(request.arguments)
        return decision

    tool, paid = paying()
    calls = [("c1", "pay", {"amount": "much"}), ("c2", "pay", {"amount": 5})]
    one = wrap(
        agent([tool], calls, native=native), Pipeline(approver=approver), tool_options={"pay": {"approve": True}}
    )
    played = play(one)
    assert asked == [{"amount": 5}] and "nothing was run" in played.answers["c1"]
    if isinstance(decision, Approve):
        amount = 3 if decision.arguments else 5
        assert paid == [(amount, "me")] and played.answers["c2"].startswith(f"paid {amount}")
    else:
        assert paid == [] and "This call was not run" in played.answers["c2"]


def test_without_an_approver_the_call_is_refused():
    tool, paid = paying()
    played = play(wrap(agent([tool], [("c1", "pay", {"amount": 5})]), tool_options={"pay": {"approve": True}}))
    assert paid == [] and "This call was not run" in played.answers["c1"]


@pytest.mark.parametrize("line", ["approve", "Y", "It is too much.", "", None])
def test_a_person_is_asked_on_the_console(line, monkeypatch, capsys):
    def read(*_):
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", read)
    tool, paid = paying()
    pipeline = Pipeline(approver=ask_on_console)
    played = play(
        wrap(agent([tool], [("c1", "pay", {"amount": 5})]), pipeline, tool_options={"pay": {"approve": True}})
    )
    assert 'pay {"amount": 5}' in capsys.readouterr().out
    assert paid == ([(5, "me")] if line in ("approve", "Y") else [])
    assert ("It is too much." in played.answers["c1"]) is (line == "It is too much.")
