"""Pipelines in which time passes only on a clock that a test moves."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping
from typing import Any

from mulligan.calls import ToolCall
from mulligan.execute.steps import GeneratorFlow, Outcome, Sleep, Step
from mulligan.execute.sync_driver import drive
from mulligan.middleware.retries import DefaultRetry
from mulligan.pipeline import Pipeline, Session
from mulligan.pipeline.flow import CallSteps, invoke
from mulligan.pipeline.messages import async_driver
from mulligan.pipeline.pipeline import as_invocation
from mulligan.results import ToolResult


class FakeClock:
    """A clock that moves only when it is advanced. Pass it to a middleware as its `clock`.

    Args:
        now: seconds at the start.

    Attributes:
        now: seconds now.
        waits: the duration of each wait.
    """

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now
        self.waits: list[float] = []

    def __call__(self) -> float:
        """Seconds now."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Lets time pass.

        Args:
            seconds: the number of seconds.
        """
        self.now += seconds

    def wait(self, seconds: float) -> None:
        """Advances the clock for a wait, and records it.

        Args:
            seconds: how long.
        """
        self.waits.append(seconds)
        self.advance(seconds)


class TimelessPipeline(Pipeline):
    """A pipeline whose waits only move a clock: retries, rate limits and budgets are tested without waiting.

    What a tool itself takes is real time, and so is a tool's `timeout`.

    Args:
        tools: as for `Pipeline`.
        clock: the clock; by default a new one.
        options: as for `Pipeline`.

    Attributes:
        clock: the clock.
    """

    def __init__(self, tools: Any = (), *, clock: FakeClock | None = None, **options: Any) -> None:
        super().__init__(tools, **options)
        self.clock = clock or FakeClock()
        self._runtime.clock = self.clock
        if self._runtime.default_retry is not None:
            chance = DefaultRetry(self.clock)
            self._runtime.default_retry = lambda: chance

    def _flow(
        self,
        name_or_call: str | ToolCall,
        arguments: Any,
        call_id: str | None,
        session: Session | None,
        context: Mapping[str, Any] | None,
    ) -> GeneratorFlow[ToolResult]:
        flow = invoke(as_invocation(self._runtime, name_or_call, arguments, call_id, session, context))
        return GeneratorFlow(_skip_waits(flow, self.clock))

    def call(
        self,
        name_or_call: str | ToolCall,
        arguments: Any = None,
        *,
        call_id: str | None = None,
        session: Session | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ToolResult:
        """`Pipeline.call`, without waiting."""
        return drive(self._flow(name_or_call, arguments, call_id, session, context), self._workers)

    def acall(
        self,
        name_or_call: str | ToolCall,
        arguments: Any = None,
        *,
        call_id: str | None = None,
        session: Session | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Coroutine[Any, Any, ToolResult]:
        """`Pipeline.acall`, without waiting."""
        return async_driver()(self._flow(name_or_call, arguments, call_id, session, context), self._workers)


def _skip_waits(flow: CallSteps, clock: FakeClock) -> Generator[Step, Outcome, ToolResult]:
    """An invocation whose waits end as soon as they start."""
    try:
        step = next(flow)
        while True:
            if isinstance(step, Sleep):
                clock.wait(step.seconds)
                step = flow.send(Outcome())
            else:
                step = flow.send((yield step))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    finally:
        flow.close()
