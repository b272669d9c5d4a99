"""Names of attributes and metrics, and attribute values that are safe to export.

The names `gen_ai.*` are those of the OpenTelemetry conventions for generative AI, which are still in development; this
is their state of November 2026 (semantic-conventions 1.45, 0.66b2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar
from weakref import ref

from mulligan.plugin import RepeatedCallError, Tool, ToolArgumentError, ToolError, ToolNotFoundError

T = TypeVar("T")

OPERATION = "execute_tool"
UNKNOWN = "unknown"
OTHER = "other"
VERSION = "0.1.0"
TRACER_PROVIDER, METER_PROVIDER = "_TRACER_PROVIDER", "_METER_PROVIDER"  # as OpenTelemetry's own modules name them
_MOST_TOOLS = 10_000
_PLAIN = re.compile(r"[\w.:/-]{1,100}", re.ASCII)


class PerTool(Generic[T]):
    """Values computed once for each tool. A tool that is garbage-collected is forgotten.

    Args:
        make: computes the value.
    """

    def __init__(self, make: Callable[[Tool], T]) -> None:
        self._make = make
        self._known: dict[int, tuple[ref[Tool], T]] = {}  # by id, since a WeakKeyDictionary takes twice as long

    def get(self, tool: Tool) -> T:
        """The value of a tool."""
        known = self._known.get(id(tool))
        if known is not None and known[0]() is tool:
            return known[1]
        if len(self._known) >= _MOST_TOOLS:
            self._known.clear()
        made = self._make(tool)
        self._known[id(tool)] = ref(tool), made
        return made


def provided(program: Mapping[str, Any], name: str, provider: object, *, is_off: bool) -> Mapping[str, Any]:
    """A mapping that holds a provider under a name; None while nothing is recorded.

    OpenTelemetry's own function returns the same, but reads the environment each time.

    Args:
        program: where OpenTelemetry stores the program's provider, which may be set late.
        name: the name of that variable.
        provider: an explicit provider, or None for that of the program.
        is_off: whether a provider records nothing.
    """
    if is_off:
        return {name: None}
    if provider is None and name in program:
        return program
    return {name: provider or True}  # True if another version of OpenTelemetry stores it elsewhere


def stage_of(error: ToolError, attempts: int) -> str:
    """The stage of the pipeline in which a call failed.

    Args:
        error: what the failure means.
        attempts: the number of attempts.
    """
    if attempts:
        return "execute"
    if isinstance(error, RepeatedCallError) or (error.rule or "").startswith("session:"):
        return "session"
    if isinstance(error, ToolNotFoundError):
        return "resolve"
    return "validate" if isinstance(error, ToolArgumentError) else "authorize"


def plain(text: str | None) -> str:
    """The text if it is an identifier, otherwise `other`, since it may be foreign."""
    return text if text is not None and _PLAIN.fullmatch(text) else OTHER
