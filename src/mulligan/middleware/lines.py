"""Queues of callers, first come, first served, for threads and tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Generator

from mulligan.execute.steps import Outcome, Signal, Sleep, Step
from mulligan.forks import shared_lock, survive_fork


class Ticket:
    """One caller in a queue.

    Attributes:
        signal: wakes the caller to ask again; new for each wait, None before the first.
    """

    __slots__ = ("signal",)

    def __init__(self) -> None:
        self.signal: Signal | None = None


class Line(ABC):
    """A queue of callers. Only the first one may proceed, so no one is overtaken. Thread-safe."""

    def __init__(self) -> None:
        self._lock = shared_lock()
        self._waiting: OrderedDict[Ticket, None] = OrderedDict()
        survive_fork(self)

    def forked(self) -> None:
        """In a forked process nobody waits any more."""
        self._waiting.clear()

    @abstractmethod
    def _pause(self, now: float) -> float:
        """Seconds until one more caller may proceed; infinity if another one must end first."""

    @abstractmethod
    def _take(self, now: float) -> None:
        """Lets one caller proceed."""

    @abstractmethod
    def _expected(self, ahead: int, now: float) -> float:
        """The minimum number of seconds until the turn of a caller.

        Args:
            ahead: the number of callers ahead of it.
            now: seconds on the clock.
        """

    def join(self, now: float) -> tuple[Ticket, float]:
        """Joins the queue.

        Args:
            now: seconds on the clock.

        Returns:
            The ticket, and the minimum number of seconds until its turn.
        """
        ticket = Ticket()
        with self._lock:
            expected = self._expected(len(self._waiting), now)
            self._waiting[ticket] = None
        return ticket, expected

    def ask(self, ticket: Ticket, now: float) -> float:
        """Proceeds if it is the turn of the caller.

        Args:
            ticket: the ticket of `join`.
            now: seconds on the clock.

        Returns:
            0, or the seconds after which to ask again, unless the signal of the ticket is set first.
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
        """Leaves the queue, if the turn has not come yet.

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


def turn(line: Line, most: float, clock: Callable[[], float]) -> Generator[Step, Outcome, float]:
    """Waits for the turn of the caller.

    Args:
        line: the queue.
        most: the maximum wait in seconds.
        clock: monotonic seconds.

    Returns:
        0 if it is the turn of the caller; else the seconds after which to try again.
    """
    began = clock()
    ticket, expected = line.join(began)
    try:
        if expected > most:
            return expected
        now = began
        while (pause := line.ask(ticket, now)) > 0:
            left = most - (now - began)
            if left <= 0:
                return max(expected, MINIMUM)
            yield Sleep(min(pause, left), ticket.signal)
            now = clock()
        return 0
    finally:
        line.leave(ticket)


MINIMUM = 1.0
