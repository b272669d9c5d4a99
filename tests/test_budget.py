"""Budgets of a conversation: what is over them is answered without being run, and the person reads why."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from typing import Any

import pytest

from mulligan import Budget, Deadline, Injected, Pipeline, Session, Tool, ToolResult, errors
from mulligan.plugin import BudgetSpent, hookimpl


class Clock:
    def __init__(self) -> None:
        self.now = 500.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """Tools, what was run, and what was observed."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.events: list[Any] = []
        self.clock = Clock()

    def read(self, path: str) -> str:
        self.ran.append("read")
        self.clock.now += 1
        if path.startswith("gone"):
            raise FileNotFoundError(2, "No such file", path)
        return "text"

    def pay(self, amount: int) -> str:
        self.ran.append("pay")
        self.clock.now += 5
        return "paid"

    @hookimpl
    def observe(self, event: Any) -> None:
        self.events.append(event)

    @property
    def spent(self) -> list[BudgetSpent]:
        return [event for event in self.events if isinstance(event, BudgetSpent)]


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def begin(make_pipeline, desk):
    def make(id: str | None = None, **budget: Any) -> Session:
        pipeline = make_pipeline(desk.read, desk.pay, plugins=[desk])
        pipeline._runtime.clock = desk.clock
        return pipeline.session(id, budget=Budget(**budget))

    return make


def read(session: Session, path: str = "ok", way: str = "call") -> ToolResult:
    call = ("read", {"path": path})
    return session.call(*call) if way == "call" else asyncio.run(session.acall(*call))


@pytest.mark.parametrize("way", ["call", "acall"])
def test_calls(begin, desk, way):
    session = begin("talk", calls=3)
    results = [read(session, way=way) for _ in range(5)]
    assert [result.is_error for result in results] == [False] * 3 + [True] * 2
    over = results[3]
    assert (type(over.error), over.fatal, over.attempts) == (errors.ToolQuotaError, True, 0)
    assert (over.error.code, over.error.effect, over.error.transient) == ("RESOURCE_EXHAUSTED", "none", False)
    assert over.error.rule == "session:budget-calls"
    assert over.content == (
        "Error: This call was not run: the budget of 3 calls for this conversation is exhausted.\n"
        "Next: call no more tools: answer with what you have, and tell the user what is missing."
    )
    assert over.error.user_message == "The budget of 3 calls for this conversation is exhausted."
    assert desk.ran == ["read"] * 3
    assert desk.spent == [BudgetSpent("talk", None, "read", "calls", 3, None)] * 2
    assert over.events == (desk.spent[0],)


def test_every_call_counts_the_wrong_ones_too(begin, desk):
    session = begin(calls=3)
    session.call("nope")
    session.call("read", "{")
    session.call("read", {"path": 3})
    assert read(session).error.rule == "session:budget-calls"
    assert session.call("nope").error.rule == "session:budget-calls"
    assert desk.ran == []


def test_failures(begin, desk):
    session = begin(failures=2)
    read(session, "gone1")
    read(session)
    session.call("nope")
    over = read(session)
    assert (over.fatal, over.error.rule) == (True, "session:budget-failures")
    assert "the budget of 2 failed calls for this conversation is exhausted" in over.content
    assert desk.ran == ["read"] * 2


def test_characters_of_feedback(begin, desk):
    session = begin(feedback_chars=300)
    used = 0
    while (left := session.remaining.feedback_chars) > 0:
        result = read(session, f"gone{used}")
        used += len(result.content)
        assert session.remaining.feedback_chars == max(0, 300 - used)
        assert left > 0
    over = read(session)
    assert (over.fatal, over.error.rule) == (True, "session:budget-feedback_chars")
    assert "the budget of 300 characters of feedback for this conversation is exhausted" in over.content


