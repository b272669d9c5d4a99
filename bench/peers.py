"""What one call costs beside the frameworks that people would use instead: `nox -s peers`.

mulligan and one framework run in one process and one environment at a time, in alternating rounds, with the same tools and
faults. mulligan has every provider package installed and suggests the corrected call, as it comes. `bench/frameworks.py`
says how a call is made in each.

    python bench/peers.py measure pydantic-ai results.json    in an environment that has both
    python bench/peers.py measure pydantic-ai results.json wrong unknown    only rows with one of these words
    python bench/peers.py table results.json ...              all that was measured, as one table
"""

from __future__ import annotations

import asyncio
import datetime
import gc
import importlib.metadata
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import floor
import frameworks
import measure
import processes

GOAL, BAR = 1, 1.5
BATCHES = {20: 200, 10_000: 20}  # by the number of tools
CONCURRENT = 1_000
SEARCH, READ, UNKNOWN = "search_issues_async", "read_file_async", "serch_isues"
FEW = {
    "success, typed arguments, µs": (SEARCH, floor.TEXT),
    "a raising tool, µs": (READ, floor.TEXT),
    "one wrong argument, µs": (SEARCH, floor.ONE_FAULT),
    "three wrong arguments, µs": (SEARCH, floor.THREE_FAULTS),
    "malformed JSON, µs": (SEARCH, floor.MALFORMED),
    "unknown name, 20 tools, µs": (UNKNOWN, floor.TEXT),
}
MANY = {
    "success, 10,000 tools, µs": (SEARCH, floor.TEXT),
    "unknown name, 10,000 tools, µs": (UNKNOWN, floor.TEXT),
}

Row = tuple[float, float, float]
"""mulligan, the framework, and the first over the second: medians over the rounds."""


async def rows(framework: str, words: Sequence[str] = ()) -> dict[str, Row]:
    """Every row, or those with one of the words, without those that the framework leaves to its caller."""
    left_out = frameworks.FRAMEWORKS[framework].leaves_to_caller

    def is_wanted(title: str) -> bool:
        return not title.startswith(left_out) and (not words or any(word in title for word in words))

    measured = {}
    for count, calls in ((20, FEW), (10_000, MANY)):
        if not any(map(is_wanted, calls)):
            continue
        pair = [await frameworks.make(name, frameworks.tools(count)) for name in ("mulligan", framework)]
        for title, (name, text) in calls.items():
            if is_wanted(title):
                measured[title] = await one_after_the_other(
                    *(partial(call, name, text) for call in pair), BATCHES[count]
                )
        if calls is FEW and not words:
            measured["1,000 concurrent, ratio to bare"] = await at_once(
                *(partial(call, "wait", floor.TEXT) for call in pair)
            )
    if not words:
        measured["20 tools and the first call in a fresh process, ms"] = in_a_fresh_process(framework)
    return measured


async def one_after_the_other(
    ours: Callable[[], Awaitable[str]], theirs: Callable[[], Awaitable[str]], batch: int
) -> Row:
    """Microseconds of CPU for a call."""
    pairs = await measure.async_rounds(ours, theirs, batch)
    return _medians([(mine / batch * 1e6, other / batch * 1e6) for mine, other in pairs])


async def at_once(ours: Callable[[], Awaitable[str]], theirs: Callable[[], Awaitable[str]]) -> Row:
    """How many times the CPU of bare calls a thousand calls at once take, of a tool that awaits for a millisecond."""

    async def gather(call: Callable[[], Awaitable[Any]]) -> float:
        gc.collect()
        started = time.process_time()
        await asyncio.gather(*(call() for _ in range(CONCURRENT)))
        return time.process_time() - started

    calls = (ours, theirs, partial(floor.bare_async, "wait", floor.TEXT))
    rounds = [[await gather(call) for call in calls] for _ in range(measure.ROUNDS + 1)][1:]
    return _medians([(mine / bare, other / bare) for mine, other, bare in rounds])


def in_a_fresh_process(framework: str) -> Row:
    """Milliseconds of CPU beyond those of a bare interpreter."""
    start = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import frameworks; frameworks.first_call"
    ours, theirs = (f"{start}({name!r})" for name in ("mulligan", framework))
    rounds = [[processes.cpu(code) * 1e3 for code in (ours, theirs, "pass")] for _ in range(processes.ROUNDS + 1)][1:]
    return _medians([(mine - bare, other - bare) for mine, other, bare in rounds])


def _medians(pairs: list[tuple[float, float]]) -> Row:
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    return mine, other, statistics.median(ours / theirs for ours, theirs in pairs)


def result(framework: str, words: Sequence[str]) -> dict[str, Any]:
    """What was measured, and on what."""
    busy = os.getloadavg()[0]
    measured = asyncio.run(rows(framework, words))
    providers = {point.dist.name for point in importlib.metadata.entry_points(group="mulligan") if point.dist}
    names = ("mulligan", frameworks.FRAMEWORKS[framework].distribution)
    return {
        "framework": framework,
        "machine": f"CPython {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "date": f"{datetime.date.today()}",
        "load": (busy, os.getloadavg()[0]),
        "packages": len(providers),
        "versions": {name: importlib.metadata.version(name) for name in names},
        "rows": measured,
    }


def table(results: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of one table of these results."""
    results.sort(key=lambda one: list(frameworks.FRAMEWORKS).index(one["framework"]))
    busy = [load for one in results for load in one["load"]]
    versions = {name: version for one in results for name, version in one["versions"].items()}
    known = ", ".join(f"{name} {version}" for name, version in versions.items())
    machine, packages = results[0]["machine"], results[0]["packages"]
    yield f"{results[0]['date']}, {machine}, load {min(busy):.1f} to {max(busy):.1f}; {known}, {packages} packages"
    titles = [frameworks.FRAMEWORKS[one["framework"]].title for one in results]
    yield f"\n| call | mulligan | {' | '.join(titles)} | of the cheapest | |"
    yield "|---" * (len(titles) + 4) + "|"
    for title in results[0]["rows"]:
        yield _line(title, [one["rows"].get(title) for one in results])


def _line(title: str, row: list[Row | None]) -> str:
    mine = sorted(one[0] for one in row if one)
    times = max(one[2] for one in row if one)
    cells = ("-" if one is None else f"{_figure(one[1])} ({one[2]:.2g} x)" for one in row)
    verdict = "met" if times <= GOAL else "within the bar" if times <= BAR else "MISSED"
    ours = "-".join(dict.fromkeys(map(_figure, (mine[0], mine[-1]))))
    return f"| {title} | {ours} | {' | '.join(cells)} | {times:.2g} x | {verdict} |"


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main(command: str, *arguments: str) -> None:
    """Measures one framework, or prints what was measured."""
    if command == "measure":
        framework, path, *words = arguments
        Path(path).write_text(json.dumps(result(framework, words)))
    else:
        print("\n".join(table([json.loads(Path(path).read_text()) for path in arguments])))


if __name__ == "__main__":
    main(*sys.argv[1:])
