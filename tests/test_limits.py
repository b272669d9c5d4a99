"""Concurrency and rate limits: first come first served, threads and tasks alike, bounded, released on cancellation."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from middleware_driver import CALL, Clock, drive_by_hand, make_tool

from mulligan import Pipeline, Tool, errors
from mulligan.middleware import concurrency, rate_limit
from mulligan.plugin import Outcome, Run, Signal, Sleep


class Caller:
    """One caller of a middleware, driven by hand."""

    def __init__(self, middleware: Any, timeout: float | None = None, tool: Tool | None = None) -> None:
        self.steps = middleware(Run(str, timeout), tool or make_tool(), CALL)
        self.outcome: Outcome | None = None
        self.step: Any = None
        self._go(None)

    def _go(self, sent: Outcome | None) -> None:
        try:
            self.step = next(self.steps) if sent is None else self.steps.send(sent)
        except StopIteration as stop:
            self.step, self.outcome = None, stop.value

    @property
    def state(self) -> str:
        if self.outcome is not None:
            return "ended" if self.outcome.error is None else "refused"
        return "waits" if isinstance(self.step, Sleep) else "runs"

    @property
    def woken(self) -> bool:
        return self.step.signal.is_set

    def wake(self) -> str:
        """Its sleep is over."""
        self._go(Outcome())
        return self.state

    def end(self, error: Any = None) -> str:
        """Its run is over."""
        self._go(Outcome("fine", None, error))
        return self.state


# --- a signal


def test_a_signal_wakes_whoever_sleeps_and_whoever_is_about_to():
    rung: list[int] = []
    signal = Signal()
    signal.when_set(lambda: rung.append(1))
    assert (rung, signal.is_set) == ([], False)
    signal.set()
    signal.set()
    signal.when_set(lambda: rung.append(2))
    assert (rung, signal.is_set) == ([1, 2], True)


def sleeper(signal: Signal, seconds: float = 30.0):
    def wait(run, tool, call):
        yield Sleep(seconds, signal)
        return (yield run)

    return wait


def test_a_sleep_ends_early_in_a_thread(make_pipeline):
    signal = Signal()
    pipeline = make_pipeline(make_tool(), middleware=[sleeper(signal)])
    other = threading.Timer(0.01, signal.set)
    other.start()
    assert pipeline.call("work").content == "worked"
    other.join()


def test_a_sleep_ends_early_in_a_task(make_pipeline):
    signal = Signal()
    pipeline = make_pipeline(make_tool(), middleware=[sleeper(signal)])

    async def main() -> Any:
        call = asyncio.ensure_future(pipeline.acall("work"))
        await asyncio.sleep(0)
        other = threading.Thread(target=signal.set)
        other.start()
        result = await call
        other.join()
        return result

    assert asyncio.run(main()).content == "worked"


def test_a_sleep_that_no_signal_ends_ends_by_itself(make_pipeline, run):
    pipeline = make_pipeline(make_tool(), middleware=[sleeper(Signal(), 0.001)])
    assert run(pipeline, "work").content == "worked"


def test_a_signal_after_the_loop_was_closed_goes_nowhere():
    signal = Signal()

    async def main() -> None:
        with Pipeline([make_tool()], middleware=[sleeper(signal, 0.001)], autoload=False) as pipeline:
            assert (await pipeline.acall("work")).content == "worked"

    asyncio.run(main())
    signal.set()


# --- concurrency


def test_so_many_run_at_a_time_and_the_others_wait_in_order():
    limit = concurrency(2, clock=Clock())
    callers = [Caller(limit) for _ in range(5)]
    assert [caller.state for caller in callers] == ["runs", "runs", "waits", "waits", "waits"]
    assert callers[0].end() == "ended"
    assert [caller.woken for caller in callers[2:]] == [True, False, False]
    assert callers[3].wake() == "waits"  # woken by chance: it is not its turn
    late = Caller(limit)
    assert late.state == "waits"  # nobody overtakes the one that was woken
    assert callers[2].wake() == "runs"
    assert callers[1].end(errors.ToolExecutionError("x")) == "refused"
    assert [callers[3].woken, callers[4].woken] == [True, False]
    assert callers[3].wake() == "runs"


def test_two_permits_that_are_free_at_once_wake_two():
    limit = concurrency(2, clock=Clock())
    first, second, third, fourth = (Caller(limit) for _ in range(4))
    first.end()
    second.end()
    assert (third.woken, fourth.woken) == (True, False)
    assert third.wake() == "runs"
    assert fourth.woken
    assert fourth.wake() == "runs"


def test_whoever_waits_for_too_long_is_refused_and_leaves_the_line():
    clock = Clock()
    limit = concurrency(1, max_wait=5, clock=clock)
    first, second, third = (Caller(limit) for _ in range(3))
    assert (second.step.seconds, third.step.seconds) == (5, 5)
    clock.now += 5
    assert second.wake() == "refused"
    error = second.outcome.error
    assert type(error) is errors.ToolRateLimitError
    assert (error.effect, error.retry_after, error.rule, error.fatal) == ("none", 1, "host:concurrency", False)
    assert error.message == "work is limited to one concurrent call, and none ended in time. The tool was not run."
    first.end()
    assert third.woken


def test_the_wait_that_is_told_is_what_a_call_takes():
    clock = Clock()
    limit = concurrency(2, max_wait=0, clock=clock)
    callers = [Caller(limit), Caller(limit)]
    clock.now += 7.3
    callers[0].end()
    callers += [Caller(limit), Caller(limit)]
    refused = callers[-1].outcome.error
    assert refused.retry_after == 8
    assert "is limited to 2 concurrent calls" in refused.message


def test_waiting_is_a_part_of_the_tools_timeout():
    clock = Clock()
    limit = concurrency(1, clock=clock)
    first, second, third = Caller(limit), Caller(limit, 10), Caller(limit, 3)
    assert (second.step.seconds, third.step.seconds) == (10, 3)
    clock.now += 3
    assert third.wake() == "refused"
    clock.now += 1
    first.end()
    assert second.wake() == "runs"
    assert second.step.timeout == 6
    fourth = Caller(limit, 5)
    clock.now += 5
    second.end()
    assert fourth.wake() == "refused"  # it has come, and there is no time left to run
    assert Caller(limit).state == "runs"


@pytest.mark.parametrize("which", [1, 2])
def test_a_caller_that_is_cancelled_gives_its_place_to_the_next(which):
    limit = concurrency(1, clock=Clock())
    callers = [Caller(limit) for _ in range(4)]
    callers[0].end()
    callers[which].steps.close()
    following = callers[2] if which == 1 else callers[1]
    assert following.woken
    assert following.wake() == "runs"
    following.steps.close()
    assert callers[3].woken
    assert callers[3].wake() == "runs"


@pytest.mark.parametrize("make", [lambda **o: concurrency(1, **o), lambda **o: rate_limit(1, per=1000, **o)])
def test_what_is_counted_together(make):
    tools = [make_tool("a", provider="x", tags=["t"]), make_tool("b", provider="x"), make_tool("c", tags=["t"])]
    expected = {"tool": "", "provider": "b", "tag:t": "c", "all": "bc", "tool:b": "", "provider:y": ""}
    for key, waiting in expected.items():
        limit = make(key=key, max_wait=0)
        callers = {tool.name: Caller(limit, tool=tool) for tool in tools}
        assert "".join(name for name, caller in callers.items() if caller.state == "refused") == waiting, key


@pytest.mark.parametrize("timeout", [None, 0.02])
@pytest.mark.parametrize("by_task", [True, False])
def test_a_tool_that_still_runs_keeps_its_permit(make_pipeline, timeout, by_task):
    ends, began = threading.Event(), threading.Event()

    def hang() -> str:
        began.set()
        ends.wait(30)
        return "back"

    limit = concurrency(1, max_wait=0)
    pipeline = make_pipeline(Tool.from_function(hang, timeout=timeout), middleware=[limit])

    async def main() -> None:
        task = asyncio.ensure_future(pipeline.acall("hang"))
        while not began.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.wait([task])

    if timeout is not None:
        while not began.is_set():  # a busy machine may not have begun by the deadline
            result = asyncio.run(pipeline.acall("hang")) if by_task else pipeline.call("hang")
        assert isinstance(result.error, errors.ToolTimeoutError)
    elif by_task:
        asyncio.run(main())
    else:
        return
    refused = pipeline.call("hang")
    assert (type(refused.error), refused.attempts) == (errors.ToolRateLimitError, 0)
    ends.set()
    while pipeline.call("hang").is_error:
        pass


async def swallow() -> str:
    while True:
        try:
            await asyncio.sleep(0.05)
            return "back"
        except asyncio.CancelledError:
            continue


def test_a_task_that_swallows_its_cancellation_keeps_its_permit():
    from mulligan import Limits

    async def main() -> None:
        limits = Limits(grace=0.001)
        tool = Tool.from_function(swallow, timeout=0.001)
        with Pipeline([tool], middleware=[concurrency(1, max_wait=0)], limits=limits, autoload=False) as pipeline:
            assert isinstance((await pipeline.acall("swallow")).error, errors.ToolTimeoutError)
            assert isinstance((await pipeline.acall("swallow")).error, errors.ToolRateLimitError)
            await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
            assert isinstance((await pipeline.acall("swallow")).error, errors.ToolTimeoutError)
            await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

    asyncio.run(main())


def test_all_kinds_of_tools_run_within_a_limit(make_pipeline, run):
    def plain() -> str:
        return "a"

    async def later() -> str:
        return "b"

    def several():
        yield "c"

    async def several_later():
        yield "d"

    def promised() -> Any:
        return later()

    tools = [
        Tool.from_schema(f"{one.__name__}_{timeout}", "", {"type": "object"}, one, timeout=timeout)
        for one in (plain, later, several, several_later, promised)
        for timeout in (None, 9)
    ]
    pipeline = make_pipeline(*tools, middleware=[concurrency(1, max_wait=0, key="all"), rate_limit(999)])
    contents = [run(pipeline, tool.name).content for tool in tools]
    assert contents == ["a", "a", "b", "b", '["c"]', '["c"]', '["d"]', '["d"]', "b", "b"]


# --- rates


def test_so_many_begin_within_a_span_and_the_others_wait():
    clock = Clock()
    limit = rate_limit(2, per=10, clock=clock)
    first = Caller(limit)
    clock.now += 4
    second, third, fourth, fifth = (Caller(limit) for _ in range(4))
    assert [caller.state for caller in (first, second, third, fourth, fifth)] == [
        "runs",
        "runs",
        "waits",
        "waits",
        "waits",
    ]
    assert third.step.seconds == 6
    clock.now += 6
    assert third.wake() == "runs"
    assert fourth.woken and not fifth.woken
    assert fourth.wake() == "waits"
    assert fourth.step.seconds == 4
    clock.now += 4
    assert fourth.wake() == "runs"


def test_a_call_that_would_wait_for_too_long_is_refused_at_once():
    clock = Clock()
    limit = rate_limit(1, per=10, max_wait=25, clock=clock)
    callers = [Caller(limit) for _ in range(5)]
    assert [caller.state for caller in callers] == ["runs", "waits", "waits", "refused", "refused"]
    error = callers[3].outcome.error
    assert type(error) is errors.ToolRateLimitError
    assert (error.effect, error.retry_after, error.rule) == ("none", 30, "host:rate-limit")
    assert error.message == "work is limited to one call per 10 s, and the limit is reached. The tool was not run."


def test_the_deadline_of_the_tool_bounds_it():
    clock = Clock()
    limit = rate_limit(1, per=10, clock=clock)
    Caller(limit)
    assert Caller(limit, 9).state == "refused"
    second = Caller(limit, 12)
    clock.now += 10
    assert second.wake() == "runs"
    assert second.step.timeout == 2
    third = Caller(limit, 11)
    clock.now += 11  # woken late
    assert third.wake() == "refused"


def test_a_caller_that_is_cancelled_does_not_count():
    clock = Clock()
    limit = rate_limit(1, per=10, clock=clock)
    _, second, third = (Caller(limit) for _ in range(3))
    second.steps.close()
    assert third.woken
    assert third.wake() == "waits"
    assert third.step.seconds == 10
    clock.now += 10
    assert third.wake() == "runs"


def test_after_a_quiet_time_the_wait_is_told_right():
    clock = Clock()
    limit = rate_limit(1, per=10, max_wait=15, clock=clock)
    Caller(limit).end()
    clock.now += 1_000
    callers = [Caller(limit) for _ in range(3)]
    assert [caller.state for caller in callers] == ["runs", "waits", "refused"]
    assert callers[2].outcome.error.retry_after == 20


@given(
    calls=st.integers(1, 4),
    per=st.floats(0.5, 20),
    pauses=st.lists(st.floats(0, 15), min_size=1, max_size=40),
    seed=st.integers(0, 1_000),
)
def test_no_span_ever_holds_more_and_nobody_is_overtaken(calls, per, pauses, seed):
    clock, chance = Clock(0.0), random.Random(seed)
    limit = rate_limit(calls, per=per, max_wait=1e9, clock=clock)
    waiting: list[Caller] = []
    begun: list[tuple[float, int]] = []
    number: dict[int, int] = {}
    for count, pause in enumerate(pauses):
        clock.now += pause
        caller = Caller(limit)
        number[id(caller)] = count
        waiting.append(caller)
        if chance.random() < 0.2:
            gone = chance.choice(waiting)
            if gone.state == "waits":
                gone.steps.close()
                waiting.remove(gone)
        for one in [*waiting] * 2:
            if one.state == "waits" and chance.random() < 0.7:
                one.wake()
            if one.state == "runs" and one in waiting:
                begun.append((clock.now, number[id(one)]))
                waiting.remove(one)
    times = [when for when, _ in begun]
    assert all(later - earlier >= per * (1 - 1e-9) for earlier, later in zip(times, times[calls:]))
    assert [who for _, who in begun] == sorted(who for _, who in begun)


# --- threads and tasks


class Crowd:
    """Counts how many are in at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.now = self.most = self.total = 0

    def __enter__(self) -> None:
        with self._lock:
            self.now += 1
            self.total += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.now -= 1

    def work(self) -> str:
        with self:
            threading.Event().wait(0.0005)
        return "worked"

    async def awork(self) -> str:
        with self:
            await asyncio.sleep(0.0005)
        return "worked"


