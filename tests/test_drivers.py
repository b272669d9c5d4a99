"""The two drivers: deadlines, threads and tasks, what passes and what does not, and the host's own cancellation."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import inspect
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from mulligan import Injected, Limits, Pipeline, Tool, ToolCall, ToolResult, errors
from mulligan.execute.async_driver import _BlockTimer
from mulligan.plugin import DeadlineExceeded

FORMS = [
    "sync",
    "sync timeout",
    "inline",
    "inline timeout",
    "async",
    "async timeout",
    "wrapped",
    "wrapped timeout",
    "generator",
    "async generator",
]
GRACE = 0.2


def tool_of(function: Callable[..., Any], form: str, name: str = "work", timeout: float = 20) -> Tool:
    """A tool of that form that calls a function; what it gives is the tool's, or the only item of its list."""

    def plain() -> Any:
        return function()

    async def awaited() -> Any:
        await asyncio.sleep(0)
        return function()

    def wrapped() -> Any:
        return awaited()

    def generator() -> Any:
        yield function()

    async def agenerator() -> Any:
        await asyncio.sleep(0)
        yield function()

    kind = form.removesuffix(" timeout")
    handler = {
        "sync": plain,
        "inline": plain,
        "async": awaited,
        "wrapped": wrapped,
        "generator": generator,
        "async generator": agenerator,
    }[kind]
    return Tool.from_function(
        handler, name=name, timeout=timeout if "timeout" in form else None, inline=kind == "inline"
    )


def throw(error: BaseException) -> Any:
    raise error


def value_of(result: ToolResult) -> Any:
    return result.value[0] if isinstance(result.value, list) else result.value


# --- every form gives one result


@pytest.mark.parametrize("form", FORMS)
def test_a_value(make_pipeline, run, form):
    result = run(make_pipeline(tool_of(lambda: "done", form)), "work")
    assert (value_of(result), result.is_error, result.attempts) == ("done", False, 1)


