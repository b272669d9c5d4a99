"""What the fields of a `ToolError` hold when it comes from a plugin or a tool: checked, and owned by one call only."""

from __future__ import annotations

import math

from mulligan.containment import safe_str
from mulligan.errors import Problem, ToolError

_TEXTS = ("message", "user_message", "code", "tool_name", "resource", "provider", "rule", "effect", "tool_type")


def check_fields(error: ToolError) -> None:
    """Turns what is no text into text, and leaves out what is no number and no `Problem`.

    Args:
        error: the error; changed in place.
    """
    own = error.__dict__
    if "message" not in own:
        own["message"] = safe_str(error.args[0]) if error.args else ""
    for name in _TEXTS:
        if name in own and type(own[name]) is not str:
            own[name] = safe_str(own[name])
    seconds = own.get("retry_after")
    if seconds is not None and not (type(seconds) in (int, float) and math.isfinite(seconds) and seconds >= 0):
        own["retry_after"] = None
    if "problems" in own:
        given = own["problems"] if isinstance(own["problems"], (list, tuple)) else ()
        own["problems"] = tuple(problem for problem in given if isinstance(problem, Problem))
    if "http_status" in own and type(own["http_status"]) is not int:
        own["http_status"] = None


def handed_on(error: ToolError) -> ToolError:
    """A copy of an error that another call has had before, without what was filled in for that call.

    Args:
        error: the error.
    """
    copy = type(error).__new__(type(error), error.message)
    copy.__dict__.update(error.__dict__)
    for name in (*copy.__dict__.pop("_filled", ()), "_owner"):
        copy.__dict__.pop(name, None)
    copy.__cause__ = error.__cause__
    return copy
