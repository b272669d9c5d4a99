"""Import the tools that the command line names, and warn of plugins whose import is slow."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from mulligan.cli.output import report_problem, write_stderr
from mulligan.dialects import Dialect
from mulligan.errors import UsageError
from mulligan.hooks.discovery import GROUP, read_entry_points
from mulligan.hooks.loading import find_object
from mulligan.pipeline import Pipeline
from mulligan.resolve.toolset import Toolset
from mulligan.spelling import did_you_mean
from mulligan.tools import Tool

SLOW_IMPORT_SECONDS = 5.0
_MAX_REPORTED = 3


@contextmanager
def warn_of_slow_imports() -> Iterator[None]:
    """Report on stderr which plugin is still being imported after a few seconds."""
    timer = threading.Timer(SLOW_IMPORT_SECONDS, _write_warnings)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _write_warnings() -> None:
    for name in _plugins_being_imported():
        step = f"block it with MULLIGAN_BLOCK_PLUGINS={name}"
        write_stderr(
            f"mulligan: the import of plugin {name!r} takes more than {SLOW_IMPORT_SECONDS:g} s; wait, or {step}\n"
        )


def _plugins_being_imported() -> Iterator[str]:
    for entry in read_entry_points(GROUP):
        spec = getattr(sys.modules.get(entry.module), "__spec__", None)
        if getattr(spec, "_initializing", False):
            yield entry.name


def find_dialect(name: str, known: Mapping[str, Dialect]) -> Dialect:
    """Return the dialect that `--dialect` names.

    Args:
        name: the name.
        known: the dialects of the pipeline, by name.

    Raises:
        UsageError: no dialect has this name; names a close one, or all.
    """
    if name not in known:
        raise UsageError(f"--dialect: unknown dialect {name!r}. {did_you_mean(name, sorted(known))}")
    return known[name]


def find_tools(spec: str) -> Toolset:
    """Import the tools that `--tools` names.

    Args:
        spec: `MODULE` or `MODULE:NAME`, where NAME is a tool, a toolset, a list of tools, a pipeline or a function;
            without NAME, all tools and toolsets of the module, or else all public functions that it defines. A function
            that cannot be a tool is skipped and reported on stderr.

    Raises:
        UsageError: there are no tools, or the named object cannot be a tool.
    """
    target = find_object(spec, "--tools", is_listed=_can_give_tools)
    try:
        return _make_toolset(target, spec)
    except UsageError as error:
        raise UsageError(f"--tools {spec}: {error}") from None


def _can_give_tools(value: Any, module: str) -> bool:
    if inspect.isfunction(value):
        return value.__module__ == module
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(one, Tool) or inspect.isfunction(one) for one in value)
    return isinstance(value, (Tool, Toolset, Pipeline))


def _make_toolset(target: Any, spec: str) -> Toolset:
    if isinstance(target, ModuleType):
        tools = list(_tools_of(target))
        return Toolset(tools) if tools else _from_functions(_functions_of(target), spec)
    if isinstance(target, Pipeline):
        return target.tools
    if isinstance(target, Toolset):
        return target
    if isinstance(target, Mapping):
        return Toolset(target.values())
    if isinstance(target, (list, tuple)):
        return Toolset(target)
    if isinstance(target, Tool) or inspect.isroutine(target):
        return Toolset([target])
    what = type(target).__name__
    raise UsageError(f"expected a tool, a toolset, a list of tools or a function, not {what}")


def _from_functions(functions: Iterable[Any], spec: str) -> Toolset:
    """Make tools of the functions that can be tools, and report the others."""
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
    for fault in faults[:_MAX_REPORTED]:
        report_problem(f"--tools {spec}: skipped {fault}")
    if len(faults) > _MAX_REPORTED:
        report_problem(f"--tools {spec}: skipped {len(faults) - _MAX_REPORTED} more functions that cannot be tools")
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
