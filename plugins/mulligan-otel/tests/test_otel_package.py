"""What holds for the package as a whole: its README, and the pages about traces and metrics."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from mulligan_otel import OpenTelemetry
from mulligan_testkit.readme import assert_example_runs
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from otlp_receiver import Receiver
from pages import backends, blocks, outputs, traced

from mulligan import Pipeline


def test_it_registers_itself() -> None:
    with Pipeline() as pipeline:
        info = next(info for info in pipeline.plugins if info.name == "otel")

    assert (info.state, info.distribution) == ("active", "mulligan-otel")
    assert set(info.hooks) == {"observe", "middlewares"}


def test_the_example_of_the_readme_runs() -> None:
    assert_example_runs(pathlib.Path(__file__).parents[1])


@pytest.fixture(scope="module")
def shown() -> dict[tuple[str, str], str]:
    return outputs()


@pytest.mark.parametrize(("page", "name"), [("traces.md", "trace"), ("metrics.md", "metrics"), ("metrics.md", "stats")])
def test_the_pages_show_what_happens(shown: dict[tuple[str, str], str], page: str, name: str) -> None:
    assert shown[page, name].strip()
    assert blocks(page)[name] == shown[page, name]


def test_the_program_of_the_page_about_traces_sends_its_spans() -> None:
    printed, names = traced()

    assert printed.startswith("3 articles about tides\n")
    assert names == ["execute_tool search", "execute_tool serch", "invoke_agent assistant"]


WANTED = {
    "/v1/traces": [{}, {"authorization": "key"}, {}],
    "/s/key/v1/traces": [{"authorization": "Bearer key"}],
    "/otel/v1/traces": [{"x-api-key": "key", "langsmith-project": "key"}],
}


def test_the_settings_of_each_backend_lead_to_its_path_with_its_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    arrived: dict[str, list[dict[str, str]]] = {}
    for endpoint, headers in backends().values():
        with Receiver() as receiver:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint + urlsplit(endpoint).path)
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", headers)
            provider = TracerProvider()
            provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
            Pipeline(plugins=[OpenTelemetry(tracer_provider=provider)], block=["otel"]).call("nope")
            provider.shutdown()
        [(path, sent)] = receiver.requests
        known = {name: sent[name] for name in ("authorization", "x-api-key", "langsmith-project") if name in sent}
        arrived.setdefault(path, []).append(known)
    assert arrived == WANTED


def test_the_bench_measures_each_cost() -> None:
    program = "import measure, otel_cost; measure.ROUNDS = 1; otel_cost.main()"
    bench = pathlib.Path(__file__).parents[3] / "bench"
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, cwd=bench, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert [line.split(" | ")[2] for line in ended.stdout.splitlines()[4:]] == ["<= 1.3 x", "<= 1.3 x", "<= 1.5 x"]
