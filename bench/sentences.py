"""How many error texts are understood that someone else wrote: `python bench/sentences.py [--misses]`.

`bench/sentences` holds 620 texts of programs, services and in-house systems, one in a line as `LABEL|text`, written by
hands that had seen neither code nor rules: two files before sentences of exceptions were read, two after. Where a careful
person would accept two labels, the likelier comes first. Each text is raised as a `RuntimeError` by a tool with one argument,
so that nothing but the text says what went wrong.

A text is right if the class is one of its labels, unexplained if mulligan says no more than that the tool failed, and
otherwise wrong. Of the texts with the label O, which show no class, more than half hold words of another.
"""

from __future__ import annotations

import logging
import sys
from collections import Counter
from pathlib import Path

from mulligan import Pipeline, errors

CLASSES: dict[str, type[errors.ToolError]] = {
    "P": errors.ToolPermissionError,
    "A": errors.ToolAuthenticationError,
    "Q": errors.ToolQuotaError,
    "R": errors.ToolRateLimitError,
    "U": errors.ToolUnavailableError,
    "T": errors.ToolTimeoutError,
    "X": errors.ToolConnectionError,
    "N": errors.ResourceNotFoundError,
    "E": errors.ResourceConflictError,
    "C": errors.ResourceConflictError,
    "V": errors.ToolArgumentError,
    "O": errors.ToolExecutionError,
}
FATAL = {"P", "A", "Q", "X"}


def understood(text: str) -> errors.ToolError:
    """What mulligan makes of a text that a tool raises."""

    def act(name: str) -> str:
        raise RuntimeError(text)

    with Pipeline([act], autoload=False) as pipeline:
        error = pipeline.call("act", {"name": "x"}).error
    assert error is not None
    return error


def count(path: Path, *, show: bool) -> Counter[str]:
    """How the texts of one file are understood."""
    counts: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        label, _, written = line.partition("|")
        error = understood(written.replace("\\n", "\n"))
        accepted = {one.strip() for one in label.split(",")}
        is_right = type(error) in {CLASSES[one] for one in accepted}
        outcome = "right" if is_right else "unexplained" if type(error) is errors.ToolExecutionError else "wrong"
        counts[outcome] += 1
        counts["all"] += 1
        counts["look-alikes"] += label == "O"
        counts["look-alikes seen through"] += label == "O" and is_right
        counts["ends the run without reason"] += error.fatal and not accepted & FATAL
        if show and not is_right:
            print(f"{path.stem} {label}: {type(error).__name__}: {written}", file=sys.stderr)
    return counts


def main() -> None:
    """Print the table."""
    logging.getLogger("mulligan").setLevel(logging.CRITICAL)
    columns = (
        "all",
        "right",
        "unexplained",
        "wrong",
        "look-alikes",
        "look-alikes seen through",
        "ends the run without reason",
    )
    print(f"| file | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    total: Counter[str] = Counter()
    for path in sorted((Path(__file__).parent / "sentences").glob("*.txt")):
        counts = count(path, show="--misses" in sys.argv)
        total += counts
        print(f"| {path.stem} | {' | '.join(str(counts[column]) for column in columns)} |")
    print(f"| together | {' | '.join(str(total[column]) for column in columns)} |")


if __name__ == "__main__":
    main()
