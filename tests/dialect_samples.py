"""Messages and streams as providers send them, of any calls: what the tests of the dialects share."""

from __future__ import annotations

import json
from typing import Any

GOOD, BAD = '{"a": 1, "b": 2}', '{"a": 1, "b": '


def openai(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    asked = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id, name, arguments in calls
    ]
    return {"role": "assistant", "content": None, "tool_calls": asked}


def responses(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    items = [
        {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": name, "arguments": arguments}
        for id, name, arguments in calls
    ]
    return {"object": "response", "status": "completed", "output": [{"type": "reasoning", "summary": []}, *items]}


def anthropic(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": id, "name": name, "input": parsed(arguments)} for id, name, arguments in calls]
    return {"role": "assistant", "content": [{"type": "text", "text": "Well."}, *blocks], "stop_reason": "tool_use"}


def gemini(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    parts = [{"function_call": {"id": id, "name": name, "args": parsed(arguments)}} for id, name, arguments in calls]
    content = {"role": "model", "parts": [{"text": "Well."}, *parts]}
    return {"candidates": [{"content": content, "finish_reason": "STOP"}]}


def gemini_wire(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    parts = [{"functionCall": {"id": id, "name": name, "args": parsed(arguments)}} for id, name, arguments in calls]
    return {"role": "model", "parts": parts}


def ai_sdk(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    parts = [
        {"type": f"tool-{name}", "toolCallId": id, "state": "input-available", "input": parsed(arguments)}
        for id, name, arguments in calls
    ]
    return {"id": "m1", "role": "assistant", "parts": [{"type": "step-start"}, *parts]}


def mcp(*calls: tuple[Any, Any, Any]) -> dict[str, Any]:
    ((_, name, arguments),) = calls
    return {"method": "tools/call", "params": {"name": name, "arguments": parsed(arguments)}}


def parsed(text: Any) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


SEVERAL = {
    "openai": openai,
    "openai-responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "gemini, wire": gemini_wire,
    "ai-sdk": ai_sdk,
}
MESSAGES: dict[str, Any] = {**SEVERAL, "mcp": mcp}


A, B = '{"path": "a.md", "text": "one\\ntwo"}', '{"path": "b.md"}'


def pieces(text: str, size: int = 5) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def openai_stream(reason: str | None = "tool_calls") -> list[dict[str, Any]]:
    def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    def call(index: int, **function: Any) -> dict[str, Any]:
        start = {"id": f"c{index + 1}", "type": "function"} if "name" in function else {}
        return chunk(tool_calls=[{"index": index, **start, "function": function}])

    chunks = [chunk(role="assistant", content=""), chunk(content="Let me "), chunk(content="write.")]
    for index, arguments in enumerate((A, B)):
        chunks += [call(index, name="write", arguments="")]
        chunks += [call(index, arguments=piece) for piece in pieces(arguments)]
    usage = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": {"n": 1}}
    return [*chunks, chunk(reason), usage]


def responses_stream(reason: str | None = None) -> list[dict[str, Any]]:
    base = {"id": "r", "object": "response", "model": "m", "output": []}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {**base, "status": "in_progress"}}]
    items: list[dict[str, Any]] = [
        {"type": "message", "id": "msg", "role": "assistant", "status": "in_progress", "content": []}
    ]
    events += [
        {"type": "response.output_item.added", "output_index": 0, "item": items[0]},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Let me "},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "write."},
    ]
    items[0] = {
        **items[0],
        "status": "completed",
        "content": [{"type": "output_text", "text": "Let me write.", "annotations": []}],
    }
    events += [{"type": "response.output_item.done", "output_index": 0, "item": items[0]}]
    for index, arguments in enumerate((A, B), 1):
        item = {"type": "function_call", "id": f"fc{index}", "call_id": f"c{index}", "name": "write"}
        added = {**item, "arguments": "", "status": "in_progress"}
        items.append({**item, "arguments": arguments, "status": "completed"})
        kind = "response.function_call_arguments"
        events += [{"type": "response.output_item.added", "output_index": index, "item": added}]
        events += [{"type": f"{kind}.delta", "output_index": index, "delta": piece} for piece in pieces(arguments)]
        events += [{"type": f"{kind}.done", "output_index": index, "arguments": arguments}]
        events += [{"type": "response.output_item.done", "output_index": index, "item": items[-1]}]
    whole = {**base, "status": "completed", "output": items}
    if reason is not None:
        items[-1] = {**items[-1], "arguments": B[:9], "status": "incomplete"}
        whole |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
    return [*events, {"type": f"response.{whole['status']}", "response": whole}]


def anthropic_stream(reason: str | None = "tool_use") -> list[dict[str, Any]]:
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": {"input_tokens": 9}}}]
    events += [{"type": "ping"}]

    def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> None:
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events.extend({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", "index": index})

    thought = {"type": "thinking", "thinking": "", "signature": ""}
    block(0, thought, {"type": "thinking_delta", "thinking": "Hm."}, {"type": "signature_delta", "signature": "s"})
    texts = [{"type": "text_delta", "text": "Let me "}, {"type": "text_delta", "text": "write."}]
    block(1, {"type": "text", "text": ""}, *texts)
    for index, arguments in enumerate((A, B), 2):
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces(arguments))]
        block(index, {"type": "tool_use", "id": f"c{index - 1}", "name": "write", "input": {}}, *deltas)
    ending = {"stop_reason": reason, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ending, "usage": {"output_tokens": 3}}, {"type": "message_stop"}]
    return events


def gemini_stream(reason: str | None = "STOP") -> list[dict[str, Any]]:
    def chunk(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}

    first = {"id": "c1", "name": "write", "args": json.loads(A)}
    second = {
        "path": {"json_path": "$.path", "string_value": "b."},
        "more": {"json_path": "$.path", "string_value": "md"},
    }
    return [
        chunk({"text": "Let me "}),
        chunk({"text": "write."}),
        chunk({"function_call": first, "thought_signature": "s"}),
        chunk({"function_call": {"id": "c2", "name": "write", "will_continue": True}}),
        chunk({"function_call": {"partial_args": [second["path"]], "will_continue": True}}),
        chunk({"function_call": {"partial_args": [second["more"]], "will_continue": True}}),
        chunk({"function_call": {}}),
        chunk(finish_reason=reason),
        {"usage_metadata": {"total_token_count": 9}},
    ]


def ai_sdk_stream(reason: str | None = "tool-calls") -> list[dict[str, Any]]:
    chunks: list[dict[str, Any]] = [{"type": "start", "messageId": "m1"}, {"type": "start-step"}]
    chunks += [{"type": "text-start", "id": "c1"}, {"type": "text-delta", "id": "c1", "delta": "Let me "}]
    chunks += [{"type": "text-delta", "id": "c1", "delta": "write."}, {"type": "text-end", "id": "c1"}]
    for index, arguments in enumerate((A, B), 1):
        base = {"toolCallId": f"c{index}"}
        chunks += [{"type": "tool-input-start", **base, "toolName": "write"}]
        chunks += [{"type": "tool-input-delta", **base, "inputTextDelta": piece} for piece in pieces(arguments)]
        chunks += [{"type": "tool-input-available", **base, "toolName": "write", "input": json.loads(arguments)}]
    return [*chunks, {"type": "finish-step"}, {"type": "finish", "finishReason": reason}]


STREAMS: dict[str, Any] = {
    "openai": openai_stream,
    "openai-responses": responses_stream,
    "anthropic": anthropic_stream,
    "gemini": gemini_stream,
    "ai-sdk": ai_sdk_stream,
}
