"""What the fields of a `ToolError` hold when it comes from a plugin or a tool: checked, and owned by one call only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mulligan.errors import Problem, ToolError
from mulligan.untrusted.text import plain_str

_TEXTS = ("message", "user_message", "code", "tool_name", "resource", "provider", "rule", "effect", "tool_type")
_ENDLESS = float("inf")


def check_fields(error: ToolError) -> None:
    """Turns what is no text into text, and leaves out what is no number and no `Problem`.

    Args:
        error: the error; changed in place.
    """
    own = error.__dict__
    if "message" not in own:
        own["message"] = plain_str(error.args[0]) if error.args else ""
    suspects = [
        name for name, value in own.items() if name in _CHECKS and (type(value) is not str or name not in _TEXTS)
    ]
    for name in suspects:  # few errors have any: what most of them hold is text
        if own[name] is None:
            del own[name]  # nothing said: the default of the class
        else:
            own[name] = _CHECKS[name](own[name])


def _seconds(value: Any) -> float | None:
    return value if type(value) in (int, float) and 0 <= value < _ENDLESS else None


def _problems(value: Any) -> tuple[Problem, ...]:
    given = value if isinstance(value, (list, tuple)) else ()
    return tuple(problem for problem in given if isinstance(problem, Problem))


def _status(value: Any) -> int | None:
    return value if type(value) is int else None


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_TEXTS, plain_str),
    "retry_after": _seconds,
    "problems": _problems,
    "http_status": _status,
}


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
