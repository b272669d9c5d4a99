"""How the calls of a conversation have ended: counts for its `summary` and its `repr`."""

from __future__ import annotations

from collections import Counter

import attrs

from mulligan.errors import RepeatedCallError
from mulligan.results import ToolResult

_MOST_NAMES = 1_000
_NO_TOOL = ""


@attrs.frozen
class Summary:
    """How the calls of a conversation have ended.

    Attributes:
        calls: how many calls have ended.
        failures: how many of them failed.
        recovered: how many of the failures were followed by a success of the same tool; of any tool, for a name that no
            tool has. A quick count: `docs/explanation/recovered.md` says how the ledger's definition differs.
        repeated: how many calls were refused because they had failed before.
        fatal: how many failures were fatal.
    """

    calls: int
    failures: int
    recovered: int
    repeated: int
    fatal: int


class Tally:
    """Counts results. Its owner holds a lock."""

    def __init__(self) -> None:
        self._calls = self._failures = self._recovered = self._repeated = self._fatal = 0
        self._open: Counter[str] = Counter()

    def add(self, result: ToolResult, *, has_failed: bool) -> None:
        """Counts a result.

        Args:
            result: the answer to a call.
            has_failed: whether it counts as a failure: one that waits for a person does not.
        """
        self._calls += 1
        name = _NO_TOOL if result.tool is None else result.tool.name
        if has_failed:
            self._failures += 1
            self._fatal += result.fatal
            self._repeated += isinstance(result.error, RepeatedCallError)
            if name in self._open or len(self._open) < _MOST_NAMES:
                self._open[name] += 1
        elif self._open and not result.is_error:
            self._recovered += self._open.pop(name, 0) + self._open.pop(_NO_TOOL, 0)

    def read(self) -> Summary:
        """The counts so far."""
        return Summary(self._calls, self._failures, self._recovered, self._repeated, self._fatal)
