"""Builds an MCP `CallToolResult` from the result of a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan import ToolResult


def failure_of(result: ToolResult, original: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The result of a failed call: the feedback, and the content of the server's own result that is not text.

    Args:
        result: what came of the call.
        original: the server's own result, if there is one.
    """
    blocks = (original or {}).get("content")
    listed = blocks if isinstance(blocks, list) else []
    kept = [one for one in listed if isinstance(one, Mapping) and one.get("type") != "text"]
    answer: dict[str, Any] = {"content": [{"type": "text", "text": result.content}, *kept], "isError": True}
    if original is not None:
        answer.update({name: original[name] for name in ("structuredContent", "_meta") if name in original})
    return answer


def with_notes(result: ToolResult, original: Mapping[str, Any]) -> dict[str, Any]:
    """The server's own result, with a note if the call was repaired.

    Args:
        result: what came of the call.
        original: the server's own result.
    """
    if not result.repairs:
        return dict(original)
    notes = result.content.strip()  # it lacks the server's result, which the pipeline never receives
    return {**original, "content": [*(original.get("content") or ()), {"type": "text", "text": notes}]}
