"""The tools that `--tools` names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from mulligan.cli.loading import find
from mulligan.cli.output import complain
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool

_REPORTED = 3


def find_tools(spec: str) -> Toolset:
    """The tools that `--tools` names.

    Args:
        spec: `MODULE` or `MODULE:NAME`, where NAME is a tool, a toolset, a list of tools, a pipeline or a function;
            without NAME, all tools and toolsets of the module, or else all public functions that it defines. A function
            that cannot be a tool is skipped and reported on stderr.

    Raises:
        UsageError: there are no tools, or the named object cannot be a tool.
    """
    found = find(spec, "--tools", offers=_offers)
    try:
        return _toolset(found, spec)
    except UsageError as error:
        raise UsageError(f"--tools {spec}: {error}") from None


def _offers(value: Any, module: str) -> bool:
    if inspect.isfunction(value):
        return value.__module__ == module
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(one, Tool) or inspect.isfunction(one) for one in value)
    return isinstance(value, (Tool, Toolset, Pipeline))


def _toolset(found: Any, spec: str) -> Toolset:
    if isinstance(found, ModuleType):
        tools = list(_tools_of(found))
        return Toolset(tools) if tools else _from_functions(_functions_of(found), spec)
    if isinstance(found, Pipeline):
        return found.tools
    if isinstance(found, Toolset):
        return found
    if isinstance(found, Mapping):
        return Toolset(found.values())
    if isinstance(found, (list, tuple)):
        return Toolset(found)
    if isinstance(found, Tool) or inspect.isroutine(found):
        return Toolset([found])
    what = type(found).__name__
    raise UsageError(f"expected a tool, a toolset, a list of tools or a function, not {what}")


def _from_functions(functions: Iterable[Any], spec: str) -> Toolset:
    """The functions that can be tools, as tools; other functions are reported."""
    tools, faults = Toolset(), []
    for function in functions:
        try:
            tools.add(function)
        except UsageError as error:
            faults.append(str(error))
    if not tools and faults:
        raise UsageError(f"none of its functions can be a tool: {faults[0]}")
    if not tools:
        raise UsageError("the module has no tools; define a function, or write MODULE:NAME")
    for fault in faults[:_REPORTED]:
        complain(f"--tools {spec}: skipped {fault}")
    if len(faults) > _REPORTED:
        complain(f"--tools {spec}: skipped {len(faults) - _REPORTED} more functions that cannot be tools")
    return tools


def _tools_of(module: ModuleType) -> Iterator[Tool]:
    seen: set[int] = set()
    for value in vars(module).values():
        for tool in value.values() if isinstance(value, Toolset) else [value]:
            if isinstance(tool, Tool) and id(tool) not in seen:
                seen.add(id(tool))
                yield tool


def _functions_of(module: ModuleType) -> Iterator[Any]:
    """The public functions of the module, each once, by its first name."""
    own = {name: value for name, value in vars(module).items() if inspect.isfunction(value) and name[0] != "_"}
    yield from dict.fromkeys(value for value in own.values() if value.__module__ == module.__name__)
