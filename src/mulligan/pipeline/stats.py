"""How often each tool of a pipeline was called, failed and was retried, and how long it took."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping
from itertools import count

import attrs

from mulligan.forks import shared_lock
from mulligan.results import ToolResult

UNKNOWN = "(unknown)"
_MOST_DURATIONS = 1_000


@attrs.frozen
class ToolStats:
    """What happened to the calls of one tool.

    Attributes:
        calls: how many calls have ended.
        failures: how many of them failed, by error class.
        p50: the median duration of the last thousand calls, in seconds.
        p95: the duration that 95 % of the last thousand calls did not exceed, in seconds.
        repairs: how many calls were read differently from how they were sent.
        retries: how many times the tool was run again.
    """

    calls: int
    failures: Mapping[str, int]
    p50: float
    p95: float
    repairs: int
    retries: int


class _Record:
    """What is counted of one tool. A success takes no lock."""

    def __init__(self) -> None:
        self.numbers = count(1)
        self.calls = 0
        self.durations: deque[float] = deque(maxlen=_MOST_DURATIONS)
        self.failures: Counter[str] = Counter()
        self.repairs = self.retries = 0


class Stats:
    """The statistics of one pipeline, by tool. Calls of names that no tool has are counted together."""

    def __init__(self) -> None:
        self._records: dict[str, _Record] = {}
        self._lock = shared_lock()

    def add(self, result: ToolResult) -> None:
        """Counts a result.

        Args:
            result: the answer to a call.
        """
        tool, error = result.tool, result.error
        name = UNKNOWN if tool is None else tool.name
        record = self._records.get(name)
        if record is None:
            record = self._records.setdefault(name, _Record())
        record.calls = next(record.numbers)
        record.durations.append(result.duration)
        if error is None and result.attempts <= 1 and not result.repairs:
            return
        with self._lock:
            record.retries += max(result.attempts - 1, 0)
            if result.repairs:
                record.repairs += 1
            if error is not None:
                record.failures[type(error).__name__] += 1

    def read(self) -> dict[str, ToolStats]:
        """The statistics so far, by tool."""
        with self._lock:
            return {name: _read_record(record) for name, record in sorted(self._records.copy().items())}


def _read_record(record: _Record) -> ToolStats:
    durations = sorted(record.durations.copy())
    return ToolStats(
        calls=record.calls,
        failures=dict(record.failures),
        p50=_percentile(durations, 0.5),
        p95=_percentile(durations, 0.95),
        repairs=record.repairs,
        retries=record.retries,
    )


def _percentile(durations: list[float], share: float) -> float:
    """The smallest duration that at least this share of all do not exceed."""
    return durations[math.ceil(share * len(durations)) - 1] if durations else 0.0
