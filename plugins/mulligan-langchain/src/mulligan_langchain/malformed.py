"""Calls whose arguments are no JSON, which the framework sets aside as `invalid_tool_calls` and never runs."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from mulligan import Limits, Pipeline, Session, Tool, ToolCall, ToolResult
from mulligan.errors import ToolArgumentError
from mulligan.plugin import read_arguments
from mulligan_langchain.conversations import Conversation
from mulligan_langchain.gate import Gate
from mulligan_langchain.toolbox import Toolbox
from mulligan_langchain.translation import OPEN

AnsweredMessage = tuple[AIMessage, list[ToolMessage]]
PipelineCall = tuple[Pipeline, ToolCall, Session | None]


def answer_malformed_calls(
    message: AIMessage, gate: Gate, box: Toolbox, conversation: Conversation | None, known: bool
) -> AnsweredMessage:
    """The message with the calls that could be read after all, and answers to the others.

    Args:
        message: the model's.
        gate: runs calls.
        box: the tools that the model was shown.
        conversation: where it was said.
        known: whether the toolbox holds everything that the model was shown.
    """
    steps = _answer_steps(message, gate, box, conversation, known)
    try:
        pipeline, call, session = next(steps)
        while True:
            pipeline, call, session = steps.send(pipeline.call(call, session=session))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


async def aanswer_malformed_calls(
    message: AIMessage, gate: Gate, box: Toolbox, conversation: Conversation | None, known: bool
) -> AnsweredMessage:
    """`answer_malformed_calls`, awaited.

    Args:
        message: the model's.
        gate: runs calls.
        box: the tools that the model was shown.
        conversation: where it was said.
        known: whether the toolbox holds everything that the model was shown.
    """
    steps = _answer_steps(message, gate, box, conversation, known)
    try:
        pipeline, call, session = next(steps)
        while True:
            pipeline, call, session = steps.send(await pipeline.acall(call, session=session))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def _answer_steps(
    message: AIMessage, gate: Gate, box: Toolbox, conversation: Conversation | None, known: bool
) -> Generator[PipelineCall, ToolResult, AnsweredMessage]:
    read: list[Any] = []
    left: list[Any] = []
    answers: list[ToolMessage] = []
    for sent in message.invalid_tool_calls:
        named: dict[str, Any] = {
            **sent,
            "name": sent.get("name") or "",
            "id": sent.get("id") or f"call_{uuid.uuid4().hex}",
        }
        call = ToolCall(named["id"], named["name"], sent.get("args") or "")
        if call.name in box.entries or known:
            result = yield box.reading, call, None
            if not result.is_error:
                read.append({**_as_read(result), "id": call.id, "type": "tool_call"})
                continue
            if conversation is not None:
                result = yield box.reading, call, conversation.session
        else:  # such as the schema of a structured answer
            result = yield gate.pipeline.with_tools([_open(call.name)]), call, None
            if not result.is_error:
                error = ToolArgumentError("The arguments are not valid JSON; nothing was run.")
                result = ToolResult.from_error(error, call=call)
        left.append(named)
        answers.append(gate.rejected(result, named, conversation))
    calls = [*message.tool_calls, *read]
    return message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": left}), answers


def _as_read(result: ToolResult) -> dict[str, Any]:
    return {"name": result.call.name, "args": read_arguments(result.call.arguments, Limits())}


def _open(name: str) -> Tool:
    return Tool.from_schema(name, "", OPEN, lambda **_: "", inline=True)
