"""Chaos: faults, waits, hostile values and crashes of plugins, injected at random, and reproducible by a seed.

from mulligan.middleware import retry
from mulligan.testing import Chaos

chaos = Chaos(seed=7, faults=0.2, latency=0.1, match="tag:search")
pipeline = Pipeline(tools, middleware=[retry(), chaos])

Pass it as the last middleware: it must be the innermost one, so that all others can handle its faults.
"""

from __future__ import annotations

import errno
import random
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from copy import copy
from typing import Any, NamedTuple

from mulligan.middleware.keys import Key, KeyFinder
from mulligan.plugin import (
    DeadlineExceeded,
    Outcome,
    Run,
    Sleep,
    Steps,
    Tool,
    ToolCall,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    UsageError,
    hookimpl,
)
from mulligan.testing.faults.values import VALUES, Fault

_MAX_INJECTED = 1_000
_MAX_YIELDED = 10_000


def _connection_reset() -> Exception:
    return ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")


TRANSIENT_FAULTS: tuple[Fault, ...] = (
    Fault("dropped", _connection_reset),
    Fault("timeout", lambda: ToolTimeoutError("The service did not answer in time.", effect="possible")),
    Fault("unavailable", lambda: ToolUnavailableError("The service is down for now.")),
    Fault("rate-limit", lambda: ToolRateLimitError("Too many calls for now.", retry_after=0.1)),
    Fault("unknown", lambda: RuntimeError("something went wrong")),
)
"""What is raised by default: failures that pass. None of them is fatal."""


class ChaosError(RuntimeError):
    """The exception of a plugin that crashes at random."""


class Injected(NamedTuple):
    """One injection into a run of a tool.

    Attributes:
        tool: the tool's name.
        number: which of its runs it was, counted from 1.
        kind: `fault`, `lost`, `value`, `crash` or `latency`.
        name: which fault, or which value.
        seconds: how long it waited.
    """

    tool: str
    number: int
    kind: str
    name: str = ""
    seconds: float = 0.0


