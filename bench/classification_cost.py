"""Measures what understanding one failure costs: `python bench/classification_cost.py`.

A ratio is CPU time over that of a bare call: `str(table[name](**json.loads(text)))` in one `try`. The exceptions are of
every kind: those that the first rule knows, those that carry an answer, and those that no rule knows, for which every rule
of every installed package is asked.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import floor
import measure

from mulligan import Pipeline

BUDGET_US, UNKNOWN_BUDGET_US = 150, 60


class ServiceError(Exception):
    """As most clients shape what a service answers."""

    def __init__(self, status: int, body: dict[str, Any], headers: dict[str, str]) -> None:
        super().__init__(f"Error code: {status} - {body}")
        content = json.dumps(body).encode()
        request = SimpleNamespace(url="https://api.example/v1/things/7?key=x", method="GET")
        self.response = SimpleNamespace(status_code=status, headers=headers, _content=content, request=request)
        self.status_code, self.body, self.code, self.message = status, body, None, body["error"]["message"]


class OddError(Exception):
    """An exception that says nothing."""


def wrapped() -> OddError:
    """An exception that no rule knows, with three causes of the same kind."""
    outer = inner = OddError("could not do it")
    for number in range(3):
        inner.__cause__ = OddError(f"step {number} did not go as it should, see the log of the run")
        inner = inner.__cause__
    return outer


LIMITED = {
    "error": {"message": "Rate limit reached. Try again in 20s.", "type": "tokens", "code": "rate_limit_exceeded"}
}
INVALID = {
    "error": {
        "message": "Invalid value for 'limit'",
        "param": "limit",
        "code": "invalid_value",
        "details": [{"reason": "BAD"}],
    }
}
UNKNOWN = "an exception that no rule knows"
FAILURES: dict[str, Any] = {
    "a missing file": FileNotFoundError(2, "No such file or directory", "src/missing.py"),
    "a ValueError": ValueError("the seed is not a number"),
    "a status of 404": ServiceError(404, {"error": {"message": "No such thing", "code": None}}, {"x-request-id": "r1"}),
    "a status of 429 with a body": ServiceError(429, LIMITED, {"x-request-id": "r1", "retry-after": "20"}),
    "a status of 400 with a body": ServiceError(400, INVALID, {"x-request-id": "r1"}),
    UNKNOWN: OddError("something odd happened"),
    "the same with three causes": wrapped(),
    "a value that reports a failure": {"ok": False, "error": "channel_not_found"},
}


def rows(pipeline: Pipeline) -> Iterator[tuple[str, float, float]]:
    """Each failure with its ratio and microseconds of CPU."""
    for title, failure in FAILURES.items():
        classify = lambda failure=failure: pipeline.classify(failure, arguments={"thing_id": 7})  # noqa: E731
        ratio = measure.ratio(classify, lambda: floor.bare("search_issues", floor.TEXT))
        yield title, ratio, min(measure.cpu(classify, measure.BATCH) for _ in range(5)) / measure.BATCH * 1e6


def main() -> None:
    """Prints a table without and with the installed packages."""
    over = 0
    for title, autoload in (("no package", False), ("every installed package", True)):
        with Pipeline(autoload=autoload) as pipeline:
            outside = [plugin.name for plugin in pipeline.plugins if plugin.distribution not in (None, "mulligan")]
            print(f"\nwith {title} ({len(outside)})\n\n| failure | ratio | CPU, µs | budget, µs |\n|---|---|---|---|")
            for name, ratio, microseconds in rows(pipeline):
                budget = UNKNOWN_BUDGET_US if name == UNKNOWN else BUDGET_US
                over += microseconds > budget
                print(f"| {name} | {ratio:.1f} | {microseconds:.0f} | {budget} |", flush=True)
    print(f"\n{over} over the budget" if over else "\nall within the budget")


if __name__ == "__main__":
    main()