RAISED: dict[str, tuple[Callable[[], BaseException], type[errors.ToolError]]] = {
    "exception": (lambda: ValueError("x"), errors.ToolExecutionError),
    "missing": (lambda: FileNotFoundError("a.md"), errors.ResourceNotFoundError),
    "own error": (lambda: errors.ToolQuotaError("x"), errors.ToolQuotaError),
    "stop iteration": (lambda: StopIteration(3), errors.ToolExecutionError),
    "async stop iteration": (lambda: StopAsyncIteration(3), errors.ToolExecutionError),
    "exit": (lambda: SystemExit(3), errors.ToolExecutionError),
    "cancelled": (lambda: asyncio.CancelledError("mine"), errors.ToolCancelledError),
    "timeout": (lambda: TimeoutError("mine"), errors.ToolTimeoutError),
    "memory": (lambda: MemoryError(), errors.ToolQuotaError),
    "recursion": (lambda: RecursionError(), errors.ToolExecutionError),
    "group": (lambda: ExceptionGroup("g", [ValueError(), KeyError()]), errors.ToolExecutionError),
    "base group": (lambda: BaseExceptionGroup("g", [SystemExit(3)]), errors.ToolExecutionError),
    "cancelled group": (lambda: BaseExceptionGroup("g", [asyncio.CancelledError()]), errors.ToolCancelledError),
    "base exception": (lambda: type("Mine", (BaseException,), {})("x"), errors.ToolExecutionError),
    "usage error": (lambda: errors.UsageError("of another pipeline"), errors.ToolError),
    "plugin error": (lambda: errors.PluginError("of another pipeline"), errors.ToolError),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", RAISED)
def test_what_a_tool_raises_is_its_failure(make_pipeline, run, form, kind):
    make, wanted = RAISED[kind]
    pipeline = make_pipeline(tool_of(lambda: throw(make()), form), tool_of(lambda: 1, "sync", "next"))
    result = run(pipeline, "work", call_id="7")
    converted = kind in ("stop iteration", "async stop iteration") and form not in (
        "sync",
        "sync timeout",
        "inline",
        "inline timeout",
    )
    assert isinstance(result.error, errors.ToolExecutionError if converted else wanted)
    assert (result.attempts, result.call.id) == (1, "7")
    assert pipeline.faults == ()
    assert run(pipeline, "next").value == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("passing", [KeyboardInterrupt, GeneratorExit])
def test_what_is_never_a_tools_failure_passes(make_pipeline, run, form, passing):
    pipeline = make_pipeline(tool_of(lambda: throw(passing("x")), form), tool_of(lambda: 1, "async", "next"))
    with pytest.raises(passing):
        run(pipeline, "work")
    assert run(pipeline, "next").value == 1


# --- deadlines


@pytest.mark.parametrize("form", ["sync timeout", "async timeout", "wrapped timeout"])
def test_a_deadline_frees_the_turn(make_pipeline, run, form):
    let_go = threading.Event()
    started = threading.Event()

    def hang() -> str:
        started.set()
        let_go.wait(20)
        return "late"

    async def ahang() -> str:
        started.set()
        await asyncio.sleep(20)
        return "late"

    handler = hang if form == "sync timeout" else ahang if form == "async timeout" else lambda: ahang()
    pipeline = make_pipeline(Tool.from_function(handler, name="work", timeout=0.5), limits=Limits(grace=GRACE))
    result = run(pipeline, "work", call_id="7")
    let_go.set()
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert (result.error.effect, result.attempts, result.call.id) == ("possible", 1, "7")
    assert started.is_set()
    assert result.content.startswith("Error executing tool work: No response within 0.5 s")


def test_a_tool_that_waits_for_a_worker_did_not_begin(make_pipeline, run):
    let_go, begun = threading.Event(), []

    def hang(n: int) -> None:
        begun.append(n)
        let_go.wait(20)

    pipeline = make_pipeline(Tool.from_function(hang, timeout=0.05), limits=Limits(threads=2))
    for n in range(2):
        assert run(pipeline, "hang", {"n": n}).error.effect == "possible"
    saturated = run(pipeline, "hang", {"n": 2})
    assert isinstance(saturated.error, errors.ToolUnavailableError)
    assert "Executor saturated" in saturated.content
    assert (saturated.error.effect, saturated.error.transient) == ("none", True)
    let_go.set()
    assert begun == [0, 1]


def test_after_the_hanging_ones_have_ended_the_workers_are_free_again(make_pipeline):
    let_go = threading.Event()

    def hang() -> str:
        let_go.wait(20)
        return "ended"

    pipeline = make_pipeline(Tool.from_function(hang, timeout=0.05), limits=Limits(threads=2))
    for _ in range(3):
        pipeline.call("hang")
    let_go.set()
    for _ in range(1_000):
        result = pipeline.call("hang")
        if not result.is_error:
            break
    assert result.content == "ended"


def test_a_queued_call_that_never_began_has_no_effect(make_pipeline):
    let_go, ran = threading.Event(), []

    def busy() -> None:
        let_go.wait(20)

    def quick() -> None:
        ran.append(1)

    async def main() -> ToolResult:
        first = asyncio.ensure_future(pipeline.acall("busy"))
        await asyncio.sleep(0.01)
        result = await pipeline.acall("quick")
        let_go.set()
        await first
        return result

    pipeline = make_pipeline(busy, Tool.from_function(quick, timeout=0.05), limits=Limits(threads=1))
    result = asyncio.run(main())
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert (result.error.effect, ran) == ("none", [])
    assert "; the tool had not started." in result.content


@pytest.mark.parametrize("way", ["call", "acall"])
def test_an_async_tool_that_swallows_its_cancellation_is_left_behind(make_pipeline, run, way):
    ended = []

    async def stubborn() -> None:
        for _ in range(40):
            try:
                await asyncio.sleep(0.02)
            except asyncio.CancelledError:
                continue
        ended.append(1)

    async def main() -> Any:
        result = await pipeline.acall("stubborn")
        return result, list(ended)

    pipeline = make_pipeline(Tool.from_function(stubborn, timeout=0.03), limits=Limits(grace=0.05))
    result, at_that_time = asyncio.run(main()) if way == "acall" else (pipeline.call("stubborn"), list(ended))
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert at_that_time == []


def test_the_cleanup_of_a_tool_that_was_cancelled_runs(make_pipeline, run):
    cleaned = []

    async def work() -> None:
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(0)
            cleaned.append(1)

    assert isinstance(run(make_pipeline(Tool.from_function(work, timeout=0.03)), "work").error, errors.ToolTimeoutError)
    assert cleaned == [1]


@pytest.mark.parametrize("form", ["generator", "async generator"])
@pytest.mark.parametrize("timeout", [None, 0.05])
def test_endless_generators_are_bounded_and_closed(make_pipeline, run, form, timeout):
    closed = []

    def endless() -> Iterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(1)

    async def aendless() -> Any:
        try:
            while True:
                yield 1
        finally:
            closed.append(1)

    handler = endless if form == "generator" else aendless
    pipeline = make_pipeline(
        Tool.from_function(handler, name="work", timeout=timeout and 20), limits=Limits(yielded_values=100)
    )
    result = run(pipeline, "work")
    assert isinstance(result.error, errors.ToolExecutionError)
    assert "the tool yielded more than 100 values" in result.content
    assert closed == [1]


@pytest.mark.parametrize("number", [3, 4])
@pytest.mark.parametrize("form", ["generator", "async generator"])
def test_a_generator_may_yield_as_many_values_as_the_limit_says(make_pipeline, run, form, number):
    def some() -> Iterator[int]:
        yield from range(number)

    async def asome() -> Any:
        for value in range(number):
            yield value

    handler = some if form == "generator" else asome
    result = run(make_pipeline(Tool.from_function(handler, name="work"), limits=Limits(yielded_values=3)), "work")
    assert result.value == ([0, 1, 2] if number == 3 else None)
    assert result.is_error is (number > 3)


@pytest.mark.parametrize("form", ["generator", "async generator"])
def test_a_generator_that_hangs_meets_its_deadline_and_is_closed(make_pipeline, run, form):
    closed, let_go = threading.Event(), threading.Event()

    def hanging() -> Iterator[int]:
        try:
            yield 1
            let_go.wait(20)
            yield 2
        finally:
            closed.set()

    async def ahanging() -> Any:
        try:
            yield 1
            await asyncio.sleep(5)
            yield 2
        finally:
            closed.set()

    handler = hanging if form == "generator" else ahanging
    result = run(make_pipeline(Tool.from_function(handler, name="work", timeout=0.05)), "work")
    let_go.set()
    assert isinstance(result.error, errors.ToolTimeoutError)
    assert closed.wait(20)


@pytest.mark.parametrize("form", ["generator", "async generator"])
@pytest.mark.parametrize("timeout", [None, 20])
def test_a_generator_that_fails_midway_or_when_closed(make_pipeline, run, form, timeout):
    def failing() -> Iterator[int]:
        yield 1
        raise FileNotFoundError("b.md")

    async def afailing() -> Any:
        yield 1
        raise FileNotFoundError("b.md")

    def stubborn() -> Iterator[int]:
        while True:
            try:
                yield 1
            except GeneratorExit:
                yield 2

    async def astubborn() -> Any:
        while True:
            try:
                yield 1
            except GeneratorExit:
                yield 2

    names = ("failing", "stubborn") if form == "generator" else ("afailing", "astubborn")
    tools = [Tool.from_function(function, timeout=timeout) for function in (failing, stubborn, afailing, astubborn)]
    pipeline = make_pipeline(*tools, limits=Limits(yielded_values=10))
    assert isinstance(run(pipeline, names[0]).error, errors.ResourceNotFoundError)
    assert isinstance(run(pipeline, names[1]).error, errors.ToolExecutionError)


# --- which loop, which thread


def test_acall_sends_sync_tools_to_a_thread_unless_inline(make_pipeline):
    pipeline = make_pipeline(
        tool_of(threading.get_ident, "sync", "sync"),
        tool_of(threading.get_ident, "inline", "inline"),
        tool_of(threading.get_ident, "async", "async"),
    )
    here = threading.get_ident()
    assert asyncio.run(pipeline.acall("sync")).value != here
    assert asyncio.run(pipeline.acall("inline")).value == here
    assert asyncio.run(pipeline.acall("async")).value == here
    assert pipeline.call("sync").value == here
    assert pipeline.call("inline").value == here


def test_acall_begins_nothing_before_it_is_awaited(make_pipeline):
    ran = []
    pipeline = make_pipeline(tool_of(lambda: ran.append(1), "inline", "late"))

    async def main() -> None:
        waiting = pipeline.acall("late")
        await asyncio.sleep(0)
        assert ran == []
        await waiting
        pipeline.acall("late").close()

    asyncio.run(main())
    assert ran == [1]


def test_call_in_a_running_loop_names_acall_for_async_tools(make_pipeline):
    ran = []

    async def fetch() -> None:
        ran.append(1)

    async def main() -> None:
        for name in ("fetch", "bounded", "wrapped"):
            with pytest.raises(
                errors.UsageError,
                match=r"call\(\) cannot run an async tool inside a running event loop; await acall\(\) instead",
            ):
                pipeline.call(name)
        assert pipeline.call("plain").value == 1
        assert pipeline.call("plain_bounded").value == 1

    def wrapped() -> Any:
        return fetch()

    pipeline = make_pipeline(
        fetch,
        wrapped,
        Tool.from_function(fetch, name="bounded", timeout=5),
        tool_of(lambda: 1, "sync", "plain"),
        tool_of(lambda: 1, "sync timeout", "plain_bounded"),
    )
    asyncio.run(main())
    gc.collect()
    assert ran == []


def test_call_keeps_one_private_loop_for_each_thread(make_pipeline):
    async def which() -> int:
        return id(asyncio.get_running_loop())

    pipeline = make_pipeline(which)
    here = {pipeline.call("which").value for _ in range(3)}
    there: set[int] = set()
    thread = threading.Thread(target=lambda: there.update(pipeline.call("which").value for _ in range(3)))
    thread.start()
    thread.join()
    assert (len(here), len(there), here & there) == (1, 1, set())


def test_call_leaves_the_hosts_event_loop_alone(make_pipeline):
    async def fetch() -> int:
        return 1

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        pipeline = make_pipeline(fetch)
        assert pipeline.call("fetch").value == 1
        assert asyncio.get_event_loop() is loop
        pipeline.close()
        assert asyncio.get_event_loop() is loop
        assert loop.run_until_complete(pipeline.acall("fetch")).value == 1
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_a_background_task_of_a_tool_lives_on_between_calls(make_pipeline):
    done = []

    async def start() -> None:
        async def later() -> None:
            await asyncio.sleep(0.01)
            done.append(1)

        tasks.add(asyncio.ensure_future(later()))

    async def wait() -> None:
        await asyncio.sleep(0.05)

    tasks: set[Any] = set()
    pipeline = make_pipeline(start, wait)
    pipeline.call("start")
    pipeline.call("wait")
    assert done == [1]


def test_closing_cancels_what_is_still_running(make_pipeline):
    ended = []

    async def start() -> None:
        async def forever() -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(1)

        tasks.add(asyncio.ensure_future(forever()))
        await asyncio.sleep(0)

    tasks: set[Any] = set()
    pipeline = make_pipeline(start)
    pipeline.call("start")
    pipeline.close()
    assert ended == [1]


def test_a_closed_pipeline_works_again(make_pipeline):
    pipeline = make_pipeline(tool_of(lambda: 1, "async", "async"), tool_of(lambda: 2, "sync timeout", "sync"))
    for _ in range(3):
        assert (pipeline.call("async").value, pipeline.call("sync").value) == (1, 2)
        pipeline.close()
    pipeline.close()


def test_closing_while_another_thread_is_in_a_call_harms_nobody(make_pipeline):
    started, let_go = threading.Event(), threading.Event()
    results: list[Any] = []

    async def slow() -> str:
        started.set()
        while not let_go.is_set():
            await asyncio.sleep(0.005)
        return "done"

    pipeline = make_pipeline(slow)
    thread = threading.Thread(target=lambda: results.append(pipeline.call("slow")))
    thread.start()
    started.wait(20)
    try:
        pipeline.close()
    finally:
        let_go.set()
        thread.join()
    assert len(results) == 1
    assert pipeline.call("slow").content == "done"
    pipeline.close()


def test_context_managers(make_pipeline):
    async def fetch() -> int:
        return 1

    with Pipeline([fetch], autoload=False) as pipeline:
        assert pipeline.call("fetch").value == 1

    async def main() -> None:
        async with Pipeline([fetch, tool_of(lambda: 2, "sync", "sync")], autoload=False) as pipeline:
            assert (await pipeline.acall("fetch")).value == 1
            assert (await pipeline.acall("sync")).value == 2

    asyncio.run(main())
    assert repr(Pipeline([fetch], autoload=False)) == "Pipeline(1 tools, 8 plugins)"


def test_a_pipeline_that_nobody_closed_leaves_no_warning():
    program = """
import asyncio
from mulligan import Pipeline, Tool
async def fetch() -> int:
    return 1
def main():
    pipeline = Pipeline([fetch, Tool.from_function(lambda: 2, name="sync", timeout=5)], autoload=False)
    print(pipeline.call("fetch").value, pipeline.call("sync").value, asyncio.run(pipeline.acall("sync")).value)
main()
"""
    ended = subprocess.run(
        [sys.executable, "-X", "dev", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "1 2 2\n", "")


# --- context variables

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE", default="unset")


@pytest.mark.parametrize("form", FORMS)
def test_context_variables_are_kept(make_pipeline, form):
    pipeline = make_pipeline(tool_of(VARIABLE.get, form))

    def main() -> None:
        VARIABLE.set("seen")
        assert value_of(pipeline.call("work")) == "seen"

    async def amain() -> None:
        VARIABLE.set("seen there")
        assert value_of(await pipeline.acall("work")) == "seen there"
        assert [value_of(result) for result in await pipeline.acall_many([("work", {})] * 3)] == ["seen there"] * 3

    contextvars.copy_context().run(main)
    asyncio.run(amain())


@pytest.mark.parametrize("where", ["middleware", "hook", "repairer", "retry", "after a deadline"])
def test_context_variables_are_kept_on_other_paths(make_pipeline, plugin, run, where):
    seen: list[str] = []

    def work(n: int = 0) -> str:
        seen.append(VARIABLE.get())
        return "x"

    def middleware(run, tool, call):
        seen.append(VARIABLE.get())
        outcome = yield run
        if where == "retry":
            outcome = yield run
        return outcome

    hooks = plugin(
        classify=lambda failure: seen.append(VARIABLE.get()),
        observe=lambda event: seen.append(VARIABLE.get()),
        repair=lambda call: lambda: seen.append(VARIABLE.get()) or ToolCall(None, "work", {}),
    )
    late = Tool.from_function(functools.partial(throw, TimeoutError()), name="late", timeout=5)
    pipeline = make_pipeline(Tool.from_function(work, read_only=True), late, plugins=[hooks], middleware=[middleware])
    token = VARIABLE.set("seen")
    try:
        run(pipeline, "work", {"n": "x"})
        run(pipeline, "late")
    finally:
        VARIABLE.reset(token)
    assert set(seen) == {"seen"}


def test_siblings_do_not_see_each_others_context(make_pipeline):
    async def work(n: int) -> str:
        VARIABLE.set(f"call {n}")
        await asyncio.sleep(0)
        return VARIABLE.get()

    async def main() -> list[str]:
        results = await pipeline.acall_many([("work", {"n": n}) for n in range(100)])
        assert VARIABLE.get() == "unset"
        return [result.content for result in results]

    pipeline = make_pipeline(work)
    assert asyncio.run(main()) == [f"call {n}" for n in range(100)]


# --- the host cancels


@pytest.mark.parametrize("form", ["async", "async timeout", "sync", "sync timeout", "wrapped", "async generator"])
def test_the_hosts_own_cancellation_passes(make_pipeline, form):
    let_go, started = threading.Event(), threading.Event()

    async def ahang() -> None:
        started.set()
        await asyncio.sleep(20)

    async def ahanging() -> Any:
        started.set()
        await asyncio.sleep(20)
        yield 1

    def hang() -> None:
        started.set()
        let_go.wait(20)

    handler = {"sync": hang, "wrapped": lambda: ahang(), "async generator": ahanging}.get(
        form.split(" timeout")[0], ahang
    )
    pipeline = make_pipeline(Tool.from_function(handler, name="work", timeout=20 if "timeout" in form else None))

    async def main() -> None:
        baseline = len(asyncio.all_tasks())
        task = asyncio.ensure_future(pipeline.acall("work"))
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert len(asyncio.all_tasks()) == baseline
        let_go.set()

    asyncio.run(main())


@pytest.mark.parametrize("form", ["async", "async timeout", "sync", "sync timeout"])
def test_a_timeout_of_the_host_works_outside(make_pipeline, form):
    let_go = threading.Event()

    async def ahang() -> None:
        await asyncio.sleep(20)

    def hang() -> None:
        let_go.wait(20)

    pipeline = make_pipeline(
        Tool.from_function(ahang if "async" in form else hang, name="work", timeout=20 if "timeout" in form else None)
    )

    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await pipeline.acall("work")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pipeline.acall("work"), 0.02)
        assert asyncio.current_task().cancelling() == 0
        let_go.set()

    asyncio.run(main())


def test_a_tools_own_cancellation_is_no_cancellation_of_the_host(make_pipeline):
    async def inner() -> None:
        task = asyncio.ensure_future(asyncio.sleep(20))
        await asyncio.sleep(0)
        task.cancel()
        await task

    async def main() -> None:
        for name in ("inner", "bounded"):
            result = await pipeline.acall(name)
            assert isinstance(result.error, errors.ToolCancelledError)
        assert asyncio.current_task().cancelling() == 0
        async with asyncio.timeout(20):
            assert isinstance((await pipeline.acall("inner")).error, errors.ToolCancelledError)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(pipeline.acall("inner"))
        assert isinstance(task.result().error, errors.ToolCancelledError)

    pipeline = make_pipeline(inner, Tool.from_function(inner, name="bounded", timeout=20))
    asyncio.run(main())


def test_a_timeout_inside_of_a_tool_is_its_failure(make_pipeline, run):
    async def work() -> None:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(20)

    for timeout in (None, 20):
        assert isinstance(
            run(make_pipeline(Tool.from_function(work, timeout=timeout)), "work").error, errors.ToolTimeoutError
        )


def test_a_task_group_inside_of_a_tool(make_pipeline, run):
    async def fail() -> None:
        raise FileNotFoundError("a.md")

    async def work() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(asyncio.sleep(20))

    for timeout in (None, 20):
        assert isinstance(
            run(make_pipeline(Tool.from_function(work, timeout=timeout)), "work").error, errors.ResourceNotFoundError
        )


# --- a tool that cancels its own task


def cancelling(way: str) -> Callable[..., Any]:
    """A coroutine function that cancels the task it runs in, and then does something."""

    async def work() -> str:
        task = asyncio.current_task()
        task.cancel("a scope ended")
        if way == "caught":
            try:
                await asyncio.sleep(20)
            except asyncio.CancelledError:
                return "done"
        if way == "later":
            await asyncio.sleep(0)
        if way == "twice":
            task.cancel()
            try:
                await asyncio.sleep(0)
            finally:
                task.cancel()
        if way == "raising":
            raise FileNotFoundError("b.md")
        return "done"

    return work


ENDS = {
    "caught": None,
    "at once": None,
    "later": errors.ToolCancelledError,
    "twice": errors.ToolCancelledError,
    "raising": errors.ResourceNotFoundError,
}


@pytest.mark.parametrize("timeout", [None, 20])
@pytest.mark.parametrize("way", ENDS)
def test_a_tool_that_cancels_its_own_task_is_no_cancellation_of_the_host(make_pipeline, run, way, timeout):
    result = run(make_pipeline(Tool.from_function(cancelling(way), name="work", timeout=timeout)), "work")
    assert type(result.error) is (ENDS[way] or type(None))
    assert result.value == (None if ENDS[way] else "done")


@pytest.mark.parametrize("way", ENDS)
def test_the_task_of_the_host_is_not_cancelled_afterwards(make_pipeline, way):
    async def main() -> str:
        await pipeline.acall("work")
        assert asyncio.current_task().cancelling() == 0
        await asyncio.sleep(0.001)
        return "still running"

    pipeline = make_pipeline(Tool.from_function(cancelling(way), name="work"))
    assert asyncio.run(main()) == "still running"


@pytest.mark.parametrize("timeout", [None, 20])
def test_the_host_may_still_cancel_a_tool_that_has_cancelled_itself(make_pipeline, timeout):
    started = asyncio.Event()

    async def work() -> None:
        asyncio.current_task().cancel()
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            started.set()
        await asyncio.sleep(20)

    async def main() -> None:
        task = asyncio.ensure_future(pipeline.acall("work"))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await pipeline.acall("work")
        assert asyncio.current_task().cancelling() == 0

    pipeline = make_pipeline(Tool.from_function(work, timeout=timeout))
    asyncio.run(main())


def cancelled_by_a_timer() -> Any:
    """A tool as helpers without `uncancel` leave it: a timer cancels its task between its steps."""

    async def work() -> None:
        asyncio.get_running_loop().call_later(0.001, asyncio.current_task().cancel)
        await asyncio.sleep(20)

    return work


@pytest.mark.parametrize("strict", [False, True])
def test_every_call_of_a_batch_is_answered_if_one_is_cancelled_by_its_own_timer(make_pipeline, run_many, strict):
    pipeline = make_pipeline(
        Tool.from_function(cancelled_by_a_timer(), name="timed"), tool_of(lambda: 1, "async", "one"), strict=strict
    )
    calls = [ToolCall("1", "one"), ToolCall("2", "timed"), ToolCall("3", "one")]
    if strict:
        with pytest.raises(errors.ToolCancelledError) as caught:
            run_many(pipeline, calls)
        results = caught.value.results
    else:
        results = run_many(pipeline, calls)
    assert [(result.call.id, type(result.error)) for result in results] == [
        ("1", type(None)),
        ("2", errors.ToolCancelledError),
        ("3", type(None)),
    ]
    assert results[1].error.effect == "possible"


# --- batches


def test_a_batch_runs_at_once_and_keeps_its_order(make_pipeline):
    gate: dict[int, asyncio.Event] = {}

    async def work(n: int) -> int:
        gate[n].set()
        for event in gate.values():
            await event.wait()
        return n

    async def main() -> list[Any]:
        gate.update({n: asyncio.Event() for n in range(50)})
        return [result.value for result in await pipeline.acall_many([("work", {"n": n}) for n in range(50)])]

    pipeline = make_pipeline(work)
    assert asyncio.run(main()) == list(range(50))


def test_calls_of_a_batch_may_be_given_in_several_ways(make_pipeline, run_many):
    pipeline = make_pipeline(tool_of(lambda: 1, "sync", "one"))
    results = run_many(pipeline, [ToolCall("7", "one"), ("one", {}), ["one", "{}"], "one"])
    assert [result.call.id for result in results] == ["7", None, None, None]
    assert [result.value for result in results] == [1] * 4
    assert run_many(pipeline, []) == []
    assert len(run_many(pipeline, (call for call in ["one", "nope"]))) == 2


@pytest.mark.parametrize("given", [3, None, ("one",), ("one", {}, 3), {"name": "one"}, b"ab"])
def test_what_is_no_call_is_named(make_pipeline, run_many, given):
    pipeline = make_pipeline(tool_of(lambda: 1, "sync", "one"))
    with pytest.raises(
        errors.UsageError, match="a call must be a ToolCall, a name, or a pair of name and arguments, not"
    ):
        run_many(pipeline, ["one", given])


def test_a_batch_that_the_host_cancels_keeps_the_results_of_those_that_ended(make_pipeline):
    async def work(n: int) -> int:
        if n % 2:
            await asyncio.sleep(20)
        return n

    async def main() -> None:
        task = asyncio.ensure_future(pipeline.acall_many([("work", {"n": n}) for n in range(6)]))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as caught:
            await task
        kept = caught.value.results
        assert [None if result is None else result.value for result in kept] == [0, None, 2, None, 4, None]
        assert len(asyncio.all_tasks()) == 1

    pipeline = make_pipeline(work)
    asyncio.run(main())


def test_a_batch_with_a_mistake_of_the_host_raises_it_once_and_waits_for_the_others(make_pipeline):
    reported: list[Any] = []
    ran: list[int] = []

    def need(n: int, db: Injected[object]) -> int:
        return n

    async def slow(n: int) -> int:
        await asyncio.sleep(0.01)
        ran.append(n)
        return n

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context["message"]))
        with pytest.raises(errors.UsageError, match="tool 'need' needs 'db'"):
            await pipeline.acall_many([("need", {"n": 1}), ("slow", {"n": 2}), ("need", {"n": 3}), ("need", {"n": 4})])
        gc.collect()
        await asyncio.sleep(0)

    pipeline = make_pipeline(need, slow)
    asyncio.run(main())
    gc.collect()
    assert ran == [2]
    assert reported == []


