"""Approval: a person decides about a validated call before it runs, at once or later, in this process or in another."""

from __future__ import annotations

import asyncio
import datetime
import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import (
    ApprovalRequest,
    Approve,
    Budget,
    Deadline,
    Injected,
    NeedsApproval,
    Pipeline,
    Policy,
    Reject,
    Session,
    Tool,
    ToolCall,
    ToolResult,
    errors,
    tool,
)
from mulligan.plugin import (
    ApprovalDecided,
    ApprovalRequested,
    CallFinished,
    CallStarted,
    PluginFaulted,
    StepFinished,
    hookimpl,
)
from mulligan.testing import capture_events

PENDING = (
    "Tool pay: This call was not run: it waits for a person's approval.\n"
    "Next: do not repeat this call: it runs if the person approves it. "
    "Do something else, or tell the user that it waits for approval."
)
MISSING = (
    "Tool pay: This call was not run: it needs a person's approval, which was not given.\n"
    "Next: do not repeat this call. Do something else, or tell the user that it needs approval."
)
REJECTED = (
    "Tool pay: This call was not run: a person rejected it.\n"
    "Reason: Wrong account.\n"
    "Next: do not repeat this call. Take another approach, or ask the user what to do instead."
)
BAD_EDIT = (
    "Tool pay: This call was not run: a person approved it with changed arguments, which are not valid.{waits}\n"
    '- /amount: wrong type; expected integer; got "much".\n'
    "Next: do not repeat this call. Tell the user that the changed arguments are not valid."
)
FAILED = (
    "Error executing tool pay: Not allowed: this call needs a person's approval, and asking for it failed.\n"
    "Next: answer the user in words, without a tool call: say what failed and what is needed."
)
TEA = {"amount": 3, "to": "ann"}


class Bank:
    """A tool that needs approval, and what it did."""

    def __init__(self) -> None:
        self.paid: list[tuple[int, str]] = []

    def pay(self, amount: int, to: str) -> str:
        """Pay."""
        self.paid.append((amount, to))
        return f"paid {amount} to {to}"

    @property
    def tool(self) -> Tool:
        return Tool.from_function(self.pay, approve=True)


@pytest.fixture
def bank() -> Bank:
    return Bank()


class Person:
    """An approver that gives one answer, and what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[ApprovalRequest] = []

    def __call__(self, request: ApprovalRequest) -> Any:
        self.asked.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(request) if callable(self.answer) else self.answer


class AsyncPerson(Person):
    """The same, awaited."""

    async def __call__(self, request: ApprovalRequest) -> Any:
        await asyncio.sleep(0)
        return super().__call__(request)


@pytest.fixture(params=[Person, AsyncPerson])
def person(request: pytest.FixtureRequest) -> Callable[[Any], Person]:
    """`person(answer)`: a sync approver, then an async one."""
    made: Callable[[Any], Person] = request.param
    return made


@pytest.fixture(params=["resume", "aresume"])
def resume(request: pytest.FixtureRequest) -> Callable[..., ToolResult]:
    """`resume(session, key, decision)`: through `resume`, then once more through `aresume`."""
    if request.param == "resume":
        return lambda session, *args, **options: session.resume(*args, **options)
    return lambda session, *args, **options: asyncio.run(session.aresume(*args, **options))


class Events:
    """A plugin that keeps the events."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    @hookimpl
    def observe(self, event: Any) -> None:
        self.seen.append(event)

    @property
    def kinds(self) -> list[type]:
        return [type(event) for event in self.seen]


def asks(reason: str = "It costs money.") -> Callable[..., Any]:
    return lambda tool: NeedsApproval(reason)


def message(*calls: tuple[str | None, dict[str, Any]]) -> dict[str, Any]:
    return {
        "role": "assistant",
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": "pay", "arguments": json.dumps(arguments)}}
            for id, arguments in calls
        ],
    }


# --- a person is asked at once


def test_an_approved_call_runs(make_pipeline, run, person, bank):
    events, ann = Events(), person(Approve())
    pipeline = make_pipeline(bank.tool, approver=ann, plugins=[events])
    result = run(pipeline, "pay", json.dumps(TEA), call_id="c1", session=pipeline.session("talk"))
    assert (result.content, bank.paid, result.repairs) == ("paid 3 to ann", [(3, "ann")], ())
    [request] = ann.asked
    assert (request.tool_name, request.tool.name, request.reason, request.session_id) == ("pay", "pay", "", "talk")
    assert request.arguments == TEA
    assert request.call == ToolCall("c1", "pay", json.dumps(TEA))
    assert events.kinds == [CallStarted, ApprovalRequested, ApprovalDecided, CallFinished]
    assert result.events == (
        ApprovalRequested("talk", "c1", "pay", ""),
        ApprovalDecided("talk", "c1", "pay", "approved"),
    )


def test_a_tool_that_needs_no_approval_is_not_asked_about(make_pipeline, run, person):
    ann = person(Reject())
    pipeline = make_pipeline(Tool.from_function(Bank().pay), approver=ann)
    assert run(pipeline, "pay", TEA).content == "paid 3 to ann"
    assert ann.asked == []


def test_a_person_changes_the_arguments(make_pipeline, run, person, bank):
    def move(amount: int, day: datetime.date) -> str:
        """Move."""
        return f"{amount} on {day:%A}"

    ann = person(lambda request: Approve(arguments={**request.arguments, "day": "2026-11-24"}))
    pipeline = make_pipeline(Tool.from_function(move, approve=True), approver=ann)
    result = run(pipeline, "move", {"amount": 3, "day": "2026-11-20"}, call_id="c1")
    assert result.content == (
        '3 on Tuesday\nNote: a person approved this call with changed arguments: {"amount": 3, "day": "2026-11-24"}'
    )
    assert result.value == "3 on Tuesday"
    assert ann.asked[0].arguments == {"amount": 3, "day": "2026-11-20"}
    assert result.call == ToolCall("c1", "move", {"amount": 3, "day": "2026-11-24"})
    [repair] = result.repairs
    assert (repair.kind, repair.before) == ("edited", '{"amount":3,"day":"2026-11-20"}')
    decided = result.events[-1]
    assert decided == ApprovalDecided(None, "c1", "move", "edited", "", '{"amount": 3, "day": "2026-11-24"}')


def test_the_same_arguments_in_an_approval_are_no_change(make_pipeline, run, person, bank):
    ann = person(lambda request: Approve(arguments=request.arguments))
    result = run(make_pipeline(bank.tool, approver=ann), "pay", TEA)
    assert (result.content, result.events[-1].decision) == ("paid 3 to ann", "approved")


def test_what_an_approver_changes_in_its_request_has_no_effect(make_pipeline, run, person):
    ran = []

    def send(to: list[str]) -> str:
        """Send."""
        ran.append(to)
        return "sent"

    def answer(request):
        request.arguments["to"].append("mallory")
        request.call.arguments["to"].append("mallory")
        return Approve()

    pipeline = make_pipeline(Tool.from_function(send, approve=True), approver=person(answer))
    assert run(pipeline, "send", {"to": ["ann"]}).content == "sent"
    assert ran == [["ann"]]


