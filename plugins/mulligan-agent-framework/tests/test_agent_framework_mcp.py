"""The tools of a real MCP server, in a process of its own."""

import asyncio
import pathlib
import sys

from agent_framework import AgentSession, MCPStdioTool
from mulligan_agent_framework import Mulligan
from scripted import agent, call

SERVER = str(pathlib.Path(__file__).with_name("mcp_server.py"))


def run(*turns, **options):
    async def play():
        server = MCPStdioTool("files", sys.executable, args=[SERVER], load_prompts=False)
        async with agent([server], *turns, middleware=[Mulligan(**options)]) as one:
            response = await one.run("Go.", session=AgentSession())
        contents = [content for message in response.messages for content in message.contents]
        return response.text, {one.call_id: one.result for one in contents if one.type == "function_result"}

    return asyncio.run(play())


def test_tools_of_a_server_are_guarded():
    output, answers = run(
        [call("c1", "count_line", {"path": "a", "limit": 1}), call("c2", "count_lines", {"path": "a", "limit": "all"})],
        *[[call(f"b{turn}", "count_lines", {"path": "b", "limit": 1})] for turn in range(3)],
        [call("c3", "count_lines", {"path": "a", "limit": 1})],
    )
    assert output == "Done."
    assert 'Did you mean "count_lines"?' in answers["c1"]
    assert "- /limit: wrong type" in answers["c2"]
    assert answers["b0"].startswith("Error executing tool count_lines: ")
    assert "will not run again" in answers["b2"]
    assert "a: 1 lines" in answers["c3"]


def test_a_server_that_says_that_its_tool_only_reads_is_not_believed(tmp_path):
    log = tmp_path / "log"
    _, answers = run([call("c1", "send", {"log": str(log)})])
    assert log.read_text() == "sent\n" and answers["c1"].startswith("Error executing tool send: ")
