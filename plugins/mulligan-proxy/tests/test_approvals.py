"""Tools that need approval: asked through MCP elicitation where the client supports it, otherwise refused."""

from __future__ import annotations

import json
import sys

import anyio
import mcp_types as types
import pytest
from conftest import HERE, inside, said, spec
from mulligan_proxy import ProxyOptions

from mulligan import NeedsApproval, hookimpl

pytestmark = pytest.mark.anyio
MODERN = str(HERE / "servers" / "modern.py")
BOTH = pytest.mark.parametrize("mode", ["legacy", "auto"])
OPTIONS = ProxyOptions(timeout=5.0, tool_options={"echo": {"approve": True}, "arguments_as_sent": {"approve": True}})


def answering(*actions):
    """A person who answers one after the other, and what they read."""
    asked = []

    async def elicit(context, params):
        asked.append(params.message)
        return types.ElicitResult(action=actions[len(asked) - 1], content={})

    return asked, elicit


@BOTH
async def test_an_approved_call_runs_once_with_the_arguments_that_were_shown(mode):
    asked, elicit = answering("accept")
    async with inside(spec(), mode=mode, options=OPTIONS, elicitation_callback=elicit) as client:
        result = await client.call_tool("arguments_as_sent", {"a": "x", "b": [1]})
    assert json.loads(said(result))["arguments"] == {"a": "x", "b": [1]}
    assert asked == ['Allow the call of arguments_as_sent with these arguments?\n{\n "a": "x",\n "b": [\n  1\n ]\n}']


@BOTH
@pytest.mark.parametrize(
    ("action", "reason"), [("decline", "The user declined."), ("cancel", "The question was dismissed.")]
)
async def test_a_call_that_is_not_approved_does_not_run(mode, action, reason):
    asked, elicit = answering(action)
    async with inside(spec(), mode=mode, options=OPTIONS, elicitation_callback=elicit) as client:
        result = await client.call_tool("echo", {"text": "x"})
    assert result.is_error
    assert said(result).startswith("Tool echo: This call was not run: a person rejected it.\nReason: " + reason)
    assert len(asked) == 1


@BOTH
async def test_a_client_that_cannot_ask_is_refused_with_the_reason(mode):
    async with inside(spec(), mode=mode, options=OPTIONS) as client:
        result = await client.call_tool("echo", {"text": "x"})
        assert not (await client.call_tool("pid", {})).is_error
    assert result.is_error
    assert "this client cannot ask for it: it does not support MCP elicitation." in said(result)


@BOTH
async def test_wrong_arguments_are_told_and_nobody_is_asked(mode):
    asked, elicit = answering()
    async with inside(spec(), mode=mode, options=OPTIONS, elicitation_callback=elicit) as client:
        assert "/text: wrong type" in said(await client.call_tool("echo", {"text": 1}))
    assert asked == []


@BOTH
async def test_each_call_is_asked_about(mode):
    asked, elicit = answering("accept", "decline", "accept")
    async with inside(spec(), mode=mode, options=OPTIONS, elicitation_callback=elicit) as client:
        results = [await client.call_tool("echo", {"text": text}) for text in ("a", "b", "c")]
    assert [result.is_error for result in results] == [False, True, False]
    assert len(asked) == 3


async def test_an_answer_counts_only_for_the_call_that_was_asked_about():
    from mcp.client.session import ClientSession

    asked, elicit = answering()
    async with inside(spec(), mode="auto", options=OPTIONS, elicitation_callback=elicit) as client:
        session: ClientSession = client.session
        first = await session.send_request(
            types.CallToolRequest(params=types.CallToolRequestParams(name="echo", arguments={"text": "small"})),
            types.InputRequiredResult,
        )
        (key,) = first.input_requests
        approved = {key: {"action": "accept", "content": {}}}
        for text, state in (("large", first.request_state), ("small", "forged"), ("small", None)):
            params = types.CallToolRequestParams.model_validate(
                {"name": "echo", "arguments": {"text": text}, "inputResponses": approved, "requestState": state}
            )
            again = await session.send_request(types.CallToolRequest(params=params), types.InputRequiredResult)
            assert again.result_type == "input_required"
        params = types.CallToolRequestParams.model_validate(
            {
                "name": "echo",
                "arguments": {"text": "small"},
                "inputResponses": approved,
                "requestState": first.request_state,
            }
        )
        done = await session.send_request(types.CallToolRequest(params=params), types.CallToolResult)
        assert said(done) == "small"
    assert asked == []


