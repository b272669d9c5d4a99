"""What OpenAI and Anthropic demand of a request, and how they write down what a model says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import jsonschema_rs
from anthropic.types import MessageParam, TextBlockParam, ToolParam, ToolResultBlockParam, ToolUseBlockParam
from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
from openai.types.responses import FunctionToolParam, ResponseInputItemParam
from pydantic import TypeAdapter, ValidationError

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
BLOCKS: dict[str, Any] = {"text": TextBlockParam, "tool_use": ToolUseBlockParam, "tool_result": ToolResultBlockParam}


class Call(NamedTuple):
    """One tool call of a model; its arguments are the text that it wrote."""

    id: str
    name: str
    arguments: str


class Answer(NamedTuple):
    """What a model is told about one of its calls; `is_error` is None where the protocol has no such mark."""

    text: str
    is_error: bool | None = None


Said = str | Sequence[Call]


class Refused(Exception):
    """The request breaks a rule of the provider's, which answers with the status 400."""


def demand(holds: Any, text: str) -> None:
    """Refuses the request with that text, unless it holds."""
    if not holds:
        raise Refused(text)


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """What checks values of a type; it has to outlive what it checks later."""
    return TypeAdapter(kind)


def check_type(kind: Any, values: Any, where: str) -> None:
    """Refuses what is not of the SDK's own type."""
    try:
        read_all(adapter(kind).validate_python(values))
    except ValidationError as error:
        raise Refused(f"{where}: {error}") from error


