"""OpenAI Chat Completions (https://platform.openai.com/docs/api-reference/chat)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.dialects.base import Dialect
from mulligan.dialects.readers import (
    FILTER,
    LIMIT,
    STREAM,
    answer_id,
    index_of,
    make_call,
    mapping,
    mappings,
    mark_cut_off,
    part_of,
    read_chunks,
    without_none,
)

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.dialects.blocks import Block
    from mulligan.results import ToolResult
    from mulligan.tools import Tool

_END_REASONS = {"length": LIMIT, "content_filter": FILTER, None: STREAM}
_LEGACY_KEY = "function_call"
_SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


class OpenAIDialect(Dialect):
    """`tool_calls` of an assistant message, each answered by one message with the role `tool`.

    Such a message can hold only text, so `messages` adds one user message with the images, sounds and files. The single
    `function_call` of older servers is answered by a message with the role `function`.
    """

    name = "openai"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is a chat completion, or an assistant message with `tool_calls` or text."""
        if "choices" in message:
            return True
        if "parts" in message or message.get("type") == "ai":
            return False
        is_text = isinstance(message.get("content"), (str, type(None))) and message.get("role") == "assistant"
        return "tool_calls" in message or bool(legacy_call(message)) or is_text

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of an assistant message, or of the first choice of a chat completion."""
        ended = None
        if "choices" in message:
            choice = next(iter(mappings(message["choices"])), {})
            message = mapping(choice.get("message"))
            reason = choice.get("finish_reason", "")
            ended = _END_REASONS.get(reason) if isinstance(reason, (str, type(None))) else None
        legacy = {} if message.get("tool_calls") else legacy_call(message)
        if legacy:
            return [
                make_call({_LEGACY_KEY: legacy}, None, legacy.get("name"), mark_cut_off(legacy.get("arguments"), ended))
            ]
        return [_call(item, ended) for item in mappings(message.get("tool_calls"))]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A message with the role `tool`, or `function` if the call was a `function_call`."""
        from mulligan.dialects.blocks import blocks_of

        blocks = blocks_of(result)
        content = result.content if blocks is None else "\n".join(block.as_text for block in blocks)
        part = part_of(result.call)
        if part.keys() == {_LEGACY_KEY}:
            name = mapping(part[_LEGACY_KEY]).get("name")
            return {"role": "function", "name": name if isinstance(name, str) else result.call.name, "content": content}
        return {"role": "tool", "tool_call_id": answer_id(result.call, "id"), "content": content}

    def messages(self, results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """One message with the role `tool` for each call, then a user message for content that is not text."""
        shown = [part for result in results if not isinstance(result.value, str) for part in _user_parts(result)]
        answers = [self.message(result) for result in results]
        return [*answers, {"role": "user", "content": shown}] if shown else answers

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A function definition."""
        function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
        return {"type": "function", "function": function}

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """The chat completion of its chunks; `finish_reason` is None if the stream ended early."""
        completion: dict[str, Any] = {}
        choices: dict[Any, _ChoiceAssembler] = {}
        for chunk in map(_chunk, read_chunks(chunks, self.name, lambda chunk: "choices" in _chunk(chunk))):
            completion |= without_none(chunk)
            for piece in mappings(chunk.get("choices")):
                choices.setdefault(index_of(piece) or 0, _ChoiceAssembler()).add(piece)
        built = [{"index": index, **choice.build()} for index, choice in choices.items()]
        return {**completion, "object": "chat.completion", "choices": built}


def legacy_call(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The `function_call` of an assistant message of older servers; empty if there is none."""
    return mapping(message.get(_LEGACY_KEY)) if message.get("role", "assistant") == "assistant" else {}


def _call(item: Mapping[str, Any], ended: str | None) -> ToolCall:
    """A call of type `function`, or of type `custom`, which has free text as input."""
    called = mapping(item.get("function") or item.get("custom"))
    arguments = called.get("arguments", called.get("input"))
    return make_call(item, item.get("id"), called.get("name"), mark_cut_off(arguments, ended))


def _user_parts(result: ToolResult) -> list[dict[str, Any]]:
    """The parts of a user message for everything but text that a tool returned."""
    from mulligan.dialects.blocks import blocks_of
    from mulligan.untrusted.text import show_name

    parts = [part for block in blocks_of(result) or () if not block.text and (part := _part(block)) is not None]
    if not parts:
        return []
    intro = f"Returned by the tool call {show_name(result.call.id)} ({show_name(result.call.name)}), not by the user:"
    return [{"type": "text", "text": intro}, *parts]


def _part(block: Block) -> dict[str, Any] | None:
    if block.dialect == OpenAIDialect.name:
        return dict(block.native)
    if block.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": block.data_url}}
    if block.data and block.media_type in _SOUNDS:
        return {"type": "input_audio", "input_audio": {"data": block.data, "format": _SOUNDS[block.media_type]}}
    if block.data and block.media_type == "application/pdf":
        return {"type": "file", "file": {"filename": block.name or "file.pdf", "file_data": block.data_url}}
    return None


def _chunk(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """A chunk, even if the SDK wraps it in an event."""
    return mapping(event.get("chunk")) or event


class _ChoiceAssembler:
    """Builds one choice from its chunks."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._others: dict[str, Any] = {}
        self._calls: list[_CallAssembler] = []
        self._calls_by_index: dict[Any, _CallAssembler] = {}
        self._legacy_call: _CallAssembler | None = None
        self._reason: Any = None

    def add(self, piece: Mapping[str, Any]) -> None:
        """Adds the choice's part of one chunk."""
        self._reason = piece.get("finish_reason") or self._reason
        for name, value in without_none(mapping(piece.get("delta"))).items():
            if name == "tool_calls":
                for call in mappings(value):
                    self._call(call).add(call)
            elif name == _LEGACY_KEY and isinstance(value, Mapping):
                self._legacy_call = self._legacy_call or _CallAssembler()
                self._legacy_call.add({"function": value})
            elif isinstance(value, str) and name != "role":
                self._texts.setdefault(name, []).append(value)
            else:
                self._others[name] = value

    def _call(self, piece: Mapping[str, Any]) -> _CallAssembler:
        """The call with the index of a piece; a new one if the piece has a different id."""
        id, last = piece.get("id"), self._calls[-1] if self._calls else None
        index = index_of(piece)
        known = last if index is None else self._calls_by_index.get(index)
        if known is None or (id and known.id and id != known.id):
            known = _CallAssembler()
            self._calls.append(known)
        self._calls_by_index[index] = known
        return known

    def build(self) -> dict[str, Any]:
        """The choice so far."""
        texts = {name: "".join(pieces) for name, pieces in self._texts.items()}
        message = {"role": "assistant", "content": None, **self._others, **texts}
        if self._calls:
            message["tool_calls"] = [call.build() for call in self._calls]
        if self._legacy_call is not None:
            message[_LEGACY_KEY] = self._legacy_call.build()["function"]
        return {"message": message, "finish_reason": self._reason}


class _CallAssembler:
    """Builds one call from its pieces; servers send its id and name once or repeatedly."""

    def __init__(self) -> None:
        self.id: Any = None
        self._name = ""
        self._arguments: list[str] = []
        self._others: dict[str, Any] = {}

    def add(self, piece: Mapping[str, Any]) -> None:
        """Adds one piece."""
        self.id = self.id or piece.get("id")
        function = mapping(piece.get("function"))
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and name != self._name:
            self._name += name
        if isinstance(arguments, str):
            self._arguments.append(arguments)
        self._others |= {
            key: value for key, value in without_none(piece).items() if key not in ("id", "index", "function")
        }

    def build(self) -> dict[str, Any]:
        """The call so far."""
        function = {"name": self._name, "arguments": "".join(self._arguments)}
        return {"type": "function", **self._others, "id": self.id, "function": function}
