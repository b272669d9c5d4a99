"""What belongs to a call stays with the caller: its session, its record, its trace, and the secrets that no text may show."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import ray_tools
from mulligan_ledger import Ledger
from mulligan_otel import OpenTelemetry
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import format_trace_id

from mulligan import Pipeline

OF_THIS_RUN = {
    "id",
    "session",
    "process",
    "conversation",
    "started",
    "at",
    "duration",
    "arguments_key",
    "corrected_key",
    "call",
    "definition",
    "toolset",
    "outcome",
}


def records(path: Path) -> list[dict[str, Any]]:
    """The rows of a ledger, without what differs from run to run, and the outcome: a worker sends its traceback along."""
    with sqlite3.connect(path) as connection:
        connection.row_factory = sqlite3.Row
        rows = [
            {"table": table, **dict(row)}
            for table in ("sessions", "calls", "attempts", "repairs")
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")  # noqa: S608
        ]
    return [{name: value for name, value in row.items() if name not in OF_THIS_RUN} for row in rows]


def talk(pipeline: Pipeline) -> None:
    """A conversation with a success, a failure and a wrong argument."""
    session = pipeline.session("talk-1")
    session.call("square", {"number": 3}, call_id="c1")
    session.call("square", {"number": "three"}, call_id="c2")
    session.call("read", {"path": "missing.txt"}, call_id="c3")
    session.call("read", {"path": "missing.txt"}, call_id="c4")


def test_a_ledger_records_the_same_as_without_ray(pipeline_of: Any, tmp_path: Path) -> None:
    functions = (ray_tools.square, ray_tools.read)
    for name, options in (("ray.db", {}), ("here.db", {"executor": None})):
        with Ledger(tmp_path / name) as ledger:
            talk(pipeline_of(*functions, plugins=[ledger], **options))
    there, here = records(tmp_path / "ray.db"), records(tmp_path / "here.db")
    assert there == here
    assert [row["error"] for row in here if row["table"] == "calls"][2] == "ResourceNotFoundError"


def test_a_session_remembers_calls_that_ran_on_ray(pipeline_of: Any, tmp_path: Path) -> None:
    path = tmp_path / "runs"
    session = pipeline_of(ray_tools.die).session("talk-1")
    first = session.call("die", {"path": str(path), "how": "charged"}, call_id="c1")
    second = session.call("die", {"path": str(path), "how": "charged"}, call_id="c1")
    assert (first.value, second.value) == ("charged", "charged")
    assert len(path.read_text().splitlines()) == 1


def test_a_registered_secret_is_redacted_in_what_a_worker_answers(
    pipeline_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_TOKEN", "plain-words-of-a-secret-17")
    pipeline = pipeline_of(ray_tools.refuse, secret=["password"])
    result = pipeline.call("refuse", {"password": "correct horse", "text": "plain-words-of-a-secret-17"})
    assert result.is_error
    assert "refused" in result.content
    assert "correct horse" not in result.content
    assert "plain-words-of-a-secret-17" not in result.content


def test_a_span_of_the_tool_is_below_that_of_the_call(pipeline_of: Any) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    pipeline = pipeline_of(ray_tools.trace, plugins=[OpenTelemetry(tracer_provider=provider)])
    result = pipeline.call("trace")
    (span,) = exporter.get_finished_spans()
    assert span.name == "execute_tool trace"
    assert result.value == format_trace_id(span.context.trace_id)
