"""A cluster that stops while it runs calls, and starts again at the same address: a program of its own, which prints how each call ended.

Ray allows one connection for each process, and would end this one if the connection stayed.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from pathlib import Path

import local_cluster
import mulligan_ray
import ray_tools
from faults import DECLARED, WAYS, Met
from mulligan_ray import Ray, cluster

from mulligan import Pipeline, Tool, ToolResult

FAULT = "cluster stopped midway"
TIMEOUT = 100.0
ANSWER = ("ToolUnavailableError", "possible")
AGAIN = ("ToolConnectionError", "possible")  # a safe tool was run again, and the cluster was known to be gone
cluster.CHECK_SECONDS = 0.5


def is_connection_error(result: ToolResult) -> bool:
    """Whether the cluster could not be reached."""
    return type(result.error).__name__ == AGAIN[0]


async def main() -> None:
    """Prints a JSON array of `Met` in a line."""
    with local_cluster.local_cluster() as first, tempfile.TemporaryDirectory() as folder:
        executors = {way: Ray(num_cpus=0.1, address=first.address, **options) for way, options in WAYS.items()}
        tools = [
            Tool.from_function(ray_tools.beat, name=f"{way}_{one}", executor=executor, timeout=TIMEOUT, **options)
            for way, executor in executors.items()
            for one, options in DECLARED.items()
        ]
        tools += [
            Tool.from_function(ray_tools.pid, name=way, executor=one, timeout=120) for way, one in executors.items()
        ]
        async with Pipeline(tools, plugins=[mulligan_ray], autoload=False) as pipeline:
            await asyncio.gather(*(pipeline.acall(way) for way in WAYS for _ in DECLARED))
            pairs = [(way, declared) for way in WAYS for declared in DECLARED]
            paths = {pair: Path(folder) / "_".join(pair) for pair in pairs}
            calls = [
                asyncio.ensure_future(pipeline.acall("_".join(pair), {"path": str(paths[pair]), "seconds": 60}))
                for pair in pairs
            ]
            while not all(path.exists() for path in paths.values()):
                await asyncio.sleep(0.05)
            await asyncio.to_thread(
                first.head_node.kill_all_processes, check_alive=False, allow_graceful=False, wait=True
            )
            began = time.perf_counter()
            results = await asyncio.gather(*calls)
            late = time.perf_counter() - began - TIMEOUT
            local_cluster.restart_head(first)
            works = {way: not (await pipeline.acall(way)).is_error for way in WAYS}
            runs = {pair: len({line.split()[0] for line in paths[pair].read_text().splitlines()}) for pair in pairs}
        for executor in executors.values():
            executor.close()
    met = [
        Met(
            *(FAULT, *pair, type(result.error).__name__, result.error.effect if result.error else None),
            *(
                AGAIN if result.attempts > 1 and is_connection_error(result) else ANSWER,
                runs[pair],
                late,
                works[pair[0]],
            ),
        )
        for pair, result in zip(pairs, results, strict=True)
    ]
    print(json.dumps(met))  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
