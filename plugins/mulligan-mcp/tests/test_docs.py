"""The pages of the how-to and the README are true: their files are written, run, and say what stands there."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import pathlib
import re
import sys

import pytest
from conftest import said
from mcp import Client
from mcp.server.mcpserver import MCPServer

pytestmark = pytest.mark.anyio
HERE = pathlib.Path(__file__).parents[1]
HOW_TO = HERE.parents[1] / "docs" / "how-to"
BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, folder):
    """The files of a page, written to a folder; their texts by name."""
    found = dict(BLOCK.findall(page.read_text("utf-8")))
    for name, text in found.items():
        (folder / name).write_text(text, "utf-8")
    return found


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["server.py", "server_sdk.py"])
async def test_both_servers_say_what_the_page_says(name, tmp_path, monkeypatch):
    found = blocks(HOW_TO / "mcp-server.md", tmp_path)
    monkeypatch.chdir(tmp_path)
    server = loaded(tmp_path / name).server
    calls = (("readNote", {"name": "tea"}), ("read_note", {"name": 3}), ("read_note", {"name": "tea"}))
    if name == "server.py":
        import fastmcp

        async with fastmcp.Client(server) as client:
            told = [said(await client.call_tool_mcp(*call)) for call in calls]
    else:
        async with Client(server) as client:
            told = [said(await client.call_tool(*call)) for call in calls]
        told[2] = told[2].replace("\nType: FileNotFoundError.", "")
    assert "\n\n".join(told) + "\n" == found["outcomes.txt"]


async def test_the_agent_prints_what_the_page_says(tmp_path):
    found = blocks(HOW_TO / "mcp-client.md", tmp_path)
    server = MCPServer("numbers")

    @server.tool()
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        await loaded(tmp_path / "agent.py").main(server)
    assert printed.getvalue() == found["outcome.txt"]


async def test_the_readme_names_what_there_is(tmp_path):
    text = (HERE / "README.md").read_text("utf-8")
    for page in re.findall(r"\((?:\.\./)+(docs/[\w/-]+\.md)\)", text):
        assert (HERE.parents[1] / page).exists(), page
    assert sys.version_info >= (3, 11)
