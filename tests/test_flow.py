"""One invocation as a generator, driven by hand: what it asks for, what it is sent, and what comes of that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Deadline, Injected, Pipeline, Policy, Tool, ToolCall, ToolResult, errors, tool
from mulligan.pipeline.flow import invoke
from mulligan.pipeline.invocation import Invocation
from mulligan.plugin import DeadlineExceeded, ExecutorSaturated, Outcome, Run, Sleep
from mulligan.session.memory import SessionMemory


def read(path: str) -> str:
    return f"read {path}"


async def fetch(path: str) -> str:
    return f"fetched {path}"


def flow_of(pipeline: Pipeline, name: str, arguments: Any = None, id: str | None = "7", **more: Any) -> Any:
    return invoke(Invocation(pipeline._runtime, pipeline._runtime.hooks, id, name, arguments, **more))


def end(flow: Any, outcome: Outcome | None) -> ToolResult:
    """Sends the last outcome and gives the result."""
    with pytest.raises(StopIteration) as stopped:
        flow.send(outcome)
    return stopped.value.value  # type: ignore[no-any-return]


def test_a_call_asks_for_one_run(make_pipeline):
    flow = flow_of(make_pipeline(Tool.from_function(read, timeout=3)), "read", {"path": "a"})
    step = next(flow)
    assert isinstance(step, Run)
    assert (step.offload, step.is_async) == (True, False)
    assert 0 < step.timeout <= 3  # the clock goes on between the call and its run
    assert step.executor() == "read a"
    result = end(flow, Outcome("whatever the driver says"))
    assert (result.content, result.attempts, result.call.id) == ("whatever the driver says", 1, "7")


def test_inline_and_async_tools_say_so(make_pipeline):
    pipeline = make_pipeline(Tool.from_function(read, inline=True), fetch)
    assert next(flow_of(pipeline, "read", {"path": "a"})).offload is False
    assert next(flow_of(pipeline, "fetch", {"path": "a"})).is_async is True


@pytest.mark.parametrize(("name", "arguments"), [("nope", {}), ("read", {}), ("read", "{"), ("read", {"path": 3})])
def test_a_call_that_cannot_run_asks_for_nothing(make_pipeline, name, arguments):
    result = end(flow_of(make_pipeline(read), name, arguments), None)
    assert result.is_error
    assert (result.attempts, result.call.id) == (0, "7")


OUTCOMES = {
    "value": (lambda: Outcome("x"), None),
    "none": (Outcome, None),
    "exception": (lambda: Outcome(exception=ValueError("x")), errors.ToolExecutionError),
    "missing": (lambda: Outcome(exception=FileNotFoundError("a.md")), errors.ResourceNotFoundError),
    "deadline": (lambda: Outcome(exception=DeadlineExceeded(3.0)), errors.ToolTimeoutError),
    "not started": (lambda: Outcome(exception=DeadlineExceeded(3.0, started=False)), errors.ToolTimeoutError),
    "saturated": (lambda: Outcome(exception=ExecutorSaturated("full")), errors.ToolUnavailableError),
    "cancelled": (lambda: Outcome(exception=asyncio.CancelledError()), errors.ToolCancelledError),
    "exit": (lambda: Outcome(exception=SystemExit(1)), errors.ToolExecutionError),
    "own error": (lambda: Outcome(exception=errors.ToolQuotaError("x")), errors.ToolQuotaError),
    "reported": (lambda: Outcome({"error": "no disk"}), errors.ToolExecutionError),
    "unwritable": (lambda: Outcome(object()), errors.ToolExecutionError),
    "value and exception": (lambda: Outcome("x", ValueError("x")), errors.ToolExecutionError),
}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_every_outcome_becomes_one_result(make_pipeline, kind):
    make, wanted = OUTCOMES[kind]
    flow = flow_of(make_pipeline(read), "read", {"path": "a"})
    next(flow)
    result = end(flow, make())
    assert (None if result.error is None else type(result.error)) is wanted
    assert (result.attempts, result.call.id) == (1, "7")
    assert len(result.content) <= 2_000


def test_effects_of_a_deadline(make_pipeline):
    for started, effect in ((True, "possible"), (False, "none")):
        flow = flow_of(make_pipeline(read), "read", {"path": "a"})
        next(flow)
        assert end(flow, Outcome(exception=DeadlineExceeded(3.0, started=started))).error.effect == effect


def test_middleware_makes_more_steps(make_pipeline):
    def again(run, tool, call):
        outcome = yield run
        yield Sleep(0.5)
        outcome = yield run
        return outcome

    flow = flow_of(make_pipeline(Tool.from_function(read, read_only=True), middleware=[again]), "read", {"path": "a"})
    first = next(flow)
    assert isinstance(first, Run)
    second = flow.send(Outcome(exception=errors.ToolUnavailableError("Busy.")))
    assert isinstance(second, Sleep)
    assert second.seconds == 0.5
    third = flow.send(Outcome())
    assert isinstance(third, Run)
    result = end(flow, Outcome("at last"))
    assert (result.content, result.attempts) == ("at last", 2)


def test_a_repair_is_a_step_of_its_own(make_pipeline, plugin):
    def mend() -> ToolCall:
        return ToolCall(None, "read", {"path": "b"})

    made = tool(read_only=True)(read)
    flow = flow_of(make_pipeline(made, plugins=[plugin(repair=lambda call: mend)]), "read", {})
    step = next(flow)
    assert step.executor is mend
    assert step.timeout is None
    step = flow.send(Outcome(mend()))
    assert step.executor() == "read b"
    result = end(flow, Outcome("x"))
    assert result.content.startswith("x\nNote: ")
    assert len(result.repairs) == 1


def test_a_repair_that_fails_asks_for_nothing_more(make_pipeline, plugin):
    for outcome in (Outcome(exception=ValueError()), Outcome(None), Outcome(3)):
        flow = flow_of(make_pipeline(read, plugins=[plugin(repair=lambda call: lambda: None)]), "read", {})
        next(flow)
        assert isinstance(end(flow, outcome).error, errors.ToolArgumentError)


def test_the_clock_is_the_hosts(make_pipeline):
    pipeline = make_pipeline(read)
    times = iter([10.0, 12.5])
    pipeline._runtime.clock = lambda: next(times)
    flow = flow_of(pipeline, "read", {"path": "a"})
    next(flow)
    assert end(flow, Outcome("x")).duration == 2.5


def test_control_flow_passes(make_pipeline):
    class Interrupt(Exception):
        pass

    flow = flow_of(make_pipeline(read, policy=Policy(control_flow=(Interrupt,))), "read", {"path": "a"})
    next(flow)
    with pytest.raises(Interrupt):
        flow.send(Outcome(exception=Interrupt()))


def test_strict_raises(make_pipeline):
    flow = flow_of(make_pipeline(read, strict=True), "read", {"path": "a"})
    next(flow)
    with pytest.raises(errors.ResourceNotFoundError):
        flow.send(Outcome(exception=FileNotFoundError("a")))
    with pytest.raises(errors.ToolNotFoundError):
        next(flow_of(make_pipeline(read, strict=True), "nope"))


def test_closing_it_midway_leaves_nothing_open(make_pipeline):
    closed = []

    def watch(run, tool, call):
        try:
            return (yield run)
        finally:
            closed.append(1)

    flow = flow_of(make_pipeline(read, middleware=[watch]), "read", {"path": "a"})
    next(flow)
    flow.close()
    assert closed == [1]


def test_a_conversation_counts_its_calls_and_says_what_repeats(make_pipeline):
    memory = SessionMemory(time.monotonic, None, None)
    flow = flow_of(make_pipeline(read), "read", {"path": "a"}, None, memory=memory)
    next(flow)
    end(flow, Outcome("x"))
    assert (memory.tally.read().calls, memory.tally.read().failures) == (1, 0)
    texts = []
    for _ in range(2):
        flow = flow_of(make_pipeline(read), "read", {"path": "a"}, None, memory=memory)
        next(flow)
        texts.append(end(flow, Outcome(exception=KeyError("x"))).content)
    assert ["This same call has already failed." in text for text in texts] == [False, True]
    assert (memory.tally.read().calls, memory.tally.read().failures) == (3, 2)


def test_a_conversation_may_refuse(make_pipeline):
    memory = SessionMemory(time.monotonic, None, None)
    pipeline = make_pipeline(read)
    for _ in range(3):
        flow = flow_of(pipeline, "read", {"path": "a"}, None, memory=memory)
        next(flow)
        end(flow, Outcome(exception=KeyError("x")))
    result = end(flow_of(pipeline, "read", {"path": "a"}, None, memory=memory), None)
    assert isinstance(result.error, errors.RepeatedCallError)
    assert (result.attempts, memory.tally.read().calls, memory.tally.read().failures) == (0, 4, 4)


def test_a_call_that_does_not_resolve_is_counted_by_the_conversation(make_pipeline):
    memory = SessionMemory(time.monotonic, None, None)
    end(flow_of(make_pipeline(read), "nope", "{}", memory=memory), None)
    assert (memory.tally.read().calls, memory.tally.read().failures) == (1, 1)


def test_a_memory_that_fails_does_not_end_the_conversation(make_pipeline):
    class Broken(SessionMemory):
        def admit(self, *_: Any, **__: Any) -> Any:
            raise ValueError("memory")

    flow = flow_of(make_pipeline(read), "read", {"path": "a"}, memory=Broken(time.monotonic, None, None))
    result = end(flow, None)
    assert isinstance(result.error, errors.ToolExecutionError)
    assert result.error.rule == "host:bug"
    assert "mulligan itself failed (ValueError)" in result.content
    assert result.error.effect == "none"


@pytest.mark.parametrize("runs", [0, 1])
def test_a_fault_of_the_host_itself_hides_no_effect(make_pipeline, runs):
    """The clock that the host gave for a deadline breaks, before the tool is run or after it."""
    broken: list[int] = []

    def clock() -> float:
        if broken:
            raise ValueError("the clock has stopped")
        return 0.0

    def pausing(run, tool, call):
        if runs:
            yield run
        broken.append(1)
        return (yield Sleep(1))

    pipeline = make_pipeline(read, middleware=[pausing])
    flow = flow_of(pipeline, "read", {"path": "a"}, context={"deadline": Deadline(10.0, clock)})
    if runs:
        next(flow)
    result = end(flow, Outcome("written") if runs else None)
    assert (result.error.rule, result.attempts) == ("host:bug", runs)
    assert result.error.effect == ("possible" if runs else "none")


def test_a_step_that_is_never_answered_is_no_leak(make_pipeline):
    pipeline = make_pipeline(read)
    for _ in range(100):
        next(flow_of(pipeline, "read", {"path": "a"}))
    assert pipeline.call("read", {"path": "a"}).content == "read a"


def test_steps_can_be_made_by_hand():
    class Later:
        async def __call__(self) -> None: ...

    async def agen() -> Any:
        yield 1

    run: Callable[..., Run] = Run
    assert [run(function).is_async for function in (read, fetch, Later(), agen, int)] == [
        False,
        True,
        True,
        True,
        False,
    ]
    assert run(fetch, is_async=False).is_async is False
    assert (run(read).timeout, run(read).offload) == (None, True)
    assert str(DeadlineExceeded(2.50)) == "no response within 2.5 s"
    assert (Outcome().value, Outcome().exception, Outcome().error) == (None, None, None)


def test_strict_mode_tells_which_tools_there_are(make_pipeline, run):
    tools = [Tool.from_schema(f"tool_{number}", "", {}, dict) for number in range(30)]
    pipeline = make_pipeline(*tools, strict=True)
    with pytest.raises(errors.ToolNotFoundError) as raised:
        run(pipeline, "nope")
    assert str(raised.value).startswith("Tool 'nope' not found. Available tools: tool_0, tool_1, ")
    assert str(raised.value).endswith("tool_19.")


@pytest.mark.parametrize("awaited", [False, True], ids=["answer", "aanswer"])
def test_strict_mode_loses_no_call_of_a_message(make_pipeline, awaited):
    ran: list[str] = []

    def note(text: str) -> str:
        ran.append(text)
        return text

    pipeline = make_pipeline(note, strict=True)
    sent = [("1", "note", '{"text": "a"}'), ("2", "nope", "{}"), ("3", "note", "{}"), ("4", "note", '{"text": "b"}')]
    calls = [{"id": id, "function": {"name": name, "arguments": arguments}} for id, name, arguments in sent]
    message = {"role": "assistant", "tool_calls": calls}
    with pytest.raises(errors.ToolNotFoundError) as raised:
        asyncio.run(pipeline.aanswer(message)) if awaited else pipeline.answer(message)
    assert sorted(ran) == ["a", "b"]
    assert [answer["tool_call_id"] for answer in raised.value.answers] == ["1", "2", "3", "4"]
    assert [result.is_error for result in raised.value.answers.results] == [False, True, True, False]
    with pytest.raises(errors.ToolNotFoundError) as raised:
        pipeline.call_many([ToolCall(*call) for call in sent])
    assert [result.is_error for result in raised.value.results] == [False, True, True, False]


class Hostile(str):
    """A text whose every method fails."""

    def _fail(self, *_: Any) -> Any:
        raise ZeroDivisionError

    __eq__ = __hash__ = __repr__ = __str__ = __len__ = __format__ = lower = removeprefix = encode = _fail


@pytest.mark.parametrize(
    "name", [10**5_000, Hostile("nope"), None, 5, 1.5, b"w", ["w"], object()], ids=lambda name: type(name).__name__
)
def test_a_name_that_is_no_text_is_answered_in_a_message_and_named_to_the_host(make_pipeline, run, name):
    pipeline = make_pipeline(Tool.from_schema("w", "", {}, dict))
    assert isinstance(run(pipeline, ToolCall("1", name, {})).error, errors.ToolNotFoundError)
    message = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": name, "arguments": "{}"}}]}
    (answer,) = pipeline.answer(message)
    assert answer["tool_call_id"] == "1" and "not found" in answer["content"] and "0x" not in answer["content"]
    if not isinstance(name, str | list):
        with pytest.raises(errors.UsageError, match="the tool name must be a string, not") as refused:
            run(pipeline, name, {})
        assert "0x" not in str(refused.value)


def test_a_text_of_a_class_of_its_own_is_the_name_that_it_holds(make_pipeline, run):
    assert run(make_pipeline(Tool.from_schema("w", "", {}, dict)), Hostile("w"), {}).value == {}


@pytest.mark.parametrize("given", [5, 5.0, "5 s", object(), {"seconds": 5}], ids=lambda given: type(given).__name__)
def test_a_deadline_that_is_none_is_named(make_pipeline, run, given):
    pipeline = make_pipeline(Tool.from_schema("w", "", {}, dict))
    with pytest.raises(errors.UsageError, match="context=.*deadline.*Deadline.after") as refused:
        run(pipeline, "w", {}, context={"deadline": given})
    assert "0x" not in str(refused.value)
    assert run(pipeline, "w", {}, context={"deadline": None}).value == {}
    assert run(pipeline, "w", {}, context={"deadline": Deadline.after(9)}).value == {}


def test_a_tool_may_have_a_deadline_of_another_kind(make_pipeline, run):
    def book(title: str, deadline: Injected[str]) -> str:
        return f"{title} by {deadline}"

    pipeline = make_pipeline(book)
    assert run(pipeline, "book", {"title": "x"}, context={"deadline": "Friday"}).value == "x by Friday"
