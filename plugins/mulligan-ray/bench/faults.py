"""The fault table: each fault many times, for each declaration of a tool, as a task and on an actor.

    python plugins/mulligan-ray/bench/faults.py [--rounds 20] [--into FILE] [FAULT ...]

A round is one call for each declaration and way; a round of the fault "cluster stopped midway" is two. Prints for each fault
how many calls had the right class and effect, how many writing tools ran more than once, how many next calls worked, and how
late the calls ended that met their deadline.

All faults take more than half an hour. With `--into`, the calls are added to a file, a line for each, and the table is of
all calls in it, so that a run can be made in parts, and a part that was interrupted is not lost.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests"))
import faults
import local_cluster  # before Ray, whose environment it sets
import ray

STOPPED = "cluster stopped midway"
NAMES = (*faults.FAULTS, STOPPED)
COLUMNS = (
    "fault",
    "calls",
    "right class and effect",
    "writes run twice",
    "next call works",
    "late (p50)",
    "late (p99)",
)


def main(rounds: int, names: list[str], into: pathlib.Path | None) -> None:
    """Prints the table.

    Args:
        rounds: how often each fault happens.
        names: the faults; none for all.
        into: the file to which the calls are added.
    """
    met = [] if into is None or not into.exists() else [read(line) for line in into.read_text("utf-8").splitlines()]
    for one in observe(rounds, names or list(NAMES)):
        met.append(one)
        if into is not None:
            with into.open("a", encoding="utf-8") as file:
                file.write(json.dumps(one) + "\n")
        if not one.is_right:
            print(f"not right: {one}", file=sys.stderr, flush=True)
    print(f"Python {platform.python_version()}, Ray {ray.__version__}, {os.cpu_count()} cores, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}, {datetime.datetime.now(tz=datetime.UTC):%Y-%m-%d}")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for name in NAMES:
        if mine := [one for one in met if one.fault == name]:
            print(row(name, mine))


def observe(rounds: int, names: list[str]) -> Iterator[faults.Met]:
    """The calls that meet the faults."""
    quick = [name for name in names if name != STOPPED]
    if quick:
        with local_cluster.local_cluster() as cluster:
            ray.init(address=cluster.address, log_to_driver=False)
            for name in quick:
                began = time.monotonic()
                at_a_time = 1 if faults.FAULTS[name].loses_node else rounds
                for _ in range(rounds // at_a_time):
                    yield from faults.meet(name, cluster, at_a_time)
                print(f"{name}: {time.monotonic() - began:.0f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    if STOPPED in names:
        for _ in range(rounds):
            yield from stopped()


def stopped() -> list[faults.Met]:
    """A round in which the cluster stops and starts again, in a program of its own."""
    script = pathlib.Path(faults.__file__).with_name("stop_engine.py")
    run = subprocess.run([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return [faults.Met(*row) for row in json.loads(run.stdout.splitlines()[-1])]


def read(line: str) -> faults.Met:
    """A call that was written as JSON."""
    return faults.Met(*json.loads(line))


def row(name: str, met: list[faults.Met]) -> str:
    """A line of the table."""
    right = sum((one.error, one.effect) == tuple(one.expected) for one in met)
    twice = sum(one.runs > 1 and one.declared not in faults.SAFE for one in met)
    works = sum(one.next_error is None for one in met)
    late = sorted(one.late * 1_000 for one in met if one.error == "ToolTimeoutError")
    lateness = ("", "")
    if late:
        lateness = f"{statistics.median(late):.0f} ms", f"{late[min(len(late) - 1, int(0.99 * len(late)))]:.0f} ms"
    cells = (name, len(met), percent(right, len(met)), twice, percent(works, len(met)), *lateness)
    return "| " + " | ".join(map(str, cells)) + " |"


def percent(count: int, total: int) -> str:
    """A share of all calls, which is 100 % only for all of them."""
    return "100 %" if count == total else f"{count} of {total}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("faults", nargs="*", metavar="FAULT")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--into", type=pathlib.Path)
    given = parser.parse_args()
    main(given.rounds, given.faults, given.into)