def test_seconds(begin, desk):
    session = begin(seconds=60)
    assert not read(session).is_error
    desk.clock.now += 58.5
    assert not read(session).is_error
    over = read(session)
    assert (type(over.error), over.fatal, over.error.code) == (errors.ToolTimeoutError, True, "DEADLINE_EXCEEDED")
    assert "This call was not run: the budget of 60 s for this conversation is exhausted." in over.content
    assert "check whether" not in over.content
    assert desk.ran == ["read"] * 2


def test_the_budget_of_a_tool_refuses_that_tool_only(begin, desk):
    session = begin(tools={"pay": Budget(calls=2)})
    results = [session.call("pay", {"amount": 1}) for _ in range(3)]
    assert [result.is_error for result in results] == [False, False, True]
    assert (results[2].fatal, results[2].error.rule) == (False, "session:budget-calls")
    assert results[2].content == (
        "Error executing tool pay: This call was not run: the budget of 2 calls for pay in this conversation is exhausted.\n"
        "Next: continue without pay: it will not run again in this conversation."
    )
    assert not read(session).is_error
    assert desk.spent == [BudgetSpent(None, None, "pay", "calls", 2, "pay")]


def test_the_seconds_of_a_tool_are_those_spent_in_its_calls(begin, desk):
    session = begin(tools={"pay": Budget(seconds=12), "read": Budget(failures=1)})
    desk.clock.now += 1_000
    results = [session.call("pay", {"amount": 1}) for _ in range(4)]
    assert [result.is_error for result in results] == [False] * 3 + [True]
    assert "the budget of 12 s for pay in this conversation is exhausted" in results[3].content
    assert not results[3].fatal
    read(session, "gone")
    assert read(session).error.rule == "session:budget-failures"


def test_calls_whose_arguments_do_not_fit_are_none_of_the_tool(begin):
    session = begin(tools={"pay": Budget(calls=1)})
    session.call("pay", {"amount": "x"})
    assert not session.call("pay", {"amount": 1}).is_error


def test_what_is_over_the_budget_is_no_failure_of_the_call(begin):
    session = begin(tools={"pay": Budget(calls=0)})
    for _ in range(6):
        result = session.call("pay", {"amount": 1})
        assert (result.error.rule, result.fatal) == ("session:budget-calls", False)
    session.budget = None
    assert session.call("pay", {"amount": 1}).content == "paid"


def test_what_remains_can_be_read(begin, desk):
    session = begin(calls=10, seconds=60.0, tools={"pay": Budget(calls=3, seconds=20)})
    read(session, "gone")
    session.call("pay", {"amount": 1})
    assert session.remaining == Budget(calls=8, seconds=54.0, tools={"pay": Budget(calls=2, seconds=15)})
    assert session.budget == Budget(calls=10, seconds=60.0, tools={"pay": Budget(calls=3, seconds=20)})
    desk.clock.now += 1_000
    assert session.remaining.seconds == 0


def test_without_a_budget_nothing_is_bounded(make_pipeline, desk):
    session = make_pipeline(desk.read).session()
    assert (session.budget, session.remaining, session.deadline) == (None, Budget(), None)


def test_a_budget_can_be_raised(begin):
    session = begin(calls=1)
    read(session)
    assert read(session).fatal
    session.budget = Budget(calls=2)
    assert not read(session).is_error
    assert read(session).fatal
    with pytest.raises(errors.UsageError, match="budget must be a Budget, not 3"):
        session.budget = 3


def test_forgiving_gives_nothing_back(begin):
    session = begin(calls=1)
    read(session)
    session.forgive()
    assert read(session).error.rule == "session:budget-calls"


# --- the time is handed down


@pytest.mark.parametrize("way", ["call", "acall"])
def test_no_tool_runs_on_beyond_the_time_of_the_conversation(make_pipeline, way):
    left: list[float] = []

    def hang(deadline: Injected[Deadline]) -> str:
        left.append(deadline.remaining)
        time.sleep(2)
        return "late"

    session = make_pipeline(hang).session(budget=Budget(seconds=0.3))
    result = session.call("hang") if way == "call" else asyncio.run(session.acall("hang"))
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert not result.fatal and result.attempts == 1
    assert 0 < left[0] <= 0.3
    again = session.call("hang")
    assert (again.fatal, again.error.rule) == (True, "session:budget-seconds")


