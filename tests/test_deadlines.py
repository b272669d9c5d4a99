"""Deadlines: per tool, call and conversation, handed down to whatever runs; and what hangs harms nobody else."""

from __future__ import annotations

import asyncio
import os
import re
import threading
import time

import anyio
import pytest

from mulligan import Budget, Deadline, Injected, Limits, Tool, current_deadline, errors
from mulligan.middleware import retry
from mulligan.plugin import Signal, Sleep, ToolCall

CALLS = 300


def remaining() -> float:
    known = current_deadline()
    return float("inf") if known is None else known.remaining


async def aremaining() -> float:
    await asyncio.sleep(0)
    return remaining()


def generator() -> object:
    yield remaining()


class Counting:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


# --- the deadline itself


def test_a_deadline_counts_down():
    clock = Counting()
    deadline = Deadline(103.0, clock)
    assert deadline.remaining == 3.0
    clock.now = 104.0
    assert deadline.remaining == 0.0
    assert repr(deadline) == "Deadline(0.000 s left)"
    assert 59 < Deadline.after(60).remaining <= 60


def test_outside_of_a_call_there_is_none():
    assert current_deadline() is None


# --- handed down


@pytest.mark.parametrize("function", [remaining, aremaining, generator])
def test_it_is_known_to_whatever_runs(make_pipeline, run, function):
    pipeline = make_pipeline(
        Tool.from_function(function, name="bounded", timeout=60), Tool.from_function(function, name="free")
    )
    values = [run(pipeline, name).value for name in ("bounded", "free")]
    bounded, free = (value[0] if isinstance(value, list) else value for value in values)
    assert 0 < bounded <= 60
    assert free == float("inf")
    assert current_deadline() is None


@pytest.mark.parametrize(
    "wanted", [Deadline, Injected[Deadline], Deadline | None, "Deadline", "Injected[Deadline] | None"]
)
def test_a_parameter_annotated_so_is_filled(make_pipeline, run, wanted):
    def work(n: int, deadline) -> float:
        return -1.0 if deadline is None else deadline.remaining

    work.__annotations__["deadline"] = wanted
    bounded, free = Tool.from_function(work, name="bounded", timeout=60), Tool.from_function(work, name="free")
    pipeline = make_pipeline(bounded, free)
    assert list(bounded.parameters["properties"]) == ["n"]
    assert 0 < run(pipeline, "bounded", {"n": 1}).value <= 60
    assert run(pipeline, "free", {"n": 1}).value == (-1.0 if "None" in str(wanted) else float("inf"))


@pytest.mark.parametrize("function", [remaining, aremaining])
def test_one_call_may_have_a_deadline(make_pipeline, run, function):
    pipeline = make_pipeline(
        Tool.from_function(function, name="free"), Tool.from_function(function, name="bounded", timeout=30)
    )
    for name, most in (("free", 60), ("bounded", 30)):
        assert 0 < run(pipeline, name, context={"deadline": Deadline.after(60)}).value <= most
    assert 0 < run(pipeline, "bounded", context={"deadline": Deadline.after(10)}).value <= 10
    with pytest.raises(errors.UsageError, match="use a Deadline, as in"):
        run(pipeline, "free", context={"deadline": "tomorrow"})


@pytest.mark.parametrize("many", ["call_many", "acall_many"])
def test_all_calls_of_a_message_may_share_one(make_pipeline, many):
    pipeline = make_pipeline(Tool.from_function(remaining))
    given = {"context": {"deadline": Deadline.after(60)}}
    calls = [("remaining", {})] * 3
    results = (
        asyncio.run(pipeline.acall_many(calls, **given)) if many == "acall_many" else pipeline.call_many(calls, **given)
    )
    assert all(0 < result.value <= 60 for result in results)


def test_a_conversation_may_have_one(make_pipeline, run):
    pipeline = make_pipeline(Tool.from_function(remaining))
    session = pipeline.session(budget=Budget(seconds=60))
    assert 0 < run(pipeline, "remaining", session=session).value <= 60
    assert 0 < run(pipeline, "remaining", session=session, context={"deadline": Deadline.after(10)}).value <= 10


def test_a_call_whose_time_is_used_up_runs_nothing(make_pipeline, run):
    ran = []
    pipeline = make_pipeline(Tool.from_function(lambda: ran.append(1), name="work"))
    result = run(pipeline, "work", context={"deadline": Deadline.after(-1)})
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert (result.error.effect, result.error.rule, result.attempts, ran) == ("none", "host:deadline", 0, [])
    assert "The deadline of this call passed. The tool was not run." in result.content


