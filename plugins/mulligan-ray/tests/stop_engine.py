"""A cluster that stops while it runs calls, and starts again at the same address: a program of its own, which prints how each call ended.

Ray allows one connection for each process, and would end this one if the connection stayed. A call meets the stop in one of
three situations, which have two right answers:

- It runs once: its connection is lost, and its effect is possible.
- It is safe and runs again, when the cluster is known to be gone: it cannot be reached, and the first run may have had an
  effect.
- It is sent after the stop, before the cluster is known to be gone: no one can know that it does not run, so the answer is
  that of the first situation.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import local_cluster
import mulligan_ray
import ray_tools
from faults import DECLARED, LOST, SAFE, WAYS, Met, text_of
from mulligan_ray import Ray, cluster

from mulligan import Pipeline, Policy, Tool, ToolResult
from mulligan.middleware import retry

FAULT = "cluster stopped midway"
TIMEOUT = 100.0
UNREACHABLE = ("ToolConnectionError", "possible")
PAUSE = 8.0  # before a call runs again: longer than it takes to notice that the head is gone
PAIRS = [(way, declared) for way in WAYS for declared in DECLARED]
cluster.CHECK_SECONDS = 0.5


async def main() -> None:
    """Prints a JSON array of `Met` in a line."""
    with local_cluster.local_cluster() as first, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        executors = [
            {way: Ray(num_cpus=0.1, address=first.address, **options) for way, options in WAYS.items()}
            for _ in range(2)
        ]
        again = retry(attempts=2, timeout=TIMEOUT, wait_initial=PAUSE, wait_max=PAUSE, wait_jitter=0, budget=None)
        async with (
            _pipeline(executors[0], policy=Policy(retry=False)) as running_once,
            _pipeline(executors[1], middleware=[again]) as running_again,
        ):
            pipelines = (running_once, running_again)
            await asyncio.gather(*(one.acall(way) for one in pipelines for way in WAYS for _ in DECLARED))
            paths = {(at, *pair): Path(folder) / f"{at}_{'_'.join(pair)}" for at in range(2) for pair in PAIRS}
            late_ones = [key for key in paths if key[0] == 1 and key[2] not in SAFE]
            calls = {key: _begin(pipelines[key[0]], key, path) for key, path in paths.items() if key not in late_ones}
            while not all(paths[key].exists() for key in calls):
                await asyncio.sleep(0.05)
            await asyncio.to_thread(
                first.head_node.kill_all_processes, check_alive=False, allow_graceful=False, wait=True
            )
            began = time.perf_counter()
            calls |= {key: _begin(pipelines[1], key, paths[key]) for key in late_ones}
            results = dict(zip(calls, await asyncio.gather(*calls.values()), strict=True))
            late = time.perf_counter() - began - TIMEOUT
            local_cluster.restart_head(first)
            nexts = {(at, way): text_of((await pipelines[at].acall(way)).error) for at in range(2) for way in WAYS}
        for executor in (one for both in executors for one in both.values()):
            executor.close()
        met = [_met(key, result, paths[key], late=late, next_error=nexts[key[:2]]) for key, result in results.items()]
    print(json.dumps(met))  # noqa: T201


def _pipeline(executors: Mapping[str, Ray], **options: object) -> Pipeline:
    tools = [
        Tool.from_function(ray_tools.beat, name=f"{way}_{one}", executor=executor, timeout=TIMEOUT, **declared)
        for way, executor in executors.items()
        for one, declared in DECLARED.items()
    ]
    tools += [Tool.from_function(ray_tools.pid, name=way, executor=one, timeout=120) for way, one in executors.items()]
    return Pipeline(tools, plugins=[mulligan_ray], autoload=False, **options)  # type: ignore[arg-type]


def _begin(pipeline: Pipeline, key: tuple[int, str, str], path: Path) -> asyncio.Future[ToolResult]:
    return asyncio.ensure_future(pipeline.acall("_".join(key[1:]), {"path": str(path), "seconds": 90}))


def _met(key: tuple[int, str, str], result: ToolResult, path: Path, *, late: float, next_error: str | None) -> Met:
    at, way, declared = key
    expected = UNREACHABLE if at == 1 and declared in SAFE else LOST
    runs = len({line.split()[0] for line in path.read_text().splitlines()}) if path.exists() else 0
    effect = result.error.effect if result.error else None
    return Met(FAULT, way, declared, type(result.error).__name__, effect, expected, runs, late, next_error)


if __name__ == "__main__":
    asyncio.run(main())
