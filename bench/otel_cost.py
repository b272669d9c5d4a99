"""Measures what mulligan-otel costs: `python bench/otel_cost.py`, where it and the SDK of OpenTelemetry are installed.

A ratio is CPU time of a successful call with the package over that of the same call without it; with the batch exporter, over
that of the call and one plain span. The exporter's own thread counts, on both sides.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import contenders
import floor
import measure
from mulligan_otel import OpenTelemetry
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import NoOpTracerProvider

Row = tuple[str, float, float]


class Discard(SpanExporter):
    """Sends nothing, so that the network is not measured."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Drops the spans."""
        return SpanExportResult.SUCCESS


def caller(*plugins: Any) -> Callable[[], Any]:
    """One successful call."""
    return contenders.caller(contenders.pipeline(*plugins), "search_issues", floor.TEXT)


def rows() -> Iterator[Row]:
    """What is measured, the ratio and its budget."""
    plain = caller()
    traced = caller(OpenTelemetry(tracer_provider=NoOpTracerProvider()))
    yield "a call with a no-op tracer, to the call", measure.ratio(traced, plain), 1.3
    yield "a call in a program without a provider, to the call", measure.ratio(caller(OpenTelemetry()), plain), 1.3
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Discard()))
    tracer = provider.get_tracer("bench")

    def with_span() -> None:
        with tracer.start_as_current_span("search_issues"):
            plain()

    traced = caller(OpenTelemetry(tracer_provider=provider))
    yield "a call with the batch exporter, to the call and a plain span", measure.ratio(traced, with_span), 1.5
    provider.shutdown()


def main() -> None:
    """Prints the table."""
    names = ("mulligan", "mulligan-otel", "opentelemetry-api", "opentelemetry-sdk")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    print(
        f"{datetime.date.today()}, CPython {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores; {versions}\n"
    )
    print("| what | measured | budget | |\n|---|---|---|---|")
    for title, value, budget in rows():
        print(f"| {title} | {value:.3g} x | <= {budget:g} x | {'met' if value <= budget else 'MISSED'} |", flush=True)


if __name__ == "__main__":
    main()
