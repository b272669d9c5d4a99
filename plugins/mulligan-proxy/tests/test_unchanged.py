"""Six official servers, with three real clients: when nothing fails, everything that passes through is unchanged."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from conftest import HERE, PATHS, proxied

THOUGHT = {"thought": "first", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}
SCRIPTS = pathlib.Path(sys.executable).parent
TIME = re.compile(r"\d+:\d+:\d+ [AP]M")  # when the resource was made
LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
ARIA = {"name": "Aria", "entityType": "person", "observations": ["sings"]}


def tool(name, **arguments):
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.fixture(params=["filesystem", "memory", "sequential-thinking", "everything", "fetch", "git"])
def case(request, programs, tmp_path):
    """The words that start a server, and requests that work with it."""
    folder = tmp_path.resolve()
    if request.param == "git":
        subprocess.run(["git", "init", "-q", folder], check=True)
        (folder / "new.txt").write_text("new\n")
        repo = {"repo_path": str(folder)}
        calls = [
            tool("git_status", **repo),
            tool("git_diff_unstaged", **repo),
            tool("git_branch", **repo, branch_type="local"),
        ]
        return (str(SCRIPTS / "mcp-server-git"),), calls
    if request.param == "fetch":
        return (str(SCRIPTS / "mcp-server-fetch"),), []
    words = [str(programs / f"mcp-server-{request.param}")]
    if request.param == "filesystem":
        words.append(str(folder))
        (folder / "a.txt").write_text("alpha\u2028\u00e9\n", "utf-8")
        (folder / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n")
        inside = str(folder / "a.txt")
        calls = [
            tool("read_text_file", path=inside),
            tool("read_media_file", path=str(folder / "p.png")),
            tool("list_directory", path=str(folder)),
            tool("directory_tree", path=str(folder)),
            tool("get_file_info", path=inside),
            tool("search_files", path=str(folder), pattern="*.txt"),
            tool("list_allowed_directories"),
        ]
    elif request.param == "memory":
        calls = [tool("read_graph"), tool("search_nodes", query="Aria"), tool("open_nodes", names=["Aria"])]
    elif request.param == "sequential-thinking":
        calls = [tool("sequentialthinking", **THOUGHT)]
    else:
        calls = [
            tool("echo", message="\u00e9\u2028"),
            tool("get-sum", a=1, b=2.5),
            tool("get-tiny-image"),
            tool("get-structured-content", location="Chicago"),
            tool("get-annotated-message", messageType="error", includeImage=True),
            tool("get-resource-links", count=3),
            tool("get-resource-reference", resourceType="Text", resourceId=1),
            {"method": "prompts/get", "params": {"name": "simple-prompt"}},
            {"method": "prompts/get", "params": {"name": "args-prompt", "arguments": {"city": "Oslo"}}},
        ]
    return tuple(words), calls


class Raw:
    """A client that reads and writes lines, to see the very JSON of a result."""

    def __init__(self, words):
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "PATH": PATHS},
        )
        self._id = 0

    def __enter__(self):
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        self.first = self.ask({"method": "initialize", "params": about})
        self._send({"method": "notifications/initialized"})
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(20)

    def _send(self, message):
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def ask(self, request):
        """The result, or the error, as it was written: the order of members and the form of numbers count."""
        self._id += 1
        self._send({"id": self._id, **request})
        for line in self._process.stdout:
            message = json.loads(line, parse_float=str, parse_int=str)
            if message.get("id") == str(self._id) and "method" not in message:
                return json.dumps(message.get("result", message.get("error")), ensure_ascii=False)
        raise AssertionError("the server ended")


def test_a_client_that_sees_every_character_gets_the_same(case):
    words, calls = case
    with Raw(words) as direct, Raw(proxied("--log", "off", "--", *words)) as behind:
        plain, passed = (json.loads(one.first) for one in (direct, behind))
        assert passed["serverInfo"] == plain["serverInfo"]
        assert passed.get("instructions") == plain.get("instructions")
        for request in [*({"method": method} for method in LISTS), *calls]:
            assert behind.ask(request) == direct.ask(request), request
        if "resources" in plain["capabilities"]:
            for one in json.loads(direct.ask({"method": "resources/list"}))["resources"][:5]:
                request = {"method": "resources/read", "params": {"uri": one["uri"]}}
                assert behind.ask(request) == direct.ask(request), request


def run(words):
    environment = {**os.environ, "PATH": PATHS}
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, encoding="utf-8", timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def test_the_typescript_client_gets_the_same(case, programs):
    words, calls = case
    node = shutil.which("node", path=PATHS)
    folder = programs.parent / "@modelcontextprotocol" / "sdk"
    requests = json.dumps([*({"method": method} for method in LISTS), *calls])
    start = (node, HERE / "servers" / "client.mjs", folder, requests)
    direct = run((*start, *words))
    assert direct.count("\n") == len(calls) + 4
    behind = run((*start, *proxied("--log", "off", "--", *words)))
    assert TIME.sub("", behind) == TIME.sub("", direct)


def test_the_command_line_of_the_inspector_gets_the_same(case, programs):
    words, calls = case
    missing = programs.parent / "@modelcontextprotocol" / "package.json"  # its package was cut out of a larger one
    missing.write_text('{"name": "@modelcontextprotocol/inspector", "version": "1.0.3"}')
    options = [["--method", "tools/list"]]
    for call in calls[:1]:
        if call["method"] == "tools/call":
            pairs = [
                f"{key}={value if isinstance(value, str) else json.dumps(value)}"
                for key, value in call["params"]["arguments"].items()
            ]
            named = [word for pair in pairs for word in ("--tool-arg", pair)]
            options.append(["--method", "tools/call", "--tool-name", call["params"]["name"], *named])
    for option in options:
        direct = run((programs / "mcp-inspector-cli", "--cli", *words, *option))
        behind = run((*(programs / "mcp-inspector-cli", "--cli", SCRIPTS / "mulligan-proxy"), *words, *option))
        assert behind == direct
