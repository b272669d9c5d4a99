"""Messages of providers: what a model said, in any of the forms that an SDK or a file has it, and the answer in the same shape."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mulligan import Dialect, Pipeline, Session, ToolResult, errors
from mulligan.plugin import AnthropicDialect, OpenAIDialect, ToolCall


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


class Sdk:
    """An SDK's object: attributes, and one method that gives plain values."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def plain(value: Any) -> Any:
    if isinstance(value, Sdk):
        return {name: plain(item) for name, item in vars(value).items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


class Pydantic(Sdk):
    def model_dump(self) -> dict[str, Any]:
        return plain(self)  # type: ignore[no-any-return]


class OldPydantic(Sdk):
    def dict(self) -> Any:
        return plain(self)


class Other(Sdk):
    def to_dict(self) -> dict[str, Any]:
        return plain(self)  # type: ignore[no-any-return]


GOOD, BAD = '{"a": 1, "b": 2}', '{"a": 1, "b": '


def openai_message(make: Any = dict) -> Any:
    calls = [
        make(id="c1", type="function", function=make(name="add", arguments=GOOD)),
        make(id="c2", type="function", function=make(name="add", arguments=BAD)),
    ]
    return make(role="assistant", content=None, refusal=None, tool_calls=calls)


def anthropic_message(make: Any = dict) -> Any:
    blocks = [
        make(type="text", text="Let me add."),
        make(type="tool_use", id="c1", name="add", input={"a": 1, "b": 2}),
        make(type="thinking", thinking="...", signature="x"),
        make(type="tool_use", id="c2", name="add", input={"a": 1}),
    ]
    return make(id="msg_1", type="message", role="assistant", model="m", content=blocks, stop_reason="tool_use")


MESSAGES: dict[str, Any] = {
    "openai": openai_message,
    "openai completion": lambda make=dict: make(
        id="x",
        object="chat.completion",
        choices=[make(index=0, message=openai_message(make), finish_reason="tool_calls")],
    ),
    "anthropic": anthropic_message,
    "anthropic, bare": lambda make=dict: make(
        role="assistant",
        content=anthropic_message(make)["content"] if make is dict else anthropic_message(make).content,
    ),
}


def check(answers: Any, kind: str) -> None:
    assert [result.call.id for result in answers.results] == ["c1", "c2"]
    assert [result.is_error for result in answers.results] == [False, True]
    assert isinstance(answers.results[1].error, errors.ToolArgumentError)
    bad = answers.results[1].content
    if kind.startswith("openai"):
        assert answers == [
            {"role": "tool", "tool_call_id": "c1", "content": "3"},
            {"role": "tool", "tool_call_id": "c2", "content": bad},
        ]
    else:
        blocks = [
            {"type": "tool_result", "tool_use_id": "c1", "content": "3"},
            {"type": "tool_result", "tool_use_id": "c2", "content": bad, "is_error": True},
        ]
        assert answers == [{"role": "user", "content": blocks}]
    assert json.loads(json.dumps(answers)) == answers


@pytest.mark.parametrize("awaited", [False, True], ids=["answer", "aanswer"])
@pytest.mark.parametrize("make", [dict, Pydantic, OldPydantic, Other])
@pytest.mark.parametrize("kind", MESSAGES)
def test_a_message_is_answered_in_its_own_shape(make_pipeline, kind, make, awaited):
    pipeline, message = make_pipeline(add), MESSAGES[kind](make)
    check(asyncio.run(pipeline.aanswer(message)) if awaited else pipeline.answer(message), kind)


@pytest.mark.parametrize("make", [Pydantic, OldPydantic, Other])
@pytest.mark.parametrize("kind", MESSAGES)
def test_plain_values_may_hold_objects_of_an_sdk(make_pipeline, kind, make):
    message = dict(vars(MESSAGES[kind](make)))
    check(make_pipeline(add).answer(message), kind)


def test_a_session_answers_too(make_pipeline):
    session = make_pipeline(add).session()
    check(session.answer(openai_message()), "openai")
    check(asyncio.run(session.aanswer(anthropic_message())), "anthropic")


def test_a_message_with_equal_ids_is_answered_call_by_call(make_pipeline):
    message = {"tool_calls": [{"id": "same", "function": {"name": "add", "arguments": GOOD}}] * 2}
    assert [answer["tool_call_id"] for answer in make_pipeline(add).answer(message)] == ["same", "same"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "Hello."},
        {"role": "assistant", "content": "", "tool_calls": None},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
        {"role": "assistant", "content": []},
        {"choices": [{"message": {"role": "assistant", "content": "Hello."}}]},
        {"choices": []},
        {"role": "assistant", "content": None, "refusal": "I will not."},
        {"role": "assistant", "content": None},
    ],
)
def test_a_message_without_calls_needs_no_answer(make_pipeline, message):
    answers = make_pipeline(add).answer(message)
    assert (list(answers), answers.results) == ([], ())


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ({"tool_calls": [{"id": "c1"}]}, ["c1"]),
        ({"tool_calls": [{"id": "c1", "function": None}]}, ["c1"]),
        ({"tool_calls": [{"id": "c1", "function": "add"}]}, ["c1"]),
        ({"tool_calls": [{"id": "c1", "function": {"name": None, "arguments": None}}]}, ["c1"]),
        ({"tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": 3}}]}, ["c1"]),
        ({"tool_calls": [{"function": {"name": "add", "arguments": GOOD}}]}, [None]),
        ({"tool_calls": [{"id": "c1", "function": {"name": ["add"], "arguments": GOOD}}]}, ["c1"]),
        ({"tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "add", "input": "free text"}}]}, ["c1"]),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "c1"}]}, ["c1"]),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": None, "input": None}]}, ["c1"]),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "add", "input": "{"}]}, ["c1"]),
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "add", "input": [1]}]}, ["c1"]),
    ],
)
def test_a_call_that_a_model_garbled_is_still_answered(make_pipeline, message, ids):
    answers = make_pipeline(add).answer(message)
    assert [result.call.id for result in answers.results] == ids
    assert (
        all(result.is_error for result in answers.results) or message["tool_calls"][0]["function"]["arguments"] == GOOD
    )
    json.dumps(answers)


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": 5},
        {"tool_calls": "add"},
        {"tool_calls": {"id": "c1"}},
        {"tool_calls": [None, 3, "x"]},
        {"choices": 5},
        {"choices": ["x"]},
        {"choices": [{"message": "x"}]},
        {"choices": [{}]},
        {"choices": [None]},
        {"role": "assistant", "content": [None, 3, "x"]},
    ],
)
def test_a_message_of_a_broken_shape_is_told_or_has_no_calls(make_pipeline, message):
    try:
        answers = make_pipeline(add).answer(message)
    except errors.UsageError as error:
        assert "dialect" in str(error) or "message" in str(error)
    else:
        assert list(answers) == []


