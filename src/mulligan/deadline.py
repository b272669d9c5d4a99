"""The moment until which a call may take: `Deadline`, and `current_deadline`, which tells it to whatever runs in a call."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any

from mulligan.errors import UsageError

LONGEST_WAIT = min(threading.TIMEOUT_MAX, 1e9)
"""Seconds that every platform can wait for: some 30 years, or what the platform's threads allow."""


def is_seconds(value: object) -> bool:
    """Whether a value is a number of seconds: no NaN, no truth value, and within the range of a float.

    Args:
        value: any value.
    """
    if type(value) is int:
        return -sys.float_info.max <= value <= sys.float_info.max
    return isinstance(value, float) and value == value


def waitable(seconds: float) -> float:
    """Seconds that the platform can wait for: what is longer, infinity too, ends with the longest wait.

    Args:
        seconds: any number but NaN.
    """
    return min(max(seconds, 0.0), LONGEST_WAIT)


class Deadline:
    """A moment on a monotonic clock. A parameter annotated `Deadline` or `Injected[Deadline]` is filled with it.

    Args:
        at: the moment, in the clock's seconds; infinity where there is no deadline.
        clock: monotonic seconds.

    Raises:
        UsageError: the moment is no number.
    """

    __slots__ = ("_clock", "at")

    def __init__(self, at: float, clock: Callable[[], float] = time.monotonic) -> None:
        if not is_seconds(at):
            raise UsageError(f"Deadline({at!r:.80}): give the moment as a number of seconds")
        self.at = at
        self._clock = clock

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline so many seconds from now.

        Args:
            seconds: how many; below zero it has passed, and infinity is no deadline.

        Raises:
            UsageError: that is no number.
        """
        if not is_seconds(seconds):
            raise UsageError(f"Deadline.after({seconds!r:.80}): give a number of seconds")
        return cls(time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """Seconds that are left, at least 0."""
        return max(0.0, self.at - self._clock())

    def __repr__(self) -> str:
        return f"Deadline({self.remaining:.3f} s left)"


def _of_this_process() -> Deadline | None:
    """The deadline of the call that this process was started for, where it was."""
    at = getattr(sys, "_mulligan_deadline", None)
    return None if at is None else Deadline(at)


_CURRENT: ContextVar[Deadline | None] = ContextVar("mulligan_deadline", default=_of_this_process())  # noqa: B039 - no one changes a deadline
set_current, outer_deadline = _CURRENT.set, _CURRENT.get


def current_deadline() -> Deadline | None:
    """The deadline of the call that is running here, or None where it has none.

    For code below a tool that does not get a `Deadline` as an argument. Calls of tools that are made in there end by this
    deadline too. It is a context variable: whatever a tool starts in threads or tasks that copy the context has it as well.
    """
    return _CURRENT.get()


def handed_down(own: Deadline | None, context: Mapping[str, Any] | None) -> Deadline | None:
    """The soonest of what stands over a call: the conversation's deadline, `context["deadline"]`, and the outer call's.

    Args:
        own: the conversation's deadline, or None.
        context: the values that the host gave for the call.
    """
    soonest = _CURRENT.get()
    if own is not None and (soonest is None or own.remaining < soonest.remaining):
        soonest = own
    if context is not None:
        given = context.get("deadline")
        if isinstance(given, Deadline) and (soonest is None or given.remaining < soonest.remaining):
            return given
    return soonest
