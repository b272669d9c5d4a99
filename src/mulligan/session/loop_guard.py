"""The loop guard: what failed in a conversation, so that the same failure is not repeated forever.

The rule is documented in `docs/how-to/sessions.md`, section 2; this module does what it says, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.errors import RepeatedCallError, ToolArgumentError, ToolError
from mulligan.forks import shared_lock
from mulligan.session.records import (
    MOST_RECORDS,
    FailureRecord,
    FailureStreak,
    SavedGuard,
    argument_hash,
    argument_hashes,
    argument_values,
    call_key,
    digest,
    name_keys,
    result_key,
    value_key,
    value_kind,
)
from mulligan.session.saved_state import save
from mulligan.untrusted.text import safe_str

if TYPE_CHECKING:
    from mulligan.tools import Tool

_REFUSED_AFTER, _FATAL_AFTER = 3, 4  # the catalogue says "3 times"
_STOP_AFTER, _ENDED_AFTER = 11, 23  # the catalogue says "at least 12 attempts"
_OTHER_VALUES = 3
_SHORTEST_WAIT = 1.0


class LoopGuard:
    """Counts failures; safe to use from several threads and tasks."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = shared_lock()
        self._failed: dict[str, dict[str, FailureRecord]] = {}
        self._streaks: dict[str, FailureStreak] = {}
        self._fatal: dict[str, dict[str, str]] = {}
        self._proposed: dict[str, None] = {}
        self._step = self._calls = 0

    @property
    def step(self) -> int:
        """The number of the last step."""
        return self._step

    @property
    def is_empty(self) -> bool:
        """Whether it knows of no failure, so that it refuses no call."""
        return not (self._streaks or self._failed or self._fatal)

    def next_step(self) -> None:
        """Starts a step: the model has read all failures before its message."""
        with self._lock:
            self._step += 1

    def begin(self, *, is_step: bool) -> int:
        """Counts one more call of the conversation, and returns the number of its step.

        Args:
            is_step: whether the call is a step of its own.
        """
        with self._lock:
            self._calls += 1
            self._step += is_step
            return self._step

    def refuse(self, tool: Tool, arguments: Mapping[str, Any], step: int) -> ToolError | None:
        """An error for a call that must not be run again, which counts as one more failure; or None."""
        name = tool.name
        if name not in self._streaks and name not in self._failed and name not in self._fatal:
            return None
        key = call_key(name, arguments)
        with self._lock:
            reason = self._fatal.get(name, {}).get(key)
            if reason is not None:
                message = f"This call was not run: it failed before, and repeating it cannot help ({reason})."
                return RepeatedCallError(message, fatal=True, rule="session:fatal-before")
            is_proposed = key in self._proposed
            self._proposed.pop(key, None)
            if is_proposed:
                return None
            streak = self._streaks.setdefault(name, FailureStreak())
            repeated = self._find_repeated(self._failed.get(name, {}), key, arguments, step)
            if repeated is not None:
                known = repeated.count_before(step)
                repeated.add(step, self._step)
                repeated.calls = self._calls
                streak.add(step, self._step, "", invalid=False)
                return _repeated_error(known, fatal=known >= _FATAL_AFTER)
            known = streak.count_before(step)
            if known >= _ENDED_AFTER and not self._is_corrected(streak, arguments):
                streak.add(step, self._step, "", invalid=False)
                return _streak_error(name, known)
        return None

    def _find_repeated(
        self, failed: Mapping[str, FailureRecord], key: str, arguments: Mapping[str, Any], step: int
    ) -> FailureRecord | None:
        """The repeated failure for which this call is refused: of the same call, or of one with the same failing value."""
        refusing = {
            known: record
            for known, record in failed.items()
            if not record.invalid and record.count_before(step) >= _REFUSED_AFTER and not self._may_repeat(record)
        }
        if not refusing or key in refusing:
            return refusing.get(key)
        hashes = {argument_hash(*item) for item in argument_values(arguments)}
        return next((record for record in refusing.values() if not hashes.isdisjoint(record.traces)), None)

    def _may_repeat(self, record: FailureRecord) -> bool:
        """Whether repeating a call is what the model was asked to do: it polls, or has waited."""
        polls = record.transient and self._calls > record.calls + 1
        return polls or (record.until is not None and self._clock() >= record.until)

    def _is_corrected(self, streak: FailureStreak, arguments: Mapping[str, Any]) -> bool:
        """Whether a call fits after some that did not, or takes a name that the last feedback listed."""
        return streak.invalid or any(digest(value) in streak.proposed for _, value in argument_values(arguments))

    def record_failure(
        self,
        tool: Tool | None,
        name: object,
        arguments: Mapping[str, Any] | None,
        error: ToolError,
        *,
        step: int,
        ran: bool = False,
        exception: str | None = None,
        started: float = 0.0,
    ) -> tuple[ToolError, str]:
        """Records a failure.

        Args:
            tool: the tool, or None if no tool has that name.
            name: the name that was called.
            arguments: the arguments as JSON values; None if they cannot be read.
            error: what the failure means.
            step: the step that the call belongs to.
            ran: whether the tool was run.
            exception: the qualified name of the exception's class, or None.
            started: when the call began, by the guard's clock.

        Returns:
            The error that counts, and the name of a sentence on the repetition; empty for the first failure.
        """
        owner = "" if tool is None else tool.name
        invalid = tool is None or (isinstance(error, ToolArgumentError) and not ran)
        is_poll = error.transient and tool is not None and tool.read_only
        result = result_key(error, exception)
        with self._lock:
            streak = self._streaks.setdefault(owner, FailureStreak())
            streak.add(step, self._step, value_kind(error), invalid=invalid)
            records = self._records(owner, name, arguments, error, invalid)
            excused = [
                self._add_result(record, result, step=step, started=started, invalid=invalid, is_poll=is_poll)
                for record in records
            ]
            wait = error.retry_after or 0.0
            for record in records:
                record.invalid, record.transient, record.calls = invalid, is_poll, self._calls
                record.until = self._clock() + wait if wait >= _SHORTEST_WAIT else None
            if error.fatal and not invalid and not isinstance(error, RepeatedCallError):
                self._fatal.setdefault(owner, {})[call_key(owner, arguments or {})] = type(error).__name__
            self._drop_oldest()
            return self._error_and_note(owner, streak, records, error, ran=ran, is_excused=all(excused))

    def _add_result(
        self, record: FailureRecord, result: str, *, step: int, started: float, invalid: bool, is_poll: bool
    ) -> bool:
        """Counts a failure in its record, unless the model polls or has waited as it was asked to; whether it is excused.

        Another failure of the same call starts a new count.
        """
        is_polling = is_poll and self._calls > record.calls + 1
        has_waited = record.until is not None and started >= record.until
        has_changed = bool(record.results) and result not in record.results
        if has_changed and not record.of_value and not invalid:
            record.count = 0
        record.results = [*record.results, result]
        if record.count and (is_polling or has_waited):
            return True
        record.add(step, self._step)
        return False

    def count_repeat(self, tool: Tool, arguments: Mapping[str, Any], step: int) -> None:
        """Counts a call that failed before and got its recorded answer again."""
        with self._lock:
            record = self._failed.get(tool.name, {}).get(call_key(tool.name, arguments))
            if record is not None:
                record.add(step, self._step)

    def _records(
        self, owner: str, name: object, arguments: Mapping[str, Any] | None, error: ToolError, invalid: bool
    ) -> list[FailureRecord]:
        """What is remembered of the failures that count as the same: of the call, and of the failing value."""
        if not owner:
            keys = name_keys(name, error)
        else:
            keys = [digest(f"{owner}\0unreadable") if arguments is None else call_key(owner, arguments)]
        failed = self._failed.setdefault(owner, {})
        records = [failed.setdefault(key, FailureRecord()) for key in keys]
        value = value_key(error) if owner and arguments is not None else None
        if value is not None:
            value_record = failed.setdefault(value, FailureRecord(of_value=True))
            if not invalid:
                value_record.traces = [*value_record.traces, *argument_hashes(error, arguments or {})]
            records.append(value_record)
        return records

    def _error_and_note(
        self,
        owner: str,
        streak: FailureStreak,
        records: Sequence[FailureRecord],
        error: ToolError,
        *,
        ran: bool,
        is_excused: bool,
    ) -> tuple[ToolError, str]:
        count = max(record.count for record in records)
        if error.fatal:
            return error, ""
        if ran and count > _FATAL_AFTER and not is_excused:
            return _too_often_error(count, error), ""
        if not ran and count > _REFUSED_AFTER:
            return _with_cause(error, _repeated_error(count - 1, fatal=count > _FATAL_AFTER)), ""
        if not ran and streak.invalid and streak.steps > _ENDED_AFTER:
            return _with_cause(error, _streak_error(owner or "calls of tools that do not exist", streak.steps - 1)), ""
        if streak.steps > _STOP_AFTER:
            return error, "many_failures"
        if is_excused:
            return error, ""
        if count > 1:
            return error, _note_template(count, is_same_call=bool(owner) and records[0].count == count)
        return error, "other_values" if streak.kind and streak.alike >= _OTHER_VALUES else ""

    def record_success(self, tool: Tool, read_arguments: Callable[[], Mapping[str, Any]]) -> None:
        """Records a success: all streaks end, and the same call is new; so is every call if something may have changed.

        Args:
            tool: the tool that succeeded.
            read_arguments: reads the validated arguments; asked only if earlier calls of the tool failed.
        """
        if not self._streaks and not self._failed:
            return
        with self._lock:
            self._streaks.clear()
            self._failed.pop("", None)
            if not tool.read_only:
                self._failed.clear()
            elif tool.name in self._failed:
                arguments = read_arguments()
                self._forget_tool(
                    tool.name,
                    call_key(tool.name, arguments),
                    {argument_hash(*item) for item in argument_values(arguments)},
                )

    def _forget_tool(self, name: str, key: str, hashes: set[str]) -> None:
        failed = self._failed[name]
        for known, record in list(failed.items()):
            is_about = record.of_value and (not record.traces or not hashes.isdisjoint(record.traces))
            if known == key or record.invalid or is_about:
                del failed[known]
        if not failed:
            del self._failed[name]

    def record_proposal(
        self, tool: Tool | None, call: tuple[str, Mapping[str, Any]] | None, names: Iterable[str]
    ) -> None:
        """Records what a feedback proposes: such a call is a corrected one.

        Args:
            tool: the tool that failed, or None.
            call: the corrected call as name and arguments, or None.
            names: the names that it lists.
        """
        with self._lock:
            if call is not None:
                self._proposed[call_key(*call)] = None
                while len(self._proposed) > MOST_RECORDS:
                    del self._proposed[next(iter(self._proposed))]
            if tool is not None and tool.name in self._streaks:
                self._streaks[tool.name].proposed = [digest(safe_str(name, 500)) for name in names]

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            for remembered in (self._failed, self._streaks, self._fatal, self._proposed):
                remembered.clear()

    def _drop_oldest(self) -> None:
        remembered: tuple[dict[str, dict[str, Any]], ...] = (self._failed, self._fatal)
        for of_tools in remembered:
            while sum(map(len, of_tools.values())) > MOST_RECORDS:
                first = next(iter(of_tools))
                del of_tools[first][next(iter(of_tools[first]))]
                if not of_tools[first]:
                    del of_tools[first]
        while len(self._streaks) > MOST_RECORDS:
            del self._streaks[next(iter(self._streaks))]

    def to_dict(self) -> dict[str, Any]:
        """What is remembered, as JSON values."""
        with self._lock:
            return save(SavedGuard(self._failed, self._streaks, self._fatal, list(self._proposed), self._step or None))

    def load(self, saved: SavedGuard) -> None:
        """Continues with what was saved."""
        with self._lock:
            self._failed, self._streaks, self._fatal = saved.failed, saved.streaks, saved.fatal
            self._proposed = dict.fromkeys(saved.proposed)
            self._step = saved.step or 0


def _note_template(count: int, *, is_same_call: bool) -> str:
    """The template that says how often this has happened."""
    if count == 2:
        return "second_time" if is_same_call else "second_alike"
    return "third_time" if count == 3 else "more_times"


def _repeated_error(times: int, *, fatal: bool) -> RepeatedCallError:
    message = f"This call was not run: it has already failed {times} times."
    return RepeatedCallError(message, fatal=fatal, rule="session:repeated")


def _streak_error(name: str, steps: int) -> RepeatedCallError:
    message = f"This call was not run: {name} failed {steps} times in a row."
    return RepeatedCallError(message, fatal=True, rule="session:in-a-row")


def _too_often_error(times: int, error: ToolError) -> RepeatedCallError:
    """The failure that is one too many, of a call that could not be known beforehand to be the same."""
    message = f"This has failed {times} times."
    return _with_cause(error, RepeatedCallError(message, fatal=True, rule="session:repeated", effect=error.effect))


def _with_cause(error: ToolError, repeated: RepeatedCallError) -> RepeatedCallError:
    repeated.__cause__ = error
    return repeated