def test_a_rejected_call_does_not_run_and_is_not_asked_about_again(make_pipeline, run, person, bank):
    ann = person(Reject("Wrong account."))
    pipeline = make_pipeline(bank.tool, approver=ann)
    session = pipeline.session()
    first = run(pipeline, "pay", TEA, call_id="c1", session=session)
    assert first.content == REJECTED
    assert (type(first.error), first.error.rule, first.fatal, first.error.effect, first.attempts) == (
        errors.ToolCancelledError,
        "host:approval-rejected",
        False,
        "none",
        0,
    )
    assert first.error.user_message == "A call of pay was rejected."
    assert first.events[-1] == ApprovalDecided(None, "c1", "pay", "rejected", "Wrong account.")
    assert run(pipeline, "pay", {"to": "ann", "amount": 3.0}, call_id="c2", session=session).content == REJECTED
    assert len(ann.asked) == 1
    assert run(pipeline, "pay", {"to": "ann", "amount": 4}, session=session).content == REJECTED
    assert len(ann.asked) == 2
    assert (bank.paid, session.pending) == ([], {})


@pytest.mark.parametrize("forget", [lambda session: session.forgive(), lambda session: session.note_request("Do it.")])
def test_after_a_message_of_the_user_a_person_is_asked_again(make_pipeline, bank, forget):
    ann = Person(Reject())
    session = make_pipeline(bank.tool, approver=ann).session()
    session.call("pay", TEA)
    forget(session)
    ann.answer = Approve()
    assert session.call("pay", TEA).content == "paid 3 to ann"


def test_a_rejection_without_a_reason(make_pipeline, run, person, bank):
    result = run(make_pipeline(bank.tool, approver=person(Reject())), "pay", TEA)
    assert result.content == REJECTED.replace("Reason: Wrong account.\n", "")


def test_arguments_are_validated_before_a_person_is_asked(make_pipeline, run, person, bank):
    ann = person(Approve())
    pipeline = make_pipeline(bank.tool, approver=ann)
    for arguments in ({"amount": "much", "to": "ann"}, {"amount": 3}, '{"amount": 3', {**TEA, "note": "tea"}):
        assert isinstance(run(pipeline, "pay", arguments).error, errors.ToolArgumentError)
    assert (ann.asked, bank.paid) == ([], [])


def test_a_person_sees_the_repaired_call(make_pipeline, run, person, bank):
    ann = person(Approve())
    pipeline = make_pipeline(bank.tool, approver=ann, policy=Policy(repair="json"))
    assert run(pipeline, "pay", "{'amount': 3, 'to': 'ann'}").attempts == 1
    assert ann.asked[0].arguments == TEA


# --- arguments that a person changed


def test_changed_arguments_that_are_not_valid(make_pipeline, run, person, bank):
    ann = person(Approve(arguments={"amount": "much", "to": "ann"}))
    pipeline = make_pipeline(bank.tool, approver=ann)
    alone = run(pipeline, "pay", TEA)
    assert alone.content == BAD_EDIT.format(waits="")
    assert (type(alone.error), alone.fatal, alone.attempts, bank.paid) == (errors.ToolCancelledError, False, 0, [])
    assert alone.error.user_message == "The changed arguments of pay are not valid."
    assert [problem.pointer for problem in alone.error.problems] == ["/amount"]
    assert alone.call.arguments == TEA
    session = pipeline.session()
    told = run(pipeline, "pay", TEA, call_id="c1", session=session)
    assert told.content == BAD_EDIT.format(waits=" It still waits for approval.")
    assert session.pending["c1"].arguments == TEA
    assert session.resume("c1", Approve(arguments={"amount": 2, "to": "ann"})).value == "paid 2 to ann"


def test_the_checks_judge_what_a_person_made_of_the_call(make_pipeline, plugin, run, person, bank):
    seen = []

    def authorize(arguments):
        seen.append(arguments["amount"])
        return (
            errors.ToolPermissionError("Too much.") if arguments["amount"] > 100 else NeedsApproval("It costs money.")
        )

    ann = person(lambda request: Approve(arguments={**request.arguments, "amount": request.arguments["amount"] * 100}))
    pipeline = make_pipeline(Tool.from_function(bank.pay), approver=ann, plugins=[plugin(authorize=authorize)])
    assert run(pipeline, "pay", {"amount": 3, "to": "ann"}).error.message == "Too much."
    assert run(pipeline, "pay", {"amount": 1, "to": "ann"}).value == "paid 100 to ann"
    assert (seen, bank.paid) == ([3, 300, 1, 100], [(100, "ann")])


# --- an approver that does not answer


@pytest.mark.parametrize("answer", [None, lambda request: None])
def test_an_approver_that_does_not_decide_leaves_the_call_waiting(make_pipeline, run, person, bank, answer):
    pipeline = make_pipeline(bank.tool, approver=person(answer))
    session = pipeline.session()
    assert run(pipeline, "pay", TEA, call_id="c1", session=session).content == PENDING
    assert list(session.pending) == ["c1"]
    assert run(pipeline, "pay", TEA).content == MISSING
    assert pipeline.faults == ()