def test_a_call_within_a_call_ends_by_the_outer_deadline(make_pipeline, run):
    inner = make_pipeline(Tool.from_function(remaining, timeout=600), Tool.from_function(remaining, name="free"))

    def outer() -> list[float]:
        return [inner.call("remaining").value, inner.call("free").value]

    async def aouter() -> list[float]:
        return [result.value for result in await inner.acall_many([("remaining", {}), ("free", {})])]

    for function in (outer, aouter):
        values = run(make_pipeline(Tool.from_function(function, timeout=60)), function.__name__).value
        assert all(0 < value <= 60 for value in values)


def test_an_abandoned_tool_can_no_longer_call_others(make_pipeline):
    ran, results, done, late = [], [], threading.Event(), threading.Event()
    inner = make_pipeline(Tool.from_function(lambda: ran.append(1), name="write"))

    def outer() -> None:
        late.wait(60)
        results.append(inner.call("write"))
        done.set()

    pipeline = make_pipeline(Tool.from_function(outer, timeout=0.05))
    assert isinstance(pipeline.call("outer").error, errors.ToolTimeoutError)
    late.set()
    assert done.wait(60)
    assert isinstance(results[0].error, errors.ToolTimeoutError)
    assert ran == []


# --- it holds whatever is in between


def test_a_call_without_a_timeout_is_given_up_at_the_deadline_of_its_context(make_pipeline, run):
    let_go = threading.Event()

    def hang() -> None:
        let_go.wait(60)

    result = run(make_pipeline(hang), "hang", context={"deadline": Deadline.after(0.05)})
    let_go.set()
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert result.error.effect == "possible"
    left = re.search(r"No response within 0\.0\d s", result.content)  # what the deadline leaves when the tool starts
    assert left is not None


def test_a_middleware_cannot_wait_longer(make_pipeline, run):
    def patient(run, tool, call):
        yield Sleep(600)
        return (yield run)

    ran = []
    pipeline = make_pipeline(Tool.from_function(lambda: ran.append(1), name="work", timeout=0.05), middleware=[patient])
    result = run(pipeline, "work")
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert (result.error.effect, ran) == ("none", [])


def test_attempts_share_it(make_pipeline, run):
    def stubborn(run, tool, call):
        for _ in range(100):
            outcome = yield run
        return outcome

    def work() -> None:
        time.sleep(0.03)
        raise ConnectionResetError("again")

    pipeline = make_pipeline(Tool.from_function(work, read_only=True, timeout=0.2), middleware=[stubborn])
    result = run(pipeline, "work")
    assert result.is_error
    assert result.attempts < 20


def test_a_repair_ends_by_it(make_pipeline, plugin, run):
    async def slow() -> ToolCall:
        await asyncio.sleep(60)
        return ToolCall(None, "work", {})

    pipeline = make_pipeline(
        Tool.from_function(lambda: 1, name="work", read_only=True), plugins=[plugin(repair=lambda call: slow)]
    )
    result = run(pipeline, "wrok", context={"deadline": Deadline.after(0.05)})
    assert isinstance(result.error, errors.ToolNotFoundError)


def test_what_a_repair_took_is_gone(make_pipeline, plugin, run):
    async def slow() -> ToolCall:
        await asyncio.sleep(0.2)
        return ToolCall(None, "work", {})

    def work(deadline: Deadline) -> list[float]:
        known = current_deadline()
        return [deadline.at, 0.0 if known is None else known.at]

    given = Deadline.after(60)
    pipeline = make_pipeline(Tool.from_function(work, read_only=True), plugins=[plugin(repair=lambda call: slow)])
    value = run(pipeline, "wrok", context={"deadline": given}).value
    assert value == [given.at, pytest.approx(given.at, abs=0.05)]


# --- hanging tools and their neighbours


def hanging(let_go: threading.Event):
    def hang() -> None:
        let_go.wait(60)

    return [Tool.from_function(hang, timeout=0.01), Tool.from_function(lambda: "well", name="healthy", timeout=60)]


