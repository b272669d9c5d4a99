"""Measures what hanging tools cost their neighbours: `python bench/hanging_calls.py`.

A thousand sync calls hang with a deadline of 10 ms, as a batch with `await` and from a hundred threads without; a healthy
tool is called meanwhile. Two hundred async tools swallow their cancellation. A killable tool loops for ever.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from mulligan import Limits, Pipeline, Tool, tool

CALLS, TIMEOUT = 1_000, 0.01
RELEASE = threading.Event()


def hang() -> None:
    """Waits until it is let go."""
    RELEASE.wait(60)


def healthy() -> str:
    """Answers at once."""
    return "well"


async def stubborn() -> None:
    """Swallows its cancellation for five seconds."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            await asyncio.sleep(until - time.monotonic())
        except asyncio.CancelledError:
            continue


@tool(killable=True, timeout=1)
def spin(path: str) -> None:
    """Writes its process id to a file, then loops for ever."""
    with open(path, "w") as file:
        file.write(str(os.getpid()))
    while True:
        pass


def workers() -> int:
    """How many worker threads live."""
    return sum(thread.name == "mulligan" for thread in threading.enumerate())


def percentile(values: list[float], share: float) -> float:
    """The value below which that share lies."""
    return sorted(values)[int(share * (len(values) - 1))]


def seconds_until(seconds: float, done: Callable[[], bool]) -> float:
    """Seconds until something is so; infinity where it takes too long."""
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        if done():
            return time.perf_counter() - began
        time.sleep(0.005)
    return float("inf")


def print_row(title: str, late: list[float], healthy_ms: list[float], most: int, limit: int) -> None:
    """Prints one row of figures."""
    print(
        f"{title}: late by {percentile(late, 0.5) * 1e3:.1f} ms at the median, {percentile(late, 0.99) * 1e3:.1f} ms at p99, "
        f"{max(late) * 1e3:.1f} ms at most; {most} threads of {limit}; healthy calls {max(healthy_ms):.1f} ms at most"
    )


def pipeline() -> Pipeline:
    """One with a tool that hangs and one that is well."""
    tools = [Tool.from_function(hang, timeout=TIMEOUT), Tool.from_function(healthy, timeout=5)]
    made = Pipeline([*tools, Tool.from_function(stubborn, timeout=TIMEOUT), spin], autoload=False)
    made.call("healthy")
    assert made.call("nope").is_error
    return made


async def batch(pipeline: Pipeline) -> tuple[list[float], list[float], int]:
    """All calls at once, and ten healthy ones meanwhile."""

    async def one(name: str) -> float:
        began = time.perf_counter()
        await pipeline.acall(name)
        return time.perf_counter() - began

    calls = [asyncio.ensure_future(one("hang")) for _ in range(CALLS)]
    await asyncio.sleep(0)
    healthy_ms = [await one("healthy") * 1e3 for _ in range(10)]
    late = [seconds - TIMEOUT for seconds in await asyncio.gather(*calls)]
    return late, healthy_ms, workers()


def threads(pipeline: Pipeline) -> tuple[list[float], list[float], int]:
    """The same from a hundred threads."""

    def one(name: str) -> float:
        began = time.perf_counter()
        pipeline.call(name)
        return time.perf_counter() - began

    with ThreadPoolExecutor(100) as callers:
        calls = [callers.submit(one, "hang") for _ in range(CALLS)]
        healthy_ms = [one("healthy") * 1e3 for _ in range(10)]
        late = [call.result() - TIMEOUT for call in calls]
    return late, healthy_ms, workers()


def hanging() -> None:
    """Sync calls that hang."""
    for title, measure in (("acall", lambda made: asyncio.run(batch(made))), ("call", threads)):
        RELEASE.clear()
        with pipeline() as made:
            before = workers()
            late, healthy_ms, most = measure(made)
            print_row(f"{CALLS:,} hanging sync calls by {title}", late, healthy_ms, most, Limits().threads)
            RELEASE.set()
            seconds = seconds_until(20, lambda: workers() <= before)  # noqa: B023
            print(f"  back to {before} threads {seconds:.2f} s after they were let go")


def swallowing() -> None:
    """Async tools that swallow their cancellation."""

    async def main(made: Pipeline) -> float:
        began = time.perf_counter()
        results = await made.acall_many([("stubborn", {})] * 200)
        assert all(result.is_error for result in results)
        return time.perf_counter() - began - TIMEOUT - Limits().grace

    with pipeline() as made, asyncio.Runner() as runner:
        print(
            f"200 that swallow their cancellation: all back {runner.run(main(made)) * 1e3:.0f} ms after timeout and grace"
        )


def killing() -> None:
    """A tool in a process of its own."""
    path = f"/tmp/hanging_calls.{os.getpid()}"
    quick = Tool.from_function(healthy, killable=True, timeout=20)
    with Pipeline([quick, spin], autoload=False) as made:
        took = []
        for _ in range(5):
            began = time.perf_counter()
            made.call("healthy")
            took.append(time.perf_counter() - began)
        print(f"a call in a process of its own: {percentile(took, 0.5) * 1e3:.0f} ms")
        began = time.perf_counter()
        made.call("spin", {"path": path})
        back = time.perf_counter() - began
        pid = int(open(path).read())  # noqa: SIM115
        gone = seconds_until(10, lambda: not os.path.exists(f"/proc/{pid}"))
        print(
            f"one that loops for ever: answered {(back - 1) * 1e3:.0f} ms after its deadline, gone {gone * 1e3:.0f} ms later"
        )
    os.unlink(path)


if __name__ == "__main__":
    hanging()
    swallowing()
    killing()