def test_sixteen_threads_and_a_loop_of_tasks_share_three_permits(make_pipeline):
    crowd = Crowd()
    pipeline = make_pipeline(crowd.work, crowd.awork, middleware=[concurrency(3, key="all")])
    results: list[Any] = []

    def in_thread() -> None:
        results.extend(pipeline.call("work") for _ in range(20))

    async def in_tasks() -> None:
        beats = []

        async def heart() -> None:
            while True:
                beats.append(1)
                await asyncio.sleep(0)

        beating = asyncio.ensure_future(heart())
        names = ["work", "awork"] * 100
        results.extend(await asyncio.gather(*(pipeline.acall(name) for name in names)))
        beating.cancel()
        assert len(beats) > 100  # the loop was never blocked

    threads = [threading.Thread(target=in_thread) for _ in range(16)]
    for thread in threads:
        thread.start()
    asyncio.run(in_tasks())
    for thread in threads:
        thread.join()
    assert {result.content for result in results} == {"worked"}
    assert (len(results), crowd.total, crowd.now) == (520, 520, 0)
    assert crowd.most <= 3


def test_sixteen_threads_get_exactly_what_there_is():
    from mulligan.middleware.limits import RateLine

    line, got = RateLine(50, 10.0), []
    start = threading.Barrier(16)

    def ask() -> None:
        start.wait()
        for _ in range(20):
            ticket, _ = line.join(0.0)
            got.append(line.try_proceed(ticket, 0.0) == 0)
            line.leave(ticket)

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 320
    assert sum(got) <= 50
    for _ in range(50 - sum(got)):  # a caller that was not the first in line left without asking again
        assert goes_on(line)
    assert not goes_on(line)


