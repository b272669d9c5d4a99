"""The Vercel AI SDK's UI messages (https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mulligan.dialects.base import Dialect
from mulligan.dialects.readers import (
    STREAM,
    CutOff,
    answer_id,
    kind_of,
    make_call,
    mapping,
    mappings,
    part_of,
    read_chunks,
)

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.dialects.blocks import Block
    from mulligan.results import ToolResult
    from mulligan.tools import Tool

_CALL_STATES = ("input-streaming", "input-available", "approval-responded")
_STATE_FIELDS = ("state", "input", "rawInput", "inputEncoding", "output", "errorText", "preliminary")
_CHUNKS = ("text-", "reasoning-", "tool-", "data-", "source-")
_EVENTS = frozenset(
    (
        "start",
        "finish",
        "abort",
        "error",
        "start-step",
        "finish-step",
        "reset-step",
        "message-metadata",
        "file",
        "custom",
    )
)
_STATES = {
    "tool-input-available": "input-available",
    "tool-input-error": "output-error",
    "tool-approval-request": "approval-requested",
    "tool-approval-response": "approval-responded",
    "tool-output-available": "output-available",
    "tool-output-error": "output-error",
    "tool-output-denied": "output-denied",
}


class AISDKDialect(Dialect):
    """Tool parts of an assistant's UI message. Each answer replaces its part and holds the output or the error.

    Parts that are already answered, wait for an approval, or were run by the provider need no answer.
    """

    name = "ai-sdk"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is from the assistant and has `parts`."""
        return message.get("role") == "assistant" and isinstance(message.get("parts"), list)

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of the tool parts that wait for an answer."""
        return [_call(part) for part in mappings(message.get("parts")) if _is_call(part)]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """The tool part in its final state, `output-available` or `output-error`."""
        request = part_of(result.call)
        part = {name: value for name, value in request.items() if name not in _STATE_FIELDS}
        part = {"type": f"tool-{result.call.name}", **part, "toolCallId": answer_id(result.call, "toolCallId")}
        part["input"] = result.without_secrets(_input(request, result.call.arguments))
        if result.is_error:
            return {**part, "state": "output-error", "errorText": result.content}
        return {**part, "state": "output-available", "output": _output(result)}

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A function tool, as the SDK sends it to a language model."""
        return {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "inputSchema": dict(tool.parameters),
        }

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """The UI message of its stream parts; an incomplete tool part stays in the state `input-streaming`."""
        message = _MessageAssembler()
        for chunk in read_chunks(chunks, self.name, _is_chunk):
            message.add(chunk)
        return message.build()


def _is_chunk(chunk: Mapping[str, Any]) -> bool:
    kind = kind_of(chunk)
    return kind in _EVENTS or kind.startswith(_CHUNKS)


def _is_tool(part: Mapping[str, Any]) -> bool:
    return kind_of(part) == "dynamic-tool" or kind_of(part).startswith("tool-")


def _is_call(part: Mapping[str, Any]) -> bool:
    if not _is_tool(part) or part.get("providerExecuted") is True or part.get("state") not in _CALL_STATES:
        return False
    return part["state"] != "approval-responded" or mapping(part.get("approval")).get("approved") is True


def _call(part: Mapping[str, Any]) -> ToolCall:
    name = part.get("toolName") if kind_of(part) == "dynamic-tool" else kind_of(part).removeprefix("tool-")
    arguments = _input(part, None)
    if part["state"] == "input-streaming" or arguments is None:  # a call without arguments has an empty object as input
        arguments = CutOff(part.get("rawInput"), STREAM)
    return make_call(part, part.get("toolCallId"), name, arguments)


def _input(part: Mapping[str, Any], arguments: Any) -> Any:
    """The input as it was sent; JSON text is parsed."""
    if part:
        return part.get("rawInput") if part.get("input") is None else part["input"]
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except (ValueError, RecursionError):
            return arguments
    return {} if arguments is None else arguments


