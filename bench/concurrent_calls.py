"""Ten thousand calls at once of a tool that awaits for a millisecond.

python bench/concurrent_calls.py 1000 30000    the ratio for other numbers of calls
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import contenders
import floor

from mulligan import Pipeline

CALLS = 10_000


async def _gather(make: Callable[[], Awaitable[Any]], calls: int = CALLS) -> float:
    gc.collect()
    started = time.process_time()
    await asyncio.gather(*(make() for _ in range(calls)))
    return time.process_time() - started


def _floor() -> Callable[[], Awaitable[Any]]:
    return lambda: floor.bare_async("wait", floor.TEXT)


def _contender() -> Callable[[], Awaitable[Any]]:
    return contenders.async_caller(Pipeline([floor.wait], autoload=False), "wait", floor.TEXT)


def gather(calls: int = CALLS) -> None:
    """The floor alone, for a fresh process."""
    asyncio.run(_gather(_floor(), calls))


def contend(calls: int = CALLS) -> None:
    """mulligan alone, for a fresh process."""
    asyncio.run(_gather(_contender(), calls))


def ratio(calls: int = CALLS) -> float:
    """CPU time of mulligan over that of the floor."""

    async def rounds() -> float:
        bare, contender = _floor(), _contender()
        await _gather(contender)
        return statistics.median([await _gather(contender, calls) / await _gather(bare, calls) for _ in range(5)])

    return asyncio.run(rounds())


if __name__ == "__main__":
    for number in map(int, sys.argv[1:]):
        print(f"{number:,} calls: {ratio(number):.2f} x")
