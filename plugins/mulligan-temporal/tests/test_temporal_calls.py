"""Calls outside workflows: values, failures, deadlines and what is told when a worker or the server is lost."""

import asyncio
import os
import time
from pathlib import Path

import mulligan_temporal
import pytest
import temporal_tools as tools
from conftest import end, free_port, start_worker
from mulligan_temporal import Temporal

from mulligan import Pipeline
from mulligan.errors import (
    ResourceNotFoundError,
    ToolConnectionError,
    ToolExecutionError,
    ToolTimeoutError,
    UsageError,
)

pytestmark = pytest.mark.usefixtures("worker")


def runs(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_values_and_failures_are_those_of_the_tool(pipeline_of, tmp_path):
    pipeline = pipeline_of(tools.read, tools.leave, tools.counted)
    (tmp_path / "a.txt").write_text("ä\n", encoding="utf-8")
    assert pipeline.call("read", {"path": str(tmp_path / "a.txt")}).value == "ä\n"
    assert pipeline.call("counted", {"end": 3}).value == [0, 1, 2]
    missing = pipeline.call("read", {"path": str(tmp_path / "b.txt")}).error
    assert isinstance(missing, ResourceNotFoundError)
    assert missing.resource == str(tmp_path / "b.txt")
    assert "tried to exit the program" in pipeline.call("leave").content


def test_what_is_injected_comes_from_the_call_and_from_both_machines(pipeline_of):
    result = pipeline_of(tools.about).call("about", call_id="c7", context={"tenant": "acme", "database": object()})
    assert isinstance(result.error, ToolExecutionError)
    result = pipeline_of(tools.about).call("about", call_id="c7", context={"tenant": "acme", "database": "here"})
    assert result.value == "c7 True acme here"


@pytest.mark.parametrize(("tool", "expected"), [(tools.put, 2), (tools.write, 1)])
def test_only_what_may_run_again_does(pipeline_of, tmp_path, tool, expected):
    result = pipeline_of(tool).call(tool.name, {"path": str(tmp_path / "runs")})
    assert isinstance(result.error, ToolConnectionError)
    assert runs(tmp_path / "runs") >= expected
    assert expected > 1 or runs(tmp_path / "runs") == 1


@pytest.mark.parametrize("tool", [tools.sleep, tools.asleep])
def test_a_call_that_is_given_up_is_cancelled_on_the_worker(pipeline_of, tmp_path, tool):
    started = time.monotonic()
    result = pipeline_of(tool, timeout=0.5).call(tool.name, {"seconds": 4, "path": str(tmp_path / "runs")})
    assert isinstance(result.error, ToolTimeoutError)
    assert result.error.effect == "possible"
    time.sleep(max(0.0, started + 5.5 - time.monotonic()))
    assert runs(tmp_path / "runs") == 0


def test_a_host_that_cancels_its_task_cancels_the_call(pipeline_of, tmp_path):
    pipeline = pipeline_of(tools.asleep, timeout=None)

    async def main() -> None:
        task = asyncio.create_task(pipeline.acall("asleep", {"seconds": 3, "path": str(tmp_path / "runs")}))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    time.sleep(4)
    assert runs(tmp_path / "runs") == 0


def test_many_calls_at_once(pipeline_of, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    pipeline = pipeline_of(tools.read)
    results = pipeline.call_many([("read", {"path": str(tmp_path / "a.txt")})] * 20)
    assert [result.value for result in results] == ["x"] * 20


def test_without_a_worker_the_deadline_holds(pipeline_of, tmp_path):
    pipeline, started = pipeline_of(tools.write, queue="empty", timeout=4), time.monotonic()
    result = pipeline.call("write", {"path": str(tmp_path / "runs")})
    assert isinstance(result.error, ToolTimeoutError)
    assert result.error.effect == "none"
    process = start_worker(os.environ["TEMPORAL_ADDRESS"], "empty", "temporal_tools")
    try:
        time.sleep(max(0.0, started + 6 - time.monotonic()))
    finally:
        end(process)
    assert runs(tmp_path / "runs") == 0


def test_a_tool_that_the_workers_do_not_have_is_said_not_to_have_run(pipeline_of):
    def unknown() -> str:
        """Is on no worker."""
        return "here"

    from mulligan import Tool

    result = pipeline_of(Tool.from_function(unknown)).call("unknown")
    assert isinstance(result.error, ToolExecutionError)
    assert result.error.effect == "none"
    assert "The workers do not have this tool. It was not run." in result.content


def test_a_server_that_cannot_be_reached_has_run_nothing(tmp_path):
    executor = Temporal(address=f"127.0.0.1:{free_port()}")
    with Pipeline(
        [tools.write.with_options(executor=executor)], plugins=[mulligan_temporal], autoload=False
    ) as pipeline:
        error = pipeline.call("write", {"path": str(tmp_path / "runs")}).error
        assert isinstance(error, ToolConnectionError)
        assert error.effect == "none"
        assert "Temporal cannot be reached" in (pipeline.executors[-1].problem or "")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"task_queue": ""}, "Temporal(task_queue=''): use a text that is not empty"),
        ({"heartbeat": 0}, "Temporal(heartbeat=0): use a number of seconds above 0"),
        ({"longest": float("inf")}, "Temporal(longest=inf): use a number of seconds above 0"),
        ({"client": object(), "address": "a:1"}, "remove address and namespace"),
    ],
)
def test_impossible_options_are_named(options, problem):
    with pytest.raises(UsageError) as caught:
        Temporal(**options)
    assert problem in str(caught.value)
