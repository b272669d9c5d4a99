"""A client for ADK's `LiteLlm` that keeps what the model wrote as arguments, so that its mistakes can be named.

from google.adk.models.lite_llm import LiteLlm
from mulligan_adk.litellm import RawCalls

model = LiteLlm("openai/gpt-5", llm_client=RawCalls())
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from google.adk.models.lite_llm import LiteLLMClient

from mulligan_adk.raw_calls import RawCall, note_calls


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
        if kwargs.get("stream"):
            return _listening(response)
        _Calls().note(response, "message")
        return response

    def completion(self, model: Any, messages: Any, tools: Any, stream: bool = False, **kwargs: Any) -> Any:
        """Asks the model, without waiting for it on the event loop."""
        return self._client.completion(model, messages, tools, stream=stream, **kwargs)


class _Calls:
    """Calls that arrive whole or in pieces."""

    def __init__(self) -> None:
        self._found: dict[int, RawCall] = {}

    def note(self, response: Any, field: str) -> None:
        """Notes the calls so far, with those of a response, or of a piece of one."""
        message = next((choice.get(field) for choice in response.get("choices") or ()), None) or {}
        for place, call in enumerate(message.get("tool_calls") or ()):
            index = call.get("index")
            raw = self._found.setdefault(place if index is None else index, RawCall("", "", ""))
            function = call.get("function") or {}
            raw.id = call.get("id") or raw.id
            raw.name = function.get("name") or raw.name
            raw.arguments = f"{raw.arguments}{function.get('arguments') or ''}"
        note_calls([raw for raw in self._found.values() if raw.id and raw.name])


async def _listening(chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
    calls = _Calls()
    async for chunk in chunks:
        calls.note(chunk, "delta")
        yield chunk
