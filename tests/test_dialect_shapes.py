"""Each dialect of the core: what it recognises, reads and writes, whatever a model or a server put into the message."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from dialect_samples import BAD, GOOD, MESSAGES, SEVERAL, ai_sdk, anthropic, gemini, mcp, openai, responses

from mulligan import Pipeline, Tool, ToolResult, errors, hookimpl, tool
from mulligan.dialects import built_in, named
from mulligan.plugin import Dialect, ToolCall

DIALECTS = built_in()


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def stop() -> str:
    """Cannot go on."""
    raise errors.ToolAuthenticationError("no credentials")


def ids(kind: str, answers: list[dict[str, Any]]) -> list[Any]:
    """The ids of the calls that are answered, in order."""
    if kind == "openai":
        return [message["tool_call_id"] for message in answers if message["role"] == "tool"]
    if kind == "openai-responses":
        return [item["call_id"] for item in answers]
    if kind == "anthropic":
        return [block["tool_use_id"] for message in answers for block in message["content"]]
    if kind.startswith("gemini"):
        return [part["function_response"].get("id") for message in answers for part in message["parts"]]
    return [part["toolCallId"] for part in answers]


def test_the_names_are_those_of_the_pipeline(make_pipeline):
    names = ["openai", "openai-responses", "anthropic", "gemini", "mcp", "ai-sdk"]
    pipeline: Pipeline = make_pipeline(add)
    assert list(DIALECTS) == names == list(pipeline.tools.dialects or ())
    for name in names:
        (definition,) = pipeline.tools.definitions(name)
        assert json.loads(json.dumps(definition)) == definition
    with pytest.raises(errors.UsageError, match="available: ai-sdk, anthropic, gemini, mcp, openai, openai-responses"):
        pipeline.tools.definitions("acme")


@pytest.mark.parametrize("awaited", [False, True], ids=["answer", "aanswer"])
@pytest.mark.parametrize("kind", SEVERAL)
def test_every_call_is_answered_once_also_when_one_is_fatal(make_pipeline, kind, awaited):
    pipeline = make_pipeline(add, stop)
    message = SEVERAL[kind](("c1", "add", GOOD), ("c2", "stop", "{}"), ("c3", "ad", GOOD), ("c4", "add", BAD))
    before = json.dumps(message)
    answers = asyncio.run(pipeline.aanswer(message)) if awaited else pipeline.answer(message)
    assert ids(kind, answers) == ["c1", "c2", "c3", "c4"]
    assert answers.fatal
    with pytest.raises(errors.ToolAuthenticationError):
        answers.raise_if_fatal()
    told = [type(result.error).__name__ for result in answers.results]
    assert told == ["NoneType", "ToolAuthenticationError", "ToolNotFoundError", "ToolArgumentError"]
    assert json.loads(json.dumps(answers)) == answers
    assert json.dumps(message) == before


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_is_recognised_by_its_own_dialect_and_by_no_other(kind):
    message = MESSAGES[kind](("c1", "add", GOOD))
    assert recognising(message) == [kind.partition(",")[0]]


def recognising(message: Mapping[str, Any]) -> list[str]:
    return [name for name, dialect in DIALECTS.items() if dialect.recognises(message)]


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ({"choices": []}, "openai"),
        ({"role": "assistant", "content": "Hello."}, "openai"),
        ({"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}, "anthropic"),
        ({"output": []}, "openai-responses"),
        ({"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"}, "openai-responses"),
        ({"type": "custom_tool_call", "call_id": "c1", "name": "add", "input": "x"}, "openai-responses"),
        ({"candidates": []}, "gemini"),
        ({"role": "model", "parts": []}, "gemini"),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, "mcp"),
        ({"role": "assistant", "parts": []}, "ai-sdk"),
    ],
)
def test_the_marks_by_which_a_dialect_recognises(message, name):
    assert recognising(message) == [name]


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]},
        {"role": "user", "parts": []},
        {"role": "tool", "tool_call_id": "c1", "content": "3"},
        {"content": [{"type": "text", "text": "3"}], "isError": False},
        {"content": [{"type": "text", "text": "3"}]},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
        {"type": "function_call", "name": "add"},
        {"object": "list", "output": []},
        {"object": "response", "output": None},
        {"method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": []}},
        # what other frameworks make of the same names
        {"type": "ai", "content": "", "tool_calls": [{"name": "add", "args": {}, "id": "c1"}]},
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "add", "input": {}}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "add", "input": {}}}]},
        {"role": "assistant", "model": "m", "stopReason": "toolUse", "content": [{"type": "tool_use", "id": "c1"}]},
        {"role": "assistant", "model": "m", "stop_reason": "toolUse", "content": [{"type": "tool_use", "id": "c1"}]},
    ],
)
def test_what_asks_for_nothing_in_a_known_way_is_not_guessed(make_pipeline, message):
    assert recognising(message) == []
    with pytest.raises(errors.UsageError, match=r"no dialect recognises this message \(dict\); available: openai, "):
        make_pipeline(add).answer(message)


STRANGE: list[Any] = [None, 3, 1.5, True, "x", "", [], {}, [[]], [None], {"x": 1}, "x" * 10_000, "\udc80", [{}] * 100]


@pytest.mark.parametrize("kind", MESSAGES)
def test_whatever_stands_in_a_place_of_a_call_it_is_answered_or_the_message_is_refused(make_pipeline, kind):
    pipeline = make_pipeline(add)
    for place in ("id", "name", "arguments"):
        for strange in STRANGE:
            call = {"id": "c1", "name": "add", "arguments": GOOD, place: strange}
            answers = pipeline.answer(MESSAGES[kind]((call["id"], call["name"], call["arguments"])))
            assert len(answers.results) == 1
            assert answers.results[0].is_error or place == "id"
            assert len(answers.results[0].content) < 2_100
            json.dumps(answers)


@pytest.mark.parametrize("kind", MESSAGES)
def test_whatever_stands_in_a_place_of_the_message_it_is_read_or_refused(make_pipeline, kind):
    pipeline = make_pipeline(add)

    def garbled(value: Any) -> Any:
        """The message with each of its places, one after the other, holding something strange."""
        if isinstance(value, dict):
            for name, item in value.items():
                yield {other: held for other, held in value.items() if other != name}
                yield from ({**value, name: strange} for strange in (*STRANGE, *garbled(item)))
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield from ([*value[:at], strange, *value[at + 1 :]] for strange in (*STRANGE, *garbled(item)))

    for message in garbled(MESSAGES[kind](("c1", "add", GOOD))):
        assert len(recognising(message)) <= 1
        try:
            answers = pipeline.answer(message)
        except errors.UsageError as error:
            assert "no dialect recognises this message (dict)" in str(error) or "this message contains a call" in str(
                error
            )
        else:
            json.dumps(answers)


@pytest.mark.parametrize("kind", SEVERAL)
def test_calls_without_ids_or_with_one_id_are_answered_one_by_one(make_pipeline, kind):
    pipeline = make_pipeline(add)
    message = SEVERAL[kind](
        (None, "add", GOOD), ("same", "add", GOOD), ("same", "add", BAD), ({"no": "id"}, "add", GOOD)
    )
    answers = pipeline.answer(message)
    assert ids(kind, answers) == [None, "same", "same", None]
    assert [result.is_error for result in answers.results] == [False, False, True, False]


@pytest.mark.parametrize("kind", SEVERAL)
def test_many_calls_and_a_huge_one(make_pipeline, kind):
    pipeline = make_pipeline(add)
    answers = pipeline.answer(SEVERAL[kind](*((f"c{n}", "add", GOOD) for n in range(500))))
    assert len(answers.results) == 500
    huge = {"a": 1, "b": 2, "c": "x" * 2_000_000}
    (result,) = pipeline.answer(SEVERAL[kind](("c1", "add", json.dumps(huge)))).results
    assert "at most 1,000,000 are allowed" in result.content


def test_openai_answers_by_messages_of_the_role_tool(make_pipeline):
    assert make_pipeline(add).answer(openai(("c1", "add", GOOD))) == [
        {"role": "tool", "tool_call_id": "c1", "content": "3"}
    ]


def test_responses_answers_by_output_items(make_pipeline):
    pipeline = make_pipeline(add)
    assert pipeline.answer(responses(("c1", "add", GOOD))) == [
        {"type": "function_call_output", "call_id": "c1", "output": "3"}
    ]
    item = {"type": "custom_tool_call", "call_id": "c2", "name": "add", "input": GOOD}
    assert pipeline.answer(item) == [{"type": "custom_tool_call_output", "call_id": "c2", "output": "3"}]
    caller = {"type": "program", "caller_id": "p1"}
    item = {"type": "function_call", "call_id": "c2", "name": "add", "arguments": GOOD, "caller": caller}
    assert pipeline.answer(item) == [{"type": "function_call_output", "call_id": "c2", "output": "3", "caller": caller}]


def test_anthropic_answers_by_one_user_message(make_pipeline):
    blocks = [
        {"type": "tool_result", "tool_use_id": "c1", "content": "3"},
        {"type": "tool_result", "tool_use_id": "c2", "content": "3"},
    ]
    pipeline = make_pipeline(add)
    assert pipeline.answer(anthropic(("c1", "add", GOOD), ("c2", "add", GOOD))) == [{"role": "user", "content": blocks}]
    message = anthropic(("c1", "add", GOOD))
    message["content"][1]["toolset_name"] = "sums"
    assert pipeline.answer(message)[0]["content"] == [{**blocks[0], "toolset_name": "sums"}]


def test_gemini_answers_by_one_content(make_pipeline):
    pipeline: Pipeline = make_pipeline(add)
    answers = pipeline.answer(gemini((None, "add", GOOD), ("c2", "add", BAD)))
    error = answers.results[1].content
    assert answers == [
        {
            "role": "user",
            "parts": [
                {"function_response": {"name": "add", "response": {"output": 3}}},
                {"function_response": {"id": "c2", "name": "add", "response": {"error": error}}},
            ],
        }
    ]
    assert pipeline.call("add", GOOD, call_id="c1").message("gemini") == {
        "role": "user",
        "parts": [{"function_response": {"id": "c1", "name": "add", "response": {"output": 3}}}],
    }
    assert DIALECTS["gemini"].messages([]) == []


def test_mcp_answers_by_a_result_or_by_a_response(make_pipeline):
    pipeline = make_pipeline(add)
    result = {"content": [{"type": "text", "text": "3"}], "isError": False}
    assert pipeline.answer(mcp(("c1", "add", GOOD))) == [result]
    for id in (7, "seven"):
        request = {"jsonrpc": "2.0", "id": id, **mcp((None, "add", GOOD))}
        assert pipeline.answer(request) == [{"jsonrpc": "2.0", "id": id, "result": result}]
    (failed,) = pipeline.answer(mcp(("c1", "add", BAD)))
    assert failed["isError"] is True
    assert failed["content"][0]["text"].startswith("Error executing tool add: Invalid arguments")
    assert set(failed) == {"content", "isError"}


def test_ai_sdk_answers_by_the_part_in_its_last_state(make_pipeline):
    pipeline = make_pipeline(add)
    message = ai_sdk(("c1", "add", GOOD), ("c2", "add", BAD))
    message["parts"][1] |= {"title": "Sum", "callProviderMetadata": {"google": {"thoughtSignature": "s"}}}
    good, bad = pipeline.answer(message)
    assert good == {
        "type": "tool-add",
        "toolCallId": "c1",
        "title": "Sum",
        "callProviderMetadata": {"google": {"thoughtSignature": "s"}},
        "input": {"a": 1, "b": 2},
        "state": "output-available",
        "output": 3,
    }
    assert (bad["state"], bad["input"]) == ("output-error", BAD)
    assert bad["errorText"].startswith("Error executing tool add: Invalid arguments")
    dynamic = {"type": "dynamic-tool", "toolName": "ad", "toolCallId": "c3", "state": "input-available", "input": {}}
    (answer,) = pipeline.answer({"role": "assistant", "parts": [dynamic]})
    assert (answer["type"], answer["toolName"], answer["state"]) == ("dynamic-tool", "ad", "output-error")


def test_ai_sdk_parts_of_a_call_that_came_another_way(make_pipeline):
    pipeline: Pipeline = make_pipeline(add)
    assert pipeline.call("add", GOOD, call_id="c1").message("ai-sdk") == {
        "type": "tool-add",
        "toolCallId": "c1",
        "input": {"a": 1, "b": 2},
        "state": "output-available",
        "output": 3,
    }
    assert pipeline.call("add", BAD).message("ai-sdk")["input"] == BAD
    assert pipeline.call("add").message("ai-sdk")["input"] == {}


@pytest.mark.parametrize(
    "change",
    [
        {"state": "output-available", "output": 3},
        {"state": "output-error", "errorText": "no"},
        {"state": "output-denied"},
        {"state": "approval-requested", "approval": {"id": "a1"}},
        {"state": "approval-responded", "approval": {"id": "a1", "approved": False}},
        {"state": "approval-responded"},
        {"providerExecuted": True},
        {"state": "unheard-of"},
    ],
)
def test_ai_sdk_parts_that_ask_for_nothing(make_pipeline, change):
    message = ai_sdk(("c1", "add", GOOD))
    message["parts"][1] |= change
    assert make_pipeline(add).answer(message) == []
    message["parts"][1] |= {"state": "approval-responded", "approval": {"id": "a", "approved": True}}
    assert len(make_pipeline(add).answer(message)) == (0 if "providerExecuted" in change else 1)


def test_a_call_keeps_the_part_that_it_was_read_from():
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "add", "input": "1 and 2"}
    (call,) = DIALECTS["openai-responses"].calls(item)
    assert call == ToolCall("c1", "add", "1 and 2")
    for same in (copy.copy(call), copy.deepcopy(call), pickle.loads(pickle.dumps(call)), call._replace(arguments=GOOD)):
        answer = ToolResult(same, content="3").message("openai-responses")
        assert answer == {"type": "custom_tool_call_output", "call_id": "c1", "output": "3"}


def test_the_definitions():
    @tool(read_only=True, destructive=False)
    def near(place: str, limit: int = 3) -> str:
        """Finds what is near a place."""
        return place

    schema = {
        "type": "object",
        "properties": {"place": {"type": "string"}, "limit": {"type": "integer", "default": 3}},
        "required": ["place"],
        "additionalProperties": False,
    }
    base = {"name": "near", "description": "Finds what is near a place."}
    expected: dict[str, Any] = {
        "openai": {"type": "function", "function": {**base, "parameters": schema}},
        "openai-responses": {"type": "function", **base, "parameters": schema, "strict": False},
        "anthropic": {**base, "input_schema": schema},
        "gemini": {**base, "parameters_json_schema": schema},
        "mcp": {
            **base,
            "inputSchema": schema,
            "annotations": {"readOnlyHint": True, "idempotentHint": False, "destructiveHint": False},
        },
        "ai-sdk": {"type": "function", **base, "inputSchema": schema},
    }
    assert {name: dialect.definition(near) for name, dialect in DIALECTS.items()} == expected


def test_a_result_answers_in_any_dialect():
    result = ToolResult.from_error(errors.ToolQuotaError("all used up"), call=ToolCall("c1", "add", "{}"))
    for name in DIALECTS:
        assert "all used up" in json.dumps(named(name).message(result))


def mutations(value: Any) -> Iterator[Any]:
    """The value with each member, at any depth, left out or of another type, one at a time."""
    if isinstance(value, dict):
        for name, item in value.items():
            rest = {key: other for key, other in value.items() if key != name}
            yield rest
            yield from ({**rest, name: wrong} for wrong in (None, 7, -0.5, True, "", "x", [], ["x"], {}, {"x": 1}))
            yield from ({**value, name: inner} for inner in mutations(item))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield value[:at] + value[at + 1 :]
            yield from (value[:at] + [inner] + value[at + 1 :] for inner in mutations(item))


REQUESTS = {
    **{kind: make(("c1", "note", '{"a": 1}')) for kind, make in MESSAGES.items()},
    "mcp, json-rpc": {"jsonrpc": "2.0", "id": 1, **mcp(("c1", "note", '{"a": 1}'))},
}


@pytest.mark.parametrize("awaited", [False, True], ids=["answer", "aanswer"])
@pytest.mark.parametrize("kind", REQUESTS)
def test_nothing_runs_that_is_not_answered(make_pipeline, kind, awaited):
    ran: list[Any] = []

    def note(**arguments: Any) -> str:
        ran.append(arguments)
        return "noted"

    pipeline = make_pipeline(Tool.from_schema("note", "Notes", {"type": "object"}, note))
    for message in mutations(REQUESTS[kind]):
        ran.clear()
        try:
            answers = asyncio.run(pipeline.aanswer(message)) if awaited else pipeline.answer(message)
        except errors.UsageError as error:
            assert not ran, (message, error)
            continue
        assert len(ran) <= len(answers.results) and bool(answers.results) == bool(answers), message
        assert json.loads(json.dumps(answers)) == answers


def test_a_notification_is_refused_by_name_and_runs_nothing(make_pipeline):
    ran: list[int] = []
    pipeline = make_pipeline(Tool.from_schema("write", "", {"type": "object"}, lambda: ran.append(1)))
    notification = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "write", "arguments": {}}}
    for what in (pipeline, pipeline.session()):
        with pytest.raises(errors.UsageError) as refused:
            what.answer(notification)
        assert "JSON-RPC notification" in str(refused.value) and "id" in str(refused.value)
    assert ran == []
    (answer,) = pipeline.answer({**notification, "id": 0})
    assert (answer["id"], ran) == (0, [1])


class Unwritable(Dialect):
    """A plugin's dialect that reads, and cannot write."""

    name = "unwritable"

    def recognises(self, message: Mapping[str, Any]) -> bool:
        return "unwritable" in message

    def calls(self, message: Mapping[str, Any]) -> list[ToolCall]:
        return [ToolCall("1", "add", {"a": 1, "b": 2})]

    def message(self, result: ToolResult) -> dict[str, Any]:
        raise KeyError("unwritable")


def test_an_answer_that_a_plugins_dialect_cannot_write_is_written_all_the_same(make_pipeline):
    class Offers:
        @hookimpl
        def dialects(self):
            return [Unwritable()]

    pipeline = make_pipeline(add, plugins=[Offers()])
    answers = pipeline.answer({"unwritable": 1})
    assert answers == [{"role": "tool", "tool_call_id": "1", "content": "3"}]
    (fault,) = pipeline.faults
    assert (fault.plugin, fault.hook) == ("Offers", "dialects") and "KeyError" in fault.error
