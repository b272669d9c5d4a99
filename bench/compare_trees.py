"""Compares the budgets of two checkouts: `python bench/compare_trees.py OTHER`, which takes under a minute for each pair.

In each pair, `budgets.py` of this checkout measures the other tree and this one, in processes of their own, in random
order. Printed are the means over the pairs of this tree's figure over the other's, with their 95 % intervals (Student's t).
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
_ROW = re.compile(r"\| (.+?) \| ([\d.e+]+) [^|]+\|")
# Student's t of 1, 2, 3 ... degrees of freedom, two-sided 95 %.
_STUDENT = (
    12.706,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
)
_STUDENT += (2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045)


def measured(tree: Path, groups: list[str]) -> dict[str, float]:
    """The rows of the budgets of a tree, by title.

    Args:
        tree: a checkout.
        groups: which of them, as on the command line of `budgets.py`; all if empty.
    """
    command = [sys.executable, "-P", str(HERE / "bench" / "budgets.py"), *groups]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return {title: float(figure) for title, figure in _ROW.findall(run.stdout)}


def interval(ratios: list[float]) -> str:
    """The mean and its 95 % interval."""
    mean = statistics.mean(ratios)
    half = _STUDENT[len(ratios) - 2] * statistics.stdev(ratios) / math.sqrt(len(ratios))
    return f"{mean:.3f} | {mean - half:.3f} to {mean + half:.3f}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("other", type=Path, help="the checkout to compare with")
    parser.add_argument("tree", type=Path, nargs="?", default=HERE, help="another checkout than this one to compare")
    parser.add_argument("--pairs", type=int, default=8, choices=range(2, len(_STUDENT) + 2), metavar="2-30")
    parser.add_argument(
        "--only", action="append", default=[], help="one group of rows, as of budgets.py; may be repeated"
    )
    options = parser.parse_args()
    tree, other = options.tree.resolve(), options.other.resolve()
    rounds = []
    for number in range(1, options.pairs + 1):
        rounds.append({one: measured(one, options.only) for one in random.sample((tree, other), 2)})
        print(f"pair {number} of {options.pairs}", file=sys.stderr, flush=True)
    print("| what | this tree / the other | 95 % |\n|---|---|---|")
    for title in rounds[0][tree]:
        ratios = [one[tree][title] / one[other][title] for one in rounds]
        print(f"| {title} | {interval(ratios)} |")


if __name__ == "__main__":
    main()
