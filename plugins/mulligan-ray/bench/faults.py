"""The fault table: each fault many times, for each declaration of a tool, as a task and on an actor.

    python plugins/mulligan-ray/bench/faults.py [ROUNDS] [FAULT ...]

A round is one call for each declaration and way. Prints for each fault how many calls had the right class and effect, how
many writing tools ran more than once, how many next calls worked, and how late the calls ended that met their deadline.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import faults
import local_cluster  # before Ray, whose environment it sets
import ray

STOPPED = "cluster stopped midway"
ROW = "| {:26} | {:>7} | {:>7} | {:>9} | {:>10} | {:>10} | {:>13} |"


def main(rounds: int, names: list[str]) -> None:
    """Prints the table.

    Args:
        rounds: how often each fault happens.
        names: the faults; none for all.
    """
    print(
        f"Python {platform.python_version()}, Ray {ray.__version__}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    print(ROW.format("fault", "calls", "right", "run twice", "next works", "late (p50)", "late (p99)"))
    with local_cluster.local_cluster() as cluster:
        ray.init(address=cluster.address, log_to_driver=False)
        for name in [one for one in names or faults.FAULTS if one != STOPPED]:
            began, met = time.monotonic(), [one for _ in range(rounds) for one in faults.meet(name, cluster)]
            print_row(name, met)
            print(f"  {time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    if not names or STOPPED in names:
        print_row(STOPPED, [one for _ in range(rounds) for one in stopped()])


def stopped() -> list[faults.Met]:
    """A round in which the cluster stops and starts again, in a program of its own."""
    script = pathlib.Path(faults.__file__).with_name("stop_engine.py")
    run = subprocess.run([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return [faults.Met(*row) for row in json.loads(run.stdout.splitlines()[-1])]


def print_row(name: str, met: list[faults.Met]) -> None:
    """Prints a line of the table, and to standard error each call that was not right."""
    right = sum((one.error, one.effect) == tuple(one.expected) for one in met)
    twice = sum(one.runs > 1 and one.declared not in faults.SAFE for one in met)
    works = sum(one.next_works for one in met)
    late = sorted(one.late * 1_000 for one in met if one.error == "ToolTimeoutError")
    lateness = ("-", "-")
    if late:
        lateness = f"{statistics.median(late):.0f} ms", f"{late[min(len(late) - 1, int(0.99 * len(late)))]:.0f} ms"
    print(
        ROW.format(name, len(met), f"{right / len(met):.0%}", twice, f"{works / len(met):.0%}", *lateness), flush=True
    )
    for one in met:
        if not one.is_right:
            print(f"  {one}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, sys.argv[2:])
