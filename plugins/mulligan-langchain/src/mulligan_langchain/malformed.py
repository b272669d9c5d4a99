"""Calls whose arguments are no JSON, which the framework sets aside as `invalid_tool_calls` and never runs."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from mulligan import ToolCall, ToolResult
from mulligan.adapters import Attempt
from mulligan.errors import ToolArgumentError
from mulligan_langchain.attempt import ToolAttempt
from mulligan_langchain.awaiting import resolve
from mulligan_langchain.gate import Gate, Thread, never
from mulligan_langchain.translation import Toolbox


async def answer_malformed_calls(
    messages: Iterable[Any], gate: Gate, box: Toolbox, thread: Thread, known: bool, *, awaited: bool
) -> list[Any]:
    """The messages with the calls that could be read after all, each followed by answers to its others.

    Args:
        messages: those of the model, among others.
        gate: runs calls.
        box: the tools that the model was shown.
        thread: where it was said.
        known: whether the toolbox holds everything that the model was shown.
        awaited: whether the tools are called with `await`.
    """
    settled: list[Any] = []
    for message in messages:
        if not isinstance(message, AIMessage) or not message.invalid_tool_calls:
            settled.append(message)
            continue
        read: list[Any] = []
        left: list[Any] = []
        answers: list[ToolMessage] = []
        for sent in message.invalid_tool_calls:
            id = sent.get("id") or f"call_{uuid.uuid4().hex}"
            call = ToolCall(id, sent.get("name") or "", sent.get("args") or "")
            is_ours = known or call.name in box.entries
            came = await _read_call(call, gate, box if is_ours else None, thread, awaited)
            if isinstance(came, ToolCall):
                read.append({"name": came.name, "args": came.arguments, "id": id, "type": "tool_call"})
            else:
                left.append({**sent, "name": call.name, "id": id})
                answers.append(gate.rejected(came, left[-1], thread))
        update = {"tool_calls": [*message.tool_calls, *read], "invalid_tool_calls": left}
        settled += [message.model_copy(update=update), *answers]
    return settled


async def _read_call(call: ToolCall, gate: Gate, box: Toolbox | None, thread: Thread, awaited: bool) -> Any:
    """The call as it can run, or the result of one that cannot, such as one of the schema of a structured answer."""
    attempt = Attempt(gate.foreign(call.name), never) if box is None else ToolAttempt(box, never, awaited=True)
    view = attempt.view
    with attempt.entered():
        prepared = await resolve((view.aprepare if awaited else view.prepare)(call))
        if prepared is None:
            return await resolve((view.acall if awaited else view.call)(call, session=thread.session))
    if box is not None:
        return prepared
    error = ToolArgumentError("The arguments are not valid JSON; nothing was run.")
    return ToolResult.from_error(error, call=call)