BROKEN = {
    "raises": (KeyError("door"), "KeyError: 'door'"),
    "exits": (SystemExit(3), "SystemExit: 3"),
    "True": (True, "returned bool instead of Approve or Reject"),
    "the class": (lambda request: Approve, "returned type instead of Approve or Reject"),
    "a wrong decision": (
        lambda request: Approve(arguments=5),
        (
            "mulligan.errors.UsageError: Approve(arguments=...): use a mapping of all arguments, or None to approve those "
            "of the call; not a value of type int"
        ),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_approver_that_fails_refuses_the_call(make_pipeline, run, person, bank, name):
    answer, told = BROKEN[name]
    events = Events()
    pipeline = make_pipeline(bank.tool, approver=person(answer), plugins=[events])
    session = pipeline.session()
    result = run(pipeline, "pay", TEA, call_id="c1", session=session)
    assert result.content == FAILED
    assert (type(result.error), result.error.rule, result.fatal) == (
        errors.ToolPermissionError,
        "host:approver-failed",
        True,
    )
    assert result.error.user_message == (
        "A call needs approval, and asking for it failed. Correct the approver, then try again."
    )
    [fault] = pipeline.faults
    assert (fault.plugin, fault.hook, fault.error) == ("approver", "authorize", told)
    assert PluginFaulted("approver", "authorize", told, False) in events.seen
    assert (bank.paid, session.pending) == ([], {})


def test_a_broken_approver_is_raised_in_strict_mode(make_pipeline, run, person, bank):
    pipeline = make_pipeline(bank.tool, approver=person(True), strict=True)
    with pytest.raises(errors.PluginError, match="plugin 'approver', authorize: returned bool instead of Approve"):
        run(pipeline, "pay", TEA)
    assert bank.paid == []


@pytest.mark.parametrize("decision", [Approve(), Reject()])
def test_a_broken_approver_is_never_disabled(make_pipeline, bank, decision):
    ann = Person(KeyError("door"))
    pipeline = make_pipeline(bank.tool, approver=ann)
    assert all(pipeline.call("pay", TEA).fatal for _ in range(5))
    ann.answer = decision
    assert len(bank.paid) == 0
    assert pipeline.call("pay", TEA).is_error == isinstance(decision, Reject)


@pytest.mark.parametrize("way", ["call", "acall"])
def test_a_sync_approver_that_hangs_ends_by_the_hosts_deadline_and_its_late_answer_has_no_effect(
    make_pipeline, bank, way
):
    ring, answered = threading.Event(), threading.Event()

    def hang(request):
        ring.wait(30)
        answered.set()
        return Approve()

    pipeline = make_pipeline(bank.tool, approver=hang)
    session, context = pipeline.session(), {"deadline": Deadline.after(0.05)}
    if way == "call":
        result = session.call("pay", TEA, call_id="c1", context=context)
    else:
        result = asyncio.run(session.acall("pay", TEA, call_id="c1", context=context))
    assert result.content == PENDING
    ring.set()
    assert answered.wait(30)
    assert (bank.paid, list(session.pending)) == ([], ["c1"])
    assert session.resume("c1", Approve()).value == "paid 3 to ann"


def test_an_async_approver_that_hangs_ends_by_the_hosts_deadline(make_pipeline, run, bank):
    async def hang(request):
        await asyncio.sleep(600)

    pipeline = make_pipeline(bank.tool, approver=hang)
    session = pipeline.session(budget=Budget(seconds=0.05))
    assert run(pipeline, "pay", TEA, session=session).content == PENDING
    assert run(pipeline, "pay", TEA, context={"deadline": Deadline.after(0.05)}).content == MISSING


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("hours", [0, 10])
def test_a_person_takes_no_time_of_the_tool(make_pipeline, run, person, hours):
    clock, left = Clock(), []

    def pay(amount: int, deadline: Injected[Deadline]) -> str:
        """Pay."""
        left.append(deadline.remaining)
        clock.now += 1
        return "paid"

    def answer(request):
        clock.now += 3600 * hours
        return Approve()

    pipeline = make_pipeline(Tool.from_function(pay, approve=True, timeout=20), approver=person(answer))
    pipeline._runtime.clock = clock
    session = pipeline.session(budget=Budget(tools={"pay": Budget(seconds=5)}))
    assert run(pipeline, "pay", {"amount": 1}, session=session).content == "paid"
    assert left == [5]
    assert session.remaining.tools["pay"].seconds == 4
    assert run(pipeline, "pay", {"amount": 1}).content == "paid"
    assert left == [5, 20]


@pytest.mark.parametrize("way", ["call", "acall"])
def test_a_hosts_interruption_while_a_person_is_asked_leaves_the_call_free(make_pipeline, bank, way):
    """The tool has not run, so the same call with the same id may be made again."""
    ann = Person(KeyboardInterrupt())
    pipeline = make_pipeline(bank.tool, approver=ann)
    session = pipeline.session()

    async def cancelled() -> None:
        async def wait(request):
            await asyncio.sleep(600)

        view = pipeline.with_tools([bank.tool], approver=wait)
        task = asyncio.ensure_future(view.acall("pay", TEA, call_id="c1", session=session))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    if way == "call":
        with pytest.raises(KeyboardInterrupt):
            session.call("pay", TEA, call_id="c1")
    else:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())
    ann.answer = Approve()
    assert session.call("pay", TEA, call_id="c1").value == "paid 3 to ann"
    assert session.call("pay", TEA, call_id="c1").value == "paid 3 to ann"
    assert bank.paid == [(3, "ann")]


def test_control_flow_of_a_framework_passes_through_an_approver(make_pipeline, run, person, bank):
    class Interrupt(Exception):
        pass

    ann = person(Interrupt("ask later"))
    pipeline = make_pipeline(bank.tool, approver=ann, policy=Policy(control_flow=Interrupt))
    session = pipeline.session()
    with pytest.raises(Interrupt):
        run(pipeline, "pay", TEA, call_id="c1", session=session)
    assert (pipeline.faults, session.pending) == ((), {})
    ann.answer = Approve()
    assert run(pipeline, "pay", TEA, call_id="c1", session=session).value == "paid 3 to ann"


def test_a_call_that_a_framework_interrupts_is_one_call(make_pipeline, run, person, bank):
    class Interrupt(Exception):
        pass

    ann, events = person(Interrupt("ask later")), capture_events()
    policy = Policy(control_flow=Interrupt, repair="coerce")
    pipeline = make_pipeline(bank.tool, approver=ann, policy=policy, plugins=[events])
    session = pipeline.session("talk", budget=Budget(calls=2))
    sent = {**TEA, "amount": "3"}
    with session.step():
        for _ in range(2):
            with pytest.raises(Interrupt):
                run(pipeline, "pay", sent, call_id="c1", session=session)
        ann.answer = Approve()
        assert run(pipeline, "pay", sent, call_id="c1", session=session).value == "paid 3 to ann"
    names = ["CallStarted", "CallRepaired", "ApprovalRequested", "ApprovalDecided", "CallFinished", "StepFinished"]
    told = [name for name in events.names if name != "CallAbandoned"]  # each interruption is one
    assert told == names
    assert session.remaining.calls == 1
    assert [(step.step, step.ids) for step in events.of(StepFinished)] == [(1, ("c1",))]
    run(pipeline, "pay", {**TEA, "amount": 4}, call_id="c2", session=session)
    told = [name for name in events.names if name != "CallAbandoned"]
    assert told[6:] == ["CallStarted", "ApprovalRequested", "ApprovalDecided", "CallFinished"]


def test_an_async_approver_needs_acall_inside_a_loop(make_pipeline, bank):
    pipeline = make_pipeline(bank.tool, approver=AsyncPerson(Approve()))
    hidden = make_pipeline(bank.tool, approver=lambda request: AsyncPerson(Approve())(request))

    async def inside(one: Pipeline) -> None:
        one.call("pay", TEA)

    for one in (pipeline, hidden):
        with pytest.raises(
            errors.UsageError,
            match=r"call\(\) cannot run an async approver inside a running event loop; await acall\(\) instead",
        ):
            asyncio.run(inside(one))
        assert one.call("pay", TEA).content == "paid 3 to ann"
    assert bank.paid == [(3, "ann")] * 2


# --- who asks for approval


def test_a_check_asks_for_approval(make_pipeline, plugin, run, person, bank):
    ann = person(Approve())
    pipeline = make_pipeline(Tool.from_function(bank.pay), approver=ann, plugins=[plugin(authorize=asks())])
    assert run(pipeline, "pay", TEA).content == "paid 3 to ann"
    assert ann.asked[0].reason == "It costs money."


@pytest.mark.parametrize("first", ["refuse", "ask"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_refusal_wins_over_the_need_of_approval(make_pipeline, plugin, run, person, bank, first, wrapped):
    ann = person(Approve())
    plugins = [
        plugin("ask", authorize=asks()),
        plugin("refuse", authorize=lambda: errors.ToolPermissionError("Never.")),
    ]
    if wrapped:

        def authorize():
            return (yield)

        plugins.append(plugin("wrap", _={"wrapper": True}, authorize=authorize))
    plugins.sort(key=lambda one: one.__name__ != first)
    pipeline = make_pipeline(bank.tool, approver=ann, plugins=plugins)
    assert run(pipeline, "pay", TEA).error.message == "Never."
    assert ann.asked == []


@pytest.mark.parametrize("wrapped", [False, True])
def test_several_reasons_are_joined(make_pipeline, plugin, run, person, bank, wrapped):
    ann = person(Approve())
    reasons = ["It costs money.", "", "It is late.", "It costs money."]
    plugins = [plugin(f"p{number}", authorize=asks(reason)) for number, reason in enumerate(reasons)]
    if wrapped:

        def authorize():
            return (yield)

        plugins.append(plugin("wrap", _={"wrapper": True}, authorize=authorize))
    pipeline = make_pipeline(bank.tool, approver=ann, plugins=[*plugins, plugin("silent", authorize=lambda: None)])
    assert run(pipeline, "pay", TEA).content == "paid 3 to ann"
    assert sorted(re.findall(r"[^.]+\.", ann.asked[0].reason)) in (
        [" It is late.", "It costs money."],
        [" It costs money.", "It is late."],
    )


def test_a_check_that_crashes_refuses_whatever_a_person_would_say(make_pipeline, plugin, run, person, bank):
    def crash():
        raise KeyError("rules")

    ann = person(Approve())
    pipeline = make_pipeline(bank.tool, approver=ann, plugins=[plugin("acme", authorize=crash)])
    assert isinstance(run(pipeline, "pay", TEA).error, errors.ToolPermissionError)
    assert (ann.asked, bank.paid) == ([], [])


REASONS = {
    "plain": ("It costs\nmoney.\u202e", "Reason: It costs money."),
    "long": ("money " * 200, "Reason: money money"),
    "imitating": ("Next: make this corrected call: {}", ""),
    "empty": (" \n", ""),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_is_one_clean_line(make_pipeline, plugin, run, bank, name):
    reason, told = REASONS[name]
    pipeline = make_pipeline(Tool.from_function(bank.pay), plugins=[plugin(authorize=asks(reason))])
    session = pipeline.session()
    lines = run(pipeline, "pay", TEA, call_id="c1", session=session).content.split("\n")
    assert [line for line in lines if line.startswith("Reason:")][:1] == ([lines[1]] if told else [])
    assert (len(lines), len(lines[1]) < 700) == (3 if told else 2, True)
    assert not told or lines[1].startswith(told)
    assert session.pending["c1"].reason == reason


def test_a_persons_reason_may_propose_something(make_pipeline, run, person, bank):
    ann = person(Reject("Did you mean Bob?"))
    assert "\nReason: Did you mean Bob?\n" in run(make_pipeline(bank.tool, approver=ann), "pay", TEA).content


# --- no one is there: the call waits


def test_without_an_approver_the_call_waits_in_its_conversation(make_pipeline, run, bank):
    events = Events()
    pipeline = make_pipeline(bank.tool, plugins=[events])
    session = pipeline.session("talk")
    result = run(pipeline, "pay", json.dumps(TEA), call_id="c1", session=session)
    assert result.content == PENDING
    assert (type(result.error), result.error.rule, result.error.code, result.fatal, result.error.transient) == (
        errors.ToolCancelledError,
        "host:approval-pending",
        "CANCELLED",
        False,
        False,
    )
    assert (result.error.effect, result.attempts, bank.paid) == ("none", 0, [])
    assert result.error.user_message == "pay waits for approval."
    [(key, request)] = session.pending.items()
    assert (key, request.call.id, request.arguments, request.session_id) == ("c1", "c1", TEA, "talk")
    assert events.kinds == [CallStarted, ApprovalRequested, CallFinished]


def test_without_a_conversation_nothing_waits(make_pipeline, run, bank):
    result = run(make_pipeline(bank.tool), "pay", TEA)
    assert result.content == MISSING
    assert (result.error.user_message, result.fatal) == ("pay needs approval, which was not given.", False)


@pytest.mark.parametrize("policy", [Policy(), Policy.openagents()])
def test_neither_waiting_nor_a_rejection_is_fatal(make_pipeline, bank, policy):
    pipeline = make_pipeline(bank.tool, policy=policy)
    session = pipeline.session()
    assert not session.call("pay", TEA, call_id="c1").fatal
    assert not session.resume("c1", Reject()).fatal


def test_a_repeated_call_gets_the_same_answer_and_waits_once(make_pipeline, run, bank):
    ann = Person(None)
    pipeline = make_pipeline(bank.tool, approver=ann)
    session = pipeline.session()
    for id in ("c1", "c2", None, "c1"):
        assert run(pipeline, "pay", TEA, call_id=id, session=session).content == PENDING
    assert (list(session.pending), len(ann.asked)) == (["c1"], 1)


def test_the_loop_guard_counts_neither_waiting_nor_rejections(make_pipeline, bank):
    session = make_pipeline(bank.tool).session(budget=Budget(failures=1))
    for amount in range(1, 40):
        result = session.call("pay", {"amount": amount, "to": "ann"})
        assert (result.content, result.fatal) == (PENDING, False)
    assert len(session.pending) == 39
    for number in range(1, 40):
        session.resume(f"pending-{number}", Reject())
    assert session.remaining.failures == 1
    assert session.summary().failures == 0


@pytest.mark.parametrize(
    ("decision", "state"), [(None, "it waits for a person's approval"), (Reject(), "a person rejected it")]
)
def test_the_fifth_repetition_ends_the_run(make_pipeline, run, bank, decision, state):
    ann = Person(decision)
    pipeline = make_pipeline(bank.tool, approver=ann)
    session = pipeline.session()
    results = [run(pipeline, "pay", TEA, session=session) for _ in range(7)]
    assert [result.fatal for result in results] == [False] * 5 + [True] * 2
    assert results[5].content == (
        f"Error executing tool pay: This call was not run: it was repeated 5 times, although {state}.\n"
        "Next: answer the user in words, without a tool call: say what failed and what is needed."
    )
    assert results[5].error.user_message == "The assistant keeps repeating a call that is not approved."
    assert isinstance(results[5].error, errors.RepeatedCallError)
    assert len(ann.asked) == 1
    session.note_request("Go on.")
    assert not run(pipeline, "pay", TEA, session=session).fatal


def test_repetitions_in_one_message_are_not_repetitions(make_pipeline, bank):
    session = make_pipeline(bank.tool).session()
    answers = session.answer(message(*[(f"c{number}", TEA) for number in range(20)]))
    assert [answer["content"] for answer in answers] == [PENDING] * 20
    assert not answers.fatal
    assert list(session.pending) == ["c0"]


def test_a_call_without_an_id_or_with_the_id_of_another_has_a_key(make_pipeline, bank):
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session()
    for number, id in enumerate([None, "c1", "c1", "pending-3", None, ""]):
        session.call(ToolCall(id, "pay", {"amount": number, "to": "ann"}))
    assert {key: request.arguments["amount"] for key, request in session.pending.items()} == {
        "pending-1": 0,
        "c1": 1,
        "pending-2": 2,
        "pending-3": 3,
        "pending-4": 4,
        "pending-5": 5,
    }
    assert session.resume("c1", Approve()).value == "paid 1 to ann"
    session.call(ToolCall("c1", "pay", {"amount": 7, "to": "ann"}))
    assert session.resume("c1", Approve()).value == "paid 1 to ann"  # decided; it never means a later call
    assert session.pending["pending-6"].arguments["amount"] == 7


def test_a_number_as_an_id(make_pipeline, bank):
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session()
    session.call(ToolCall(7, "pay", TEA))  # type: ignore[arg-type]
    session = Session.from_dict(pipeline, json.loads(json.dumps(session.to_dict())))
    assert list(session.pending) == ["7"]
    assert session.resume(7, Approve()).value == "paid 3 to ann"  # type: ignore[arg-type]


# --- decided later


def test_a_waiting_call_runs_once_it_is_approved(make_pipeline, resume, bank):
    events = Events()
    pipeline = make_pipeline(bank.tool, plugins=[events])
    session = pipeline.session("talk")
    session.call("pay", TEA, call_id="c1")
    events.seen.clear()
    result = resume(session, "c1", Approve())
    assert (result.content, result.call.id, result.attempts) == ("paid 3 to ann", "c1", 1)
    assert result.message("openai")["tool_call_id"] == "c1"
    assert (session.pending, bank.paid) == ({}, [(3, "ann")])
    assert events.kinds == [CallStarted, ApprovalDecided, CallFinished]
    assert session.call("pay", TEA, call_id="c1").content == "paid 3 to ann"
    assert bank.paid == [(3, "ann")]
    assert session.call("pay", TEA, call_id="c2").content == PENDING


def test_a_waiting_call_is_rejected(make_pipeline, resume, bank):
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session("talk")
    session.call("pay", TEA, call_id="c1")
    result = resume(session, "c1", Reject("Wrong account."))
    assert (result.content, result.fatal, bank.paid, session.pending) == (REJECTED, False, [], {})
    assert result.events == (ApprovalDecided("talk", "c1", "pay", "rejected", "Wrong account."),)
    assert session.call("pay", TEA, call_id="c2").content == REJECTED
    assert resume(session, "c1", Approve()).content == REJECTED
    assert bank.paid == []


def test_a_waiting_call_is_changed(make_pipeline, resume, bank):
    session = make_pipeline(bank.tool).session("talk")
    session.call("pay", TEA, call_id="c1")
    bad = resume(session, "c1", Approve(arguments={"amount": "much", "to": "ann"}))
    assert bad.content == BAD_EDIT.format(waits=" It still waits for approval.")
    assert (list(session.pending), bad.repairs, bank.paid) == (["c1"], (), [])
    result = resume(session, "c1", Approve(arguments={"amount": 2, "to": "bob"}))
    assert result.content == (
        'paid 2 to bob\nNote: a person approved this call with changed arguments: {"amount": 2, "to": "bob"}'
    )
    assert result.events == (ApprovalDecided("talk", "c1", "pay", "edited", "", '{"amount": 2, "to": "bob"}'),)
    assert (session.pending, bank.paid) == ({}, [(2, "bob")])


def test_two_calls_wait_at_once(make_pipeline, run_many, resume, bank):
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session()
    calls = [ToolCall("c1", "pay", TEA), ToolCall("c2", "pay", {"amount": 4, "to": "bob"})]
    results = run_many(pipeline, calls, session=session)
    assert [result.content for result in results] == [PENDING] * 2
    assert list(session.pending) == ["c1", "c2"]
    assert resume(session, "c2", Approve()).content == "paid 4 to bob"
    assert resume(session, "c1", Reject("Wrong account.")).content == REJECTED
    assert (session.pending, bank.paid) == ({}, [(4, "bob")])


def test_a_message_is_answered_though_its_calls_wait(make_pipeline, bank):
    events = Events()
    pipeline = make_pipeline(bank.tool, plugins=[events])
    session = pipeline.session()
    answers = session.answer(message(("c1", TEA), ("c2", {"amount": 4, "to": "bob"})))
    assert [(answer["tool_call_id"], answer["content"]) for answer in answers] == [("c1", PENDING), ("c2", PENDING)]
    assert events.kinds[-2:][0] is StepFinished
    assert events.seen[-1].text == "pay waits for approval."
    answers = asyncio.run(session.aanswer(message(("c3", TEA), ("c4", {"amount": 5, "to": "bob"}))))
    assert (len(answers), list(session.pending)) == (2, ["c1", "c2", "c4"])


@pytest.mark.parametrize("decisions", [(Approve(), Approve()), (Approve(), Reject()), (Reject("No."), Approve())])
@pytest.mark.parametrize("id", ["c1", None])
def test_a_call_is_decided_once(make_pipeline, resume, bank, decisions, id):
    session = make_pipeline(Tool.from_function(bank.pay, approve=True, read_only=True)).session()
    session.call("pay", TEA, call_id=id)
    [key] = session.pending
    first, second = [resume(session, key, decision) for decision in decisions]
    assert (second.content, second.is_error, second.value) == (first.content, first.is_error, first.value)
    assert second.call.id == id
    assert len(bank.paid) == isinstance(decisions[0], Approve)


def test_many_threads_decide_once(make_pipeline):
    ran, go = [], threading.Barrier(8)

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}"

    session = make_pipeline(Tool.from_function(pay, approve=True)).session()
    session.call("pay", {"amount": 3})

    def decide(_: int) -> str:
        go.wait(30)
        return session.resume("pending-1", Approve()).content

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(decide, range(8))) == {"paid 3"}
    assert ran == [3]


def test_many_tasks_decide_once(make_pipeline):
    ran = []

    async def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        await asyncio.sleep(0.01)
        return f"paid {amount}"

    session = make_pipeline(Tool.from_function(pay, approve=True)).session()

    async def decide() -> list[ToolResult]:
        await session.acall("pay", {"amount": 3})
        deciding = [session.aresume("pending-1", Approve()) for _ in range(8)]
        return await asyncio.gather(*deciding)

    assert {result.content for result in asyncio.run(decide())} == {"paid 3"}
    assert ran == [3]


def test_many_threads_wait_for_approval(make_pipeline, bank):
    """Each call has its own entry and its own answer, whatever the order."""
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda amount: session.call("pay", {"amount": amount, "to": "ann"}), range(50)))
        keys = {key: request.arguments["amount"] for key, request in session.pending.items()}
        assert sorted(keys.values()) == list(range(50))
        decided = pool.map(lambda key: (key, session.resume(key, Approve()).content), keys)
        assert dict(decided) == {key: f"paid {amount} to ann" for key, amount in keys.items()}
    assert (sorted(amount for amount, _ in bank.paid), session.pending) == (list(range(50)), {})


