"""Calls whose arguments are no JSON, which the framework sets aside as `invalid_tool_calls` and never runs."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterable
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from mulligan import Session, Tool, ToolCall, ToolResult
from mulligan.adapters import OPEN
from mulligan.errors import ToolArgumentError
from mulligan_langchain.attempt import ToolAttempt
from mulligan_langchain.gate import Gate, Thread, Toolbox, never

Step = tuple[ToolAttempt, ToolCall, Session | None]


def answer_malformed_calls(
    messages: Iterable[Any], gate: Gate, box: Toolbox, thread: Thread | None, known: bool
) -> list[Any]:
    """The messages with the calls that could be read after all, each followed by answers to its others.

    Args:
        messages: those of the model, among others.
        gate: runs calls.
        box: the tools that the model was shown.
        thread: where it was said.
        known: whether the toolbox holds everything that the model was shown.
    """
    steps = _answer_steps(messages, gate, box, thread, known)
    try:
        attempt, call, session = next(steps)
        while True:
            with attempt.entered():
                prepared = attempt.view.prepare(call)
            attempt, call, session = steps.send(prepared or attempt.call(call, session=session))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


async def aanswer_malformed_calls(
    messages: Iterable[Any], gate: Gate, box: Toolbox, thread: Thread | None, known: bool
) -> list[Any]:
    """`answer_malformed_calls`, awaited.

    Args:
        messages: those of the model, among others.
        gate: runs calls.
        box: the tools that the model was shown.
        thread: where it was said.
        known: whether the toolbox holds everything that the model was shown.
    """
    steps = _answer_steps(messages, gate, box, thread, known)
    try:
        attempt, call, session = next(steps)
        while True:
            with attempt.entered():
                prepared = await attempt.view.aprepare(call)
            attempt, call, session = steps.send(prepared or await attempt.acall(call, session=session))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def _answer_steps(messages: Iterable[Any], *where: Any) -> Generator[Step, Any, list[Any]]:
    settled: list[Any] = []
    for message in messages:
        is_malformed = isinstance(message, AIMessage) and message.invalid_tool_calls
        settled += (yield from _settle(message, *where)) if is_malformed else [message]
    return settled


def _settle(
    message: AIMessage, gate: Gate, box: Toolbox, thread: Thread | None, known: bool
) -> Generator[Step, Any, list[Any]]:
    """Asks for each call to be read; is sent the call as it can run, or the result of one that cannot."""
    read: list[Any] = []
    left: list[Any] = []
    answers: list[ToolMessage] = []
    session = None if thread is None else thread.session
    for sent in message.invalid_tool_calls:
        named: dict[str, Any] = {
            **sent,
            "name": sent.get("name") or "",
            "id": sent.get("id") or f"call_{uuid.uuid4().hex}",
        }
        call = ToolCall(named["id"], named["name"], sent.get("args") or "")
        is_ours = call.name in box.entries or known
        view = box.view(awaited=True) if is_ours else gate.adapter.pipeline.with_tools([_open(call.name)])
        came = yield ToolAttempt(view, box.entries, never), call, session
        if isinstance(came, ToolCall) and is_ours:
            read.append({"name": came.name, "args": came.arguments, "id": call.id, "type": "tool_call"})
            continue
        if isinstance(came, ToolCall):  # such as the schema of a structured answer
            error = ToolArgumentError("The arguments are not valid JSON; nothing was run.")
            came = ToolResult.from_error(error, call=call)
        left.append(named)
        answers.append(gate.rejected(came, named, thread))
    calls = [*message.tool_calls, *read]
    return [message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": left}), *answers]


def _open(name: str) -> Tool:
    return Tool.from_schema(name, "", OPEN, lambda **_: "", inline=True)
