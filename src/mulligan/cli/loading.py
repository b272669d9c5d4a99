"""Imports tools, plugins and exceptions by the names on the command line, from modules and files."""

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
from mulligan.hooks.discovery import GROUP
from mulligan.hooks.entry_points import read_entry_points
from mulligan.untrusted.text import safe_str

_LISTED = 20
_STEP = "name an importable module or a .py file"
Offers = Callable[[Any, str], bool]


def is_own(value: Any, module: str) -> bool:
    """Whether a module defines an object itself. Objects other than modules, classes and functions count as its own.

    Args:
        value: an object in the module.
        module: the name of the module.
    """
    if inspect.isclass(value) or inspect.isroutine(value):
        return getattr(value, "__module__", None) == module
    return not inspect.ismodule(value)


def find(spec: str, option: str, beside: Path | None = None, offers: Offers = is_own) -> Any:
    """A module, or an object in it.

    Args:
        spec: `MODULE` or `MODULE:NAME`; MODULE is importable, or a file that ends in `.py`.
        option: the option that names it, for errors.
        beside: a folder to import modules from, instead of the current directory.
        offers: whether an error about a missing NAME lists an object of the module.

    Raises:
        UsageError: the module or the name does not exist, or the module cannot be imported.
    """
    where, name = split(spec)
    module = load(where, option, beside)
    for part in name.split(".") if name else ():
        if not hasattr(module, part):
            raise UsageError(f"{option} {spec}: {where} has no {name!r}; it has {_public(module, offers)}")
        module = getattr(module, part)
    return module


def split(spec: str) -> tuple[str, str]:
    """Module and name of `MODULE:NAME`; the name is empty if there is none. A drive letter is not a module.

    Args:
        spec: the text.
    """
    where, colon, name = spec.rpartition(":")
    if not colon or not where or "/" in name or "\\" in name or name.endswith(".py"):
        return spec, ""
    return where, name


def load(where: str, option: str, beside: Path | None = None) -> ModuleType:
    """Imports a module, also from the current directory or another folder.

    Args:
        where: its name, or a file that ends in `.py`.
        option: the option that names it, for errors.
        beside: the other folder.

    Raises:
        UsageError: it does not exist, or cannot be imported.
    """
    if (not where or where.startswith(".")) and not where.endswith(".py"):
        raise UsageError(f"{option} {where or repr(where)}: not a module name; {_STEP}")
    file = Path(where)
    if where.endswith(".py") and not file.is_file():
        raise UsageError(f"{option} {where}: no such file")
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
        return f"no module named {error.name!r}; {_STEP}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames and frames[-1].filename != __file__ else ""
    if isinstance(error, SyntaxError):
        place = f" ({error.filename}, line {error.lineno})" if error.filename and error.lineno else ""
    message = error.msg if isinstance(error, SyntaxError) else safe_str(error, 300)
    if _is_no_text(error, message, place):
        return f"not Python source code{place}; save the file as UTF-8 text"
    return f"cannot import it: {type(error).__name__}: {message}{place}"


def _is_no_text(error: BaseException, message: str, place: str) -> bool:
    """Whether the file is binary or in another encoding."""
    if isinstance(error, SyntaxError):
        return "null byte" in message or "'utf-8' codec" in message or message.startswith("Non-UTF-8")
    return not place and isinstance(error, ValueError) and ("null byte" in message or "'utf-8' codec" in message)


def _public(holder: Any, offers: Offers) -> str:
    module = holder.__name__ if isinstance(holder, ModuleType) else getattr(holder, "__module__", "")
    items = getattr(holder, "__dict__", {}).items()
    names = [name for name, value in items if not name.startswith("_") and offers(value, module)]
    return ", ".join(names[:_LISTED]) + (" ..." if len(names) > _LISTED else "") if names else "no such names"


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
