"""Concurrency: so many calls of a service at a time, the others wait for their turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from copy import copy
from functools import partial
from typing import Any

from mulligan.middleware.checks import bounded, check_number, rounded_up
from mulligan.middleware.keys import Key, Keys, PerKey
from mulligan.middleware.lines import Line, turn
from mulligan.plugin import Executor, Outcome, Run, Steps, Tool, ToolCall, ToolError, ToolRateLimitError


class ConcurrencyLimit:
    """Lets so many calls run at a time; the others wait in the order in which they came.

    A call that is given up at its deadline while its tool still runs keeps its permit until the tool has really ended, so a
    service that hangs takes up its own permits and nobody else's threads.

    Args:
        permits: how many calls run at a time.
        key: what is counted together: `"tool"` (each by itself), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; tools for which it gives None are left alone.
        max_wait: seconds to wait at most, and never beyond the tool's timeout, of which waiting is a part.
        clock: monotonic seconds.

    Raises:
        UsageError: names the argument that is wrong.
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
        """The run, once there is a permit.

        Args:
            run: what is run.
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
        calls = "One call" if self._permits == 1 else f"{self._permits} calls"
        return ToolRateLimitError(
            f"{self._keys.label(tool)} is busy: {calls} at a time, and none ended in time. The tool was not run.",
            effect="none",
            retry_after=seconds,
            user_message="A service is busy with other calls.",
            rule="host:concurrency",
        )

    def __repr__(self) -> str:
        return f"ConcurrencyLimit({self._permits})"


class Permits(Line):
    """A line before so many permits.

    Args:
        permits: how many.

    Attributes:
        usual: seconds that the last call took, at least 1.
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
        """A permit is free again.

        Args:
            held: seconds for which it was held.
        """
        with self._lock:
            self._free = min(self._permits, self._free + 1)  # a fork has given it back already
            self.usual = max(1.0, held)
        self._wake_first()

    def is_idle(self, now: float) -> bool:
        """Whether nobody holds a permit or waits for one."""
        with self._lock:
            return self._free == self._permits and not self._waiting


class _Hold:
    """A permit, held by the call and by its tool: it is free again when both have let it go."""

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
    """The run, whose tool holds the permit for as long as it really runs."""
    anew = copy(run)
    anew.executor = partial(_awaited if run.is_async else _called, run.executor, hold)
    return anew


def _called(executor: Executor, hold: _Hold) -> Any:
    with hold:
        return executor()


async def _awaited(executor: Executor, hold: _Hold) -> Any:
    with hold:
        value = executor()
        return await value if isinstance(value, Awaitable) else value
