"""What installed packages add to a program that makes one call: `python bench/first_call.py WITHOUT WITH`.

Both arguments are interpreters: of an environment with mulligan alone, and of one with the same and its packages. Each
runs the same program in fresh processes, in turn: it makes a pipeline of the floor's tools and one successful call.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import processes

BUDGET = 1.3
PROGRAM = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import floor, mulligan
assert not mulligan.Pipeline([*floor.TABLE.values()]).call("search_issues", floor.TEXT).is_error
"""


def main(without: str, with_packages: str) -> None:
    """Prints the CPU of both, and the ratio."""
    interpreters = (without, with_packages)
    rounds = [[processes.cpu(PROGRAM, python) for python in interpreters] for _ in range(processes.ROUNDS + 1)][1:]
    alone, together = (statistics.median(column) * 1e3 for column in zip(*rounds, strict=True))
    ratio = statistics.median(theirs / ours for ours, theirs in rounds)
    verdict = "met" if ratio <= BUDGET else "MISSED"
    print(f"{alone:.0f} ms without packages, {together:.0f} ms with them: {ratio:.2f} x, budget {BUDGET} x, {verdict}")


if __name__ == "__main__":
    main(*sys.argv[1:])
