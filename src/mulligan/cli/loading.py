"""Import tools, plugins and exceptions that the command line names, from modules and files."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from mulligan.cli.output import report_problem, write_stderr
from mulligan.errors import UsageError
from mulligan.hooks.discovery import GROUP, read_entry_points
from mulligan.pipeline import Pipeline
from mulligan.resolve.toolset import Toolset
from mulligan.tools import Tool
from mulligan.untrusted.text import safe_str

SLOW_IMPORT_SECONDS = 5.0
_MAX_REPORTED = 3
_MAX_LISTED = 20
_STEP = "name an importable module or a .py file"
IsListed = Callable[[Any, str], bool]


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


def is_defined_in(value: Any, module: str) -> bool:
    """Whether an object is defined in a module. Constants always count as defined there, modules never do.

    Args:
        value: an object in the module.
        module: the name of the module.
    """
    if inspect.isclass(value) or inspect.isroutine(value):
        return getattr(value, "__module__", None) == module
    return not inspect.ismodule(value)


def find_object(spec: str, option: str, import_folder: Path | None = None, is_listed: IsListed = is_defined_in) -> Any:
    """Import a module, or an object in it.

    Args:
        spec: `MODULE` or `MODULE:NAME`; MODULE is importable, or a file that ends in `.py`.
        option: the option that names it, for errors.
        import_folder: a folder to import modules from, instead of the current directory.
        is_listed: whether an error about a missing NAME lists an object of the module.

    Raises:
        UsageError: the module or the name does not exist, or the module cannot be imported.
    """
    where, name = split_spec(spec)
    module = load_module(where, option, import_folder)
    for part in name.split(".") if name else ():
        if not hasattr(module, part):
            raise UsageError(f"{option} {spec}: {where} has no {name!r}; it has {_list_names(module, is_listed)}")
        module = getattr(module, part)
    return module


def split_spec(spec: str) -> tuple[str, str]:
    """Split `MODULE:NAME` into module and name; the name is empty if there is none. A drive letter is not a module.

    Args:
        spec: the text.
    """
    where, colon, name = spec.rpartition(":")
    if not colon or not where or "/" in name or "\\" in name or name.endswith(".py"):
        return spec, ""
    return where, name


def load_module(where: str, option: str, import_folder: Path | None = None) -> ModuleType:
    """Import a module, also from the current directory or another folder.

    Args:
        where: the name of the module, or a file that ends in `.py`.
        option: the option that names it, for errors.
        import_folder: the other folder.

    Raises:
        UsageError: the module does not exist, or cannot be imported.
    """
    if (not where or where.startswith(".")) and not where.endswith(".py"):
        raise UsageError(f"{option} {where or repr(where)}: not a module name; {_STEP}")
    file = Path(where)
    if where.endswith(".py") and not file.is_file():
        raise UsageError(f"{option} {where}: no such file")
    folder = str(file.parent.resolve()) if where.endswith(".py") else str(import_folder or Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return _load_file(file) if where.endswith(".py") else importlib.import_module(where)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"{option} {where}: {_describe_import_error(error, where)}") from None


def _load_file(file: Path) -> ModuleType:
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


def _describe_import_error(error: BaseException, where: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name and f"{where}.".startswith(f"{error.name}."):
        return f"no module named {error.name!r}; {_STEP}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames and frames[-1].filename != __file__ else ""
    if isinstance(error, SyntaxError):
        place = f" ({error.filename}, line {error.lineno})" if error.filename and error.lineno else ""
    message = error.msg if isinstance(error, SyntaxError) else safe_str(error, 300)
    if _is_not_text(error, message, place):
        return f"not Python source code{place}; save the file as UTF-8 text"
    return f"cannot import it: {type(error).__name__}: {message}{place}"


def _is_not_text(error: BaseException, message: str, place: str) -> bool:
    """Whether the file is binary or in another encoding."""
    if isinstance(error, SyntaxError):
        return "null byte" in message or "'utf-8' codec" in message or message.startswith("Non-UTF-8")
    return not place and isinstance(error, ValueError) and ("null byte" in message or "'utf-8' codec" in message)


def _list_names(holder: Any, is_listed: IsListed) -> str:
    module = holder.__name__ if isinstance(holder, ModuleType) else getattr(holder, "__module__", "")
    items = getattr(holder, "__dict__", {}).items()
    names = [name for name, value in items if not name.startswith("_") and is_listed(value, module)]
    return ", ".join(names[:_MAX_LISTED]) + (" ..." if len(names) > _MAX_LISTED else "") if names else "no such names"


def installed_plugins() -> frozenset[str]:
    """Return the names of the installed plugins."""
    return frozenset(entry.name for entry in read_entry_points(GROUP))


def load_installed_plugin(name: str, option: str) -> Any:
    """Import an installed plugin.

    Args:
        name: the name of its entry point.
        option: the option that names it, for errors.

    Raises:
        UsageError: the plugin cannot be imported.
    """
    entry = next(entry for entry in read_entry_points(GROUP) if entry.name == name)
    if entry.problem is not None:
        raise UsageError(f"{option} {name}: {entry.problem}")
    try:
        return entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UsageError(f"{option} {name}: {_describe_import_error(error, entry.module)}") from None
