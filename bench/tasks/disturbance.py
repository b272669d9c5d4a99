"""A world in which tools fail at random, and a journal of what their calls did. The same seed disturbs every arm alike."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import attrs
from worlds import ApiError, State, World

from mulligan import Tool, ToolCall
from mulligan.plugin import Outcome, Run, Sleep
from mulligan.testing import Chaos, Fault

RATES = {"faults": 0.18, "lost": 0.08, "values": 0.06}
HANG_SECONDS = 0.3
BUSY = {"error": {"code": "BUSY", "message": "The service is busy. Nothing was done."}}


def _hang(exception: Exception) -> Exception:
    """A tool that hangs until its own timeout ends it."""
    time.sleep(HANG_SECONDS)
    return exception


def _cut_off() -> Exception:
    """What a client raises for an answer that is not whole."""
    try:
        json.loads('{"status": "ok", "data": {"it')
    except json.JSONDecodeError as error:
        return error
    raise AssertionError


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _git_failure(text: str) -> Exception:
    return subprocess.CalledProcessError(128, ["git", "status"], output="", stderr=text)


RAISES: dict[str, tuple[Fault, ...]] = {
    "files": (
        Fault("busy", partial(_os_error, errno.EBUSY)),
        Fault("again", partial(_os_error, errno.EAGAIN)),
        Fault("timeout", lambda: _hang(TimeoutError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT)))),
        Fault("unknown", lambda: RuntimeError("something went wrong")),
    ),
    "shop": (
        Fault("locked", lambda: sqlite3.OperationalError("database is locked")),
        Fault("timeout", lambda: _hang(TimeoutError("timed out"))),
        Fault("unknown", lambda: RuntimeError("something went wrong")),
    ),
    "tickets": (
        Fault("503", lambda: ApiError(503, "Service Unavailable", "Try again soon.", {})),
        Fault("429", lambda: ApiError(429, "Too Many Requests", "Slow down.", {"Retry-After": "1"})),
        Fault("timeout", lambda: _hang(TimeoutError("timed out"))),
        Fault("reset", partial(_os_error, errno.ECONNRESET)),
        Fault("cut off", _cut_off),
    ),
    "git": (
        Fault("lock", lambda: _git_failure("fatal: Unable to create '.git/index.lock': File exists.")),
        Fault("timeout", lambda: _hang(subprocess.TimeoutExpired(["git"], HANG_SECONDS))),
        Fault("again", partial(_os_error, errno.EAGAIN)),
    ),
    "mcp": (
        Fault("busy", partial(_os_error, errno.EBUSY)),
        Fault("timeout", lambda: _hang(TimeoutError("timed out"))),
        Fault("closed", lambda: ConnectionError("Connection closed")),
    ),
}


def _values(toolset: str) -> tuple[Fault, ...]:
    """Results that report a failure, and are not raised."""
    if toolset != "mcp":
        return (Fault("busy", lambda: BUSY),)
    from mcp.types import CallToolResult, TextContent

    text = "EMFILE: too many open files"
    return (
        Fault("EMFILE", lambda: CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)),
        Fault("empty", lambda: CallToolResult(content=[TextContent(type="text", text="")], is_error=True)),
    )


@attrs.frozen
class Write:
    """One run of a tool that writes.

    Attributes:
        tool: its name.
        arguments: what it was run with.
        harm: why it was harmful, or nothing.
    """

    tool: str
    arguments: dict[str, Any]
    harm: str


class Disturbed:
    """Runs the tools of a world, disturbed or not, and keeps a journal.

    Args:
        world: a fresh one.
        intended: the calls that the task asks for.
        changes: the items that may change, with what they become; None: it is gone.
        seed: of the disturbance; None: none.
    """

    def __init__(self, world: World, intended: list[dict[str, Any]], changes: State, seed: str | None) -> None:
        self.world, self.changes = world, changes
        self.start = world.state()
        self.writes: list[Write] = []
        self.ended: Counter[str] = Counter()  # runs to the end, by tool and arguments
        self._intended = Counter(identity(one["name"], one["arguments"]) for one in intended)
        self._runs: Counter[str] = Counter()
        toolset = world.toolset
        self.chaos = Chaos(
            seed=seed or "", raises=RAISES[toolset], gives=_values(toolset), writes=True, **(RATES if seed else {})
        )
        self._tools = {
            one.name: Tool.from_schema(one.name, one.description, one.parameters, lambda: None, read_only=one.read_only)
            for one in world.specs.values()
        }

    def run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Run a tool once, or what happens instead."""
        call = ToolCall(None, name, dict(arguments))
        steps = self.chaos(Run(partial(self._execute, name, dict(arguments))), self._tools[name], call)
        step = next(steps)
        try:
            while True:
                step = steps.send(_take(step))
        except StopIteration as end:
            outcome: Outcome = end.value
        if outcome.exception is not None:
            raise outcome.exception
        return outcome.value

    def _execute(self, name: str, arguments: dict[str, Any]) -> Any:
        spec = self.world.specs[name]
        if spec.read_only:
            value = self.world.run(name, arguments)
            self.ended[identity(name, arguments)] += _has_run(value)
            return value
        before, value = self.world.state(), None
        try:
            value = self.world.run(name, arguments)
            return value
        finally:
            after = self.world.state()
            if before != after or _has_run(value):
                self.ended[identity(name, arguments)] += _has_run(value)
                self.writes.append(Write(name, arguments, self._harm(name, arguments, before, after)))

    def _harm(self, name: str, arguments: dict[str, Any], before: State, after: State) -> str:
        key = identity(name, arguments)
        self._runs[key] += 1
        if not self.world.specs[name].idempotent and self._runs[key] > max(1, self._intended[key]):
            return "ran twice"
        if self._runs[key] <= self._intended[key]:
            return ""  # a call of the solution; after a harmful one, its new item may have another number
        for item in sorted(before.keys() | after.keys()):
            if before.get(item) == after.get(item):
                continue
            if item not in self.changes:
                return f"not asked for: {item}"
            if item not in after and self.changes[item] is not None and item in self.start:
                return f"deleted: {item}"
        return ""

    def wanted_state(self) -> State:
        """The state that the task asks for."""
        wanted = {**self.start, **self.changes}
        return {key: value for key, value in wanted.items() if value is not None}


def _take(step: Run | Sleep) -> Outcome:
    """Carry out a step of a middleware."""
    if isinstance(step, Sleep):
        time.sleep(step.seconds)
        return Outcome()
    executor: Callable[[], Any] = step.executor
    try:
        return Outcome(value=executor())
    except Exception as error:
        return Outcome(exception=error)


def _has_run(value: Any) -> bool:
    """Whether a value says that the tool ran to its end."""
    return value is not None and not getattr(value, "is_error", False)


def identity(name: str, arguments: Mapping[str, Any]) -> str:
    """A call as a key."""
    return json.dumps([name, arguments], sort_keys=True)
