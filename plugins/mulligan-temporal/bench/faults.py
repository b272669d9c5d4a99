"""The fault table: each fault many times, for read-only, idempotent, writing and undeclared tools.

    python plugins/mulligan-temporal/bench/faults.py [TIMES] [AT_ONCE] [FAULT...]

It starts a development server and workers on this machine. Each fault strikes AT_ONCE calls of each kind of tool at a time,
until it has struck TIMES of each. It prints how many calls had the right class and effect, whether a writing tool ran more
than once, whether the next call worked, and how late calls ended that had a deadline, beside a timer of this process.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from conftest import DevServer
from fault_cases import CASES, KINDS, ONCE, Case, Seen, observe


async def strike(
    case: Case, server: DevServer, folder: Path, times: int, at_once: int
) -> tuple[list[Seen], list[float]]:
    """What is seen of the calls, and how late timers of this process were meanwhile."""
    seen: list[Seen] = []
    timers: list[float] = []

    async def tick() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(case.timeout)
            timers.append(time.monotonic() - began - case.timeout)

    ticking = asyncio.create_task(tick())
    while len(seen) < times * len(KINDS):
        seen += await observe(case, server.address, folder, at_once, server)
    ticking.cancel()
    return seen, timers


def p99(values: list[float]) -> float:
    """The 99th percentile, in milliseconds."""
    return sorted(values)[math.ceil(len(values) * 0.99) - 1] * 1_000 if values else math.nan


async def measure(times: int, at_once: int, names: Sequence[str]) -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as folder, DevServer(Path(folder) / "temporal.db") as server:
        for case in (CASES[name] for name in names or CASES):
            seen, timers = await strike(case, server, Path(folder), times, at_once)
            for kind in KINDS:
                mine = [one for one in seen if one.kind == kind]
                right = sum(one.is_right(case) for one in mine)
                twice = sum(one.runs > 1 for one in mine) if kind in ONCE else 0
                works = sum(one.next_works for one in mine)
                print(f"{case.title:<36} {kind:<10} {right}/{len(mine)} right, {twice} ran twice, ", end="")
                print(f"{works}/{len(mine)} next calls work", flush=True)
                wrong = Counter(
                    (one.error, one.effect, one.runs, one.content) for one in mine if not one.is_right(case)
                )
                for (error, effect, runs, content), count in wrong.items():
                    print(f"    {count} times: {error}, effect {effect}, {runs} runs: {content.splitlines()[:1]}")
            if case.timeout < 10:
                late = [one.late for one in seen]
                print(f"{case.title:<36} {p99(late):.0f} ms late (p99 of {len(late)}), ", end="")
                print(f"a timer of this process {p99(timers):.0f} ms; load {os.getloadavg()[0]:.1f}", flush=True)


def main(times: int = 20, at_once: int = 5, *names: str) -> None:
    """Prints the machine, and the table."""
    from conftest import program

    server = subprocess.run([program("temporal"), "--version"], capture_output=True, text=True, check=True)  # noqa: S603
    print(f"Python {platform.python_version()}, temporalio {version('temporalio')}, {server.stdout.strip()}, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    asyncio.run(measure(times, at_once, names))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:])
