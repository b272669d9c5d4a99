"""Fixtures: the SDK of this process, whose spans and metrics stay in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from mulligan_otel import OpenTelemetry
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mulligan import Pipeline

EXPORTER = InMemorySpanExporter()
PROVIDER = TracerProvider()
PROVIDER.add_span_processor(SimpleSpanProcessor(EXPORTER))
trace.set_tracer_provider(PROVIDER)
TRACER = trace.get_tracer("tests")


class Spans:
    """The spans that have ended."""

    @property
    def all(self) -> list[ReadableSpan]:
        return list(EXPORTER.get_finished_spans())

    def one(self, name: str) -> ReadableSpan:
        [found] = [span for span in self.all if span.name == name]
        return found

    def parent(self, name: str) -> str | None:
        parent = self.one(name).parent
        return None if parent is None else {span.context.span_id: span.name for span in self.all}[parent.span_id]


@pytest.fixture
def spans() -> Iterator[Spans]:
    EXPORTER.clear()
    yield Spans()
    assert not trace.get_current_span().get_span_context().is_valid, "a span is still current"


@pytest.fixture
def make_pipeline() -> Callable[..., Pipeline]:
    def make(*tools: Any, otel: OpenTelemetry | None = None, plugins: Any = (), **options: Any) -> Pipeline:
        return Pipeline(tools, plugins=[otel or OpenTelemetry(), *plugins], autoload=False, **options)

    return make


class Measured:
    """Metrics that stay in memory."""

    def __init__(self) -> None:
        self._reader = InMemoryMetricReader()
        self.provider = MeterProvider([self._reader])

    @property
    def points(self) -> dict[str, list[tuple[dict[str, Any], Any]]]:
        """Attributes and value of each series, by the metric's name; of a histogram, the count."""
        data = self._reader.get_metrics_data()
        return {
            metric.name: [
                (dict(point.attributes), point.count if hasattr(point, "count") else point.value)
                for point in metric.data.data_points
            ]
            for resource in (data.resource_metrics if data else ())
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


@pytest.fixture
def measured() -> Iterator[Measured]:
    measured = Measured()
    yield measured
    measured.provider.shutdown()
