"""Circuit breaker: pauses a service after repeated failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Literal, NamedTuple

from mulligan.calls import ToolCall
from mulligan.errors import (
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolTimeoutError,
    ToolUnavailableError,
)
from mulligan.execute.steps import DeadlineExceeded, ExecutorSaturated, Outcome, Run, Steps
from mulligan.forks import shared_lock
from mulligan.middleware.keys import (
    REFUSAL_RULES,
    Key,
    KeyFinder,
    PerKey,
    check_classes,
    check_number,
    round_up_seconds,
)
from mulligan.tools import Tool

State = Literal["closed", "open", "half-open"]
_BUCKETS = 10
_TRIAL_WAIT = 1.0
SERVICE_FAILURES: tuple[type[ToolError], ...] = (ToolUnavailableError, ToolConnectionError, ToolTimeoutError)


class Settings(NamedTuple):
    """When a circuit opens and closes.

    Attributes:
        failures: the number of failures within the window that opens it.
        rate: the minimum share of failures among the calls in the window.
        window: the seconds in which calls are counted; it moves in tenths.
        open_seconds: the seconds that it stays open.
        permits: the number of trial calls while it is half-open; it closes when that many succeed.
    """

    failures: int
    rate: float
    window: float
    open_seconds: float
    permits: int


class Admission(NamedTuple):
    """Whether and when a circuit admits a call.

    Attributes:
        round: the round of the circuit; outcomes of earlier rounds do not count.
        wait: 0 if the call may run, otherwise the seconds until the next try.
    """

    round: int
    wait: float


class Circuit:
    """Counts calls and failures, and admits or refuses calls. Thread-safe.

    Args:
        settings: when the circuit opens and closes.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = shared_lock()
        self._round = 0
        self._state: State = "closed"
        self._counts: dict[int, list[int]] = {}
        self._open_until = 0.0
        self._trials_running = 0
        self._trials_succeeded = 0
        self._last_trial = 0.0

    def admit(self, now: float) -> Admission:
        """Admits a call, or returns how long to wait.

        Args:
            now: monotonic seconds.
        """
        with self._lock:
            if self._state == "closed":
                return Admission(self._round, 0)
            if self._state == "open":
                if now < self._open_until:
                    return Admission(self._round, self._open_until - now)
                self._half_open(now)
            elif self._trials_running + self._trials_succeeded >= self._settings.permits:
                if now - self._last_trial < self._settings.open_seconds:
                    return Admission(self._round, min(_TRIAL_WAIT, self._settings.open_seconds))
                self._half_open(now)  # some trial call never returned
            self._trials_running += 1
            self._last_trial = now
            return Admission(self._round, 0)

    def record(self, round: int, worked: bool | None, now: float) -> None:
        """Records the outcome of an admitted call.

        Args:
            round: the round of its admission.
            worked: whether the service worked; None if the outcome does not show it.
            now: monotonic seconds.
        """
        with self._lock:
            if round != self._round:
                return
            if self._state == "half-open":
                self._record_trial(worked, now)
            elif worked is not None and self._count(worked, now):
                self._open(now)

    def state(self, now: float) -> State:
        """The current state; an open circuit becomes half-open when its time has passed.

        Args:
            now: monotonic seconds.
        """
        with self._lock:
            return "half-open" if self._state == "open" and now >= self._open_until else self._state

    def is_idle(self, now: float) -> bool:
        """Whether a new circuit would behave in the same way.

        Args:
            now: monotonic seconds.
        """
        with self._lock:
            return self._state == "closed" and all(bucket <= self._oldest(now) for bucket in self._counts)

    def _record_trial(self, worked: bool | None, now: float) -> None:
        self._trials_running -= 1
        if worked is None:
            return
        if not worked:
            self._open(now)
            return
        self._trials_succeeded += 1
        if self._trials_succeeded >= self._settings.permits:
            self._enter("closed")

    def _count(self, worked: bool, now: float) -> bool:
        """Counts a call, and returns whether there are too many failures."""
        oldest = self._oldest(now)
        if any(bucket <= oldest for bucket in self._counts):
            self._counts = {bucket: count for bucket, count in self._counts.items() if bucket > oldest}
        count = self._counts.setdefault(oldest + _BUCKETS, [0, 0])
        count[worked] += 1
        if worked:
            return False
        failed = sum(one[False] for one in self._counts.values())
        total = failed + sum(one[True] for one in self._counts.values())
        return failed >= self._settings.failures and failed >= self._settings.rate * total

    def _oldest(self, now: float) -> int:
        """The last bucket that is outside the window."""
        return int(now * _BUCKETS // self._settings.window) - _BUCKETS

    def _open(self, now: float) -> None:
        self._open_until = now + self._settings.open_seconds
        self._enter("open")

    def _half_open(self, now: float) -> None:
        self._last_trial = now
        self._enter("half-open")

    def _enter(self, state: State) -> None:
        self._state = state
        self._round += 1
        self._counts = {}
        self._trials_running = self._trials_succeeded = 0


class CircuitBreaker:
    """Pauses a service after repeated failures, and tries it again later.

    While closed, the breaker lets calls through and counts them. It opens after `failure_threshold` failures within the
    window, if their share of the calls is at least `failure_rate`. While open, calls fail immediately and do not run.
    After `recovery_timeout` it is half-open: it lets `half_open_permits` calls through. If all of them succeed, it
    closes; if one fails, it opens again. Only failures of the service count: rejected arguments show that it works.

    Args:
        failure_threshold: the number of failures that opens it.
        failure_rate: the minimum share of failures among the calls, from 0 to 1.
        window: the seconds in which calls are counted.
        recovery_timeout: the seconds that it stays open.
        half_open_permits: the number of trial calls when it is half-open.
        key: which calls are counted together: `"tool"` (per tool), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; if it returns None, the call is exempt.
        on: error classes that count; by default those for unavailable, unreachable and slow services.
        clock: monotonic seconds.

    Raises:
        UsageError: an argument is invalid; the message names it.
    """

    def __init__(
        self,
        *,
        failure_threshold: int = 5,
        failure_rate: float = 0.5,
        window: float = 60.0,
        recovery_timeout: float = 30.0,
        half_open_permits: int = 1,
        key: Key = "tool",
        on: type[ToolError] | Iterable[type[ToolError]] = SERVICE_FAILURES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        owner = "circuit_breaker"
        check_number(owner, "failure_threshold", failure_threshold, least=1, whole=True)
        check_number(owner, "half_open_permits", half_open_permits, least=1, whole=True)
        check_number(owner, "failure_rate", failure_rate, most=1)
        check_number(owner, "window", window)
        check_number(owner, "recovery_timeout", recovery_timeout)
        self._on = check_classes(owner, on)
        self._keys = KeyFinder(owner, key)
        self._clock = clock
        settings = Settings(failure_threshold, failure_rate, window, recovery_timeout, half_open_permits)
        self._circuits: PerKey[Circuit] = PerKey(lambda: Circuit(settings))

    @property
    def states(self) -> Mapping[Hashable, State]:
        """The current state of each circuit, by key."""
        now = self._clock()
        return {key: circuit.state(now) for key, circuit in self._circuits.items()}

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the call, unless its service is paused."""
        key = self._keys.of(tool, call)
        if key is None:
            return (yield run)
        now = self._clock()
        circuit = self._circuits.get(key, now)
        admission = circuit.admit(now)
        if admission.wait > 0:
            return Outcome(error=self._paused_error(tool, admission.wait))
        worked: bool | None = None
        try:
            outcome = yield run
            worked = self._service_worked(outcome)
            return outcome
        finally:
            circuit.record(admission.round, worked, self._clock())

    def _service_worked(self, outcome: Outcome) -> bool | None:
        """Whether the service worked; None if the outcome says nothing about the service."""
        error, exception = outcome.error, outcome.exception
        if error is None:
            return True if exception is None else None
        if error.rule in REFUSAL_RULES or isinstance(exception, ExecutorSaturated):
            return None
        if isinstance(exception, DeadlineExceeded) and not exception.started:
            return None
        if isinstance(error, self._on):
            return False
        return None if isinstance(error, (ToolExecutionError, ToolCancelledError)) else True

    def _paused_error(self, tool: Tool, wait: float) -> ToolError:
        seconds = round_up_seconds(wait)
        return ToolUnavailableError(
            f"{self._keys.label(tool)} is paused for {seconds:g} s after repeated failures. The tool was not run.",
            effect="none",
            retry_after=seconds,
            user_message="A service is paused after repeated failures. Try again later.",
            rule="host:circuit-breaker",
        )

    def __repr__(self) -> str:
        return f"CircuitBreaker({dict(self.states)!r:.200})"