def test_ten_thousand_concurrent_calls(make_pipeline):
    async def work(n: int) -> int:
        await asyncio.sleep(0)
        if n % 5 == 0:
            raise ValueError(n)
        return n

    async def main() -> list[ToolResult]:
        return await pipeline.acall_many([ToolCall(str(n), "work", {"n": n}) for n in range(2_000)])

    pipeline = make_pipeline(work)
    results = asyncio.run(main())
    assert [result.call.id for result in results] == [str(n) for n in range(2_000)]
    assert [result.is_error for result in results] == [n % 5 == 0 for n in range(2_000)]


def test_many_threads_may_call_at_once(make_pipeline):
    results: list[Any] = []
    pipeline = make_pipeline(
        Tool.from_function(lambda: 1, name="sync", timeout=20),
        tool_of(lambda: 2, "async", "async"),
        tool_of(lambda: throw(KeyError("x")), "sync", "bad"),
    )

    def ask() -> None:
        for _ in range(50):
            results.append((pipeline.call("sync").value, pipeline.call("async").value, pipeline.call("bad").is_error))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(1, 2, True)] * 300


@pytest.mark.parametrize("given", [3, None, "one", b"one", {"name": "one"}, ToolCall("7", "one")])
def test_what_is_no_list_of_calls_is_named(make_pipeline, run_many, given):
    ran = []
    pipeline = make_pipeline(tool_of(lambda: ran.append(1), "sync", "one"), tool_of(lambda: ran.append(1), "sync", "o"))
    with pytest.raises(errors.UsageError, match=r"call_many takes a list of calls, not .*; pass what a model sent to"):
        run_many(pipeline, given)
    assert not ran


