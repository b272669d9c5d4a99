"""Names that exist and are near to one that does not: for resources, where the tool's author allows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from mulligan.foreign.facts import guarded
from mulligan.tools import Tool

_NEAR = 70.0
_MOST = 10_000


def near_resources(tool: Tool, arguments: Mapping[str, Any], missing: str) -> tuple[str, ...]:
    """The tool's resources that are near to a missing one, best first; none where its author gave none.

    Args:
        tool: the tool.
        arguments: the call's arguments, for resources that depend on them.
        missing: the name that is not there.
    """
    given = tool.resources
    if given is None:
        return ()
    candidates = guarded(lambda: _each(given(arguments) if callable(given) else given))
    return near_names(missing, candidates or ())


def _each(given: Iterable[Any]) -> list[str]:
    return [name for name in islice(given, _MOST) if isinstance(name, str)]


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
