"""Each fault that a cluster can have, for each declaration of a tool, as a task and on an actor: the class, the effect, the
number of runs, and that the next call works.

`bench/faults.py` runs each of them many times.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ray_tools
from faults import FAULTS, Met, meet
from mulligan_ray import Ray

from mulligan.errors import ToolExecutionError, ToolTimeoutError, ToolUnavailableError

WAYS = {"task": {}, "actor": {"actors": 1}}


def runs(path: Path) -> list[int]:
    """The processes in which a tool has noted that it runs."""
    return [int(line.split()[0]) for line in path.read_text().splitlines()] if path.exists() else []


def wait_for(condition: Callable[[], Any], seconds: float = 30.0) -> None:
    """Waits until something has happened."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.02)


QUICK = [name for name in FAULTS if not name.startswith("node")]


@pytest.mark.parametrize("fault", QUICK)
def test_a_fault_has_the_right_answer(connected: Any, cluster: Any, fault: str) -> None:
    met = list(meet(fault, cluster))
    assert [one for one in met if not one.is_right] == []


def test_a_node_is_lost_while_it_runs_calls_and_only_safe_tools_run_on_another(connected: Any, cluster: Any) -> None:
    met = list(meet("node removed while running", cluster))
    assert [one for one in met if not one.is_right] == []


def test_calls_that_wait_for_a_lost_node_end_at_their_own_deadline(connected: Any, cluster: Any) -> None:
    met = list(meet("node removed while pending", cluster))
    assert [one for one in met if not one.is_right] == []
    assert {one.runs for one in met} == {0}


def test_a_cluster_that_stops_and_starts_again_ends_neither_the_host_nor_the_next_call() -> None:
    script = Path(__file__).with_name("stop_engine.py")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr[-3_000:]
    met = [Met(*row) for row in json.loads(run.stdout.splitlines()[-1])]
    assert [one for one in met if not one.is_right] == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("how", "error", "effect"),
    [
        ("os._exit", ToolUnavailableError, "possible"),
        ("SIGTERM", ToolUnavailableError, "possible"),
        ("swallowed SIGTERM", ToolUnavailableError, "possible"),
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
