"""Calls that ADK could not read: it reports them as MALFORMED_FUNCTION_CALL, and leaves them out of the conversation.

They are put back, so that they can be answered. What the model wrote is known if the LiteLLM client is a `RawCalls`;
otherwise the answer says no more than that it was no JSON.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

from google.adk.models.llm_response import LlmResponse
from google.genai import types

from mulligan import ToolCall
from mulligan.adapters import ArgumentsRefused
from mulligan.errors import ToolArgumentError
from mulligan_adk.runs import Memory

_NAMELESS = "unreadable_call"
_UNSIGNED = b"skip_thought_signature_validator"
_MESSAGE = "The arguments are not a JSON object and could not be read."
_USER_MESSAGE = "The assistant wrote an unreadable call."

WRITTEN_CALLS: ContextVar[dict[int, ToolCall]] = ContextVar("mulligan_adk_calls")
"""The calls of the model's last message by their place in it, as the model wrote them and a client has noted them."""


def is_malformed(response: LlmResponse) -> bool:
    """Whether ADK reports calls that it could not read."""
    return response.finish_reason is types.FinishReason.MALFORMED_FUNCTION_CALL and not response.partial


async def put_back(response: LlmResponse, memory: Memory) -> None:
    """Puts the calls that were left out into a response, which then reports no error; repaired if the policy allows it."""
    parts = list(getattr(response.content, "parts", None) or ())
    known = {call.id for call in response.get_function_calls()}
    left_out = [call for call in WRITTEN_CALLS.get({}).values() if call.id and call.name and call.id not in known]
    for written in left_out or _named(response.error_message or "", memory):
        arguments = await _read(written, memory)
        call = types.FunctionCall(id=written.id, name=written.name, args=arguments)
        parts.append(types.Part(function_call=call, thought_signature=_UNSIGNED))
    response.content = types.Content(role="model", parts=parts)
    response.finish_reason, response.error_code, response.error_message = types.FinishReason.STOP, None, None


async def _read(written: ToolCall, memory: Memory) -> Any:
    """The arguments of a call that can run; none of another one, whose text answers it later."""
    prepared = None if written.arguments is None or memory.view is None else await memory.view.aprepare(written)
    if prepared is None or prepared.name != written.name:
        memory.unreadable[str(written.id)] = written.arguments
        return {}
    memory.prepared[str(written.id)] = prepared
    return prepared.arguments


def _named(message: str, memory: Memory) -> Iterable[ToolCall]:
    """The calls of tools that the error names, behind its last colon; one without a name if it names none."""
    words = re.findall(r"[\w.-]+", message.rpartition(":")[2])
    found = [word for word in words if word in memory.tools] or [_NAMELESS]
    return [ToolCall(f"mulligan-{uuid.uuid4()}", name) for name in found]


def refusal() -> ArgumentsRefused:
    """What a call means whose arguments are no JSON, and not known."""
    return ArgumentsRefused(ToolArgumentError(_MESSAGE, effect="none", user_message=_USER_MESSAGE))
