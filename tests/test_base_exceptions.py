"""The table of what is raised (17 kinds), where (10 stages) and under which driver: what becomes of it in each cell.

KeyboardInterrupt and GeneratorExit pass, wherever they come from. Everything else is the failure of the tool that raised
it, or the fault of the plugin; a cancellation passes only where the host is cancelling.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Tool, ToolResult, errors


class Own(BaseException):
    """A foreign exception that is no Exception."""


class Lookalike(Exception):
    """Named as other systems name theirs."""


Lookalike.__qualname__ = Lookalike.__name__ = "CancelledError"

KINDS: dict[str, Callable[[], BaseException]] = {
    "exception": lambda: ValueError("x"),
    "system exit": lambda: SystemExit(3),
    "cancelled": lambda: asyncio.CancelledError("mine"),
    "look-alike": lambda: Lookalike("x"),
    "own": lambda: Own("x"),
    "memory": lambda: MemoryError(),
    "recursion": lambda: RecursionError(),
    "stop": lambda: StopIteration(3),
    "async stop": lambda: StopAsyncIteration(3),
    "timeout": lambda: TimeoutError("mine"),
    "group": lambda: ExceptionGroup("g", [ValueError("x")]),
    "base group": lambda: BaseExceptionGroup("g", [SystemExit(3), ValueError("x")]),
    "cancelled group": lambda: BaseExceptionGroup("g", [asyncio.CancelledError()]),
    "generator exit group": lambda: BaseExceptionGroup("g", [ValueError("x"), GeneratorExit()]),
    "interrupt": lambda: KeyboardInterrupt(),
    "generator exit": lambda: GeneratorExit(),
    "interrupt group": lambda: BaseExceptionGroup("g", [KeyboardInterrupt(), ValueError("x")]),
}
PASSING = {"interrupt": KeyboardInterrupt, "generator exit": GeneratorExit}
MEANS = {
    "cancelled": errors.ToolCancelledError,
    "cancelled group": errors.ToolCancelledError,
    "look-alike": errors.ToolCancelledError,
    "memory": errors.ToolQuotaError,
    "timeout": errors.ToolTimeoutError,
}
HOOKS = ["resolve", "validate", "repair", "authorize", "detect", "classify", "render_feedback", "observe", "middleware"]
DRIVERS = ["call", "acall", "task", "task group", "thread"]


def drive(driver: str, pipeline: Any, *args: Any) -> ToolResult:
    """One call under a driver; what passes is raised here."""

    async def main() -> ToolResult:
        baseline = asyncio.all_tasks()
        try:
            if driver == "acall":
                return await pipeline.acall(*args)
            if driver == "task":
                return await asyncio.wait_for(asyncio.ensure_future(contained()), 60)
            async with asyncio.TaskGroup() as group:
                task = group.create_task(contained())
            return task.result()
        finally:
            assert asyncio.all_tasks() == baseline

    async def contained() -> Any:  # asyncio itself hands a KeyboardInterrupt in a task to the loop
        try:
            return await pipeline.acall(*args)
        except BaseException as error:
            return error

    if driver == "call":
        return pipeline.call(*args)
    if driver == "thread":
        ended: list[Any] = []

        def ask() -> None:
            try:
                ended.append(pipeline.call(*args))
            except BaseException as error:
                ended.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(60)
        result = ended[0]
    else:
        result = asyncio.run(main())
    if isinstance(result, BaseException):
        raise result
    return result


def throw(error: BaseException) -> Any:
    raise error


def tool_of(form: str, error: Callable[[], BaseException], timeout: float = 60) -> Tool:
    def plain() -> Any:
        throw(error())

    async def awaited() -> Any:
        await asyncio.sleep(0)
        throw(error())

    async def grouped() -> Any:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))
            throw(error())

    async def offloaded() -> Any:
        return await asyncio.to_thread(plain)

    handler = {"sync": plain, "async": awaited, "task group": grouped, "to_thread": offloaded}[form.split(",")[0]]
    return Tool.from_function(handler, name="work", timeout=timeout if "timeout" in form else None)


FORMS = ["sync", "sync, timeout", "async", "async, timeout", "task group", "task group, timeout", "to_thread, timeout"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_raised_by_a_tool(make_pipeline, kind, form, driver):
    pipeline = make_pipeline(tool_of(form, KINDS[kind]), Tool.from_function(lambda: 1, name="next"))
    wanted: Any = MEANS.get(kind, errors.ToolExecutionError)
    is_grouped = form.startswith("task group") and kind == "generator exit"
    if form.startswith("task group") and kind == "cancelled":
        wanted = errors.ToolError  # the group itself decides
    if form.startswith("to_thread") and kind == "stop":
        pipeline.tools.add(tool_of(form, KINDS[kind], timeout=0.2), replace=True)
        wanted = errors.ToolTimeoutError  # asyncio loses it: no future can hold it
    if kind in PASSING and not is_grouped:
        with pytest.raises(PASSING[kind]):
            drive(driver, pipeline, "work")
    elif kind == "interrupt group":
        with pytest.raises(BaseException) as caught:
            drive(driver, pipeline, "work")
        assert isinstance(caught.value, (KeyboardInterrupt, BaseExceptionGroup))
    else:
        result = drive(driver, pipeline, "work")
        assert isinstance(result.error, wanted), result.error
        assert (result.attempts, pipeline.faults) == (1, ())
    assert drive(driver, pipeline, "next").value == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("stage", HOOKS)
@pytest.mark.parametrize("kind", KINDS)
def test_raised_by_a_plugin(make_pipeline, plugin, kind, stage, driver):
    """A fault; the result is the one without the plugin, but for `authorize`, which refuses what it cannot judge."""

    def work(n: int) -> dict[str, Any]:
        if n:
            raise FileNotFoundError("a.md")
        return {"n": n}

    fail = KINDS[kind]
    if stage == "middleware":
        hooks = plugin(middlewares=lambda tool: [lambda run, tool, call: throw(fail())])
    else:
        hooks = plugin(**{stage: lambda: throw(fail())})
    pipeline = make_pipeline(Tool.from_function(work), plugins=[hooks])
    without = make_pipeline(Tool.from_function(work))
    for arguments in ({"n": 0}, {"n": 1}, {}):
        if kind in PASSING and is_reached(stage, arguments):
            with pytest.raises(PASSING[kind]):
                drive(driver, pipeline, "work", arguments)
            continue
        result = drive(driver, pipeline, "work", arguments)
        if stage == "authorize" and arguments:
            assert isinstance(result.error, errors.ToolPermissionError)
        else:
            assert result.content == without.call("work", arguments).content
    assert kind in PASSING or {fault.plugin for fault in pipeline.faults} == {"saboteur"}


def is_reached(stage: str, arguments: dict[str, int]) -> bool:
    """Whether a call with these arguments comes to a stage: one succeeds, one fails, one does not fit."""
    stages = {
        "repair": [{}],
        "authorize": [{"n": 0}, {"n": 1}],
        "middleware": [{"n": 0}, {"n": 1}],
        "detect": [{"n": 0}],
        "classify": [{"n": 1}],
        "render_feedback": [{"n": 1}, {}],
    }
    return arguments in stages.get(stage, [arguments])


@pytest.mark.parametrize("form", ["async", "async, timeout", "sync", "sync, timeout"])
@pytest.mark.parametrize("kind", [*KINDS, "none"])
def test_raised_while_the_host_is_cancelling(make_pipeline, kind, form):
    """The host's cancellation passes, whatever a tool raises in answer to it."""
    started, let_go = threading.Event(), threading.Event()

    async def awaited() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if kind == "none":
                raise
            throw(KINDS[kind]())

    def plain() -> None:
        started.set()
        let_go.wait(60)

    handler = awaited if form.startswith("async") else plain
    pipeline = make_pipeline(Tool.from_function(handler, name="work", timeout=60 if "timeout" in form else None))
    passes = kind in (*PASSING, "interrupt group") and form == "async"

    async def contained() -> BaseException:
        try:
            await pipeline.acall("work")
        except BaseException as error:
            return error
        raise AssertionError("it returned")

    async def main() -> BaseException:
        task = asyncio.ensure_future(contained())
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        error = await task
        let_go.set()
        assert len(asyncio.all_tasks()) == 1
        return error

    error = asyncio.run(main())
    wanted = (KeyboardInterrupt, GeneratorExit, BaseExceptionGroup) if passes else asyncio.CancelledError
    assert isinstance(error, wanted)
