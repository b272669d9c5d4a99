"""`dialect.assemble`: the pieces of a stream become the message they were cut from, and a call that was cut off is told so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from dialect_samples import STREAMS, A, B, anthropic_stream, gemini_stream, openai_stream, pieces, responses_stream

from mulligan import Pipeline, Session, errors
from mulligan.dialects import built_in

DIALECTS = built_in()
RUNS: list[dict[str, Any]] = []


def write(path: str = "everything", text: str = "") -> str:
    """Writes a file."""
    RUNS.append({"path": path, "text": text})
    return f"wrote {path}"


@pytest.fixture
def pipeline(make_pipeline) -> Pipeline:
    RUNS.clear()
    return make_pipeline(write)


class Chunk:
    """An SDK's object."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def model_dump(self) -> dict[str, Any]:
        return {"unknown": None, **self._values}


@pytest.mark.parametrize("make", [dict, Chunk])
@pytest.mark.parametrize("name", STREAMS)
def test_a_whole_stream(pipeline, name, make):
    chunks = STREAMS[name]()
    before = json.dumps(chunks)
    message = DIALECTS[name].assemble(make(chunk) for chunk in chunks)
    assert json.dumps(chunks) == before
    assert [other for other, dialect in DIALECTS.items() if dialect.recognises(message)] == [name]
    answers = pipeline.answer(message)
    assert [result.call.id for result in answers.results] == ["c1", "c2"]
    assert [result.content for result in answers.results] == ["wrote a.md", "wrote b.md"]
    assert RUNS == [{"path": "a.md", "text": "one\ntwo"}, {"path": "b.md", "text": ""}]
    assert "Let me write." in json.dumps(message)


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_ends_after_any_chunk_never_runs_a_call_that_is_not_whole(pipeline, name):
    chunks = STREAMS[name]()
    cut_off = 0
    for end in range(len(chunks)):
        RUNS.clear()
        answers = pipeline.answer(DIALECTS[name].assemble(chunks[:end]))
        assert RUNS == [{"path": "a.md", "text": "one\ntwo"}, {"path": "b.md", "text": ""}][: len(RUNS)]
        ids = [result.call.id for result in answers.results]
        assert ids == ["c1", "c2"][: len(ids)]
        for result in answers.results[len(RUNS) :]:
            assert isinstance(result.error, errors.ToolArgumentError)
            assert (result.error.rule, result.error.effect, result.attempts) == ("host:cut-off", "none", 0)
            assert "the call was cut off by the end of the stream" in result.content
            assert "nothing was run" in result.content
            assert "Next: call write again with all of its arguments." in result.content
            cut_off += 1
    assert cut_off > (0 if name == "gemini" else 9)


def test_what_the_model_reads_of_a_call_that_was_cut_off(pipeline):
    chunks = openai_stream("length")
    message = DIALECTS["openai"].assemble([*chunks[:-4], chunks[-2]])
    (_, answer) = pipeline.answer(message)
    assert answer["content"] == (
        "Error executing tool write: Invalid arguments: the call was cut off by the output token limit, after 10"
        " characters of its arguments; nothing was run.\nNext: call write again with shorter, complete arguments;"
        " split the work into several calls if necessary."
    )


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ({"finish_reason": "length"}, "by the output token limit, after 9 characters of its arguments"),
        ({"finish_reason": "content_filter"}, "by a content filter, after 9 characters of its arguments"),
        ({"finish_reason": None}, "by the end of the stream, after 9 characters of its arguments"),
    ],
)
def test_a_completion_that_was_cut_off_without_a_stream(pipeline, message, how):
    call = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": '{"path": '}}
    completion = {"choices": [{**message, "message": {"role": "assistant", "tool_calls": [call]}}]}
    assert f"the call was cut off {how}; nothing was run" in pipeline.answer(completion)[0]["content"]
    call["function"]["arguments"] = ""
    assert "the call was cut off" in pipeline.answer(completion)[0]["content"]
    call["function"]["arguments"] = B
    is_withdrawn = message["finish_reason"] == "content_filter"
    told = pipeline.answer(completion)[0]["content"]
    assert "the call was cut off by a content filter" in told if is_withdrawn else told == "wrote b.md"
    if is_withdrawn:
        return
    call["function"]["arguments"] = "{'path': 'b.md'}"
    assert "double quotes" in pipeline.answer(completion)[0]["content"]


