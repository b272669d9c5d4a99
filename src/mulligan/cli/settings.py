"""The settings of all commands. Options override the environment, which overrides the configuration file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from mulligan.cli.loading import warn_of_slow_imports
from mulligan.cli.output import is_styled, report_problem, write_stderr
from mulligan.errors import UsageError
from mulligan.feedback import FeedbackFormat
from mulligan.hooks.loading import PluginReference, installed_plugins, split_spec
from mulligan.pipeline import Pipeline
from mulligan.pipeline.config import PROJECT_FILE, find_config, parse_level, read_config
from mulligan.policy import Policy
from mulligan.resolve.option_table import OptionTable
from mulligan.spelling import did_you_mean

LOG_VARIABLE = "MULLIGAN_LOG"
BLOCK_VARIABLE = "MULLIGAN_BLOCK_PLUGINS"
AUTOLOAD_VARIABLE = "MULLIGAN_DISABLE_PLUGIN_AUTOLOAD"
FORMAT_VARIABLE = "MULLIGAN_FORMAT"
_VARIABLES = {"format": FORMAT_VARIABLE, "block": BLOCK_VARIABLE}


@attrs.frozen
class Source:
    """The settings of one source. A setting that it does not contain is None, or empty.

    Attributes:
        kind: `option`, `environment`, or the name of the configuration file.
        plugins: plugins to load.
        block: names of blocked plugins.
        autoload: whether installed plugins are loaded automatically.
        format: the feedback format.
        log: the lowest level to log; empty for the command's default.
        tool_options: options of tools by name pattern or tag.
        file: the configuration file, if the source is one.
    """

    kind: str
    plugins: tuple[PluginReference, ...] = ()
    block: tuple[str, ...] = ()
    autoload: bool | None = None
    format: str | None = None
    log: str | None = None
    tool_options: OptionTable | None = None
    file: Path | None = None

    def place(self, setting: str) -> str:
        """Where the user writes a setting, for errors.

        Args:
            setting: `format` or `block`.
        """
        if self.file is None:
            return _VARIABLES[setting]
        name = self.file.name if self.file.parent == Path.cwd() else str(self.file)
        return f"{name}, [tool.mulligan] {setting}" if self.file.name == PROJECT_FILE else f"{name} {setting}"


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
    return Source("option", _refer(loaded, "-p"), blocked, log=None if log is None else parse_level(log, "--log"))


def _refer(specs: Iterable[str], where: str) -> tuple[PluginReference, ...]:
    return tuple(PluginReference(spec, where) for spec in specs)


def read_environment() -> Source:
    """Read the settings of the variables `MULLIGAN_...`.

    Raises:
        UsageError: `MULLIGAN_LOG` is not a level.
    """
    log_value = os.environ.get(LOG_VARIABLE, "")
    known = {"": None, "0": "", "1": "INFO"}
    level = known[log_value] if log_value in known else parse_level(log_value, LOG_VARIABLE)
    autoload = {"": None, "0": True}.get(os.environ.get(AUTOLOAD_VARIABLE, ""), False)
    return Source(
        "environment",
        _refer(_read_list("MULLIGAN_PLUGINS"), "MULLIGAN_PLUGINS"),
        _read_list(BLOCK_VARIABLE),
        autoload,
        os.environ.get(FORMAT_VARIABLE) or None,
        level,
    )


def _read_list(variable: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in os.environ.get(variable, "").split(",") if name.strip())


def read_file() -> Source:
    """Read the settings of the nearest configuration file, in the current directory or above it.

    Raises:
        UsageError: the file cannot be read, or has an unknown key or an invalid value; names the key.
    """
    file = find_config()
    config = None if file is None else read_config(file)
    if config is None:
        return Source(PROJECT_FILE)
    return Source(
        config.file.name,
        config.plugins,
        config.block,
        config.autoload,
        config.format,
        config.log,
        config.tool_options,
        config.file,
    )


def plugin_name(spec: str) -> str:
    """Return the name under which a plugin is registered.

    Args:
        spec: NAME, MODULE[:NAME] or FILE.py[:NAME].
    """
    where, name = split_spec(spec)
    return name or (Path(where).stem if where.endswith(".py") else where)


@attrs.frozen
class Settings:
    """The common options, and the pipeline that they configure with the environment and the configuration file.

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
        format: str | FeedbackFormat | None = None,
        bare: bool = False,
        log: str = "WARNING",
        policy: Policy | None = None,
        loaded_plugins: Iterable[Any] | None = None,
        uses_tool_options: bool = True,
    ) -> Iterator[Pipeline]:
        """Make a pipeline with these settings, and close it at the end.

        Args:
            tools: its tools.
            format: the feedback format that the command line names, or a format itself; None for the configured one.
            bare: use only the options and `MULLIGAN_LOG`, and load only the plugins that they name.
            log: the lowest level to log if no setting names one.
            policy: which errors are fatal, and what may be repaired and retried.
            loaded_plugins: the plugins that the settings name, if they are already loaded.
            uses_tool_options: whether the tools are those for which the configuration file has options.

        Raises:
            UsageError: a setting, plugin, tool or format is invalid.
        """
        effective = EffectiveSettings.of(self.options, bare=bare)
        level = effective.log or log
        plugins = effective.load() if loaded_plugins is None else list(loaded_plugins)
        with _hide_variables(BLOCK_VARIABLE, AUTOLOAD_VARIABLE), _log_nothing(), warn_of_slow_imports():
            try:
                made = Pipeline(
                    tools,
                    plugins=plugins,
                    autoload=effective.autoload,
                    block=effective.block,
                    format=format or effective.format,
                    policy=policy,
                    tool_options=effective.tool_options if uses_tool_options else None,
                )
            except UsageError as error:
                raise effective.with_source(error, format) from None
        with made as pipeline:
            self._check_blocked(pipeline)
            if level == "OFF":
                pipeline.enable_logging(level)
                yield pipeline
                return
            for fault in pipeline.faults:  # from loading, when nothing was logged
                report_problem(f"plugin {fault.plugin}: {fault.error}")
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
        plugins: plugins to load, those of the configuration file first; the last one is called first.
        block: names of blocked plugins.
        autoload: whether installed plugins are loaded automatically.
        format: the feedback format.
        log: the lowest level to log; empty for the command's default.
        origins: the source of each setting.
        tool_options: options of tools by name pattern or tag; None if there are none.
        sources: the sources; a later one overrides an earlier one.
    """

    plugins: tuple[PluginReference, ...]
    block: tuple[str, ...]
    autoload: bool
    format: str
    log: str
    origins: dict[str, str]
    tool_options: OptionTable | None
    sources: tuple[Source, ...]

    @classmethod
    def of(cls, options: Source, *, bare: bool = False) -> EffectiveSettings:
        """Combine all sources.

        Args:
            options: the values of the options.
            bare: use only the options and `MULLIGAN_LOG`.

        Raises:
            UsageError: the configuration file is invalid.
        """
        environment = read_environment()
        sources = [Source(environment.kind, log=environment.log), options]
        if not bare:
            sources = [read_file(), environment, options]
        plugins: list[PluginReference] = []
        block: list[str] = []
        values: dict[str, Any] = {"autoload": not bare, "format": "text", "log": ""}
        origins = dict.fromkeys(values, "default")
        for source in sources:
            overridden = {*(plugin_name(plugin.spec) for plugin in source.plugins), *source.block}
            plugins = [one for one in plugins if plugin_name(one.spec) not in overridden]
            block = [name for name in block if name not in overridden]
            plugins += source.plugins
            block += source.block
            source_values = {key: getattr(source, key) for key in values if getattr(source, key) is not None}
            values |= source_values
            origins |= dict.fromkeys(source_values, source.kind)
        tool_options = next((source.tool_options for source in sources if source.tool_options is not None), None)
        return cls(
            tuple(plugins), tuple(block), origins=origins, tool_options=tool_options, sources=tuple(sources), **values
        )

    def load(self) -> list[Any]:
        """Load the plugins that are not loaded automatically.

        Raises:
            UsageError: a plugin does not exist, or cannot be imported.
        """
        names = installed_plugins() if self.autoload else frozenset()
        return [named.load() for named in self.plugins if named.spec not in names]

    def with_source(self, error: UsageError, format: str | FeedbackFormat | None) -> UsageError:
        """Return an error of `Pipeline` about a blocked name or the format with the source of that setting.

        Args:
            error: the error. One about anything else is returned unchanged.
            format: the format that the command line names, or None.
        """
        message = str(error)
        for source in reversed(self.sources):
            for name in source.block:
                problem = message.removeprefix(f"block={[name]}: ")
                if problem != message:
                    place = f"-p no:{name}" if source is self.sources[-1] else source.place("block")
                    return UsageError(f"{place}: {problem}")
        named = format or self.format
        places = ["--format"] if format else [one.place("format") for one in self.sources if one.format is not None]
        problem, _, known = message.partition("; available: ")
        if places and problem == f"unknown feedback format {named!r}":
            return UsageError(f"{places[-1]}: {problem}. {did_you_mean(str(named), known.split(', '))}")
        return error


@contextmanager
def _hide_variables(*variables: str) -> Iterator[None]:
    """Hide variables that were already read: the pipeline would read them again and override the options."""
    hidden = {name: os.environ.pop(name) for name in variables if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


@contextmanager
def _log_nothing() -> Iterator[None]:
    """Log nothing while the pipeline is made: faults of loading plugins are for `mulligan doctor`."""
    with _hide_variables(LOG_VARIABLE):
        os.environ[LOG_VARIABLE] = "OFF"
        try:
            yield
        finally:
            del os.environ[LOG_VARIABLE]


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