@pytest.mark.parametrize(
    ("message", "step"),
    [
        ({}, ""),
        (None, ""),
        (3, ""),
        (object(), ""),
        ({"content": 3}, ""),
        ({"role": "user"}, ". Its role is 'user': pass the model's message, with the role 'assistant'"),
        ("text", ". This is a string: pass the message that contains it"),
        ([], ". This is a list: pass the one message or response that contains it"),
        ([{"type": "tool_use"}], ". This is a list: pass the one message or response that contains it"),
        (
            [openai_message()],
            ". This is a whole conversation: pass only the model's last message, as in answer(messages[-1])",
        ),
        (
            iter([{"choices": []}]),
            ". This is a stream: collect its chunks and pass the result of its dialect's `assemble(chunks)`",
        ),
        ({"type": "ai", "tool_calls": []}, ". For LangChain messages, use mulligan-langchain."),
    ],
)
def test_what_is_no_message_is_named_with_the_next_step(make_pipeline, message, step):
    with pytest.raises(errors.UsageError) as caught:
        make_pipeline(add).answer(message)
    known = "openai, openai-responses, anthropic, gemini, mcp, ai-sdk"
    kind = type(message).__name__
    assert str(caught.value) == f"no dialect recognises this message ({kind}); available: {known}{step}"


GIVE = "Pass the message as the provider's SDK returned it."


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            {"role": "assistant", "tool_calls": [{"name": "add", "args": {"a": 1, "b": 2}, "id": "1"}]},
            (
                "openai does not know: tool_calls[0] has 'name' and 'args' next to its id, not in a 'function'. "
                "For LangChain messages, use mulligan-langchain."
            ),
        ),
        (
            {"choices": [{"message": {"tool_calls": [{"name": "add", "arguments": GOOD}]}}]},
            f"openai does not know: tool_calls[0] has 'name' and 'arguments' next to its id, not in a 'function'. {GIVE}",
        ),
        (
            {"tool_calls": [{"name": "add"}]},
            f"openai does not know: tool_calls[0] has 'name' next to its id, not in a 'function'. {GIVE}",
        ),
        (
            {"tool_calls": {"id": "c1"}},
            f"openai does not know: the value of 'tool_calls' (dict) cannot be read. {GIVE}",
        ),
        ({"tool_calls": ["add"]}, f"openai does not know: the value of 'tool_calls' (list) cannot be read. {GIVE}"),
        (
            {"role": "assistant", "content": None, "function_call": "add"},
            f"openai does not know: the value of 'function_call' (str) cannot be read. {GIVE}",
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "name": "add"}], "tool_calls": None},
            f"openai does not know: content[0] is a 'tool_use'. {GIVE}",
        ),
        (
            {"role": "assistant", "content": [{"type": "text", "text": "x"}, {"type": "tool_call", "name": "add"}]},
            f"anthropic does not know: content[1] is a 'tool_call'. {GIVE}",
        ),
        (
            {"role": "assistant", "parts": [{"functionCall": {"name": "add"}}]},
            f"ai-sdk does not know: parts[0] is a 'functionCall'. {GIVE}",
        ),
    ],
)
def test_a_call_in_a_shape_that_nobody_knows_is_never_lost(make_pipeline, message, told):
    with pytest.raises(errors.UsageError) as caught:
        make_pipeline(add).answer(message)
    assert str(caught.value) == f"this message contains a call that {told}"


