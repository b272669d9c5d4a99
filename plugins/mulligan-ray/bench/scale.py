"""Throughput of calls on a cluster of two nodes, against bare Ray, and the memory that the caller needs.

    python plugins/mulligan-ray/bench/scale.py [CALLS] [MILLISECONDS]

Each call works for MILLISECONDS of wall time. Bare Ray submits all calls at once and gets their results in order. Both
run three times in turn; the medians are compared.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import os
import platform
import resource
import statistics
import sys
import time

os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
import mulligan_ray
import ray
from ray.cluster_utils import Cluster

from mulligan import Pipeline, Tool

ROUNDS = 3


def work(number: int, seconds: float) -> int:
    """Works, and returns its argument."""
    time.sleep(seconds)
    return number


def bare(calls: int, seconds: float) -> float:
    """Calls per second of bare Ray."""
    remote = ray.remote(max_retries=0)(work)
    began = time.perf_counter()
    assert ray.get([remote.remote(number, seconds) for number in range(calls)]) == list(range(calls))
    return calls / (time.perf_counter() - began)


async def ours(pipeline: Pipeline, calls: int, seconds: float) -> float:
    """Calls per second of a pipeline."""
    began = time.perf_counter()
    results = await pipeline.acall_many([("work", {"number": n, "seconds": seconds}) for n in range(calls)])
    assert [result.value for result in results] == list(range(calls))
    return calls / (time.perf_counter() - began)


def peak() -> int:
    """The peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main(calls: int = 10_000, milliseconds: float = 5.0) -> None:
    """Prints the figures."""
    node = {"num_cpus": 2, "object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    ray.init(address=cluster.address, log_to_driver=False)
    tool = Tool.from_function(work, executor="ray", read_only=True, timeout=600)
    seconds = milliseconds / 1_000
    with Pipeline([tool], plugins=[mulligan_ray], autoload=False) as pipeline:
        asyncio.run(ours(pipeline, 50, seconds))
        bare(50, seconds)
        before = peak()
        rates = [(bare(calls, seconds), asyncio.run(ours(pipeline, calls, seconds))) for _ in range(ROUNDS)]
    bare_rate, our_rate = (statistics.median(column) for column in zip(*rates, strict=True))
    print(
        f"Python {platform.python_version()}, Ray {ray.__version__}, {os.cpu_count()} cores, 2 nodes of 2 logical CPUs"
    )
    print(f"{calls:,} calls of {milliseconds:g} ms: bare Ray {bare_rate:,.0f}/s, mulligan {our_rate:,.0f}/s, ", end="")
    print(f"ratio {our_rate / bare_rate:.2f}; rounds {[(round(b), round(o)) for b, o in rates]}")
    print(f"peak memory of the caller: {before} MB before, {peak()} MB after")
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main(*(kind(given) for kind, given in zip((int, float), sys.argv[1:], strict=False)))
