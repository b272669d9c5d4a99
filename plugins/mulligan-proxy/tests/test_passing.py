"""What goes through the proxy unchanged: results, arguments, progress, cancellation, changes, notifications."""

from __future__ import annotations

import json
import sys

import anyio
import mcp_types as types
import pytest
from conftest import CONFORMING, FAULTY, inside, proxied, said, spec
from mcp import Client, ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

pytestmark = pytest.mark.anyio
BOTH = pytest.mark.parametrize("mode", ["legacy", "auto"])


def dumped(result):
    return result.model_dump(by_alias=True, mode="json", exclude_unset=True)


async def direct(tool, arguments):
    one = spec()
    async with (
        stdio_client(StdioServerParameters(command=one.command[0], args=list(one.command[1:]))) as streams,
        ClientSession(*streams) as session,
    ):
        await session.initialize()
        return await session.call_tool(tool, arguments)


async def test_a_good_result_is_what_the_server_sent():
    async with inside(spec()) as client:
        for tool, arguments in (("picture", {}), ("echo", {"text": "é\u2028\x00"})):
            assert dumped(await client.call_tool(tool, arguments)) == dumped(await direct(tool, arguments))


async def test_a_good_result_keeps_every_block_for_a_newer_client():
    async with inside(spec(), mode="auto") as client:
        result = await client.call_tool("picture", {})
        assert [block.type for block in result.content] == ["image", "audio", "resource", "resource_link", "text"]
        assert result.structured_content == {"n": 1.0, "none": None}


async def test_a_text_that_only_looks_like_an_error_stays_a_result():
    async with inside(spec()) as client:
        result = await client.call_tool("picture", {})
        assert not result.is_error
        assert said(result) == "Error: this is only a log that was asked for"


@BOTH
async def test_arguments_arrive_as_they_were_sent(mode):
    arguments = {"deep": {"list": [1, 2.5, True, "x", {}]}, "self": 1, "name": "n", "": "", "big": 2**60}
    async with inside(spec(), mode=mode) as client:
        came = json.loads(said(await client.call_tool("arguments_as_sent", arguments)))
        assert came["arguments"] == arguments
        assert came["meta"] == []
        none = json.loads(said(await client.call_tool("arguments_as_sent", None)))
        assert none["arguments"] == {}


async def test_progress_passes_through():
    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))

    async with inside(spec()) as client:
        result = await client.call_tool("steps", {}, progress_callback=progress)
        assert said(result) == "done"
        assert seen == [(0.0, 3.0, "step 0"), (1.0, 3.0, "step 1"), (2.0, 3.0, "step 2")]
        assert said(await client.call_tool("steps", {})) == "done, nobody listened"


async def test_progress_reaches_a_newer_client():
    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))

    words = proxied("--", sys.executable, FAULTY)
    async with Client(StdioServerParameters(command=words[0], args=list(words[1:]))) as client:
        assert client.protocol_version == "2026-07-28"
        assert said(await client.call_tool("steps", {}, progress_callback=progress)) == "done"
        assert [step for step, _, _ in seen] == [0.0, 1.0, 2.0]


async def test_log_messages_pass_through():
    seen = []

    async def note(params):
        seen.append((params.level, params.data))

    async with inside(spec(), logging_callback=note) as client:
        await client.call_tool("steps", {})
        assert seen == [("info", "done")]


@BOTH
async def test_cancellation_reaches_the_server(mode):
    async with inside(spec(), mode=mode, timeout=30.0) as client:
        with anyio.move_on_after(0.5):
            await client.call_tool("hang", {})
        await anyio.sleep(0.2)
        assert said(await client.call_tool("cancelled", {})) == "1"


async def test_no_deadline_runs_while_a_person_is_asked():
    async def elicit(context, params):
        await anyio.sleep(1.5)
        return types.ElicitResult(action="accept", content={"username": "Ann", "email": "a"})

    one = spec("conforming", sys.executable, CONFORMING, "stdio")
    async with inside(one, timeout=1.0, elicitation_callback=elicit) as client:
        assert "Ann" in said(await client.call_tool("test_elicitation", {"message": "who?"}))


