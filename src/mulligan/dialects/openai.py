"""OpenAI Chat Completions (https://platform.openai.com/docs/api-reference/chat)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.dialects.base import Dialect

if TYPE_CHECKING:
    from mulligan.results import ToolResult
    from mulligan.tools import Tool


class OpenAIDialect(Dialect):
    """`tool_calls` on an assistant message, answered by one message of the role `tool` each."""

    name = "openai"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether it is a chat completion, or an assistant message with `tool_calls` or text."""
        told = isinstance(message.get("content"), (str, type(None))) and message.get("role") == "assistant"
        return "choices" in message or "tool_calls" in message or told

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of an assistant message, or of the first choice of a chat completion."""
        choices = message.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
            first = choices[0].get("message")
            message = first if isinstance(first, Mapping) else {}
        asked = message.get("tool_calls")
        return [_call(item) for item in asked or () if isinstance(item, Mapping)]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A message of the role `tool`."""
        return {"role": "tool", "tool_call_id": result.call.id, "content": result.content}

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A function definition."""
        function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        return {"type": "function", "function": function}


def _call(item: Mapping[str, Any]) -> ToolCall:
    """A call of type `function`, or of type `custom`, whose input is free text."""
    asked = item.get("function") or item.get("custom")
    asked = asked if isinstance(asked, Mapping) else {}
    arguments = asked.get("arguments", asked.get("input"))
    return ToolCall(item.get("id"), str(asked.get("name") or ""), arguments)
