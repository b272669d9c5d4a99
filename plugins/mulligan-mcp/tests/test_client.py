"""The tools of an MCP server as a toolset of a pipeline."""

from __future__ import annotations

import asyncio
import sys

import fastmcp
import pytest
from conftest import FAULTY, program
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mulligan_mcp import tools_from

from mulligan import Pipeline
from mulligan.errors import ToolNotFoundError, ToolTimeoutError, UsageError

pytestmark = pytest.mark.anyio


def small():
    server = MCPServer("small")

    @server.tool()
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    @server.tool(annotations={"readOnlyHint": True})
    def look() -> str:
        "Look."
        return "seen"

    return server


async def test_the_tools_of_a_session_run_in_a_pipeline():
    async with program(sys.executable, FAULTY) as session:
        pipeline = Pipeline([await tools_from(session, timeout=0.5)])
        good = await pipeline.acall("echo", {"text": "x"})
        assert not good.is_error
        assert good.content == "x"
        assert good.message("mcp") == {"content": [{"type": "text", "text": "x"}], "isError": False}
        unknown = await pipeline.acall("ecko", {})
        assert isinstance(unknown.error, ToolNotFoundError)
        wrong = await pipeline.acall("echo", '{"text": 3}')
        assert "/text: wrong type; expected string" in wrong.content
        late = await pipeline.acall("hang", {})
        assert isinstance(late.error, ToolTimeoutError)
        failed = await pipeline.acall("big_error", {})
        assert failed.is_error
        assert len(failed.content) <= 2_000
        protocol = await pipeline.acall("protocol_error", {"message": "boom"})
        assert "boom" in protocol.content
        ended = await pipeline.acall("crash", {})
        assert ended.is_error
        assert not (await pipeline.acall("ecko", {})).error.fatal


@pytest.mark.parametrize("made", [Client, fastmcp.Client])
async def test_the_tools_of_a_client_run_in_a_pipeline(made):
    async with made(small()) as client:
        pipeline = Pipeline([await tools_from(client, prefix="small__")])
        result = await pipeline.acall("small__add", {"a": 1, "b": 2})
        assert result.value["structuredContent"] == {"result": 3}
        assert result.content == "3"
        assert result.message("mcp")["structuredContent"] == {"result": 3}
        assert "/b: missing" in (await pipeline.acall("small__add", {"a": 1})).content
        near = await pipeline.acall("add", {"a": 1, "b": 2})
        assert "small__add" in near.content


async def test_every_page_of_a_long_list_is_read():
    import mcp_types as types
    from mcp import ClientSession
    from mcp.server.lowlevel import Server
    from mcp.shared.memory import create_client_server_memory_streams

    async def list_tools(ctx, params):
        first = int(params.cursor) if params is not None and params.cursor else 0
        tools = [types.Tool(name=f"tool{n}", input_schema={"type": "object"}) for n in range(first, first + 3)]
        return types.ListToolsResult(tools=tools, next_cursor=str(first + 3) if first < 6 else None)

    server = Server("long", on_list_tools=list_tools)
    async with Client(server) as client:
        assert len(await tools_from(client)) == 9
    async with create_client_server_memory_streams() as (near, far), asyncio.TaskGroup() as tasks:
        running = tasks.create_task(server.run(*far, server.create_initialization_options()))
        async with ClientSession(*near) as session:
            await session.initialize()
            assert len(await tools_from(session)) == 9
        running.cancel()


async def test_hints_count_only_of_a_trusted_server():
    async with Client(small()) as client:
        unknown, trusted = (await tools_from(client))["look"], (await tools_from(client, trusted=True))["look"]
    assert (unknown.read_only, unknown.claims_read_only) == (False, True)
    assert (trusted.read_only, trusted.claims_read_only) == (True, False)


async def test_a_picture_stays_a_picture_in_another_shape():
    async with Client(StdioServerParameters(command=sys.executable, args=[FAULTY]), mode="legacy") as client:
        pipeline = Pipeline([await tools_from(client)])
        result = await pipeline.acall("picture", {}, call_id="1")
        assert result.content.splitlines()[0] == "[image/png, 2 bytes: not shown here]"
        assert result.content.endswith("Error: this is only a log that was asked for")
        blocks = result.message("anthropic")["content"]
        assert "image" in str(blocks)
        assert result.value["structuredContent"] == {"n": 1.0, "none": None}


async def test_a_tool_that_cannot_be_used_is_left_out_and_named(log):
    class Odd:
        async def list_tools(self):
            return await Client.list_tools(self.client)

        async def call_tool(self, name, arguments):
            raise AssertionError

    async with Client(small()) as client:
        odd = Odd()
        odd.client = client
        original = await client.list_tools()
        original.tools[0].input_schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}}

        async def listed(**more):
            return original

        odd.list_tools = listed
        assert list(await tools_from(odd)) == ["look"]
        assert any("tool 'add' is left out" in line for line in log)


async def test_what_is_no_client_is_told():
    with pytest.raises(UsageError, match="is no MCP client"):
        await tools_from(object())


async def test_fifty_calls_at_once_each_get_their_own_answer():
    async with program(sys.executable, FAULTY) as session:
        pipeline = Pipeline([await tools_from(session)])
        results = await asyncio.gather(*(pipeline.acall("echo", {"text": str(n)}) for n in range(50)))
        assert [result.value["content"][0]["text"] for result in results] == [str(n) for n in range(50)]