def test_the_time_of_a_tool_is_handed_down(make_pipeline):
    left: list[float] = []

    def look(deadline: Injected[Deadline]) -> str:
        left.append(deadline.remaining)
        return "fine"

    session = make_pipeline(look).session(budget=Budget(seconds=1_000, tools={"look": Budget(seconds=30)}))
    assert session.call("look").content == "fine"
    assert 0 < left[0] <= 30


# --- saved and gone on with


def test_what_is_used_goes_along_into_another_process(begin, make_pipeline, desk):
    session = begin("talk", calls=5, failures=4, seconds=60, tools={"pay": Budget(calls=2, seconds=30)})
    read(session, "gone")
    session.call("pay", {"amount": 1})
    saved = json.loads(json.dumps(session.to_dict()))
    desk.clock.now += 10_000
    other = make_pipeline(desk.read, desk.pay)
    other._runtime.clock = desk.clock
    again = Session.from_dict(other, saved)
    assert again.budget == session.budget
    assert again.remaining == Budget(calls=3, failures=3, seconds=54, tools={"pay": Budget(calls=1, seconds=25)})
    assert not again.call("pay", {"amount": 1}).is_error
    assert again.call("pay", {"amount": 1}).error.rule == "session:budget-calls"
    assert Session.from_dict(other, again.to_dict()).to_dict() == again.to_dict()


# --- threads and tasks


def test_sixteen_threads_keep_to_a_budget(make_pipeline):
    ran = []

    def look(n: int) -> str:
        ran.append(n)
        return "fine"

    session = make_pipeline(look).session(budget=Budget(calls=100))
    barrier, over = threading.Barrier(16), []

    def work(start: int) -> None:
        barrier.wait()
        for number in range(20):
            over.append(session.call("look", {"n": start * 100 + number}).is_error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(ran), sum(over), session.remaining.calls) == (100, 220, 0)


def test_a_hundred_tasks_keep_to_a_budget(make_pipeline):
    ran = []

    async def look(n: int) -> str:
        await asyncio.sleep(0)
        ran.append(n)
        return "fine"

    session = make_pipeline(look).session(budget=Budget(tools={"look": Budget(calls=30)}))
    results = asyncio.run(session.acall_many([("look", {"n": number}) for number in range(100)]))
    assert (len(ran), sum(result.is_error for result in results)) == (30, 70)
    assert session.remaining.tools["look"].calls == 0


# --- mistakes of the host


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"calls": -1}, "Budget(calls=-1): use a number from 0, or None for no limit"),
        ({"calls": 1.5}, "Budget(calls=1.5): use a number from 0"),
        ({"calls": True}, "Budget(calls=True): use a number from 0"),
        ({"failures": "3"}, "Budget(failures='3'): use a number from 0"),
        ({"seconds": float("nan")}, "Budget(seconds=nan): use a number from 0"),
        ({"seconds": float("inf")}, "Budget(seconds=inf): use a number from 0"),
        ({"feedback_chars": -3}, "Budget(feedback_chars=-3): use a number from 0"),
        ({"tools": ["pay"]}, "Budget(tools=['pay']): use a mapping of names to budgets"),
        ({"tools": {"pay": 3}}, "Budget(tools={'pay': ...}): use a Budget without tools"),
        ({"tools": {"pay": Budget(tools={"x": Budget()})}}, "Budget(tools={'pay': ...}): use a Budget without tools"),
    ],
)
def test_what_is_no_budget_is_named(given, told):
    with pytest.raises(errors.UsageError) as raised:
        Budget(**given)
    assert told in str(raised.value)