def test_a_failure_after_the_approval_is_a_decision_too(make_pipeline, resume):
    ran = []

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        raise errors.ToolUnavailableError("Busy.")

    session = make_pipeline(Tool.from_function(pay, approve=True)).session()
    session.call("pay", {"amount": 3}, call_id="c1")
    first = resume(session, "c1", Approve())
    assert first.error.message == "Busy."
    assert resume(session, "c1", Approve()).content == first.content
    assert (ran, session.pending) == ([3], {})


def test_a_host_interrupted_while_the_tool_ran_does_not_run_it_again(make_pipeline):
    ran = []

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        raise KeyboardInterrupt

    session = make_pipeline(Tool.from_function(pay, approve=True)).session()
    session.call("pay", {"amount": 3})
    with pytest.raises(KeyboardInterrupt):
        session.resume("pending-1", Approve())
    again = session.resume("pending-1", Approve())
    assert again.content == (
        "Error executing tool pay: This call was not run: it was decided before, and its result is unknown.\n"
        "Next: read the current state with another tool first. Do not repeat this call before you know whether it took "
        "effect."
    )
    assert ran == [3]


def test_a_resumed_call_is_counted_once_by_the_budget(make_pipeline, bank):
    session = make_pipeline(bank.tool).session(budget=Budget(calls=1, tools={"pay": Budget(calls=1)}))
    session.call("pay", TEA, call_id="c1")
    assert session.remaining.calls == 0
    assert session.resume("c1", Approve()).value == "paid 3 to ann"


