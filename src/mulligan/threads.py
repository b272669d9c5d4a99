"""Worker threads for sync tools: few, reused, and honest about those that do not come back.

A thread cannot be killed. A call that is given up at its deadline leaves its worker behind; such workers are counted, and
once they take up the whole pool, nothing more is run in it until one of them ends.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from mulligan.steps import ExecutorSaturated, Outcome


class Job:
    """One function on its way through the pool.

    Attributes:
        outcome: how it ended, or None.
        started: whether a worker has begun to run it.
    """

    def __init__(self, function: Callable[[], Any], done: Callable[[], None] | None) -> None:
        self._context = contextvars.copy_context()
        self._function = function
        self._done = done
        self._ended = threading.Event()
        self.started = False
        self.abandoned = False
        self.outcome: Outcome | None = None

    def run(self) -> None:
        """Runs the function in the caller's context variables, and tells whoever waits."""
        try:
            self.outcome = Outcome(value=self._context.run(self._function))
        except BaseException as error:
            self.outcome = Outcome(exception=error)
        self._ended.set()
        if self._done is not None:
            self._done()

    def wait(self, timeout: float | None) -> bool:
        """Waits for the end; whether it came in time.

        Args:
            timeout: seconds, or None.
        """
        return self._ended.wait(timeout)


class ThreadPool:
    """A pool of daemon threads.

    Args:
        size: how many threads there may be, those that were left behind included.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Condition()
        self._queue: deque[Job] = deque()
        self._threads = 0
        self._idle = 0
        self._abandoned = 0
        self._closed = False

    @property
    def threads(self) -> int:
        """How many threads live."""
        return self._threads

    @property
    def abandoned(self) -> int:
        """How many of them run a call that was given up."""
        return self._abandoned

    def submit(self, function: Callable[[], Any], done: Callable[[], None] | None = None) -> Job:
        """Runs a function in a worker.

        Args:
            function: takes no arguments.
            done: called in the worker when the function has ended.

        Raises:
            ExecutorSaturated: every worker was left behind by a call that did not end in time.
        """
        job = Job(function, done)
        with self._lock:
            if self._abandoned >= self._size:
                raise ExecutorSaturated(f"{self._abandoned} calls have not ended; nothing was run")
            self._queue.append(job)
            if self._idle >= len(self._queue):
                self._lock.notify()
            elif self._threads < self._size:
                self._start(job)
        return job

    def _start(self, job: Job) -> None:
        try:
            threading.Thread(target=self._work, name="mulligan", daemon=True).start()
        except (RuntimeError, MemoryError):
            if self._threads == 0:
                self._queue.remove(job)
                raise ExecutorSaturated("no thread can be started; nothing was run") from None
        else:
            self._threads += 1

    def abandon(self, job: Job) -> None:
        """Gives a job up: it is taken off the queue, or its worker is counted as left behind.

        Args:
            job: what `submit` gave.
        """
        with self._lock:
            if job in self._queue:
                self._queue.remove(job)
            elif job.outcome is None:
                job.abandoned = True
                self._abandoned += 1

    def close(self) -> None:
        """Lets the idle workers go; the others go when their call ends."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run()
            with self._lock:
                if job.abandoned:
                    self._abandoned -= 1
            del job

    def _next(self) -> Job | None:
        with self._lock:
            self._idle += 1
            while not self._queue and not self._closed:
                if not self._lock.wait(_IDLE_SECONDS) and not self._queue:
                    break
            self._idle -= 1
            if self._queue:
                job = self._queue.popleft()
                job.started = True
                return job
            self._threads -= 1
            return None


_IDLE_SECONDS = 10.0