def test_a_session_wants_a_budget(make_pipeline):
    with pytest.raises(errors.UsageError, match="budget must be a Budget, not 60"):
        make_pipeline().session(budget=60)


def test_a_name_that_is_a_secret_is_not_shown(make_pipeline, desk, monkeypatch):
    secret = "sk-" + "a1B2" * 10
    session = make_pipeline(plugins=[desk]).session(budget=Budget(calls=0))
    session.call(secret)
    assert secret not in repr(desk.spent)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        ({"calls": 0}, "the budget of 0 calls for"),
        ({"calls": 1}, "the budget of 1 call for"),
        ({"calls": 12_345}, "the budget of 12,345 calls for"),
        ({"calls": 1_234_567}, "the budget of 1,234,567 calls for"),
        ({"seconds": 0.5}, "the budget of 0.5 s for"),
    ],
)
def test_the_amount_is_written_as_people_write_it(begin, desk, budget, told):
    session = begin(**budget)
    desk.clock.now += 100
    session.memory.spending._used[None] = {"calls": 2_000_000}
    assert told in read(session).content


def test_a_log_line_says_it(begin):
    from loguru import logger

    session, lines = begin(calls=0, tools={"pay": Budget(seconds=0)}), []
    sink = logger.add(lines.append, format="{level} {message}")
    session._pipeline.enable_logging()
    read(session)
    session.budget = Budget(tools={"pay": Budget(seconds=0)})
    session.call("pay", {"amount": 1})
    logger.remove(sink)
    told = [line.strip() for line in lines if "the budget of the conv" in line or "the budget of pay" in line]
    assert told == [
        "INFO read: the budget of the conversation is exhausted (0 calls)",
        "INFO pay: the budget of pay is exhausted (0 seconds)",
    ]


def test_a_tool_may_be_bounded_that_does_not_exist_yet(make_pipeline):
    pipeline = make_pipeline()
    session = pipeline.session(budget=Budget(tools={"late": Budget(calls=1)}))
    pipeline.tools.add(Tool.from_function(lambda: "here", name="late"))
    assert [session.call("late").is_error for _ in range(2)] == [False, True]


def test_calls_over_the_budget_of_a_tool_are_failures_of_the_conversation(begin):
    session = begin(failures=3, feedback_chars=1_000, tools={"read": Budget(calls=0)})
    results = [read(session) for _ in range(2)]
    assert session.summary().failures == 2
    assert session.remaining.failures == 1
    assert session.remaining.feedback_chars == 1_000 - sum(len(result.content) for result in results)
    read(session)
    assert read(session).error.rule == "session:budget-failures"


@pytest.mark.parametrize(
    ("name", "near"), [("raed", "read"), ("Pay", "pay"), ("paay", "pay"), ("writeFile", "write_file")]
)
def test_a_budget_for_a_misspelt_tool(desk, name, near):
    tools = [Tool.from_schema("write_file", "", {"type": "object"}, dict), desk.read, desk.pay]
    session = Pipeline(tools, autoload=False).session()
    told = re.escape(f"Budget(tools={{{name!r}: ...}}): unknown tool. Did you mean {near!r}?")
    with pytest.raises(errors.UsageError, match=told):
        session.budget = Budget(tools={name: Budget(calls=1)})
    with pytest.raises(errors.UsageError, match=told):
        Pipeline(tools, autoload=False).session(budget=Budget(tools={name: Budget(calls=1)}))


@pytest.mark.parametrize("name", ["late", "set_user", "user_2", "list_users", "write_user", "get_users"])
def test_a_budget_for_a_tool_that_may_be_added_later(name):
    tools = [Tool.from_schema(known, "", {"type": "object"}, dict) for known in ("get_user", "user_1", "list_files")]
    budget = Budget(tools={name: Budget(calls=1), "get_user": Budget(calls=1)})
    assert Pipeline(tools, autoload=False).session(budget=budget).budget == budget
