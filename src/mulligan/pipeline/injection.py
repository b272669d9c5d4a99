"""Parameters annotated `Injected[T]`: filled by the host, never by the model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args

from mulligan.calls import ToolCall
from mulligan.deadline import Deadline
from mulligan.errors import UsageError
from mulligan.tools import Tool


def inject(
    tool: Tool, context: Mapping[str, Any] | None, call: ToolCall, deadline: Deadline | None, clock: Callable[[], float]
) -> dict[str, Any]:
    """The values of a tool's injected parameters.

    A `ToolCall` and a `Deadline` come from the call itself; everything else from `context`, by the parameter's name.
    `context["deadline"]` is one of the bounds of the call's deadline, so a parameter of that name receives the earliest
    of them.

    Args:
        tool: the tool.
        context: the host's values by name.
        call: the call.
        deadline: its deadline, or None.
        clock: monotonic seconds.

    Raises:
        UsageError: a value is missing; names the tool, the parameter and the next step.
    """
    values: dict[str, Any] = {}
    for name, wanted in tool.injected.items():
        is_deadline = wanted is Deadline or Deadline in get_args(wanted)
        if context is not None and name in context and not (is_deadline and name == "deadline"):
            values[name] = context[name]
        elif wanted is ToolCall:
            values[name] = call
        elif is_deadline:
            values[name] = deadline or (Deadline(float("inf"), clock) if wanted is Deadline else None)
        elif inspect.signature(tool.handler).parameters[name].default is inspect.Parameter.empty:
            raise UsageError(f"tool {tool.name!r} needs {name!r}: pass call(..., context={{{name!r}: ...}})")
    return values
