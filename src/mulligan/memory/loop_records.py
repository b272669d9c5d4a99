"""What the loop guard remembers: `Failed`, one for what counts as the same, and `Row`, one for each tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.errors import ToolError
from mulligan.memory.sameness import digest

IN_A_ROW = 11
"""Failures in a row, after which the next one is refused."""

_RESULTS, _TRACES = 8, 16


class Failed:
    """How often the same failed.

    Attributes:
        invalid: whether no tool was reached, since the name or the arguments were wrong.
        of_value: whether it is about a failing value, not about one call.
        count: how often, since it last was mended or something changed.
        total: how often, since it last was mended.
        results: hashes of how it failed.
        traces: hashes of the arguments that hold the failing value.
        until: the moment until which the model was told to wait, or None.
    """

    __slots__ = ("_before", "_changes", "_step", "count", "invalid", "of_value", "results", "total", "traces", "until")

    def __init__(self, *, invalid: bool = False, of_value: bool = False) -> None:
        self.invalid = invalid
        self.of_value = of_value
        self.count = self.total = 0
        self.results: list[str] = []
        self.traces: list[str] = []
        self.until: float | None = None
        self._step, self._before, self._changes = -1, 0, 0

    @property
    def repeats(self) -> int:
        """How often it counts as failed: all failures, once there are too many of them."""
        return self.total if self.total >= IN_A_ROW else self.count

    def renew(self, changes: int) -> None:
        """Begins to count anew where something was changed that may have mended it.

        Args:
            changes: how often something was changed in this conversation.
        """
        if changes != self._changes:
            self._changes, self.count = changes, 0

    def again(self, step: int, *, fresh: bool = False, waited: bool = False) -> None:
        """Counts one more failure.

        Args:
            step: the message of the model that it belongs to.
            fresh: whether something has changed, so that the count begins anew.
            waited: whether the model waited as it was told, so that it is no repetition.
        """
        if fresh:
            self.count = 0
        if step != self._step:
            self._step, self._before = step, self.repeats
        self.count += not waited
        self.total += 1

    def warned(self, step: int) -> int:
        """How many of these failures the model had read when it made its message.

        Args:
            step: the message.
        """
        return min(self._before, self.repeats) if step == self._step else self.repeats

    def insisted(self, step: int) -> int:
        """`warned`, for a call that is refused; all failures once there are many: a loop makes such a message, no model.

        Args:
            step: the message.
        """
        return self.repeats if self.repeats >= IN_A_ROW else self.warned(step)

    def has_changed(self, result: str) -> bool:
        """Whether it never failed in this way before, but in another.

        Args:
            result: a hash of how it failed.
        """
        if result in self.results:
            return False
        self.results = [*self.results, result][-_RESULTS:]
        return len(self.results) > 1

    def stands_in(self, traces: Sequence[str]) -> None:
        """Remembers in which arguments the failing value stands.

        Args:
            traces: hashes of them.
        """
        self.traces = list(dict.fromkeys([*self.traces, *traces]))[-_TRACES:]

    def is_mended_by(self, held: set[str]) -> bool:
        """Whether a success of the same tool shows that what failed is mended.

        Args:
            held: hashes of its arguments.
        """
        return self.invalid or (self.of_value and (not self.traces or not held.isdisjoint(self.traces)))


class Row:
    """The failures of one tool in a row.

    Attributes:
        failures: how many there are, refused calls counted in.
        kind: the error class of the last one.
        alike: how many of that class there were at the end.
        invalid: whether the last one was a call that reached no tool.
        successes: how many calls had succeeded in the conversation when it failed last.
        open: hashes of the places where the arguments were wrong last time.
        proposed: hashes of what the model was told to try instead.
    """

    __slots__ = ("alike", "failures", "invalid", "kind", "open", "proposed", "successes")

    def __init__(self) -> None:
        self.failures = self.alike = self.successes = 0
        self.kind = ""
        self.invalid = False
        self.open: list[str] = []
        self.proposed: list[str] = []

    def note(self, error: ToolError, invalid: bool) -> bool:
        """Counts one more failure.

        Args:
            error: what it means.
            invalid: whether no tool was reached.

        Returns:
            Whether the call is nearer to being right: fewer places are wrong than last time, and no other ones.
        """
        kind = type(error).__name__
        self.alike = self.alike + 1 if kind == self.kind else 1
        places = sorted({digest(problem.pointer) for problem in error.problems[:64]}) if invalid else []
        nearer = bool(places) and set(places) < set(self.open)
        self.kind, self.invalid, self.open = kind, invalid, places
        self.proposed = []
        self.failures += 1
        return nearer


def saved(
    failed: Mapping[str, Mapping[str, Failed]],
    rows: Mapping[str, Row],
    fatal: Mapping[str, Mapping[str, str]],
    successes: int,
    changes: int,
) -> dict[str, Any]:
    """The guard's memory as JSON values.

    Args:
        failed: what failed, by tool and key.
        rows: the failures in a row, by tool.
        fatal: the calls that are not run again, by tool and key.
        successes: how many calls have succeeded.
        changes: how many of them may have changed something.
    """
    told = {}
    for tool, records in failed.items():
        for record in records.values():
            record.renew(changes)
        told[tool] = {key: _fields(record, _FAILED) for key, record in records.items()}
    return {
        "failed": told,
        "rows": {tool: {**_fields(row, _ROW), "hope": row.successes < successes} for tool, row in rows.items()},
        "fatal": {tool: dict(calls) for tool, calls in fatal.items()},
    }


def _fields(record: object, fields: Mapping[str, type[Any]]) -> dict[str, Any]:
    return {name: _copied(getattr(record, name)) for name in fields}


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


_FAILED: Mapping[str, type[Any]] = {
    "invalid": bool,
    "of_value": bool,
    "count": int,
    "total": int,
    "results": list,
    "traces": list,
}
_ROW: Mapping[str, type[Any]] = {
    "failures": int,
    "kind": str,
    "alike": int,
    "invalid": bool,
    "open": list,
    "proposed": list,
}


def load(given: Mapping[str, Any]) -> tuple[dict[str, dict[str, Failed]], dict[str, Row], dict[str, dict[str, str]]]:
    """What `saved` gave, read again; one call has succeeded since the failures with hope, and none since the others.

    Args:
        given: what it gave.

    Raises:
        KeyError, AttributeError: something is missing.
        TypeError, ValueError: something is of a wrong type.
    """
    failed, rows, fatal = {}, {}, {}
    for tool, records in given["failed"].items():
        failed[str(tool)] = {str(key): _filled(Failed(), told, _FAILED) for key, told in records.items()}
    for tool, told in given["rows"].items():
        row = rows[str(tool)] = _filled(Row(), told, _ROW)
        row.successes = 0 if check("hope", told["hope"], bool) else 1
    for tool, calls in given["fatal"].items():
        fatal[str(tool)] = {str(key): check("fatal", name, str) for key, name in calls.items()}
    return failed, rows, fatal


def _filled(record: Any, told: Mapping[str, Any], fields: Mapping[str, type[Any]]) -> Any:
    for name, kind in fields.items():
        setattr(record, name, _copied(check(name, told[name], kind)))
    return record


def check(name: str, value: Any, kind: type[Any]) -> Any:
    """A value that was saved, if it is of its kind.

    Args:
        name: what it is.
        value: what was saved.
        kind: `bool`, `int` (no negative one), `str` or `list` (of texts).

    Raises:
        TypeError: it is something else.
    """
    if type(value) is not kind or (kind is int and value < 0):
        raise TypeError(f"{name}, which is {value!r:.40}")
    if kind is list and not all(isinstance(one, str) for one in value):
        raise TypeError(f"{name}, which does not hold texts only")
    return value