def test_a_message_of_anthropic_that_was_cut_off_without_a_stream(pipeline):
    block = {"type": "tool_use", "id": "c1", "name": "write", "input": {"path": "a.md"}}
    message = {"role": "assistant", "content": [block, {**block, "id": "c2"}], "stop_reason": "max_tokens"}
    first, second = pipeline.answer(message)[0]["content"]
    assert first["content"] == "wrote a.md"
    assert "the call was cut off by the output token limit; nothing was run" in second["content"]
    assert len(RUNS) == 1


ENDED_EARLY = {
    "anthropic": [("refusal", {"path": "a.md"}), ("refusal", {}), ("model_context_window_exceeded", {"path": "a.md"})],
    "gemini": [
        (reason, args)
        for reason in (
            "MAX_TOKENS",
            "MALFORMED_FUNCTION_CALL",
            "SAFETY",
            "RECITATION",
            "PROHIBITED_CONTENT",
            "A_NEW_ONE",
        )
        for args in ({"path": "a.md"}, {}, None)
    ],
    "openai": [("content_filter", '{"path": "a.md"}'), ("content_filter", "{}"), ("length", "")],
    "openai-responses": [("incomplete", '{"path": "a.md"}'), ("incomplete", "{}")],
}


def that_ended(dialect: str, reason: str | None, arguments: Any) -> dict[str, Any]:
    """A message with one call that was not streamed and says why it ended."""
    if dialect == "anthropic":
        block = {"type": "tool_use", "id": "c1", "name": "write", "input": arguments}
        return {"role": "assistant", "content": [block], "stop_reason": reason}
    if dialect == "gemini":
        parts = [{"functionCall": {"name": "write", "args": arguments}}]
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}
    if dialect == "openai":
        call = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": arguments}}
        return {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": reason}]}
    item = {"type": "function_call", "call_id": "c1", "name": "write", "arguments": arguments, "status": reason}
    return {"object": "response", "status": "completed", "output": [item]}


@pytest.mark.parametrize(
    ("dialect", "reason", "arguments"),
    [(dialect, *case) for dialect, cases in ENDED_EARLY.items() for case in cases],
)
def test_a_call_of_a_message_that_says_it_ended_early_is_not_run(pipeline, dialect, reason, arguments):
    answers = pipeline.answer(that_ended(dialect, reason, arguments))
    assert RUNS == []
    assert answers.results[0].error.rule == "host:cut-off"
    assert "the call was cut off" in answers.results[0].content


@pytest.mark.parametrize(
    ("dialect", "reason"),
    [
        ("anthropic", "tool_use"),
        ("anthropic", "end_turn"),
        ("gemini", "STOP"),
        ("gemini", None),
        ("gemini", "FINISH_REASON_UNSPECIFIED"),
        ("openai", "tool_calls"),
        ("openai", "stop"),
        ("openai", "eos_token"),
        ("openai-responses", "completed"),
        ("openai-responses", None),
    ],
)
def test_a_call_of_a_message_that_ended_as_usual_is_run(pipeline, dialect, reason):
    arguments: Any = {"path": "a.md"} if dialect in ("anthropic", "gemini") else '{"path": "a.md"}'
    assert pipeline.answer(that_ended(dialect, reason, arguments)).results[0].content == "wrote a.md"


def test_at_the_token_limit_of_gemini_only_the_last_part_may_be_cut(pipeline):
    message = that_ended("gemini", "MAX_TOKENS", {"path": "a.md"})
    message["candidates"][0]["content"]["parts"] *= 2
    first, second = pipeline.answer(message).results
    assert first.content == "wrote a.md"
    assert second.is_error
    message["candidates"][0]["content"]["parts"].append({"text": "And then"})
    assert [result.is_error for result in pipeline.answer(message).results] == [False, False]


@pytest.mark.parametrize("state", ["input-available", "approval-responded"])
def test_a_part_of_the_ai_sdk_without_its_input_is_not_run(pipeline, state):
    part = {
        "type": "dynamic-tool",
        "toolName": "write",
        "toolCallId": "c1",
        "state": state,
        "approval": {"approved": True},
    }
    for more in ({}, {"input": None}, {"rawInput": '{"path": '}):
        (result,) = pipeline.answer({"role": "assistant", "parts": [{**part, **more}]}).results
        assert result.is_error
    assert RUNS == []
    (result,) = pipeline.answer({"role": "assistant", "parts": [{**part, "input": {"path": "a.md"}}]}).results
    assert result.content == "wrote a.md"


def test_a_message_of_anthropic_that_names_no_reason_is_taken_as_it_is(pipeline):
    block = {"type": "tool_use", "id": "c1", "name": "write", "input": {"path": "a.md"}}
    message = {"role": "assistant", "content": [block], "stop_reason": None}
    assert pipeline.answer(message)[0]["content"][0]["content"] == "wrote a.md"


def test_a_block_of_anthropic_that_arrived_at_once(pipeline):
    block = {"type": "tool_use", "id": "c1", "name": "write", "input": {"path": "a.md"}}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    assert pipeline.answer(DIALECTS["anthropic"].assemble([start])).results[0].content == "wrote a.md"


def test_citations_are_kept():
    start = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": "", "citations": None},
    }
    told = [{"type": "citations_delta", "citation": {"n": n}} for n in (1, 2)]
    deltas = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in told]
    message = DIALECTS["anthropic"].assemble([start, *deltas])
    assert message["content"] == [{"type": "text", "text": "", "citations": [{"n": 1}, {"n": 2}]}]


