"""The settings that all commands share: an option counts more than the environment, that more than `pyproject.toml`."""

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
    """A plugin that somebody asked for.

    Attributes:
        spec: NAME, MODULE[:NAME] or FILE.py[:NAME].
        where: who asked, for errors.
        folder: where its module may be, besides the current directory; or None.
    """

    spec: str
    where: str
    folder: Path | None = None

    def load(self) -> Any:
        """The plugin: a module, or an instance.

        Raises:
            UsageError: there is none, or it cannot be imported.
        """
        if self.spec in installed():
            return load_installed(self.spec, self.where)
        found = find(self.spec, self.where, self.folder)
        return found() if isinstance(found, type) else found


@attrs.frozen
class Settings:
    """The options that all commands share, and the pipeline that comes of them, the environment and `pyproject.toml`.

    Attributes:
        options: what the options say.
    """

    options: Source

    @classmethod
    def of(cls, plugins: Iterable[str], log: str | None) -> Settings:
        """Reads the options.

        Args:
            plugins: what `-p` names.
            log: what `--log` names.

        Raises:
            UsageError: there is no such level.
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
            format: its feedback format, where the command was told one.
            bare: whether only the options count, and `MULLIGAN_LOG`; no plugin is loaded that they do not name.
            log: the lowest level that is logged where no setting says.
            policy: what counts as fatal, and what may be repaired and retried.
            given: the plugins that were asked for, where they are loaded already.

        Raises:
            UsageError: a setting, plugin, tool or format is wrong.
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
                raise UsageError(f"-p no:{name}: no plugin is named {name!r}; there are {', '.join(sorted(known))}")


@attrs.frozen
class Chosen:
    """What counts, once every source was asked.

    Attributes:
        plugins: plugins to load, those of `pyproject.toml` first; the last one is asked first.
        block: names of plugins that are not used.
        autoload: whether installed plugins register themselves.
        format: the feedback format.
        log: the lowest level that is logged; empty for the command's default.
        origins: which source decided, by setting.
    """

    plugins: tuple[Named, ...]
    block: tuple[str, ...]
    autoload: bool
    format: str
    log: str
    origins: dict[str, str]

    @classmethod
    def of(cls, options: Source, *, bare: bool = False) -> Chosen:
        """Asks every source.

        Args:
            options: what the options say.
            bare: whether only the options count, and `MULLIGAN_LOG`.

        Raises:
            UsageError: `pyproject.toml` is wrong.
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
            UsageError: one is not there, or cannot be imported.
        """
        names = installed() if self.autoload else frozenset()
        return [named.load() for named in self.plugins if named.spec not in names]


@contextmanager
def _read_already(*variables: str) -> Iterator[None]:
    """Hides variables that count already: a pipeline would read them again, though an option may say otherwise."""
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
