"""Circuit breaker: pauses a service after repeated failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping

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
from mulligan.middleware.checks import REFUSALS, check_classes, check_number, rounded_up
from mulligan.middleware.circuit import Circuit, Settings, State
from mulligan.middleware.keys import Key, Keys, PerKey
from mulligan.tools import Tool

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
