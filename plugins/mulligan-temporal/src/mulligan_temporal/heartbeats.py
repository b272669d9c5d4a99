"""Heartbeats of running tools: one thread of a worker sends them all, so that a call costs no thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import attrs
from temporalio import activity

_BEATS = 4  # in the time after which a worker counts as lost


@attrs.define(order=True)
class _Beat:
    """What is called at an interval, until it is ended."""

    due: float
    number: int
    pause: float = attrs.field(order=False)
    send: Callable[[], object] | None = attrs.field(order=False)


class _Heart:
    """Calls functions at intervals, from one thread that starts with the first of them."""

    def __init__(self) -> None:
        self._changed, self._numbers = threading.Condition(), itertools.count()
        self._beats: list[_Beat] = []
        self._thread: threading.Thread | None = None

    def add(self, pause: float, send: Callable[[], object]) -> _Beat:
        """Calls a function every `pause` seconds, until its `send` is None."""
        beat = _Beat(time.monotonic() + pause, next(self._numbers), pause, send)
        with self._changed:
            heapq.heappush(self._beats, beat)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="mulligan-heartbeats", daemon=True)
                self._thread.start()
            elif self._beats[0] is beat:
                self._changed.notify()
        return beat

    def _run(self) -> None:
        while True:
            beat = self._next()
            send = beat.send
            if send is None:
                continue
            with suppress(Exception):  # its worker's loop may be closed
                send()
            beat.due = time.monotonic() + beat.pause
            with self._changed:
                heapq.heappush(self._beats, beat)

    def _next(self) -> _Beat:
        """The beat that is due next, at its time."""
        with self._changed:
            while True:
                wait = self._beats[0].due - time.monotonic() if self._beats else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._beats)
                self._changed.wait(wait)


_heart = _Heart()


@contextmanager
def heartbeats() -> Iterator[None]:
    """Tells the server several times in each interval that the worker of the current activity is alive."""
    limit = activity.info().heartbeat_timeout
    if limit is None:
        yield
        return
    beat = _heart.add(limit.total_seconds() / _BEATS, _sender())
    try:
        yield
    finally:
        beat.send = None


def _sender() -> Callable[[], object]:
    """Sends a heartbeat of the current activity, from any thread."""
    context = contextvars.copy_context()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return lambda: context.run(activity.heartbeat)
    return lambda: loop.call_soon_threadsafe(activity.heartbeat, context=context)
