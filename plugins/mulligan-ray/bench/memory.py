"""The memory that the caller needs for so many calls at once, on a cluster of one node.

    python plugins/mulligan-ray/bench/memory.py [CALLS ...]

Each number of calls, the smallest first, is one `acall_many`, whose results are kept until it ends. Prints the peak memory
of this process after each.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import os
import pathlib
import platform
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import local_cluster  # sets the environment of Ray, so it comes first
import mulligan_ray
import ray
from scale import ours, peak, work

from mulligan import Pipeline, Tool


def main(numbers: list[int]) -> None:
    """Prints the figures."""
    tool = Tool.from_function(work, executor="ray", read_only=True, timeout=600)
    with local_cluster.local_cluster(1) as cluster:
        ray.init(address=cluster.address, log_to_driver=False)
        with Pipeline([tool], plugins=[mulligan_ray], autoload=False) as pipeline:
            asyncio.run(ours(pipeline, 50, 0.0))
            print(f"Python {platform.python_version()}, Ray {ray.__version__}, load {os.getloadavg()[0]:.1f}")
            print(f"peak memory after 50 calls: {peak()} MB", flush=True)
            for number in sorted(numbers):
                asyncio.run(ours(pipeline, number, 0.0))
                print(f"peak memory after {number:,} calls: {peak()} MB", flush=True)


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]] or [1_000, 2_000, 10_000, 20_000])