def test_events_that_hold_a_chunk(pipeline):
    chunks = openai_stream()
    events = [event for chunk in chunks for event in ({"type": "chunk", "chunk": chunk}, {"type": "content.delta"})]
    assert DIALECTS["openai"].assemble(events) == DIALECTS["openai"].assemble(chunks)


@pytest.mark.parametrize(
    ("reason", "how"),
    [("max_output_tokens", "by the output token limit"), ("content_filter", "by a content filter")],
)
def test_a_response_that_is_incomplete(pipeline, reason, how):
    message = DIALECTS["openai-responses"].assemble(responses_stream(reason))
    answers = pipeline.answer(message)
    assert answers[0]["output"] == "wrote a.md"
    assert f"the call was cut off {how}, after 9 characters of its arguments" in answers[1]["output"]
    item = message["output"][-1]
    whole = {"object": "response", "status": "completed", "output": [item]}
    assert "by the end of the stream" in pipeline.answer(whole)[0]["output"]
    assert "by the end of the stream" in pipeline.answer(item)[0]["output"]


def test_a_part_of_the_ai_sdk_that_was_stored_in_midstream(pipeline):
    part = {"type": "tool-write", "toolCallId": "c1", "state": "input-streaming", "input": {"path": "a"}}
    for raw in ({}, {"rawInput": '{"path": "a'}):
        (answer,) = pipeline.answer({"role": "assistant", "parts": [{**part, **raw}]})
        assert answer["state"] == "output-error"
        assert "the call was cut off by the end of the stream" in answer["errorText"]
    assert RUNS == []


def test_a_cut_call_is_safe_wherever_its_arguments_are_looked_at(pipeline, make_pipeline, plugin):
    seen = []

    def repair(call, error):
        seen.append((repr(call.arguments), str(call.arguments), bool(call.arguments)))

    def observe(event):
        seen.append(getattr(event, "arguments", ""))

    looking = make_pipeline(write, plugins=[plugin(repair=repair, observe=observe)])
    session: Session = looking.session()
    message = DIALECTS["openai"].assemble(openai_stream()[:-4])
    for _ in range(4):
        session.answer(message)
    assert ("CutOff(10 characters, by the end of the stream)", '{"path": "', True) in seen
    assert not looking.faults
    misnamed = json.loads(json.dumps(message))
    misnamed["choices"][0]["message"]["tool_calls"][1]["function"]["name"] = "wriet"
    assert 'Did you mean "write"?' in pipeline.answer(misnamed)[1]["content"]


def test_a_session_counts_cut_calls_as_any_other_failure(pipeline):
    session = pipeline.session()
    message = DIALECTS["openai"].assemble(openai_stream()[:-3])
    asked = message["choices"][0]["message"]
    asked["tool_calls"] = asked["tool_calls"][-1:]
    told = [session.answer(message)[-1]["content"] for _ in range(2)]
    assert "has already failed" in told[1]
    assert "has already failed" not in told[0]


def test_arguments_of_anthropic_that_are_no_json_come_back_as_the_api_takes_them(pipeline):
    events = anthropic_stream()
    for event in events:
        if event.get("delta", {}).get("partial_json", "").startswith('{"pat'):
            event["delta"]["partial_json"] = "{'pat"
    message = DIALECTS["anthropic"].assemble(events)
    assert message["content"][2]["input"] == {"INVALID_JSON": A.replace('{"', "{'", 1)}
    (answer,) = pipeline.answer(message)
    assert "not valid JSON at line 1 column 2" in answer["content"][0]["content"]
    assert "double quotes" in answer["content"][0]["content"]


