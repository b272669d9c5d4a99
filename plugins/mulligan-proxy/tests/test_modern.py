"""Servers of version 2026-07-28, which has no handshake, with clients of either kind."""

from __future__ import annotations

import pathlib
import sys

import anyio
import mcp_types as types
import pytest
from conftest import inside, said, served, spec
from mulligan_proxy import ServerSpec

pytestmark = pytest.mark.anyio
MODERN = str(pathlib.Path(__file__).parent / "servers" / "modern.py")
BOTH = pytest.mark.parametrize("mode", ["legacy", "auto"])


def modern():
    return spec("modern", sys.executable, MODERN, "stdio")


async def elicit(context, params):
    return types.ElicitResult(action="accept", content={"name": "Ann"})


@BOTH
async def test_calls_go_through(mode):
    async with inside(modern(), mode=mode) as client:
        assert client.instructions == "No handshake."
        assert "steps" in [tool.name for tool in (await client.list_tools()).tools]
        assert said(await client.call_tool("steps", {})) == "done"
        failed = await client.call_tool("fail", {})
        assert failed.is_error
        missing = said(await client.call_tool("stepz", {}))
        assert 'Did you mean "steps"?' in missing
        assert "Available tools (4): steps, name, fail, grow." in missing
        (resource,) = (await client.list_resources()).resources
        assert (await client.read_resource(resource.uri)).contents[0].text == "noted"


async def test_what_the_server_asks_for_reaches_a_client_of_its_kind():
    async with inside(modern(), mode="auto", elicitation_callback=elicit) as client:
        assert said(await client.call_tool("name", {})) == "Hello Ann"


async def test_what_the_server_asks_for_reaches_an_older_client():
    async with inside(modern(), mode="legacy", elicitation_callback=elicit) as client:
        assert said(await client.call_tool("name", {})) == "Hello Ann"


async def test_an_older_client_that_cannot_answer_is_told():
    async with inside(modern(), mode="legacy") as client:
        result = await client.call_tool("name", {})
        assert result.is_error


async def test_a_change_reaches_an_older_client():
    told = anyio.Event()

    async def hear(message):
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    async with inside(modern(), message_handler=hear) as client:
        await anyio.sleep(0.5)
        await client.call_tool("grow", {})
        with anyio.fail_after(5):
            await told.wait()
        assert said(await client.call_tool("sprout", {})) == "sprouted"


@BOTH
async def test_a_server_at_an_address(mode):
    with served(sys.executable, MODERN, "http") as url:
        async with inside(
            ServerSpec(name="far", kind="http", url=url), mode=mode, elicitation_callback=elicit
        ) as client:
            assert said(await client.call_tool("steps", {})) == "done"
            assert said(await client.call_tool("name", {})) == "Hello Ann"
            steps = []

            async def progress(done, total, message):
                steps.append(done)

            if mode == "legacy":
                await client.call_tool("steps", {}, progress_callback=progress)
                assert steps == [0.0, 1.0, 2.0]
