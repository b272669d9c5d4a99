"""The Model Context Protocol, `tools/call` (https://modelcontextprotocol.io/specification)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mulligan.dialects.base import Dialect
from mulligan.dialects.readers import make_call, mapping, part_of
from mulligan.errors import UsageError

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.dialects.blocks import Block
    from mulligan.results import ToolResult
    from mulligan.tools import Tool


class MCPDialect(Dialect):
    """A `tools/call` request, answered by a `CallToolResult`, or by a JSON-RPC response if the request has an id."""

    name = "mcp"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is a `tools/call` request."""
        return message.get("method") == "tools/call"

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The one call of a request, with the id of the JSON-RPC request.

        Raises:
            UsageError: the message is a notification, which cannot be answered.
        """
        if "jsonrpc" in message and "id" not in message:
            raise UsageError(
                "this tools/call has no id: it is a JSON-RPC notification, which cannot be answered. Nothing was run. "
                "Send it as a request with an id"
            )
        params = mapping(message.get("params"))
        return [make_call(message, message.get("id"), params.get("name"), params.get("arguments"))]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A `CallToolResult`, with `structuredContent` if the tool returned a JSON object."""
        from mulligan.dialects.blocks import blocks_of, json_value, structured_content, write_blocks

        blocks = blocks_of(result)
        content = [_text(result.content)] if blocks is None else write_blocks(blocks, self.name, _text, _part)
        answer: dict[str, Any] = {"content": content, "isError": result.is_error}
        structured = json_value(result) if blocks is None else structured_content(result)
        if isinstance(structured, dict):
            answer["structuredContent"] = structured
        request = part_of(result.call)
        return {"jsonrpc": "2.0", "id": request["id"], "result": answer} if "jsonrpc" in request else answer

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A `Tool` of `tools/list`, with the hints that its author declared."""
        hints = {"readOnlyHint": tool.read_only, "idempotentHint": tool.idempotent, "destructiveHint": tool.destructive}
        return {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": {"type": "object", **tool.parameters},
            "annotations": {hint: value for hint, value in hints.items() if value is not None},
        }


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _part(block: Block) -> dict[str, Any] | None:
    kind = block.media_type.partition("/")[0]
    if block.data and kind in ("image", "audio"):
        return {"type": kind, "data": block.data, "mimeType": block.media_type}
    if block.data:
        uri = block.name if "://" in block.name else "file:///" + _quoted(block.name or "file")
        return {"type": "resource", "resource": {"uri": uri, "mimeType": block.media_type, "blob": block.data}}
    if block.url:
        typed = {} if block.media_type.endswith("*") else {"mimeType": block.media_type}
        return {"type": "resource_link", "uri": block.url, "name": block.name or block.url, **typed}
    return None


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name)