def test_hanging_calls_return_and_leave_threads_to_others(make_pipeline):
    let_go = threading.Event()
    pipeline = make_pipeline(*hanging(let_go))

    async def main():
        calls = [asyncio.ensure_future(pipeline.acall("hang")) for _ in range(CALLS)]
        await asyncio.sleep(0)
        well = [await pipeline.acall("healthy") for _ in range(5)]
        return await asyncio.gather(*calls), well

    results, well = asyncio.run(main())
    alive = sum(thread.name == "mulligan" for thread in threading.enumerate())
    later = pipeline.call("hang"), pipeline.call("healthy")
    let_go.set()
    assert {type(result.error) for result in results} <= {errors.ToolTimeoutError, errors.ToolUnavailableError}
    assert [result.value for result in well] == ["well"] * 5
    assert alive <= Limits().threads
    assert "Executor saturated" in later[0].content
    assert later[1].value == "well"


def test_what_waits_for_a_thread_that_will_not_come_is_answered(make_pipeline):
    let_go = threading.Event()

    def hang(n: int) -> None:
        let_go.wait(60)

    async def main():
        calls = [asyncio.ensure_future(pipeline.acall("hang", {"n": n}, context=given[n])) for n in range(3)]
        return await asyncio.wait_for(asyncio.gather(*calls), 60)

    pipeline = make_pipeline(hang, limits=Limits(threads=2))
    given = [{"deadline": Deadline.after(1)}, {"deadline": Deadline.after(1)}, None]
    results = asyncio.run(main())
    let_go.set()
    assert [type(result.error) for result in results] == [errors.ToolTimeoutError] * 2 + [errors.ToolUnavailableError]
    assert results[2].error.effect == "none"


def test_two_hundred_that_swallow_their_cancellation_all_return(make_pipeline):
    stop = []

    async def stubborn() -> None:
        while not stop:
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                continue

    async def main():
        results = await pipeline.acall_many([("stubborn", {})] * 200)
        running = len(pipeline._workers.detached)
        stop.append(1)
        while pipeline._workers.detached:
            await asyncio.sleep(0.01)
        return results, running

    pipeline = make_pipeline(Tool.from_function(stubborn, timeout=0.01), limits=Limits(grace=0.05))
    results, running = asyncio.run(main())
    assert all(isinstance(result.error, errors.ToolTimeoutError) for result in results)
    assert all("it may still be running" in result.content for result in results)
    assert running == 200


# --- the host's own time limits, from outside


async def sleeps() -> None:
    await asyncio.sleep(60)


async def converts() -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        raise ValueError("it was cancelled, I think") from None


async def groups() -> None:
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(60))
    except asyncio.CancelledError as error:
        raise BaseExceptionGroup("g", [error, ValueError("x")]) from None


@pytest.mark.parametrize("timeout", [None, 60])
@pytest.mark.parametrize("function", [sleeps, converts, groups])
@pytest.mark.parametrize("scope", ["timeout", "wait_for", "anyio", "fail_after", "cancel", "task group"])
def test_the_hosts_limits_work_whatever_the_tool_makes_of_them(make_pipeline, scope, function, timeout):
    pipeline = make_pipeline(Tool.from_function(function, name="work", timeout=timeout))

    async def main() -> str:
        call = pipeline.acall("work")
        if scope == "timeout":
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.02):
                    await call
        elif scope == "wait_for":
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(call, 0.02)
        elif scope == "anyio":
            with anyio.move_on_after(0.02) as moved:
                await call
            assert moved.cancelled_caught
        elif scope == "fail_after":
            with pytest.raises(TimeoutError), anyio.fail_after(0.02):
                await call
        elif scope == "cancel":
            task = asyncio.ensure_future(call)
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            with pytest.raises(ExceptionGroup):
                async with asyncio.TaskGroup() as group:
                    task = group.create_task(call)
                    await asyncio.sleep(0.01)
                    raise KeyError("a sibling")
            assert task.cancelled()
        assert asyncio.current_task().cancelling() == 0
        for _ in range(1_000):  # a scope of anyio cancels again and again, so nobody can wait for the tool in there
            if len(asyncio.all_tasks()) == 1:
                return "ended"
            await asyncio.sleep(0.001)
        return f"{asyncio.all_tasks()}"

    assert asyncio.run(main()) == "ended"