def goes_on(line: Any) -> bool:
    ticket, _ = line.join(0.0)
    granted = line.try_proceed(ticket, 0.0) == 0
    line.leave(ticket)
    return granted


def test_threads_and_tasks_share_a_rate(make_pipeline):
    crowd = Crowd()
    pipeline = make_pipeline(crowd.work, crowd.awork, middleware=[rate_limit(20, per=0.02, key="all")])
    threads = [threading.Thread(target=lambda: [pipeline.call("work") for _ in range(5)]) for _ in range(16)]
    for thread in threads:
        thread.start()

    async def in_tasks() -> list[Any]:
        return await asyncio.gather(*(pipeline.acall("awork") for _ in range(80)))

    assert {result.content for result in asyncio.run(in_tasks())} == {"worked"}
    for thread in threads:
        thread.join()
    assert crowd.total == 160


@pytest.mark.parametrize("limit", [lambda: concurrency(1), lambda: rate_limit(1, per=30)], ids=["concurrency", "rate"])
def test_a_task_that_waits_can_be_cancelled(limit):
    async def main() -> None:
        begun: list[int] = []

        async def work() -> None:
            begun.append(1)
            await asyncio.sleep(0 if len(begun) > 1 else 30)

        with Pipeline([work], middleware=[limit()], autoload=False) as pipeline:
            tasks = [asyncio.ensure_future(pipeline.acall("work")) for _ in range(3)]
            for _ in range(5):
                await asyncio.sleep(0)
            assert begun == [1]
            tasks[1].cancel()
            with pytest.raises(asyncio.CancelledError):
                await tasks[1]
            tasks[0].cancel()
            await asyncio.wait([tasks[0]])
            if isinstance(pipeline._runtime.middleware[0], concurrency):
                assert not (await tasks[2]).is_error
            else:
                tasks[2].cancel()
                await asyncio.wait([tasks[2]])

    asyncio.run(main())


