"""Strands' tools as mulligan's."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from strands.types.tools import AgentTool, ToolSpec

from mulligan import Tool
from mulligan_strands.calls import handle, handle_in_thread

_MOST = 1_000
_ANYTHING = {"type": "object"}
_HINTS = {
    "readOnlyHint": "read_only",
    "read_only_hint": "read_only",
    "idempotentHint": "idempotent",
    "idempotent_hint": "idempotent",
    "destructiveHint": "destructive",
    "destructive_hint": "destructive",
}


class Tools:
    """Makes mulligan's tools of Strands', and keeps those that have not changed.

    Args:
        timeout: seconds for every tool that has none of its own, or None.
        options: the attributes of `mulligan.Tool`, by the tool's name.
    """

    def __init__(self, timeout: float | None, options: Mapping[str, Mapping[str, Any]]) -> None:
        self._timeout = timeout
        self._options = {name: dict(given) for name, given in options.items()}
        for name, given in {"any": {}, **self._options}.items():  # what is wrong is told now
            _make(name, "", _ANYTHING, {"timeout": timeout, **given})
        self._made: dict[tuple[str, bool], tuple[tuple[Any, ...], Tool]] = {}

    def shown(self, specs: Iterable[ToolSpec]) -> list[Tool]:
        """The tools that a model was shown.

        Args:
            specs: what it was shown.
        """
        return list({spec["name"]: self._tool(spec["name"], spec, {}) for spec in specs}.values())

    def called(self, name: str, tool: AgentTool) -> Tool:
        """The tool that a call runs, as the tool itself describes its arguments.

        Args:
            name: the name that the model calls.
            tool: Strands' tool.
        """
        return self._tool(name, tool.tool_spec, _hints(tool), called=tool)

    def _tool(self, name: str, spec: ToolSpec, hints: Mapping[str, bool], called: AgentTool | None = None) -> Tool:
        schema = _schema(spec)
        options = {"timeout": self._timeout, **hints, **self._options.get(name, {})}
        threaded = called is not None and options["timeout"] is not None and _blocks(called)
        key = (spec["description"], schema, options, threaded)
        place = (name, called is None)
        known = self._made.get(place)
        if known is None or known[0] != key:
            if len(self._made) >= _MOST:
                self._made.clear()
            known = self._made[place] = key, _make(name, spec["description"], schema, options, threaded=threaded)
        return known[1]


def _make(
    name: str, description: str, schema: Mapping[str, Any], options: dict[str, Any], *, threaded: bool = False
) -> Tool:
    handler = partial(handle_in_thread if threaded else handle, name)
    tool = Tool.from_schema(name, description or "", schema, handler, **options)
    try:
        _ = tool.validator
    except Exception:  # a schema that cannot be used checks nothing, as in Strands
        tool = Tool.from_schema(name, description or "", _ANYTHING, handler, **options)
    return tool


def _blocks(tool: AgentTool) -> bool:
    """Whether Strands would run the tool's function in a thread of its own pool, where no deadline can free the loop."""
    function = getattr(tool, "__wrapped__", None) or getattr(tool, "_tool_func", None)
    return callable(function) and not (inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function))


def _schema(spec: ToolSpec) -> dict[str, Any]:
    given: Any = spec["inputSchema"]
    given = given.get("json", given)
    if not isinstance(given, Mapping) or given.get("type", "object") != "object":
        return _ANYTHING
    members = given.get("properties")
    if not isinstance(members, Mapping):
        return dict(given)
    return {**given, "properties": {name: _with_null_default(member) for name, member in members.items()}}


def _with_null_default(member: Any) -> Any:
    """The schema of a parameter that takes null where that is its default: Strands leaves null out of the types it shows."""
    if isinstance(member, Mapping) and "default" in member and member["default"] is None:
        kinds = member.get("type")
        if isinstance(kinds, str) and kinds != "null" and "enum" not in member and "const" not in member:
            return {**member, "type": [kinds, "null"]}
    return member


def _hints(tool: AgentTool) -> dict[str, bool]:
    """What an MCP server says of its tool."""
    annotations = getattr(getattr(tool, "mcp_tool", None), "annotations", None)
    said = {name: getattr(annotations, name, None) for name in _HINTS}
    return {_HINTS[name]: value for name, value in said.items() if isinstance(value, bool)}
