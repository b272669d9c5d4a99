"""Calls on a cluster: many at a time, large ones, in their trace, and with what the caller registered."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import ray_tools
from mulligan_ray import Ray
from mulligan_testkit.terminal import run_on_terminal

from mulligan.errors import ToolExecutionError, ToolTimeoutError, UsageError
from mulligan.plugin import CallFinished, Injected, hookimpl


@pytest.mark.parametrize("options", [{}, {"in_flight": 3}, {"actors": 2}])
def test_many_calls_keep_their_order_and_report_progress(pipeline_of: Any, options: dict[str, int]) -> None:
    finished: list[CallFinished] = []

    class Progress:
        @hookimpl
        def observe(self, event: object) -> None:
            finished.extend([event] if isinstance(event, CallFinished) else [])

    async def call_many() -> list[Any]:
        pipeline = pipeline_of(ray_tools.square, executor=Ray(**options), read_only=True, plugins=[Progress()])
        return await pipeline.acall_many([("square", {"number": number}) for number in range(60)])

    results = asyncio.run(call_many())

    assert [result.value for result in results] == [number * number for number in range(60)]
    assert len(finished) == 60


def test_no_more_calls_than_allowed_are_in_flight(pipeline_of: Any, connected: Any, tmp_path: Any) -> None:
    pipeline = pipeline_of(ray_tools.interval, executor=Ray(num_cpus=0, in_flight=2))

    async def call_many() -> list[Any]:
        return await pipeline.acall_many([("interval", {"seconds": 0.2})] * 8)

    intervals = [result.value for result in asyncio.run(call_many())]

    assert max(sum(began <= start < ended for began, ended in intervals) for start, _ in intervals) <= 2


def test_many_calls_survive_the_loss_of_a_node(pipeline_of: Any, cluster: Any, second_node: Any) -> None:
    pipeline = pipeline_of(ray_tools.square, read_only=True)

    async def call_many() -> list[Any]:
        calls = [("square", {"number": number, "seconds": 0.1}) for number in range(80)]
        running = asyncio.ensure_future(pipeline.acall_many(calls))
        await asyncio.sleep(1.0)
        await asyncio.to_thread(cluster.remove_node, second_node, False)
        return await running

    results = asyncio.run(call_many())

    assert [result.value for result in results] == [number * number for number in range(80)]


def test_large_arguments_and_results(pipeline_of: Any) -> None:
    pipeline = pipeline_of(ray_tools.size, ray_tools.make)
    assert pipeline.call("size", context={"data": "x" * 3_000_000}).value == 3_000_000
    assert len(pipeline.call("make", {"length": 3_000_000}).value) == 3_000_000


def test_the_deadline_reaches_the_worker(pipeline_of: Any) -> None:
    pipeline = pipeline_of(ray_tools.seconds_left, timeout=50)
    assert 0 < pipeline.call("seconds_left").value <= 50
    assert pipeline_of(ray_tools.seconds_left, timeout=None).call("seconds_left").value is None


def test_the_trace_reaches_the_worker(pipeline_of: Any) -> None:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider

    with TracerProvider().get_tracer("tests").start_as_current_span("turn") as span:
        here = trace.format_trace_id(span.get_span_context().trace_id)
        assert pipeline_of(ray_tools.trace).call("trace").value == here


def test_an_async_tool(pipeline_of: Any) -> None:
    assert pipeline_of(ray_tools.double).call("double", {"number": 4}).value == 8


def test_a_pool_of_actors_keeps_its_processes(pipeline_of: Any) -> None:
    pipeline = pipeline_of(ray_tools.pid, executor=Ray(actors=1))
    assert len({pipeline.call("pid").value for _ in range(5)}) == 1


def test_an_argument_that_cannot_be_sent_names_its_parameter(pipeline_of: Any) -> None:
    def use(lock: Injected[Any]) -> str:
        """Uses a lock."""
        return "used"

    with pytest.raises(UsageError, match="runs on ray, but the value for its parameter 'lock' cannot be sent"):
        pipeline_of(use).call("use", context={"lock": threading.Lock()})


def test_an_exception_that_cannot_be_pickled_arrives(pipeline_of: Any) -> None:
    result = pipeline_of(ray_tools.fail_unpicklable).call("fail_unpicklable")
    assert type(result.error) is ToolExecutionError
    assert result.error.message == "The tool failed with ray_tools.Unpicklable."
    assert "disk /dev/sda1 failed" in result.content


def test_a_task_that_no_node_can_run_ends_at_our_deadline(pipeline_of: Any) -> None:
    pipeline = pipeline_of(ray_tools.pid, executor=Ray(resources={"unicorn": 1}), timeout=1)
    began = time.monotonic()
    result = pipeline.call("pid")
    assert type(result.error) is ToolTimeoutError
    assert time.monotonic() - began < 20


def test_a_failure_of_the_tools_own_use_of_ray_is_its_cause(connected: Any) -> None:
    import mulligan_ray

    from mulligan import Pipeline
    from mulligan.errors import ResourceNotFoundError

    @connected.remote(max_retries=0)
    def missing() -> None:
        raise FileNotFoundError(2, "No such file or directory", "docs/a.md")

    def read() -> None:
        """Reads a file on the cluster."""
        connected.get(missing.remote())

    with Pipeline([read], plugins=[mulligan_ray], autoload=False) as pipeline:
        result = pipeline.call("read")

    assert type(result.error) is ResourceNotFoundError
    assert result.error.resource == "docs/a.md"
    for noise in ("\x1b", "pid=", "ip=", "Traceback", "ray::"):
        assert noise not in result.content


def test_the_program_of_the_guide_prints_what_the_page_says(connected: Any, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "how-to" / "run-on-ray.md").read_text("utf-8")
    program, printed = (page.split(f"```{kind}\n")[1].split("```")[0] for kind in ("python", "text"))
    (tmp_path / "reports.py").write_text(program, "utf-8")
    run = subprocess.run([sys.executable, "reports.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == printed


def test_run_puts_the_calls_of_a_conversation_on_ray_with_a_bar(connected: Any, tmp_path: Path) -> None:
    function = {"name": "pid", "arguments": "{}"}
    calls = [{"id": f"c{number}", "type": "function", "function": function} for number in range(4)]
    lines = [{"role": "assistant", "tool_calls": calls}] + [{"role": "user", "content": "Go on."}] * 30
    (tmp_path / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ["mulligan.cli", "run", "talk.jsonl", "--tools", f"{ray_tools.__file__}:pid", "--executor", "ray"]

    code, screen = run_on_terminal([sys.executable, "-m", *words, "--out", "out.jsonl"], tmp_path)

    answers = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [line for line in answers if line["role"] != "tool"] == lines
    assert len({line["tool_call_id"] for line in answers if line["role"] == "tool"}) == 4
    assert all(int(line["content"]) != os.getpid() for line in answers if line["role"] == "tool")
    bar, summary = screen[-2:]
    assert code == 0, screen
    assert re.fullmatch(r"━+ 31/31 messages 0:\d\d:\d\d", bar), screen
    assert summary == "31 messages, 4 calls: 4 ok, 0 failed, 0 repaired"
