"""A call as JSON, which is what Temporal keeps in its history: what is sent to an activity, and how its answer is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mulligan.deadline import set_current
from mulligan.pipeline.attempts import inject
from mulligan.plugin import Deadline, Tool, ToolCall, ToolError, ToolExecutionError, UsageError, value_of_answer
from mulligan.untrusted.serialize import as_content

Json = dict[str, Any]


def request_of(tool: Tool, arguments: Mapping[str, Any], call: ToolCall) -> Json:
    """A call as JSON values. The arguments are a text, since Temporal sorts the keys of objects.

    Args:
        tool: the tool.
        arguments: the keyword arguments of its function, injected ones included.
        call: the call as the model sent it.

    Raises:
        UsageError: an argument cannot be written as JSON; names it, and the next step.
    """
    own = {name: value for name, value in arguments.items() if name not in tool.injected}
    injected = {
        name: value
        for name, value in arguments.items()
        if name in tool.injected and not isinstance(value, (ToolCall, Deadline)) and _is_json(value)
    }
    for name, value in own.items():
        try:
            as_content(value)
        except ToolError as error:
            raise UsageError(
                f"tool {tool.name!r} runs on temporal, but the value for its parameter {name!r} cannot be written as "
                "JSON; use JSON types, dates or dataclasses"
            ) from error
    return {"call_id": call.id, "arguments": as_content(own), "context": injected}


def arguments_of(tool: Tool, request: Mapping[str, Any], context: Mapping[str, Any], seconds: float | None) -> Json:
    """The keyword arguments of a tool's function on a worker, and the deadline that `current_deadline` returns to it.

    Args:
        tool: the tool.
        request: what `request_of` returned.
        context: the worker's own values of injected parameters, by name.
        seconds: the time until the call's deadline, or None.

    Raises:
        ToolArgumentError: this worker's version of the tool does not take the arguments.
        ToolExecutionError: an injected value is missing; nothing has run.
    """
    deadline = None if seconds is None else Deadline.after(seconds)
    set_current(deadline)
    fitted = tool.fit(json.loads(request["arguments"]))
    if not isinstance(fitted, dict):
        raise fitted
    call = ToolCall(request["call_id"], tool.name, request["arguments"])
    known = {**request["context"], **context}
    try:
        return {**fitted, **inject(tool, known, call, deadline, _monotonic)}
    except UsageError as error:
        raise ToolExecutionError(
            "The worker lacks a value that the tool needs. The tool was not run.",
            effect="none",
            fatal=True,
            user_message=f"{error}; on a worker, pass context to ToolsPlugin(...)",
        ) from None


def value_of(answer: Mapping[str, Any]) -> Any:
    """The value of a call that ran in an activity.

    Args:
        answer: what the activity returned, or the detail of its failure.

    Raises:
        ProcessFailed: the answer cannot be read.
        BaseException: the tool's exception.
    """
    return value_of_answer(json.dumps(answer).encode())


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False


def _monotonic() -> float:
    import time

    return time.monotonic()
