"""Whatever a server does, the client gets an answer in time, and the next call works."""

from __future__ import annotations

import sys
import time

import pytest
from conftest import FAULTY, inside, said, spec

pytestmark = pytest.mark.anyio
WORDS = {
    "hang": "No response within 1.5 s",
    "big_error": "disk is full",
    "malformed": "sent an unreadable response to this call",
    "malformed_nameless": "sent an unreadable response to this call",
    "no_result": "something that is not a tool result",
    "protocol_error": "boom",
}


async def works(client):
    result = await client.call_tool("echo", {"text": "still here"})
    assert (result.is_error, said(result)) == (False, "still here")


@pytest.mark.parametrize("fault", WORDS)
async def test_a_fault_is_told_and_the_next_call_works(fault):
    async with inside(spec(), timeout=1.5) as client:
        await works(client)
        began = time.monotonic()
        result = await client.call_tool(fault, {})
        assert result.is_error
        assert time.monotonic() - began < 10
        assert said(result).startswith(f"Error executing tool {fault}:"), said(result)
        assert WORDS[fault] in said(result)
        assert len(said(result)) <= 2_000
        await works(client)


@pytest.mark.parametrize("code", [-32_000, -32_001, -32_099, -32_700, 7])
async def test_a_protocol_error_of_a_living_server_is_quoted_whatever_its_code(code):
    async with inside(spec()) as client:
        pid = said(await client.call_tool("pid", {}))
        result = await client.call_tool("protocol_error", {"code": code, "message": "Seat 12C is taken"})
        assert result.is_error
        assert "<<<" in said(result)
        assert "\nSeat 12C is taken\n" in said(result)
        assert "restarted" not in said(result)
        assert said(await client.call_tool("pid", {})) == pid


@pytest.mark.parametrize("code", [-32_000, -32_601])
async def test_a_server_that_refuses_the_first_way_of_beginning_is_asked_the_other_way(code):
    async with inside(spec("faulty", sys.executable, FAULTY, f"refuse:{code}"), mode="auto") as client:
        await works(client)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_server_that_ends_is_started_again(mode):
    async with inside(spec(), mode=mode) as client:
        result = await client.call_tool("crash", {})
        assert result.is_error
        assert "exited while running this call" in said(result)
        assert "may have taken effect" in said(result)
        await works(client)


async def test_a_server_that_stands_still_is_ended_and_started_again():
    async with inside(spec(), timeout=1.0) as client:
        result = await client.call_tool("freeze", {})
        assert result.is_error
        assert "No response within 1 s" in said(result)
        await works(client)


@pytest.mark.parametrize("tool", ["twice", "foreign_answer", "noise"])
async def test_what_a_server_says_beside_the_answer_does_no_harm(tool):
    async with inside(spec()) as client:
        for _ in range(3):
            assert not (await client.call_tool(tool, {})).is_error
            await works(client)


async def test_an_unknown_tool_is_answered_with_those_that_exist():
    async with inside(spec()) as client:
        result = await client.call_tool("ecko", {"text": "x"})
        assert result.is_error
        assert "\nAvailable tools (20 of 21): echo, " in said(result)


async def test_wrong_arguments_are_told_one_by_one_and_nothing_runs():
    async with inside(spec()) as client:
        result = await client.call_tool("echo", {"text": 3, "loud": True})
        assert result.is_error
        assert "/text: wrong type; expected string" in said(result)
        assert "/loud: unknown argument" in said(result)


async def test_pictures_and_structured_content_of_a_failure_survive():
    async with inside(spec()) as client:
        result = await client.call_tool("picture_error", {})
        assert result.is_error
        assert "element not found" in said(result)
        assert [block.type for block in result.content] == ["text", "image"]
        assert result.structured_content == {"step": 3}


async def test_a_server_that_ends_at_once_does_not_stop_the_others():
    async with inside(spec("bad", "sh", "-c", "exit 1"), spec("good")) as client:
        assert "good__echo" in [tool.name for tool in (await client.list_tools()).tools]
        assert said(await client.call_tool("good__echo", {"text": "x"})) == "x"


async def test_a_page_to_open_goes_on_to_the_client_as_it_is():
    from mcp.shared.exceptions import MCPError

    async with inside(spec()) as client:
        with pytest.raises(MCPError, match="open this") as caught:
            await client.call_tool("protocol_error", {"code": -32042, "message": "open this"})
        assert caught.value.error.code == -32042


async def test_a_tool_that_only_the_server_misses_is_told():
    async with inside(spec()) as client:
        result = await client.call_tool("protocol_error", {"code": -32602, "message": "Unknown tool: x"})
        assert result.is_error
        await works(client)
