"""Calls that ADK could not read: it reports them as MALFORMED_FUNCTION_CALL, and leaves them out of the conversation.

They are put back as calls without arguments, so that they can be answered. What the model wrote is known where the
LiteLLM client is a `RawCalls`; otherwise the answer says no more than that it was no JSON.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection, Iterable
from typing import Any

from google.adk.models.llm_response import LlmResponse
from google.genai import types

from mulligan import Pipeline, Session, Tool, ToolResult
from mulligan.errors import ToolArgumentError
from mulligan_adk.raw_calls import RawCall, noted_calls

_NAMELESS = "unreadable_call"
_UNSIGNED = b"skip_thought_signature_validator"
_MESSAGE = "The arguments are not a JSON object and could not be read."


def is_malformed(response: LlmResponse) -> bool:
    """Whether ADK reports calls that it could not read.

    Args:
        response: the whole response, or a part of a streamed one.
    """
    return response.finish_reason is types.FinishReason.MALFORMED_FUNCTION_CALL and not response.partial


def read(response: LlmResponse, names: Collection[str]) -> dict[str, str | None]:
    """Puts the calls that were left out into a response, which then reports no error.

    Args:
        response: the response, which is changed.
        names: the tools that may be called now.

    Returns:
        What the model wrote as arguments, by call id; None where that is not known.
    """
    content = response.content or types.Content(role="model")
    parts = list(content.parts or ())
    known = {call.id for call in response.get_function_calls()}
    left_out = [raw for raw in noted_calls() if raw.id not in known] or [*_named(response.error_message or "", names)]
    unreadable: dict[str, str | None] = {}
    for raw in left_out:
        arguments = raw.read()
        call = types.FunctionCall(id=raw.id, name=raw.name, args=arguments or {})
        parts.append(types.Part(function_call=call, thought_signature=_UNSIGNED))
        if arguments is None:
            unreadable[raw.id] = raw.arguments
    response.content = types.Content(role="model", parts=parts)
    response.finish_reason, response.error_code, response.error_message = types.FinishReason.STOP, None, None
    return unreadable


def _named(message: str, names: Collection[str]) -> Iterable[RawCall]:
    """The calls of tools that the error names, behind its last colon; one without a name where it names none."""
    words = re.findall(r"[\w.-]+", message.rpartition(":")[2])
    found = [word for word in words if word in names] or [_NAMELESS]
    return [RawCall(f"mulligan-{uuid.uuid4()}", name, None) for name in found]


async def answered(view: Pipeline, name: str, text: str | None, id: str, session: Session) -> ToolResult:
    """The result of a call whose arguments are no JSON.

    Args:
        view: the pipeline with the tools that may be called now.
        name: the name that was called.
        text: what the model wrote as arguments, or None.
        id: the call's id.
        session: the conversation.
    """
    if text is not None:
        return await view.acall(name, text, call_id=id, session=session)

    async def refuse(**_: Any) -> None:
        raise ToolArgumentError(_MESSAGE, user_message="The assistant wrote an unreadable call.")

    refusing = view.with_tools([Tool.from_schema(name, "", {"type": "object"}, refuse)])
    return await refusing.acall(name, {}, call_id=id, session=session)
