"""The plugin: turns the events of a pipeline into spans and metrics. OpenTelemetry is imported at the first call."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mulligan.plugin import (
    ApprovalDecided,
    AttemptFailed,
    CallAbandoned,
    CallFinished,
    CallRepaired,
    CallRetried,
    CallStarted,
    Event,
    Middleware,
    Outcome,
    Run,
    Steps,
    Tool,
    ToolCall,
    hookimpl,
)
from mulligan_otel.attributes import METER_PROVIDER, TRACER_PROVIDER

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from mulligan_otel.metrics import Metrics
    from mulligan_otel.spans import Spans

CAPTURE_VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CAPTURING = frozenset({"true", "1", "span_only", "span_and_event"})


class OpenTelemetry:
    """Traces and measures every call of a pipeline.

    Args:
        tracer_provider: creates the tracer; by default the provider of the program.
        meter_provider: creates the meter; by default the provider of the program.
        capture_content: whether spans contain the arguments and the result of a call, redacted and truncated; by default as
            the environment variable `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` says.
    """

    def __init__(
        self,
        *,
        tracer_provider: TracerProvider | None = None,
        meter_provider: MeterProvider | None = None,
        capture_content: bool | None = None,
    ) -> None:
        self._tracer_provider = tracer_provider
        self._meter_provider = meter_provider
        self._capture_content = capture_content
        self._recorders: tuple[Spans, Metrics] | None = None

    @hookimpl(trylast=True)  # after the log lines, which should be within the span
    def observe(self, event: Event) -> None:
        """Starts and ends spans, and counts."""
        spans, metrics = self._recorders or self._make_recorders()
        kind = type(event)
        if kind is CallStarted:
            if spans.provided[TRACER_PROVIDER] is not None:
                spans.start(event)  # type: ignore[arg-type]
        elif kind is CallFinished:
            if metrics.provided[METER_PROVIDER] is not None:
                metrics.finish(event)  # type: ignore[arg-type]
            if spans.is_used:
                spans.finish(event)  # type: ignore[arg-type]
        else:
            self._observe_rare(event, spans, metrics)

    @staticmethod
    def _observe_rare(event: Event, spans: Spans, metrics: Metrics) -> None:
        """Records the events that most calls do not have."""
        kind = type(event)
        if kind is CallRepaired:
            metrics.repair(event)  # type: ignore[arg-type]
            spans.repair(event)  # type: ignore[arg-type]
        elif kind is AttemptFailed:
            spans.fail_attempt(event)  # type: ignore[arg-type]
        elif kind is CallRetried:
            metrics.retry(event)  # type: ignore[arg-type]
            spans.start_attempt(event)  # type: ignore[arg-type]
        elif kind is ApprovalDecided:
            spans.resume(event)  # type: ignore[arg-type]
        elif kind is CallAbandoned:
            spans.abandon(event)  # type: ignore[arg-type]

    @hookimpl
    def middlewares(self, tool: Tool) -> Iterable[Middleware]:
        """Carries the trace into the process of a killable tool."""
        return (carry_context,) if tool.killable else ()

    def _make_recorders(self) -> tuple[Spans, Metrics]:
        from mulligan_otel.metrics import Metrics
        from mulligan_otel.spans import Spans

        captured = os.environ.get(CAPTURE_VARIABLE, "").strip().lower() in _CAPTURING
        capture = captured if self._capture_content is None else self._capture_content
        self._recorders = Spans(self._tracer_provider, capture=capture), Metrics(self._meter_provider)
        return self._recorders


def carry_context(run: Run, tool: Tool, call: ToolCall) -> Steps:
    """Runs the tool inside the current trace, in whichever process its executor runs it."""
    executor: Any = run.executor
    if hasattr(executor, "within"):
        run.executor = _Carried(executor)
    outcome: Outcome = yield run
    return outcome


class _Carried:
    """An executor that reads the trace context only when it runs, since each attempt has its own span."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor

    def __call__(self) -> Any:
        from opentelemetry import propagate

        from mulligan_otel.process import in_trace

        carrier: dict[str, str] = {}
        with suppress(Exception):  # if a propagator fails, only the parent span is lost
            propagate.inject(carrier)
        return self._executor.within(in_trace, carrier)()
