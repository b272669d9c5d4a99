"""Measures which returned values are found to report a failure, and of which class: `python bench/values/run.py`.

`documented`, `handwritten`, `fresh_a` and `fresh_b` are by another hand than the rules. Those of `fresh_c` to `fresh_j` were
each written and counted before the rules were changed for them; that first count (2026-11-27) is what to expect of new values:

| set | what is in it | right class | false alarms |
|---|---|---|---|
| fresh_c | services, programs and agent tools | 104 of 140 (74%) | 10 of 130 |
| fresh_d | other domains | 41 of 64 (64%) | 1 of 64 |
| fresh_e | words and shapes of small tools | 50 of 97 (52%) | 2 of 72 |
| fresh_f | documented forms, many look-alikes | 49 of 62 (79%) | 9 of 98 |
| fresh_g | codes, statuses and few words | 73 of 80 (91%) | 4 of 40 |
| fresh_h | sentences of small tools | 36 of 70 (51%) | 6 of 70 |
| fresh_i | programs, databases, services and kits | 57 of 92 (62%) | 3 of 92 |
| fresh_j | shells, browsers, databases, clouds and search | 35 of 60 (58%) | 4 of 60 |

All of these were read while the rules were written, so what is printed of them says nothing of other values. `fresh_j` was
written before the rules for `fresh_i`: these alone brought it to 38 of 60, with 4 alarms. `held_out` and `held_out_2` were
only counted. A class is right if it is the one of the case or one of its others.
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
    "fresh_i",
    "fresh_j",
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="such as fresh_h; default: all")
    parser.add_argument("--show", choices=SETS)
    options = parser.parse_args()
    unknown = set(options.sets) - set(SETS)
    if unknown:
        parser.error(f"there is no set {', '.join(sorted(unknown))}")
    with Pipeline(autoload=False) as pipeline:
        print("| set | failures | detected | right class | exact class | false alarms |\n|---|---|---|---|---|---|")
        for name in options.sets or SETS:
            found = list(verdicts(pipeline, name))
            print(f"| {name} | {row(found)} |")
            for case, kind in found if name == options.show else ():
                if kind != case.kind and kind not in case.also:
                    print(f"  {case.id}: expected {case.kind}, found {kind}")
    machine = f"{platform.system()} {platform.machine()}, CPython {platform.python_version()}"
    print(f"\n{machine}, mulligan {version('mulligan')}, {datetime.now(UTC):%Y-%m-%d}")


if __name__ == "__main__":
    main()
