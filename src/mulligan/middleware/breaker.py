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
from mulligan.middleware.keys import REFUSALS, Key, Keys, PerKey, check_classes, check_number, rounded_up
from mulligan.tools import Tool

State = Literal["closed", "open", "half-open"]
_BUCKETS = 10
_WHILE_TRIED = 1.0


class Settings(NamedTuple):
    """When a circuit opens and closes.

    Attributes:
        failures: the number of failures within the window that opens it.
        rate: the minimum share of failures within the window.
        window: the seconds in which calls are counted; it moves in tenths.
        open_seconds: the seconds that it stays open.
        permits: concurrent calls while it is half-open, and successes that close it.
    """

    failures: int
    rate: float
    window: float
    open_seconds: float
    permits: int


class Admission(NamedTuple):
    """The answer of a circuit to a call.

    Attributes:
        round: the round of the circuit; outcomes of earlier rounds do not count.
        wait: 0 if the call may run, else the seconds until the next try.
    """

    round: int
    wait: float


class Circuit:
    """Counts calls and failures, and admits or refuses calls. Thread-safe.

    Args:
        settings: when it opens and closes.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = shared_lock()
        self._round = 0
        self._state: State = "closed"
        self._counts: dict[int, list[int]] = {}
        self._until = 0.0
        self._out = 0
        self._served = 0
        self._asked = 0.0

    def admit(self, now: float) -> Admission:
        """Whether a call may run.

        Args:
            now: monotonic seconds.
        """
        with self._lock:
            if self._state == "closed":
                return Admission(self._round, 0)
            if self._state == "open":
                if now < self._until:
                    return Admission(self._round, self._until - now)
                self._try(now)
            elif self._out + self._served >= self._settings.permits:
                if now - self._asked < self._settings.open_seconds:
                    return Admission(self._round, min(_WHILE_TRIED, self._settings.open_seconds))
                self._try(now)  # a trial call never returned
            self._out += 1
            self._asked = now
            return Admission(self._round, 0)

    def settle(self, round: int, served: bool | None, now: float) -> None:
        """Records the outcome of an admitted call.

        Args:
            round: the round of its admission.
            served: whether the service worked; None if the outcome does not show it.
            now: monotonic seconds.
        """
        with self._lock:
            if round != self._round:
                return
            if self._state == "half-open":
                self._settle_trial(served, now)
            elif served is not None and self._count(served, now):
                self._open(now)

    def state(self, now: float) -> State:
        """The state; an open circuit whose time has passed is half-open.

        Args:
            now: monotonic seconds.
        """
        with self._lock:
            return "half-open" if self._state == "open" and now >= self._until else self._state

    def is_idle(self, now: float) -> bool:
        """Whether a new circuit would behave the same way.

        Args:
            now: monotonic seconds.
        """
        with self._lock:
            return self._state == "closed" and all(bucket <= self._oldest(now) for bucket in self._counts)

    def _settle_trial(self, served: bool | None, now: float) -> None:
        self._out -= 1
        if served is None:
            return
        if not served:
            self._open(now)
            return
        self._served += 1
        if self._served >= self._settings.permits:
            self._begin("closed")

    def _count(self, served: bool, now: float) -> bool:
        """Counts a call, and returns whether there are too many failures."""
        oldest = self._oldest(now)
        if any(bucket <= oldest for bucket in self._counts):
            self._counts = {bucket: count for bucket, count in self._counts.items() if bucket > oldest}
        count = self._counts.setdefault(oldest + _BUCKETS, [0, 0])
        count[served] += 1
        if served:
            return False
        failed = sum(one[False] for one in self._counts.values())
        total = failed + sum(one[True] for one in self._counts.values())
        return failed >= self._settings.failures and failed >= self._settings.rate * total

    def _oldest(self, now: float) -> int:
        """The last bucket that no longer counts."""
        return int(now * _BUCKETS // self._settings.window) - _BUCKETS

    def _open(self, now: float) -> None:
        self._until = now + self._settings.open_seconds
        self._begin("open")

    def _try(self, now: float) -> None:
        self._asked = now
        self._begin("half-open")

    def _begin(self, state: State) -> None:
        self._state = state
        self._round += 1
        self._counts = {}
        self._out = self._served = 0


SERVICE_FAILURES: tuple[type[ToolError], ...] = (ToolUnavailableError, ToolConnectionError, ToolTimeoutError)


class CircuitBreaker:
    """Pauses a service after repeated failures, and tries it again later.

    While closed, the breaker lets calls through and counts them. After `failure_threshold` failures within the window, if
    they are at least the share `failure_rate` of the calls, it opens: calls fail at once and do not run. After
    `recovery_timeout` it is half-open: it lets `half_open_permits` calls through. If all of them succeed, it closes; if
    one fails, it opens again. Only failures of the service count: rejected arguments show that it works.

    Args:
        failure_threshold: the number of failures that opens it.
        failure_rate: the minimum share of failures among the calls, from 0 to 1.
        window: the seconds in which calls are counted.
        recovery_timeout: the seconds that it stays open.
        half_open_permits: the number of trial calls when it is half-open.
        key: which calls are counted together: `"tool"` (per tool), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; None from it exempts the call.
        on: error classes that count; by default those for unavailable, unreachable and slow services.
        clock: monotonic seconds.

    Raises:
        UsageError: an argument is invalid; names it.
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
        self._keys = Keys(owner, key)
        self._window = window
        self._clock = clock
        settings = Settings(failure_threshold, failure_rate, window, recovery_timeout, half_open_permits)
        self._circuits: PerKey[Circuit] = PerKey(lambda: Circuit(settings))

    @property
    def states(self) -> Mapping[Hashable, State]:
        """The current state of each circuit, by key."""
        now = self._clock()
        return {key: circuit.state(now) for key, circuit in self._circuits.items()}

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the call, unless its service is paused.

        Args:
            run: the run.
            tool: the tool.
            call: the call.
        """
        key = self._keys.of(tool, call)
        if key is None:
            return (yield run)
        now = self._clock()
        circuit = self._circuits.get(key, now)
        admission = circuit.admit(now)
        if admission.wait > 0:
            return Outcome(error=self._paused(tool, admission.wait))
        served: bool | None = None
        try:
            outcome = yield run
            served = self._served(outcome)
            return outcome
        finally:
            circuit.settle(admission.round, served, self._clock())

    def _served(self, outcome: Outcome) -> bool | None:
        """Whether the service worked; None if the outcome says nothing about the service."""
        error, exception = outcome.error, outcome.exception
        if error is None:
            return True if exception is None else None
        if error.rule in REFUSALS or isinstance(exception, ExecutorSaturated):
            return None
        if isinstance(exception, DeadlineExceeded) and not exception.started:
            return None
        if isinstance(error, self._on):
            return False
        return None if isinstance(error, (ToolExecutionError, ToolCancelledError)) else True

    def _paused(self, tool: Tool, wait: float) -> ToolError:
        seconds = rounded_up(wait)
        return ToolUnavailableError(
            f"{self._keys.label(tool)} is paused for {seconds:g} s after repeated failures. The tool was not run.",
            effect="none",
            retry_after=seconds,
            user_message="A service is paused after repeated failures. Try again later.",
            rule="host:circuit-breaker",
        )

    def __repr__(self) -> str:
        return f"CircuitBreaker({dict(self.states)!r:.200})"
