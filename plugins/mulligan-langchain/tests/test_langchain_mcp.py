"""The tools of a real server of MCP, through langchain-mcp-adapters."""

import asyncio
import pathlib
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_script import answers, asked, model, says
from mulligan_langchain import MulliganMiddleware

READS = {"read_page": {"read_only": True}}  # the host vouches for what the server says of this tool
SERVER = str(pathlib.Path(__file__).with_name("mcp_server.py"))
TURN = says(
    ("c1", "read_page", {"path": "home.md"}),
    ("c2", "read_page", {"path": "x"}),
    ("c3", "read_page", {"path": "leak"}),
    ("c4", "read_pages", {"path": "home.md"}),
    ("c5", "read_page", {"path": 7}),
    ("c6", "picture", {}),
)


async def _play(*middleware):
    client = MultiServerMCPClient({"library": {"command": sys.executable, "args": [SERVER], "transport": "stdio"}})
    agent = create_agent(model(TURN), await client.get_tools(), middleware=list(middleware))
    return answers((await agent.ainvoke(asked()))["messages"])


def test_failures_of_a_server_are_told_and_results_are_as_before():
    plain, guarded = asyncio.run(_play()), asyncio.run(_play(MulliganMiddleware(timeout=20, tool_options=READS)))
    for good in ("c1", "c6"):
        assert guarded[good].model_dump(exclude={"id"}) == {
            **plain[good].model_dump(exclude={"id"}),
            "content": guarded[good].content,
        }
    assert guarded["c1"].text == plain["c1"].text == "Welcome."
    assert {block["type"] for block in guarded["c6"].content} == {"image"}
    assert guarded["c2"].status == "error"
    assert guarded["c2"].text.startswith("Error executing tool read_page: Resource not found: x")
    assert "ghp_" in plain["c3"].text
    assert "ghp_" not in guarded["c3"].text
    assert 'make this corrected call: {"name": "read_page", "arguments": {"path": "home.md"}}' in guarded["c4"].text
    assert "/path: wrong type; expected string; got 7" in guarded["c5"].text
