"""Six official servers, with real clients: when nothing fails, everything that passes through is unchanged.

`bench/unchanged.py` asks the same of the inspector's command line, for which each request is a process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess

import anyio
import mcp_types as types
import pytest
from conftest import HERE, PATHS, program, proxied
from official import LISTS, NAMES, SCRIPTS, case_of, inspector_options, timeless, tool, web_page, write_program


@pytest.fixture(scope="session")
def page():
    with web_page() as address:
        yield address


@pytest.fixture(params=NAMES)
def case(request, programs, tmp_path, page, monkeypatch):
    """A server, and requests that work with it."""
    found = case_of(request.param, programs, tmp_path.resolve() / "house", page)
    for name, value in found.env.items():
        monkeypatch.setenv(name, value)
    return found


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


def raw_answers(case, words):
    case.prepare()
    with Raw(words) as client:
        first = json.loads(client.first)
        return first, [client.ask(request) for request in [*LISTS, *case.requests]]


def names_in(answer, member, key):
    return {one[key] for one in json.loads(answer).get(member, ())}


def test_a_client_that_sees_every_character_gets_the_same(case):
    plain, direct = raw_answers(case, case.words)
    passed, behind = raw_answers(case, proxied("--log", "off", "--", *case.words))
    assert passed["serverInfo"] == plain["serverInfo"]
    assert passed.get("instructions") == plain.get("instructions")
    for request, one, other in zip([*LISTS, *case.requests], direct, behind, strict=True):
        assert timeless(other) == timeless(one), request
    for request, one in zip(case.requests, direct[len(LISTS) :], strict=True):
        assert '"isError": true' not in one, (request, one)
        assert not one.startswith('{"code"'), (request, one)
    assert names_in(direct[0], "tools", "name") - asked_for(case, "tools/call", "name") <= {"simulate-research-query"}
    assert names_in(direct[1], "resources", "uri") <= asked_for(case, "resources/read", "uri")
    assert names_in(direct[3], "prompts", "name") <= asked_for(case, "prompts/get", "name")


def asked_for(case, method, key):
    return {request["params"][key] for request in case.requests if request["method"] == method}


async def python_answers(case, words):
    case.prepare()
    answers = []
    async with program(*words) as client:
        for request in [*LISTS, *case.requests]:
            answers.append(timeless(await python_answer(client, request)))
    return answers


async def python_answer(client, request):
    params = request.get("params", {})
    ask = {
        "tools/list": client.list_tools,
        "resources/list": client.list_resources,
        "resources/templates/list": client.list_resource_templates,
        "prompts/list": client.list_prompts,
        "tools/call": client.call_tool,
        "prompts/get": client.get_prompt,
        "resources/read": client.read_resource,
    }[request["method"]]
    from mcp.shared.exceptions import MCPError

    try:
        return (await ask(*params.values())).model_dump_json(by_alias=True)
    except MCPError as error:
        return error.error.model_dump_json()


@pytest.mark.anyio
async def test_the_python_client_gets_the_same(case):
    direct = await python_answers(case, case.words)
    behind = await python_answers(case, proxied("--log", "off", "--", *case.words))
    assert behind == direct


@pytest.mark.anyio
async def test_what_the_server_asks_the_python_client_is_the_same(programs):
    """The three tools that are only there for a client that can be asked."""

    async def sample(context, params):
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text="sampled"), model="m")

    async def elicit(context, params):
        return types.ElicitResult(action="decline")

    async def roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///somewhere", name="somewhere")])

    requests = [
        tool("trigger-sampling-request", prompt="p", maxTokens=5),
        tool("trigger-elicitation-request"),
        tool("get-roots-list"),
    ]
    words = (str(programs / "mcp-server-everything"),)
    answers = []
    for start in (words, proxied("--log", "off", "--", *words)):
        more = {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}
        async with program(*start, **more) as client:
            with anyio.fail_after(30):
                while "get-roots-list" not in await python_answer(client, LISTS[0]):
                    await anyio.sleep(0.05)
            answers.append([await python_answer(client, request) for request in requests])
    assert answers[0] == answers[1]
    assert '"isError":true' not in "".join(answers[0])


def run(words):
    environment = {**os.environ, "PATH": PATHS}
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, encoding="utf-8", timeout=120, env=environment
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout


def test_the_typescript_client_gets_the_same(case, programs):
    node = shutil.which("node", path=PATHS)
    folder = programs.parent / "@modelcontextprotocol" / "sdk"
    requests = json.dumps([*LISTS, *case.requests])
    start = (node, HERE / "servers" / "client.mjs", folder, requests)
    case.prepare()
    direct = run((*start, *case.words))
    assert direct.count("\n") == len(case.requests) + len(LISTS)
    case.prepare()
    behind = run((*start, *proxied("--log", "off", "--", *case.words)))
    assert timeless(behind) == timeless(direct)


def test_the_command_line_of_the_inspector_gets_the_same(case, programs, tmp_path):
    inspector = (programs / "mcp-inspector-cli", "--cli")
    missing = programs.parent / "@modelcontextprotocol" / "package.json"  # its package was cut out of a larger one
    missing.write_text('{"name": "@modelcontextprotocol/inspector", "version": "1.0.3"}')
    server = write_program(tmp_path / "server", case.words)
    for request in [LISTS[0], case.requests[0]]:
        options = inspector_options(request)
        case.prepare()
        direct = run((*inspector, server, *options))
        case.prepare()
        behind = run((*inspector, SCRIPTS / "mulligan-proxy", server, *options))
        assert timeless(behind) == timeless(direct)
