"""A client for ADK's `LiteLlm` that keeps what the model wrote as arguments, so that its mistakes can be named.

from google.adk.models.lite_llm import LiteLlm
from mulligan_adk.litellm import RawCalls

model = LiteLlm("openai/gpt-5", llm_client=RawCalls())
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from google.adk.models.lite_llm import LiteLLMClient

from mulligan_adk.raw_calls import RAW_CALLS, RawCall


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
        calls = RAW_CALLS.get({})
        calls.clear()
        if kwargs.get("stream"):
            return _listening(response, calls)
        _note(response, "message", calls)
        return response

    def completion(self, model: Any, messages: Any, tools: Any, stream: bool = False, **kwargs: Any) -> Any:
        """Asks the model, without waiting for it on the event loop."""
        return self._client.completion(model, messages, tools, stream=stream, **kwargs)


def _note(response: Any, field: str, calls: dict[int, RawCall]) -> None:
    """Notes the calls of a response, or of a piece of one."""
    message = next((choice.get(field) for choice in response.get("choices") or ()), None) or {}
    for place, call in enumerate(message.get("tool_calls") or ()):
        index = call.get("index")
        raw = calls.setdefault(place if index is None else index, RawCall())
        function = call.get("function") or {}
        raw.id = call.get("id") or raw.id
        raw.name = function.get("name") or raw.name
        raw.arguments = f"{raw.arguments}{function.get('arguments') or ''}"


async def _listening(chunks: AsyncIterator[Any], calls: dict[int, RawCall]) -> AsyncIterator[Any]:
    async for chunk in chunks:
        _note(chunk, "delta", calls)
        yield chunk
