"""Measures what feedback costs on a flood: `python bench/feedback.py`.

A row is the CPU time of a whole call of which there is far too much to say, in each format, without what the schema of the
tool costs when it is first used.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import measure

from mulligan import Limits, Pipeline, Tool, errors

BUDGET_MS = 50
ROUNDS = 5
OBJECT = {"type": "object"}
ITEMS = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}

Flood = tuple[list[Tool], str, Any]


def raising(error: BaseException) -> Callable[..., Any]:
    """A handler that raises this."""

    def handler(**_: Any) -> Any:
        raise error

    return handler


def failing(error: BaseException) -> Flood:
    """A call of a tool that raises this."""
    return [Tool.from_schema("act", "Do it", OBJECT, raising(error))], "act", {}


def many_tools() -> Flood:
    """A name that no tool has, among ten thousand."""
    names = (f"service_{number}__read_file" for number in range(10_000))
    return [Tool.from_schema(name, f"Read a file of {name}", OBJECT, dict) for name in names], "read_file_of_it", "{}"


def many_problems() -> Flood:
    """A tool that reports a hundred thousand problems."""
    problems = [errors.Problem(f"/items/{n}", "of the wrong type", "integer", '"x"') for n in range(100_000)]
    return failing(errors.ToolArgumentError("Invalid arguments.", problems=problems))


FLOODS: dict[str, Callable[[], Flood]] = {
    "1,000,000 characters of error, in words": lambda: failing(ValueError("no route to the printer, " * 40_000)),
    "1,000,000 characters of error, in one word": lambda: failing(ValueError("x" * 1_000_000)),
    "1,000,000 characters that look like secrets": lambda: failing(ValueError("password=hunter22 sk-" * 48_000)),
    "1,000,000 characters of a tool's name": lambda: (
        [Tool.from_schema("act", "", OBJECT, dict)],
        "read" * 250_000,
        "{}",
    ),
    "100,000 problems that a tool reports": many_problems,
    "100,000 wrong items in the arguments": lambda: (
        [Tool.from_schema("act", "Do it", ITEMS, dict)],
        "act",
        {"items": ["x"] * 100_000},
    ),
    "an unknown name among 10,000 tools, first miss": many_tools,
}


def milliseconds(make: Callable[[], Flood], format: str) -> tuple[float, int]:
    """CPU time of the first such call in a pipeline, the median of some rounds; and the characters of feedback."""
    times, length = [], 0
    for _ in range(ROUNDS):
        tools, name, arguments = make()
        with Pipeline(tools, autoload=False, limits=Limits(argument_bytes=2_000_000), format=format) as pipeline:
            pipeline.call(tools[0].name, {"items": [1]})  # compiles the schema, and imports what a call needs
            times.append(measure.cpu(partial(pipeline.call, name, arguments), 1))
            length = len(pipeline.call(name, arguments).content)
    return statistics.median(times) * 1_000, length


def rows() -> Iterator[tuple[str, str, float, int]]:
    """Each flood in each format."""
    for title, make in FLOODS.items():
        for format in ("text", "json", "block"):
            yield title, format, *milliseconds(make, format)


def main() -> None:
    """Prints a table."""
    over = 0
    print("| flood | format | CPU, ms | budget, ms | characters |\n|---|---|---|---|---|")
    for title, format, taken, length in rows():
        over += taken > BUDGET_MS or length > Limits().feedback_chars
        print(f"| {title} | {format} | {taken:.1f} | {BUDGET_MS} | {length:,} |", flush=True)
    print(f"\n{over} over the budget" if over else "\nall within the budget")


if __name__ == "__main__":
    main()