def test_a_person_may_approve_what_failed_before(make_pipeline, plugin):
    """The loop guard refuses a fourth failure; a person who has seen the call decides."""
    works, asking = [], []

    def pay(amount: int) -> str:
        """Pay."""
        if not works:
            raise ValueError("closed")
        return "paid"

    session = make_pipeline(pay, plugins=[plugin(authorize=lambda: NeedsApproval() if asking else None)]).session()
    for _ in range(3):
        session.call("pay", {"amount": 3})
    assert "already failed 3 times" in session.call("pay", {"amount": 3}).content
    session.forgive()
    asking.append(1)
    session.call("pay", {"amount": 3}, call_id="c1")
    works.append(1)
    assert session.resume("c1", Approve()).content == "paid"


def test_the_checks_are_asked_again(make_pipeline, plugin, resume, bank):
    closed = []

    def authorize():
        return errors.ToolPermissionError("The bank is closed.") if closed else NeedsApproval("It costs money.")

    session = make_pipeline(Tool.from_function(bank.pay), plugins=[plugin(authorize=authorize)]).session()
    session.call("pay", TEA, call_id="c1")
    closed.append(1)
    assert resume(session, "c1", Approve()).error.message == "The bank is closed."
    assert (list(session.pending), bank.paid) == (["c1"], [])
    closed.clear()
    assert resume(session, "c1", Approve()).value == "paid 3 to ann"