def test_an_outer_timeout_still_works():
    async def main() -> None:
        async def work() -> None:
            await asyncio.sleep(30)

        with Pipeline([work], middleware=[concurrency(1)], autoload=False) as pipeline:
            first = asyncio.ensure_future(pipeline.acall("work"))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await pipeline.acall("work")
            first.cancel()
            await asyncio.wait([first])

    asyncio.run(main())


# --- settings and words

MAKERS: list[tuple[Callable[[], Any], str]] = [
    (lambda: concurrency(0), r"concurrency\(permits=0\): use a whole number of at least 1"),
    (lambda: concurrency(1.5), r"concurrency\(permits=1\.5\)"),
    (lambda: concurrency(1, max_wait=-1), r"concurrency\(max_wait=-1\): use a number above 0"),
    (lambda: concurrency(1, key="nobody"), r"concurrency\(key='nobody'\): use 'tool'"),
    (lambda: rate_limit(0), r"rate_limit\(calls=0\): use a whole number of at least 1"),
    (lambda: rate_limit(1, per=0), r"rate_limit\(per=0\): use a number above 0"),
    (lambda: rate_limit(1, max_wait=None), r"rate_limit\(max_wait=None\)"),
    (lambda: rate_limit(1, key=""), r"rate_limit\(key=''\)"),
]


