"""What came of a call, as an MCP `CallToolResult`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan import ToolResult


def failure_of(result: ToolResult, original: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The answer to a call that failed: the feedback, and whatever of the server's own answer is no text.

    Args:
        result: what came of the call.
        original: what the server answered, if it did.
    """
    blocks = (original or {}).get("content")
    listed = blocks if isinstance(blocks, list) else []
    kept = [one for one in listed if isinstance(one, Mapping) and one.get("type") != "text"]
    answer: dict[str, Any] = {"content": [{"type": "text", "text": result.content}, *kept], "isError": True}
    if original is not None:
        answer.update({name: original[name] for name in ("structuredContent", "_meta") if name in original})
    return answer


def with_notes(result: ToolResult, original: Mapping[str, Any]) -> dict[str, Any]:
    """The server's own answer; where the call was repaired first, with a line on that.

    Args:
        result: what came of the call.
        original: what the server answered.
    """
    if not result.repairs:
        return dict(original)
    notes = result.content.strip()  # the answer itself is not in it: the pipeline gets none of it
    return {**original, "content": [*(original.get("content") or ()), {"type": "text", "text": notes}]}
