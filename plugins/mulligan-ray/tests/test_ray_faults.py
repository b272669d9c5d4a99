"""Each fault that a cluster can have, once: the class, the effect, the number of runs, and that the next call works.

`bench/faults.py` runs each of them many times.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ray_tools
from mulligan_ray import Ray

from mulligan.errors import ToolExecutionError, ToolQuotaError, ToolTimeoutError, ToolUnavailableError

WAYS = {"task": {}, "actor": {"actors": 1}}
DECLARED = {
    "read_only": {"read_only": True},
    "idempotent": {"idempotent": True},
    "write": {"read_only": False},
    "undeclared": {},
}


def runs(path: Path) -> list[int]:
    """The processes in which a tool has noted that it runs."""
    return [int(line.split()[0]) for line in path.read_text().splitlines()] if path.exists() else []


def wait_for(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    """Waits until something has happened."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.02)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("declared", DECLARED)
def test_a_worker_that_is_killed_may_have_taken_effect_and_only_safe_tools_run_again(
    pipeline_of: Any, tmp_path: Path, way: str, declared: str
) -> None:
    path = tmp_path / "runs"
    pipeline = pipeline_of(ray_tools.die, ray_tools.pid, executor=Ray(**WAYS[way]), **DECLARED[declared])

    result = pipeline.call("die", {"path": str(path), "how": "SIGKILL"})

    assert (type(result.error), result.error.effect) == (ToolUnavailableError, "possible")
    assert result.error.message == "The worker that ran the tool was lost."
    assert len(runs(path)) == 1 or declared in ("read_only", "idempotent")
    assert result.error.transient
    assert pipeline.call("pid").value > 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("how", "error", "effect"),
    [
        ("sys.exit", ToolExecutionError, "possible"),
        ("os._exit", ToolUnavailableError, "possible"),
        ("out of memory", ToolQuotaError, "possible"),
        ("interrupt", ToolExecutionError, "possible"),
    ],
)
def test_however_a_tool_ends_its_worker(
    pipeline_of: Any, tmp_path: Path, way: str, how: str, error: type, effect: str
) -> None:
    path = tmp_path / "runs"
    pipeline = pipeline_of(ray_tools.die, ray_tools.pid, executor=Ray(**WAYS[way]))

    result = pipeline.call("die", {"path": str(path), "how": how})

    assert (type(result.error), result.error.effect, len(runs(path))) == (error, effect, 1)
    assert pipeline.call("pid").value > 0


@pytest.mark.parametrize("way", WAYS)
def test_at_its_deadline_a_call_is_stopped_on_the_worker(pipeline_of: Any, tmp_path: Path, way: str) -> None:
    path = tmp_path / "runs"
    pipeline = pipeline_of(ray_tools.beat, executor=Ray(**WAYS[way]), timeout=20)
    pipeline.call("beat", {"path": str(path), "seconds": 0.1})
    pipeline = pipeline_of(ray_tools.beat, executor=pipeline.tools["beat"].executor, timeout=2)

    result = pipeline.call("beat", {"path": str(path), "seconds": 30})
    time.sleep(0.1)
    stopped_at = len(runs(path))
    time.sleep(0.3)

    assert (type(result.error), result.error.effect) == (ToolTimeoutError, "possible")
    assert result.error.message == "No response within 2 s; it was cancelled."
    assert len(runs(path)) == stopped_at


@pytest.mark.parametrize("way", WAYS)
def test_a_call_that_the_host_cancels_is_stopped_on_the_worker(pipeline_of: Any, tmp_path: Path, way: str) -> None:
    path = tmp_path / "runs"
    pipeline = pipeline_of(ray_tools.beat, ray_tools.pid, executor=Ray(**WAYS[way]), timeout=None)

    async def cancel() -> None:
        task = asyncio.ensure_future(pipeline.acall("beat", {"path": str(path), "seconds": 30}))
        while not path.exists():
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    time.sleep(0.1)
    stopped_at = len(runs(path))
    time.sleep(0.3)

    assert len(runs(path)) == stopped_at
    assert pipeline.call("pid").value > 0


def test_a_call_that_waits_for_an_actor_until_its_deadline_has_not_started(pipeline_of: Any, tmp_path: Path) -> None:
    executor = Ray(actors=1)
    path, other = tmp_path / "runs", tmp_path / "other"
    busy = pipeline_of(ray_tools.beat, executor=executor)
    waiting = pipeline_of(ray_tools.beat, executor=executor, timeout=0.5)
    thread = threading.Thread(target=busy.call, args=("beat", {"path": str(path), "seconds": 2}))
    thread.start()
    wait_for(path.exists)

    result = waiting.call("beat", {"path": str(other), "seconds": 1})
    thread.join()

    assert (result.error.message, result.error.effect) == (
        "No response within 0.5 s; the tool had not started.",
        "none",
    )
    assert not other.exists()


def test_a_node_that_is_lost_while_it_runs_a_tool(
    pipeline_of: Any, cluster: Any, second_node: Any, tmp_path: Path
) -> None:
    path = tmp_path / "runs"
    pipeline = pipeline_of(ray_tools.beat, executor=Ray(resources={"second": 1}))
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(pipeline.call("beat", {"path": str(path), "seconds": 30})))
    thread.start()
    wait_for(path.exists)

    cluster.remove_node(second_node, allow_graceful=False)
    thread.join(30)

    (result,) = results
    assert (type(result.error), result.error.effect) == (ToolUnavailableError, "possible")
    assert "Node IP" not in result.content