def _output(result: ToolResult) -> Any:
    from mulligan.dialects.blocks import blocks_of, json_value, write_blocks

    blocks = blocks_of(result)
    if blocks is None:
        return json_value(result)
    return {"type": "content", "value": write_blocks(blocks, AISDKDialect.name, _text, _part)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _part(block: Block) -> dict[str, Any] | None:
    if not (block.data or block.url):
        return None
    held = {"type": "data", "data": block.data} if block.data else {"type": "url", "url": block.url}
    named = {"filename": block.name} if block.name else {}
    return {"type": "file", "mediaType": block.media_type, "data": held, **named}


class _MessageAssembler:
    """Builds a UI message from its stream parts."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {"id": "", "role": "assistant"}
        self._parts: list[dict[str, Any]] = []
        self._open: dict[tuple[str, Any], _PartAssembler] = {}
        self._step = 0

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Adds one stream part."""
        kind = kind_of(chunk)
        family, _, stage = kind.partition("-")
        if family == "tool":
            self._tool(kind, chunk)
        elif kind in ("text-start", "reasoning-start"):
            named = {"id": chunk.get("id")} if family == "reasoning" else {}
            self._open_part(family, chunk.get("id"), {"type": family, **named, "text": "", "state": "streaming"})
        elif kind in ("text-delta", "text-end", "reasoning-delta", "reasoning-end"):
            self._part(family, chunk.get("id")).text(stage, chunk)
        elif kind == "start-step":
            self._parts.append({"type": "step-start"})
            self._step = len(self._parts)
        elif kind == "reset-step":
            del self._parts[self._step :]
        elif kind in ("start", "message-metadata", "finish"):
            self._meta(chunk)
        elif kind in ("file", "reasoning-file") or family in ("source", "data"):
            self._parts.append({name: value for name, value in chunk.items() if name != "transient"})

    def _meta(self, chunk: Mapping[str, Any]) -> None:
        for name, wanted in (("messageId", "id"), ("messageMetadata", "metadata")):
            if name in chunk:
                self._message[wanted] = chunk[name]

    def _open_part(self, family: str, id: Any, part: dict[str, Any]) -> _PartAssembler:
        self._parts.append(part)
        opened = self._open[family, id if isinstance(id, str) else None] = _PartAssembler(part)
        return opened

    def _part(self, family: str, id: Any) -> _PartAssembler:
        """The part that is being streamed; a new one, which is discarded, if its start is missing."""
        return self._open.get((family, id if isinstance(id, str) else None)) or _PartAssembler({})

    def _tool(self, kind: str, chunk: Mapping[str, Any]) -> None:
        if kind == "tool-approval-response":
            found = (part for part in self._parts if _approval(part) == chunk.get("approvalId"))
            _PartAssembler(next(found, {})).tool(kind, chunk)
            return
        id, name = chunk.get("toolCallId"), chunk.get("toolName")
        part = self._part("tool", id)
        if kind.startswith("tool-input-") and name is not None and (kind == "tool-input-start" or not part.values):
            dynamic = {"type": "dynamic-tool", "toolName": name}
            part = self._open_part("tool", id, {**(dynamic if chunk.get("dynamic") else {"type": f"tool-{name}"})})
            part.values |= {"toolCallId": id, "state": "input-streaming"}
        part.tool(kind, chunk)

    def build(self) -> dict[str, Any]:
        """The message so far."""
        for part in self._open.values():
            part.close()
        return {**self._message, "parts": self._parts}


def _approval(part: Mapping[str, Any]) -> Any:
    return mapping(part.get("approval")).get("id", part)


class _PartAssembler:
    """Builds one part of a message from its stream parts."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self._pieces: list[str] = []

    def text(self, stage: str, chunk: Mapping[str, Any]) -> None:
        """Adds a piece of a text, or ends it."""
        if stage == "end":
            self.values["state"] = "done"
        elif isinstance(chunk.get("delta"), str):
            self._pieces.append(chunk["delta"])
        if "providerMetadata" in chunk:
            self.values["providerMetadata"] = chunk["providerMetadata"]

    def tool(self, kind: str, chunk: Mapping[str, Any]) -> None:
        """Adds a piece of a call's input, or a change of the call's state."""
        if kind == "tool-input-delta":
            self._pieces.append(str(chunk.get("inputTextDelta") or ""))
        kept = (
            "input",
            "output",
            "errorText",
            "title",
            "toolMetadata",
            "providerExecuted",
            "preliminary",
            "inputEncoding",
        )
        self.values |= {name: chunk[name] for name in kept if name in chunk}
        if "providerMetadata" in chunk:
            side = "result" if kind.startswith("tool-output") else "call"
            self.values[f"{side}ProviderMetadata"] = chunk["providerMetadata"]
        if kind.startswith("tool-approval-"):
            given_names = {"id": "approvalId", "approved": "approved", "reason": "reason", "signature": "signature"}
            approval = {name: chunk[wire] for name, wire in given_names.items() if wire in chunk}
            self.values["approval"] = {**mapping(self.values.get("approval")), **approval}
        self.values["state"] = _STATES.get(kind) or self.values.get("state")

    def close(self) -> None:
        """Stores the joined pieces in the part."""
        text = "".join(self._pieces)
        if self.values.get("type") in ("text", "reasoning"):
            self.values["text"] = text
        elif self.values.get("state") == "input-streaming":
            self.values["rawInput"] = text
        else:
            self.values.pop("inputEncoding", None)
