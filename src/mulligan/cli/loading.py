"""Finds what the command line names: tools, plugins and exceptions, in importable modules and in files."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from mulligan.errors import UsageError
from mulligan.foreign.containment import safe_str
from mulligan.plugging.entry_points import read_entry_points
from mulligan.plugging.plugins import GROUP

_LISTED = 20
_STEP = "give an importable module or a file that ends in .py"
Offers = Callable[[Any, str], bool]


def is_own(value: Any, module: str) -> bool:
    """Whether a module has defined something by itself; what is neither module, class nor function may be its own.

    Args:
        value: what has a name in it.
        module: its name.
    """
    if inspect.isclass(value) or inspect.isroutine(value):
        return getattr(value, "__module__", None) == module
    return not inspect.ismodule(value)


def find(spec: str, option: str, beside: Path | None = None, offers: Offers = is_own) -> Any:
    """A module, or what is named in it.

    Args:
        spec: `MODULE` or `MODULE:NAME`; MODULE is importable, or a file that ends in `.py`.
        option: the option that says so, for errors.
        beside: a folder from which modules can be imported, instead of the current directory.
        offers: whether something in a module of that name is worth naming where NAME is not there.

    Raises:
        UsageError: there is no such module or name, or the module cannot be imported.
    """
    where, name = split(spec)
    module = load(where, option, beside)
    for part in name.split(".") if name else ():
        if not hasattr(module, part):
            raise UsageError(f"{option} {spec}: {where} has no {name!r}; it has {_public(module, offers)}")
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
    if (not where or where.startswith(".")) and not where.endswith(".py"):
        raise UsageError(f"{option} {where or repr(where)}: that is no module; {_STEP}")
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
        return f"there is no module {error.name!r}; {_STEP}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames and frames[-1].filename != __file__ else ""
    if isinstance(error, SyntaxError):
        place = f" ({error.filename}, line {error.lineno})" if error.filename and error.lineno else ""
    told = error.msg if isinstance(error, SyntaxError) else safe_str(error, 300)
    if _is_no_text(error, told, place):
        return f"it is no Python source{place}; save it as text in UTF-8"
    return f"it cannot be imported: {type(error).__name__}: {told}{place}"


def _is_no_text(error: BaseException, told: str, place: str) -> bool:
    """Whether a file could not even be read: it is binary, or in another encoding."""
    if isinstance(error, SyntaxError):
        return "null byte" in told or "'utf-8' codec" in told or told.startswith("Non-UTF-8")
    return not place and isinstance(error, ValueError) and ("null byte" in told or "'utf-8' codec" in told)


def _public(holder: Any, offers: Offers) -> str:
    module = holder.__name__ if isinstance(holder, ModuleType) else getattr(holder, "__module__", "")
    items = getattr(holder, "__dict__", {}).items()
    names = [name for name, value in items if not name.startswith("_") and offers(value, module)]
    return ", ".join(names[:_LISTED]) + (" ..." if len(names) > _LISTED else "") if names else "nothing that fits"


def installed() -> frozenset[str]:
    """The names of the installed plugins."""
    return frozenset(entry.name for entry in read_entry_points(GROUP))


def load_installed(name: str, option: str) -> Any:
    """Imports an installed plugin.

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
        raise UsageError(f"{option} {name}: {_why(error, entry.module)}") from None
