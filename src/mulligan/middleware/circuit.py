"""One circuit as a state machine: closed, open, half-open. It is independent of clocks and tools."""

from __future__ import annotations

from typing import Literal, NamedTuple

from mulligan.forks import shared_lock

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
