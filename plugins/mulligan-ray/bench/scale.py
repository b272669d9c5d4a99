"""Throughput of calls on a cluster of two nodes, against bare Ray, and the memory that the caller needs.

    python plugins/mulligan-ray/bench/scale.py [CALLS] [MILLISECONDS]

Each call works for MILLISECONDS of wall time. Bare Ray submits all calls at once and gets their results in order. Both
run three times in turn; the medians are compared.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import itertools
import os
import pathlib
import platform
import resource
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import local_cluster  # sets the environment of Ray, so it comes first
import mulligan_ray
import ray

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


def processor_seconds() -> tuple[float, float]:
    """The processor time of this process, and of all workers of Ray on this machine."""
    workers = 0.0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cmdline").read_bytes().startswith(b"ray::"):
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                workers += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:  # it has ended
            continue
    return time.process_time(), workers


def main(calls: int = 10_000, milliseconds: float = 5.0) -> None:
    """Prints the figures."""
    seconds = milliseconds / 1_000
    tool = Tool.from_function(work, executor="ray", read_only=True, timeout=600)
    rates, costs = [], []
    with local_cluster.local_cluster(2) as cluster:
        ray.init(address=cluster.address, log_to_driver=False)
        with Pipeline([tool], plugins=[mulligan_ray], autoload=False) as pipeline:
            asyncio.run(ours(pipeline, 50, seconds))
            bare(50, seconds)
            before = peak()
            for _ in range(ROUNDS):
                marks = [processor_seconds()]
                bare_rate = bare(calls, seconds)
                marks.append(processor_seconds())
                our_rate = asyncio.run(ours(pipeline, calls, seconds))
                marks.append(processor_seconds())
                rates.append((bare_rate, our_rate))
                costs.append([b - a for one, two in itertools.pairwise(marks) for a, b in zip(one, two, strict=True)])
            after = peak()
    bare_rate, our_rate = (statistics.median(column) for column in zip(*rates, strict=True))
    cost = [statistics.median(column) / calls * 1_000 for column in zip(*costs, strict=True)]
    print(
        f"Python {platform.python_version()}, Ray {ray.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{calls:,} calls of {milliseconds:g} ms on 2 nodes of 2 logical CPUs")
    print(
        f"calls per second: bare Ray {bare_rate:,.0f}, mulligan {our_rate:,.0f}, ratio {our_rate / bare_rate:.2f}; ",
        end="",
    )
    print(f"rounds {[(round(b), round(o)) for b, o in rates]}")
    print(f"processor time of a call in ms: bare Ray {cost[0]:.2f} here and {cost[1]:.2f} on the workers, ", end="")
    print(f"mulligan {cost[2]:.2f} and {cost[3]:.2f}")
    print(f"peak memory of the caller: {before} MB before, {after} MB after")


if __name__ == "__main__":
    main(*(kind(given) for kind, given in zip((int, float), sys.argv[1:], strict=False)))
