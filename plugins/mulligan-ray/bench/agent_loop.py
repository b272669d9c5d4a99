"""An agent's message with eight calls that compute: the time on Ray against the ideal.

    python plugins/mulligan-ray/bench/agent_loop.py [TURNS]

The ideal is measured too: as many bare processes as the machine has cores compute the same eight times, without Ray and
without mulligan. Both run in turn, so that other programs on the machine slow down both.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import json
import os
import pathlib
import platform
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import local_cluster  # sets the environment of Ray, so it comes first
import mulligan_ray
import ray

from mulligan import Pipeline, Tool

CALLS = 8
STEPS = 3_000_000


def compute(seed: int, steps: int = STEPS) -> int:
    """Computes for a good fraction of a second."""
    value = seed
    for _ in range(steps):
        value = (value * 1103515245 + 12345) % 2147483648
    return value


def message() -> dict[str, object]:
    """What a model sends: one message with eight calls."""
    calls = [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "compute", "arguments": json.dumps({"seed": number})},
        }
        for number in range(CALLS)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def main(turns: int = 5) -> None:
    """Prints the figures."""
    cores = os.cpu_count() or 1
    tool = Tool.from_function(compute, executor="ray", read_only=True, timeout=600)
    times: list[tuple[float, float]] = []
    with (
        ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool,
        local_cluster.local_cluster(num_cpus=cores) as cluster,
    ):
        ray.init(address=cluster.address, log_to_driver=False)
        with Pipeline([tool], plugins=[mulligan_ray], autoload=False) as pipeline:
            for turn in range(turns + 1):
                began = time.perf_counter()
                expected = list(pool.map(compute, range(CALLS)))
                middle = time.perf_counter()
                answers = asyncio.run(pipeline.aanswer(message()))
                ended = time.perf_counter()
                assert [result.value for result in answers.results] == expected
                if turn:  # the first one starts the processes
                    times.append((middle - began, ended - middle))
    ideal, ours = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"Python {platform.python_version()}, Ray {ray.__version__}, {cores} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{CALLS} calls: ideal {ideal:.2f} s, on Ray {ours:.2f} s, ratio {ours / ideal:.2f}; ", end="")
    print(f"turns {[(round(one, 2), round(two, 2)) for one, two in times]}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