class Chaos:
    """A middleware that makes runs of tools fail at random.

    What happens to the n-th run of a tool depends on the seed, the tool's name and n alone: the same seed gives the same run,
    whatever other tools do. The rule of every injected error begins with `chaos:`.

    Args:
        seed: the seed of the random numbers.
        faults: how often the tool is not run, and an exception is raised instead; from 0 (never) to 1 (always).
        lost: how often the tool is run, and the connection drops before its answer arrives.
        values: how often the tool is not run, and returns a value that is hard to read.
        crashes: how often this middleware itself crashes, as a plugin may.
        latency: how often the run starts later.
        delay: the shortest and the longest wait, in seconds.
        raises: the exceptions for `faults`.
        gives: the values for `values`.
        match: which tools are affected, as the `key` of other middleware: `"all"`, `"tool:NAME"`, `"tag:NAME"`,
            `"provider:NAME"`, or a function of tool and call; tools for which it returns None are left alone.
        writes: whether tools that are not `read_only` are affected too.

    Raises:
        UsageError: names the invalid argument.
    """

    def __init__(
        self,
        *,
        seed: int | str = 0,
        faults: float = 0.0,
        lost: float = 0.0,
        values: float = 0.0,
        crashes: float = 0.0,
        latency: float = 0.0,
        delay: tuple[float, float] = (0.1, 2.0),
        raises: Sequence[Fault] = TRANSIENT_FAULTS,
        gives: Sequence[Fault] = VALUES,
        match: Key = "all",
        writes: bool = False,
    ) -> None:
        rates = {"faults": faults, "lost": lost, "values": values, "crashes": crashes, "latency": latency}
        for name, rate in rates.items():
            check_rate("Chaos", name, rate)
        if not 0 <= delay[0] <= delay[1] < float("inf"):
            raise UsageError(f"Chaos(delay={delay!r:.80}): give the shortest and the longest wait in seconds")
        for name, choices in (("raises", raises), ("gives", gives)):
            if not choices or not all(isinstance(one, Fault) for one in choices):
                raise UsageError(f"Chaos({name}={choices!r:.80}): give a list of mulligan.testing.Fault(name, make)")
        self._seed = seed
        self._rates = rates
        self._delay = delay
        self._raises = tuple(raises)
        self._gives = tuple(gives)
        self._keys = KeyFinder("Chaos", match)
        self._writes = writes
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Starts over: the next run of each tool is its first."""
        self._runs: Counter[str] = Counter()
        self._injected: deque[Injected] = deque(maxlen=_MAX_INJECTED)

    @property
    def injected(self) -> tuple[Injected, ...]:
        """The injections so far, the last thousand."""
        return tuple(self._injected)

    def __call__(self, run: Run, tool: Tool, call: ToolCall) -> Steps:
        """The run, or what replaces it.

        Args:
            run: what is run.
            tool: the tool.
            call: the call.
        """
        if not (self._writes or tool.read_only) or self._keys.of(tool, call) is None:
            return (yield run)
        number, rng = self._next_run(tool)
        latency = self._draw_latency(rng)
        kind, fault = self._draw_injection(rng)
        if latency:
            self._record(Injected(tool.name, number, "latency", seconds=latency))
            yield Sleep(latency)
        if kind is None:
            return _attribute_timeout((yield run)) if latency else (yield run)
        self._record(Injected(tool.name, number, kind, fault.name))
        if kind == "crash":
            raise ChaosError(f"run {number} of {tool.name} (seed {self._seed!r})")
        outcome = yield _replace_executor(run, kind, fault)
        if outcome.error is not None:
            outcome.error.rule = f"chaos:{fault.name}"
        return outcome

    def _next_run(self, tool: Tool) -> tuple[int, random.Random]:
        with self._lock:
            self._runs[tool.name] += 1
            number = self._runs[tool.name]
        return number, random.Random(f"{self._seed}/{tool.name}/{number}")  # noqa: S311 - chance, no secret

    def _record(self, injected: Injected) -> None:
        with self._lock:
            self._injected.append(injected)

    def _draw_latency(self, rng: random.Random) -> float:
        drawn, seconds = rng.random(), rng.uniform(*self._delay)
        return round(seconds, 3) if drawn < self._rates["latency"] else 0.0

    def _draw_injection(self, rng: random.Random) -> tuple[str | None, Fault]:
        """The injection into a run. Every number is always drawn, so that one rate does not affect the others."""
        raised_fault, value_fault = rng.choice(self._raises), rng.choice(self._gives)
        lost_fault, crash_fault = Fault("lost", _connection_reset), Fault("crash", ChaosError)
        for rate, kind, fault in (
            ("crashes", "crash", crash_fault),
            ("faults", "fault", raised_fault),
            ("lost", "lost", lost_fault),
            ("values", "value", value_fault),
        ):
            drawn = rng.random()
            if drawn < self._rates[rate]:
                return kind, fault
        return None, crash_fault

    def __repr__(self) -> str:
        rates = ", ".join(f"{name}={rate:g}" for name, rate in self._rates.items() if rate)
        return f"Chaos(seed={self._seed!r}, {rates or 'nothing'})"


def check_rate(owner: str, name: str, rate: object) -> None:
    """Refuses an invalid rate.

    Args:
        owner: the name of the middleware or plugin.
        name: the argument.
        rate: the argument's value.

    Raises:
        UsageError: names the argument and its range.
    """
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= 1:
        raise UsageError(f"{owner}({name}={rate!r:.80}): give a number from 0 (never) to 1 (always)")


def _attribute_timeout(outcome: Outcome) -> Outcome:
    """The outcome of a run that started later; a timeout counts as caused by the wait."""
    if isinstance(outcome.exception, DeadlineExceeded) and outcome.error is None:
        return Outcome(
            error=ToolTimeoutError("The service did not answer in time.", effect="none", rule="chaos:latency")
        )
    if isinstance(outcome.error, ToolTimeoutError):
        outcome.error.rule = "chaos:latency"
    return outcome


def _replace_executor(run: Run, kind: str, fault: Fault) -> Run:
    """A run with another ending; its timeout is kept."""
    new_run = copy(run)
    if kind == "lost":
        new_run.executor = _lossy_executor(run, fault)
        return new_run

    def instead() -> Any:
        made = fault.make()
        if kind == "fault":
            raise made
        return made

    new_run.executor, new_run.is_async, new_run.offload = instead, False, False
    return new_run


def _lossy_executor(run: Run, fault: Fault) -> Callable[[], Any]:
    """An executor that runs the tool to its end and loses its result."""

    def lose() -> Any:
        value = run.executor()
        if isinstance(value, (Awaitable, AsyncGenerator)):
            return _await_and_fail(value, fault)
        if isinstance(value, Generator):
            from mulligan.execute.sync_driver import consume

            consume(value, _MAX_YIELDED)
        raise fault.make()

    return lose


async def _await_and_fail(value: Any, fault: Fault) -> None:
    from mulligan.execute.async_driver import resolve_value

    await resolve_value(value, _MAX_YIELDED)
    raise fault.make()


class Saboteur:
    """A plugin that crashes at random, in any hook; a pipeline disables it after three crashes.

    Pass it with other plugins, `plugins=[acme, Saboteur(seed=7, crashes=0.5)]`: every result must be as without it.

    Args:
        seed: the seed of the random numbers.
        crashes: how often it crashes, from 0 to 1; it raises, tries to exit the interpreter, or returns an unusable value.

    Raises:
        UsageError: `crashes` is not a number from 0 to 1.
    """

    def __init__(self, *, seed: int | str = 0, crashes: float = 1.0) -> None:
        check_rate("Saboteur", "crashes", crashes)
        self._seed = seed
        self._crashes = crashes
        self._call_counts: Counter[str] = Counter()

    def _maybe_crash(self, hook: str) -> Any:
        self._call_counts[hook] += 1
        number = self._call_counts[hook]
        rng = random.Random(f"{self._seed}/{hook}/{number}")  # noqa: S311 - chance, no secret
        if rng.random() >= self._crashes:
            return None
        kind = rng.randrange(3)
        if kind == 0:
            raise ChaosError(f"{hook}, time {number} (seed {self._seed!r})")
        if kind == 1:
            raise SystemExit(3)
        return object()

    @hookimpl(tryfirst=True)
    def resolve(self) -> Any:
        """Crashes by chance."""
        return self._maybe_crash("resolve")

    @hookimpl(tryfirst=True)
    def validate(self) -> Any:
        """Crashes by chance."""
        return self._maybe_crash("validate")

    @hookimpl(tryfirst=True)
    def detect(self) -> Any:
        """Crashes by chance."""
        return self._maybe_crash("detect")

    @hookimpl(tryfirst=True)
    def classify(self) -> Any:
        """Crashes by chance."""
        return self._maybe_crash("classify")

    @hookimpl(tryfirst=True)
    def hints(self) -> Any:
        """Crashes by chance."""
        return self._maybe_crash("hints")

    @hookimpl(tryfirst=True)
    def render_feedback(self) -> Any:
        """Crashes by chance."""
        return self._maybe_crash("render_feedback")
