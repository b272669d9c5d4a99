"""The servers of the MCP project, behind the proxy as a program, used by the real client."""

from __future__ import annotations

import json
import os
import signal

import anyio
import pytest
from conftest import program, proxied, said

pytestmark = pytest.mark.anyio
THOUGHT = {"thought": "first", "nextThoughtNeeded": True, "thoughtNumber": 1, "totalThoughts": 2}


def plain(result):
    return result.model_dump(by_alias=True, mode="json", exclude_unset=True)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path.resolve() / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    return folder


def command(programs, name, *words):
    return (str(programs / f"mcp-server-{name}"), *map(str, words))


async def test_sequential_thinking_gets_the_suggestion(programs):
    async with program(*proxied("--", *command(programs, "sequential-thinking"))) as client:
        result = await client.call_tool("sequential-thinking", THOUGHT)
        assert result.is_error
        assert said(result).startswith(
            "Error: Tool 'sequential-thinking' not found.\nDid you mean \"sequentialthinking\"?"
        )
        assert '"thoughtNumber": 1' in said(await client.call_tool("sequentialthinking", THOUGHT))


async def test_the_tools_of_each_server_are_listed_and_answer_as_they_do_directly(programs, folder):
    calls = {
        "filesystem": [
            ("read_text_file", {"path": str(folder / "a.txt")}),
            ("list_directory", {"path": str(folder)}),
            ("read_media_file", {"path": str(folder / "picture.png")}),
        ],
        "sequential-thinking": [("sequentialthinking", THOUGHT)],
        "everything": [("echo", {"message": "é"}), ("get-sum", {"a": 1, "b": 2}), ("get-tiny-image", {})],
    }
    for name, made in calls.items():
        words = command(programs, name, *([folder] if name == "filesystem" else []))
        async with program(*words) as direct, program(*proxied("--", *words)) as behind:
            assert plain(await behind.list_tools())["tools"] == plain(await direct.list_tools())["tools"]
            for tool, arguments in made:
                result = await behind.call_tool(tool, arguments)
                assert not result.is_error, said(result)
                assert result.model_dump_json() == (await direct.call_tool(tool, arguments)).model_dump_json()


async def test_the_failures_of_the_filesystem_are_told(programs, folder):
    async with program(*proxied("--", *command(programs, "filesystem", folder))) as client:
        missing = await client.call_tool("read_text_file", {"path": str(folder / "b.txt")})
        assert missing.is_error
        assert "not found" in said(missing).lower()
        denied = await client.call_tool("read_text_file", {"path": "/etc/hosts"})
        assert denied.is_error
        assert "Access denied" in said(denied)
        wrong = await client.call_tool("read_text_file", {"path": ["a"], "head": "two"})
        assert wrong.is_error
        assert "/path: wrong type; expected string" in said(wrong)
        assert "/head: wrong type; expected number" in said(wrong)
        assert said(await client.call_tool("read_text_file", {"path": str(folder / "a.txt")})) == "alpha\n"


async def test_a_server_killed_in_mid_call_is_answered_for_and_started_again(programs, tmp_path):
    seen = tmp_path / "pid"
    words = ("sh", "-c", f'echo $$ > {seen}; exec "$0"', *command(programs, "everything"))
    async with program(*proxied("--", *words)) as client:
        async with anyio.create_task_group() as tasks:
            results = []

            async def long():
                arguments = {"duration": 60, "steps": 2}
                results.append(await client.call_tool("trigger-long-running-operation", arguments))

            tasks.start_soon(long)
            await anyio.sleep(1)
            os.killpg(int(seen.read_text()), signal.SIGKILL)
        assert results[0].is_error
        assert "exited while running this call" in said(results[0])
        assert said(await client.call_tool("echo", {"message": "x"})) == "Echo: x"


async def test_a_thousand_calls_lose_none(programs):
    async with program(*proxied("--", *command(programs, "sequential-thinking"))) as client:
        limit = anyio.CapacityLimiter(20)
        lengths = []

        async def one(number):
            async with limit:
                result = await client.call_tool("sequentialthinking", {**THOUGHT, "thoughtNumber": number + 1})
                assert not result.is_error
                lengths.append(json.loads(said(result))["thoughtHistoryLength"])

        async with anyio.create_task_group() as tasks:
            for number in range(1_000):
                tasks.start_soon(one, number)
        assert sorted(lengths) == list(range(1, 1_001))


async def test_the_three_servers_of_one_file(programs, folder, tmp_path):
    config = tmp_path / "client.json"
    servers = {
        "files": command(programs, "filesystem", folder),
        "thinking": command(programs, "sequential-thinking"),
        "everything": command(programs, "everything"),
    }
    entries = {name: {"command": words[0], "args": list(words[1:])} for name, words in servers.items()}
    config.write_text(json.dumps({"mcpServers": entries}))
    async with program(*proxied("--config", str(config))) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"files__read_text_file", "thinking__sequentialthinking", "everything__echo"} <= names
        assert said(await client.call_tool("files__read_text_file", {"path": str(folder / "a.txt")})) == "alpha\n"
        assert said(await client.call_tool("everything__echo", {"message": "x"})) == "Echo: x"
        near = await client.call_tool("mcp__thinking__sequential_thinking", THOUGHT)
        assert '"thinking__sequentialthinking"' in said(near)
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        assert "everything__simple-prompt" in prompts
        assert (await client.get_prompt("everything__simple-prompt")).messages
        resources = (await client.list_resources()).resources
        assert resources
        assert (await client.read_resource(resources[0].uri)).contents
        assert (await client.list_resource_templates()).resource_templates


async def test_a_server_asks_the_client_back(programs):
    import mcp_types as types

    async def sample(context, params):
        return types.CreateMessageResult(role="assistant", content=types.TextContent(text="sampled"), model="m")

    async def elicit(context, params):
        return types.ElicitResult(action="decline")

    async def roots(context):
        return types.ListRootsResult(roots=[types.Root(uri="file:///somewhere", name="somewhere")])

    more = {"sampling_callback": sample, "elicitation_callback": elicit, "list_roots_callback": roots}
    words = command(programs, "everything")
    async with program(*words, **more) as direct, program(*proxied("--", *words), **more) as behind:
        await anyio.sleep(1)
        names = [tool.name for tool in (await behind.list_tools()).tools]
        assert names == [tool.name for tool in (await direct.list_tools()).tools]
        assert "trigger-sampling-request" in names
        sampled = await behind.call_tool("trigger-sampling-request", {"prompt": "p", "maxTokens": 5})
        assert "sampled" in said(sampled)
        assert "decline" in said(await behind.call_tool("trigger-elicitation-request", {}))
        assert "somewhere" in said(await behind.call_tool("get-roots-list", {}))
