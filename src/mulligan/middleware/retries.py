"""Retry: runs a tool again after a transient failure, if running it again is safe."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from mulligan.calls import ToolCall
from mulligan.errors import ToolArgumentError, ToolConnectionError, ToolError, ToolTimeoutError, UsageError
from mulligan.execute.steps import DeadlineExceeded, Outcome, Run, Sleep, Steps
from mulligan.forks import shared_lock
from mulligan.middleware.keys import check_classes, check_number, with_timeout
from mulligan.tools import Tool

_FREE_ATTEMPTS = 10.0
_MOST_DOUBLINGS = 64


class Retry:
    """Runs a tool again after a transient failure, with exponential backoff.

    A tool that is neither `read_only` nor `idempotent` runs at most once. With `before_effect`, it runs again if the
    failure definitely precedes any effect. Invalid arguments are never sent again. A fatal error ends the attempts,
    except for an unreachable service, which is fatal only after the last attempt. All attempts and waits share the
    tool's `timeout`; if it ends the last attempt, the model reads the failure before it and the total time.

    Args:
        on: error classes to retry; by default every transient error, and an unreachable service.
        attempts: the maximum number of runs.
        timeout: no attempt starts later than this many seconds after the first.
        attempt_timeout: seconds for one attempt, so that one that hangs leaves time for another.
        wait_initial: seconds before the second attempt.
        wait_max: the maximum wait in seconds; a longer Retry-After of the service is honoured.
        wait_jitter: the maximum random addition to a wait in seconds, so that clients do not return all at once.
        wait_exp_base: the factor by which waits grow.
        before_effect: declares that each tool makes one request, so that a refused connection, an unresolved name or a
            429 precedes any effect; a tool that may write is then retried too. A tool that makes two requests would
            repeat the first one. To declare it for some tools only, contribute this middleware by the hook
            `middlewares`.
        budget: further attempts per failed call, counted per tool. The first ten are free, and a successful one is
            refunded, so the budget matters only while retries do not help. None disables it.
        clock: monotonic seconds.
        rng: random numbers from 0 to 1.

    Raises:
        UsageError: an argument is invalid; the message names it.
    """

    retries = True

    def __init__(
        self,
        *,
        on: type[ToolError] | Iterable[type[ToolError]] | None = None,
        attempts: int = 3,
        timeout: float = 45.0,
        attempt_timeout: float | None = None,
        wait_initial: float = 0.1,
        wait_max: float = 5.0,
        wait_jitter: float = 1.0,
        wait_exp_base: float = 2.0,
        before_effect: bool = False,
        budget: float | None = 0.2,
        clock: Callable[[], float] = time.monotonic,
        rng: Callable[[], float] = random.random,
    ) -> None:
        check_number("retry", "attempts", attempts, least=1, whole=True)
        for name, value in (("timeout", timeout), ("wait_exp_base", wait_exp_base)):
            check_number("retry", name, value)
        for name, value in (("wait_initial", wait_initial), ("wait_max", wait_max), ("wait_jitter", wait_jitter)):
            if value != 0:
                check_number("retry", name, value)
        for name, bound in (("attempt_timeout", attempt_timeout), ("budget", budget)):
            if bound is not None:
                check_number("retry", name, bound)
        if not isinstance(before_effect, bool):
            raise UsageError(f"retry(before_effect={before_effect!r:.80}): use True or False")
        self._on = None if on is None else check_classes("retry", on)
        self._attempts = attempts
        self._timeout = timeout
        self._attempt_timeout = attempt_timeout
        self._waits = (wait_initial, wait_max, wait_jitter, wait_exp_base)
        self.before_effect = before_effect
        self._budget = None if budget is None else _RetryBudget(budget, max(_FREE_ATTEMPTS, attempts))
        self._clock = clock
        self._rng = rng

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the tool, and runs it again if it fails and another attempt is safe."""
        started = self._clock()
        outcome = yield with_timeout(run, self._attempt_timeout)
        if outcome.error is None:
            return outcome
        return (yield from self.again(run, tool, outcome, started))

    def again(self, run: Run, tool: Tool, outcome: Outcome, started: float) -> Steps:
        """Runs the tool again after the first attempt failed.

        Args:
            run: the run.
            tool: the tool.
            outcome: the outcome of the first attempt.
            started: the start of the first attempt, by the clock.
        """
        left = _TimeLeft(run.timeout, started, self._clock)
        if self._budget is not None:
            self._budget.add_failure(tool.name)
        reason, runs = outcome, 1
        while runs < self._attempts and (wait := self._wait_for_another(tool, outcome.error, runs, left)) is not None:
            yield Sleep(wait)
            if left.seconds <= 0:
                break
            earlier = outcome.error
            outcome = yield with_timeout(with_timeout(run, left.bound), self._attempt_timeout)
            runs += 1
            if outcome.error is None:
                if self._budget is not None:
                    self._budget.refund(tool.name)
                return outcome
            if outcome.error.effect == "none" and earlier is not None:
                outcome.error.effect = earlier.effect  # an earlier attempt may have had an effect
            if not isinstance(outcome.exception, DeadlineExceeded):
                reason = outcome
        return outcome if outcome is reason or runs == 1 else _timed_out_outcome(reason, outcome, runs, left.elapsed)

    def _wait_for_another(self, tool: Tool, error: ToolError | None, runs: int, left: _TimeLeft) -> float | None:
        """Seconds to wait before another attempt; None if there is none."""
        if error is None or not self._may_retry(tool, error):
            return None
        wait = self._wait(runs, error.retry_after)
        if not (left.elapsed + wait < self._timeout and wait < left.seconds):
            return None
        return wait if self._budget is None or self._budget.take(tool.name) else None

    def _may_retry(self, tool: Tool, error: ToolError) -> bool:
        """Whether another attempt is safe and may succeed."""
        is_safe = tool.read_only or tool.idempotent or (self.before_effect and error.effect == "none")
        return is_safe and self.worth(error)

    def worth(self, error: ToolError) -> bool:
        """Whether another attempt may succeed.

        Args:
            error: the error of the last attempt.
        """
        unreachable = isinstance(error, ToolConnectionError) and error.effect == "none"
        if isinstance(error, ToolArgumentError) or (error.fatal and not unreachable):
            return False
        return error.transient or unreachable if self._on is None else isinstance(error, self._on)

    def _wait(self, attempt: int, retry_after: float | None) -> float:
        initial, most, jitter, base = self._waits
        extra = jitter * self._rng()
        grown = initial * base ** min(attempt - 1, _MOST_DOUBLINGS)
        return min(most, grown + extra) if retry_after is None else retry_after + min(most, extra)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(attempts={self._attempts}, timeout={self._timeout:g})"


