"""The settings of all commands. Options override the environment, which overrides `pyproject.toml`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from mulligan.cli.loading import find_object, installed_plugins, load_installed_plugin, split_spec, warn_of_slow_imports
from mulligan.cli.output import is_styled, write_stderr
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline
from mulligan.policy import Policy
from mulligan.spelling import did_you_mean

LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR", "OFF")
LOG_VARIABLE = "MULLIGAN_LOG"
BLOCK_VARIABLE = "MULLIGAN_BLOCK_PLUGINS"
AUTOLOAD_VARIABLE = "MULLIGAN_DISABLE_PLUGIN_AUTOLOAD"
_FILE = "pyproject.toml"
_KEYS: Mapping[str, type] = {"plugins": list, "block": list, "autoload": bool, "format": str, "log": str}
_TYPE_NAMES = {list: "a list of strings", bool: "true or false", str: "a string"}


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


def read_options(plugins: Iterable[str], log: str | None) -> Source:
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
    return Source("option", "-p", loaded, blocked, log=None if log is None else _parse_level(log, "--log"))


def read_environment() -> Source:
    """Read the settings of the variables `MULLIGAN_...`.

    Raises:
        UsageError: `MULLIGAN_LOG` is not a level.
    """
    log_value = os.environ.get(LOG_VARIABLE, "")
    known = {"": None, "0": "", "1": "INFO"}
    level = known[log_value] if log_value in known else _parse_level(log_value, LOG_VARIABLE)
    autoload = {"": None, "0": True}.get(os.environ.get(AUTOLOAD_VARIABLE, ""), False)
    return Source(
        "environment",
        "MULLIGAN_PLUGINS",
        _read_list("MULLIGAN_PLUGINS"),
        _read_list(BLOCK_VARIABLE),
        autoload,
        os.environ.get("MULLIGAN_FORMAT") or None,
        level,
    )


def _read_list(variable: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in os.environ.get(variable, "").split(",") if name.strip())


def read_pyproject() -> Source:
    """Read the settings of the nearest `pyproject.toml`, in the current directory or above it.

    Raises:
        UsageError: the file cannot be read, or `[tool.mulligan]` has an unknown key or an invalid value; names the key.
    """
    here = Path.cwd()
    file = next((folder / _FILE for folder in (here, *here.parents) if (folder / _FILE).is_file()), None)
    if file is None:
        return Source(_FILE, _FILE)
    section = _read_section(file)
    _check_section(section)
    return Source(
        _FILE,
        f"{_FILE} plugins",
        tuple(_resolve_path(file, spec) for spec in section.get("plugins", ())),
        tuple(section.get("block", ())),
        section.get("autoload"),
        section.get("format"),
        _parse_level(section["log"], f"{_FILE}, [tool.mulligan] log") if "log" in section else None,
        file.parent,
    )


def _read_section(file: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        whole = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {file}: {error}; correct the file") from None
    tools = whole.get("tool", {})
    section = tools.get("mulligan", {}) if isinstance(tools, dict) else {}
    if not isinstance(section, dict):
        raise UsageError(f"{_FILE}: tool.mulligan must be a table, [tool.mulligan]")
    return section


def _check_section(section: Mapping[str, Any]) -> None:
    for key, value in section.items():
        if key not in _KEYS:
            raise UsageError(f"{_FILE}, [tool.mulligan]: unknown key {key!r}. {did_you_mean(key, _KEYS)}")
        kind = _KEYS[key]
        listed = value if isinstance(value, list) else ()
        if not isinstance(value, kind) or not all(isinstance(one, str) and one for one in listed):
            raise UsageError(f"{_FILE}, [tool.mulligan]: {key} must be {_TYPE_NAMES[kind]}, not {value!r:.80}")


def _parse_level(said: str, where: str) -> str:
    if said.upper() not in LEVELS:
        raise UsageError(f"{where} {said}: unknown level; use {', '.join(LEVELS).lower()}")
    return said.upper()


def _resolve_path(file: Path, spec: str) -> str:
    """A plugin as `pyproject.toml` names it, with a path that is valid in every directory."""
    where, name = split_spec(spec)
    if not where.endswith(".py"):
        return spec
    return str(file.parent / where) + (f":{name}" if name else "")


def plugin_name(spec: str) -> str:
    """Return the name under which a plugin is registered.

    Args:
        spec: NAME, MODULE[:NAME] or FILE.py[:NAME].
    """
    where, name = split_spec(spec)
    return name or (Path(where).stem if where.endswith(".py") else where)


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
            UsageError: the plugin does not exist, or cannot be imported.
        """
        if self.spec in installed_plugins():
            return load_installed_plugin(self.spec, self.where)
        found = find_object(self.spec, self.where, self.folder)
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
        return cls(read_options(plugins, log))

    @contextmanager
    def pipeline(
        self,
        tools: Iterable[Any] = (),
        *,
        format: str | None = None,
        bare: bool = False,
        log: str = "ERROR",
        policy: Policy | None = None,
        loaded_plugins: Iterable[Any] | None = None,
    ) -> Iterator[Pipeline]:
        """Make a pipeline with these settings, and close it at the end.

        Args:
            tools: its tools.
            format: the feedback format that the command line names, or None.
            bare: use only the options and `MULLIGAN_LOG`, and load only the plugins that they name.
            log: the lowest level to log if no setting names one.
            policy: which errors are fatal, and what may be repaired and retried.
            loaded_plugins: the plugins that the settings name, if they are already loaded.

        Raises:
            UsageError: a setting, plugin, tool or format is invalid.
        """
        effective = EffectiveSettings.of(self.options, bare=bare)
        level = effective.log or log
        plugins = effective.load() if loaded_plugins is None else list(loaded_plugins)
        with _hide_variables(LOG_VARIABLE, BLOCK_VARIABLE, AUTOLOAD_VARIABLE), warn_of_slow_imports():
            made = Pipeline(
                tools,
                plugins=plugins,
                autoload=effective.autoload,
                block=effective.block,
                format=format or effective.format,
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
        known = {*installed_plugins(), *(info.name for info in pipeline.plugins)}
        for name in self.options.block:
            if name not in known:
                raise UsageError(f"-p no:{name}: unknown plugin {name!r}. Available: {', '.join(sorted(known))}")


@attrs.frozen
class EffectiveSettings:
    """The effective settings of all sources.

    Attributes:
        plugins: plugins to load, those of `pyproject.toml` first; the last one is called first.
        block: names of blocked plugins.
        autoload: whether installed plugins are loaded automatically.
        format: the feedback format.
        log: the lowest level to log; empty for the command's default.
        origins: the source of each setting.
    """

    plugins: tuple[PluginReference, ...]
    block: tuple[str, ...]
    autoload: bool
    format: str
    log: str
    origins: dict[str, str]

    @classmethod
    def of(cls, options: Source, *, bare: bool = False) -> EffectiveSettings:
        """Combine all sources.

        Args:
            options: the values of the options.
            bare: use only the options and `MULLIGAN_LOG`.

        Raises:
            UsageError: `pyproject.toml` is invalid.
        """
        environment = read_environment()
        if bare:
            sources = [Source(environment.kind, environment.where, log=environment.log), options]
        else:
            sources = [read_pyproject(), environment, options]
        plugins: list[PluginReference] = []
        block: list[str] = []
        values: dict[str, Any] = {"autoload": not bare, "format": "text", "log": ""}
        origins = dict.fromkeys(values, "default")
        for source in sources:
            overridden = {*map(plugin_name, source.plugins), *source.block}
            plugins = [one for one in plugins if plugin_name(one.spec) not in overridden]
            block = [name for name in block if name not in overridden]
            plugins += [PluginReference(spec, source.where, source.folder) for spec in source.plugins]
            block += source.block
            source_values = {key: getattr(source, key) for key in values if getattr(source, key) is not None}
            values |= source_values
            origins |= dict.fromkeys(source_values, source.kind)
        return cls(tuple(plugins), tuple(block), origins=origins, **values)

    def load(self) -> list[Any]:
        """Load the plugins that are not loaded automatically.

        Raises:
            UsageError: a plugin does not exist, or cannot be imported.
        """
        names = installed_plugins() if self.autoload else frozenset()
        return [named.load() for named in self.plugins if named.spec not in names]


@contextmanager
def _hide_variables(*variables: str) -> Iterator[None]:
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
    sink = logger.add(
        write_stderr, level=level, format=line, colorize=is_styled(sys.stderr), backtrace=False, diagnose=False
    )
    try:
        yield
    finally:
        logger.remove(sink)
