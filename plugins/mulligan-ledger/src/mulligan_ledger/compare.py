"""Compares two ledgers: the same measures, with intervals, and whether a difference may be chance."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence

import attrs

from mulligan_ledger.measures import Measures, wilson

_ROUNDS, _SEED, _LEAST = 2_000, 20_260_101, 6


@attrs.frozen
class Row:
    """One measure of both ledgers.

    Attributes:
        name: what is measured.
        before: of the first, as text.
        after: of the second, as text.
        difference: the second minus the first, with its 95 % interval, as text.
        verdict: `differs`, `may be chance`, or `not enough data`.
    """

    name: str
    before: str
    after: str
    difference: str
    verdict: str


def compare(one: Measures, other: Measures) -> list[Row]:
    """The measures of two ledgers.

    Args:
        one: the first.
        other: the second.
    """
    rows = [
        _share("calls that failed", one.total.failures, one.total.calls, other.total.failures, other.total.calls),
        _share("failures recovered", one.total.recovered, one.total.judged, other.total.recovered, other.total.judged),
        _share(
            "corrected calls followed",
            one.total.followed,
            one.total.proposed,
            other.total.followed,
            other.total.proposed,
        ),
        _share("failures that ended the run", one.fatal, one.total.failures, other.fatal, other.total.failures),
        _mean("steps until recovered", one.total.steps, other.total.steps),
    ]
    tools = {group.name: group for group in one.tools}
    pairs = [(tools[group.name], group) for group in other.tools if group.name in tools]
    return rows + [
        _share(f"{after.name}: failed", before.failures, before.calls, after.failures, after.calls)
        for before, after in pairs
        if before.failures or after.failures
    ]


def _share(name: str, part: int, whole: int, other_part: int, other_whole: int) -> Row:
    """The share in each ledger, and Newcombe's interval of the difference, which is valid for small numbers too."""
    texts = [_of(part, whole), _of(other_part, other_whole)]
    if not whole or not other_whole:
        return Row(name, *texts, "-", "not enough data")
    first, second = part / whole, other_part / other_whole
    (low, high), (other_low, other_high) = wilson(part, whole), wilson(other_part, other_whole)
    difference = second - first
    least = difference - math.sqrt((second - other_low) ** 2 + (high - first) ** 2)
    most = difference + math.sqrt((other_high - second) ** 2 + (first - low) ** 2)
    shown = f"{100 * difference:+.1f} points ({100 * least:+.1f} to {100 * most:+.1f})"
    return Row(name, *texts, shown, "differs" if least > 0 or most < 0 else "may be chance")


def _of(part: int, whole: int) -> str:
    if not whole:
        return "-"
    low, high = wilson(part, whole)
    return f"{100 * part / whole:.1f}% ({100 * low:.1f} to {100 * high:.1f}), {part:,} of {whole:,}"


def _mean(name: str, values: Sequence[float], others: Sequence[float]) -> Row:
    """The mean in each ledger, and the interval of the difference by resampling, with the same result on every machine."""
    texts = [f"{statistics.fmean(each):.2f}, n={len(each):,}" if each else "-" for each in (values, others)]
    if len(values) < _LEAST or len(others) < _LEAST:
        return Row(name, *texts, "-", "not enough data")
    rng = random.Random(_SEED)  # noqa: S311 - it resamples, it hides nothing
    sampled = sorted(
        statistics.fmean(rng.choices(others, k=min(len(others), 2_000)))
        - statistics.fmean(rng.choices(values, k=min(len(values), 2_000)))
        for _ in range(_ROUNDS)
    )
    least, most = sampled[int(0.025 * _ROUNDS)], sampled[int(0.975 * _ROUNDS)]
    difference = statistics.fmean(others) - statistics.fmean(values)
    verdict = "differs" if least > 0 or most < 0 else "may be chance"
    return Row(name, *texts, f"{difference:+.2f} ({least:+.2f} to {most:+.2f})", verdict)
