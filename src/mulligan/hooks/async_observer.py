"""An observer that is `async def`: its events wait in a queue of its own, so that it never delays a call."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from mulligan.errors import PluginError
from mulligan.events import CallFinished, Event
from mulligan.forks import shared_lock, survive_fork
from mulligan.untrusted.objects import describe
from mulligan.untrusted.text import show_name

_IDLE_SECONDS = 2.0
_DRAIN_SECONDS = 10.0


class AsyncObserver:
    """Awaits one hookimpl of `observe`, an event at a time and in order, in a thread with an event loop of its own.

    Args:
        observe: the coroutine function.
        most: the number of events that may wait; more are dropped and counted.
        report: receives each fault of the hookimpl.
        on_first_drop: called once, when the first event is dropped.

    Attributes:
        dropped: the number of dropped events.
    """

    def __init__(
        self,
        observe: Callable[[Event], Coroutine[Any, Any, Any]],
        most: int,
        report: Callable[[str, BaseException | None], None],
        on_first_drop: Callable[[], None],
    ) -> None:
        self._observe = observe
        self._most = most
        self._report = report
        self._on_first_drop = on_first_drop
        self.dropped = 0
        self._raised: BaseException | None = None
        self.forked()
        self._changed = threading.Condition(shared_lock())
        survive_fork(self)

    def forked(self) -> None:
        """Drops what only the parent process has: the thread, and the events that it will deliver."""
        self._waiting: deque[Event] = deque()
        self._is_running = self._is_busy = self._is_given_up = False
        self._thread = 0
        self._give_up: Callable[[], object] = _nothing

    def put(self, event: Event) -> None:
        """Queues an event; drops it if too many wait. One about a call that the observer itself makes is left out.

        Args:
            event: a copy of the observer's own.
        """
        if threading.get_ident() == self._thread:
            return
        if isinstance(event, CallFinished):
            event.result  # noqa: B018 - copied now, since the host may change its own
        with self._changed:
            is_dropped = len(self._waiting) >= self._most
            if is_dropped:
                self.dropped += 1
            else:
                self._waiting.append(event)
                self._changed.notify_all()
                if not self._is_running:
                    self._start()
            is_first = is_dropped and self.dropped == 1
        if is_first:
            self._on_first_drop()

    def _start(self) -> None:
        try:
            threading.Thread(target=self._work, name="mulligan-observer", daemon=True).start()
        except RuntimeError:  # no thread can be started now; the next event tries again
            return
        self._is_running = True

    def drain(self, ends: float) -> None:
        """Waits until every event is delivered; what is left then is dropped.

        Args:
            ends: until when, in monotonic seconds.

        Raises:
            PluginError: in strict mode, the first fault of the hookimpl.
        """
        if threading.get_ident() == self._thread:  # it closes the pipeline itself, and cannot wait for itself
            return
        self._wait_until_idle(ends)
        error, self._raised = self._raised, None
        if error is not None:
            raise error

    def _wait_until_idle(self, ends: float) -> None:
        with self._changed:
            while (self._waiting or self._is_busy) and self._is_running:
                left = ends - time.monotonic()
                if left <= 0:
                    self.dropped += len(self._waiting)
                    self._waiting.clear()
                    self._is_given_up = True
                    self._give_up()
                    return
                self._changed.wait(left)

    def _work(self) -> None:
        self._thread = threading.get_ident()
        with asyncio.Runner() as runner:
            while (event := self._next()) is not None:
                try:
                    runner.run(self._deliver(event, runner.get_loop()))
                except BaseException as error:
                    is_given_up = self._is_given_up and isinstance(error, asyncio.CancelledError)
                    problem = "did not end while the pipeline was closed" if is_given_up else describe(error)
                    self._note_fault(problem, None if is_given_up else error)
                finally:
                    with self._changed:
                        self._is_busy, self._give_up, self._is_given_up = False, _nothing, False
                        self._changed.notify_all()

    def _note_fault(self, problem: str, error: BaseException | None) -> None:
        try:
            self._report(problem, error)
        except PluginError as raised:  # strict mode; there is no call to raise it from
            self._raised = self._raised or raised

    async def _deliver(self, event: Event, loop: asyncio.AbstractEventLoop) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._give_up = lambda: loop.call_soon_threadsafe(task.cancel)
        await self._observe(event)

    def _next(self) -> Event | None:
        with self._changed:
            while not self._waiting:
                if not self._changed.wait(_IDLE_SECONDS) and not self._waiting:
                    self._is_running, self._thread = False, 0
                    return None
            self._is_busy = True
            return self._waiting.popleft()


def drain_all(observers: Iterable[AsyncObserver]) -> None:
    """Waits until every event is delivered to every observer, for ten seconds at most.

    Args:
        observers: the observers.

    Raises:
        PluginError: in strict mode, the first fault of one of them.
    """
    ends, raised = time.monotonic() + _DRAIN_SECONDS, list[PluginError]()
    for observer in observers:
        try:
            observer.drain(ends)
        except PluginError as error:
            raised.append(error)
    if raised:
        raise raised[0]


def warn_of_drops(plugin: str, most: int) -> None:
    """Writes a line to the standard logger: from now on, events of a plugin may be lost.

    Args:
        plugin: the plugin's name.
        most: the number of events that may wait.
    """
    import logging

    logging.getLogger("mulligan").warning(
        "plugin %s: its async observer is too slow, and events are dropped; "
        "Limits(queued_events=%d) allows no more to wait",
        show_name(plugin),
        most,
    )


def _nothing() -> None:
    return None
