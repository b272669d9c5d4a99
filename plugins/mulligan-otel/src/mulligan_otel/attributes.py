"""Names of attributes and metrics, and values that are safe as such.

The names `gen_ai.*` are those of the OpenTelemetry conventions for generative AI, which are in development: the state of
November 2026 (semantic-conventions 1.45, 0.66b2).
"""

from __future__ import annotations

import re

from mulligan.plugin import RepeatedCallError, ToolArgumentError, ToolError, ToolNotFoundError

OPERATION = "execute_tool"
UNKNOWN = "unknown"
OTHER = "other"
VERSION = "0.1.0"
_PLAIN = re.compile(r"[\w.:/-]{1,100}", re.ASCII)


def stage_of(error: ToolError, attempts: int) -> str:
    """The stage of the pipeline in which a call failed.

    Args:
        error: what the failure means.
        attempts: how often the tool was run.
    """
    if attempts:
        return "execute"
    if isinstance(error, RepeatedCallError) or (error.rule or "").startswith("session:"):
        return "session"
    if isinstance(error, ToolNotFoundError):
        return "resolve"
    return "validate" if isinstance(error, ToolArgumentError) else "authorize"


def plain(text: str | None) -> str:
    """An identifier; `other` for any other text, which may be foreign."""
    return text if text is not None and _PLAIN.fullmatch(text) else OTHER
