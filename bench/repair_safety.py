"""Counts what repairs let through: `python bench/repair_safety.py [prefixes] [names]`, 10^5 and 10^6 where nothing is said.

Valid arguments are cut off at every place and sent to a tool that writes, with every repair turned on and a model that
knows the whole text; and tools are called by names that are nearly right. Exits with 1 where anything ran that must not.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import repair_cases

from mulligan import Pipeline

BATCH = 5_000
FORBIDDEN = ("written", "read_with_another_value", "read_by_another_name")


def make_pipeline(*tools: Any, **options: Any) -> Pipeline:
    return Pipeline(tools, autoload=False, **options)


def prefixes(seed: int) -> dict[str, int]:
    return repair_cases.run_prefixes(make_pipeline, seed, BATCH)


def names(seed: int) -> dict[str, int]:
    return repair_cases.run_names(make_pipeline, seed, BATCH)


def main() -> int:
    wanted = [int(float(word)) for word in sys.argv[1:]] or [10**5, 10**6]
    harm = 0
    print(f"json-repair is {'' if find_spec('json_repair') else 'not '}installed")
    with ProcessPoolExecutor() as workers:
        for job, number in zip((prefixes, names), wanted, strict=False):
            started, total = time.perf_counter(), Counter[str]()
            for found in workers.map(job, range(max(1, number // BATCH))):
                total.update(found)
            told = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in total.items())
            print(f"{told} ({time.perf_counter() - started:.0f} s)")
            harm += sum(total[name] for name in FORBIDDEN)
    return 1 if harm else 0


if __name__ == "__main__":
    sys.exit(main())