def read_all(values: Any) -> None:
    """Reads through it: pydantic checks the members of an Iterable when they are read."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, (list, Iterator)) or type(values).__name__ == "ValidatorIterator":
        for value in values:
            read_all(value)


def check_tool(kind: Any, tool: Any, name: Any, schema: Any) -> None:
    """Refuses a definition with a name or a JSON Schema that the provider does not take."""
    check_type(kind, tool, "tools")
    demand(isinstance(name, str) and NAME.fullmatch(name), f"tools: {name!r} does not match {NAME.pattern}")
    demand(schema.get("type") == "object", f"tools.{name}: the schema is not that of an object")
    try:
        jsonschema_rs.meta.validate(schema)
    except jsonschema_rs.ValidationError as error:
        raise Refused(f"tools.{name}: {error}") from error


class ChatCompletions:
    """`POST /v1/chat/completions` of OpenAI."""

    path = "/v1/chat/completions"
    end_of_stream = b"data: [DONE]\n\n"

    def check(self, body: Mapping[str, Any]) -> None:
        """Refuses messages out of order, calls that are not answered at once and just once, and bad definitions."""
        for tool in body["tools"]:
            function = tool["function"]
            check_tool(ChatCompletionFunctionToolParam, tool, function["name"], function["parameters"])
        waiting: set[str] = set()
        for number, message in enumerate(body["messages"]):
            where = f"messages.{number}"
            check_type(ChatCompletionMessageParam, message, where)
            if message["role"] == "tool":
                demand(message["tool_call_id"] in waiting, f"{where}: role 'tool' without a call that waits for it")
                waiting.discard(message["tool_call_id"])
            else:
                demand(not waiting, f"{where}: these tool_call_ids did not have response messages: {sorted(waiting)}")
            waiting |= {call["id"] for call in message.get("tool_calls") or ()}
        demand(not waiting, f"these tool_call_ids did not have response messages: {sorted(waiting)}")
        demand(body["messages"][-1]["role"] in ("user", "tool"), "there is nothing to answer")

    def heard(self, body: Mapping[str, Any]) -> dict[str, Answer]:
        """What the last messages tell about calls, by id."""
        answers: dict[str, Answer] = {}
        for message in body["messages"]:
            answers = (
                {} if message["role"] != "tool" else answers | {message["tool_call_id"]: Answer(message["content"])}
            )
        return answers

    def reply(self, said: Said) -> dict[str, Any]:
        """A chat completion."""
        message = {"role": "assistant", "refusal": None, "annotations": [], **self._said(said)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._reason(said)}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        base = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted"}
        return {**base, "choices": [choice], "usage": usage}

    def _said(self, said: Said) -> dict[str, Any]:
        if isinstance(said, str):
            return {"content": said}
        calls = [{"id": id, "type": "function", "function": {"name": n, "arguments": text}} for id, n, text in said]
        return {"content": None, "tool_calls": calls}

    def _reason(self, said: Said) -> str:
        return "stop" if isinstance(said, str) else "tool_calls"

    def events(self, said: Said) -> Iterator[dict[str, Any]]:
        """The chunks of a stream; arguments arrive in pieces."""
        for delta in self._deltas(said):
            yield self._chunk(delta, None)
        yield self._chunk({}, self._reason(said))

    def _deltas(self, said: Said) -> Iterator[dict[str, Any]]:
        yield {"role": "assistant", "content": None}
        if isinstance(said, str):
            yield from ({"content": piece} for piece in pieces(said))
            return
        for index, (id, name, text) in enumerate(said):
            first = {"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
            yield {"tool_calls": [first]}
            for piece in pieces(text):
                yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}

    def _chunk(self, delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
        base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        return {**base, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}]}

    def refusal(self, kind: str, text: str) -> dict[str, Any]:
        """The body of an answer that is an error."""
        return {"error": {"message": text, "type": kind, "param": None, "code": None}}


class Responses(ChatCompletions):
    """`POST /v1/responses` of OpenAI, without streams."""

    path = "/v1/responses"

    def check(self, body: Mapping[str, Any]) -> None:
        """Refuses items of no known shape, calls without an answer, answers without a call, and bad definitions."""
        for tool in body["tools"]:
            check_tool(FunctionToolParam, tool, tool["name"], tool["parameters"])
        calls, outputs = [], []
        for number, item in enumerate(body["input"]):
            check_type(ResponseInputItemParam, item, f"input.{number}")
            kind = item.get("type", "message")
            calls += [item["call_id"]] if kind == "function_call" else []
            outputs += [item["call_id"]] if kind == "function_call_output" else []
            demand(set(outputs) <= set(calls), f"input.{number}: no tool call found for function call output")
        demand(sorted(calls) == sorted(outputs), f"no tool output found for some of the function calls {calls}")

    def heard(self, body: Mapping[str, Any]) -> dict[str, Answer]:
        """What the last items tell about calls, by id."""
        answers: dict[str, Answer] = {}
        for item in body["input"]:
            is_answer = item.get("type") == "function_call_output"
            answers = answers | {item["call_id"]: Answer(item["output"])} if is_answer else {}
        return answers

    def reply(self, said: Said) -> dict[str, Any]:
        """A response."""
        base = {"id": "resp_1", "object": "response", "created_at": 1, "model": "scripted", "status": "completed"}
        rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None}
        return {**base, **rest, "output": self._items(said)}

    def _items(self, said: Said) -> list[dict[str, Any]]:
        if isinstance(said, str):
            content = [{"type": "output_text", "text": said, "annotations": []}]
            return [{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}]
        return [
            {
                "type": "function_call",
                "id": f"fc_{id}",
                "call_id": id,
                "name": name,
                "arguments": text,
                "status": "completed",
            }
            for id, name, text in said
        ]


class Messages:
    """`POST /v1/messages` of Anthropic."""

    path = "/v1/messages"
    end_of_stream = b""

    def check(self, body: Mapping[str, Any]) -> None:
        """Refuses roles that do not alternate, tool_use blocks that are not answered at once, and bad definitions."""
        demand(isinstance(body.get("max_tokens"), int), "max_tokens: Field required")
        for tool in body["tools"]:
            check_tool(ToolParam, tool, tool["name"], tool["input_schema"])
        waiting: list[str] = []
        for number, message in enumerate(body["messages"]):
            where = f"messages.{number}"
            demand(message["role"] == ("user", "assistant")[number % 2], f"{where}: roles must alternate")
            check_type(MessageParam, message, where)
            blocks = message["content"] if isinstance(message["content"], list) else []
            for block in blocks:
                extra = block.keys() - BLOCKS[block["type"]].__annotations__.keys()
                demand(not extra, f"{where}.{block['type']}.{', '.join(extra)}: Extra inputs are not permitted")
                demand(block.get("text") != "", f"{where}: text content blocks must be non-empty")
            answered = [block["tool_use_id"] for block in blocks[: len(waiting)] if block["type"] == "tool_result"]
            demand(sorted(answered) == sorted(waiting), f"{where}: tool_use ids {waiting} without tool_result blocks")
            others = [block for block in blocks[len(waiting) :] if block["type"] == "tool_result"]
            demand(not others, f"{where}: unexpected tool_use_id in tool_result blocks")
            waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        demand(body["messages"][-1]["role"] == "user", "there is nothing to answer")

    def heard(self, body: Mapping[str, Any]) -> dict[str, Answer]:
        """What the last message tells about calls, by id."""
        blocks = body["messages"][-1]["content"]
        results = [] if isinstance(blocks, str) else [block for block in blocks if block["type"] == "tool_result"]
        return {block["tool_use_id"]: Answer(block["content"], block.get("is_error", False)) for block in results}

    def reply(self, said: Said) -> dict[str, Any]:
        """A message; one that is not streamed has arguments that are an object."""
        calls = [(call, json.loads(call.arguments)) for call in ([] if isinstance(said, str) else said)]
        blocks = [{"type": "tool_use", "id": call.id, "name": call.name, "input": values} for call, values in calls]
        content = [{"type": "text", "text": said, "citations": None}] if isinstance(said, str) else blocks
        return self._message(content, self._reason(said))

    def _reason(self, said: Said) -> str:
        return "end_turn" if isinstance(said, str) else "tool_use"

    def _message(self, content: list[Any], reason: str | None) -> dict[str, Any]:
        base = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": content}
        return {**base, "stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}

    def events(self, said: Said) -> Iterator[dict[str, Any]]:
        """The events of a stream; arguments arrive in pieces, and as the text that the model wrote."""
        yield {"type": "message_start", "message": self._message([], None)}
        calls = [] if isinstance(said, str) else said
        begun = [
            ({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, call.arguments) for call in calls
        ]
        blocks = [({"type": "text", "text": ""}, said)] if isinstance(said, str) else begun
        kind, member = ("text_delta", "text") if isinstance(said, str) else ("input_json_delta", "partial_json")
        for index, (block, text) in enumerate(blocks):
            yield {"type": "content_block_start", "index": index, "content_block": block}
            for piece in pieces(text):
                yield {"type": "content_block_delta", "index": index, "delta": {"type": kind, member: piece}}
            yield {"type": "content_block_stop", "index": index}
        ending = {"stop_reason": self._reason(said), "stop_sequence": None}
        yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}}
        yield {"type": "message_stop"}

    def refusal(self, kind: str, text: str) -> dict[str, Any]:
        """The body of an answer that is an error."""
        return {"type": "error", "error": {"type": kind, "message": text}}


def pieces(text: str) -> list[str]:
    """A text in pieces of five characters."""
    return [text[start : start + 5] for start in range(0, len(text), 5)]
