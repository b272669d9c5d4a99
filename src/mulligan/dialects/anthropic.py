"""Anthropic Messages (https://docs.anthropic.com/en/api/messages)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.calls import ToolCall
from mulligan.dialects.base import Dialect

if TYPE_CHECKING:
    from mulligan.results import ToolResult
    from mulligan.tools import Tool


class AnthropicDialect(Dialect):
    """`tool_use` blocks in an assistant message, all answered by the blocks of one user message."""

    name = "anthropic"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether it is an assistant message whose content is a list of blocks."""
        content = message.get("content")
        return isinstance(content, list) and "tool_calls" not in message

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of the `tool_use` blocks."""
        blocks = [block for block in message.get("content") or () if isinstance(block, Mapping)]
        return [
            ToolCall(block.get("id"), str(block.get("name") or ""), block.get("input"))
            for block in blocks
            if block.get("type") == "tool_use"
        ]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A user message with one `tool_result` block."""
        return {"role": "user", "content": [_block(result)]}

    def messages(self, results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """One user message with all `tool_result` blocks; none where there are no calls."""
        return [{"role": "user", "content": [_block(result) for result in results]}] if results else []

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A tool definition."""
        return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}


def _block(result: ToolResult) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": result.call.id, "content": result.content}
    return {**block, "is_error": True} if result.is_error else block
