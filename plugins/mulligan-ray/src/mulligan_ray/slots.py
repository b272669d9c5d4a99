"""A bounded number of slots that calls take in turn, from any thread and event loop."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class Slots(Generic[T]):
    """Slots in use, idle or not yet made. Those who wait are served in order.

    Args:
        most: the maximum number of slots in use.
        make: makes what a slot holds; returns at once.
    """

    def __init__(self, most: int, make: Callable[[], T]) -> None:
        self._most = most
        self._make = make
        self._lock = threading.Lock()
        self._made = 0
        self._idle: list[T] = []
        self._waiting: deque[Future[T]] = deque()

    async def take(self) -> T:
        """A slot for one call; waits until one is free.

        Raises:
            asyncio.CancelledError: the caller has given up; it holds no slot.
        """
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._made < self._most:
                return self._make_one()
            waiter: Future[T] = Future()
            self._waiting.append(waiter)
        try:
            return await asyncio.wrap_future(waiter)
        except asyncio.CancelledError:
            if not waiter.cancel():  # it was served at the same moment
                self.give_back(waiter.result())
            raise

    def give_back(self, slot: T) -> None:
        """Ends the use of a slot, which the next call takes.

        Args:
            slot: what `take` returned.
        """
        with self._lock:
            waiter = self._next_waiter()
            if waiter is None:
                self._idle.append(slot)
            else:
                waiter.set_result(slot)

    def drop(self) -> None:
        """Ends the use of a slot that cannot be used again. Another one is made when it is needed."""
        with self._lock:
            self._made -= 1
            waiter = self._next_waiter()
            if waiter is None:
                return
            try:
                waiter.set_result(self._make_one())
            except Exception as error:
                waiter.set_exception(error)

    def clear(self) -> list[T]:
        """Removes the idle slots, and returns them."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._made -= len(idle)
            return idle

    def _make_one(self) -> T:
        slot = self._make()
        self._made += 1
        return slot

    def _next_waiter(self) -> Future[T] | None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if waiter.set_running_or_notify_cancel():
                return waiter
        return None
