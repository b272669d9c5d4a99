"""Observers that are `async def`: a queue of their own, no delay of a call, drops counted, and `close` delivers the rest."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any

import pytest

from mulligan import Limits, Pipeline, Tool, tool
from mulligan.errors import PluginError, UsageError
from mulligan.plugin import CallFinished, CallStarted, hookimpl


@tool
def read(path: str) -> list[str]:
    """Read a file."""
    return [path]


class Slow:
    """Takes an event only when it may."""

    def __init__(self, *, open: bool = True) -> None:
        self.may = threading.Event()
        self.began = threading.Event()
        self.seen: list[Any] = []
        self.threads: set[str] = set()
        if open:
            self.may.set()

    @hookimpl
    async def observe(self, event: Any) -> None:
        self.began.set()
        while not self.may.is_set():
            await asyncio.sleep(0.001)
        self.threads.add(threading.current_thread().name)
        self.seen.append(event)


def dropped(pipeline: Pipeline) -> int:
    return sum(info.dropped for info in pipeline.plugins)


def test_it_is_awaited_with_each_event_in_order(run):
    slow = Slow()
    with Pipeline([read], plugins=[slow], autoload=False) as pipeline:
        for number in range(20):
            run(pipeline, "read", {"path": str(number)}, call_id=f"c{number}")
    kinds = [type(event).__name__ for event in slow.seen]
    assert kinds == ["CallStarted", "CallFinished"] * 20
    assert [event.call_id for event in slow.seen][::2] == [f"c{number}" for number in range(20)]
    assert slow.seen[0].arguments == '{"path":"0"}'
    assert slow.threads == {"mulligan-observer"}
    assert dropped(pipeline) == 0


def test_a_call_does_not_wait_for_it(run):
    slow = Slow(open=False)
    pipeline = Pipeline([read], plugins=[slow], autoload=False)
    assert run(pipeline, "read", {"path": "a"}).value == ["a"]
    assert slow.seen == []
    slow.may.set()
    pipeline.close()
    assert len(slow.seen) == 2


def test_more_events_than_the_queue_holds_are_dropped_counted_and_logged(run, caplog):
    slow = Slow(open=False)
    pipeline = Pipeline([read], plugins=[slow], autoload=False, limits=Limits(queued_events=3))
    with caplog.at_level(logging.WARNING, "mulligan"):
        run(pipeline, "read", {"path": "0"})
        slow.began.wait(10)  # one event is taken out of the queue, and three may wait
        for number in range(1, 11):
            run(pipeline, "read", {"path": str(number)})
    assert dropped(pipeline) == 22 - 4
    [line] = [record.getMessage() for record in caplog.records if "dropped" in record.getMessage()]
    assert "plugin Slow" in line
    assert "queued_events=3" in line
    slow.may.set()
    pipeline.close()
    assert len(slow.seen) == 4


def test_what_it_gets_is_its_own_copy(run):
    slow = Slow(open=False)
    pipeline = Pipeline([read], plugins=[slow], autoload=False)
    result = run(pipeline, "read", {"path": "a"})
    result.value.append("changed by the host")
    slow.may.set()
    pipeline.close()
    [finished] = [event for event in slow.seen if isinstance(event, CallFinished)]
    assert finished.result.value == ["a"]


class Failing:
    def __init__(self) -> None:
        self.asked = 0

    @hookimpl
    async def observe(self) -> None:
        self.asked += 1
        raise OSError("disk full")


def test_its_exceptions_are_faults_and_three_disable_it(run):
    failing = Failing()
    with Pipeline([read], plugins=[failing], autoload=False) as pipeline:
        for _ in range(3):
            assert not run(pipeline, "read", {"path": "a"}).is_error
    assert [(fault.plugin, fault.hook) for fault in pipeline.faults[:3]] == [("Failing", "observe")] * 3
    assert "disk full" in pipeline.faults[0].error
    asked = failing.asked
    run(pipeline, "read", {"path": "a"})
    pipeline.close()
    assert failing.asked == asked
    [info] = [info for info in pipeline.plugins if info.name == "Failing"]
    assert info.state == "disabled"


def test_strict_mode_raises_its_fault_when_the_pipeline_is_closed():
    pipeline = Pipeline([read], plugins=[Failing()], autoload=False, strict=True)
    assert not pipeline.call("read", {"path": "a"}).is_error
    with pytest.raises(PluginError, match="'Failing', observe: OSError: disk full"):
        pipeline.close()


def test_closing_gives_up_on_one_that_never_ends(run, monkeypatch):
    monkeypatch.setattr("mulligan.hooks.async_observer._DRAIN_SECONDS", 0.05)
    slow = Slow(open=False)
    pipeline = Pipeline([read], plugins=[slow], autoload=False)
    for _ in range(3):
        run(pipeline, "read", {"path": "a"})
    slow.began.wait(10)
    pipeline.close()
    assert dropped(pipeline) == 5
    assert slow.seen == []
    slow.may.set()
    run(pipeline, "read", {"path": "after"})  # and it works again
    pipeline.close()
    assert [type(event) for event in slow.seen] == [CallStarted, CallFinished]


def test_a_fault_of_one_does_not_keep_the_events_of_another_from_it():
    slow = Slow(open=False)
    pipeline = Pipeline([read], plugins=[Failing(), slow], autoload=False, strict=True)
    pipeline.call("read", {"path": "a"})
    slow.may.set()
    with pytest.raises(PluginError, match="disk full"):
        pipeline.close()
    assert len(slow.seen) == 2


def test_one_may_close_its_pipeline():
    class Closes:
        seen = 0

        @hookimpl
        async def observe(self) -> None:
            self.seen += 1
            pipeline.close()

    closes = Closes()
    pipeline = Pipeline([read], plugins=[closes], autoload=False)
    pipeline.call("read", {"path": "a"})
    pipeline.close()
    assert (closes.seen, dropped(pipeline), pipeline.faults) == (2, 0, ())


def test_one_that_cancels_itself_has_a_fault_of_its_own():
    class Cancels:
        @hookimpl
        async def observe(self) -> None:
            raise asyncio.CancelledError

    with Pipeline([read], plugins=[Cancels()], autoload=False) as pipeline:
        pipeline.call("read", {"path": "a"})
    assert "CancelledError" in pipeline.faults[0].error
    assert "closed" not in pipeline.faults[0].error


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("asks_for_event", [False, True])
def test_an_observer_is_not_told_of_the_calls_that_it_makes(is_async, asks_for_event):
    seen: list[str] = []

    def make(name: str) -> None:
        assert pipeline.call(name, {"path": "b"}).content

    class Calls:
        if is_async:

            @hookimpl
            async def observe(self) -> None:
                seen.append("event")
                await pipeline.acall("read", {"path": "b"})
                await pipeline.acall("nope")
        elif asks_for_event:

            @hookimpl
            def observe(self, event: Any) -> None:
                seen.append("event")
                make("read")
                make("nope")
        else:

            @hookimpl
            def observe(self) -> None:
                seen.append("event")
                make("read")
                make("nope")

    with Pipeline([read], plugins=[Calls()], autoload=False) as pipeline:
        for _ in range(3):
            pipeline.call("read", {"path": "a"})
    assert len(seen) == 6
    assert pipeline.faults == ()
    assert pipeline.stats()["read"].calls == 3 + 6


def test_a_plain_function_that_returns_a_coroutine_is_a_fault():
    class Forgets:
        async def send(self, event: Any) -> None:
            """Never awaited."""

        @hookimpl
        def observe(self, event: Any) -> Any:
            return self.send(event)

    pipeline = Pipeline([read], plugins=[Forgets()], autoload=False)
    pipeline.call("read", {"path": "a"})
    assert pipeline.faults[0].error == "returned a coroutine, which is not awaited; declare it `async def`"


def test_aclose_delivers_without_blocking_the_loop():
    async def main() -> tuple[int, int]:
        slow, ticks = Slow(open=False), 0
        pipeline = Pipeline([read], plugins=[slow], autoload=False)
        await pipeline.acall("read", {"path": "a"})
        closing = asyncio.create_task(pipeline.aclose())
        while ticks < 5:
            await asyncio.sleep(0)
            ticks += 1
        slow.may.set()
        await closing
        return len(slow.seen), ticks

    assert asyncio.run(main()) == (2, 5)


@pytest.mark.parametrize("hook", ["classify", "authorize", "hints"])
def test_no_other_hook_may_be_async(hook):
    async def later(self: Any) -> None:
        """Never awaited."""

    plugin = type("Acme", (), {hook: hookimpl(later)})()
    with pytest.raises(UsageError, match="never awaited, except a plain `observe`"):
        Pipeline(plugins=[plugin], autoload=False)


def test_a_wrapper_may_not_be_async():
    class Acme:
        @hookimpl(wrapper=True)
        async def observe(self) -> None:
            """Never awaited."""

    with pytest.raises(UsageError, match="never awaited, except a plain `observe`"):
        Pipeline(plugins=[Acme()], autoload=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_delivers_its_own_events():
    slow = Slow()
    pipeline = Pipeline([read], plugins=[slow], autoload=False)
    pipeline.call("read", {"path": "parent"})
    pipeline.close()
    if (child := os.fork()) == 0:
        code = 1
        try:
            slow.seen.clear()
            pipeline.call("read", {"path": "child"})
            pipeline.close()
            code = 0 if len(slow.seen) == 2 else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


# --- calls that end without an answer


@pytest.mark.parametrize("in_session", [False, True])
def test_a_cancelled_call_is_reported_as_abandoned(capture, in_session):
    started = asyncio.Event()

    async def hang() -> None:
        """Never ends."""
        started.set()
        await asyncio.Event().wait()

    async def main() -> None:
        caller = pipeline.session("talk") if in_session else pipeline
        task = asyncio.create_task(caller.acall("hang", call_id="c1"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    seen, pipeline = capture(Tool.from_function(hang))
    asyncio.run(main())
    assert [type(event).__name__ for event in seen] == ["CallStarted", "CallAbandoned"]
    event = seen[-1]
    assert (event.call_id, event.tool_name, event.attempt) == ("c1", "hang", 0)
    assert event.session_id == ("talk" if in_session else None)


def test_a_call_that_strict_mode_raises_is_finished_and_not_abandoned(capture):
    seen, pipeline = capture(strict=True)
    with pytest.raises(Exception, match="nope"):
        pipeline.call("nope")
    assert [type(event).__name__ for event in seen] == ["CallStarted", "CallFinished"]


@pytest.fixture
def capture():
    def make(*tools: Any, **options: Any) -> tuple[list[Any], Pipeline]:
        seen: list[Any] = []

        class Watch:
            @hookimpl
            def observe(self, event: Any) -> None:
                seen.append(event)

        return seen, Pipeline(tools, plugins=[Watch()], autoload=False, **options)

    return make
