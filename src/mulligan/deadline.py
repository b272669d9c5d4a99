"""The moment until which a call may take: `Deadline`, and `current_deadline`, which tells it to whatever runs in a call."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any


class Deadline:
    """A moment on a monotonic clock. A parameter annotated `Deadline` or `Injected[Deadline]` is filled with it.

    Args:
        at: the moment, in the clock's seconds; infinity where there is no deadline.
        clock: monotonic seconds.
    """

    __slots__ = ("_clock", "at")

    def __init__(self, at: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.at = at
        self._clock = clock

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline so many seconds from now.

        Args:
            seconds: how many.
        """
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
