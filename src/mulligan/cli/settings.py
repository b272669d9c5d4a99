"""The settings of all commands. Options override the environment, which overrides `pyproject.toml`."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from mulligan.cli.loading import find, impatient, installed, load_installed, split
from mulligan.cli.output import is_styled, tell
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline
from mulligan.policy import Policy

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
        autoload: whether installed plugins are loaded automatically.
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
    """Read the settings of the options.

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
    """Read the settings of the variables `MULLIGAN_...`.

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
    """Read the settings of the nearest `pyproject.toml`, in the current directory or above it.

    Raises:
        UsageError: the file cannot be read, or `[tool.mulligan]` has an unknown key or an invalid value; names the key.
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
    """Return the name under which a plugin is registered.

    Args:
        spec: NAME, MODULE[:NAME] or FILE.py[:NAME].
    """
    where, name = split(spec)
    return name or (Path(where).stem if where.endswith(".py") else where)


@attrs.frozen
class Named:
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
            UsageError: the plugin does not exist, or cannot be imported.
        """
        if self.spec in installed():
            return load_installed(self.spec, self.where)
        found = find(self.spec, self.where, self.folder)
        return found() if isinstance(found, type) else found


@attrs.frozen
class Settings:
    """The common options, and the pipeline that they configure with the environment and `pyproject.toml`.

    Attributes:
        options: the values of the options.
    """

    options: Source

    @classmethod
    def of(cls, plugins: Iterable[str], log: str | None) -> Settings:
        """Read the options.

        Args:
            plugins: the values of `-p`.
            log: the value of `--log`.

        Raises:
            UsageError: the level is unknown.
        """
        return cls(from_options(plugins, log))

    @contextmanager
    def pipeline(
        self,
        tools: Iterable[Any] = (),
        *,
        format: str | None = None,
        bare: bool = False,
        log: str = "ERROR",
        policy: Policy | None = None,
        given: Iterable[Any] | None = None,
    ) -> Iterator[Pipeline]:
        """Make a pipeline with these settings, and close it at the end.

        Args:
            tools: its tools.
            format: the feedback format that the command line names, or None.
            bare: use only the options and `MULLIGAN_LOG`, and load only the plugins that they name.
            log: the lowest level to log if no setting names one.
            policy: which errors are fatal, and what may be repaired and retried.
            given: the plugins that the settings name, if they are already loaded.

        Raises:
            UsageError: a setting, plugin, tool or format is invalid.
        """
        chosen = Chosen.of(self.options, bare=bare)
        level = chosen.log or log
        plugins = chosen.load() if given is None else list(given)
        with _read_already(LOG, BLOCK, SWITCH), impatient():
            made = Pipeline(
                tools,
                plugins=plugins,
                autoload=chosen.autoload,
                block=chosen.block,
                format=format or chosen.format,
                policy=policy,
            )
        with made as pipeline:
            self._check_blocked(pipeline)
            if level == "OFF":
                yield pipeline
                return
            with _log_to_stderr(level):
                pipeline.enable_logging(level)
                yield pipeline

    def _check_blocked(self, pipeline: Pipeline) -> None:
        known = {*installed(), *(info.name for info in pipeline.plugins)}
        for name in self.options.block:
            if name not in known:
                raise UsageError(f"-p no:{name}: unknown plugin {name!r}. Available: {', '.join(sorted(known))}")


@attrs.frozen
class Chosen:
    """The effective settings of all sources.

    Attributes:
        plugins: plugins to load, those of `pyproject.toml` first; the last one is called first.
        block: names of blocked plugins.
        autoload: whether installed plugins are loaded automatically.
        format: the feedback format.
        log: the lowest level to log; empty for the command's default.
        origins: the source of each setting.
    """

    plugins: tuple[Named, ...]
    block: tuple[str, ...]
    autoload: bool
    format: str
    log: str
    origins: dict[str, str]

    @classmethod
    def of(cls, options: Source, *, bare: bool = False) -> Chosen:
        """Combine all sources.

        Args:
            options: the values of the options.
            bare: use only the options and `MULLIGAN_LOG`.

        Raises:
            UsageError: `pyproject.toml` is invalid.
        """
        environment = from_environment()
        if bare:
            sources = [Source(environment.kind, environment.where, log=environment.log), options]
        else:
            sources = [from_project(), environment, options]
        plugins: list[Named] = []
        block: list[str] = []
        values: dict[str, Any] = {"autoload": not bare, "format": "text", "log": ""}
        origins = dict.fromkeys(values, "default")
        for source in sources:
            named = {*map(plugin_name, source.plugins), *source.block}
            plugins = [one for one in plugins if plugin_name(one.spec) not in named]
            block = [name for name in block if name not in named]
            plugins += [Named(spec, source.where, source.folder) for spec in source.plugins]
            block += source.block
            said = {key: getattr(source, key) for key in values if getattr(source, key) is not None}
            values |= said
            origins |= dict.fromkeys(said, source.kind)
        return cls(tuple(plugins), tuple(block), origins=origins, **values)

    def load(self) -> list[Any]:
        """Load the plugins that are not loaded automatically.

        Raises:
            UsageError: a plugin does not exist, or cannot be imported.
        """
        names = installed() if self.autoload else frozenset()
        return [named.load() for named in self.plugins if named.spec not in names]


@contextmanager
def _read_already(*variables: str) -> Iterator[None]:
    """Hide variables that were already read: the pipeline would read them again and override the options."""
    hidden = {name: os.environ.pop(name) for name in variables if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def _log_to_stderr(level: str) -> Iterator[None]:
    from loguru import logger

    logger.remove()
    line = "<dim>{time:HH:mm:ss}</dim> <level>{level: <7}</level> {message}"
    sink = logger.add(tell, level=level, format=line, colorize=is_styled(sys.stderr), backtrace=False, diagnose=False)
    try:
        yield
    finally:
        logger.remove(sink)
