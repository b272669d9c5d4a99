"""A client for ADK's `LiteLlm` that keeps what the model wrote as arguments, so that its mistakes can be named.

from google.adk.models.lite_llm import LiteLlm
from mulligan_adk.litellm import RawCalls

model = LiteLlm("openai/gpt-5", llm_client=RawCalls())
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from google.adk.models.lite_llm import LiteLLMClient

from mulligan import ToolCall
from mulligan_adk.malformed import WRITTEN_CALLS


class RawCalls(LiteLLMClient):
    """Passes everything on as it is, and notes the calls.

    Args:
        client: the client that asks the model; by default ADK's own.
    """

    def __init__(self, client: LiteLLMClient | None = None) -> None:
        self._client = client or LiteLLMClient()

    async def acompletion(self, model: Any, messages: Any, tools: Any, **kwargs: Any) -> Any:
        """Asks the model, and notes the calls of its answer."""
        response = await self._client.acompletion(model, messages, tools, **kwargs)
        calls = WRITTEN_CALLS.get({})
        calls.clear()
        if kwargs.get("stream"):
            return _listening(response, calls)
        _note(response, "message", calls)
        return response


def _note(response: Any, field: str, calls: dict[int, ToolCall]) -> None:
    """Notes the calls of a response, or of a piece of one."""
    message = next((choice.get(field) for choice in response.get("choices") or ()), None) or {}
    for place, call in enumerate(message.get("tool_calls") or ()):
        index = place if call.get("index") is None else call["index"]
        function = call.get("function") or {}
        raw: Any = calls.get(index) or ToolCall("", "", "")
        text = f"{raw.arguments}{function.get('arguments') or ''}"
        calls[index] = ToolCall(call.get("id") or raw.id, function.get("name") or raw.name, text)


async def _listening(chunks: AsyncIterator[Any], calls: dict[int, ToolCall]) -> AsyncIterator[Any]:
    async for chunk in chunks:
        _note(chunk, "delta", calls)
        yield chunk
