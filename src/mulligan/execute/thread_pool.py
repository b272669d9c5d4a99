"""Worker threads for sync tools: few, reused, and counted if they do not return.

A thread cannot be killed. A call that exceeds its deadline abandons its worker. Once abandoned workers fill the pool,
it runs nothing more until one of them ends. One tool may use three quarters of the threads, so that a tool that hangs
leaves some for the others.
"""

from __future__ import annotations

import contextvars
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from mulligan.execute.steps import ExecutorSaturated, Outcome

_CURRENT: contextvars.ContextVar[Job | None] = contextvars.ContextVar("mulligan_job", default=None)
current_job = _CURRENT.get
"""The job that this thread runs, or None."""
_IDLE_SECONDS = 2.0


class Job:
    """One function in the pool.

    Attributes:
        outcome: how it ended, or None.
        started: whether a worker has started to run it.
        abandoned: whether it exceeded its deadline while it ran.
        lane: the tool's name, which limits its share of the threads.
    """

    def __init__(self, function: Callable[[], Any], done: Callable[[], None] | None, lane: str | None) -> None:
        self._context = contextvars.copy_context()
        self._function = function
        self._done = done
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self.lane = lane
        self.started = False
        self.abandoned = False
        self.outcome: Outcome | None = None

    def run(self) -> None:
        """Runs the function in the caller's context variables, and notifies the waiters."""
        self._context.run(_CURRENT.set, self)
        try:
            self.end(Outcome(value=self._context.run(self._function)))
        except BaseException as error:
            self.end(Outcome(exception=error))

    def end(self, outcome: Outcome) -> None:
        """Stores the outcome, and notifies the waiters.

        Args:
            outcome: how the job ended.
        """
        self.outcome = outcome
        self._ended.set()
        if self._done is not None:
            self._done()

    def wait(self, timeout: float | None) -> bool:
        """Waits for the end, and returns whether it came in time.

        Args:
            timeout: seconds, or None.
        """
        return self._ended.wait(timeout)

    def set_stop(self, stop: Callable[[], None] | None) -> None:
        """Sets the function that stops the job when it is abandoned; calls it immediately if the job already is.

        Args:
            stop: interrupts the wait of the job's function; None if there is nothing left to stop.
        """
        with self._lock:
            self._stop = stop
            late = self.abandoned
        if late and stop is not None:
            stop()

    def stop(self) -> bool:
        """Abandons the job and stops it if possible; returns whether it could be stopped."""
        with self._lock:
            self.abandoned = True
            stop = self._stop
        if stop is not None:
            stop()
        return stop is not None


class ThreadPool:
    """A pool of daemon threads.

    Args:
        size: the maximum number of threads, including abandoned ones.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._share = size - size // 4
        self._lock = threading.Condition()
        self._ready: OrderedDict[Job, None] = OrderedDict()
        self._queued: dict[str, OrderedDict[Job, None]] = {}
        self._admitted: Counter[str | None] = Counter()
        self._abandoned: Counter[str | None] = Counter()
        self._threads = 0
        self._idle = 0
        self._closed = False

    @property
    def threads(self) -> int:
        """The number of live threads."""
        return self._threads

    @property
    def abandoned(self) -> int:
        """The number of threads that run an abandoned call."""
        return self._abandoned.total()

    def submit(
        self, function: Callable[[], Any], done: Callable[[], None] | None = None, lane: str | None = None
    ) -> Job:
        """Runs a function in a worker.

        Args:
            function: takes no arguments.
            done: called in the worker when the function has ended.
            lane: the tool's name, which limits its share of the threads; None for no such limit.

        Raises:
            ExecutorSaturated: abandoned calls occupy every worker, or all that this tool may use.
        """
        job = Job(function, done, lane)
        with self._lock:
            if self._is_saturated(lane):
                raise ExecutorSaturated(f"{self._abandoned.total()} calls are still running; nothing was run")
            if lane is not None and self._admitted[lane] >= self._share:
                self._queued.setdefault(lane, OrderedDict())[job] = None
            else:
                self._admit(job)
        return job

    def _is_saturated(self, lane: str | None) -> bool:
        return self._abandoned.total() >= self._size or (lane is not None and self._abandoned[lane] >= self._share)

    def _admit(self, job: Job) -> None:
        self._admitted[job.lane] += 1
        self._ready[job] = None
        if self._idle >= len(self._ready):
            self._lock.notify()
        elif self._threads < self._size:
            self._start(job)

    def _start(self, job: Job) -> None:
        try:
            threading.Thread(target=self._work, name="mulligan", daemon=True).start()
        except (RuntimeError, MemoryError):
            if self._threads == 0:
                del self._ready[job]
                self._release(job.lane)
                raise ExecutorSaturated("no thread can be started; nothing was run") from None
        else:
            self._threads += 1

    def abandon(self, job: Job) -> bool:
        """Abandons a job: removes it from the queue, stops it, or counts its worker as abandoned.

        Args:
            job: the job that `submit` returned.

        Returns:
            Whether the function was stopped, or never started.
        """
        refused: list[Job] = []
        with self._lock:
            if job.outcome is not None:
                return True
            if not job.started:
                self._withdraw(job)
                return True
            self._abandoned[job.lane] += 1
            job.abandoned = True
            if self._is_saturated(job.lane):
                refused = self._drop_queued(job.lane)
        stopped = job.stop()
        for one in refused:
            one.end(Outcome(exception=ExecutorSaturated("too many calls are still running; nothing was run")))
        return stopped

    def _withdraw(self, job: Job) -> None:
        queued = self._queued.get(job.lane) if job.lane is not None else None
        if queued is not None and job in queued:
            del queued[job]
        elif job in self._ready:
            del self._ready[job]
            self._release(job.lane)

    def _drop_queued(self, lane: str | None) -> list[Job]:
        """Removes from the queue and returns the jobs for which no worker is left."""
        waiting: Iterable[OrderedDict[Job, None]] = [self._queued.pop(lane)] if lane in self._queued else []
        if self._abandoned.total() >= self._size:
            waiting = [*waiting, self._ready, *self._queued.values()]
            for job in self._ready:
                self._admitted[job.lane] -= 1
        cleared = [job for jobs in waiting for job in jobs]
        for jobs in waiting:
            jobs.clear()
        return cleared

    def _release(self, lane: str | None) -> None:
        """Frees the thread of a job in this lane, and admits the lane's next job."""
        self._admitted[lane] -= 1
        if not self._admitted[lane]:
            del self._admitted[lane]
        queued = self._queued.get(lane) if lane is not None else None
        if queued is None:
            return
        if queued:
            self._admit(queued.popitem(last=False)[0])
        else:
            del self._queued[lane]  # type: ignore[arg-type]

    def close(self) -> None:
        """Ends the idle workers now, and the others when their calls end."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job.run()
            with self._lock:
                if job.abandoned:
                    self._abandoned[job.lane] -= 1
                self._release(job.lane)
            del job

    def _next(self) -> Job | None:
        with self._lock:
            self._idle += 1
            while not self._ready and not self._closed:
                if not self._lock.wait(_IDLE_SECONDS) and not self._ready:
                    break
            self._idle -= 1
            if self._ready:
                job = self._ready.popitem(last=False)[0]
                job.started = True
                return job
            self._threads -= 1
            return None
