"""`Deadline`, the moment when a call must end, and `current_deadline`, which returns it to code within the call."""

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
    """Whether a value is a number of seconds: not NaN, not a boolean, and within the range of a float.

    Args:
        value: any value.
    """
    if type(value) is int:
        return -sys.float_info.max <= value <= sys.float_info.max
    return isinstance(value, float) and value == value


def cap_wait(seconds: float) -> float:
    """Seconds that the platform can wait for: longer waits, and infinity, become the longest possible one.

    Args:
        seconds: any number but NaN.
    """
    return min(max(seconds, 0.0), LONGEST_WAIT)


class Deadline:
    """A moment on a monotonic clock. A parameter annotated `Deadline` or `Injected[Deadline]` receives it.

    Args:
        at: the moment, in seconds of the clock; infinity for no deadline.
        clock: monotonic seconds.

    Raises:
        UsageError: the moment is not a number.
    """

    __slots__ = ("_clock", "at")

    def __init__(self, at: float, clock: Callable[[], float] = time.monotonic) -> None:
        if not is_seconds(at):
            raise UsageError(f"Deadline({at!r:.80}): use a number of seconds for the moment")
        self.at = at
        self._clock = clock

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """A deadline this many seconds from now.

        Args:
            seconds: the number of seconds; if negative, it has passed; infinity means no deadline.

        Raises:
            UsageError: `seconds` is not a number.
        """
        if not is_seconds(seconds):
            raise UsageError(f"Deadline.after({seconds!r:.80}): use a number of seconds")
        return cls(time.monotonic() + seconds)

    @property
    def remaining(self) -> float:
        """The remaining seconds, at least 0."""
        return max(0.0, self.at - self._clock())

    def __reduce__(self) -> tuple[Any, ...]:
        """Keeps the remaining seconds: the clock of another machine shows another time."""
        return Deadline.after, (self.remaining,)

    def __repr__(self) -> str:
        return f"Deadline({self.remaining:.3f} s left)"


def _process_deadline() -> Deadline | None:
    """The deadline of the call that this process was started for, if any."""
    at = getattr(sys, "_mulligan_deadline", None)
    return None if at is None else Deadline(at)


_CURRENT: ContextVar[Deadline | None] = ContextVar("mulligan_deadline", default=_process_deadline())  # noqa: B039 - no one changes a deadline
set_current, outer_deadline = _CURRENT.set, _CURRENT.get


def current_deadline() -> Deadline | None:
    """The deadline of the current call, or None if it has none.

    It is for code within a tool that does not receive a `Deadline` as an argument. Nested tool calls end by this deadline
    too. It is a context variable, so threads and tasks that copy the context have it as well.
    """
    return _CURRENT.get()


def earliest_deadline(session_deadline: Deadline | None, context: Mapping[str, Any] | None) -> Deadline | None:
    """The earliest deadline of a call: that of the conversation, `context["deadline"]`, or that of the outer call.

    Args:
        session_deadline: the conversation's deadline, or None.
        context: the context of the call.
    """
    soonest = _CURRENT.get()
    if session_deadline is not None and (soonest is None or session_deadline.remaining < soonest.remaining):
        soonest = session_deadline
    if context is not None:
        context_deadline = context.get("deadline")
        if isinstance(context_deadline, Deadline) and (
            soonest is None or context_deadline.remaining < soonest.remaining
        ):
            return context_deadline
    return soonest
