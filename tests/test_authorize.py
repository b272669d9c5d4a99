"""Authorize fails closed: a check that crashes refuses the call, is asked again next time, and cannot change what runs."""

from __future__ import annotations

import asyncio
import copy
import datetime
from dataclasses import dataclass, field
from typing import Any

import pytest

from mulligan import Injected, Tool, ToolCall, errors
from mulligan.plugin import hookimpl


@dataclass
class Order:
    items: list[str] = field(default_factory=list)


class Ledger:
    """A tool that remembers what it was run with."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    def pay(self, amount: int, to: list[str], order: Order | None = None, day: datetime.date | None = None) -> str:
        self.ran.append((amount, list(to), order, day))
        return "paid"


CRASHES = {
    "exception": lambda: 1 / 0,
    "stop iteration": lambda: next(iter(())),
    "exit": lambda: throw(SystemExit(1)),
    "cancelled": lambda: throw(asyncio.CancelledError()),
    "group": lambda: throw(BaseExceptionGroup("g", [SystemExit()])),
    "memory": lambda: throw(MemoryError()),
    "argument error": lambda: throw(errors.ToolArgumentError("x")),
    "raised instead of returned": lambda: throw(errors.ToolPermissionError("No.")),
    "True": lambda: True,
    "False": lambda: False,
    "text": lambda: "allowed",
    "class": lambda: errors.ToolPermissionError,
    "exception returned": lambda: ValueError("x"),
    "list": lambda: [],
    "generator": lambda: (None for _ in ()),
}


def throw(error: BaseException) -> Any:
    raise error


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


GIVEN = {"amount": 3, "to": ["ann"], "order": {"items": ["tea"]}, "day": "2026-11-21"}


@pytest.mark.parametrize("kind", CRASHES)
def test_a_check_that_crashes_refuses_the_call(make_pipeline, plugin, run, ledger, kind):
    asked = []

    def authorize(tool):
        asked.append(tool.name)
        return CRASHES[kind]()

    pipeline = make_pipeline(ledger.pay, plugins=[plugin("guard", authorize=authorize)])
    for _ in range(5):
        result = run(pipeline, "pay", GIVEN, call_id="7")
        assert isinstance(result.error, errors.ToolPermissionError)
        assert (result.fatal, result.attempts, result.error.effect, result.call.id) == (True, 0, "none", "7")
        assert result.content.startswith(
            "Error executing tool pay: Not allowed: a check that must approve this call failed."
        )
        assert result.error.rule == "guard:fails-closed"
    assert ledger.ran == []
    assert len(asked) == 5
    assert pipeline.faults[0].plugin == "guard"
    assert pipeline.faults[0].hook == "authorize"


@pytest.mark.parametrize("kind", [kind for kind in CRASHES if kind != "list"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_wrapper_that_crashes_refuses_the_call(make_pipeline, plugin, run, ledger, kind, when):
    def authorize(tool):
        if when == "before":
            answer = CRASHES[kind]()
            yield
            return answer
        yield
        return CRASHES[kind]()

    pipeline = make_pipeline(ledger.pay, plugins=[plugin("guard", _={"wrapper": True}, authorize=authorize)])
    for _ in range(5):
        result = run(pipeline, "pay", GIVEN)
        assert isinstance(result.error, errors.ToolPermissionError), kind
    assert ledger.ran == []


def test_a_wrapper_may_refuse_and_may_lift_a_refusal(make_pipeline, plugin, run, ledger):
    def refuse(tool):
        yield
        return [errors.ToolPermissionError("Wrapped.")]

    def lift(tool):
        yield
        return []

    wrapper = {"wrapper": True}
    never = plugin("never", authorize=lambda tool: errors.ToolPermissionError("Never."))
    assert (
        run(
            make_pipeline(ledger.pay, plugins=[plugin("outer", _=wrapper, authorize=refuse)]), "pay", GIVEN
        ).error.message
        == "Wrapped."
    )
    assert ledger.ran == []
    assert (
        run(
            make_pipeline(ledger.pay, plugins=[never, plugin("outer", _=wrapper, authorize=lift)]), "pay", GIVEN
        ).content
        == "paid"
    )


def test_every_check_is_asked_and_the_first_objection_counts(make_pipeline, plugin, run, ledger):
    asked = []

    def check(name: str, answer: errors.ToolError | None):
        def authorize(tool):
            asked.append(name)
            return answer

        return plugin(name, authorize=authorize)

    checks = [
        check("a", None),
        check("b", errors.ToolPermissionError("By b.")),
        check("c", errors.ToolQuotaError("By c.")),
        check("d", None),
    ]
    result = run(make_pipeline(ledger.pay, plugins=checks), "pay", GIVEN)
    assert (result.error.message, result.error.rule) == ("By c.", "c:authorize")
    assert asked == ["d", "c", "b", "a"]
    assert ledger.ran == []


def test_one_check_that_crashes_is_not_outvoted(make_pipeline, plugin, run, ledger):
    checks = [
        plugin("yes", authorize=lambda tool: None),
        plugin("broken", authorize=lambda tool: 1 / 0),
        plugin("too", authorize=lambda tool: None),
    ]
    assert run(make_pipeline(ledger.pay, plugins=checks), "pay", GIVEN).error.rule == "broken:fails-closed"
    assert ledger.ran == []


def test_a_plugin_that_is_set_aside_is_still_asked_for_its_permission(make_pipeline, run, ledger):
    class Guard:
        asked = 0

        @hookimpl
        def hints(self, error):
            raise KeyError

        @hookimpl
        def authorize(self, tool):
            self.asked += 1
            return errors.ToolPermissionError("Still no.")

    guard = Guard()
    pipeline = make_pipeline(ledger.pay, plugins=[guard])
    for _ in range(3):
        run(pipeline, "nope")
    assert pipeline.plugins[-1].state == "disabled"
    assert run(pipeline, "pay", GIVEN).error.message == "Still no."
    assert guard.asked == 1
    assert ledger.ran == []


@pytest.mark.parametrize("hook", ["resolve", "validate", "execute"])
def test_any_hookimpl_may_be_required(make_pipeline, plugin, run, ledger, hook):
    broken = plugin("guard", _={"required": True}, **{hook: lambda: 1 / 0})
    pipeline = make_pipeline(ledger.pay, plugins=[broken])
    for _ in range(5):
        result = run(pipeline, "pay", GIVEN)
        assert result.error.rule == "guard:fails-closed"
        assert (result.attempts, result.error.effect) == (0, "none")
    assert ledger.ran == []


@pytest.mark.parametrize("hook", ["repair", "detect", "classify", "render_feedback", "middlewares", "hints", "observe"])
def test_a_required_hookimpl_that_crashes_never_ends_the_conversation(make_pipeline, plugin, run, ledger, hook):
    def fail() -> None:
        raise ValueError("x")

    broken = plugin("guard", _={"required": True}, **{hook: lambda: 1 / 0})
    pipeline = make_pipeline(ledger.pay, fail, plugins=[broken])
    for name, arguments in (("pay", GIVEN), ("pay", {}), ("fail", None), ("nope", None)):
        result = run(pipeline, name, arguments, call_id="7")
        assert result.call.id == "7"
        assert result.content
        if result.attempts:
            assert result.error is None or result.error.effect != "none"
    assert isinstance(pipeline.classify(ValueError("x")), errors.ToolError)
    assert pipeline.recover(ValueError("x")).is_error


def test_what_a_check_changes_in_the_arguments_has_no_effect(make_pipeline, plugin, run, ledger):
    seen = []

    def authorize(tool, arguments, call):
        seen.append((arguments["amount"], list(arguments["to"]), copy.deepcopy(arguments["order"]), arguments["day"]))
        arguments["amount"] = 1_000_000
        arguments["to"].append("mallory")
        arguments["order"].items.append("gold")
        arguments["more"] = 1

    def second(arguments):
        seen.append((arguments["amount"], arguments["to"], arguments["order"]))

    pipeline = make_pipeline(ledger.pay, plugins=[plugin("a", authorize=second), plugin("b", authorize=authorize)])
    assert run(pipeline, "pay", GIVEN).content == "paid"
    assert ledger.ran == [(3, ["ann"], Order(["tea"]), datetime.date(2026, 11, 21))]
    assert seen[0] == (3, ["ann"], Order(["tea"]), datetime.date(2026, 11, 21))


def test_each_check_sees_the_arguments_as_they_are(make_pipeline, plugin, run, ledger):
    seen = []

    def mutate(arguments):
        arguments["amount"] = 0
        arguments["to"].clear()

    def look(arguments):
        seen.append((arguments["amount"], list(arguments["to"])))
        return errors.ToolPermissionError("Too much.") if arguments["amount"] > 2 else None

    pipeline = make_pipeline(ledger.pay, plugins=[plugin("look", authorize=look), plugin("mutate", authorize=mutate)])
    result = run(pipeline, "pay", GIVEN)
    assert seen == [(3, ["ann"])]
    assert isinstance(result.error, errors.ToolPermissionError)
    assert ledger.ran == []


def test_what_a_plugin_changes_before_execute_has_no_effect(make_pipeline, plugin, run, ledger):
    def execute(tool, arguments, call):
        arguments["amount"] = 1_000_000
        arguments["to"].append("mallory")
        arguments["order"].items.append("gold")

    def untouched(tool, arguments):
        return None

    for plugins in ([plugin("a", execute=execute)], [plugin("b", execute=untouched), plugin("a", execute=execute)]):
        ledger.ran.clear()
        assert run(make_pipeline(ledger.pay, plugins=plugins), "pay", GIVEN).content == "paid"
        assert ledger.ran == [(3, ["ann"], Order(["tea"]), datetime.date(2026, 11, 21))]


@pytest.mark.parametrize("hook", ["resolve", "validate", "authorize", "execute", "detect", "observe"])
def test_what_a_plugin_changes_in_the_call_that_was_sent_cannot_widen_what_was_validated(
    make_pipeline, plugin, run, ledger, hook
):
    def change(call) -> None:
        call.arguments["amount"] = "not a number"

    def change_value(value) -> None:
        return None

    def change_event(event) -> None:
        if hasattr(event, "result"):
            event.result.call.arguments["amount"] = "not a number"

    changing = {"detect": change_value, "observe": change_event}.get(hook, change)
    arguments = {"amount": 3, "to": ["ann"]}
    run(make_pipeline(ledger.pay, plugins=[plugin(**{hook: changing})]), "pay", arguments)
    assert all(type(amount) is int for amount, *_ in ledger.ran)


def test_the_tool_runs_with_what_was_validated_though_the_host_changes_it_meanwhile(make_pipeline, ledger):
    to = ["ann"]
    arguments: dict[str, Any] = {"amount": 3, "to": to}

    class Change:
        @hookimpl
        def authorize(self, tool):
            to.append("mallory")
            arguments["amount"] = 7

    make_pipeline(ledger.pay, plugins=[Change()]).call("pay", arguments)
    assert ledger.ran[0][:2] == (3, ["ann"])


def test_a_check_sees_injected_values_and_the_call(make_pipeline, plugin, run):
    def pay(amount: int, user: Injected[str]) -> str:
        return f"{user} paid {amount}"

    def authorize(tool, arguments, call):
        if arguments["user"] != "ann" or call.id is None:
            return errors.ToolPermissionError("Only ann.")
        return None

    pipeline = make_pipeline(pay, plugins=[plugin(authorize=authorize)])
    assert run(pipeline, "pay", {"amount": 1}, context={"user": "ann"}, call_id="1").content == "ann paid 1"
    assert run(pipeline, "pay", {"amount": 1}, context={"user": "bob"}, call_id="1").error.message == "Only ann."
    assert run(pipeline, "pay", {"amount": 1}, context={"user": "ann"}).error.message == "Only ann."


def test_a_repaired_call_is_authorized_like_any_other(make_pipeline, plugin, run, ledger):
    def repair(call, error, toolset):
        return lambda: ToolCall(call.id, "pay", {"amount": 1_000, "to": ["mallory"]})

    def authorize(tool, arguments):
        return errors.ToolPermissionError("Too much.") if arguments["amount"] > 10 else None

    tool = Tool.from_function(ledger.pay, read_only=True)
    pipeline = make_pipeline(tool, plugins=[plugin("r", repair=repair), plugin("a", authorize=authorize)])
    result = run(pipeline, "pay", {"amount": "1000", "to": ["mallory"]})
    assert result.repairs
    assert result.error.message == "Too much."
    invented = run(pipeline, "pay", {})
    assert isinstance(invented.error, errors.ToolArgumentError)
    assert invented.repairs == ()
    assert ledger.ran == []


def test_values_of_every_json_type_are_copied(make_pipeline, plugin, run):
    ran = []

    def store(table: dict[str, list[int]], flags: list[bool | None]) -> str:
        ran.append((table, flags))
        return "stored"

    def authorize(arguments):
        arguments["table"]["a"].append(3)
        arguments["table"]["b"] = []
        arguments["flags"].clear()

    given = {"table": {"a": [1, 2]}, "flags": [True, None]}
    assert run(make_pipeline(store, plugins=[plugin(authorize=authorize)]), "store", given).content == "stored"
    assert ran == [({"a": [1, 2]}, [True, None])]
