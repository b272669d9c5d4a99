"""Enables logging: nothing is logged, and loguru is not imported, until it is enabled."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from mulligan.errors import UsageError

if TYPE_CHECKING:
    from mulligan.hooks.manager import PluginManager
    from mulligan.pipeline.log_lines import Logging

LEVELS = ("INFO", "SUCCESS", "WARNING", "ERROR")


class Logs:
    """The log lines of one pipeline.

    Args:
        manager: where the plugin that writes them is registered.
        line: makes one clean, redacted line of a foreign text.
    """

    def __init__(self, manager: PluginManager, line: Callable[[str], str]) -> None:
        self._manager = manager
        self._line = line
        self._plugin: Logging | None = None

    def wanted(self) -> str | None:
        """The level that `MULLIGAN_LOG` asks for (`1` for `INFO`), or None: it is not set, `0` or `off`.

        Raises:
            UsageError: no such level.
        """
        asked = os.environ.get("MULLIGAN_LOG", "")
        level = "INFO" if asked == "1" else asked.upper()
        if level in ("", "0", "OFF"):
            return None
        if level not in LEVELS:
            raise UsageError(f"MULLIGAN_LOG={asked!r}: unknown log level; use one of {', '.join(LEVELS)}")
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
        from mulligan.pipeline.log_lines import Logging

        if self._plugin is not None:
            self._plugin.set_level(level)
            return False
        self._plugin = Logging(level, self._line)
        self._manager.add(self._plugin, "logging", built_in=True)
        return True