# --- what call is given


def test_a_whole_call_may_be_given(make_pipeline, run):
    pipeline = make_pipeline(tool_of(lambda: 1, "sync", "one"))
    assert run(pipeline, ToolCall("7", "one", "{}")).call.id == "7"
    assert run(pipeline, "one", "{}", call_id="8").call == ToolCall("8", "one", "{}")


@pytest.mark.parametrize("name", [None, 3, {"name": "one"}])
def test_what_is_no_name_is_named(make_pipeline, run, name):
    with pytest.raises(errors.UsageError, match="a call must be a ToolCall, a name"):
        run(make_pipeline(), name)


def test_arguments_beside_a_whole_call_are_a_mistake(make_pipeline, run):
    pipeline = make_pipeline(tool_of(lambda: 1, "sync", "one"))
    for more in ({"arguments": {"n": 1}}, {"call_id": "8"}):
        with pytest.raises(errors.UsageError, match="ToolCall"):
            run(pipeline, ToolCall("7", "one", "{}"), **more)


# --- strict


def test_strict_raises_every_error(make_pipeline, run):
    def missing() -> None:
        raise FileNotFoundError("a.md")

    pipeline = make_pipeline(missing, tool_of(lambda: 1, "sync", "one"), strict=True)
    assert run(pipeline, "one").value == 1
    with pytest.raises(errors.ResourceNotFoundError) as caught:
        run(pipeline, "missing", call_id="7")
    assert (caught.value.call_id, caught.value.tool_name) == ("7", "missing")
    assert isinstance(caught.value.__cause__, FileNotFoundError)
    for name, arguments, wanted in (
        ("nope", {}, errors.ToolNotFoundError),
        ("one", {"n": 1}, errors.ToolArgumentError),
        ("one", "{", errors.ToolArgumentError),
    ):
        with pytest.raises(wanted):
            run(pipeline, name, arguments)
    with pytest.raises(errors.ResourceNotFoundError):
        run(pipeline, "missing")


