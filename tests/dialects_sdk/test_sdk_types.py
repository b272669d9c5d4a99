"""Round trips through the providers' own types: every object of theirs is read, every dict of ours is one of theirs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from typing import Any

import anthropic
import mcp.types as mcp_types
import openai
import pytest
from anthropic.types import Message, MessageParam, RawMessageStreamEvent, ToolParam
from dialect_samples import STREAMS
from google.genai import types as genai
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageParam,
    ChatCompletionToolUnionParam,
)
from openai.types.responses import (
    Response,
    ResponseInputItemParam,
)
from openai.types.responses import (
    ToolParam as ResponsesToolParam,
)
from pydantic import TypeAdapter

from mulligan import Limits, Pipeline, tool
from mulligan.dialects import built_in
from mulligan.plugin import ToolAuthenticationError, ToolCall

DIALECTS = built_in()
PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)
GOOD = {"path": "a.md"}


@tool(read_only=True, idempotent=True, destructive=False)
def read(path: str, lines: int = 3) -> str:
    """Reads a file."""
    return f"{path}: {lines} lines"


def write(path: str, text: str = "") -> dict[str, Any]:
    """Writes a file."""
    return {"path": path, "characters": len(text)}


def show(path: str) -> Any:
    """Shows a picture."""
    return ["This is it:", PNG, {"type": "text", "text": path}]


def ask() -> str:
    """Asks the server."""
    raise ToolAuthenticationError("no credentials")


@pytest.fixture
def pipeline(make_pipeline) -> Pipeline:
    return make_pipeline(read, write, show, ask)


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", GOOD),
    ("write", GOOD),
    ("show", GOOD),
    ("ask", {}),
    ("raed", GOOD),
    ("read", {"path": 3}),
]


def exhausted(value: Any) -> Any:
    """Plain values of what pydantic made: it checks an Iterable only while that is read."""
    if isinstance(value, dict):
        return {name: exhausted(item) for name, item in value.items()}
    return [exhausted(item) for item in value] if isinstance(value, (list, tuple, Iterator)) else value


def valid(value: Any, kind: Any) -> None:
    """Whether a dict is one of a TypedDict's, and has nothing that the type does not know."""
    assert exhausted(TypeAdapter(kind).validate_python(value)) == value


def completion(reason: str = "tool_calls", **changes: Any) -> ChatCompletion:
    asked = [
        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(CALLS)
    ]
    asked[-1]["function"] = {"name": "read", "arguments": '{"path": ', **changes}
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "tool_calls": asked}}
    base = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return ChatCompletion.model_validate(base)