def _timed_out_outcome(reason: Outcome, last: Outcome, runs: int, seconds: float) -> Outcome:
    """The outcome of attempts of which the last one timed out: the failure before it, and the total time.

    Args:
        reason: the outcome of the last attempt that answered; a timeout if none did.
        last: the outcome of the last attempt.
        runs: the number of attempts.
        seconds: the total time of the attempts.
    """
    late = last.exception
    assert isinstance(late, DeadlineExceeded)
    total = DeadlineExceeded(seconds, started=late.started, running=late.running)
    if reason.error is None or isinstance(reason.exception, DeadlineExceeded):
        return Outcome(exception=total)
    outcome, error = copy(reason), copy(reason.error)
    error.message = f"{error.message} Tried {runs} times in {total.told}; the last attempt timed out."
    error.__cause__ = reason.error.__cause__
    if error.effect == "none" and last.error is not None:
        error.effect = last.error.effect
    outcome.error = error
    return outcome


class DefaultRetry(Retry):
    """The default retry for tools that are `read_only` or `idempotent`: three quick attempts within five seconds.

    A timeout is not retried: the caller has already waited for the whole timeout.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(attempts=3, timeout=5.0, wait_initial=0.1, wait_max=1.0, wait_jitter=0.1, clock=clock)

    def worth(self, error: ToolError) -> bool:
        """Whether another attempt may succeed soon."""
        return error.transient and not error.fatal and not isinstance(error, (ToolTimeoutError, ToolArgumentError))

    def middleware_after(self, outcome: Outcome, started: float) -> Callable[[Run, Tool, ToolCall], Steps]:
        """A middleware for the attempts after the first run, so that a success costs nothing.

        Args:
            outcome: the outcome of the first run.
            started: the start of the call, by the clock.
        """

        def remaining_attempts(run: Run, tool: Tool, call: ToolCall) -> Steps:
            return self.again(run, tool, outcome, started)

        return remaining_attempts


class _TimeLeft:
    """The remaining time of all attempts."""

    def __init__(self, timeout: float | None, started: float, clock: Callable[[], float]) -> None:
        self._timeout = timeout
        self._started = started
        self._clock = clock

    @property
    def elapsed(self) -> float:
        return self._clock() - self._started

    @property
    def seconds(self) -> float:
        return float("inf") if self._timeout is None else self._timeout - self.elapsed

    @property
    def bound(self) -> float | None:
        return None if self._timeout is None else self.seconds


class _RetryBudget:
    """Limits further attempts while they do not succeed. Thread-safe."""

    def __init__(self, share: float, most: float) -> None:
        self._share = share
        self._most = most
        self._lock = shared_lock()
        self._tokens: dict[Any, float] = {}

    def add_failure(self, name: str) -> None:
        with self._lock:
            self._tokens[name] = min(self._most, self._tokens.get(name, self._most) + self._share)

    def take(self, name: str) -> bool:
        with self._lock:
            if self._tokens[name] < 1:
                return False
            self._tokens[name] -= 1
        return True

    def refund(self, name: str) -> None:
        with self._lock:
            self._tokens[name] += 1
