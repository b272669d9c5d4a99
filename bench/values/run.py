"""Measures which returned values are found to report a failure, and of which class: `python bench/values/run.py`.

Six sets, each by another hand and before the rules were written: `documented`, `handwritten`, `fresh_a` and `fresh_b` were
read while the rules were written, so their figures say nothing of other values; `held_out` and `held_out_2` were only
counted. A class is right if it is the one of the case or one of its others.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from mulligan import Pipeline

SETS = (
    "documented",
    "handwritten",
    "fresh_a",
    "fresh_b",
    "fresh_c",
    "fresh_d",
    "fresh_e",
    "fresh_f",
    "fresh_g",
    "fresh_h",
    "held_out",
    "held_out_2",
)


def verdicts(pipeline: Pipeline, name: str) -> Iterator[tuple[Any, str | None]]:
    """Each case of a set with the class of failure that is found, or None.

    Args:
        pipeline: what classifies.
        name: the set's name.
    """
    for case in import_module(f"{name}_cases").CASES:
        error = pipeline.classify(case.make(), tool=case.tool, arguments=dict(case.arguments))
        yield case, None if error is None else type(error).__name__


def row(found: list[tuple[Any, str | None]]) -> str:
    """One line of the table for the verdicts on one set."""
    failures = [(case, kind) for case, kind in found if case.kind is not None]
    detected = sum(kind is not None for _, kind in failures)
    right = sum(kind == case.kind or kind in case.also for case, kind in failures)
    exact = sum(kind == case.kind for case, kind in failures)
    alarms = sum(kind is not None for case, kind in found if case.kind is None)
    shares = " | ".join(f"{count} ({count / len(failures):.0%})" for count in (detected, right, exact))
    return f"{len(failures)} | {shares} | {alarms} of {len(found) - len(failures)}"


def main() -> None:
    """Prints a table; with `--show SET`, what was missed in that set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", choices=SETS)
    shown = parser.parse_args().show
    with Pipeline(autoload=False) as pipeline:
        print("| set | failures | detected | right class | exact class | false alarms |\n|---|---|---|---|---|---|")
        for name in SETS:
            found = list(verdicts(pipeline, name))
            print(f"| {name} | {row(found)} |")
            for case, kind in found if name == shown else ():
                if kind != case.kind and kind not in case.also:
                    print(f"  {case.id}: expected {case.kind}, found {kind}")
    machine = f"{platform.system()} {platform.machine()}, CPython {platform.python_version()}"
    print(f"\n{machine}, mulligan {version('mulligan')}, {datetime.now(UTC):%Y-%m-%d}")


if __name__ == "__main__":
    main()
