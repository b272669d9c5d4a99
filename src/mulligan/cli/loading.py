"""Finds what the command line names: tools, plugins and exceptions, in importable modules and in files."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from mulligan.errors import UsageError
from mulligan.foreign.containment import safe_str
from mulligan.pipeline import Pipeline
from mulligan.plugging.plugins import GROUP
from mulligan.tools import Tool
from mulligan.toolset import Toolset

_LISTED = 20


def find(spec: str, option: str, beside: Path | None = None) -> Any:
    """A module, or what is named in it.

    Args:
        spec: `MODULE` or `MODULE:NAME`; MODULE is importable, or a file that ends in `.py`.
        option: the option that says so, for errors.
        beside: a folder from which modules can be imported, instead of the current directory.

    Raises:
        UsageError: there is no such module or name, or the module cannot be imported.
    """
    where, name = split(spec)
    module = load(where, option, beside)
    for part in name.split(".") if name else ():
        if not hasattr(module, part):
            raise UsageError(f"{option} {spec}: {where} has no {name!r}; it has {_public(module)}")
        module = getattr(module, part)
    return module


def split(spec: str) -> tuple[str, str]:
    """Module and name of `MODULE:NAME`; the name is empty where there is none. A drive letter is no module.

    Args:
        spec: what was given.
    """
    where, colon, name = spec.rpartition(":")
    if not colon or not where or "/" in name or "\\" in name or name.endswith(".py"):
        return spec, ""
    return where, name


def load(where: str, option: str, beside: Path | None = None) -> ModuleType:
    """Imports a module; the current directory counts, or another one.

    Args:
        where: its name, or a file that ends in `.py`.
        option: the option that says so, for errors.
        beside: that other folder.

    Raises:
        UsageError: there is none, or it cannot be imported.
    """
    file = Path(where)
    if where.endswith(".py") and not file.is_file():
        raise UsageError(f"{option} {where}: there is no such file")
    folder = str(file.parent.resolve()) if where.endswith(".py") else str(beside or Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return _from_file(file) if where.endswith(".py") else importlib.import_module(where)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"{option} {where}: {_why(error, where)}") from None


def _from_file(file: Path) -> ModuleType:
    name = file.stem if file.stem not in sys.modules else f"{file.stem} (file)"
    known = sys.modules.get(file.stem)
    if known is not None and getattr(known, "__file__", None) == str(file.resolve()):
        return known
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _why(error: BaseException, where: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{where}.".startswith(f"{error.name}."):
        return f"there is no module {error.name!r}; give an importable module or a file that ends in .py"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames and frames[-1].filename != __file__ else ""
    if isinstance(error, SyntaxError):
        place = f" ({error.filename}, line {error.lineno})"
        return f"it cannot be imported: {type(error).__name__}: {error.msg}{place}"
    return f"it cannot be imported: {type(error).__name__}: {safe_str(error, 300)}{place}"


def _public(holder: object) -> str:
    names = [name for name in getattr(holder, "__dict__", ()) if not name.startswith("_")]
    return ", ".join(names[:_LISTED]) + (" ..." if len(names) > _LISTED else "") if names else "no public names"


def find_tools(spec: str) -> Toolset:
    """The tools that `--tools` names.

    Args:
        spec: `MODULE` or `MODULE:NAME`, where NAME is a tool, a toolset, a list of tools, a pipeline or a function;
            without NAME, all tools and toolsets of the module, or else all public functions that it defines.

    Raises:
        UsageError: there are none.
    """
    found = find(spec, "--tools")
    if isinstance(found, ModuleType):
        given = list(_tools_of(found)) or list(_functions_of(found))
        if not given:
            raise UsageError(f"--tools {spec}: it has no tools: define a function, or give MODULE:NAME")
        return Toolset(given)
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
    raise UsageError(f"--tools {spec}: that is a {what}, not a tool, a toolset, a list of tools or a function")


def _tools_of(module: ModuleType) -> Iterator[Tool]:
    seen: set[int] = set()
    for value in vars(module).values():
        for tool in value.values() if isinstance(value, Toolset) else [value]:
            if isinstance(tool, Tool) and id(tool) not in seen:
                seen.add(id(tool))
                yield tool


def _functions_of(module: ModuleType) -> Iterator[Any]:
    for name, value in vars(module).items():
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_"):
            yield value


def installed() -> frozenset[str]:
    """The names of the installed plugins."""
    import importlib_metadata

    return frozenset(importlib_metadata.entry_points(group=GROUP).names)


def load_installed(name: str, option: str) -> Any:
    """An installed plugin.

    Args:
        name: the name of its entry point.
        option: the option that says so, for errors.

    Raises:
        UsageError: it cannot be imported.
    """
    import importlib_metadata

    (point, *_) = importlib_metadata.entry_points(group=GROUP, name=name)
    try:
        return point.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"{option} {name}: {_why(error, point.module)}") from None