@pytest.mark.parametrize("arguments", ['{"path": "a", "path": "b"}', '{"path": NaN}', "[1]", '{"n": 1e999}'])
def test_arguments_of_anthropic_lose_nothing_on_the_way(pipeline, arguments):
    start = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "c", "name": "write"},
    }
    delta = {"type": "input_json_delta", "partial_json": arguments}
    ending = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    events = [start, {"type": "content_block_delta", "index": 0, "delta": delta}, ending]
    streamed = pipeline.answer(DIALECTS["anthropic"].assemble(events)).results[0].content
    assert streamed == pipeline.call("write", arguments, call_id="c").content
    assert RUNS == []


def test_the_one_call_of_older_servers(pipeline):
    def chunk(reason: str | None = None, **delta: Any) -> dict[str, Any]:
        return {"choices": [{"delta": delta, "finish_reason": reason}]}

    chunks = [
        chunk(role="assistant", function_call={"name": "write", "arguments": ""}),
        chunk(function_call={"arguments": A[:9]}),
        chunk(function_call={"arguments": A[9:]}),
        chunk("function_call"),
    ]
    message = DIALECTS["openai"].assemble(chunks)
    assert message["choices"][0]["message"]["function_call"] == {"name": "write", "arguments": A}
    [answer] = pipeline.answer(message)
    assert answer == {"role": "function", "name": "write", "content": pipeline.call("write", A).content}
    RUNS.clear()
    [answer] = pipeline.answer(DIALECTS["openai"].assemble(chunks[:2]))
    assert "the call was cut off by the end of the stream" in answer["content"]
    assert RUNS == []


def test_chunks_of_servers_that_are_not_quite_openai(pipeline):
    def chunk(*calls: Any, reason: Any = None) -> dict[str, Any]:
        return {"choices": [{"delta": {"tool_calls": list(calls)}, "finish_reason": reason}]}

    def call(arguments: str, **more: Any) -> dict[str, Any]:
        return {"function": {"name": "write", "arguments": arguments}, **more}

    variants = [
        [chunk(call(A, index=0, id="c1")), chunk(call(B, index=0, id="c2"))],
        [chunk(call(A, id="c1")), chunk(call(B, id="c2"))],
        [chunk(call(A, index=0, id="c1"), call(B, index=1, id="c2"))],
        [chunk(call(A[:9], index=0, id="c1")), chunk(call(A[9:], index=0, id="c1")), chunk(call(B, index=1, id="c2"))],
        [chunk(call(A[:9], id="c1")), chunk(call(A[9:])), chunk(call(B, id="c2"))],
    ]
    for chunks in variants:
        message = DIALECTS["openai"].assemble([*chunks, chunk(reason="tool_calls")])
        answers = pipeline.answer(message)
        assert [answer["tool_call_id"] for answer in answers] == ["c1", "c2"]
        assert [answer["content"] for answer in answers] == ["wrote a.md", "wrote b.md"]


def test_several_choices_and_members_of_other_servers():
    def chunk(index: int, **delta: Any) -> dict[str, Any]:
        return {"id": "x", "choices": [{"index": index, "delta": delta}]}

    extra = {"index": 0, "id": "c1", "function": {"name": "write"}, "extra_content": {"google": "s"}}
    chunks = [chunk(0, content="a"), chunk(1, content="b"), chunk(0, content="c", reasoning_content="so")]
    message = DIALECTS["openai"].assemble([*chunks, chunk(1, tool_calls=[extra], role="assistant")])
    first, second = message["choices"]
    assert first["message"] == {"role": "assistant", "content": "ac", "reasoning_content": "so"}
    assert second["message"]["tool_calls"][0]["extra_content"] == {"google": "s"}


def test_a_response_whose_last_event_lacks_the_output(pipeline):
    events = responses_stream()
    events[-1]["response"] = {**events[-1]["response"], "output": []}
    message = DIALECTS["openai-responses"].assemble(events)
    assert [item["type"] for item in message["output"]] == ["message", "function_call", "function_call"]
    assert len(pipeline.answer(message)) == 2


