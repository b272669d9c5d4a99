"""Import what a setting or the command line names: a module, a file, an object in it, or an installed plugin."""

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

import attrs

from mulligan.errors import UsageError
from mulligan.hooks.discovery import GROUP, read_entry_points
from mulligan.untrusted.objects import describe
from mulligan.untrusted.text import safe_str

_MAX_LISTED = 20
_STEP = "name an importable module or a .py file"
IsListed = Callable[[Any, str], bool]


@attrs.frozen
class PluginReference:
    """A plugin that a setting names.

    Attributes:
        spec: NAME, MODULE[:NAME] or FILE.py[:NAME].
        where: the setting, for errors.
        folder: a folder to import its module from, besides the current directory; or None.
    """

    spec: str
    where: str
    folder: Path | None = None

    def load(self) -> Any:
        """Load the plugin: a module, or an instance.

        Raises:
            UsageError: the plugin does not exist, or cannot be imported or created.
        """
        if self.spec in installed_plugins():
            return load_installed_plugin(self.spec, self.where)
        plugin = find_object(self.spec, self.where, self.folder)
        if not isinstance(plugin, type):
            return plugin
        try:
            return plugin()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise UsageError(f"{self.where} {self.spec}: cannot create it: {describe(error)}") from None


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
        try:
            module = getattr(module, part)
        except AttributeError:
            names = _list_names(module, is_listed)
            raise UsageError(f"{option} {spec}: {where} has no {name!r}; it has {names}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise UsageError(f"{option} {spec}: cannot read {name!r} of {where}: {describe(error)}") from None
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
    loaded = sys.modules.get(file.stem)
    if loaded is not None and getattr(loaded, "__file__", None) == str(file.resolve()):
        return loaded
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
