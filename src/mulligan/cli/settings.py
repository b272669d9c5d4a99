"""The options that all commands share: plugins and logging."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from mulligan.cli.loading import find, installed, load_installed
from mulligan.cli.output import is_styled
from mulligan.errors import UsageError
from mulligan.pipeline import Pipeline
from mulligan.plugging.plugins import autoload_wanted
from mulligan.policy import Policy

_LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR", "OFF")
_LOG = "MULLIGAN_LOG"


@attrs.frozen
class Settings:
    """The common options.

    Attributes:
        plugins: plugins to load, as they were named.
        block: names of plugins that are not used.
        log: the lowest level that is logged, `OFF`, or None where the option was not given.
    """

    plugins: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    log: str | None = None

    @classmethod
    def of(cls, plugins: Iterable[str], log: str | None) -> Settings:
        """Reads the options.

        Args:
            plugins: what `-p` names.
            log: what `--log` names.

        Raises:
            UsageError: there is no such level.
        """
        level = None if log is None else log.upper()
        if level is not None and level not in _LEVELS:
            raise UsageError(f"--log {log}: there is no such level; use {', '.join(_LEVELS).lower()}")
        named = tuple(plugins)
        loaded = tuple(name for name in named if not name.startswith("no:"))
        return cls(loaded, tuple(name[3:] for name in named if name.startswith("no:")), level)

    @contextmanager
    def pipeline(
        self,
        tools: Iterable[Any] = (),
        *,
        format: str = "text",
        autoload: bool = True,
        log: str = "ERROR",
        policy: Policy | None = None,
    ) -> Iterator[Pipeline]:
        """A pipeline with these options, closed at the end.

        Args:
            tools: its tools.
            format: its feedback format.
            autoload: whether installed plugins register themselves.
            log: the lowest level that is logged where neither option nor environment says.
            policy: what counts as fatal, and what may be repaired and retried.

        Raises:
            UsageError: a plugin, tool or format is wrong.
        """
        level = self._level(log)
        plugins = self._load(autoload and autoload_wanted(True))
        with Pipeline(
            tools, plugins=plugins, autoload=autoload, block=self.block, format=format, policy=policy
        ) as pipeline:
            self._check_blocked(pipeline)
            if level == "OFF":
                yield pipeline
                return
            with _log_to_stderr(level):
                pipeline.enable_logging(level)
                yield pipeline

    def _level(self, default: str) -> str:
        """The level; the pipeline itself must not read the variable too, or every line would be written twice."""
        wanted = os.environ.pop(_LOG, "")
        asked = {"": default, "0": default, "1": "INFO"}.get(wanted, wanted.upper())
        return self.log or (asked if asked in _LEVELS else "INFO")

    def _load(self, autoloads: bool) -> list[Any]:
        names = installed()
        plugins = []
        for name in self.plugins:
            if name not in names:
                found = find(name, "-p")
                plugins.append(found() if isinstance(found, type) else found)
            elif not autoloads:
                plugins.append(load_installed(name))
        return plugins

    def _check_blocked(self, pipeline: Pipeline) -> None:
        known = {*installed(), *(info.name for info in pipeline.plugins)}
        for name in self.block:
            if name not in known:
                raise UsageError(f"-p no:{name}: no plugin is named {name!r}; there are {', '.join(sorted(known))}")


@contextmanager
def _log_to_stderr(level: str) -> Iterator[None]:
    from loguru import logger

    logger.remove()
    line = "<dim>{time:HH:mm:ss}</dim> <level>{level: <7}</level> {message}"
    sink = logger.add(
        _to_stderr, level=level, format=line, colorize=is_styled(sys.stderr), backtrace=False, diagnose=False
    )
    try:
        yield
    finally:
        logger.remove(sink)


def _to_stderr(line: str) -> None:
    """Writes to what stderr is at this moment: a progress bar takes its place for a while."""
    sys.stderr.write(line)
