"""Checks the settings of middleware, and bounds runs."""

from __future__ import annotations

import math
import sys
from copy import copy
from typing import Any

from mulligan.errors import ToolError, UsageError
from mulligan.execute.steps import Run

REFUSALS = frozenset({"host:circuit-breaker", "host:rate-limit", "host:concurrency"})


def check_number(
    owner: str, name: str, value: Any, *, least: float = 0, most: float = math.inf, whole: bool = False
) -> None:
    """Refuses a value that is not a finite number in range.

    Args:
        owner: the name of the middleware.
        name: the argument.
        value: its value.
        least: the minimum; 0 means "above 0".
        most: the maximum.
        whole: whether it must be a whole number.

    Raises:
        UsageError: the value is invalid; names the argument and its range.
    """
    fits = type(value) is int if whole else type(value) in (int, float)
    if not fits or not abs(value) <= sys.float_info.max or not (value >= least if least else value > 0) or value > most:
        what = "a whole number" if whole else "a number"
        bound = f"of at least {least:g}" if least else "above 0" if most == math.inf else f"above 0, at most {most:g}"
        raise UsageError(f"{owner}({name}={value!r:.80}): use {what} {bound}")


def check_classes(owner: str, given: Any) -> tuple[type[ToolError], ...]:
    """A tuple of error classes.

    Args:
        owner: the name of the middleware.
        given: one class of `mulligan.errors`, or several.

    Raises:
        UsageError: it is something else.
    """
    classes = given if isinstance(given, (tuple, list, set, frozenset)) else (given,)
    if not classes or not all(isinstance(one, type) and issubclass(one, ToolError) for one in classes):
        raise UsageError(
            f"{owner}(on={given!r:.80}): use classes of mulligan.errors, such as ToolTimeoutError; "
            "exceptions of a tool are classified first"
        )
    return tuple(classes)


def bounded(run: Run, seconds: float | None) -> Run:
    """A run with a timeout of at most this many seconds.

    Args:
        run: the run; it is not changed.
        seconds: the maximum, or None.
    """
    if seconds is None or (run.timeout is not None and run.timeout <= seconds):
        return run
    shorter = copy(run)
    shorter.timeout = seconds
    return shorter


def rounded_up(seconds: float) -> float:
    """Seconds for a sentence: whole ones, or tenths below one.

    Args:
        seconds: the exact number.
    """
    return math.ceil(seconds) if seconds > 1 else max(0.1, math.ceil(seconds * 10) / 10)
