"""Tools that make spans of their own. The process of the killable one imports this module too, and exports to the same place."""

from __future__ import annotations

import os
import urllib.request

from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind

from mulligan import errors, tool

tracer = trace.get_tracer("tools")
tries: list[str] = []


def configure() -> TracerProvider:
    """What a program does once: the SDK, with a batch exporter to `OTEL_EXPORTER_OTLP_ENDPOINT`."""
    provider = TracerProvider(resource=Resource.create({"service.name": "assistant", "process.pid": os.getpid()}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider


if os.environ.get("CONFIGURE_OTEL"):
    configure()


@tool(read_only=True)
def search(query: str) -> str:
    """Search the archive over HTTP."""
    with tracer.start_as_current_span("GET", kind=SpanKind.CLIENT) as span:
        headers: dict[str, str] = {}
        propagate.inject(headers)
        request = urllib.request.Request(f"{os.environ['ARCHIVE']}/search?q={query}", headers=headers)
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
        span.set_attribute("http.response.status_code", 200)
    tries.append(query)
    if len(tries) == 1:
        raise errors.ToolUnavailableError("The archive is busy.", retry_after=0.01)
    return text


@tool(killable=True, timeout=30)
def resize(path: str) -> str:
    """Resize an image, in a process of its own."""
    with tracer.start_as_current_span("decode image", attributes={"note": "another process"}):
        return f"{path} at 50 %"


@tool
async def notify(text: str) -> str:
    """Notify the user."""
    with tracer.start_as_current_span("publish"):
        return "sent"


@tool
def count(text: str) -> int:
    """Count characters, in a worker thread."""
    with tracer.start_as_current_span("count characters"):
        return len(text)
