"""The tools of a real MCP server, in a process of its own."""

import asyncio
import pathlib
import sys

from fastmcp.client.transports import StdioTransport
from mulligan_pydantic_ai import Mulligan
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from scripted import Script, call, say, told

SERVER = str(pathlib.Path(__file__).with_name("mcp_server.py"))


def test_tools_of_a_server_are_guarded():
    kept = []

    class Seen(Mulligan):
        async def for_run(self, ctx):
            kept.append(await super().for_run(ctx))
            return kept[-1]

    script = Script(
        [call("c1", "count_line", {"path": "a", "limit": 1}), call("c2", "count_lines", {"path": "a", "limit": "all"})],
        *[[call(f"b{turn}", "count_lines", {"path": "b", "limit": 1})] for turn in range(3)],
        [call("c3", "count_lines", {"path": "a", "limit": 1})],
        [say("Done.")],
    )

    async def run():
        async with MCPToolset(StdioTransport(sys.executable, [SERVER])) as tools:
            return await Agent(toolsets=[tools], capabilities=[Seen()]).run("go", model=script.model)

    result = asyncio.run(run())
    answers = told(result.all_messages())
    assert result.output == "Done."
    assert 'Did you mean \\"count_lines\\"?' in answers["c1"]
    assert answers["c2"].startswith('{"error":"Error executing tool count_lines: ')
    assert answers["b0"].startswith('{"error":"Error executing tool count_lines: ')
    assert "will not run again" in answers["b2"]
    assert "a: 1 lines" in answers["c3"]
