"""The sources of settings: the command's options, the environment, and `[tool.mulligan]` in `pyproject.toml`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from mulligan.cli.loading import split
from mulligan.errors import UsageError

LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR", "OFF")
LOG = "MULLIGAN_LOG"
BLOCK = "MULLIGAN_BLOCK_PLUGINS"
SWITCH = "MULLIGAN_DISABLE_PLUGIN_AUTOLOAD"
_FILE = "pyproject.toml"
_KEYS: Mapping[str, type] = {"plugins": list, "block": list, "autoload": bool, "format": str, "log": str}
_WORDS = {list: "a list of strings", bool: "true or false", str: "a string"}


@attrs.frozen
class Source:
    """The settings of one source. A setting that it does not contain is None, or empty.

    Attributes:
        kind: `option`, `environment` or `pyproject.toml`.
        where: the setting that names plugins, for errors.
        plugins: plugins to load: NAME, MODULE[:NAME] or FILE.py.
        block: names of blocked plugins.
        autoload: whether installed plugins register themselves.
        format: the feedback format.
        log: the lowest level to log; empty for the command's default.
        folder: a folder to import modules from, besides the current directory.
    """

    kind: str
    where: str
    plugins: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    autoload: bool | None = None
    format: str | None = None
    log: str | None = None
    folder: Path | None = None


def from_options(plugins: Iterable[str], log: str | None) -> Source:
    """The settings of the options.

    Args:
        plugins: the values of `-p`; `no:NAME` blocks a plugin.
        log: the value of `--log`.

    Raises:
        UsageError: the level is unknown.
    """
    named = tuple(plugins)
    loaded = tuple(name for name in named if not name.startswith("no:"))
    blocked = tuple(name[3:] for name in named if name.startswith("no:"))
    return Source("option", "-p", loaded, blocked, log=None if log is None else _level(log, "--log"))


def from_environment() -> Source:
    """The settings of the variables `MULLIGAN_...`.

    Raises:
        UsageError: `MULLIGAN_LOG` is not a level.
    """
    asked = os.environ.get(LOG, "")
    known = {"": None, "0": "", "1": "INFO"}
    level = known[asked] if asked in known else _level(asked, LOG)
    autoload = {"": None, "0": True}.get(os.environ.get(SWITCH, ""), False)
    return Source(
        "environment",
        "MULLIGAN_PLUGINS",
        _listed("MULLIGAN_PLUGINS"),
        _listed(BLOCK),
        autoload,
        os.environ.get("MULLIGAN_FORMAT") or None,
        level,
    )


def _listed(variable: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in os.environ.get(variable, "").split(",") if name.strip())


def from_project() -> Source:
    """The settings of the nearest `pyproject.toml`, in the current directory or above it.

    Raises:
        UsageError: it cannot be read, or `[tool.mulligan]` has an unknown key or an invalid value; names the key.
    """
    here = Path.cwd()
    file = next((folder / _FILE for folder in (here, *here.parents) if (folder / _FILE).is_file()), None)
    if file is None:
        return Source(_FILE, _FILE)
    said = _section(file)
    _check(said)
    return Source(
        _FILE,
        f"{_FILE} plugins",
        tuple(_beside(file, spec) for spec in said.get("plugins", ())),
        tuple(said.get("block", ())),
        said.get("autoload"),
        said.get("format"),
        _level(said["log"], f"{_FILE}, [tool.mulligan] log") if "log" in said else None,
        file.parent,
    )


def _section(file: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        whole = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {error}; correct the file") from None
    tools = whole.get("tool", {})
    found = tools.get("mulligan", {}) if isinstance(tools, dict) else {}
    if not isinstance(found, dict):
        raise UsageError(f"{_FILE}: tool.mulligan must be a table, [tool.mulligan]")
    return found


def _check(said: Mapping[str, Any]) -> None:
    for key, value in said.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(key, _KEYS, 1)
            step = f"Did you mean {near[0]!r}?" if near else f"Available: {', '.join(_KEYS)}"
            raise UsageError(f"{_FILE}, [tool.mulligan]: unknown key {key!r}. {step}")
        kind = _KEYS[key]
        listed = value if isinstance(value, list) else ()
        if not isinstance(value, kind) or not all(isinstance(one, str) and one for one in listed):
            raise UsageError(f"{_FILE}, [tool.mulligan]: {key} must be {_WORDS[kind]}, not {value!r:.80}")


def _level(said: str, where: str) -> str:
    if said.upper() not in LEVELS:
        raise UsageError(f"{where} {said}: unknown level; use {', '.join(LEVELS).lower()}")
    return said.upper()


def _beside(file: Path, spec: str) -> str:
    """A plugin as `pyproject.toml` names it, with a path that is valid in every directory."""
    where, name = split(spec)
    if not where.endswith(".py"):
        return spec
    return str(file.parent / where) + (f":{name}" if name else "")


def plugin_name(spec: str) -> str:
    """The name that a plugin gets.

    Args:
        spec: NAME, MODULE[:NAME] or FILE.py[:NAME].
    """
    where, name = split(spec)
    return name or (Path(where).stem if where.endswith(".py") else where)
