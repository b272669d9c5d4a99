"""Throughput of calls as activities, against Temporal's own client loop, and the memory that the caller needs.

    python plugins/mulligan-temporal/bench/scale.py [CALLS] [IN_FLIGHT] [ROUNDS]

It starts a development server and two workers on this machine: one of mulligan, and one of plain activities that do the
same. The plain loop starts IN_FLIGHT activities at a time and waits for their results, with the same options. Both run in
turn; the medians are compared.
"""

# ruff: noqa: INP001, T201
from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import mulligan_temporal
from conftest import end, free_port, start_server, start_worker
from mulligan_temporal import Temporal
from temporalio import activity
from temporalio.client import Client
from temporalio.common import RetryPolicy
from temporalio.worker import Worker

from mulligan import Pipeline, Policy, Tool

THREADS = 32
HEARTBEAT = 60.0  # the server itself loses a task now and then if it has no processor time; both count what fails
SAMPLE_SECONDS = 1.0


def double(number: int) -> int:
    """Doubles a number."""
    return number * 2


TOOLS = [Tool.from_function(double, read_only=True)]


async def work_plainly(address: str) -> None:
    """The worker of the plain loop, until it is ended."""
    with ThreadPoolExecutor(THREADS) as pool:
        client, run = await Client.connect(address), activity.defn(double)
        await Worker(
            client, task_queue="plain", activities=[run], activity_executor=pool, max_concurrent_activities=THREADS
        ).run()


async def plain(client: Client, calls: int, in_flight: int) -> tuple[float, int]:
    """Calls per second of Temporal's own client, and how many failed."""
    limit = asyncio.Semaphore(in_flight)

    async def one(number: int) -> bool:
        async with limit:
            value = await client.execute_activity(
                "double",
                number,
                id=str(uuid4()),
                task_queue="plain",
                result_type=int,
                schedule_to_close_timeout=timedelta(seconds=600),
                heartbeat_timeout=timedelta(seconds=HEARTBEAT),
                retry_policy=RetryPolicy(maximum_attempts=1),
            )
            return value == 2 * number

    began = time.perf_counter()
    right = await asyncio.gather(*map(one, range(calls)), return_exceptions=True)
    return calls / (time.perf_counter() - began), calls - right.count(True)


async def with_mulligan(pipeline: Pipeline, calls: int) -> tuple[float, int]:
    """Calls per second of a pipeline, and how many failed. Their order is kept."""
    began = time.perf_counter()
    results = await pipeline.acall_many([("double", {"number": number}) for number in range(calls)])
    right = sum(result.value == 2 * number for number, result in enumerate(results))
    return calls / (time.perf_counter() - began), calls - right


@contextlib.asynccontextmanager
async def most_at_a_time(client: Client, seen: list[int]) -> AsyncIterator[None]:
    """Counts what the server has not finished, at intervals."""

    async def sample() -> None:
        while True:
            await asyncio.sleep(SAMPLE_SECONDS)
            seen.append((await client.count_activities("ExecutionStatus = 'Running'")).count)

    sampling = asyncio.create_task(sample())
    try:
        yield
    finally:
        sampling.cancel()


def peak() -> int:
    """The peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


async def measure(address: str, calls: int, in_flight: int, rounds: int) -> None:
    """Prints the figures."""
    client = await Client.connect(address)
    executor = Temporal(client=client, task_queue="mulligan", in_flight=in_flight, heartbeat=HEARTBEAT)
    tool = TOOLS[0].with_options(executor=executor, timeout=600)
    with Pipeline([tool], plugins=[mulligan_temporal], autoload=False, policy=Policy(retry=False)) as pipeline:
        await with_mulligan(pipeline, 100)
        await plain(client, 100, in_flight)
        before, seen, ratios = peak(), [0], []
        for _ in range(rounds):
            began = time.process_time()
            bare, bare_failed = await plain(client, calls, in_flight)
            between, after_plain = time.process_time(), peak()
            async with most_at_a_time(client, seen):
                ours, our_failed = await with_mulligan(pipeline, calls)
            costs = [1_000 * seconds / calls for seconds in (between - began, time.process_time() - between)]
            ratios.append(ours / bare)
            print(f"{calls:,} calls: plain loop {bare:,.0f}/s, {bare_failed} failed; ", end="")
            print(f"mulligan {ours:,.0f}/s, {our_failed} failed; ratio {ours / bare:.2f}", flush=True)
            print(f"processor time of the caller: plain loop {costs[0]:.1f} ms a call, mulligan {costs[1]:.1f} ms")
            print(
                f"peak memory: {before} MB at first, {after_plain} MB after the plain loop, {peak()} MB after mulligan"
            )
    print(f"median ratio {statistics.median(ratios):.2f}; at most {max(seen)} of {in_flight} at a time on the server")


def main(calls: int = 10_000, in_flight: int = 100, rounds: int = 3) -> None:
    """Starts the server and the workers, and measures."""
    port = free_port()
    address, processes = f"127.0.0.1:{port}", [start_server(port)]
    print(f"Python {platform.python_version()}, temporalio {version('temporalio')}, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    try:
        processes.append(start_worker(address, "mulligan", "scale:TOOLS", folder=Path(__file__).parent))
        processes.append(subprocess.Popen([sys.executable, __file__, "worker", address]))  # noqa: S603
        asyncio.run(measure(address, calls, in_flight, rounds))
    finally:
        for process in reversed(processes):
            end(process)


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        asyncio.run(work_plainly(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:]))