def test_a_response_that_ended_in_its_reasoning_leaves_that_out():
    item = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "half"}
    events = [{"type": "response.output_item.added", "output_index": 0, "item": item}]
    dialect = DIALECTS["openai-responses"]
    assert dialect.assemble(events)["output"] == []
    done = {"type": "response.output_item.done", "output_index": 0, "item": {**item, "encrypted_content": "whole"}}
    assert dialect.assemble([*events, done])["output"] == [done["item"]]


def test_a_custom_tool_call_that_is_streamed(pipeline):
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "write", "input": ""}
    events: list[dict[str, Any]] = [{"type": "response.output_item.added", "output_index": 0, "item": item}]
    kind = "response.custom_tool_call_input"
    events += [{"type": f"{kind}.delta", "output_index": 0, "delta": piece} for piece in pieces(B)]
    dialect = DIALECTS["openai-responses"]
    assert "cut off by the end" in pipeline.answer(dialect.assemble(events[:-1]))[0]["output"]
    assert pipeline.answer(dialect.assemble([*events, {"type": f"{kind}.done", "output_index": 0, "input": B}])) == [
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "wrote b.md"}
    ]


@pytest.mark.parametrize(
    ("partial", "expected"),
    [
        ([("$.a", "string_value", "x")], {"a": "x"}),
        ([("$.a", "string_value", "x"), ("$.a", "string_value", "y")], {"a": "xy"}),
        (
            [("$.a.b[0].c", "number_value", 2.0), ("$.a.b[1].c", "number_value", 2.5)],
            {"a": {"b": [{"c": 2}, {"c": 2.5}]}},
        ),
        ([("$['a b'][\"c\"]", "bool_value", False)], {"a b": {"c": False}}),
        (
            [("$.a[0]", "string_value", "x"), ("$.a[0]", "string_value", "y"), ("$.a[1]", "string_value", "z")],
            {"a": ["xy", "z"]},
        ),
        ([("$.a", "null_value", "NULL_VALUE")], {"a": None}),
        ([("$.a[7]", "string_value", "x")], None),
        ([("$.a[999999999999]", "string_value", "x")], None),
        ([("a", "string_value", "x")], None),
        ([("$", "string_value", "x")], None),
        ([("$..a", "string_value", "x")], None),
        ([("$.a", "string_value", "x"), ("$.a.b", "string_value", "y")], None),
    ],
)
@pytest.mark.parametrize("wire", [False, True], ids=["snake_case", "camelCase"])
def test_gemini_arguments_by_path(partial, expected, wire):
    def named(values: dict[str, Any]) -> dict[str, Any]:
        first_up = {name: "".join(part.capitalize() for part in name.split("_")) for name in values}
        return {first_up[n][:1].lower() + first_up[n][1:]: value for n, value in values.items()} if wire else values

    args = [named({"json_path": path, kind: value}) for path, kind, value in partial]
    calls = [{"id": "c1", "name": "write", **named({"will_continue": True})}]
    calls += [named({"partial_args": [arg], "will_continue": True}) for arg in args]
    calls += [{}]
    chunks = [{"candidates": [{"content": {"parts": [named({"function_call": call})]}}]} for call in calls]
    (call,) = DIALECTS["gemini"].calls(DIALECTS["gemini"].assemble(chunks))
    if expected is None:
        with pytest.raises(errors.ToolArgumentError, match="the call was cut off by the end of the stream"):
            dict(call.arguments or {})
    else:
        assert call.arguments == expected


def test_gemini_says_when_the_limit_cut_the_call():
    chunks = gemini_stream("MAX_TOKENS")
    message = DIALECTS["gemini"].assemble([*chunks[:4], chunks[-2]])
    (whole, cut) = DIALECTS["gemini"].calls(message)
    assert whole.arguments == json.loads(A)
    for look in (dict, len, lambda arguments: arguments["path"], lambda arguments: arguments.get("path")):
        with pytest.raises(errors.ToolArgumentError, match="cut off by the output token limit"):
            look(cut.arguments)
    assert cut.arguments == cut.arguments
    assert {cut.arguments} == {cut.arguments}
    assert cut.arguments != {}