def test_openai(pipeline):
    for message in (completion(), completion().choices[0].message, completion().model_dump(), completion().to_dict()):
        answers = pipeline.answer(message)
        assert [answer["tool_call_id"] for answer in answers[:-1]] == [f"c{n}" for n in range(len(CALLS))]
        assert answers[-1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
        for answer in answers:
            valid(answer, ChatCompletionMessageParam)
    for definition in pipeline.tools.definitions("openai"):
        valid(definition, ChatCompletionToolUnionParam)


def test_openai_reads_custom_calls_and_odd_ones(pipeline):
    custom = {"id": "c1", "type": "custom", "custom": {"name": "read", "input": "free text"}}
    message = ChatCompletionMessage.model_validate({"role": "assistant", "content": None, "tool_calls": [custom]})
    (answer,) = pipeline.answer(message)
    assert answer["content"].startswith("Error executing tool read: Invalid arguments")
    odd = ChatCompletionMessage.model_construct(role="assistant", content=None, tool_calls=[{"id": 7}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(pipeline.answer(odd)) == 1


def response(**changes: Any) -> Response:
    items = [
        {"type": "function_call", "id": f"fc{n}", "call_id": f"c{n}", "name": name, "arguments": json.dumps(arguments)}
        for n, (name, arguments) in enumerate(CALLS)
    ]
    custom = {"type": "custom_tool_call", "id": "ctc", "call_id": "c9", "name": "show", "input": json.dumps(GOOD)}
    base = {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [*items, custom], "tools": []}
    return Response.model_validate(
        {**base, "status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", **changes}
    )


def test_openai_responses(pipeline):
    for message in (response(), response().model_dump(), response().to_dict()):
        answers = pipeline.answer(message)
        assert [answer["call_id"] for answer in answers] == [*(f"c{n}" for n in range(len(CALLS))), "c9"]
        for answer in answers:
            valid(answer, ResponseInputItemParam)
        assert answers[2]["output"][1]["type"] == "input_image"
        assert answers[-1]["type"] == "custom_tool_call_output"
    assert pipeline.answer(response().output[0]) == answers[:1]
    for definition in pipeline.tools.definitions("openai-responses"):
        valid(definition, ResponsesToolParam)


def message(**changes: Any) -> Message:
    blocks = [
        {"type": "tool_use", "id": f"c{n}", "name": name, "input": arguments}
        for n, (name, arguments) in enumerate(CALLS)
    ]
    base = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return Message.model_validate({**base, "usage": usage, "stop_reason": "tool_use", "stop_sequence": None, **changes})


def test_anthropic(pipeline):
    bare = {"role": "assistant", "content": message().content}
    for given in (message(), message().model_dump(), message().to_dict(), bare):
        answers = pipeline.answer(given)
        (answer,) = answers
        valid(answer, MessageParam)
        assert [block["tool_use_id"] for block in answer["content"]] == [f"c{n}" for n in range(len(CALLS))]
        assert [block.get("is_error", False) for block in answer["content"]] == [False] * 3 + [True] * 3
        assert answer["content"][2]["content"][1]["type"] == "image"
    for definition in pipeline.tools.definitions("anthropic"):
        valid(definition, ToolParam)


def answer_of_gemini(**changes: Any) -> genai.GenerateContentResponse:
    parts = [
        {"function_call": {"id": f"c{n}", "name": name, "args": arguments}} for n, (name, arguments) in enumerate(CALLS)
    ]
    parts[0]["thought_signature"] = b"signed"
    candidate = {"content": {"role": "model", "parts": parts}, "finish_reason": "STOP", **changes}
    return genai.GenerateContentResponse.model_validate({"candidates": [candidate]})


def test_gemini(pipeline):
    answered = answer_of_gemini()
    wire = answered.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert "functionCall" in wire["candidates"][0]["content"]["parts"][0]
    for given in (answered, answered.candidates[0].content, answered.model_dump(), wire, answered.to_json_dict()):
        (answer,) = pipeline.answer(given)
        content = genai.Content.model_validate(answer)
        responses = [part.function_response for part in content.parts]
        assert [one.id for one in responses] == [f"c{n}" for n in range(len(CALLS))]
        assert [one.name for one in responses] == [name for name, _ in CALLS]
        assert [next(iter(one.response)) for one in responses] == ["output"] * 3 + ["error"] * 3
        assert responses[1].response == {"output": {"path": "a.md", "characters": 0}}
        assert responses[2].parts[0].inline_data.data == PNG
        assert genai.Content.model_validate_json(json.dumps(answer)) == content
        assert content.model_dump(exclude_none=True, mode="json")["parts"][0] == answer["parts"][0]
    definitions = pipeline.tools.definitions("gemini")
    config = genai.GenerateContentConfig(tools=[{"function_declarations": definitions}])
    assert [one.name for one in config.tools[0].function_declarations] == ["read", "write", "show", "ask"]
    for definition in definitions:
        declaration = genai.FunctionDeclaration.model_validate(definition)
        assert declaration.model_dump(exclude_none=True) == definition


def test_mcp(pipeline):
    for n, (name, arguments) in enumerate(CALLS):
        request = mcp_types.CallToolRequest(
            method="tools/call", params=mcp_types.CallToolRequestParams(name=name, arguments=arguments)
        )
        for given in (request, request.model_dump(), request.model_dump(by_alias=True, mode="json")):
            (answer,) = pipeline.answer(given)
            result = mcp_types.CallToolResult.model_validate(answer)
            assert getattr(result, "is_error", getattr(result, "isError", None)) is (n > 2)
        dumped = result.model_dump(by_alias=True, exclude_none=True, mode="json")
        assert {key: dumped[key] for key in answer} == answer
        rpc = mcp_types.JSONRPCRequest(jsonrpc="2.0", id=n, **request.model_dump(by_alias=True, exclude_none=True))
        (wrapped,) = pipeline.answer(rpc)
        assert mcp_types.JSONRPCResponse.model_validate(wrapped).id == n
        assert wrapped["result"] == answer
    definitions = pipeline.tools.definitions("mcp")
    for definition in definitions:
        listed = mcp_types.Tool.model_validate(definition)
        assert listed.model_dump(by_alias=True, exclude_none=True) == definition
    assert definitions[0]["annotations"] == {"readOnlyHint": True, "idempotentHint": True, "destructiveHint": False}


def test_a_result_of_an_mcp_client_is_handed_on(make_pipeline):
    image = mcp_types.ImageContent(type="image", data="aGk=", mimeType="image/png")
    texts = [mcp_types.TextContent(type="text", text="sunny"), image]
    link = mcp_types.ResourceLink(type="resource_link", uri="file:///a.md", name="a.md")
    held = mcp_types.TextResourceContents(uri="file:///b.md", mimeType="text/markdown", text="# B")
    resource = mcp_types.EmbeddedResource(type="resource", resource=held)
    whole = mcp_types.CallToolResult(content=[*texts, link, resource], structuredContent={"sky": "clear"})
    values = {
        "whole": whole,
        "listed": [*texts, link, resource],
        "dumped": whole.model_dump(by_alias=True, mode="json"),
    }

    def forecast(kind: str) -> Any:
        """Tells the weather."""
        return values[kind]

    pipeline = make_pipeline(forecast)
    wire = whole.model_dump(by_alias=True, exclude_none=True, mode="json")
    for kind in values:
        result = pipeline.call("forecast", {"kind": kind}, call_id="c1")
        answer = result.message("mcp")
        assert answer["content"] == wire["content"]
        assert answer.get("structuredContent") == (None if kind == "listed" else {"sky": "clear"})
        mcp_types.CallToolResult.model_validate(answer)
        valid(result.message("anthropic"), MessageParam)
        valid(result.message("openai-responses"), ResponseInputItemParam)
        for given in DIALECTS["openai"].messages([result]):
            valid(given, ChatCompletionMessageParam)
        genai.Content.model_validate(result.message("gemini"))


def test_blocks_of_the_sdks_are_read(make_pipeline):
    values = {
        "part": genai.Part.from_bytes(data=PNG, mime_type="image/png"),
        "mcp": mcp_types.ImageContent(type="image", data="iVBORw0KGgo=", mimeType="image/png"),
        "responses": openai.types.responses.ResponseInputImage.model_validate(
            {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,iVBORw0KGgo="}
        ),
    }

    def show(kind: str) -> Any:
        """Shows a picture."""
        return values[kind]

    pipeline = make_pipeline(show)
    for kind in values:
        result = pipeline.call("show", {"kind": kind}, call_id="c1")
        (block,) = result.message("anthropic")["content"][0]["content"]
        assert block["source"]["data"].startswith("iVBORw0KGgo")
        valid(result.message("anthropic"), MessageParam)
        valid(result.message("openai-responses"), ResponseInputItemParam)
        genai.Content.model_validate(result.message("gemini"))
        mcp_types.CallToolResult.model_validate(result.message("mcp"))


def test_every_text_and_block_is_valid_when_it_is_cut(make_pipeline):
    def long(kind: str) -> Any:
        """Gives much."""
        text = "word " * 2_000
        return {"text": text, "json": {"text": text}, "blocks": [PNG, {"type": "text", "text": text}]}[kind]

    pipeline = make_pipeline(long, limits=Limits(result_chars=500))
    for kind in ("text", "json", "blocks"):
        result = pipeline.call("long", {"kind": kind}, call_id="c1")
        assert "left out]" in str(result.message("openai"))
        valid(result.message("anthropic"), MessageParam)
        valid(result.message("openai-responses"), ResponseInputItemParam)
        valid(result.message("openai"), ChatCompletionMessageParam)
        genai.Content.model_validate(result.message("gemini"))
        mcp_types.CallToolResult.model_validate(result.message("mcp"))


def test_the_streams_of_the_samples_are_the_providers_own(make_pipeline):
    """Each chunk is one of the SDK's; what is assembled is the SDK's message; and it is answered."""
    kinds: dict[str, Any] = {
        "openai": (ChatCompletionChunk, lambda whole: ChatCompletion.model_validate({**whole, "usage": None})),
        "gemini": (genai.GenerateContentResponse, genai.GenerateContentResponse.model_validate),
    }
    pipeline = make_pipeline(write)
    for name, (chunk_type, whole_type) in kinds.items():
        chunks = STREAMS[name]()
        if name == "openai":
            chunks[-1].pop("usage")
        if name == "gemini":
            chunks[2]["candidates"][0]["content"]["parts"][0]["thought_signature"] = b"s"
        message = DIALECTS[name].assemble(chunk_type.model_validate(chunk) for chunk in chunks)
        whole = whole_type(message)
        assert pipeline.answer(whole).results[0].content == pipeline.answer(message).results[0].content
        assert [result.value for result in pipeline.answer(message).results] == [
            {"path": "a.md", "characters": 7},
            {"path": "b.md", "characters": 0},
        ]


def http_client(module: Any, events: list[dict[str, Any]]) -> Any:
    """A client of an SDK whose server answers with these server-sent events."""
    import httpx2

    lines = "".join(f"event: {event.get('type', '')}\ndata: {json.dumps(event)}\n\n" for event in events)
    headers = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, text=lines))
    return module(api_key="k", http_client=httpx2.Client(transport=transport), max_retries=0)


def test_what_is_assembled_is_what_anthropic_assembles(make_pipeline):
    events = [event for event in STREAMS["anthropic"]() if event["type"] != "ping"]
    events[0]["message"]["usage"]["output_tokens"] = 1
    with http_client(anthropic.Anthropic, events) as client:
        options: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
        raw = list(client.messages.create(**options, stream=True))
        with client.messages.stream(**options) as stream:
            high = list(stream)
            final = stream.get_final_message()
    expected = final.to_dict()
    for seen in (raw, high, events):
        message = DIALECTS["anthropic"].assemble(seen)
        assert Message.model_validate(message).content == Message.model_validate(expected).content
        assert message["stop_reason"] == final.stop_reason
        valid({"role": message["role"], "content": json.loads(json.dumps(message["content"]))}, MessageParam)
        assert len(make_pipeline(write).answer(message).results) == 2
    for event in raw:
        TypeAdapter(RawMessageStreamEvent).validate_python(event.to_dict())


def test_what_is_assembled_is_what_openai_assembles(make_pipeline):
    chunks = STREAMS["openai"]()
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    chunks[-1]["usage"] = usage
    with http_client(openai.OpenAI, chunks) as client:
        options: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
        raw = list(client.chat.completions.create(**options, stream=True))
        with client.chat.completions.stream(**options) as stream:
            events = list(stream)
            final = stream.get_final_completion()
    message = DIALECTS["openai"].assemble(raw)
    assert DIALECTS["openai"].assemble(events)["choices"] == message["choices"]
    whole = ChatCompletion.model_validate(message)
    assert whole.choices[0].message.content == final.choices[0].message.content
    ours, theirs = whole.choices[0].message.tool_calls, final.choices[0].message.tool_calls
    assert [(one.id, one.function.name, one.function.arguments) for one in ours] == [
        (one.id, one.function.name, one.function.arguments) for one in theirs
    ]
    assert message["usage"]["total_tokens"] == 2
    valid(message["choices"][0]["message"], ChatCompletionMessageParam)
    assert [result.is_error for result in make_pipeline(write).answer(message).results] == [False, False]


def test_what_is_assembled_of_the_events_of_a_response(make_pipeline):
    events = [{"sequence_number": n, **event} for n, event in enumerate(STREAMS["openai-responses"]())]
    base = {"created_at": 1, "tools": [], "parallel_tool_calls": True, "tool_choice": "auto"}
    for event in events:
        if "response" in event:
            event["response"] = {**base, **event["response"]}
        if "delta" in event or "arguments" in event:
            event |= {"item_id": "i", "content_index": 0, "logprobs": [], "name": "write"}
    with http_client(openai.OpenAI, events) as client:
        raw = list(client.responses.create(model="m", input="Hi", stream=True))
    assert len(raw) == len(events)
    assert {event.type for event in raw} == {event["type"] for event in events}
    pipeline = make_pipeline(write)
    whole = DIALECTS["openai-responses"].assemble(raw)
    Response.model_validate(whole)
    assert [result.is_error for result in pipeline.answer(whole).results] == [False, False]
    for end in range(len(raw) - 1):
        cut = DIALECTS["openai-responses"].assemble(raw[:end])
        if end:
            Response.model_validate(cut)
        for result in pipeline.answer(cut).results:
            assert not result.is_error or "cut off by the end of the stream" in result.content


def test_arguments_that_gemini_streams_by_path(make_pipeline):
    calls = [
        {"id": "c1", "name": "write", "will_continue": True},
        {"partial_args": [{"json_path": "$.path", "string_value": "b.", "will_continue": True}], "will_continue": True},
        {"partial_args": [{"json_path": "$.path", "string_value": "md"}], "will_continue": True},
        {},
    ]
    chunks = [
        genai.GenerateContentResponse.model_validate(
            {"candidates": [{"content": {"parts": [{"function_call": call}]}}]}
        )
        for call in calls
    ]
    pipeline = make_pipeline(write)
    assert pipeline.answer(DIALECTS["gemini"].assemble(chunks)).results[0].value == {"path": "b.md", "characters": 0}
    (cut,) = pipeline.answer(DIALECTS["gemini"].assemble(chunks[:-1])).results
    assert "cut off by the end of the stream" in cut.content
    genai.GenerateContentResponse.model_validate(DIALECTS["gemini"].assemble(chunks[:-1]))


def test_calls_read_by_hand_are_answered_in_every_shape(pipeline):
    call = ToolCall("c1", "read", json.dumps(GOOD))
    result = pipeline.call(call)
    assert result.message("openai")["tool_call_id"] == result.message("openai-responses")["call_id"] == "c1"
    valid(result.message("openai"), ChatCompletionMessageParam)
    valid(result.message("openai-responses"), ResponseInputItemParam)
    valid(result.message("anthropic"), MessageParam)
    genai.Content.model_validate(result.message("gemini"))
    mcp_types.CallToolResult.model_validate(result.message("mcp"))
