"""Names that exist and are near to one that does not: for resources, where the tool's author allows it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from mulligan.deadline import outer_deadline
from mulligan.tools import Tool
from mulligan.untrusted.objects import guarded

_NEAR = 70.0
_MOST = 10_000
_LONGEST = 5.0
_PART = 0.8  # of the time that the call has left, so that the names that have come are of use


def candidates(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """The names that the tool's author gives instead of a missing one: those that come in a few seconds, and in time.

    Args:
        tool: the tool.
        arguments: the call's arguments, for resources that depend on them.
    """
    given = tool.resources
    names: list[str] = []
    if given is not None:
        guarded(lambda: _collect(given(arguments) if callable(given) else given, names))
    return names


def _collect(given: Iterable[Any], names: list[str]) -> None:
    """Adds the names one by one; those that have come are kept, whatever happens to the others."""
    outer = outer_deadline()
    seconds = _LONGEST if outer is None else min(_LONGEST, _PART * outer.remaining)
    end = time.monotonic() + seconds
    for name in islice(given, _MOST):
        if isinstance(name, str):
            names.append(name)
        if time.monotonic() > end:
            break


def near_names(missing: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """At most three names that are spelt nearly like a missing one, best first.

    Args:
        missing: the name that is not there.
        candidates: the names that are.
    """
    from rapidfuzz import fuzz, process

    found = process.extract(
        missing[:500], list(candidates), scorer=fuzz.ratio, processor=str.lower, limit=3, score_cutoff=_NEAR
    )
    return tuple(name for name, _, _ in found)
