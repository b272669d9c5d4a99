"""Limits: at most N calls at once, or per time window; further calls wait in a queue, first come, first served."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Generator
from copy import copy
from functools import partial
from typing import Any

from mulligan.calls import ToolCall
from mulligan.errors import ToolError, ToolRateLimitError
from mulligan.execute.steps import Executor, Outcome, Run, Signal, Sleep, Step, Steps
from mulligan.forks import shared_lock, survive_fork
from mulligan.middleware.keys import Key, KeyFinder, PerKey, check_number, round_up_seconds, with_timeout
from mulligan.tools import Tool

MIN_RETRY_AFTER = 1.0


class Ticket:
    """The place of a caller in a queue.

    Attributes:
        signal: wakes the caller to try again; new for each wait, None before the first.
    """

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal: Signal | None = None


class WaitingLine(ABC):
    """A queue of callers. Only the first one may proceed, so calls start in order. Thread-safe."""

    def __init__(self) -> None:
        self._lock = shared_lock()
        self._waiting: OrderedDict[Ticket, None] = OrderedDict()
        survive_fork(self)

    def forked(self) -> None:
        """Empties the queue in a forked process: its waiting callers exist only in the parent."""
        self._waiting.clear()

    @abstractmethod
    def _pause(self, now: float) -> float:
        """Seconds until one more caller may proceed; infinity if another call must end first."""

    @abstractmethod
    def _take(self, now: float) -> None:
        """Lets one caller proceed."""

    @abstractmethod
    def _expected_wait(self, ahead: int, now: float) -> float:
        """The minimum number of seconds until a caller's turn.

        Args:
            ahead: the number of callers ahead of it.
            now: seconds on the clock.
        """

    def join(self, now: float) -> tuple[Ticket, float]:
        """Joins the queue.

        Args:
            now: seconds on the clock.

        Returns:
            The ticket, and the minimum number of seconds until the caller's turn.
        """
        ticket = Ticket()
        with self._lock:
            expected = self._expected_wait(len(self._waiting), now)
            self._waiting[ticket] = None
        return ticket, expected

    def try_proceed(self, ticket: Ticket, now: float) -> float:
        """Proceeds if it is the caller's turn.

        Args:
            ticket: the ticket of `join`.
            now: seconds on the clock.

        Returns:
            0 if the caller may proceed, otherwise the seconds until the next try. The ticket's signal may end the wait
            early.
        """
        with self._lock:
            pause = self._pause(now) if self._first() is ticket else float("inf")
            if pause > 0:
                ticket.signal = Signal()
                return pause
            del self._waiting[ticket]
            self._take(now)
            following = self._first()
        _wake(following)
        return 0

    def leave(self, ticket: Ticket) -> None:
        """Leaves the queue if the caller's turn has not come yet.

        Args:
            ticket: the ticket of `join`.
        """
        with self._lock:
            if ticket not in self._waiting:
                return
            del self._waiting[ticket]
            following = self._first()
        _wake(following)

    def _first(self) -> Ticket | None:
        return next(iter(self._waiting), None)

    def _wake_first(self) -> None:
        with self._lock:
            first = self._first()
        _wake(first)


def _wake(ticket: Ticket | None) -> None:
    if ticket is not None and ticket.signal is not None:
        ticket.signal.set()


def wait_for_turn(
    line: WaitingLine, most: float, clock: Callable[[], float]
) -> Generator[Step, Outcome, tuple[float, float]]:
    """Waits for the caller's turn.

    Args:
        line: the queue.
        most: the maximum wait in seconds.
        clock: monotonic seconds.

    Returns:
        The seconds after which to try again, 0 if it is the caller's turn; and the seconds that the caller has waited, 0
        if it did not have to.
    """
    began = clock()
    ticket, expected = line.join(began)
    try:
        if expected > most:
            return expected, 0
        now = began
        while (pause := line.try_proceed(ticket, now)) > 0:
            left = most - (now - began)
            if left <= 0:
                return max(expected, MIN_RETRY_AFTER), now - began
            yield Sleep(min(pause, left), ticket.signal)
            now = clock()
        return 0, now - began
    finally:
        line.leave(ticket)


class ConcurrencyLimit:
    """Limits the number of concurrent calls; further calls wait, first come, first served.

    A call that is abandoned at its deadline while its tool still runs keeps its permit until the tool ends, so a
    service that hangs uses only its own permits and does not exhaust the threads.

    Args:
        permits: the maximum number of concurrent calls.
        key: which calls are counted together: `"tool"` (per tool), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; if it returns None, the call is exempt.
        max_wait: the maximum wait in seconds; waiting counts towards the tool's timeout.
        clock: monotonic seconds.

    Raises:
        UsageError: an argument is invalid; the message names it.
    """

    def __init__(
        self,
        permits: int,
        *,
        key: Key = "tool",
        max_wait: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_number("concurrency", "permits", permits, least=1, whole=True)
        if max_wait != 0:
            check_number("concurrency", "max_wait", max_wait)
        self._permits = permits
        self._keys = KeyFinder("concurrency", key)
        self._max_wait = max_wait
        self._clock = clock
        self._lines: PerKey[PermitLine] = PerKey(lambda: PermitLine(permits))

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the call as soon as a permit is free."""
        key = self._keys.of(tool, call)
        if key is None:
            return (yield run)
        began = self._clock()
        line = self._lines.get(key, began)
        most = self._max_wait if run.timeout is None else min(self._max_wait, run.timeout)
        wait, waited = yield from wait_for_turn(line, most, self._clock)
        if wait > 0:
            return Outcome(error=self._limit_error(tool, line.last_duration))
        hold = _PermitHold(line, self._clock(), self._clock)
        with hold:
            left = None if run.timeout is None else run.timeout - waited
            if left is not None and left <= 0:
                return Outcome(error=self._limit_error(tool, line.last_duration))
            return (yield _hold_permit(with_timeout(run, left), hold))

    def _limit_error(self, tool: Tool, wait: float) -> ToolError:
        seconds = round_up_seconds(wait)
        calls = "one concurrent call" if self._permits == 1 else f"{self._permits} concurrent calls"
        return ToolRateLimitError(
            f"{self._keys.label(tool)} is limited to {calls}, and none ended in time. The tool was not run.",
            effect="none",
            retry_after=seconds,
            user_message="A service is busy with other calls.",
            rule="host:concurrency",
        )

    def __repr__(self) -> str:
        return f"ConcurrencyLimit({self._permits})"


