"""OpenTelemetry's SDK with private providers, which keep spans and metrics in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mulligan_otel import OpenTelemetry
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mulligan import Pipeline


class Traced:
    """The spans and metrics of a pipeline with explicit providers."""

    def __init__(self) -> None:
        self._exporter, self._reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracer_provider, self.meter_provider = TracerProvider(), MeterProvider([self._reader])
        self.tracer_provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = self.tracer_provider.get_tracer("tests")

    def pipeline(self, **options: Any) -> Pipeline:
        """A pipeline that is traced and measured, independent of the program's configuration."""
        otel = OpenTelemetry(tracer_provider=self.tracer_provider, meter_provider=self.meter_provider)
        return Pipeline(plugins=[otel], block=["otel"], **options)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        """The spans that have ended."""
        return self._exporter.get_finished_spans()

    def tree(self, name: str = "mulligan") -> list[str]:
        """Each span of a tracer and of the tests, below its parent, with the id of the call and the class of its error.

        Siblings are in alphabetical order, since calls of one message may run at the same time.

        Args:
            name: the tracer whose spans are shown.
        """
        shown = [one for one in self.spans if one.instrumentation_scope.name in (name, "tests")]
        known = {one.context.span_id for one in shown}
        ancestors = {one.context.span_id: one.parent for one in self.spans}

        def parent_of(one: ReadableSpan) -> int | None:
            parent = one.parent
            while parent is not None and parent.span_id not in known:
                parent = ancestors.get(parent.span_id)
            return None if parent is None else parent.span_id

        def lines(parent: int | None, depth: int) -> Iterator[str]:
            children = sorted((_line(one), one.context.span_id) for one in shown if parent_of(one) == parent)
            for line, id in children:
                yield f"{'  ' * depth}{line}"
                yield from lines(id, depth + 1)

        return list(lines(None, 0))

    def counted(self, metric: str) -> dict[str, int]:
        """The total of a metric for each tool, whatever the other attributes.

        Args:
            metric: its name.
        """
        data, found = self._reader.get_metrics_data(), dict[str, int]()
        for resource in data.resource_metrics if data else ():
            points = (
                p
                for scope in resource.scope_metrics
                for m in scope.metrics
                if m.name == metric
                for p in m.data.data_points
            )
            for point in points:
                tool = str((point.attributes or {}).get("gen_ai.tool.name"))
                found[tool] = found.get(tool, 0) + int(getattr(point, "count", None) or getattr(point, "value", 0))
        return found


def _line(one: ReadableSpan) -> str:
    attributes = one.attributes or {}
    facts = [str(attributes[name]) for name in ("gen_ai.tool.call.id", "error.type") if name in attributes]
    return f"{one.name}  [{', '.join(facts)}]" if facts else one.name
