"""Single tools, without an agent: one that answers for its failures, and one call of one tool."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.tools import tool as make_tool

from mulligan import Pipeline, Session, ToolCall, ToolResult
from mulligan.adapters import Adapter
from mulligan_langchain.attempt import Start, ToolAttempt
from mulligan_langchain.awaiting import run_at_once
from mulligan_langchain.fatal import FatalToolError, answer
from mulligan_langchain.gate import Gate
from mulligan_langchain.middleware import Timeouts
from mulligan_langchain.translation import Entry, Toolbox


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
        session: the conversation that all of its calls belong to; by default that of the graph that runs it.
        timeout: seconds that it may take.
    """
    base = _as_tool(tool)
    gate = Gate(Adapter("wrap_tool_with_error_handling", pipeline, timeout=timeout))
    box = gate.box([base])
    gate.adapter.check_names(box.view(awaited=False).tools.values(), are_all=True)
    entry = box.entries[base.name]

    async def answer_call(tool_input: Any, id: str | None, execute: Callable[[Any], Any], *, awaited: bool) -> Any:
        given, start = _start_call(entry, tool_input, execute)
        attempt = ToolAttempt(box, start, base.name, awaited=awaited)
        result = await attempt.send(ToolCall(id, base.name, given), session or gate.thread_here().session)
        if not result.is_error:
            return attempt.answer(result, base.name, id)
        message = answer(result, {"name": base.name, "id": id})
        if result.fatal and result.error is not None:
            raise FatalToolError(result.error, [message])
        return result.content if id is None else message

    def run(tool_input: Any, *args: Any, tool_call_id: str | None = None, **options: Any) -> Any:
        def execute(given: Any) -> Any:
            return entry.observed.run(given, *args, tool_call_id=tool_call_id, **options)

        return run_at_once(answer_call(tool_input, tool_call_id, execute, awaited=False))

    async def arun(tool_input: Any, *args: Any, tool_call_id: str | None = None, **options: Any) -> Any:
        def execute(given: Any) -> Any:
            return entry.observed.arun(given, *args, tool_call_id=tool_call_id, **options)

        return await answer_call(tool_input, tool_call_id, execute, awaited=True)

    wrapped = base.model_copy()
    vars(wrapped).update(run=run, arun=arun)
    return wrapped


def execute_tool_safely_sync(
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

    Raises:
        UsageError: the tool is async; `await execute_tool_safely(...)` calls it.
    """
    return run_at_once(_execute(_box(tool, pipeline, timeout), args, call_id, session, awaited=False))


async def execute_tool_safely(
    tool: BaseTool | Callable[..., Any],
    args: Mapping[str, Any] | str | None = None,
    *,
    call_id: str | None = None,
    pipeline: Pipeline | None = None,
    session: Session | None = None,
    timeout: Timeouts = None,
) -> ToolResult:
    """`execute_tool_safely_sync`, awaited; for sync and async tools.

    Args:
        tool: a tool, or a function.
        args: a mapping or JSON text.
        call_id: the model's id of the call.
        pipeline: plugins, policy, limits and format. By default one with the defaults.
        session: the conversation it belongs to.
        timeout: seconds that it may take.
    """
    return await _execute(_box(tool, pipeline, timeout), args, call_id, session, awaited=True)


aexecute_tool_safely = execute_tool_safely


def _box(tool: BaseTool | Callable[..., Any], pipeline: Pipeline | None, timeout: Timeouts) -> Toolbox:
    return Toolbox(Adapter("execute_tool_safely", pipeline or _default(), timeout=timeout), [_as_tool(tool)])


async def _execute(
    box: Toolbox, args: Any, call_id: str | None, session: Session | None, *, awaited: bool
) -> ToolResult:
    (name,) = box.entries

    def start(entry: Entry, given: dict[str, Any]) -> Any:
        id = call_id or f"call_{uuid.uuid4().hex}"
        invoke: Any = entry.observed.ainvoke if awaited else entry.observed.invoke
        return invoke({"type": "tool_call", "name": name, "args": dict(given), "id": id})

    attempt = ToolAttempt(box, start, name, awaited=awaited)
    result = await attempt.send(ToolCall(call_id, name, args), session)
    if not result.is_error:
        output = attempt.answer(result, name, call_id)
        if isinstance(output, ToolMessage):
            result.content = output.text
        result.value = attempt.tool_value if attempt.has_tool_value else output
    return result


@cache
def _default() -> Pipeline:
    return Pipeline()


def _as_tool(tool: BaseTool | Callable[..., Any]) -> BaseTool:
    return tool if isinstance(tool, BaseTool) else make_tool(tool)


def _start_call(entry: Entry, tool_input: Any, run: Callable[[Any], Any]) -> tuple[Any, Start]:
    """What the model sent of a tool's input, and how it is run: what the framework has put in is put back."""
    if not isinstance(tool_input, dict):
        given = {next(iter(entry.schema.get("properties", ())), "input"): tool_input}
        return given, lambda _, arguments: run(tool_input if arguments == given else arguments)
    hidden = {name: value for name, value in tool_input.items() if name in entry.injected}
    given = {name: value for name, value in tool_input.items() if name not in hidden}
    return given, lambda _, arguments: run({**arguments, **hidden})
