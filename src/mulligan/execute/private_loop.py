"""The private event loop in which `call` runs async tools. Imported when first needed, since importing asyncio is slow."""

from __future__ import annotations

import asyncio
import contextvars
import os
import select
import selectors
import threading
import weakref
from typing import Any

from mulligan.errors import UsageError
from mulligan.execute.async_driver import arun_alone
from mulligan.execute.steps import Outcome, Run
from mulligan.execute.sync_driver import Means


class PrivateLoop:
    """The event loop in which `call` runs async tools: one for each pipeline and thread, kept between calls."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(
            loop_factory=asyncio.new_event_loop
        )  # a factory leaves the thread's own loop alone
        self._lock = threading.Lock()
        self._busy = False
        self._closing = False
        self._loop = self._runner.get_loop()
        self._finalizer = weakref.finalize(self, _close, self._runner, self._loop)

    def run(self, step: Run, means: Means, value: object = None) -> Outcome:
        """Runs an async tool once, blocking.

        Args:
            step: the run.
            means: the workers.
            value: the awaitable that the tool returned, if it was called already.

        Raises:
            UsageError: a loop is running in this thread.
        """
        _refuse_running_loop(value)
        inline = Run(step.executor, step.timeout, False, step.is_async, step.lane)
        with self._lock:
            self._busy = True
        try:
            return self._runner.run(arun_alone(inline, means), context=contextvars.copy_context())
        finally:
            with self._lock:
                self._busy = False
                closing = self._closing
            if closing:
                _close(self._runner, self._loop)

    def close(self) -> None:
        """Closes the loop, after the call that is running in it."""
        with self._lock:
            self._closing = True
            busy = self._busy
        if not busy:
            _close(self._runner, self._loop)

    def disown(self) -> None:
        """Drops the loop in a forked process, so that the parent's stays unchanged.

        An epoll belongs to both processes: the parent would never receive events that the child takes out of it.
        """
        self._finalizer.detach()
        _INHERITED.append((self._runner, self._loop))
        selector: Any = getattr(self._loop, "_selector", None)
        if hasattr(selectors, "EpollSelector") and isinstance(selector, selectors.EpollSelector):
            with select.epoll() as own:
                os.dup2(own.fileno(), selector.fileno(), inheritable=False)


def _refuse_running_loop(value: object) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    close = getattr(value, "close", None)
    if callable(close):
        close()
    raise UsageError("call() cannot run an async tool inside a running event loop; await acall() instead")


def _close(runner: asyncio.Runner, loop: asyncio.AbstractEventLoop) -> None:
    """Closes a loop. Abandoned tasks are cancelled; those that do not end are dropped."""
    if loop.is_closed():
        return
    behind = {task for task in asyncio.all_tasks(loop) if not task.done()}
    for task in behind:
        task.cancel()
    if behind:
        loop.run_until_complete(asyncio.wait(behind, timeout=_CLOSING_SECONDS))
    if all(task.done() for task in behind):
        runner.close()
    else:
        loop.set_exception_handler(lambda *_: None)
        loop.close()


_CLOSING_SECONDS = 0.1
_INHERITED: list[Any] = []  # loops of the parent process: to close them would end its tasks a second time, here
