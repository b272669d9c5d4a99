"""The lists of read-only tools of well-known servers: matched by package, and compared with the real servers."""

from __future__ import annotations

import json
import sys

import pytest
from conftest import HERE, inside, said, spec
from mulligan_proxy import ProxyOptions
from mulligan_proxy.presets import package_of, read_only_tools

FILESYSTEM = ("npm", "@modelcontextprotocol/server-filesystem")
GIT = ("PyPI", "mcp-server-git")
OTHERS = {
    "filesystem": {"create_directory", "edit_file", "move_file", "write_file"},
    "memory": {
        "add_observations",
        "create_entities",
        "create_relations",
        "delete_entities",
        "delete_observations",
        "delete_relations",
    },
    "sequential-thinking": {"sequentialthinking"},
    "everything": {
        "gzip-file-as-resource",
        "simulate-research-query",
        "toggle-simulated-logging",
        "toggle-subscriber-updates",
    },
    "fetch": set(),
    "git": {"git_add", "git_checkout", "git_commit", "git_create_branch", "git_reset"},
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", OTHERS)
async def test_every_tool_of_the_real_server_is_known_as_reading_or_not(name, programs, tmp_path):
    if name in ("fetch", "git"):
        one = spec("real", sys.executable, "-m", f"mcp_server_{name}")
        listed = read_only_tools(("uvx", f"mcp-server-{name}"))
    else:
        more = [tmp_path] if name == "filesystem" else []
        one = spec("real", programs / f"mcp-server-{name}", *more)
        listed = read_only_tools(("npx", "-y", f"@modelcontextprotocol/server-{name}"))
    async with inside(one) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == listed | OTHERS[name]
    assert not listed & OTHERS[name]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("package", "options", "runs"),
    [
        (FILESYSTEM[1], None, {"read_file": 2, "write_file": 1}),
        ("@evil/server-filesystem", None, {"read_file": 1, "write_file": 1}),
        (FILESYSTEM[1], {"read_file": {"destructive": True, "read_only": False}}, {"read_file": 1, "write_file": 1}),
    ],
)
async def test_only_a_listed_tool_of_a_known_package_runs_again(package, options, runs, tmp_path):
    npx = tmp_path / "npx"
    npx.write_text(f"#!/bin/sh\nexec {sys.executable} {HERE}/servers/flaky.py stdio read_file write_file\n")
    npx.chmod(0o755)
    one = spec("filesystem", npx, "-y", package)
    async with inside(one, options=ProxyOptions(timeout=5.0, retry=True, tool_options=options)) as client:
        for name in runs:
            await client.call_tool(name, {})
        assert json.loads(said(await client.call_tool("runs", {}))) == runs


@pytest.mark.parametrize(
    ("command", "package"),
    [
        (("npx", "-y", FILESYSTEM[1], "/home/me"), FILESYSTEM),
        (("npx", f"{FILESYSTEM[1]}@latest"), FILESYSTEM),
        (("/opt/node/bin/npx", "--yes", f"{FILESYSTEM[1]}@2026.8.31"), FILESYSTEM),
        (("npx.cmd", FILESYSTEM[1]), FILESYSTEM),
        (("pnpm", "dlx", FILESYSTEM[1]), FILESYSTEM),
        (("bunx", FILESYSTEM[1]), FILESYSTEM),
        (("uvx", "mcp-server-git"), GIT),
        (("uvx", "mcp-server-git@2026.10.19"), GIT),
        (("uvx", "-q", "mcp-server-git==2026.10.19", "--repository", "x"), GIT),
        (("uv", "tool", "run", "mcp-server-git"), GIT),
        (("pipx", "run", "mcp-server-git"), GIT),
        (("uvx", "--from", "git+https://example.com/x", "mcp-server-git"), None),
        (("uvx", "--index-url", "http://127.0.0.1/", "mcp-server-git"), None),
        (("npx", "-p", "evil", FILESYSTEM[1]), None),
        (("npx", "--registry=http://127.0.0.1/", FILESYSTEM[1]), None),
        (("npx", f"./{FILESYSTEM[1]}"), None),
        (("npx", f"{FILESYSTEM[1]}@npm:evil"), None),
        (("npx", f"{FILESYSTEM[1]}@https://example.com/x.tgz"), None),
        (("npx", "-y"), None),
        (("node", FILESYSTEM[1]), None),
        (("mcp-server-filesystem",), None),
        (("uvx", FILESYSTEM[1]), None),
        ((), None),
    ],
)
def test_the_package_is_read_from_the_command(command, package):
    assert package_of(command) == package


@pytest.mark.parametrize(
    "command", [("npx", "@evil/server-filesystem"), ("npx", "mcp-server-git"), ("uvx", "server-memory")]
)
def test_a_package_that_only_sounds_alike_has_no_list(command):
    assert read_only_tools(command) == frozenset()
