"""The tables: what each arm reached and what it cost, with bootstrap intervals over tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from table import bootstrap

Row = dict[str, Any]
MEASURES = {
    "completed": lambda row: float(row["completed"]),
    "calls": lambda row: float(row["calls"]),
    "harmful": lambda row: float(len(row["harmful"])),
    "tokens": lambda row: float(row["prompt_tokens"] + row["completion_tokens"]),
}


def tables(rows: Sequence[Row], order: Sequence[str], base: str) -> str:
    """Three tables as Markdown: means, differences to an arm, and completed tasks by toolset and slip."""
    arms: dict[str, dict[str, Row]] = {}
    for row in rows:
        arms.setdefault(row["arm"], {})[f"{row['task']}/{row['seed']}"] = row
    present = [name for name in order if name in arms]
    parts = (_means(arms, present), _differences(arms, present, base), _groups(arms, present))
    return "\n\n".join("\n".join(part) for part in parts)


def _values(rows: dict[str, Row], measure: str, keys: Sequence[str]) -> list[float]:
    """One value for each task: the mean over its seeds."""
    found: dict[str, list[float]] = {}
    for key in keys:
        found.setdefault(rows[key]["task"], []).append(MEASURES[measure](rows[key]))
    return [sum(values) / len(values) for values in found.values()]


def _means(arms: dict[str, dict[str, Row]], names: Sequence[str]) -> Iterator[str]:
    head = ["arm", "completed [95 %]", "calls [95 %]", "calls if completed", "harmful calls (runs with one) [95 %]"]
    head += ["tokens [95 %]", "completion tokens", "ended by calls", "ended fatal"]
    yield from _head(head)
    for name in names:
        rows = list(arms[name].values())
        keys = list(arms[name])
        rate = {measure: bootstrap(_values(arms[name], measure, keys)) for measure in MEASURES}
        completed = [row for row in rows if row["completed"]]
        harmful = sum(len(row["harmful"]) for row in rows)
        calls = sum(row["calls"] for row in completed) / len(completed) if completed else 0.0
        cells = [
            name,
            f"{rate['completed'].mean:.0f} % ({len(completed)}/{len(rows)}) [{_edges(rate['completed'], 1, 0)}]",
            f"{rate['calls'].mean / 100:.2f} [{_edges(rate['calls'], 100, 2)}]",
            f"{calls:.2f}",
            f"{harmful} ({sum(bool(row['harmful']) for row in rows)}) [{_edges(rate['harmful'], 100, 2)} a run]",
            f"{rate['tokens'].mean / 100:.0f} [{_edges(rate['tokens'], 100, 0)}]",
            f"{sum(row['completion_tokens'] for row in rows) / len(rows):.0f}",
            str(sum(row["end"] == "calls" for row in rows)),
            str(sum(row["end"] == "fatal" for row in rows)),
        ]
        yield _row(cells)


def _differences(arms: dict[str, dict[str, Row]], names: Sequence[str], base: str) -> Iterator[str]:
    """Paired: the same tasks and seeds."""
    yield from _head([f"minus {base}", "runs", *(f"{one} [95 %]" for one in MEASURES)])
    for name in names:
        if name == base or base not in arms:
            continue
        both = [key for key in arms[name] if key in arms[base]]
        if not both:
            continue
        cells = []
        for measure in MEASURES:
            pairs = zip(_values(arms[name], measure, both), _values(arms[base], measure, both), strict=True)
            rate = bootstrap([one - other for one, other in pairs])
            scale, digits = {"completed": (1, 0), "tokens": (100, 0)}.get(measure, (100, 2))
            low, high = rate.low / scale, rate.high / scale
            cells.append(f"{rate.mean / scale:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]")
        yield _row([name, str(len(both)), *cells])


def _groups(arms: dict[str, dict[str, Row]], names: Sequence[str]) -> Iterator[str]:
    """Completed runs by toolset, and by the slip that the model was made to make."""
    toolsets = list(dict.fromkeys(row["task"].rpartition("-")[0] for rows in arms.values() for row in rows.values()))
    slips = sorted({row["slip"] for rows in arms.values() for row in rows.values() if row["slip"]})
    yield from _head(["completed", *toolsets, *(f"slip: {one}" for one in slips), "with chaos"])
    for name in names:
        rows = list(arms[name].values())
        groups = [[row for row in rows if row["task"].rpartition("-")[0] == one] for one in toolsets]
        groups += [[row for row in rows if row["slip"] == one] for one in slips]
        groups.append([row for row in rows if row["injected"]])
        yield _row([name, *(f"{sum(row['completed'] for row in group)}/{len(group)}" for group in groups)])


def _edges(rate: Any, scale: int, digits: int) -> str:
    return f"{rate.low / scale:.{digits}f}-{rate.high / scale:.{digits}f}"


def _head(cells: Sequence[str]) -> Iterator[str]:
    yield _row(cells)
    yield _row(["---"] * len(cells))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
