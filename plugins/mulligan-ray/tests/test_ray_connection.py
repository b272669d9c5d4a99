"""Calls whose connection ends, whose process is forked, or whose cluster does not answer."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import ray_tools
from mulligan_ray import Ray
from test_ray_faults import wait_for

from mulligan.errors import ToolTimeoutError, ToolUnavailableError, UsageError

WAYS = {"task": {}, "actor": {"actors": 1}}


def run_and_end(pipeline: Any, path: Path, seconds: float, end: Any) -> Any:
    """The result of a call during which something ends."""

    async def run() -> Any:
        call = asyncio.ensure_future(pipeline.acall("beat", {"path": str(path), "seconds": seconds}))
        while not path.exists():
            await asyncio.sleep(0.05)
        end()
        return await call

    return asyncio.run(run())


@pytest.mark.parametrize("way", WAYS)
def test_a_call_of_an_executor_that_is_closed_ends_and_leaves_no_actor(
    pipeline_of: Any, connected: Any, tmp_path: Path, way: str
) -> None:
    executor = Ray(**WAYS[way])
    pipeline = pipeline_of(ray_tools.beat, ray_tools.pid, executor=executor)
    before = connected.available_resources()["CPU"]

    result = run_and_end(pipeline, tmp_path / "runs", 1.0, executor.close)

    assert result.value == "ended"
    wait_for(lambda: connected.available_resources().get("CPU") == before)
    assert pipeline.call("pid").value > 0


@pytest.mark.parametrize("way", WAYS)
def test_calls_end_when_the_host_disconnects_and_later_ones_connect_again(
    pipeline_of: Any, connected: Any, cluster: Any, tmp_path: Path, way: str
) -> None:
    def connect_again() -> None:
        connected.shutdown()
        connected.init(address=cluster.address, log_to_driver=False)

    pipeline = pipeline_of(ray_tools.beat, ray_tools.pid, executor=Ray(**WAYS[way]))
    pipeline.call("pid")

    result = run_and_end(pipeline, tmp_path / "runs", 60, connect_again)

    assert (type(result.error), result.error.effect) == (ToolUnavailableError, "possible")
    assert pipeline.call("pid").value > 0


def test_a_forked_process_says_so_and_its_parent_goes_on(pipeline_of: Any) -> None:
    pipeline = pipeline_of(ray_tools.pid)
    assert pipeline.call("pid").value > 0
    child = os.fork()
    if child == 0:
        try:
            pipeline.call("pid")
        except UsageError as error:
            os._exit(40 + ("was forked" in str(error) and pipeline.executors[0].problem is not None))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 41
    assert pipeline.call("pid").value > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_used", [False, True])
def test_the_deadline_holds_while_the_head_of_the_cluster_does_not_answer(
    pipeline_of: Any, cluster: Any, tmp_path: Path, way: str, is_used: bool
) -> None:
    executor = Ray(**WAYS[way])
    if is_used:
        pipeline_of(ray_tools.pid, executor=executor).call("pid")
    pipeline = pipeline_of(ray_tools.beat, executor=executor, timeout=2)
    (server,) = cluster.head_node.all_processes["gcs_server"]
    server.process.send_signal(signal.SIGSTOP)
    try:  # a call that waited for it would not end
        result = pipeline.call("beat", {"path": str(tmp_path / "runs"), "seconds": 30})
    finally:
        server.process.send_signal(signal.SIGCONT)
    assert type(result.error) is ToolTimeoutError
    assert pipeline_of(ray_tools.pid, executor=executor).call("pid").value > 0