def test_a_chunk_of_a_stream_is_no_message(make_pipeline):
    with pytest.raises(errors.UsageError) as caught:
        make_pipeline(add).answer({"choices": [{"delta": {"content": "He"}, "finish_reason": None}]})
    assert str(caught.value) == (
        "this message is one chunk of a stream; assemble the chunks first, as in "
        "answer(named('openai').assemble(chunks)), with `named` from mulligan.dialects"
    )


@pytest.mark.parametrize("content", [None, "I will add.", [{"type": "text", "text": "I will add."}]])
@pytest.mark.parametrize("whole", [False, True], ids=["message", "completion"])
def test_the_one_call_of_older_servers_is_answered_in_their_shape(make_pipeline, content, whole):
    message = {"role": "assistant", "content": content, "function_call": {"name": "add", "arguments": GOOD}}
    said = {"choices": [{"message": {**message, "tool_calls": None}, "finish_reason": "function_call"}]}
    answers = make_pipeline(add).answer(said if whole else message)
    assert answers == [{"role": "function", "name": "add", "content": "3"}]
    message["function_call"] = {"name": "ad", "arguments": GOOD}
    [answer] = make_pipeline(add).answer(message)
    assert (answer["role"], answer["name"]) == ("function", "ad")
    assert answer["content"].startswith("Error: Tool 'ad' not found.")


def test_a_server_that_sends_its_call_in_both_shapes_has_it_run_once(make_pipeline):
    message = openai_message()
    both = {**message, "function_call": {"name": "add", "arguments": GOOD}}
    assert make_pipeline(add).answer(both) == make_pipeline(add).answer(message)


def test_an_sdk_object_whose_dump_fails_is_named(make_pipeline):
    class Broken:
        def model_dump(self) -> Any:
            raise ValueError("cannot be dumped")

    with pytest.raises(errors.UsageError, match="Broken"):
        make_pipeline(add).answer(Broken())
    with pytest.raises(errors.UsageError, match="no dialect recognises"):
        make_pipeline(add).answer(Pydantic)


def test_a_message_is_left_as_it_was(make_pipeline):
    for message in (openai_message(), anthropic_message()):
        before = json.dumps(message)
        make_pipeline(add).answer(message)
        assert json.dumps(message) == before


def test_the_openai_shape():
    dialect = OpenAIDialect()
    assert [call.arguments for call in dialect.calls(openai_message())] == [GOOD, BAD]
    assert dialect.recognises({"choices": []})
    assert not dialect.recognises({"content": []})


def test_the_anthropic_shape():
    dialect = AnthropicDialect()
    assert dialect.calls(anthropic_message()) == [
        ToolCall("c1", "add", {"a": 1, "b": 2}),
        ToolCall("c2", "add", {"a": 1}),
    ]
    assert dialect.messages([]) == []
    assert not dialect.recognises({"content": [], "tool_calls": []})


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("recognises", ({},)), ("calls", ({},)), ("message", (ToolResult(ToolCall("1", "a")),)), ("definition", (None,))],
)
def test_a_dialect_says_what_it_lacks(method, arguments):
    class Acme(Dialect):
        name = "acme"

    with pytest.raises(NotImplementedError, match=f"Acme has no {method}"):
        getattr(Acme(), method)(*arguments)


def test_one_conversation_as_a_whole(make_pipeline):
    """The loop of the README against a model that is a script."""
    pipeline: Pipeline = make_pipeline(add)
    session: Session = pipeline.session()
    script = [
        openai_message(),
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c3", "function": {"name": "Add", "arguments": GOOD}}],
        },
        {"role": "assistant", "content": "It is 3."},
    ]
    messages: list[Any] = [{"role": "user", "content": "1 + 2?"}]
    for said in script:
        messages.append(said)
        answers = session.answer(said)
        answers.raise_if_fatal()
        messages += answers
        if not answers:
            break
    asked = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert asked == answered == ["c1", "c2", "c3"]
    assert '"add"' in messages[-2]["content"]