def test_all_the_parts_of_a_stream_of_the_ai_sdk():
    base = {"toolCallId": "c1"}
    chunks: list[dict[str, Any]] = [
        {"type": "start"},
        {"type": "start-step"},
        {"type": "text-start", "id": "0"},
        {"type": "reset-step"},
        {"type": "reasoning-start", "id": "0"},
        {"type": "reasoning-delta", "id": "0", "delta": "Hm."},
        {"type": "reasoning-end", "id": "0", "providerMetadata": {"x": {}}},
        {"type": "text-delta", "id": "never begun", "delta": "lost"},
        {"type": "file", "url": "data:,", "mediaType": "text/plain"},
        {"type": "data-weather", "data": 1, "transient": True},
        {"type": "tool-input-start", **base, "toolName": "write", "dynamic": True, "providerMetadata": {"y": {}}},
        {"type": "tool-approval-request", **base, "approvalId": "a1"},
        {"type": "tool-approval-response", "approvalId": "a1", "approved": True},
        {"type": "tool-approval-response", "approvalId": "unknown", "approved": False},
        {"type": "tool-input-error", "toolCallId": "c2", "toolName": "write", "input": "{", "errorText": "bad"},
        {"type": "tool-output-error", "toolCallId": "unknown", "errorText": "bad"},
        {"type": "message-metadata", "messageMetadata": {"z": 1}},
    ]
    message = DIALECTS["ai-sdk"].assemble(chunks)
    assert message == {
        "id": "",
        "role": "assistant",
        "metadata": {"z": 1},
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "id": "0", "text": "Hm.", "state": "done", "providerMetadata": {"x": {}}},
            {"type": "file", "url": "data:,", "mediaType": "text/plain"},
            {"type": "data-weather", "data": 1},
            {
                "type": "dynamic-tool",
                "toolName": "write",
                "toolCallId": "c1",
                "state": "approval-responded",
                "callProviderMetadata": {"y": {}},
                "approval": {"id": "a1", "approved": True},
            },
            {"type": "tool-write", "toolCallId": "c2", "state": "output-error", "input": "{", "errorText": "bad"},
        ],
    }
    assert [call.id for call in DIALECTS["ai-sdk"].calls(message)] == ["c1"]


@pytest.mark.parametrize("name", STREAMS)
def test_chunks_of_another_provider_are_named(name):
    for other, stream in STREAMS.items():
        if other != name:
            with pytest.raises(
                errors.UsageError, match=rf"these chunks \(dict\) are not a stream of the dialect {name};"
            ):
                DIALECTS[name].assemble(stream())
    with pytest.raises(errors.UsageError, match=r"these chunks \(int\) are not a stream"):
        DIALECTS[name].assemble([3, None])


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("chunks", ["text", b"bytes", {"choices": []}, 3, None])
def test_what_are_no_chunks_is_named(name, chunks):
    with pytest.raises(errors.UsageError, match=r"assemble\(\) takes the chunks of a stream as a list, not \w+"):
        DIALECTS[name].assemble(chunks)


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_in_which_nothing_came_asks_for_nothing(pipeline, name):
    message = DIALECTS[name].assemble([])
    assert DIALECTS[name].recognises(message)
    assert pipeline.answer(message) == []


def test_a_request_of_mcp_is_no_stream():
    with pytest.raises(NotImplementedError, match=r"MCPDialect has no assemble\(chunks\)"):
        DIALECTS["mcp"].assemble([])


STRANGE: list[Any] = [None, 3, "x", [], {}, [None], {"x": 1}, -1, True]


@pytest.mark.parametrize("name", STREAMS)
def test_whatever_stands_in_a_place_of_a_chunk_it_is_read_or_refused(pipeline, name):
    chunks = STREAMS[name]()

    def garbled(value: Any) -> Any:
        if isinstance(value, dict):
            for member, item in value.items():
                yield {other: held for other, held in value.items() if other != member}
                yield from ({**value, member: strange} for strange in (*STRANGE, *garbled(item)))
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield from ([*value[:at], strange, *value[at + 1 :]] for strange in (*STRANGE, *garbled(item)))

    for at, chunk in enumerate(chunks):
        for strange in garbled(chunk):
            answers = pipeline.answer(DIALECTS[name].assemble([*chunks[:at], strange, *chunks[at + 1 :]]))
            assert all(isinstance(message, dict) for message in json.loads(json.dumps(answers)))
            assert len(answers.results) <= len(chunks)


@pytest.mark.parametrize("name", STREAMS)
def test_twenty_thousand_pieces(name):
    chunks = STREAMS[name]()
    at = next((n for n, chunk in enumerate(chunks) if '{"pat' in json.dumps(chunk).replace('\\"', '"')), 0)
    dialect = DIALECTS[name]
    message = dialect.assemble([*chunks[:at], *[chunks[at]] * 20_000])
    assert dialect.calls(message) or name == "gemini"
