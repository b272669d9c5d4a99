"""Single tools, without an agent: one that answers for its failures, and one call of one tool."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.tools import tool as make_tool

from mulligan import Pipeline, Session, ToolResult
from mulligan_langchain.attempt import Attempt, Start, current_attempt
from mulligan_langchain.fatal import FatalToolError, answer
from mulligan_langchain.toolbox import Toolbox
from mulligan_langchain.translation import Entry, Timeouts


def wrap_tool_with_error_handling(
    tool: BaseTool | Callable[..., Any],
    *,
    pipeline: Pipeline | None = None,
    session: Session | None = None,
    timeout: Timeouts = None,
) -> BaseTool:
    """A tool that answers with an account of what went wrong, where the given one raises.

    It has the same name, schema and class. Invoked with a tool call it answers with a `ToolMessage` whose status is
    `error`, else with the text. After a failure that no model can mend it raises a `FatalToolError`.

    Args:
        tool: a tool, or a function.
        pipeline: plugins, policy, limits and format. By default one with the defaults.
        session: the conversation that all of its calls belong to.
        timeout: seconds that it may take.
    """
    base = _as_tool(tool)
    box = Toolbox(pipeline or Pipeline(), [base], timeout)
    entry = box.entries[base.name]

    def run(tool_input: Any, *args: Any, tool_call_id: str | None = None, **options: Any) -> Any:
        given, start = _start_call(
            entry, tool_input, lambda given: entry.observed.run(given, *args, tool_call_id=tool_call_id, **options)
        )
        attempt = Attempt(start, box.sync)
        with current_attempt(attempt):
            result = box.sync.call(base.name, given, call_id=tool_call_id, session=session)
        return _answer_message(attempt, result, base.name, tool_call_id)

    async def arun(tool_input: Any, *args: Any, tool_call_id: str | None = None, **options: Any) -> Any:
        given, start = _start_call(
            entry, tool_input, lambda given: entry.observed.arun(given, *args, tool_call_id=tool_call_id, **options)
        )
        attempt = Attempt(start, box.awaited)
        with current_attempt(attempt):
            result = await box.awaited.acall(base.name, given, call_id=tool_call_id, session=session)
        return _answer_message(attempt, result, base.name, tool_call_id)

    wrapped = base.model_copy()
    vars(wrapped).update(run=run, arun=arun)
    return wrapped


def execute_tool_safely(
    tool: BaseTool | Callable[..., Any],
    args: Mapping[str, Any] | str | None = None,
    *,
    call_id: str | None = None,
    pipeline: Pipeline | None = None,
    session: Session | None = None,
    timeout: Timeouts = None,
) -> ToolResult:
    """Calls one tool once. Never raises for what the arguments or the tool did.

    Args:
        tool: a tool, or a function.
        args: a mapping or JSON text.
        call_id: the model's id of the call.
        pipeline: plugins, policy, limits and format. By default one with the defaults.
        session: the conversation it belongs to.
        timeout: seconds that it may take.

    Returns:
        The result: `content` is what the model reads, `value` what the tool returned, `raise_if_fatal()` stops.
    """
    base = _as_tool(tool)
    box = Toolbox(pipeline or _default(), [base], timeout)
    invoke = _called(base.name, call_id)
    attempt = Attempt(lambda entry, arguments: entry.observed.invoke(invoke(arguments)), box.sync)
    with current_attempt(attempt):
        result = box.sync.call(base.name, args, call_id=call_id, session=session)
    return _completed(attempt, result)


async def aexecute_tool_safely(
    tool: BaseTool | Callable[..., Any],
    args: Mapping[str, Any] | str | None = None,
    *,
    call_id: str | None = None,
    pipeline: Pipeline | None = None,
    session: Session | None = None,
    timeout: Timeouts = None,
) -> ToolResult:
    """`execute_tool_safely`, awaited.

    Args:
        tool: a tool, or a function.
        args: a mapping or JSON text.
        call_id: the model's id of the call.
        pipeline: plugins, policy, limits and format. By default one with the defaults.
        session: the conversation it belongs to.
        timeout: seconds that it may take.
    """
    base = _as_tool(tool)
    box = Toolbox(pipeline or _default(), [base], timeout)
    invoke = _called(base.name, call_id)
    attempt = Attempt(lambda entry, arguments: entry.observed.ainvoke(invoke(arguments)), box.awaited)
    with current_attempt(attempt):
        result = await box.awaited.acall(base.name, args, call_id=call_id, session=session)
    return _completed(attempt, result)


@cache
def _default() -> Pipeline:
    return Pipeline()


def _as_tool(tool: BaseTool | Callable[..., Any]) -> BaseTool:
    return tool if isinstance(tool, BaseTool) else make_tool(tool)


def _called(name: str, call_id: str | None) -> Callable[[Mapping[str, Any]], Any]:
    id = call_id or f"call_{uuid.uuid4().hex}"
    return lambda arguments: {"type": "tool_call", "name": name, "args": dict(arguments), "id": id}


def _start_call(entry: Entry, tool_input: Any, run: Callable[[Any], Any]) -> tuple[Any, Start]:
    """What the model sent of a tool's input, and how it is run: what the framework has put in is put back."""
    if not isinstance(tool_input, dict):
        given = {next(iter(entry.schema.get("properties", ())), "input"): tool_input}
        return given, lambda _, arguments: run(tool_input if arguments == given else arguments)
    hidden = {name: value for name, value in tool_input.items() if name in entry.injected}
    given = {name: value for name, value in tool_input.items() if name not in hidden}
    return given, lambda _, arguments: run({**arguments, **hidden})


def _answer_message(attempt: Attempt, result: ToolResult, name: str, call_id: str | None) -> Any:
    if not result.is_error:
        return attempt.answered(result)
    if result.fatal and result.error is not None:
        raise FatalToolError(result.error)
    return result.content if call_id is None else answer(result, {"name": name, "id": call_id})


def _completed(attempt: Attempt, result: ToolResult) -> ToolResult:
    if not result.is_error:
        output = attempt.answered(result)
        if isinstance(output, ToolMessage):
            result.content = output.text
        has_returned = attempt.latest is not None and attempt.latest.has_returned
        result.value = attempt.returned if has_returned else output
    return result
