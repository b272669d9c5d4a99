"""The settings of all commands. Options override the environment, which overrides `pyproject.toml`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs

from mulligan.cli.loading import find, installed, load_installed
from mulligan.cli.output import is_styled
from mulligan.cli.patience import impatient
from mulligan.cli.sources import (
    BLOCK,
    LOG,
    SWITCH,
    Source,
    from_environment,
    from_options,
    from_project,
    plugin_name,
)
from mulligan.cli.streams import tell
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline
from mulligan.policy import Policy


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
        """The plugin: a module, or an instance.

        Raises:
            UsageError: it does not exist, or cannot be imported.
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
        """Reads the options.

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
        """A pipeline with these settings, closed at the end.

        Args:
            tools: its tools.
            format: the feedback format that the command line names, or None.
            bare: use only the options and `MULLIGAN_LOG`, and load only the plugins that they name.
            log: the lowest level to log if no setting names one.
            policy: what counts as fatal, and what may be repaired and retried.
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
        autoload: whether installed plugins register themselves.
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
        """Combines all sources.

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
        """The plugins that do not register themselves.

        Raises:
            UsageError: a plugin does not exist, or cannot be imported.
        """
        names = installed() if self.autoload else frozenset()
        return [named.load() for named in self.plugins if named.spec not in names]


@contextmanager
def _read_already(*variables: str) -> Iterator[None]:
    """Hides variables that were already read: the pipeline would read them again and override the options."""
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
