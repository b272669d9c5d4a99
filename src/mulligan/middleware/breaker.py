"""Circuit breaker: a service that fails again and again is left alone for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping

from mulligan.middleware.checks import REFUSALS, check_classes, check_number, rounded_up
from mulligan.middleware.circuit import Circuit, Settings, State
from mulligan.middleware.keys import Key, Keys, PerKey
from mulligan.plugin import (
    DeadlineExceeded,
    ExecutorSaturated,
    Outcome,
    Run,
    Steps,
    Tool,
    ToolCall,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolTimeoutError,
    ToolUnavailableError,
)

SERVICE_FAILURES: tuple[type[ToolError], ...] = (ToolUnavailableError, ToolConnectionError, ToolTimeoutError)


class CircuitBreaker:
    """Sets a service aside that fails again and again, and tries it anew after a while.

    Closed, calls go through and are counted. With `failure_threshold` failures within the window, which are at least the
    `failure_rate` of its calls, it opens: calls are answered at once, without being run. After `recovery_timeout` it is
    half-open: `half_open_permits` calls are let through; when all of them are served, it closes, and when one fails, it
    opens again. Only what the service fails at counts; arguments that it rejects show that it works.

    Args:
        failure_threshold: how many failures open it.
        failure_rate: which share of the calls they must be, from 0 to 1.
        window: seconds in which calls are counted together.
        recovery_timeout: seconds that it stays open.
        half_open_permits: how many calls try the service anew.
        key: what is counted together: `"tool"` (each by itself), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; tools for which it gives None are left alone.
        on: error classes that count; by default unavailable, not reached and timed out.
        clock: monotonic seconds.

    Raises:
        UsageError: names the argument that is wrong.
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
        """The state of each circuit so far, by its key."""
        now = self._clock()
        return {key: circuit.state(now) for key, circuit in self._circuits.items()}

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """The run, unless its service is set aside.

        Args:
            run: what is run.
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
            return Outcome(error=self._set_aside(tool, admission.wait))
        served: bool | None = None
        try:
            outcome = yield run
            served = self._served(outcome)
            return outcome
        finally:
            circuit.settle(admission.round, served, self._clock())

    def _served(self, outcome: Outcome) -> bool | None:
        """Whether the service served the call; None where that says nothing about the service."""
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

    def _set_aside(self, tool: Tool, wait: float) -> ToolError:
        seconds = rounded_up(wait)
        return ToolUnavailableError(
            f"{self._keys.label(tool)} is set aside for another {seconds:g} s, since it failed again and again. "
            "The tool was not run.",
            effect="none",
            retry_after=seconds,
            user_message="A service that failed again and again is left alone for a while.",
            rule="host:circuit-breaker",
        )

    def __repr__(self) -> str:
        return f"CircuitBreaker({dict(self.states)!r:.200})"
