"""Strands' tools as mulligan's, and the stand-in for one of them while a call is answered."""

from __future__ import annotations

import copy
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from strands.tools.decorator import DecoratedFunctionTool
from strands.types.tools import AgentTool, ToolSpec

from mulligan import Tool, hints_of
from mulligan.adapters import OPEN, Adapter, handler_for

Stream = Callable[..., AsyncGenerator[Any, None]]


def as_tool(adapter: Adapter, spec: ToolSpec, tool: AgentTool | None) -> Tool:
    """A tool of mulligan.

    Args:
        adapter: holds the host's options.
        spec: as the model is shown it, or as the tool itself describes it.
        tool: Strands' tool, or None if it is not known.
    """
    is_function, handler = isinstance(tool, DecoratedFunctionTool), handler_for(spec["name"])
    schema, hints = _schema(spec, is_closed=is_function), hints_of(spec.get("annotations"))
    return adapter.tool(spec["name"], spec["description"], schema, handler, **hints)


def find_tool(agent: Any, name: str) -> AgentTool | None:
    """The tool of an agent, or None.

    Args:
        agent: the agent.
        name: the tool's name.
    """
    registry = agent.tool_registry
    found: AgentTool | None = registry.dynamic_tools.get(name) or registry.registry.get(name)
    return found


def stand_in(tool: AgentTool | None, name: str, stream: Stream) -> AgentTool:
    """The tool that Strands runs for a call, once, whatever becomes of it: so each call is traced and counted once.

    Args:
        tool: the tool that was called; None for a name that no tool has.
        name: the name that was called.
        stream: answers the call.
    """
    made = _Unknown(name) if tool is None else copy.copy(tool)
    made.stream = stream  # type: ignore[method-assign]
    return made


class _Unknown(AgentTool):
    """Stands for a name that no tool has."""

    tool_name = ""
    tool_type = "unknown"
    tool_spec: Any = None

    def __init__(self, name: str) -> None:
        super().__init__()
        self.tool_name, self.tool_spec = name, {"name": name, "description": "", "inputSchema": {"json": dict(OPEN)}}

    def stream(self, *_: Any, **__: Any) -> Any:
        """Replaced by `stand_in`."""


def is_blocking(tool: AgentTool | None) -> bool:
    """Whether a tool is a function that blocks, which Strands would run in a thread that no deadline can free.

    Args:
        tool: the tool.
    """
    function = getattr(tool, "_tool_func", None)
    return callable(function) and not (inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function))


def threaded(tool: AgentTool, run: Callable[[Callable[[], Any]], Awaitable[Any]]) -> AgentTool:
    """A copy of a tool whose function is run elsewhere.

    Args:
        tool: a tool that `is_blocking`.
        run: runs a function, awaited.
    """
    made: Any = copy.copy(tool)
    function = made._tool_func  # noqa: SLF001 - the only place where Strands keeps it

    async def call(*args: Any, **arguments: Any) -> Any:
        return await run(partial(function, *args, **arguments))

    made._tool_func = call  # noqa: SLF001
    threaded_tool: AgentTool = made
    return threaded_tool


def _schema(spec: ToolSpec, *, is_closed: bool) -> Mapping[str, Any]:
    """The schema of the arguments; without any others if the tool is a function, where Strands drops them in silence."""
    given: Any = spec["inputSchema"]
    given = given.get("json", given)
    if not isinstance(given, Mapping):
        return OPEN
    closed = {"additionalProperties": False} if is_closed else {}
    members = given.get("properties")
    if not isinstance(members, Mapping):
        return {**closed, **given}
    return {**closed, **given, "properties": {name: _with_null_default(member) for name, member in members.items()}}


def _with_null_default(member: Any) -> Any:
    """The schema of a parameter that takes null where that is its default: Strands leaves null out of what it shows."""
    if isinstance(member, Mapping) and "default" in member and member["default"] is None:
        kinds = member.get("type")
        if isinstance(kinds, str) and kinds != "null" and "enum" not in member and "const" not in member:
            return {**member, "type": [kinds, "null"]}
    return member
