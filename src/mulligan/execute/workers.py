"""The worker threads and private event loops of a pipeline, created on first use."""

from __future__ import annotations

import threading
from typing import Any

from mulligan.execute.sync_driver import Loop
from mulligan.execute.thread_pool import ThreadPool
from mulligan.forks import shared_lock, survive_fork
from mulligan.policy import Limits


class PipelineWorkers:
    """The worker threads and private event loops of one pipeline.

    Args:
        limits: the number of threads, the grace period and the limit on yielded values.

    Attributes:
        grace: seconds that a cancelled async tool has to end.
        max_yielded: the maximum number of values that a generator may yield.
        detached: async tools that did not end within the grace period. Event loops keep only weak references to tasks.
    """

    def __init__(self, limits: Limits) -> None:
        self.grace = limits.grace
        self.max_yielded = limits.yielded_values
        self.detached: set[Any] = set()
        self._threads = limits.threads
        self._lock = shared_lock()
        self._pool: ThreadPool | None = None
        self._local = threading.local()
        self._loops: list[Loop] = []
        survive_fork(self)

    def pool(self) -> ThreadPool:
        """The worker threads."""
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPool(self._threads)
            return self._pool

    def loop(self) -> Loop:
        """This thread's private event loop."""
        known: Loop | None = getattr(self._local, "loop", None)
        if known is not None:
            return known
        from mulligan.execute.async_driver import PrivateLoop

        made = self._local.loop = PrivateLoop()
        with self._lock:
            self._loops.append(made)
        return made

    def forked(self) -> None:
        """Drops the threads and loops that only the parent process has; later calls create new ones."""
        loops, self._pool, self._loops, self._local = self._loops, None, [], threading.local()
        self.detached = set()
        for loop in loops:
            loop.disown()

    def close(self) -> None:
        """Closes all threads and loops; later calls create new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
            loops, self._loops = self._loops, []
            self._local = threading.local()
        if pool is not None:
            pool.close()
        for loop in loops:
            loop.close()
