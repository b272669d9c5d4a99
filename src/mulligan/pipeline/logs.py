"""Logging through loguru, which is not imported until logging is enabled: only redacted text, never an exception object."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from mulligan.errors import UsageError
from mulligan.events import (
    ApprovalDecided,
    ApprovalRequested,
    AttemptFailed,
    BudgetSpent,
    CallFinished,
    CallRepaired,
    CallStarted,
    Event,
    PluginFaulted,
)
from mulligan.hookimpl import hookimpl
from mulligan.results import ToolResult
from mulligan.untrusted.text import clean


class Logging:
    """Writes a line for what happens.

    Args:
        level: the lowest level that is written: `INFO`, `SUCCESS`, `WARNING` or `ERROR`.
        sanitize_line: makes one clean, redacted line of a foreign text.
    """

    def __init__(self, level: str, sanitize_line: Callable[[str], str]) -> None:
        from loguru import logger

        self._log = logger
        self._sanitize_line = sanitize_line
        self.set_level(level)

    def set_level(self, level: str) -> None:
        """Writes lines of this level and above from now on.

        Args:
            level: `INFO`, `SUCCESS`, `WARNING` or `ERROR`.

        Raises:
            UsageError: no such level.
        """
        if level not in LEVELS:
            raise UsageError(f"unknown log level {level!r}; available: {', '.join(LEVELS)}")
        self._lowest = LEVELS.index(level)

    @hookimpl(trylast=True)
    def observe(self, event: Event) -> None:
        """One line for each event that is worth one."""
        if isinstance(event, CallStarted):
            self._write("INFO", f"{event.tool_name} called with {event.arguments or 'nothing'}")
        elif isinstance(event, AttemptFailed):
            message = f"{event.tool_name} failed: {type(event.error).__name__}: {event.error.message}"
            self._write("ERROR", message, event.traceback)
        elif isinstance(event, CallRepaired):
            what = "name" if event.repair.kind == "name" else "inputs"
            message = f"repaired tool {what}: {event.repair.before} was read as {event.repair.after}"
            self._write("WARNING", f"{event.tool_name}: {message}")
        elif isinstance(event, BudgetSpent):
            whose = "the conversation" if event.tool is None else event.tool
            self._write(
                "WARNING", f"{event.tool_name}: the budget of {whose} is exhausted ({event.limit:g} {event.part})"
            )
        elif isinstance(event, ApprovalRequested):
            self._write("WARNING", f"{event.tool_name} needs approval{f': {event.reason}' if event.reason else ''}")
        elif isinstance(event, ApprovalDecided):
            detail = event.reason or (f"with {event.arguments}" if event.arguments else "")
            self._write("WARNING", f"{event.tool_name} was {event.decision}{f': {detail}' if detail else ''}")
        elif isinstance(event, CallFinished):
            self._finished(event.result)
        elif isinstance(event, PluginFaulted):
            aside = "; the plugin is disabled" if event.set_aside else ""
            self._write("WARNING", f"plugin {event.plugin}, hook {event.hook}: {event.error}{aside}")

    def _finished(self, result: ToolResult) -> None:
        name, seconds = result.call.name, f"{result.duration:.3f} s"
        if not result.is_error:
            self._write("SUCCESS", f"{name} ended in {seconds}, {len(result.content)} characters")
        elif result.attempts == 0 and result.error is not None:
            self._write("ERROR", f"{name} was not run: {type(result.error).__name__}: {result.error.message}")

    def _write(self, level: str, text: str, traceback: str = "") -> None:
        if LEVELS.index(level) >= self._lowest:
            self._log.log(level, "{}", f"{self._sanitize_line(text)}\n{clean(traceback)}".rstrip())


LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR")


class Logs:
    """The log lines of one pipeline.

    Args:
        register: registers the plugin that writes them, under a name.
        sanitize_line: makes one clean, redacted line of a foreign text.
    """

    def __init__(self, register: Callable[[Any, str], None], sanitize_line: Callable[[str], str]) -> None:
        self._register = register
        self._sanitize_line = sanitize_line
        self._plugin: Logging | None = None

    def read_env_level(self) -> str | None:
        """The level that `MULLIGAN_LOG` asks for (`1` for `INFO`), or None: it is not set, `0` or `off`.

        Raises:
            UsageError: no such level.
        """
        value = os.environ.get("MULLIGAN_LOG", "")
        level = "INFO" if value == "1" else value.upper()
        if level in ("", "0", "OFF"):
            return None
        if level not in LEVELS:
            raise UsageError(f"MULLIGAN_LOG={value!r}: unknown log level; use one of {', '.join(LEVELS)}")
        return level

    def enable(self, level: str) -> bool:
        """Writes lines of this level and above from now on.

        Args:
            level: `INFO`, `SUCCESS`, `WARNING` or `ERROR`.

        Returns:
            Whether a plugin was added for it.

        Raises:
            UsageError: no such level.
        """
        if self._plugin is not None:
            self._plugin.set_level(level)
            return False
        self._plugin = Logging(level, self._sanitize_line)
        self._register(self._plugin, "logging")
        return True