def test_a_call_made_while_the_task_is_being_cancelled_is_a_call_like_any_other(make_pipeline):
    """Cleanup code may call tools; what such a tool raises by itself is its failure."""
    results = []

    async def raises() -> None:
        raise asyncio.CancelledError("mine")

    async def main() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            results.extend(await pipeline.acall_many([("raises", {})]))
            results.append(await pipeline.acall("raises"))

    async def host() -> None:
        task = asyncio.ensure_future(main())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    pipeline = make_pipeline(raises)
    asyncio.run(host())
    assert [type(result.error) for result in results] == [errors.ToolCancelledError] * 2


def test_a_failing_task_group_that_a_tool_handles_is_no_cancellation(make_pipeline):
    async def fail() -> None:
        raise ValueError("x")

    async def work() -> str:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
        except* ValueError:
            pass
        return "handled"

    async def main() -> list[str]:
        return [(await pipeline.acall(name)).content for name in ("work", "bounded", "work")]

    pipeline = make_pipeline(work, Tool.from_function(work, name="bounded", timeout=60))
    assert asyncio.run(main()) == ["handled"] * 3


# --- without an end, or with none that any platform can wait for

ENDLESS = [float("inf"), 1e18, 1e300, 10**30]


@pytest.mark.parametrize("seconds", ENDLESS)
def test_a_time_that_no_platform_can_wait_for_is_no_failure(make_pipeline, run, seconds):
    async def aremaining_here() -> float:
        return remaining()

    tools = [
        Tool.from_function(remaining, timeout=seconds),
        Tool.from_function(aremaining_here, timeout=seconds),
        Tool.from_function(remaining, name="unbounded"),
        Tool.from_function(aremaining_here, name="aunbounded"),
        Tool.from_function(os.getpid, name="killable", schema={}, timeout=seconds, killable=True),
    ]
    pipeline = make_pipeline(*tools, limits=Limits(grace=seconds))
    for tool in tools:
        for context in (None, {"deadline": Deadline.after(seconds)}):
            least = 0 if tool.killable else 1_000  # seconds; a process may have a small number
            assert run(pipeline, tool.name, context=context).value > least, tool.name
    session = pipeline.session(budget=Budget(seconds=min(seconds, 1e300)))
    assert run(pipeline, "unbounded", session=session).value > 1e6


@pytest.mark.parametrize("seconds", [1e18, 1e300])
def test_a_pause_that_no_platform_can_wait_for_ends_with_what_ends_it(make_pipeline, run, seconds):
    signal = Signal()
    signal.set()

    def pausing(step, tool, call):
        yield Sleep(seconds, signal)
        return (yield step)

    assert run(make_pipeline(remaining, middleware=[pausing]), "remaining").value == float("inf")


@pytest.mark.parametrize(
    "seconds", [float("nan"), "5", True, None, 10**400, b"1"], ids="nan text bool none huge bytes".split()
)
def test_what_is_no_number_of_seconds_is_refused_where_it_is_declared(seconds):
    for declare in (
        lambda: Deadline.after(seconds),
        lambda: Deadline(seconds),
        *(() if seconds is None else (lambda: Tool.from_function(remaining, timeout=seconds),)),
        *(() if seconds is None else (lambda: Limits(grace=seconds), lambda: Budget(seconds=seconds))),
        lambda: retry(timeout=seconds),
    ):
        with pytest.raises(errors.UsageError, match="number|zero seconds"):
            declare()


@pytest.mark.parametrize("timeout", [float("nan"), "5", 10**400], ids=["nan", "text", "huge"])
def test_a_middleware_whose_run_has_no_time_is_left_out(make_pipeline, run, timeout):
    def broken(step, tool, call):
        step.timeout = timeout
        return (yield step)

    pipeline = make_pipeline(remaining, middleware=[broken])
    assert not run(pipeline, "remaining").is_error
    assert "a Run with timeout=" in pipeline.faults[0].error


# --- a tool that blocks the event loop


def test_a_tool_that_blocks_the_event_loop_beyond_its_deadline_is_named(make_pipeline, run, caplog):
    async def blocking() -> str:
        await asyncio.sleep(0)
        time.sleep(0.5)
        return "late"

    async def waiting() -> str:
        await asyncio.sleep(30)
        return "never"

    pipeline = make_pipeline(*(Tool.from_function(one, timeout=0.05) for one in (blocking, waiting)))
    run(pipeline, "waiting")
    assert not caplog.records
    run(pipeline, "blocking")
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("mulligan", "WARNING")
    assert "tool blocking blocked the event loop for" in record.getMessage()
    assert (
        "exceeded its deadline of 0.05 s" in record.getMessage() and "def instead of async def" in record.getMessage()
    )
