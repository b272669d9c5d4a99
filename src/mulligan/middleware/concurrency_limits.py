"""Concurrency limit: at most N concurrent calls; further calls wait."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from copy import copy
from functools import partial
from typing import Any

from mulligan.calls import ToolCall
from mulligan.errors import ToolError, ToolRateLimitError
from mulligan.execute.steps import Executor, Outcome, Run, Steps
from mulligan.middleware.checks import bounded, check_number, rounded_up
from mulligan.middleware.keys import Key, Keys, PerKey
from mulligan.middleware.lines import Line, turn
from mulligan.tools import Tool


class ConcurrencyLimit:
    """Limits the number of concurrent calls; further calls wait, first come, first served.

    A call that is abandoned at its deadline while its tool still runs keeps its permit until the tool ends, so a service
    that hangs uses only its own permits and does not exhaust the threads.

    Args:
        permits: the maximum number of concurrent calls.
        key: which calls are counted together: `"tool"` (per tool), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; None from it exempts the call.
        max_wait: the maximum wait in seconds; waiting counts towards the timeout of the tool.
        clock: monotonic seconds.

    Raises:
        UsageError: an argument is invalid; names it.
    """

    def __init__(
        self,
        permits: int,
        *,
        key: Key = "tool",
        max_wait: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_number("concurrency", "permits", permits, least=1, whole=True)
        if max_wait != 0:
            check_number("concurrency", "max_wait", max_wait)
        self._permits = permits
        self._keys = Keys("concurrency", key)
        self._max_wait = max_wait
        self._clock = clock
        self._lines: PerKey[Permits] = PerKey(lambda: Permits(permits))

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the call when there is a free permit.

        Args:
            run: the run.
            tool: the tool.
            call: the call.
        """
        key = self._keys.of(tool, call)
        if key is None:
            return (yield run)
        began = self._clock()
        line = self._lines.get(key, began)
        most = self._max_wait if run.timeout is None else min(self._max_wait, run.timeout)
        wait = yield from turn(line, most, self._clock)
        if wait > 0:
            return Outcome(error=self._refused(tool, line.usual))
        now = self._clock()
        hold = _Hold(line, now, self._clock)
        with hold:
            if run.timeout is not None and run.timeout <= now - began:
                return Outcome(error=self._refused(tool, line.usual))
            left = None if run.timeout is None else run.timeout - (now - began)
            return (yield _held(bounded(run, left), hold))

    def _refused(self, tool: Tool, wait: float) -> ToolError:
        seconds = rounded_up(wait)
        calls = "one concurrent call" if self._permits == 1 else f"{self._permits} concurrent calls"
        return ToolRateLimitError(
            f"{self._keys.label(tool)} is limited to {calls}, and none ended in time. The tool was not run.",
            effect="none",
            retry_after=seconds,
            user_message="A service is busy with other calls.",
            rule="host:concurrency",
        )

    def __repr__(self) -> str:
        return f"ConcurrencyLimit({self._permits})"


class Permits(Line):
    """A queue for N permits.

    Args:
        permits: the number of permits.

    Attributes:
        usual: the duration of the last call in seconds, at least 1.
    """

    def __init__(self, permits: int) -> None:
        super().__init__()
        self._free = self._permits = permits
        self.usual = 1.0

    def forked(self) -> None:
        """In a forked process nobody holds a permit."""
        super().forked()
        self._free = self._permits

    def _pause(self, now: float) -> float:
        return 0 if self._free > 0 else float("inf")

    def _take(self, now: float) -> None:
        self._free -= 1

    def _expected(self, ahead: int, now: float) -> float:
        return 0

    def give_back(self, held: float) -> None:
        """Releases a permit.

        Args:
            held: the seconds that it was held.
        """
        with self._lock:
            self._free = min(self._permits, self._free + 1)  # a fork has given it back already
            self.usual = max(1.0, held)
        self._wake_first()

    def is_idle(self, now: float) -> bool:
        """Whether no one holds a permit or waits for one."""
        with self._lock:
            return self._free == self._permits and not self._waiting


class _Hold:
    """A permit that the call and its tool hold; it is free when both have released it."""

    def __init__(self, line: Permits, since: float, clock: Callable[[], float]) -> None:
        self._line = line
        self._since = since
        self._clock = clock
        self._lock = threading.Lock()
        self._holders = 0
        self._over = False

    def __enter__(self) -> None:
        with self._lock:
            self._holders += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._holders -= 1
            ended = self._holders == 0 and not self._over
            self._over = self._over or ended
        if ended:
            self._line.give_back(self._clock() - self._since)


def _held(run: Run, hold: _Hold) -> Run:
    """The run, with a tool that holds the permit while it runs."""
    held = copy(run)
    held.executor = partial(_awaited if run.is_async else _called, run.executor, hold)
    return held


def _called(executor: Executor, hold: _Hold) -> Any:
    with hold:
        return executor()


async def _awaited(executor: Executor, hold: _Hold) -> Any:
    with hold:
        value = executor()
        return await value if isinstance(value, Awaitable) else value
