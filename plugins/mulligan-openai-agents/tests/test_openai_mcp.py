"""The tools of a real MCP server, in a process of its own."""

import asyncio
import pathlib
import sys

from agents import Agent, Runner
from agents.mcp import MCPServerStdio
from agents.testing import ScriptedModel
from mulligan_openai_agents import run_config, wrap
from scripted import SILENT, call, heard, say

SERVER = {"command": sys.executable, "args": [str(pathlib.Path(__file__).with_name("mcp_server.py"))]}


def test_tools_of_a_server_are_guarded():
    calls = [
        call("c1", "count_line", {"path": "a", "limit": 1}),
        call("c2", "count_lines", {"path": "a", "limit": "all"}),
        call("c3", "count_lines", '{"path": "a" "limit": 1}'),
        call("c4", "count_lines", {"path": "a", "limit": 1}),
    ]
    model = ScriptedModel([calls, [say("Done.")]])

    async def run():
        async with MCPServerStdio(SERVER, client_session_timeout_seconds=30) as server:
            agent = wrap(Agent(name="worker", model=model, mcp_servers=[server]))
            result = await Runner.run(agent, "go", run_config=run_config(SILENT))
            return result.final_output

    assert asyncio.run(run()) == "Done."
    answers = heard(model)
    assert 'Did you mean "count_lines"?' in answers["c1"]
    assert "/limit: wrong type" in answers["c2"]
    assert "not valid JSON at line 1 column 14" in answers["c3"]
    assert answers["c4"] == [{"type": "input_text", "text": "a: 1 lines"}] or "a: 1 lines" in str(answers["c4"])
