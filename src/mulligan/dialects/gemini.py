"""Gemini, with the Gemini API and Vertex AI (https://ai.google.dev/gemini-api/docs/function-calling)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mulligan.dialects.base import Dialect
from mulligan.dialects.readers import (
    EARLY,
    FILTER,
    LIMIT,
    STREAM,
    CutOff,
    index_of,
    make_call,
    mapping,
    mappings,
    part_of,
    read_chunks,
    without_none,
)

if TYPE_CHECKING:
    from mulligan.calls import ToolCall
    from mulligan.dialects.blocks import Block
    from mulligan.results import ToolResult
    from mulligan.tools import Tool

_STEP = r"""\.([^.\[\]]+)|\[(\d{1,6})\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]"""
_COMPLETE_REASONS = ("", "STOP", "FINISH_REASON_UNSPECIFIED")
_END_REASONS = {"MAX_TOKENS": LIMIT, "MALFORMED_FUNCTION_CALL": EARLY, "UNEXPECTED_TOOL_CALL": EARLY, "OTHER": EARLY}
_VALUES = ("string_value", "number_value", "bool_value", "null_value")


class GeminiDialect(Dialect):
    """`function_call` parts of a model's content, all answered by the `function_response` parts of one content.

    Reads names in snake_case, as in the SDK, and in camelCase, as in the API. Writes snake_case, which both accept.
    """

    name = "gemini"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        """Whether the message is a response with `candidates`, or content with `parts` and the role `model`."""
        return isinstance(message.get("candidates"), list) or (
            message.get("role") == "model" and isinstance(message.get("parts"), list)
        )

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        """The calls of a content or of the first candidate. If the response ended early, they count as cut off.

        At the token limit only the last part can be incomplete, so calls before it are kept.
        """
        reason = None
        if "candidates" in message:
            candidate = next(iter(mappings(message["candidates"])), {})
            message, reason = mapping(candidate.get("content")), _member(candidate, "finish_reason")
        reason_name = getattr(reason, "value", reason)
        ended = (
            None
            if not isinstance(reason_name, str) or reason_name in _COMPLETE_REASONS
            else _END_REASONS.get(reason_name, FILTER)
        )
        parts = mappings(message.get("parts"))
        calls = [(mapping(_member(part, "function_call")), part is parts[-1]) for part in parts]
        return [_call(call, ended, is_last=is_last) for call, is_last in calls if call]

    def message(self, result: ToolResult) -> dict[str, Any]:
        """A content with the role `user` and one `function_response` part."""
        return self.messages([result])[0]

    def messages(self, results: Sequence[ToolResult]) -> list[dict[str, Any]]:
        """One content with all `function_response` parts; an empty list if there are no results."""
        parts = [{"function_response": _response(result)} for result in results]
        return [{"role": "user", "parts": parts}] if parts else []

    def definition(self, tool: Tool) -> dict[str, Any]:
        """A function declaration, for the list `function_declarations` of a tool."""
        return {"name": tool.name, "description": tool.description, "parameters_json_schema": dict(tool.parameters)}

    def assemble(self, chunks: Iterable[Any]) -> dict[str, Any]:
        """The response of its chunks, with every part in order and streamed arguments merged at their paths."""
        answer: dict[str, Any] = {}
        candidates: dict[int, _CandidateAssembler] = {}
        for chunk in read_chunks(chunks, self.name, _is_chunk):
            answer |= chunk
            for piece in mappings(chunk.get("candidates")):
                candidates.setdefault(index_of(piece) or 0, _CandidateAssembler()).add(piece)
        return {**answer, "candidates": [{"index": index, **one.build()} for index, one in candidates.items()]}


def _member(part: Mapping[str, Any], name: str) -> Any:
    """A member by its name in snake_case or in camelCase."""
    value = part.get(name)
    if value is not None:
        return value
    first, *others = name.split("_")
    return part.get(first + "".join(map(str.capitalize, others)))


def _is_chunk(chunk: Mapping[str, Any]) -> bool:
    return isinstance(chunk.get("candidates"), list) or _member(chunk, "usage_metadata") is not None


def _call(part: Mapping[str, Any], ended: str | None, *, is_last: bool) -> ToolCall:
    is_cut = _member(part, "will_continue") or (ended is not None and (is_last or ended != LIMIT))
    arguments = CutOff(None, ended or STREAM) if is_cut else part.get("args")
    return make_call(part, part.get("id"), part.get("name"), arguments)


def _response(result: ToolResult) -> dict[str, Any]:
    from mulligan.dialects.blocks import blocks_of, json_value

    name = part_of(result.call).get("name")
    answer = {"name": name if isinstance(name, str) else result.call.name}
    id = {} if result.call.id is None else {"id": result.call.id}
    if result.is_error:
        return {**id, **answer, "response": {"error": result.content}}
    blocks = blocks_of(result)
    if blocks is None:
        return {**id, **answer, "response": {"output": json_value(result)}}
    shown = [(block, None if block.text else _part(block)) for block in blocks]
    parts = [part for _, part in shown if part is not None]
    text = "\n".join(block.as_text for block, part in shown if part is None)
    return {**id, **answer, "response": {"output": text}, **({"parts": parts} if parts else {})}


def _part(block: Block) -> dict[str, Any] | None:
    if block.data:
        return {"inline_data": {"mime_type": block.media_type, "data": block.data}}
    typed = {} if block.media_type.endswith("*") else {"mime_type": block.media_type}
    return {"file_data": {"file_uri": block.url, **typed}} if block.url else None


class _CandidateAssembler:
    """Builds one candidate from its chunks."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self._open: _StreamedCall | None = None
        self._others: dict[str, Any] = {}

    def add(self, piece: Mapping[str, Any]) -> None:
        """Adds the candidate's part of one chunk."""
        self._others |= {name: value for name, value in without_none(piece).items() if name not in ("content", "index")}
        for part in map(without_none, mappings(mapping(piece.get("content")).get("parts"))):
            call = _member(part, "function_call")
            if isinstance(call, Mapping):
                self._add_call(part, without_none(call))
            elif part.keys() == {"text"}:
                self._add_text(str(part["text"]))
            elif part:
                self._close_text()
                self._parts.append(part)

    def _add_text(self, text: str) -> None:
        if not self._texts:
            self._parts.append({"text": ""})
        self._texts.append(text)

    def _close_text(self) -> None:
        if self._texts:
            self._parts[-1]["text"] = "".join(self._texts)
            self._texts = []

    def _add_call(self, part: Mapping[str, Any], call: dict[str, Any]) -> None:
        """Adds a complete call, or the start, middle or end of a call with streamed arguments."""
        self._close_text()
        if call.get("name") or (call and self._open is None):
            is_streamed = _member(call, "will_continue") or _member(call, "partial_args")
            self._open = _StreamedCall(call) if is_streamed else None
            others = {name: value for name, value in part.items() if name not in ("function_call", "functionCall")}
            self._parts.append({**others, "function_call": call if self._open is None else self._open.call})
        if self._open is not None and not self._open.add(call):
            self._open = None

    def build(self) -> dict[str, Any]:
        """The candidate so far."""
        self._close_text()
        return {**self._others, "content": {"role": "model", "parts": self._parts}}


