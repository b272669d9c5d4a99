"""Measures the budgets of mulligan and prints them as a table: `python bench/budgets.py`, or only some: `budgets.py unknown`.

A ratio is CPU time over that of a bare call: `str(table[name](**json.loads(text)))` in one `try`.
"""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import concurrent_calls
import contenders
import floor
import measure
import processes

from mulligan import Budget, Pipeline, Tool, Toolset

Row = tuple[str, float, float, str]


def sync_rows() -> Iterator[Row]:
    """Calls without `await`."""
    plain, plugged = contenders.pipeline(), contenders.pipeline(contenders.Everywhere())
    cases = (
        ("success", plain, "search_issues", floor.TEXT, 3),
        ("success, a plugin in every stage", plugged, "search_issues", floor.TEXT, 6),
    )
    for title, pipeline, name, text, budget in cases:
        bare = lambda name=name, text=text: floor.bare(name, text)  # noqa: E731
        yield title, measure.ratio(contenders.caller(pipeline, name, text), bare), budget, "x"


def async_rows() -> Iterator[Row]:
    """Calls with `await`, of an async tool."""
    name = "search_issues_async"
    bare = lambda: floor.bare_async(name, floor.TEXT)  # noqa: E731
    for title, plugins, budget in (
        ("success", (), 3),
        ("success, a plugin in every stage", (contenders.Everywhere(),), 6),
    ):
        contender = contenders.async_caller(contenders.pipeline(*plugins), name, floor.TEXT)
        yield f"{title}, async", measure.async_ratio(contender, bare), budget, "x"


def session_rows() -> Iterator[Row]:
    """Calls within a conversation: as it begins, and with a budget and failures that it remembers."""
    plain, used = (
        contenders.pipeline().session(),
        contenders.pipeline().session(budget=Budget(calls=10**9, feedback_chars=10**9)),
    )
    used.call("read_file", floor.TEXT)
    used.call("serch_isues", floor.TEXT)
    bare = partial(floor.bare, "search_issues", floor.TEXT)
    yield "success in a session", measure.ratio(contenders.caller(plain, "search_issues", floor.TEXT), bare), 6, "x"
    title = "success in a session that has a budget and has seen failures"
    yield title, measure.ratio(contenders.caller(used, "search_issues", floor.TEXT), bare), 6, "x"
    name = "search_issues_async"
    bare_async = partial(floor.bare_async, name, floor.TEXT)
    contender = contenders.async_caller(contenders.pipeline().session(), name, floor.TEXT)
    yield "success in a session, async", measure.async_ratio(contender, bare_async), 6, "x"


def unknown_rows() -> Iterator[Row]:
    """A name that no tool has, among many."""
    for tools, budget, rounds in ((20, 2.0, 51), (1_000, 2.0, 31), (10_000, 2.0, 9)):
        contenders.pipeline(extra=tools).call("serch_isues", floor.TEXT)
        pipelines = [contenders.pipeline(extra=tools) for _ in range(rounds)]
        milliseconds = measure.seconds(partial(_miss, pipelines), rounds) * 1_000
        yield f"unknown name, first miss among {tools:,}", milliseconds, budget, "ms"
    content = contenders.pipeline(extra=10_000).call("serch_isues", floor.TEXT).content
    yield "feedback on an unknown name among 10,000", len(content), 500, "characters"


def _miss(pipelines: list[Pipeline]) -> None:
    pipelines.pop().call("serch_isues", floor.TEXT)


def other_rows() -> Iterator[Row]:
    """Registration, concurrency, processes."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    register = lambda: Toolset(Tool.from_schema(f"tool_{n}", "A tool", schema, dict) for n in range(10_000))  # noqa: E731
    yield "register 10,000 tools by schema", measure.seconds(register), 1, "s"
    functions = lambda: Toolset(Tool.from_function(floor.search_issues, name=f"tool_{n}") for n in range(10_000))  # noqa: E731
    yield "register 10,000 tools by function", measure.seconds(functions), 1, "s"
    yield "10,000 concurrent calls", concurrent_calls.ratio(), 1.5, "x"
    here = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from concurrent_calls import *; "
    extra = processes.growth(here + "contend(10)", "contend()") - processes.growth(here + "gather(10)", "gather()")
    yield "10,000 concurrent calls, peak memory", extra, 8, "MiB"
    yield "import mulligan", processes.cpu_ratio("import mulligan"), 7, "x"
    yield "import mulligan, memory", processes.added("import mulligan"), 10, "MiB"
    yield "a first Pipeline, autoload", processes.cpu_ratio("import mulligan; mulligan.Pipeline()"), 13, "x"


GROUPS = {
    "sync": sync_rows,
    "async": async_rows,
    "session": session_rows,
    "unknown": unknown_rows,
    "other": other_rows,
}


def main() -> None:
    """Prints the table, or the groups of rows that are named on the command line."""
    names = ("attrs", "cattrs", "jsonschema-rs", "msgspec", "mulligan", "pluggy", "rapidfuzz")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    print(
        f"{datetime.date.today()}, CPython {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores; {versions}\n"
    )
    print("| what | measured | budget | |\n|---|---|---|---|")
    missed = 0
    groups = [GROUPS[name] for name in sys.argv[1:] or GROUPS]
    for title, value, budget, unit in (row for rows in groups for row in rows()):
        missed += value > budget
        print(
            f"| {title} | {value:.3g} {unit} | <= {budget:g} {unit} | {'met' if value <= budget else 'MISSED'} |",
            flush=True,
        )
    print(f"\n{missed} missed" if missed else "\nall met")


if __name__ == "__main__":
    main()
