"""The configuration file of a project: `mulligan.toml`, or `[tool.mulligan]` in `pyproject.toml`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from mulligan.errors import UsageError
from mulligan.hooks.loading import PluginReference, installed_plugins, split_spec
from mulligan.pipeline.logs import LEVELS as _LEVELS
from mulligan.resolve.option_table import OptionTable
from mulligan.spelling import did_you_mean

OWN_FILE, PROJECT_FILE = "mulligan.toml", "pyproject.toml"
LEVELS = (*_LEVELS, "OFF")
_KEYS: Mapping[str, type] = {
    "plugins": list,
    "block": list,
    "autoload": bool,
    "format": str,
    "log": str,
    "tools": dict,
}
_PLUGINS_WITH_SETTINGS = frozenset({"ledger"})  # their tables may be there also where they are not installed
_TYPE_NAMES = {
    list: "a list of strings",
    bool: "true or false",
    str: "a string",
    dict: "a table of options by name pattern or tag",
}
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@attrs.frozen
class Config:
    """What a configuration file says. A setting that it does not contain is None, or empty.

    Attributes:
        file: the file.
        plugins: plugins to load.
        block: names of blocked plugins.
        autoload: whether installed plugins are loaded automatically.
        format: the feedback format.
        log: the lowest level to log, in capitals; `OFF` for none.
        tool_options: options of tools by name pattern or tag.
    """

    file: Path
    plugins: tuple[PluginReference, ...]
    block: tuple[str, ...]
    autoload: bool | None
    format: str | None
    log: str | None
    tool_options: OptionTable

    def load_plugins(self) -> list[Any]:
        """Load the plugins that are not loaded automatically.

        Raises:
            UsageError: a plugin does not exist, or cannot be imported.
        """
        automatic = installed_plugins() if self.autoload is not False else frozenset()
        return [plugin.load() for plugin in self.plugins if plugin.spec not in automatic]


def find_config() -> Path | None:
    """The nearest configuration file, in the current directory or above it; in one directory, `mulligan.toml` is first."""
    here = Path.cwd()
    candidates = (folder / name for folder in (here, *here.parents) for name in (OWN_FILE, PROJECT_FILE))
    return next((file for file in candidates if file.is_file()), None)


def require_config(path: str | os.PathLike[str] | None) -> Config:
    """The configuration of a program that asks for it.

    Args:
        path: the file; None for the nearest one.

    Raises:
        UsageError: there is none, or it is invalid.
    """
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"a configuration file must be a path, not {path!r:.80}")
    file = find_config() if path is None else Path(path)
    if file is None:
        raise UsageError(
            f"no {OWN_FILE} and no {PROJECT_FILE} in {Path.cwd()} or above it; create one, or pass the path of the file"
        )
    if not file.is_file():
        raise UsageError(f"configuration file {str(file)!r}: no such file")
    config = read_config(file)
    if config is None:
        raise UsageError(
            f"{_display_name(file)} has no [tool.mulligan]; add that table, or create {OWN_FILE} beside it"
        )
    return config


def read_tool_options(path: str | os.PathLike[str] | None = None) -> OptionTable:
    """The options of tools in a configuration file, for `Pipeline(tool_options=...)`; nothing else of the file is used.

    Args:
        path: the file; None for the nearest one, and no options if there is none.

    Raises:
        UsageError: the file does not exist, or is invalid; names the key.
    """
    if path is not None:
        return require_config(path).tool_options
    file = find_config()
    config = None if file is None else read_config(file)
    return OptionTable({}) if config is None else config.tool_options


def read_config(file: Path) -> Config | None:
    """What a configuration file says; None for a `pyproject.toml` without `[tool.mulligan]`.

    Args:
        file: the file; one that is not called `pyproject.toml` has its settings at the top level.

    Raises:
        UsageError: the file cannot be read, or has an unknown key or an invalid value; names the key.
    """
    section, name = _read_section(file), _display_name(file)
    if section is None:
        return None
    place = f"{name}, [tool.mulligan]" if _is_project_file(file) else name
    for key, value in section.items():
        _check_setting(place, key, value)
    return Config(
        file,
        tuple(
            PluginReference(_absolute(file, spec), f"{name} plugins", file.parent)
            for spec in section.get("plugins", ())
        ),
        tuple(section.get("block", ())),
        section.get("autoload"),
        section.get("format"),
        parse_level(section["log"], f"{place} log") if "log" in section else None,
        OptionTable(section.get("tools", {}), partial(_entry_place, file)),
    )


def parse_level(level: str, where: str) -> str:
    """A level of the log, in capitals.

    Args:
        level: the level as it is written.
        where: the setting, for errors.

    Raises:
        UsageError: no such level.
    """
    if level.upper() not in LEVELS:
        raise UsageError(f"{where} {level}: unknown level; use {', '.join(LEVELS).lower()}")
    return level.upper()


def _read_section(file: Path) -> Mapping[str, Any] | None:
    import tomllib

    try:
        whole = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {file}: byte {error.start + 1}: not UTF-8; save the file as UTF-8") from None
    except RecursionError:
        raise UsageError(f"cannot read {file}: nested too deeply; correct the file") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {error}; correct the file") from None
    if not _is_project_file(file):
        return whole
    tools = whole.get("tool", {})
    section = tools.get("mulligan") if isinstance(tools, dict) else None
    if section is not None and not isinstance(section, dict):
        raise UsageError(f"{_display_name(file)}: tool.mulligan must be a table, [tool.mulligan]")
    return section


def read_plugin_settings(name: str) -> tuple[Path, Mapping[str, Any]] | None:
    """The table of a plugin in the nearest configuration file, such as `[tool.mulligan.ledger]`; its keys are the plugin's.

    Args:
        name: the plugin's name.

    Returns:
        The file and the table; None if there is no file, or no such table in it.

    Raises:
        UsageError: the file cannot be read.
    """
    file = find_config()
    section = None if file is None else _read_section(file)
    table = None if section is None else section.get(name)
    return (file, table) if file is not None and isinstance(table, dict) else None


def _check_setting(place: str, key: str, value: Any) -> None:
    if key not in _KEYS and isinstance(value, dict) and (key in _PLUGINS_WITH_SETTINGS or key in installed_plugins()):
        return  # the plugin reads it
    if key not in _KEYS:
        raise UsageError(f"{place}: unknown key {key!r}. {did_you_mean(key, _KEYS)}")
    kind = _KEYS[key]
    listed = value if isinstance(value, list) else ()
    if not isinstance(value, kind) or not all(isinstance(one, str) and one for one in listed):
        raise UsageError(f"{place}: {key} must be {_TYPE_NAMES[kind]}, not {value!r:.80}")


def _is_project_file(file: Path) -> bool:
    return file.name == PROJECT_FILE


def _display_name(file: Path) -> str:
    """The file as errors name it: without its folder if that is the current directory."""
    return file.name if file.resolve().parent == Path.cwd() else str(file)


def _entry_place(file: Path, pattern: str) -> str:
    """The header of the table with the options of one pattern."""
    key = pattern if _BARE_KEY.fullmatch(pattern) else json.dumps(pattern, ensure_ascii=False)
    return f"{_display_name(file)}, [{'tool.mulligan.' if _is_project_file(file) else ''}tools.{key}]"


def _absolute(file: Path, spec: str) -> str:
    """A plugin as the file names it, with a path that is valid in every directory."""
    where, name = split_spec(spec)
    if not where.endswith(".py"):
        return spec
    return str(file.parent / where) + (f":{name}" if name else "")
