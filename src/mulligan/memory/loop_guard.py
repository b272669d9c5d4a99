"""The loop guard: what failed in a conversation, so that the same failure is not repeated for ever.

Calls count as the same when tool and canonical arguments are, or when the tool, the error class and the failing value are
(the resource, or an argument's place and value). The second failure says so, the third asks for another approach, the
fourth is refused without being run, the fifth is fatal. A third repetition in a row of what failed twice already is refused
too, so that calls in turn are noticed; and so is the twelfth failure of one tool in a row, but for a corrected call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.errors import RepeatedCallError, ToolArgumentError, ToolError
from mulligan.foreign.containment import safe_str
from mulligan.memory.loop_records import IN_A_ROW, Failed, Row, check, load, saved
from mulligan.memory.sameness import call_key, digest, failing, held_by, name_keys, result_key, trace, traces, words_of

if TYPE_CHECKING:
    from mulligan.tools import Tool

REFUSED_AFTER = 3
FATAL_AFTER = 4
_IDLE_AFTER = 2
_FATAL_IN_A_ROW = 24
_SHORTEST_WAIT = 1.0
_OTHER_VALUES = 3
_KEPT = 1_000


class LoopGuard:
    """Counts failures; safe to use from several threads and tasks.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failed: dict[str, dict[str, Failed]] = {}
        self._rows: dict[str, Row] = {}
        self._fatal: dict[str, dict[str, str]] = {}
        self._step = self._successes = self._changes = 0
        self._idle, self._idle_step = 0, -1

    def next_step(self) -> None:
        """A message of the model begins: what failed before it, the model has read."""
        self._step += 1

    def refuse(self, tool: Tool, arguments: Mapping[str, Any]) -> ToolError | None:
        """An error for a call that must not be run once more, which counts as one more failure; or None.

        Args:
            tool: the tool.
            arguments: the validated arguments.
        """
        if tool.name not in self._rows and tool.name not in self._fatal:
            return None
        key = call_key(tool.name, arguments)
        with self._lock:
            why = self._fatal.get(tool.name, {}).get(key)
            if why is not None:
                message = f"This call was not run: it failed before in a way that cannot be mended ({why})."
                return RepeatedCallError(message, fatal=True, rule="session:fatal-before")
            failed, row = self._failed.get(tool.name, {}), self._rows.setdefault(tool.name, Row())
            for record in failed.values():
                record.renew(self._changes)
            known = failed.get(key)
            if known is not None and not known.invalid and self._is_refused(known):
                return self._refusal(known, row, known.insisted(self._step))
            for record in self._about(failed.values(), arguments):
                return self._refusal(record, row, record.warned(self._step))
            if row.failures >= IN_A_ROW and not self._is_corrected(known, row, arguments):
                return self._out_of_row(tool.name, row)
        return None

    def _is_refused(self, record: Failed) -> bool:
        idle = self._idle >= _IDLE_AFTER and self._idle_step != self._step
        if record.total < IN_A_ROW and record.count < REFUSED_AFTER - idle:
            return False
        return not (record.total < IN_A_ROW and record.until is not None and self._clock() >= record.until)

    def _refusal(self, record: Failed, row: Row, warned: int) -> RepeatedCallError:
        times = record.repeats
        record.again(self._step)
        row.failures += 1
        return _refused(times, fatal=warned >= FATAL_AFTER)

    def _about(self, failed: Iterable[Failed], arguments: Mapping[str, Any]) -> list[Failed]:
        """What this tool failed on again and again, and what stands in the same argument now.

        A value that stands in a sentence may be mentioned by a corrected call too: that one is refused only after the end.
        """
        known = [record for record in failed if record.traces and self._is_refused(record)]
        if not known:
            return []
        held, words = ({trace(*one) for one in of(arguments)} for of in (held_by, words_of))
        return [
            record
            for record in known
            if not held.isdisjoint(record.traces)
            or (record.repeats > FATAL_AFTER and not words.isdisjoint(record.traces))
        ]

    def _is_corrected(self, known: Failed | None, row: Row, arguments: Mapping[str, Any]) -> bool:
        """Whether a call of a tool that failed again and again is a new one, with a reason to go better."""
        if known is not None and not known.invalid:
            return False
        if row.invalid:
            return True
        proposed = any(digest(value) in row.proposed for _, value in held_by(arguments)) if row.proposed else False
        return row.failures < _FATAL_IN_A_ROW and (row.successes < self._successes or proposed)

    def _out_of_row(self, name: str, row: Row) -> RepeatedCallError:
        message = f"This call was not run: {name} failed {IN_A_ROW} times in a row."
        row.failures += 1
        row.successes = self._successes
        return RepeatedCallError(message, fatal=row.failures > _FATAL_IN_A_ROW, rule="session:in-a-row")

    def failed(
        self,
        tool: Tool | None,
        name: object,
        arguments: Mapping[str, Any] | None,
        error: ToolError,
        *,
        ran: bool = False,
        told: str = "",
        started: float = 0.0,
    ) -> tuple[ToolError, str]:
        """Takes note of a failure.

        Args:
            tool: the tool, or None where no tool has that name.
            name: the name that was called.
            arguments: the arguments as JSON values; None where they cannot be read.
            error: what the failure means.
            ran: whether the tool was run.
            told: what the tool said.
            started: when the call began, by the guard's clock.

        Returns:
            The error that counts, and the name of a sentence on the repetition; empty for the first failure.
        """
        owner = "" if tool is None else tool.name
        invalid = tool is None or (isinstance(error, ToolArgumentError) and not ran)
        with self._lock:
            row = self._rows.setdefault(owner, Row())
            progress = row.note(error, invalid)
            records = self._records(owner, name, arguments, error, invalid)
            for index, record in enumerate(records):
                fresh = progress or (index == 0 and not invalid and record.has_changed(result_key(error, told)))
                record.again(self._step, fresh=fresh, waited=record.until is not None and started >= record.until)
                waits = error.retry_after is not None and error.retry_after >= _SHORTEST_WAIT
                record.until = self._clock() + (error.retry_after or 0.0) if waits else None
            self._note_idle(error, records)
            row.successes = self._successes
            if error.fatal and not invalid and not isinstance(error, RepeatedCallError):
                self._fatal.setdefault(owner, {})[call_key(owner, arguments or {})] = type(error).__name__
            self._forget()
            return self._answer(owner, row, records, error, ran)

    def _note_idle(self, error: ToolError, records: Sequence[Failed]) -> None:
        """Counts the messages in a row that only repeated what the model knew to fail; a success ends the row."""
        repeated = not error.transient and max(record.warned(self._step) for record in records) > 0
        if not repeated:
            self._idle, self._idle_step = 0, self._step
        elif self._idle_step != self._step:
            self._idle, self._idle_step = self._idle + 1, self._step

    def _records(
        self, owner: str, name: object, arguments: Mapping[str, Any] | None, error: ToolError, invalid: bool
    ) -> list[Failed]:
        """What is remembered of the failures that count as the same; the call's own comes first."""
        values: list[str] = []
        if not owner:
            calls = name_keys(name, error)
        elif arguments is None:
            calls = [digest(f"{owner}\0unreadable")]
        else:
            calls = [call_key(owner, arguments)]
            values = failing(error)
        failed = self._failed.setdefault(owner, {})
        found = [failed.setdefault(key, Failed()) for key in calls]
        about = [failed.setdefault(key, Failed(of_value=True)) for key in dict.fromkeys(values)]
        held = [] if invalid or not about else traces(error, arguments or {})
        for record in about:
            record.stands_in(held)
        for record in (*found, *about):
            record.renew(self._changes)
            record.invalid = invalid
        return [*found, *about]

    def _answer(
        self, name: str, row: Row, records: Sequence[Failed], error: ToolError, ran: bool
    ) -> tuple[ToolError, str]:
        count = max(record.repeats for record in records)
        warned = max(record.warned(self._step) for record in records)
        if error.fatal:
            return error, ""
        if ran and warned >= FATAL_AFTER:
            return _gone_wrong(count, error), ""
        if not ran and count > REFUSED_AFTER:
            refused = _refused(count - 1, fatal=warned >= FATAL_AFTER)
            refused.__cause__ = error
            return refused, ""
        if not ran and row.failures > IN_A_ROW and row.invalid:
            row.failures -= 1
            return self._out_of_row(name or "calls of tools that do not exist", row), ""
        if count > 1:
            return error, _SENTENCES.get(count, "more_times")
        return error, "other_values" if row.alike >= _OTHER_VALUES else ""

    def succeeded(self, tool: Tool, arguments: Mapping[str, Any]) -> None:
        """Takes note of a success: what it shows to be mended is forgotten.

        Args:
            tool: the tool.
            arguments: the validated arguments.
        """
        with self._lock:
            self._successes += 1
            self._idle = 0
            self._changes += not tool.read_only  # it may have mended what stood in the way elsewhere
            if self._failed.pop("", None) is not None:
                del self._rows[""]
            self._rows.pop(tool.name, None)
            failed = self._failed.get(tool.name)
            if failed is None:
                return
            failed.pop(call_key(tool.name, arguments), None)
            held = {trace(*one) for one in held_by(arguments)}
            for key in [key for key, record in failed.items() if record.is_mended_by(held)]:
                del failed[key]
            if not failed:
                del self._failed[tool.name]

    def proposed(self, tool: Tool, names: Sequence[str]) -> None:
        """Takes note of what the model was told to try instead.

        Args:
            tool: the tool that failed.
            names: what it may use.
        """
        with self._lock:
            if tool.name in self._rows:
                self._rows[tool.name].proposed = [digest(safe_str(name, 500)) for name in names[:8]]

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            for remembered in (self._failed, self._rows, self._fatal):
                remembered.clear()
            self._idle = 0

    def _forget(self) -> None:
        remembered: tuple[dict[str, dict[str, Any]], ...] = (self._failed, self._fatal)
        for of_tools in remembered:
            while sum(map(len, of_tools.values())) > _KEPT:
                first = next(iter(of_tools))
                del of_tools[first][next(iter(of_tools[first]))]
                if not of_tools[first]:
                    del of_tools[first]

    def to_dict(self) -> dict[str, Any]:
        """What is remembered, as JSON values."""
        with self._lock:
            return saved(self._failed, self._rows, self._fatal, self._successes, self._changes) | {"idle": self._idle}

    def load(self, given: Mapping[str, Any]) -> None:
        """Takes over what `to_dict` gave.

        Args:
            given: what `to_dict` gave.

        Raises:
            TypeError, ValueError, KeyError, AttributeError: it is something else.
        """
        read, idle = load(given), check("idle", given["idle"], int)
        with self._lock:
            self._failed, self._rows, self._fatal = read
            self._successes, self._changes, self._idle = 1, 0, idle


_SENTENCES: Mapping[int, str] = {2: "second_time", 3: "third_time"}  # templates of the catalogue


def _refused(times: int, *, fatal: bool) -> RepeatedCallError:
    message = f"This call was not run: the same has failed {times} times."
    return RepeatedCallError(message, fatal=fatal, rule="session:repeated")


def _gone_wrong(times: int, error: ToolError) -> RepeatedCallError:
    """The failure that is one too many, of a call that could not be known beforehand to be the same."""
    message = f"The same has failed {times} times."
    repeated = RepeatedCallError(message, fatal=True, rule="session:repeated", effect=error.effect)
    repeated.__cause__ = error
    return repeated