@pytest.mark.parametrize(("make", "text"), MAKERS)
def test_wrong_settings_are_named(make, text):
    with pytest.raises(errors.UsageError, match=text):
        make()


def test_they_show_what_they_are():
    assert repr(concurrency(4)) == "ConcurrencyLimit(4)"
    assert repr(rate_limit(10, per=0.5)) == "RateLimit(10, per=0.5)"


def test_many_keys_are_forgotten_once_nobody_needs_them():
    clock = Clock()
    busy, rates = concurrency(1, max_wait=0), rate_limit(1, per=10, max_wait=0, clock=clock)
    held = Caller(busy, tool=make_tool("held"))
    for number in range(3_000):
        clock.now += 1
        for limit in (busy, rates):
            drive_by_hand(limit, [None], tool=make_tool(f"t{number}"))
    assert Caller(busy, tool=make_tool("held")).state == "refused"
    assert Caller(rates, tool=make_tool("t2999")).state == "refused"
    assert len(busy._lines.items()) <= 1_000 and len(rates._lines.items()) <= 1_000
    held.end()
    assert Caller(busy, tool=make_tool("held")).state == "runs"


def test_what_the_model_reads(make_pipeline, run):
    pipeline = make_pipeline(make_tool(), middleware=[rate_limit(1, per=60, max_wait=0)])
    run(pipeline, "work")
    result = run(pipeline, "work")
    assert (result.attempts, result.fatal) == (0, False)
    assert result.content.startswith("Error executing tool work: work is limited to one call per 60 s")
    assert "60 s" in result.content.split("Next:")[1]
