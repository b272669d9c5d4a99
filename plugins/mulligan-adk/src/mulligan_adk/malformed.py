"""Calls that ADK could not read: it reports them as MALFORMED_FUNCTION_CALL, and leaves them out of the conversation.

They are put back, so that they can be answered. What the model wrote is known if the LiteLLM client is a `RawCalls`;
otherwise the answer says no more than that it was no JSON.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from typing import Any

from google.adk.models.llm_response import LlmResponse
from google.genai import types

from mulligan import ToolCall
from mulligan.adapters import ArgumentsRefused
from mulligan.errors import ToolArgumentError
from mulligan_adk.raw_calls import RAW_CALLS, RawCall
from mulligan_adk.runs import Memory

_NAMELESS = "unreadable_call"
_UNSIGNED = b"skip_thought_signature_validator"
_MESSAGE = "The arguments are not a JSON object and could not be read."
_USER_MESSAGE = "The assistant wrote an unreadable call."


def is_malformed(response: LlmResponse) -> bool:
    """Whether ADK reports calls that it could not read."""
    return response.finish_reason is types.FinishReason.MALFORMED_FUNCTION_CALL and not response.partial


async def put_back(response: LlmResponse, memory: Memory) -> None:
    """Puts the calls that were left out into a response, which then reports no error; repaired if the policy allows it."""
    content = response.content or types.Content(role="model")
    parts = list(content.parts or ())
    known = {call.id for call in response.get_function_calls()}
    left_out = [raw for raw in RAW_CALLS.get({}).values() if raw.id and raw.name and raw.id not in known]
    for raw in left_out or _named(response.error_message or "", memory):
        arguments = raw.read()
        if arguments is None:
            arguments = await _repaired(raw, memory)
        call = types.FunctionCall(id=raw.id, name=raw.name, args=arguments or {})
        parts.append(types.Part(function_call=call, thought_signature=_UNSIGNED))
        if arguments is None:
            memory.unreadable[raw.id] = raw.arguments
    response.content = types.Content(role="model", parts=parts)
    response.finish_reason, response.error_code, response.error_message = types.FinishReason.STOP, None, None


async def _repaired(raw: RawCall, memory: Memory) -> Any:
    if raw.arguments is None or memory.view is None:
        return None
    prepared = await memory.view.aprepare(ToolCall(raw.id, raw.name, raw.arguments))
    if prepared is None or prepared.name != raw.name:
        return None
    memory.prepared[raw.id] = prepared
    return prepared.arguments


def _named(message: str, memory: Memory) -> Iterable[RawCall]:
    """The calls of tools that the error names, behind its last colon; one without a name if it names none."""
    words = re.findall(r"[\w.-]+", message.rpartition(":")[2])
    found = [word for word in words if word in memory.tools] or [_NAMELESS]
    return [RawCall(f"mulligan-{uuid.uuid4()}", name, None) for name in found]


def refusal() -> ArgumentsRefused:
    """What a call means whose arguments are no JSON, and not known."""
    return ArgumentsRefused(ToolArgumentError(_MESSAGE, effect="none", user_message=_USER_MESSAGE))
