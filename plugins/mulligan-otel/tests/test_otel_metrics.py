"""Metrics: what is counted, and that the number of series stays small, also as Prometheus sees it."""

from __future__ import annotations

import time
import urllib.request
from typing import Any

import pytest
from mulligan_otel import OpenTelemetry
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.parser import text_string_to_metric_families

from mulligan import Limits, Pipeline, Policy, Tool, errors, tool
from mulligan.middleware import circuit_breaker


@tool
def read(path: str) -> str:
    """Read a file."""
    return path


@pytest.fixture
def pipeline_of(make_pipeline: Any, measured: Any) -> Any:
    def make(*tools: Any, **options: Any) -> Pipeline:
        return make_pipeline(*tools, otel=OpenTelemetry(meter_provider=measured.provider), **options)

    return make


def test_durations_of_successes_and_failures(pipeline_of, measured):
    pipeline = pipeline_of(read)
    for _ in range(3):
        pipeline.call("read", {"path": "a"})
    pipeline.call("read", {})
    points = measured.points
    base = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "read"}
    assert sorted(points["gen_ai.execute_tool.duration"], key=str) == [
        ({**base, "error.type": "ToolArgumentError"}, 1),
        (base, 3),
    ]
    assert points["mulligan.failures"] == [({"gen_ai.tool.name": "read", "error.type": "ToolArgumentError"}, 1)]


def test_a_name_that_no_tool_has_is_unknown(pipeline_of, measured):
    pipeline = pipeline_of(read)
    for number in range(100):
        pipeline.call(f"made_up_{number}", {})
    assert measured.points["mulligan.failures"] == [
        ({"gen_ai.tool.name": "unknown", "error.type": "ToolNotFoundError"}, 100)
    ]


def test_tools_that_come_and_go_do_not_make_any_number_of_labels(pipeline_of, measured):
    pipeline = pipeline_of()
    for number in range(1_200):
        view = pipeline.with_tools([Tool.from_function(read.handler, name=f"of_user_{number}")])
        view.call(f"of_user_{number}", {"path": "a"} if number % 2 else {})
    for points in measured.points.values():
        labels = {attributes["gen_ai.tool.name"] for attributes, _ in points}
        assert len(labels) <= 1_001
        assert "other" in labels


def test_an_odd_name_is_cleaned(pipeline_of, measured):
    tool = Tool.from_schema("naïve 🛠\n" + "t" * 5_000, "Odd.", {"type": "object"}, str)
    pipeline_of(tool).call(tool.name, {})
    [(attributes, _)] = measured.points["gen_ai.execute_tool.duration"]
    assert len(attributes["gen_ai.tool.name"]) <= 64
    assert attributes["gen_ai.tool.name"].isprintable()


def test_repairs_retries_and_refused_repeats(pipeline_of, measured):
    tries: list[int] = []

    @tool(read_only=True)
    def flaky(n: int) -> str:
        """Works at the second try."""
        tries.append(1)
        if len(tries) == 1:
            raise errors.ToolUnavailableError("Busy.", retry_after=0.001)
        return "ok"

    def broken() -> None:
        raise ValueError("x")

    session = pipeline_of(flaky, Tool.from_function(broken), policy=Policy(repair="json")).session()
    session.call("flaky", '{"n": 1,}')
    for _ in range(4):
        session.call("broken")
    points = measured.points
    assert points["mulligan.repairs"] == [({"mulligan.repair.kind": "arguments"}, 1)]
    assert points["mulligan.retries"] == [({"gen_ai.tool.name": "flaky"}, 1)]
    assert points["mulligan.refused_repeats"] == [({"gen_ai.tool.name": "broken"}, 1)]


def test_a_paused_service_shows_until_it_runs_again(pipeline_of, measured):
    state = {"down": True, "now": 0.0}

    @tool
    def fetch() -> str:
        """Fetch."""
        if state["down"]:
            raise errors.ToolUnavailableError("Down.")
        return "ok"

    breaker = circuit_breaker(failure_threshold=2, recovery_timeout=30.0, clock=lambda: state["now"])
    pipeline = pipeline_of(fetch, middleware=[breaker], policy=Policy(retry=False))
    for _ in range(3):
        pipeline.call("fetch")
    assert measured.points["mulligan.circuit.open"] == [({"gen_ai.tool.name": "fetch"}, 1)]
    state.update(down=False, now=31.0)
    assert not pipeline.call("fetch").is_error
    assert measured.points["mulligan.circuit.open"] == [({"gen_ai.tool.name": "fetch"}, 0)]


def test_saturated_threads(pipeline_of, measured):
    @tool(timeout=0.05)
    def hang() -> None:
        """Takes longer than it may."""
        time.sleep(0.5)

    pipeline = pipeline_of(hang, limits=Limits(threads=1))
    pipeline.call("hang")
    assert "saturated" in pipeline.call("hang").content
    assert measured.points["mulligan.saturated"] == [({"gen_ai.tool.name": "hang"}, 1)]


def test_ten_thousand_calls_of_fifty_tools_are_few_series_in_prometheus(spans):
    registry = CollectorRegistry()
    reader = PrometheusMetricReader()
    registry.register(reader._collector)
    provider = MeterProvider([reader])
    server, thread = start_http_server(0, "127.0.0.1", registry)

    def make(number: int) -> Tool:
        def work(n: int) -> str:
            if n % 10 == 0:
                raise [ValueError("a"), TimeoutError("b"), PermissionError(13, f"secret {n}", f"/p/{n}")][n // 10 % 3]
            return str(n)

        return Tool.from_function(work, name=f"tool_{number}")

    def series() -> dict[str, set[Any]]:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/metrics", timeout=30) as answer:
            families = list(text_string_to_metric_families(answer.read().decode()))
        return {
            one.name: {tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le")) for sample in one.samples}
            for one in families
            if one.name.startswith(("gen_ai", "mulligan"))
        }

    otel = OpenTelemetry(meter_provider=provider)
    try:
        with Pipeline([make(n) for n in range(50)], plugins=[otel], autoload=False, block=["logging"]) as pipeline:
            for n in range(10_000):
                name = f"tool_{n % 50}" if n % 7 else f"invented_{n}"
                pipeline.call(name, {"n": n // 50} if n % 11 else {"m": f"value {n}"}, call_id=f"call-{n}")
                if n == 5_000:
                    halfway = series()
        whole = series()
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
        provider.shutdown()
    assert set(whole) >= {"gen_ai_execute_tool_duration_seconds", "mulligan_failures"}
    counted = {name: len(labels) for name, labels in whole.items()}
    assert counted["gen_ai_execute_tool_duration_seconds"] <= 51 * 5
    assert counted["mulligan_failures"] <= 51 * 4
    assert whole.keys() == halfway.keys()
    assert sum(counted.values()) <= 1.1 * sum(map(len, halfway.values()))  # it does not grow with the calls
    labels = {pair for found in whole.values() for one in found for pair in one}
    tools = {value for name, value in labels if name == "gen_ai_tool_name"}
    assert tools == {f"tool_{n}" for n in range(50)} | {"unknown"}
    assert not any("secret" in value or "invented" in value or "value" in value for _, value in labels)
