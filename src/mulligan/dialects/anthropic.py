"""Anthropic Messages (https://docs.anthropic.com/en/api/messages)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.dialects.base import Dialect
from mulligan.dialects.readers import (
    FILTER,
    LIMIT,
    STREAM,
    CutOff,
    answer_id,
    index_of,
    kind_of,
    make_call,
    mapping,
    mappings,
    mark_cut_off,
    part_of,
    read_chunks,
    without_none,
)
from mulligan.errors import ToolArgumentError

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.dialects.blocks import Block
    from mulligan.results import ToolResult
    from mulligan.tools import Tool

_END_REASONS = {"max_tokens": LIMIT, "model_context_window_exceeded": LIMIT, "refusal": FILTER, None: STREAM}
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_EVENTS = frozenset(
    (
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    )
)
_INVALID = "INVALID_JSON"  # the API accepts invalid JSON under this key
_MEMBERS = {"text_delta": "text", "thinking_delta": "thinking", "input_json_delta": "partial_json"}


class AnthropicDialect(Dialect):
    """`tool_use` blocks of an assistant message, all answered by the blocks of one user message."""

    name = "anthropic"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is from the assistant and its content is a list of typed blocks."""
        content = message.get("content")
        if message.get("role") != "assistant" or not isinstance(content, list):
            return False
        if (
            "tool_calls" in message
            or mapping(message.get("function_call"))
            or "toolUse" in (message.get("stop_reason"), message.get("stopReason"))
        ):
            return False
        return all(kind_of(block) not in ("", "tool-call") for block in mappings(content))

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of the `tool_use` blocks. In a message that ended early, the last block counts as cut off.

        A refusal withdraws the whole message.
        """
        blocks = mappings(message.get("content"))
        reason = message.get("stop_reason", "")
        ended = _END_REASONS.get(reason) if isinstance(reason, (str, type(None))) else None
        return [
            make_call(
                block,
                block.get("id"),
                block.get("name"),
                _input(block, ended if ended == FILTER or block is blocks[-1] else None),
            )
            for block in blocks
            if kind_of(block) == "tool_use"
        ]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A user message with one `tool_result` block."""
        return {"role": "user", "content": [_block(result)]}

    def messages(self, results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """One user message with all `tool_result` blocks; an empty list if there are no results."""
        return [{"role": "user", "content": [_block(result) for result in results]}] if results else []

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A tool definition."""
        return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """The message of its events; `stop_reason` is None if the stream ended early."""
        message: dict[str, Any] = {}
        ending: dict[str, Any] = {"stop_reason": None, "stop_sequence": None}
        blocks: dict[Any, _BlockAssembler] = {}
        for event in read_chunks(chunks, self.name, lambda event: kind_of(event) in _EVENTS):
            message |= without_none(mapping(event.get("message")))
            if event["type"] == "message_delta":
                ending |= without_none(mapping(event.get("delta")))
                usage = without_none(mapping(event.get("usage")))
                message["usage"] = {**mapping(message.get("usage")), **usage}
            elif (index := index_of(event)) is not None:
                blocks.setdefault(index, _BlockAssembler()).add(event)
        content = [block.build() for block in blocks.values() if block.has_started]
        return {**message, **ending, "type": "message", "role": "assistant", "content": content}


def _input(block: Mapping[str, Any], ended: str | None) -> Any:
    """The arguments of a block; if the message reached its token limit, the last ones may be truncated."""
    arguments = block.get("input")
    if isinstance(arguments, Mapping) and arguments.keys() == {_INVALID}:
        arguments = arguments[_INVALID]
    return CutOff(arguments, ended) if ended == LIMIT else mark_cut_off(arguments, ended)


def _block(result: ToolResult) -> dict[str, Any]:
    from mulligan.dialects.blocks import blocks_of, write_blocks

    blocks = blocks_of(result)
    content = result.content if blocks is None else write_blocks(blocks, "anthropic", _text, _part) or result.content
    block = {"type": "tool_result", "tool_use_id": answer_id(result.call, "id"), "content": content}
    family = part_of(result.call).get("toolset_name")
    if family is not None:
        block["toolset_name"] = family
    return {**block, "is_error": True} if result.is_error else block


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _part(block: Block) -> dict[str, Any] | None:
    inline = {"type": "base64", "media_type": block.media_type, "data": block.data}
    source = inline if block.data else {"type": "url", "url": block.url}
    if block.media_type in _IMAGES or (block.url and block.media_type.startswith("image/")):
        return {"type": "image", "source": source}
    if block.media_type == "application/pdf" and (block.data or block.url):
        return {"type": "document", "source": source, **({"title": block.name} if block.name else {})}
    return None


class _BlockAssembler:
    """Builds one block from its events."""

    def __init__(self) -> None:
        self._block: dict[str, Any] = {}
        self._pieces: dict[str, list[str]] = {}
        self._is_complete = False

    @property
    def has_started(self) -> bool:
        """Whether the start of the block has arrived."""
        return kind_of(self._block) != ""

    def add(self, event: Mapping[str, Any]) -> None:
        """Adds one event."""
        if event["type"] == "content_block_start":
            self._block = without_none(mapping(event.get("content_block")))
        self._is_complete |= event["type"] == "content_block_stop"
        delta = mapping(event.get("delta"))
        member = _MEMBERS.get(kind_of(delta))
        if member is not None and isinstance(delta.get(member), str):
            self._pieces.setdefault(member, []).append(delta[member])
        elif kind_of(delta) == "signature_delta":
            self._block["signature"] = delta.get("signature")
        elif kind_of(delta) == "citations_delta":
            self._block["citations"] = [*(self._block.get("citations") or ()), delta.get("citation")]

    def build(self) -> dict[str, Any]:
        """The block so far. Arguments that are not a JSON object are wrapped in the form that the API accepts."""
        texts = {member: "".join(pieces) for member, pieces in self._pieces.items()}
        arguments = texts.pop("partial_json", "")
        is_cut = kind_of(self._block) == "tool_use" and not (self._is_complete or self._block.get("input"))
        if arguments or is_cut:
            return {**self._block, "input": _parse_arguments(arguments)}
        return {**self._block, **{member: str(self._block.get(member) or "") + text for member, text in texts.items()}}


def _parse_arguments(text: str) -> Mapping[str, Any]:
    """The arguments as an object if that loses nothing; otherwise their text, so that the error can be reported."""
    from mulligan.policy import Limits
    from mulligan.validate.arguments import read_arguments

    try:
        return read_arguments(text, Limits()) if text else {_INVALID: text}
    except ToolArgumentError:
        return {_INVALID: text}