class PermitLine(WaitingLine):
    """A queue for N permits.

    Args:
        permits: the number of permits.

    Attributes:
        last_duration: the duration of the last call in seconds, at least 1.
    """

    def __init__(self, permits: int) -> None:
        super().__init__()
        self._free = self._permits = permits
        self.last_duration = 1.0

    def forked(self) -> None:
        """Frees all permits in a forked process: their holders exist only in the parent."""
        super().forked()
        self._free = self._permits

    def _pause(self, now: float) -> float:
        return 0 if self._free > 0 else float("inf")

    def _take(self, now: float) -> None:
        self._free -= 1

    def _expected_wait(self, ahead: int, now: float) -> float:
        return 0

    def release(self, held: float) -> None:
        """Releases a permit.

        Args:
            held: how long it was held, in seconds.
        """
        with self._lock:
            self._free = min(self._permits, self._free + 1)  # a fork has already freed it
            self.last_duration = max(1.0, held)
        self._wake_first()

    def is_idle(self, now: float) -> bool:
        """Whether all permits are free and no caller waits."""
        with self._lock:
            return self._free == self._permits and not self._waiting


class _PermitHold:
    """A permit that the call and its tool hold together; it is freed when both have released it."""

    def __init__(self, line: PermitLine, since: float, clock: Callable[[], float]) -> None:
        self._line = line
        self._since = since
        self._clock = clock
        self._lock = threading.Lock()
        self._holders = 0
        self._is_released = False

    def __enter__(self) -> None:
        with self._lock:
            self._holders += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._holders -= 1
            ended = self._holders == 0 and not self._is_released
            self._is_released = self._is_released or ended
        if ended:
            self._line.release(self._clock() - self._since)


