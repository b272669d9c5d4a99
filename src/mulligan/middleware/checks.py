"""What settings of a middleware may be, and how it bounds a run."""

from __future__ import annotations

import math
import sys
from copy import copy
from typing import Any

from mulligan.plugin import Run, ToolError, UsageError

REFUSALS = frozenset({"host:circuit-breaker", "host:rate-limit", "host:concurrency"})


def check_number(
    owner: str, name: str, value: Any, *, least: float = 0, most: float = math.inf, whole: bool = False
) -> None:
    """Refuses what is no finite number, too small or too large.

    Args:
        owner: the middleware, as it is called.
        name: the argument.
        value: what was given.
        least: 0 stands for "above 0", everything else may be reached.
        most: the largest that may be.
        whole: whether it must be a whole number.

    Raises:
        UsageError: names the argument and what it may be.
    """
    fits = type(value) is int if whole else type(value) in (int, float)
    if not fits or not abs(value) <= sys.float_info.max or not (value >= least if least else value > 0) or value > most:
        what = "a whole number" if whole else "a number"
        bound = f"of at least {least:g}" if least else "above 0" if most == math.inf else f"above 0, at most {most:g}"
        raise UsageError(f"{owner}({name}={value!r:.80}): give {what} {bound}")


def check_classes(owner: str, given: Any) -> tuple[type[ToolError], ...]:
    """Error classes that may be given as one class.

    Args:
        owner: the middleware, as it is called.
        given: one class of `mulligan.errors`, or several.

    Raises:
        UsageError: it is something else.
    """
    classes = given if isinstance(given, (tuple, list, set, frozenset)) else (given,)
    if not classes or not all(isinstance(one, type) and issubclass(one, ToolError) for one in classes):
        raise UsageError(
            f"{owner}(on={given!r:.80}): give classes of mulligan.errors, such as ToolTimeoutError; "
            "what a tool raises is classified first"
        )
    return tuple(classes)


def bounded(run: Run, seconds: float | None) -> Run:
    """A run that is given up after so many seconds, or when it would be anyway.

    Args:
        run: the run; it is not changed.
        seconds: the bound, or None.
    """
    if seconds is None or (run.timeout is not None and run.timeout <= seconds):
        return run
    anew = copy(run)
    anew.timeout = seconds
    return anew


def rounded_up(seconds: float) -> float:
    """Seconds as they are told: whole ones, or tenths where it is less than one.

    Args:
        seconds: how long exactly.
    """
    return math.ceil(seconds) if seconds > 1 else max(0.1, math.ceil(seconds * 10) / 10)
