"""Drive middleware and whole calls step by step, with a clock that only the test moves: nothing waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mulligan import Pipeline, Tool, ToolCall, ToolResult
from mulligan.pipeline.flow import invoke
from mulligan.pipeline.pipeline import as_invocation
from mulligan.plugin import Middleware, Outcome, Run, Sleep, ToolError


class Clock:
    """Monotonic seconds that pass only by `now += ...`."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def make_tool(name: str = "work", **options: Any) -> Tool:
    def work() -> str:
        return "worked"

    return Tool.from_function(work, name=name, **options)


CALL = ToolCall("7", "work", "{}")


class Driven:
    """What a middleware did.

    Attributes:
        outcome: the outcome that it returned.
        runs: the timeout of each run.
        waits: the seconds of each sleep.
    """

    def __init__(self) -> None:
        self.outcome: Outcome = Outcome()
        self.runs: list[float | None] = []
        self.waits: list[float] = []


def drive_by_hand(
    middleware: Middleware,
    ends: Iterable[ToolError | BaseException | None] | Callable[[], Outcome],
    *,
    tool: Tool | None = None,
    run: Run | None = None,
    clock: Clock | None = None,
    takes: float = 0.0,
) -> Driven:
    """Drive a middleware; each run has the next outcome of `ends`, and takes `takes` seconds.

    Args:
        middleware: the middleware.
        ends: errors, with None for a success; or a function that returns outcomes.
        tool: the tool.
        run: the run that the middleware wraps.
        clock: the clock; it is moved by each sleep and each run.
        takes: the seconds that each run takes.
    """
    driven, clock = Driven(), clock or Clock()
    tool = tool or make_tool(read_only=True)
    given = iter(()) if callable(ends) else iter(ends)
    steps = middleware(run or Run(tool.handler, tool.timeout), tool, CALL)
    sent: Outcome | None = None
    try:
        while True:
            step = next(steps) if sent is None else steps.send(sent)
            if isinstance(step, Sleep):
                driven.waits.append(step.seconds)
                clock.now += step.seconds
                sent = Outcome()
            else:
                driven.runs.append(step.timeout)
                clock.now += takes
                error = None if callable(ends) else next(given)
                sent = ends() if callable(ends) else Outcome("fine" if error is None else None, None, error)
    except StopIteration as stop:
        driven.outcome = stop.value
    return driven


def call_by_hand(pipeline: Pipeline, name: str, arguments: Any = None) -> tuple[ToolResult, list[float]]:
    """Call a sync tool without waiting.

    Args:
        pipeline: the pipeline.
        name: the name of the tool.
        arguments: its arguments.

    Returns:
        The result, and the seconds of each sleep.
    """
    flow, waits = invoke(as_invocation(pipeline._runtime, name, arguments, None, None, None)), []
    try:
        step = next(flow)
        while True:
            if isinstance(step, Sleep):
                waits.append(step.seconds)
                outcome = Outcome()
            else:
                try:
                    outcome = Outcome(step.executor())
                except Exception as error:
                    outcome = Outcome(exception=error)
            step = flow.send(outcome)
    except StopIteration as stop:
        return stop.value, waits