def _hold_permit(run: Run, hold: _PermitHold) -> Run:
    """The run, with a tool that holds the permit while it runs."""
    holding = copy(run)
    holding.executor = partial(_await_holding if run.is_async else _call_holding, run.executor, hold)
    return holding


def _call_holding(executor: Executor, hold: _PermitHold) -> Any:
    with hold:
        return executor()


async def _await_holding(executor: Executor, hold: _PermitHold) -> Any:
    with hold:
        value = executor()
        return await value if isinstance(value, Awaitable) else value


class RateLimit:
    """Limits how many calls start per time window; further calls wait, first come, first served.

    If the wait of a call would exceed the maximum, the call is refused immediately and does not count.

    Args:
        calls: at most this many calls start in any `per`-second window.
        per: the window in seconds.
        key: which calls are counted together: `"tool"` (per tool), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; if it returns None, the call is exempt.
        max_wait: the maximum wait in seconds; waiting counts towards the tool's timeout.
        clock: monotonic seconds.

    Raises:
        UsageError: an argument is invalid; the message names it.
    """

    def __init__(
        self,
        calls: int,
        *,
        per: float = 1.0,
        key: Key = "tool",
        max_wait: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_number("rate_limit", "calls", calls, least=1, whole=True)
        check_number("rate_limit", "per", per)
        if max_wait != 0:
            check_number("rate_limit", "max_wait", max_wait)
        self._calls = calls
        self._per = per
        self._keys = KeyFinder("rate_limit", key)
        self._max_wait = max_wait
        self._clock = clock
        self._lines: PerKey[RateLine] = PerKey(lambda: RateLine(calls, per))

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the call as soon as the limit allows it."""
        key = self._keys.of(tool, call)
        if key is None:
            return (yield run)
        began = self._clock()
        most = self._max_wait if run.timeout is None else min(self._max_wait, run.timeout)
        wait, waited = yield from wait_for_turn(self._lines.get(key, began), most, self._clock)
        if wait > 0:
            return Outcome(error=self._limit_error(tool, wait))
        if run.timeout is None:
            return (yield run)
        left = run.timeout - waited
        return (yield with_timeout(run, left)) if left > 0 else Outcome(error=self._limit_error(tool, self._per))

    def _limit_error(self, tool: Tool, wait: float) -> ToolError:
        calls = "one call" if self._calls == 1 else f"{self._calls} calls"
        return ToolRateLimitError(
            f"{self._keys.label(tool)} is limited to {calls} per {self._per:g} s, and the limit is reached. "
            "The tool was not run.",
            effect="none",
            retry_after=round_up_seconds(wait),
            user_message="The rate limit of a service is reached. Try again later.",
            rule="host:rate-limit",
        )

    def __repr__(self) -> str:
        return f"RateLimit({self._calls}, per={self._per:g})"


class RateLine(WaitingLine):
    """A queue that admits at most N callers per time window.

    Args:
        calls: the number of callers.
        per: the window in seconds.
    """

    def __init__(self, calls: int, per: float) -> None:
        super().__init__()
        self._calls = calls
        self._per = per
        self._starts: deque[float] = deque(maxlen=calls)

    def _pause(self, now: float) -> float:
        return 0 if len(self._starts) < self._calls else self._starts[0] + self._per - now

    def _take(self, now: float) -> None:
        self._starts.append(now)

    def _expected_wait(self, ahead: int, now: float) -> float:
        ahead -= self._calls - len(self._starts)
        if ahead < 0:
            return 0
        rounds, place = divmod(ahead, self._calls)
        before = self._starts[place] if place < len(self._starts) else now
        return max(0.0, before + self._per - now) + self._per * rounds

    def is_idle(self, now: float) -> bool:
        """Whether no caller waits and all earlier calls are outside the window."""
        with self._lock:
            return not self._waiting and all(begun + self._per <= now for begun in self._starts)