class _StreamedCall:
    """A call with streamed arguments, each of which arrives with its JSON path."""

    def __init__(self, call: Mapping[str, Any]) -> None:
        args = dict(mapping(call.get("args")))
        self.call: dict[str, Any] = {**{key: call[key] for key in ("id", "name") if key in call}, "args": args}
        self.call["will_continue"] = True
        self._texts: dict[str, list[str]] = {}
        self._is_lost = False

    def add(self, piece: Mapping[str, Any]) -> bool:
        """Adds one piece, and returns whether more must follow. After an invalid path, the call stays incomplete."""
        placed = [self._add_argument(partial) for partial in mappings(_member(piece, "partial_args"))]
        self._is_lost |= not all(placed)
        more = bool(_member(piece, "will_continue"))
        if not (more or self._is_lost):
            for path, texts in self._texts.items():
                _set_by_path(self.call["args"], path, "".join(texts))
            del self.call["will_continue"]
        return more

    def _add_argument(self, partial: Mapping[str, Any]) -> bool:
        path = _member(partial, "json_path")
        kind = next((kind for kind in _VALUES if _member(partial, kind) is not None), None)
        if not isinstance(path, str) or kind is None:
            return True
        value = None if kind == "null_value" else _member(partial, kind)
        if kind == "string_value":
            texts = self._texts.setdefault(path, [])
            texts.append(str(value))
            value = texts[0]
        elif kind == "number_value" and isinstance(value, float) and value.is_integer():
            value = int(value)
        return len(self._texts.get(path, ())) > 1 or _set_by_path(self.call["args"], path, value)


def _set_by_path(root: dict[str, Any], path: str, value: Any) -> bool:
    """Stores a value at a path; returns False if the path leads nowhere."""
    steps = list(re.finditer(_STEP, path[1:]))
    if not path.startswith("$") or not steps or sum(len(step[0]) for step in steps) != len(path) - 1:
        return False
    keys = [int(step[2]) if step[2] else next(filter(None, (step[1], step[3], step[4])), "") for step in steps]
    container: Any = root
    for at, key in enumerate(keys):
        is_last = at == len(keys) - 1
        fresh = value if is_last else [] if isinstance(keys[at + 1], int) else {}
        if isinstance(container, list) and isinstance(key, int) and key <= len(container):
            container[key : key + 1] = [fresh if is_last or key == len(container) else container[key]]
        elif isinstance(container, dict) and isinstance(key, str):
            container[key] = fresh if is_last else container.get(key, fresh)
        else:
            return False
        container = container[key]
    return True
