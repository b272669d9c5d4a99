"""The moment until which a call may take: `Deadline`."""

from __future__ import annotations

from collections.abc import Callable


class Deadline:
    """A moment on a monotonic clock. A parameter annotated `Injected[Deadline]` is filled with it.

    Attributes:
        at: the moment, in the clock's seconds; infinity where there is no deadline.
    """

    __slots__ = ("_clock", "at")

    def __init__(self, at: float, clock: Callable[[], float]) -> None:
        self.at = at
        self._clock = clock

    @property
    def remaining(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self.at - self._clock())

    def __repr__(self) -> str:
        return f"Deadline({self.remaining:.3f} s left)"
