"""The memory that the caller needs for so many calls at once, on a cluster of one node.

    python plugins/mulligan-ray/bench/memory.py [CALLS ...]

Each number of calls, the smallest first, is one `acall_many`, after one of 1,000 calls. Prints the memory of this process
before, with all results, and at its peak; and for scale what each result and its call need by themselves.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import gc
import os
import pathlib
import platform
import sys
import tracemalloc

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import local_cluster  # sets the environment of Ray, so it comes first
import mulligan_ray
import ray
from scale import peak, work

from mulligan import Pipeline, Tool, ToolResult

WARM_UP = 1_000  # as many as `in_flight`, so that all that a running call needs has been used


async def call(pipeline: Pipeline, number: int) -> list[ToolResult]:
    """The results of so many calls at once."""
    return await pipeline.acall_many(("work", {"number": one, "seconds": 0.0}) for one in range(number))


def now() -> float:
    """The memory of this process, in MB."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def bytes_of_a_result() -> float:
    """What a result and its call need, without Ray."""
    with Pipeline([Tool.from_function(work, read_only=True)], autoload=False) as pipeline:
        asyncio.run(call(pipeline, 10))
        tracemalloc.start()
        results = asyncio.run(call(pipeline, WARM_UP))
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return used / len(results)


def main(numbers: list[int]) -> None:
    """Prints the figures."""
    tool = Tool.from_function(work, executor="ray", read_only=True, timeout=600)
    with local_cluster.local_cluster(1) as cluster:
        ray.init(address=cluster.address, log_to_driver=False)
        with Pipeline([tool], plugins=[mulligan_ray], autoload=False) as pipeline:
            asyncio.run(call(pipeline, WARM_UP))
            print(f"Python {platform.python_version()}, Ray {ray.__version__}, load {os.getloadavg()[0]:.1f}")
            for number in sorted(numbers):
                gc.collect()
                before = now()
                results = asyncio.run(call(pipeline, number))
                assert [result.value for result in results] == list(range(number))
                gc.collect()
                print(f"{number:,} calls: {before:.0f} MB before, {now():.0f} MB with all results, ", end="")
                print(f"peak {peak()} MB", flush=True)
                del results
    print(f"a result and its call: {bytes_of_a_result():.0f} bytes")


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [10_000, 30_000])