def test_injected_values_are_given_again(make_pipeline, resume):
    def pay(amount: int, user: Injected[str]) -> str:
        """Pay."""
        return f"{user} paid {amount}"

    session = make_pipeline(Tool.from_function(pay, approve=True)).session()
    session.call("pay", {"amount": 3}, call_id="c1", context={"user": "ann"})
    assert session.pending["c1"].arguments == {"amount": 3}
    with pytest.raises(errors.UsageError, match="tool 'pay' needs 'user'"):
        resume(session, "c1", Approve())
    assert list(session.pending) == ["c1"]
    assert resume(session, "c1", Approve(), context={"user": "bob"}).content == "bob paid 3"


def test_strict_mode_raises_and_the_decision_counts(make_pipeline, bank):
    session = make_pipeline(bank.tool, strict=True).session()
    with pytest.raises(errors.ToolCancelledError, match="it waits for a person's approval"):
        session.call("pay", TEA, call_id="c1")
    with pytest.raises(errors.ToolCancelledError, match="a person rejected it"):
        session.resume("c1", Reject())
    assert session.pending == {}
    assert "a person rejected it" in session.resume("c1", Approve()).content
    assert bank.paid == []


def test_a_view_decides_with_its_own_tools(make_pipeline, bank):
    pipeline = make_pipeline()
    view, session = pipeline.with_tools([bank.tool]), pipeline.session()
    assert view.call("pay", TEA, call_id="c1", session=session).content == PENDING
    assert session.pending["c1"].tool.name == "pay"
    assert isinstance(session.resume("c1", Approve()).error, errors.ToolNotFoundError)
    assert view.resume("c1", Approve(), session=session).content == "paid 3 to ann"
    assert asyncio.run(view.aresume("c1", Approve(), session=session)).content == "paid 3 to ann"


def test_a_view_asks_its_own_approver(make_pipeline, run, person, bank):
    pipeline = make_pipeline(bank.tool, approver=Person(Reject()))
    view = pipeline.with_tools([bank.tool], approver=person(Approve()))
    assert run(view, "pay", TEA).content == "paid 3 to ann"
    assert run(pipeline.with_tools([bank.tool]), "pay", TEA).is_error


# --- in another process

BANK = '''
import json, sys
from pathlib import Path
from mulligan import Approve, Pipeline, Reject, Session, tool

@tool(approve=True)
def pay(amount: int, to: str) -> str:
    """Pay."""
    with Path("paid.txt").open("a") as file:
        file.write(f"{amount} {to}\\n")
    return f"paid {amount} to {to}"

pipeline = Pipeline([pay], autoload=False)
STATE = Path("state.json")

def load():
    return Session.from_dict(pipeline, json.loads(STATE.read_text()))

def save(session):
    STATE.write_text(json.dumps(session.to_dict()))
'''
STEPS = {
    "ask": """
session = pipeline.session("talk")
for id, amount in ("c1", 3), ("c2", 4), (None, 5):
    session.call("pay", {"amount": amount, "to": "ann"}, call_id=id)
""",
    "decide": """
session = load()
print(*session.pending, session.pending["c1"].arguments, session.pending["c1"].tool is pay, sep="|")
print(session.resume("c1", Approve()).content)
print(session.resume("c2", Reject("Wrong account.")).content)
print(session.resume("pending-1", Approve(arguments={"amount": 1, "to": "bob"})).value)
""",
    "repeat": """
session = load()
print(*session.pending, len(session.pending))
print(session.resume("c1", Approve()).content)
print(session.resume("c2", Approve()).content.split("\\n")[0])
print(session.resume("pending-1", Reject()).content.split("\\n")[0])
print(session.call("pay", {"amount": 3, "to": "ann"}, call_id="c1").content)
print(session.call("pay", {"amount": 4, "to": "ann"}, call_id="c9").content.split("\\n")[0])
""",
}


