"""Log lines through loguru, once logging is turned on: only redacted text, never an exception object."""

from __future__ import annotations

from collections.abc import Callable

from mulligan.errors import UsageError
from mulligan.events import AttemptFailed, BudgetSpent, CallFinished, CallRepaired, CallStarted, Event, PluginFaulted
from mulligan.hookimpl import hookimpl
from mulligan.results import ToolResult
from mulligan.untrusted.text import clean

_LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR")


class Logging:
    """Writes a line for what happens.

    Args:
        level: the lowest level that is written: `INFO`, `SUCCESS`, `WARNING` or `ERROR`.
        line: makes one clean, redacted line of a foreign text.
    """

    def __init__(self, level: str, line: Callable[[str], str]) -> None:
        from loguru import logger

        self._log = logger
        self._line = line
        self.set_level(level)

    def set_level(self, level: str) -> None:
        """Writes lines of this level and above from now on.

        Args:
            level: `INFO`, `SUCCESS`, `WARNING` or `ERROR`.

        Raises:
            UsageError: no such level.
        """
        if level not in _LEVELS:
            raise UsageError(f"unknown log level {level!r}; available: {', '.join(_LEVELS)}")
        self._lowest = _LEVELS.index(level)

    @hookimpl(trylast=True)
    def observe(self, event: Event) -> None:
        """One line for each event that is worth one."""
        if isinstance(event, CallStarted):
            self._write("INFO", f"{event.tool_name} called with {event.arguments or 'nothing'}")
        elif isinstance(event, AttemptFailed):
            told = f"{event.tool_name} failed: {type(event.error).__name__}: {event.error.message}"
            self._write("ERROR", told, event.traceback)
        elif isinstance(event, CallRepaired):
            what = "name" if event.repair.kind == "name" else "inputs"
            told = f"repaired tool {what}: {event.repair.before} was read as {event.repair.after}"
            self._write("WARNING", f"{event.tool_name}: {told}")
        elif isinstance(event, BudgetSpent):
            whose = "the conversation" if event.tool is None else event.tool
            self._write(
                "WARNING", f"{event.tool_name}: the budget of {whose} is exhausted ({event.limit:g} {event.part})"
            )
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
        if _LEVELS.index(level) >= self._lowest:
            self._log.log(level, "{}", f"{self._line(text)}\n{clean(traceback)}".rstrip())
