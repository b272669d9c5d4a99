"""Middleware: generators around a run, the outermost first; a second yield is a second chance, where that is safe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Pipeline, Tool, errors
from mulligan.plugin import DeadlineExceeded, Outcome, Run, Sleep, Waiting


class Flaky:
    """A tool that fails so often, then works."""

    def __init__(
        self, failures: int, error: Callable[[], BaseException] = lambda: errors.ToolUnavailableError("Busy.")
    ) -> None:
        self.failures = failures
        self.error = error
        self.runs = 0

    def work(self, n: int = 1) -> str:
        self.runs += 1
        if self.runs <= self.failures:
            raise self.error()
        return f"worked {n}"


def again(times: int = 3):
    def again(run, tool, call):
        outcome = yield run
        for _ in range(times - 1):
            if outcome.error is None:
                break
            yield Sleep(0)
            outcome = yield run
        return outcome

    return again


# --- what they can do


def test_they_lie_around_each_other_the_hosts_outermost(make_pipeline, plugin, run):
    order: list[str] = []

    def named(name: str):
        def middleware(run, tool, call):
            order.append(f"{name} in")
            outcome = yield run
            order.append(f"{name} out")
            return Outcome(f"{name}({outcome.value})")

        return middleware

    first = plugin("first", middlewares=lambda tool: [named("c")])
    second = plugin("second", middlewares=lambda tool: [named("d")])
    pipeline = make_pipeline(Flaky(0).work, middleware=[named("a"), named("b")], plugins=[second, first])
    assert run(pipeline, "work").content == "a(b(c(d(worked 1))))"
    assert order == ["a in", "b in", "c in", "d in", "d out", "c out", "b out", "a out"]


def test_they_see_the_run_the_tool_and_the_call(make_pipeline, run):
    seen: list[Any] = []

    def look(run, tool, call):
        seen.append((run.timeout, run.offload, run.is_async, tool.name, call.id, call.arguments))
        outcome = yield run
        seen.append((outcome.value, outcome.exception, outcome.error))
        return outcome

    pipeline = make_pipeline(Tool.from_function(Flaky(0).work, timeout=9), middleware=[look])
    run(pipeline, "work", {"n": 2}, call_id="7")
    assert seen == [(9, True, False, "work", "7", {"n": 2}), ("worked 2", None, None)]


def test_they_see_what_a_failure_means(make_pipeline, run):
    seen: list[Any] = []

    def look(run, tool, call):
        outcome = yield run
        seen.append((type(outcome.exception), type(outcome.error)))
        return outcome

    def missing() -> None:
        raise FileNotFoundError("a.md")

    run(make_pipeline(missing, middleware=[look]), "missing")
    assert seen == [(FileNotFoundError, errors.ResourceNotFoundError)]


@pytest.mark.parametrize("flags", [{"read_only": True}, {"idempotent": True}])
def test_a_second_yield_is_a_second_chance(make_pipeline, run, flags):
    flaky = Flaky(2)
    pipeline = make_pipeline(Tool.from_function(flaky.work, **flags), middleware=[again()])
    result = run(pipeline, "work")
    assert (result.content, result.attempts, flaky.runs) == ("worked 1", 3, 3)
    assert [type(event) for event in result.events].count(Waiting) in (0, 2)
    assert pipeline.faults == ()


def test_a_tool_that_may_write_runs_at_most_once(make_pipeline, run):
    flaky = Flaky(1)
    pipeline = make_pipeline(flaky.work, middleware=[again()])
    result = run(pipeline, "work")
    assert (result.error.message, result.attempts, flaky.runs) == ("Busy.", 1, 1)
    assert (
        "a middleware tried to run 'work' again, which is neither read_only nor idempotent" in pipeline.faults[0].error
    )


def test_a_tool_that_may_write_never_runs_twice_after_a_success(make_pipeline, run):
    flaky = Flaky(0)

    def twice(run, tool, call):
        yield run
        return (yield run)

    pipeline = make_pipeline(flaky.work, middleware=[twice])
    assert run(pipeline, "work").content == "worked 1"
    assert flaky.runs == 1


def test_a_tool_that_may_write_runs_again_where_it_says_that_nothing_happened(make_pipeline, run):
    flaky = Flaky(1, lambda: errors.ToolConnectionError("Refused.", effect="none"))
    result = run(make_pipeline(flaky.work, middleware=[again()]), "work")
    assert (result.content, flaky.runs) == ("worked 1", 2)


@pytest.mark.parametrize("declared", [True, False])
def test_a_tool_that_may_write_runs_again_where_its_author_says_that_it_makes_one_request(make_pipeline, run, declared):
    flaky, middleware = Flaky(1, lambda: ConnectionRefusedError(111, "refused")), again()
    middleware.before_effect = declared
    result = run(make_pipeline(flaky.work, middleware=[middleware]), "work")
    assert (result.is_error, flaky.runs) == ((False, 2) if declared else (True, 1))


def test_a_middleware_that_only_asks_for_more_runs_is_stopped(make_pipeline, run):
    flaky = Flaky(0)
    asked = []

    def endless(run, tool, call):
        while len(asked) < 10_000:
            asked.append(1)
            yield run
        return Outcome("never")

    pipeline = make_pipeline(flaky.work, middleware=[endless])
    assert not run(pipeline, "work").is_error
    assert flaky.runs == 1
    assert len(pipeline.faults) <= 1_000


def test_a_middleware_may_answer_without_a_run(make_pipeline, run):
    flaky = Flaky(0)

    def cached(run, tool, call):
        return Outcome("from the cache")
        yield

    def refused(run, tool, call):
        raise errors.ToolRateLimitError("Too many.", retry_after=3)
        yield

    result = run(make_pipeline(flaky.work, middleware=[cached]), "work")
    assert (result.content, result.attempts) == ("from the cache", 0)
    result = run(make_pipeline(flaky.work, middleware=[refused]), "work")
    assert (result.error.message, result.attempts, result.error.tool_name) == ("Too many.", 0, "work")
    assert flaky.runs == 0


def test_a_middleware_may_change_what_is_run(make_pipeline, run):
    def other(run, tool, call):
        async def later() -> str:
            await asyncio.sleep(0)
            return "awaited"

        first = yield Run(lambda: "plain")
        second = yield Run(later)
        third = yield Run(lambda: [value for value in (first.value, second.value)], timeout=5)
        return third

    pipeline = make_pipeline(Tool.from_function(Flaky(0).work, read_only=True), middleware=[other])
    assert run(pipeline, "work").content == '["plain","awaited"]'


def test_a_middleware_may_set_a_deadline(make_pipeline, run):
    def bounded(run, tool, call):
        return (yield Run(run.executor, 0.02, run.offload, run.is_async))

    async def hang() -> None:
        await asyncio.sleep(30)

    assert isinstance(run(make_pipeline(hang, middleware=[bounded]), "hang").error, errors.ToolTimeoutError)


def test_a_middleware_may_give_an_exception_that_is_then_classified(make_pipeline, run):
    def late(run, tool, call):
        yield run
        return Outcome(exception=DeadlineExceeded(3.0))

    result = run(make_pipeline(Flaky(0).work, middleware=[late]), "work")
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert result.is_error


def test_a_middleware_may_forgive_a_failure(make_pipeline, run):
    def forgive(run, tool, call):
        outcome = yield run
        return Outcome("nothing found") if outcome.error is not None else outcome

    result = run(make_pipeline(Flaky(9).work, middleware=[forgive]), "work")
    assert (result.content, result.is_error, result.error) == ("nothing found", False, None)


def test_a_middleware_that_waits_tells_the_observers(make_pipeline, plugin, run):
    seen: list[Any] = []

    def wait(run, tool, call):
        yield Sleep(0.001)
        yield Sleep(0)
        return (yield run)

    pipeline = make_pipeline(
        Flaky(0).work, middleware=[wait], plugins=[plugin(observe=lambda event: seen.append(event))]
    )
    result = run(pipeline, "work")
    assert [event.seconds for event in result.events] == [0.001, 0]
    assert [event.seconds for event in seen if isinstance(event, Waiting)] == [0.001, 0]


# --- what they do wrong


def broken_before(run, tool, call):
    raise KeyError("before")
    yield


def broken_after(run, tool, call):
    yield run
    raise KeyError("after")


def broken_after_two(run, tool, call):
    yield run
    yield run
    raise KeyError("after two")


def not_a_generator(run, tool, call):
    return run


def raises_at_once(run, tool, call):
    raise KeyError("at once")


def wrong_arguments(run):
    yield run


def yields_text(run, tool, call):
    yield "run"


def yields_nothing(run, tool, call):
    yield


def returns_nothing(run, tool, call):
    yield run


def returns_text(run, tool, call):
    yield run
    return "done"


def returns_odd_error(run, tool, call):
    yield run
    return Outcome(error="an error")  # type: ignore[arg-type]


def returns_odd_exception(run, tool, call):
    yield run
    return Outcome(exception="an exception")  # type: ignore[arg-type]


def yields_after_closing(run, tool, call):
    try:
        yield run
        yield "garbage"
    except GeneratorExit:
        yield run


def raises_when_closed(run, tool, call):
    try:
        yield run
        yield "garbage"
    finally:
        raise KeyError("closing")


def sleeps_backwards(run, tool, call):
    yield Sleep(-1)
    return (yield run)


def sleeps_a_word(run, tool, call):
    yield Sleep("a while")  # type: ignore[arg-type]
    return (yield run)


def sleeps_no_number(run, tool, call):
    yield Sleep(float("nan"))
    return (yield run)


def sleeps_nothing(run, tool, call):
    yield Sleep(None)  # type: ignore[arg-type]
    return (yield run)


def exits(run, tool, call):
    yield run
    raise SystemExit(3)


def exits_at_once(run, tool, call):
    raise SystemExit(3)


def cancels(run, tool, call):
    yield run
    raise asyncio.CancelledError


def stops(run, tool, call):
    yield run
    raise StopIteration("x")


def groups(run, tool, call):
    yield run
    raise BaseExceptionGroup("g", [SystemExit()])


async def is_async(run, tool, call):
    yield run


BROKEN = [
    *(
        broken_before,
        broken_after,
        broken_after_two,
        not_a_generator,
        raises_at_once,
        wrong_arguments,
        yields_text,
        yields_nothing,
    ),
    *(
        returns_nothing,
        returns_text,
        returns_odd_error,
        returns_odd_exception,
        yields_after_closing,
        raises_when_closed,
    ),
    *(
        sleeps_backwards,
        sleeps_a_word,
        sleeps_no_number,
        sleeps_nothing,
        exits,
        exits_at_once,
        cancels,
        stops,
        groups,
        is_async,
    ),
]


@pytest.mark.exhaustive
@pytest.mark.parametrize("place", ["host", "plugin", "inside another", "around another"])
@pytest.mark.parametrize("broken", BROKEN, ids=lambda function: function.__name__)
def test_one_that_breaks_is_left_out(make_pipeline, plugin, run, broken, place):
    def shout(run, tool, call):
        outcome = yield run
        return outcome if outcome.error is not None else Outcome(f"{outcome.value}!")

    def fail() -> None:
        raise FileNotFoundError("a.md")

    flaky = Flaky(0)
    options: dict[str, Any] = {
        "host": {"middleware": [broken]},
        "plugin": {"plugins": [plugin("acme", middlewares=lambda tool: [broken])]},
        "inside another": {"middleware": [shout, broken]},
        "around another": {"middleware": [broken, shout]},
    }[place]
    pipeline = make_pipeline(flaky.work, fail, **options)
    result = run(pipeline, "work", {"n": 2}, call_id="7")
    assert result.content == ("worked 2!" if "another" in place else "worked 2")
    assert (result.attempts, flaky.runs, result.call.id) == (1, 1, "7")
    assert len(pipeline.faults) >= 1
    assert {fault.hook for fault in pipeline.faults} == {"middlewares"}
    if place == "plugin":
        assert "acme" in {fault.plugin for fault in pipeline.faults}
    else:
        assert any(broken.__name__ in fault.plugin for fault in pipeline.faults)
    result = run(pipeline, "fail")
    assert result.content.startswith("Error executing tool fail: Resource not found: a.md")


@pytest.mark.parametrize("broken", [broken_after, yields_text, exits], ids=lambda function: function.__name__)
def test_a_plugin_whose_middleware_breaks_is_set_aside(make_pipeline, plugin, run, broken):
    pipeline = make_pipeline(Flaky(0).work, plugins=[plugin("acme", middlewares=lambda tool: [broken])])
    for _ in range(5):
        assert run(pipeline, "work").content == "worked 1"
    assert pipeline.plugins[-1].state == "disabled"
    assert len(pipeline.faults) == 3


def test_one_that_breaks_is_raised_in_strict_mode(make_pipeline, run):
    pipeline = make_pipeline(Flaky(0).work, middleware=[broken_after], strict=True)
    with pytest.raises(errors.PluginError, match=r"broken_after.*KeyError: 'after'"):
        run(pipeline, "work")


@pytest.mark.parametrize("passing", [KeyboardInterrupt, GeneratorExit])
def test_what_must_pass_passes(make_pipeline, run, passing):
    def interrupts(run, tool, call):
        yield run
        raise passing

    with pytest.raises(passing):
        run(make_pipeline(Flaky(0).work, middleware=[interrupts]), "work")


def test_a_middleware_is_closed_when_the_host_cancels():
    closed = []

    def watch(run, tool, call):
        try:
            return (yield run)
        finally:
            closed.append(tool.name)

    async def hang() -> None:
        await asyncio.sleep(30)

    async def main() -> None:
        with Pipeline([hang], middleware=[watch], autoload=False) as pipeline:
            task = asyncio.ensure_future(pipeline.acall("hang"))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert closed == ["hang"]


@pytest.mark.parametrize(
    ("middleware", "text"),
    [
        (3, r"middleware must be a list"),
        (again(), r"middleware must be a list"),
        ([3], r"3"),
        ([None], r"None"),
        ("retry", r"middleware"),
    ],
)
def test_a_wrong_middleware_of_the_host_is_named(make_pipeline, middleware, text):
    with pytest.raises(errors.UsageError, match=text):
        make_pipeline(middleware=middleware)


def test_a_middleware_that_refuses_before_it_begins(make_pipeline, run):
    def refuse(run, tool, call):
        raise errors.ToolRateLimitError("Too many.")

    def interrupt(run, tool, call):
        raise KeyboardInterrupt

    def interrupt_when_closed(run, tool, call):
        try:
            yield run
            yield "garbage"
        finally:
            raise KeyboardInterrupt

    flaky = Flaky(0)
    result = run(make_pipeline(flaky.work, middleware=[refuse]), "work")
    assert (result.error.message, result.attempts, flaky.runs) == ("Too many.", 0, 0)
    for passing in (interrupt, interrupt_when_closed):
        with pytest.raises(KeyboardInterrupt):
            run(make_pipeline(Flaky(0).work, middleware=[passing]), "work")
