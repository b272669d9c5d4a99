"""OpenAI Responses (https://platform.openai.com/docs/api-reference/responses)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
)

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.dialects.blocks import Block
    from mulligan.results import ToolResult
    from mulligan.tools import Tool

_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
_REASONS = {"max_output_tokens": LIMIT, "content_filter": FILTER}
_UNFINISHED = ("in_progress", "incomplete")
_IMAGES = ("image/*", "image/png", "image/jpeg", "image/gif", "image/webp")
_DELTAS = frozenset(
    (
        "response.function_call_arguments.delta",
        "response.custom_tool_call_input.delta",
        "response.output_text.delta",
    )
)


class OpenAIResponsesDialect(Dialect):
    """`function_call` items in the output of a response, each answered by one `function_call_output` item."""

    name = "openai-responses"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is a response, or one of its items that requests a call."""
        if kind_of(message) in _CALLS:
            return "call_id" in message
        return isinstance(message.get("output"), list) and message.get("object", "response") == "response"

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of a response's `function_call` and `custom_tool_call` items."""
        items = mappings(message.get("output", [message]))
        ended = None
        if message.get("status") in _UNFINISHED:
            reason = mapping(message.get("incomplete_details")).get("reason")
            ended = _REASONS.get(reason, STREAM) if isinstance(reason, str) else STREAM
        return [_call(item, ended) for item in items if kind_of(item) in _CALLS]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A `function_call_output` item, or a `custom_tool_call_output` item if the call was a `custom_tool_call`."""
        from mulligan.dialects.blocks import blocks_of, write_blocks

        blocks = blocks_of(result)
        output = result.content if blocks is None else write_blocks(blocks, self.name, _text, _part) or result.content
        part = part_of(result.call)
        echoed = {name: part[name] for name in ("caller",) if part.get(name) is not None}
        kind = kind_of(part) or "function_call"
        return {"type": f"{kind}_output", "call_id": answer_id(result.call, "call_id"), "output": output, **echoed}

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A function tool. It is not strict, since the schema of a strict tool must require every property."""
        return {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
            "strict": False,
        }

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """The response of its events; its status is `in_progress` if the stream ended early."""
        events = read_chunks(chunks, self.name, lambda event: kind_of(event).startswith("response."))
        response: dict[str, Any] = {}
        items: dict[Any, _ItemAssembler] = {}
        for event in events:
            response |= mapping(event.get("response"))
            if (index := index_of(event, "output_index")) is not None:
                items.setdefault(index, _ItemAssembler()).add(event)
        reported = response.get("output")
        output = (
            reported
            if reported and isinstance(reported, list)
            else [item.build() for item in items.values() if item.is_usable]
        )
        return {"status": "in_progress", **response, "object": "response", "output": output}


def _call(item: Mapping[str, Any], ended: str | None) -> ToolCall:
    arguments = item.get(_CALLS[kind_of(item)])
    status = item.get("status")
    if status == "incomplete":  # even if the text so far is complete
        return make_call(item, item.get("call_id"), item.get("name"), CutOff(arguments, ended or STREAM))
    if (ended is None and status in _UNFINISHED) or (ended == FILTER and status == "completed"):
        ended = STREAM  # a call that was complete before the filter ended the answer is not withdrawn
    return make_call(item, item.get("call_id"), item.get("name"), mark_cut_off(arguments, ended))


def _text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _part(block: Block) -> dict[str, Any] | None:
    if block.media_type in _IMAGES and block.data_url:
        return {"type": "input_image", "image_url": block.data_url, "detail": "auto"}
    if block.media_type.startswith(("audio/", "video/")):
        return None
    if block.data:
        return {"type": "input_file", "filename": block.name or "file", "file_data": block.data_url}
    return {"type": "input_file", "file_url": block.url} if block.url else None


class _ItemAssembler:
    """Builds one item of the output from its events."""

    def __init__(self) -> None:
        self._item: dict[str, Any] = {}
        self._pieces: list[str] = []
        self._done = False

    def add(self, event: Mapping[str, Any]) -> None:
        """Adds one event."""
        kind, item = kind_of(event), mapping(event.get("item"))
        if item:
            self._item = dict(item)
            self._done = kind == "response.output_item.done"
        elif kind in ("response.function_call_arguments.done", "response.custom_tool_call_input.done"):
            whole = event.get("arguments", event.get("input"))
            self._pieces = [whole] if isinstance(whole, str) else self._pieces
        elif isinstance(event.get("delta"), str) and kind in _DELTAS:
            self._pieces.append(event["delta"])

    @property
    def is_usable(self) -> bool:
        """Whether the history accepts the item; it rejects an incomplete reasoning item."""
        return self._done or kind_of(self._item) in (*_CALLS, "message")

    def build(self) -> dict[str, Any]:
        """The item so far."""
        if self._done:
            return self._item
        text = "".join(self._pieces)
        if (member := _CALLS.get(kind_of(self._item))) is not None:
            return {**self._item, member: text or self._item.get(member) or ""}
        return {**self._item, "content": [{"type": "output_text", "text": text, "annotations": []}]}