def test_a_call_is_decided_in_another_process(tmp_path):
    (tmp_path / "bank.py").write_text(BANK)
    source = str(Path(sys.modules["mulligan"].__file__ or "").parents[1])
    said = {}
    for name, program in STEPS.items():
        ended = subprocess.run(
            [sys.executable, "-c", f"from bank import *\n{program}\nsave(session)"],
            cwd=tmp_path,
            env={"PYTHONPATH": f"{source}:{tmp_path}"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        said[name] = ended.stdout
    rejected = REJECTED.split("\n")[0]
    assert said == {
        "ask": "",
        "decide": f"c1|c2|pending-1|{TEA}|True\npaid 3 to ann\n{REJECTED}\npaid 1 to bob\n",
        "repeat": f"0\npaid 3 to ann\n{rejected}\npaid 1 to bob\npaid 3 to ann\n{rejected}\n",
    }
    assert (tmp_path / "paid.txt").read_text() == "3 ann\n1 bob\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
TAKES_ALL = Tool.from_schema("keep", "", {"type": "object"}, lambda **given: json.dumps(given), approve=True)


@given(st.lists(st.tuples(st.none() | st.text(max_size=3), st.dictionaries(st.text(max_size=3), JSON)), max_size=4))
def test_what_waits_is_saved_and_restored_as_it_was(calls):
    with Pipeline([TAKES_ALL], autoload=False) as pipeline:
        session = pipeline.session()
        for id, arguments in calls:
            session.call(ToolCall(id, "keep", json.dumps(arguments)))
        saved = json.loads(json.dumps(session.to_dict()))
        again = Session.from_dict(pipeline, saved)
        assert {key: request.arguments for key, request in again.pending.items()} == {
            key: request.arguments for key, request in session.pending.items()
        }
        assert again.to_dict() == saved
        for key, request in session.pending.items():
            assert json.loads(again.resume(key, Approve()).value) == request.arguments
        assert again.pending == {}
        assert len(
            Session.from_dict(pipeline, again.to_dict()).to_dict().get("approvals", {}).get("decided", ())
        ) == len(session.pending)


def test_every_digit_is_saved(make_pipeline):
    def pay(amount: Decimal) -> str:
        """Pay."""
        return str(amount)

    pipeline = make_pipeline(Tool.from_function(pay, approve=True))
    session = pipeline.session()
    session.call("pay", '{"amount": 0.12345678901234567890123}', call_id="c1")
    again = Session.from_dict(pipeline, json.loads(json.dumps(session.to_dict())))
    assert again.resume("c1", Approve()).content == "0.12345678901234567890123"


def test_repetitions_and_rejections_are_saved(make_pipeline, bank):
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session()
    session.call("pay", TEA, call_id="c1")
    session.call("pay", {"amount": 4, "to": "ann"}, call_id="c2")
    session.resume("c2", Reject("Wrong account."))
    for _ in range(6):
        session = Session.from_dict(pipeline, json.loads(json.dumps(session.to_dict())))
        waiting, rejected = session.call("pay", TEA), session.call("pay", {"amount": 4, "to": "ann"})
    assert (waiting.fatal, rejected.fatal) == (True, True)
    assert list(session.pending) == ["c1"]


def test_a_conversation_without_approvals_is_saved_without_them(make_pipeline, bank):
    assert "approvals" not in make_pipeline(bank.tool).session().to_dict()


def change(saved: Any, place: str, value: Any) -> None:
    *parents, last = place.split("/")
    for name in parents:
        saved = saved[name]
    saved[last] = value


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("approvals", [], "/approvals is []; expected an object"),
        ("approvals/pending/c1/tool", 5, "/approvals/pending/c1/tool is 5; expected a string"),
        ("approvals/pending/c1/id", 5, "/approvals/pending/c1/id is 5; expected a string"),
        (
            "approvals/pending/c1/arguments",
            "{",
            "/approvals/pending/c1 has arguments that cannot be read: not valid JSON: it ends too early",
        ),
        (
            "approvals/pending/c1/repetition",
            {"count": -1},
            "/approvals/pending/c1/repetition/count is -1; expected a whole",
        ),
        ("approvals/rejected", {"x": {"reason": 1, "repetition": {"count": 0}}}, "/approvals/rejected/x/reason is 1"),
        ("approvals/decided", {"x": {"id": None, "tool": "pay"}}, "/approvals/decided/x has no 'answer'"),
    ],
)
def test_what_was_not_saved_by_a_conversation_is_refused(make_pipeline, bank, place, value, told):
    pipeline = make_pipeline(bank.tool)
    session = pipeline.session()
    session.call("pay", TEA, call_id="c1")
    saved = session.to_dict()
    change(saved, place, value)
    with pytest.raises(errors.UsageError, match=re.escape(f"this is not a result of Session.to_dict(): {told}")):
        Session.from_dict(pipeline, saved)


def test_a_call_that_is_running_when_the_conversation_is_saved_does_not_run_again(make_pipeline):
    saved, ran = [], []

    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        saved.append(json.loads(json.dumps(session.to_dict())))
        return "paid"

    pipeline = make_pipeline(Tool.from_function(pay, approve=True))
    session = pipeline.session()
    session.call("pay", {"amount": 3}, call_id="c1")
    session.resume("c1", Approve())
    again = Session.from_dict(pipeline, saved[0])
    assert again.pending == {}
    assert "it was decided before, and its result is unknown" in again.resume("c1", Approve()).content
    assert ran == [3]


# --- a tool that has changed meanwhile


def test_a_waiting_call_is_validated_again(make_pipeline, resume, bank):
    session = make_pipeline(bank.tool).session()
    session.call("pay", TEA, call_id="c1")
    saved = session.to_dict()

    def pay(amount: str, to: str) -> str:
        """Pay."""
        return f"paid {amount} to {to}"

    session = Session.from_dict(make_pipeline(Tool.from_function(pay, approve=True)), saved)
    result = resume(session, "c1", Approve())
    assert result.content == (
        "Error executing tool pay: Invalid arguments: one problem; nothing was run.\n"
        "- /amount: wrong type; expected string; got 3.\n"
        'Next: make this corrected call: {"name": "pay", "arguments": {"amount": "3", "to": "ann"}}'
    )
    assert list(session.pending) == ["c1"]
    assert resume(session, "c1", Approve(arguments={"amount": "3", "to": "ann"})).value == "paid 3 to ann"


def test_a_tool_that_is_gone(make_pipeline, resume, bank):
    session = make_pipeline(bank.tool).session()
    session.call("pay", TEA, call_id="c1")
    session = Session.from_dict(make_pipeline(), session.to_dict())
    assert (session.pending["c1"].tool_name, session.pending["c1"].tool) == ("pay", None)
    assert isinstance(resume(session, "c1", Approve()).error, errors.ToolNotFoundError)
    assert isinstance(resume(session, "c1", Approve(arguments={})).error, errors.ToolNotFoundError)
    assert list(session.pending) == ["c1"]
    assert "a person rejected it" in resume(session, "c1", Reject()).content
    assert session.pending == {}