def test_strict_batches_leave_no_noise(make_pipeline):
    reported: list[Any] = []

    async def missing() -> None:
        raise FileNotFoundError("a.md")

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context["message"]))
        with pytest.raises(errors.ResourceNotFoundError):
            await pipeline.acall_many([("missing", {})] * 3)
        gc.collect()
        await asyncio.sleep(0)

    pipeline = make_pipeline(missing, strict=True)
    asyncio.run(main())
    gc.collect()
    assert reported == []


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(1.99, "2 s"), (0.19, "0.2 s"), (0.25, "0.25 s"), (0.05, "0.05 s"), (0.001, "0.001 s"), (2.5, "2.5 s")],
)
def test_what_was_waited_is_told_in_round_numbers(seconds, told):
    assert str(DeadlineExceeded(seconds)) == f"no response within {told}"


def test_a_call_that_is_dropped_midway_leaves_no_noise():
    """The garbage collector may end a tool's coroutine before what waits for it."""

    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    watched = wait()
    timer = _BlockTimer().measure(watched)
    loop = asyncio.new_event_loop()
    asyncio._set_running_loop(loop)
    try:
        timer.send(None)
    finally:
        asyncio._set_running_loop(None)
        loop.close()
    watched.close()
    timer.close()  # raises if it still uses the tool's coroutine
    assert inspect.getgeneratorstate(timer) == inspect.GEN_CLOSED
