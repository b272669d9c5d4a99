"""Rate limit: at most N calls per time window; further calls wait."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from mulligan.calls import ToolCall
from mulligan.errors import ToolError, ToolRateLimitError
from mulligan.execute.steps import Outcome, Run, Steps
from mulligan.middleware.checks import bounded, check_number, rounded_up
from mulligan.middleware.keys import Key, Keys, PerKey
from mulligan.middleware.lines import Line, turn
from mulligan.tools import Tool


class RateLimit:
    """Limits how many calls start per time window; further calls wait, first come, first served.

    A call whose wait would exceed the maximum is refused at once, and does not count.

    Args:
        calls: at most this many calls start in any `per`-second window.
        per: the window in seconds.
        key: which calls are counted together: `"tool"` (per tool), `"provider"`, `"tag:NAME"`, `"tool:NAME"`,
            `"provider:NAME"`, `"all"`, or a function of tool and call; None from it exempts the call.
        max_wait: the maximum wait in seconds; waiting counts towards the timeout of the tool.
        clock: monotonic seconds.

    Raises:
        UsageError: an argument is invalid; names it.
    """

    def __init__(
        self,
        calls: int,
        *,
        per: float = 1.0,
        key: Key = "tool",
        max_wait: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        check_number("rate_limit", "calls", calls, least=1, whole=True)
        check_number("rate_limit", "per", per)
        if max_wait != 0:
            check_number("rate_limit", "max_wait", max_wait)
        self._calls = calls
        self._per = per
        self._keys = Keys("rate_limit", key)
        self._max_wait = max_wait
        self._clock = clock
        self._lines: PerKey[Rate] = PerKey(lambda: Rate(calls, per))

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """Runs the call when the limit allows it.

        Args:
            run: the run.
            tool: the tool.
            call: the call.
        """
        key = self._keys.of(tool, call)
        if key is None:
            return (yield run)
        began = self._clock()
        most = self._max_wait if run.timeout is None else min(self._max_wait, run.timeout)
        wait = yield from turn(self._lines.get(key, began), most, self._clock)
        if wait > 0:
            return Outcome(error=self._refused(tool, wait))
        if run.timeout is None:
            return (yield run)
        left = run.timeout - (self._clock() - began)
        return (yield bounded(run, left)) if left > 0 else Outcome(error=self._refused(tool, self._per))

    def _refused(self, tool: Tool, wait: float) -> ToolError:
        calls = "one call" if self._calls == 1 else f"{self._calls} calls"
        return ToolRateLimitError(
            f"{self._keys.label(tool)} is limited to {calls} per {self._per:g} s, and the limit is reached. "
            "The tool was not run.",
            effect="none",
            retry_after=rounded_up(wait),
            user_message="The rate limit of a service is reached. Try again later.",
            rule="host:rate-limit",
        )

    def __repr__(self) -> str:
        return f"RateLimit({self._calls}, per={self._per:g})"


class Rate(Line):
    """A queue that admits at most N callers per time window.

    Args:
        calls: the number of callers.
        per: the window in seconds.
    """

    def __init__(self, calls: int, per: float) -> None:
        super().__init__()
        self._calls = calls
        self._per = per
        self._begun: deque[float] = deque(maxlen=calls)

    def _pause(self, now: float) -> float:
        return 0 if len(self._begun) < self._calls else self._begun[0] + self._per - now

    def _take(self, now: float) -> None:
        self._begun.append(now)

    def _expected(self, ahead: int, now: float) -> float:
        ahead -= self._calls - len(self._begun)
        if ahead < 0:
            return 0
        rounds, place = divmod(ahead, self._calls)
        before = self._begun[place] if place < len(self._begun) else now
        return max(0.0, before + self._per - now) + self._per * rounds

    def is_idle(self, now: float) -> bool:
        """Whether no one waits and all earlier calls are outside the window."""
        with self._lock:
            return not self._waiting and all(begun + self._per <= now for begun in self._begun)