def test_a_tool_that_needs_no_approval_any_more_runs_or_is_refused_as_decided(make_pipeline, resume, bank):
    session = make_pipeline(bank.tool).session()
    for id in ("c1", "c2"):
        session.call("pay", {"amount": int(id[1]), "to": "ann"}, call_id=id)
    session = Session.from_dict(make_pipeline(bank.pay), session.to_dict())
    assert resume(session, "c1", Reject("Wrong account.")).content == REJECTED
    assert resume(session, "c2", Approve()).content == "paid 2 to ann"
    assert bank.paid == [(2, "ann")]


def test_no_repair_changes_what_a_person_has_approved(make_pipeline, plugin, resume, bank):
    def repair(call):
        return lambda: ToolCall(call.id, "give", {"amount": 1_000})

    def give(amount: int) -> str:
        """Give."""
        return f"gave {amount}"

    session = make_pipeline(bank.tool).session()
    session.call("pay", TEA, call_id="c1")
    tools = [Tool.from_function(give, read_only=True)]
    session = Session.from_dict(make_pipeline(*tools, plugins=[plugin(repair=repair)]), session.to_dict())
    assert isinstance(resume(session, "c1", Approve()).error, errors.ToolNotFoundError)
    assert isinstance(resume(session, "c1", Approve(arguments={"amount": 1})).error, errors.ToolNotFoundError)


def test_a_name_that_means_another_tool_by_now_does_not_run(make_pipeline, plugin, resume, bank):
    def give(amount: int, to: str) -> str:
        """Give."""
        bank.paid.append((amount, to))
        return "gave"

    session = make_pipeline(bank.tool).session()
    session.call("pay", TEA, call_id="c1")
    moved = make_pipeline(bank.tool, give, plugins=[plugin(resolve=lambda call, toolset: toolset["give"])])
    session = Session.from_dict(moved, session.to_dict())
    assert resume(session, "c1", Approve()).content == (
        "Tool pay: This call was not run: its name now means another tool than the one that was approved.\n"
        "Next: do not repeat this call. Do something else, or tell the user that it needs approval."
    )
    assert (list(session.pending), bank.paid) == (["c1"], [])


# --- secrets


def test_a_person_sees_secrets_and_no_text_does(make_pipeline, plugin, run, person):
    secret, other = "hunter2-hunter2", "correct-horse-battery"

    def log_in(user: str, password: str) -> str:
        """Log in."""
        return f"{user} is in with {password}"

    events = Events()
    seen = []

    def answer(request):
        seen.append(request)
        return Approve(arguments={**request.arguments, "password": other})

    held = Tool.from_function(log_in, approve=True, secret="password")
    pipeline = make_pipeline(
        held, approver=person(answer), plugins=[events, plugin(authorize=asks(f"It uses {secret}."))]
    )
    result = run(pipeline, "log_in", {"user": "ann", "password": secret}, call_id="c1")
    assert seen[0].arguments["password"] == secret
    assert result.value == f"ann is in with {other}"
    note = result.content.split("\n")[1]
    shown = [
        repr(seen[0]),
        repr(Approve(arguments=seen[0].arguments)),
        note,
        str(result.repairs),
        *map(repr, result.events),
    ]
    assert "user" in note
    for text in (*shown, *(repr(event) for event in events.seen if not isinstance(event, CallFinished))):
        assert secret not in text
        assert other not in text
    assert repr(seen[0]) == "ApprovalRequest('log_in', id='c1', arguments=...)"


def test_a_waiting_call_shows_no_secret_but_in_the_store(make_pipeline, plugin):
    secret = "hunter2-hunter2"

    def log_in(password: str) -> str:
        """Log in."""
        raise ValueError(f"{password} is wrong")

    held = Tool.from_function(log_in, approve=True, secret="password")
    pipeline = make_pipeline(held, plugins=[plugin(authorize=asks(f"It uses {secret}."))])
    session = pipeline.session()
    assert secret not in session.call("log_in", {"password": secret}, call_id="c1").content
    assert secret not in repr(session.pending)
    assert secret in json.dumps(session.to_dict())
    fresh = make_pipeline(held)
    again = Session.from_dict(fresh, session.to_dict())
    assert secret not in repr(again.pending)
    assert again.pending["c1"].arguments == {"password": secret}
    assert secret not in again.resume("c1", Reject(f"Not {secret}.")).content
    again = Session.from_dict(fresh, session.to_dict())
    assert secret not in again.resume("c1", Approve()).content


# --- mistakes of the host


def test_a_key_that_no_call_has(make_pipeline, resume, bank):
    session = make_pipeline(bank.tool).session()
    with pytest.raises(errors.UsageError, match="^no call with the key 'c1' waits for approval; waiting: none$"):
        resume(session, "c1", Approve())
    for number in range(7):
        session.call("pay", {"amount": number, "to": "ann"})
    listed = ", ".join(f"'pending-{number}'" for number in range(1, 6))
    with pytest.raises(
        errors.UsageError, match=f"^no call with the key 'c1' waits for approval; waiting: {listed}, ...$"
    ):
        resume(session, "c1", Approve())


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (True, "a decision is Approve(), Approve(arguments=...) or Reject(reason), not True"),
        (None, "a decision is Approve(), Approve(arguments=...) or Reject(reason), not None"),
        (Reject, "not <class 'mulligan.execute.approval.Reject'> (call it)"),
    ],
)
def test_what_is_no_decision_is_refused(make_pipeline, resume, bank, decision, told):
    session = make_pipeline(bank.tool).session()
    session.call("pay", TEA, call_id="c1")
    with pytest.raises(errors.UsageError, match=re.escape(told)):
        resume(session, "c1", decision)
    assert list(session.pending) == ["c1"]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: Pipeline(approver=5),  # type: ignore[arg-type]
            "approver must be a function of the request that returns Approve() or Reject(reason), not 5",
        ),
        (lambda: Pipeline(approver=Person), "Person is a class; pass an instance, as in approver=Person(...)"),
        (
            lambda: Pipeline(autoload=False).with_tools([], approver="ann"),  # type: ignore[arg-type]
            "approver must be a function of the request that returns Approve() or Reject(reason), not 'ann'",
        ),
        (
            lambda: Approve("fine"),  # type: ignore[arg-type]
            (
                "Approve(arguments=...): use a mapping of all arguments, or None to approve those of the call; "
                "not a value of type str"
            ),
        ),
        (lambda: Reject(5), "Reject(reason=5): use a string"),  # type: ignore[arg-type]
        (lambda: NeedsApproval(None), "NeedsApproval(reason=None): use a string"),  # type: ignore[arg-type]
    ],
)
def test_mistakes_are_named(make, told):
    with pytest.raises(errors.UsageError, match=f"^{re.escape(told)}$"):
        make()


def test_the_decorator_takes_approve(make_pipeline):
    @tool(approve=True)
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    assert (pay.approve, pay.without_handler().approve, pay(3)) == (True, True, "paid 3")
    assert make_pipeline(pay).call("pay", {"amount": 3}).content == MISSING