async def test_a_long_argument_is_cut_and_says_so():
    asked, elicit = answering("decline")
    async with inside(spec(), options=OPTIONS, elicitation_callback=elicit) as client:
        await client.call_tool("echo", {"text": "x" * 10_000})
    assert asked[0].endswith("more characters are not shown]")
    assert len(asked[0]) < 4_200


@BOTH
async def test_a_call_that_the_client_gives_up_while_the_person_thinks_never_runs(mode):
    asked, answered = anyio.Event(), anyio.Event()

    async def elicit(context, params):
        asked.set()
        try:
            await anyio.sleep(1)
            return types.ElicitResult(action="accept", content={})
        finally:
            answered.set()

    options = ProxyOptions(timeout=5.0, tool_options={"writes": {"approve": True}})
    server = spec("flaky", sys.executable, str(HERE / "servers" / "flaky.py"), "stdio")
    async with inside(server, mode=mode, options=options, elicitation_callback=elicit) as client:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "writes", {})
            await asked.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(10):
            await answered.wait()
        assert "writes" not in json.loads(said(await client.call_tool("runs", {})))


@BOTH
async def test_a_person_sees_what_turns_text_around_and_what_cannot_be_seen(mode):
    asked, elicit = answering("accept")
    sent = {"a": "pay \u202e100\u2066 now\u200b\U000e0041 \u00e9\u65e5"}
    async with inside(spec(), mode=mode, options=OPTIONS, elicitation_callback=elicit) as client:
        result = await client.call_tool("arguments_as_sent", sent)
    assert json.loads(said(result))["arguments"] == sent
    assert r'"a": "pay \u202e100\u2066 now\u200b\udb40\udc41 é日"' in asked[0]


@BOTH
async def test_a_server_that_asks_for_more_after_the_approval_is_answered(mode):
    """The person approves once, and answers the server's own question once."""
    asked = []

    async def elicit(context, params):
        asked.append(params.message.partition("?")[0])
        return types.ElicitResult(action="accept", content={"name": "Ann"} if params.message == "Who?" else {})

    options = ProxyOptions(timeout=5.0, tool_options={"name": {"approve": True}})
    server = spec("modern", sys.executable, MODERN, "stdio")
    async with inside(server, mode=mode, options=options, elicitation_callback=elicit) as client:
        assert said(await client.call_tool("name", {})) == "Hello Ann"
        assert asked == ["Allow the call of name with these arguments", "Who"]
        await client.call_tool("name", {})
    assert len(asked) == 4


@BOTH
async def test_a_reason_of_a_plugin_is_shown(mode):
    from mcp import Client
    from mulligan_proxy.serving import pipeline_for, proxy

    class Careful:
        @hookimpl
        def authorize(self, tool):
            return NeedsApproval("It is a Sunday.") if tool.name == "echo" else None

    asked, elicit = answering("accept", "accept")
    options = ProxyOptions(timeout=5.0)
    pipeline = pipeline_for(options, plugins=[Careful()])
    async with (
        proxy([spec()], options, pipeline) as server,
        Client(server, mode=mode, elicitation_callback=elicit) as client,
    ):
        assert said(await client.call_tool("echo", {"text": "x"})) == "x"
        assert said(await client.call_tool("echo", {"text": "x"})) == "x"
    assert len(asked) == 2
    assert asked[0].startswith("Allow the call of echo with these arguments?\nIt is a Sunday.\n")
