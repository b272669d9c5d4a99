"""The settings that middleware share: which calls are counted together, and the checks of arguments."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable
from copy import copy
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from mulligan.calls import ToolCall
from mulligan.errors import ToolError, UsageError
from mulligan.execute.steps import Run
from mulligan.forks import shared_lock
from mulligan.tools import Tool
from mulligan.untrusted.text import show_name

REFUSAL_RULES = frozenset({"host:circuit-breaker", "host:rate-limit", "host:concurrency"})
Key: TypeAlias = "str | Callable[[Tool, ToolCall], Hashable]"
_MAX_IDLE_KEPT = 1_000
_KEY_FORMS = "'tool', 'tool:NAME', 'provider', 'provider:NAME', 'tag:NAME', 'all', or a function of tool and call"


def check_number(
    owner: str, name: str, value: Any, *, least: float = 0, most: float = math.inf, whole: bool = False
) -> None:
    """Refuses a value that is not a finite number in range.

    Args:
        owner: the name of the middleware.
        name: the name of the argument.
        value: the value of the argument.
        least: the minimum; 0 means "above 0".
        most: the maximum.
        whole: whether it must be a whole number.

    Raises:
        UsageError: the value is invalid; the message names the argument and its range.
    """
    fits = type(value) is int if whole else type(value) in (int, float)
    if not fits or not abs(value) <= sys.float_info.max or not (value >= least if least else value > 0) or value > most:
        what = "a whole number" if whole else "a number"
        bound = f"of at least {least:g}" if least else "above 0" if most == math.inf else f"above 0, at most {most:g}"
        raise UsageError(f"{owner}({name}={value!r:.80}): use {what} {bound}")


def check_classes(owner: str, value: Any) -> tuple[type[ToolError], ...]:
    """A tuple of error classes.

    Args:
        owner: the name of the middleware.
        value: one class of `mulligan.errors`, or several.

    Raises:
        UsageError: the value is something else.
    """
    classes = value if isinstance(value, (tuple, list, set, frozenset)) else (value,)
    if not classes or not all(isinstance(one, type) and issubclass(one, ToolError) for one in classes):
        raise UsageError(
            f"{owner}(on={value!r:.80}): use classes of mulligan.errors, such as ToolTimeoutError; "
            "exceptions of a tool are classified first"
        )
    return tuple(classes)


def with_timeout(run: Run, seconds: float | None) -> Run:
    """A copy of a run, limited to this many seconds.

    Args:
        run: the run.
        seconds: the maximum timeout, or None.
    """
    if seconds is None or (run.timeout is not None and run.timeout <= seconds):
        return run
    shorter = copy(run)
    shorter.timeout = seconds
    return shorter


def round_up_seconds(seconds: float) -> float:
    """Rounds up for a sentence: to whole seconds, or to tenths below one second."""
    return math.ceil(seconds) if seconds > 1 else max(0.1, math.ceil(seconds * 10) / 10)


class KeyFinder:
    """Finds the key of a call.

    Args:
        owner: the name of the middleware.
        key: which calls are counted together.

    Raises:
        UsageError: the key is invalid.
    """

    def __init__(self, owner: str, key: Any) -> None:
        kind, _, name = key.partition(":") if isinstance(key, str) else ("", "", "")
        known = callable(key) or kind in ("tool", "provider") or (kind == "tag" and name) or key == "all"
        if not known or (isinstance(key, str) and key.endswith(":")):
            raise UsageError(f"{owner}(key={key!r:.80}): use {_KEY_FORMS}")
        self._function = key if callable(key) else None
        self._kind = kind
        self._name = name

    def of(self, tool: Tool, call: ToolCall) -> Hashable:
        """The key of a call, or None if the call is exempt."""
        if self._function is not None:
            found: Hashable = self._function(tool, call)
            return found
        if self._kind == "tag":
            return self._name if self._name in tool.tags else None
        if self._kind == "all":
            return "all"
        name = tool.name if self._kind == "tool" else tool.provider
        return name if not self._name or name == self._name else None

    def label(self, tool: Tool) -> str:
        """The name of the key in sentences for the model."""
        if self._kind == "provider" and tool.provider is not None:
            return show_name(tool.provider)
        if self._kind == "tag":
            return f"The tag {show_name(self._name)}"
        return show_name(tool.name)


class Idle(Protocol):
    """An object that can be discarded while it is idle."""

    def is_idle(self, now: float) -> bool:
        """Whether a new object would behave in the same way."""


T = TypeVar("T", bound=Idle)


class PerKey(Generic[T]):
    """One object per key, created on first use. Idle objects are discarded if there are many.

    Args:
        make: creates an object.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = shared_lock()
        self._known: dict[Hashable, T] = {}
        self._most = _MAX_IDLE_KEPT

    def get(self, key: Hashable, now: float) -> T:
        """The object of a key.

        Args:
            key: the key.
            now: seconds on the clock of the objects.
        """
        found = self._known.get(key)
        if found is not None:
            return found
        with self._lock:
            if len(self._known) >= self._most:
                self._known = {name: one for name, one in self._known.items() if not one.is_idle(now)}
                self._most = max(_MAX_IDLE_KEPT, 2 * len(self._known))
            return self._known.setdefault(key, self._make())

    def items(self) -> list[tuple[Hashable, T]]:
        """Every key with its object."""
        with self._lock:
            return list(self._known.items())