async def test_a_server_that_tells_how_far_it_is_gets_longer():
    async def progress(done, total, message):
        pass

    one = spec("conforming", sys.executable, CONFORMING, "stdio")
    async with inside(one, timeout=0.5) as client:
        assert said(await client.call_tool("slow_steps", {"seconds": 1.5}, progress_callback=progress)) == "Done."
        assert "No response within 0.5 s" in said(await client.call_tool("slow_steps", {"seconds": 1.5}))
        endless = await client.call_tool("slow_steps", {"seconds": 60}, progress_callback=progress)
        assert endless.is_error


async def test_a_deadline_cancels_the_call_at_the_server():
    async with inside(spec(), timeout=0.5) as client:
        assert (await client.call_tool("hang", {})).is_error
        await anyio.sleep(0.2)
        assert said(await client.call_tool("cancelled", {})) == "1"


async def test_a_tool_that_appears_at_run_time_is_told_and_can_be_called():
    told = anyio.Event()

    async def hear(message):
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    async with inside(spec(), message_handler=hear) as client:
        assert (await client.call_tool("sprout", {})).is_error
        await client.call_tool("grow", {})
        with anyio.fail_after(5):
            await told.wait()
        assert said(await client.call_tool("sprout", {})) == "sprouted"
        assert "sprout" in [tool.name for tool in (await client.list_tools()).tools]


async def test_a_change_that_is_told_a_thousand_times_is_heard_a_few_times():
    told = []

    async def hear(message):
        if isinstance(message, types.ToolListChangedNotification):
            told.append(message)

    async with inside(spec(), message_handler=hear) as client:
        await client.call_tool("clamour", {})
        with anyio.fail_after(10):
            while not told:
                await anyio.sleep(0.01)
        assert said(await client.call_tool("echo", {"text": "x"})) == "x"
        assert len(told) < 100


async def test_a_newer_client_hears_of_a_tool_that_appears():
    async with inside(spec(), mode="auto") as client, client.listen(tools_list_changed=True) as events:
        await client.call_tool("grow", {})
        with anyio.fail_after(5):
            async for event in events:
                assert type(event).__name__ == "ToolsListChanged"
                break


async def test_the_server_says_who_it_is():
    async with inside(spec()) as client:
        assert client.server_info.name == "faulty"
        assert client.instructions == "Expect nothing."
        assert client.server_capabilities.logging is not None


async def test_each_of_several_servers_has_its_namespace():
    async with inside(spec("one"), spec("two")) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"one__echo", "two__echo"} <= set(names)
        assert client.server_info.name == "mulligan"
        assert client.instructions == "one: Expect nothing.\n\ntwo: Expect nothing."
        assert said(await client.call_tool("two__echo", {"text": "x"})) == "x"
        wrong = await client.call_tool("echo", {"text": "x"})
        assert wrong.is_error
        assert "two__echo" in said(wrong)
        assert (await client.call_tool("one__crash", {})).is_error
        assert said(await client.call_tool("two__echo", {"text": "x"})) == "x"


async def test_repairs_are_made_when_asked_for_and_told():
    near = {"code": "-32603", "message": "as sent"}
    async with inside(spec(), repair=False) as client:
        assert "/code: wrong type" in said(await client.call_tool("protocol_error", near))
    async with inside(spec(), repair=True) as client:
        assert "as sent" in said(await client.call_tool("protocol_error", near))


async def test_two_clients_share_the_servers_and_keep_their_own_memory():
    from mcp.server.lowlevel import Server
    from mulligan_proxy import ProxyOptions
    from mulligan_proxy.serving import pipeline_for, proxy

    options = ProxyOptions(timeout=5.0)
    async with proxy([spec()], options, pipeline_for(options)) as server:
        assert isinstance(server, Server)
        async with Client(server, mode="auto") as first, Client(server, mode="auto") as second:
            assert said(await first.call_tool("echo", {"text": "1"})) == "1"
            assert said(await second.call_tool("echo", {"text": "2"})) == "2"


async def test_a_repair_is_noted_below_the_servers_own_answer():
    async with inside(spec(), repair=True) as client:
        result = await client.call_tool("echo", {"text": 3})
    assert [block.text for block in result.content] == [
        "3",
        'Note: your arguments did not match the schema and were read as {"text": "3"}.',
    ]
