"""Ratios of CPU time: contender and floor in alternating batches of one process, medians over rounds."""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

ROUNDS = 15
BATCH = 400


def cpu(function: Callable[[], Any], times: int) -> float:
    """CPU seconds of so many calls."""
    gc.collect()
    started = time.process_time()
    for _ in range(times):
        function()
    return time.process_time() - started


def ratio(contender: Callable[[], Any], floor: Callable[[], Any], batch: int = BATCH) -> float:
    """How many times the floor's CPU time the contender takes."""
    cpu(contender, 10), cpu(floor, 10)
    return statistics.median(cpu(contender, batch) / cpu(floor, batch) for _ in range(ROUNDS))


def async_ratio(
    contender: Callable[[], Awaitable[Any]], floor: Callable[[], Awaitable[Any]], batch: int = BATCH
) -> float:
    """The same for coroutine functions, awaited one after the other."""
    pairs = asyncio.run(async_rounds(contender, floor, batch))
    return statistics.median(ours / theirs for ours, theirs in pairs)


async def async_rounds(
    contender: Callable[[], Awaitable[Any]], other: Callable[[], Awaitable[Any]], batch: int = BATCH
) -> list[tuple[float, float]]:
    """CPU seconds of a batch of each, in turn; one pair for each round."""

    async def timed(function: Callable[[], Awaitable[Any]]) -> float:
        gc.collect()
        started = time.process_time()
        for _ in range(batch):
            await function()
        return time.process_time() - started

    await timed(contender), await timed(other)
    return [(await timed(contender), await timed(other)) for _ in range(ROUNDS)]


def seconds(function: Callable[[], Any], rounds: int = 5) -> float:
    """CPU seconds of one call, the median over the rounds."""
    return statistics.median(cpu(function, 1) for _ in range(rounds))
