"""Repair calls that have exactly one meaning, in the ways that the policy enables. Nothing is guessed."""

from __future__ import annotations

from typing import Any

from mulligan.calls import ToolCall
from mulligan.errors import ToolArgumentError, ToolError, ToolNotFoundError
from mulligan.execute.steps import Run
from mulligan.hookimpl import hookimpl
from mulligan.policy import Limits
from mulligan.repair.helpers import coerced, mended_json, same_name
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool
from mulligan.validate.arguments import read_arguments


class _AmbiguousError(Exception):
    """The call does not have exactly one meaning."""


class DefaultRepairer:
    """Repairs calls that have exactly one meaning.

    Args:
        kinds: the enabled repairs: `json`, `coerce`, `name`.
        limits: bounds on size and depth.
    """

    def __init__(self, kinds: tuple[str, ...], limits: Limits) -> None:
        self._kinds = kinds
        self._limits = limits

    @hookimpl(trylast=True)
    def repair(self, call: ToolCall, error: ToolError, toolset: Toolset) -> Run | None:
        """Return the call in runnable form, or None if its meaning is ambiguous."""
        tool = self._find_tool(call, error, toolset)
        if tool is None:
            return None
        try:
            repaired = call._replace(name=tool.name, arguments=self._repair_arguments(call.arguments, tool))
        except (_AmbiguousError, ToolArgumentError):
            return None
        return None if repaired == call else Run(lambda: repaired, offload=False, is_async=False)

    def _find_tool(self, call: ToolCall, error: ToolError, toolset: Toolset) -> Tool | None:
        """Find the tool by its name or a declared alias; a name that differs only in style must be a read-only tool's."""
        if isinstance(error, ToolArgumentError):
            known: Tool | None = toolset.get(call.name)
            return known
        if "name" not in self._kinds or not isinstance(error, ToolNotFoundError):
            return None
        declared = toolset[error.suggestions[0]] if error.confident else None
        if declared is not None and call.name in declared.also_called:
            return declared
        name = same_name(call.name, toolset)
        return toolset[name] if name is not None and toolset[name].read_only else None

    def _repair_arguments(self, sent: Any, tool: Tool) -> Any:
        """Return arguments that match the tool's schema, as sent or repaired."""
        try:
            read, repaired = read_arguments(sent, self._limits), sent
        except ToolArgumentError:
            if "json" not in self._kinds or not isinstance(sent, (str, bytes, bytearray)):
                raise
            text = sent if isinstance(sent, str) else bytes(sent).decode(errors="replace")
            repaired = _require(mended_json(text, read_only=tool.read_only))
            read = read_arguments(repaired, self._limits)
        if tool.validator.is_valid(read):
            return repaired
        return _require(coerced(tool, read) if "coerce" in self._kinds else None)


def _require(found: Any) -> Any:
    if found is None:
        raise _AmbiguousError
    return found
