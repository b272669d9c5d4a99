"""What a tool returned as content blocks: texts, images, sounds and files, in whatever shape their author wrote them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.dialects.block_shapes import Block, block_of
from mulligan.errors import ToolExecutionError
from mulligan.secrets.redaction import cut

if TYPE_CHECKING:
    from mulligan.results import ToolResult

_ENVELOPE = frozenset(
    ("content", "structuredContent", "structured_content", "isError", "is_error", "resultType", "result_type", "_meta")
)
_NOTE = 48


def blocks_of(result: ToolResult) -> list[Block] | None:
    """The content blocks that a tool returned, its texts no longer than what was left of `content`.

    Args:
        result: the result of its call.

    Returns:
        None where it returned anything else, or failed: then `content` is what the model reads.
    """
    if result.is_error or isinstance(result.value, (str, int, float, type(None))):
        return None
    try:
        blocks = _blocks(_opened(result.value))
    except (TypeError, ValueError, RecursionError, ToolExecutionError):
        return None
    return None if blocks is None else _within(blocks, len(result.content))


def written(
    blocks: Iterable[Block],
    dialect: str,
    text: Callable[[str], dict[str, Any]],
    media: Callable[[Block], dict[str, Any] | None],
) -> list[dict[str, Any]]:
    """The blocks as a provider takes them.

    Args:
        blocks: the blocks.
        dialect: the name of the dialect; a block that was written in its shape is handed on as it is.
        text: makes a text part.
        media: makes a part for data; None if the provider takes no such data, which is then described in a text.
    """
    parts = []
    for block in blocks:
        if block.dialect == dialect:
            parts.append(dict(block.native))
        elif block.text or block.told:
            parts.append(text(block.text) if block.text else media(block) or text(block.told))
    return parts


def json_value(result: ToolResult) -> Any:
    """What the model reads as JSON values, where all of it is JSON; else as the text that it is.

    Args:
        result: the result of its call.
    """
    if result.is_error or isinstance(result.value, str):
        return result.content
    try:
        return json.loads(result.content)
    except (ValueError, RecursionError):
        return result.content


def _within(blocks: list[Block], limit: int) -> list[Block]:
    """The blocks with a limited number of characters, and a note on what was left out."""
    kept = []
    for block in blocks:
        if len(block.text) > limit:
            start = cut(block.text, max(limit - _NOTE, 0)).removesuffix("…")
            left_out = len(block.text) - len(start)
            block = Block(f"{start}…\n[{left_out:,} of {len(block.text):,} characters left out]")  # noqa: PLW2901
        limit = max(limit - len(block.text), 0)
        kept.append(block)
    return kept


def _opened(value: Any) -> Any:
    """An SDK's object as its provider writes it."""
    dump = getattr(value, "model_dump", None)
    if dump is None or isinstance(value, type):
        return value
    return dump(mode="json", by_alias=True, exclude_none=True)


def _blocks(value: Any) -> list[Block] | None:
    if isinstance(value, Mapping):
        content = value.get("content")
        if isinstance(content, list) and value.keys() <= _ENVELOPE:
            return _each(content) or None
    if isinstance(value, (list, tuple)):
        return None if all(type(item) is str for item in value) else _each(value)
    block = block_of(value)
    return None if block is None else [block]


def _each(items: Iterable[Any]) -> list[Block] | None:
    """The blocks of a list in which there is nothing else but texts."""
    found = []
    for item in items:
        block = Block(item) if isinstance(item, str) else block_of(_opened(item))
        if block is None:
            return None
        found.append(block)
    return found
