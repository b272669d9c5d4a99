"""The proxy's own log of calls, in place of mulligan's: a line for each call, and one for each bug of a plugin.

A model's mistake is not an error: the model reads it and corrects it, and no person has to act.
"""

from __future__ import annotations

from loguru import logger

from mulligan import ToolResult, hookimpl
from mulligan.errors import RepeatedCallError, ResourceNotFoundError, ToolArgumentError, ToolNotFoundError
from mulligan.events import CallFinished, PluginFaulted
from mulligan_proxy.log_text import one_line

_MISTAKES = (ToolArgumentError, ToolNotFoundError, ResourceNotFoundError, RepeatedCallError)


class CallLog:
    """Writes the outcome of each call, and which plugin has a bug."""

    @hookimpl
    def observe(self, event: object) -> None:
        """Writes a line for a call that has been answered, or for a plugin's bug.

        Args:
            event: what happened.
        """
        if isinstance(event, CallFinished):
            result = event.result
            logger.log(_level(result), "{}", one_line(_sentence(result)))
        elif isinstance(event, PluginFaulted):
            disabled = "; the plugin is disabled" if event.set_aside else ""
            logger.error("{}", one_line(f"plugin {event.plugin}, hook {event.hook}: {event.error}{disabled}"))


def _level(result: ToolResult) -> str:
    if not result.is_error or isinstance(result.error, _MISTAKES):
        return "INFO"
    return "ERROR" if result.fatal else "WARNING"


def _sentence(result: ToolResult) -> str:
    name = result.call.name or "a call without a name"
    if result.error is None:
        return f"{name}: answered in {result.duration:.1f} s"
    outcome = "was not run" if result.attempts == 0 else f"failed after {result.duration:.1f} s"
    return f"{name}: {outcome}: {result.to_dict()['error']['message']}"
