"""Streamable HTTP on both sides: clients that come over the network of this machine, and servers at an address."""

from __future__ import annotations

import pathlib
import socket
import sys
from contextlib import ExitStack

import anyio
import pytest
from conftest import FAULTY, inside, proxied, said, served
from mcp import Client, ClientSession
from mcp.client.streamable_http import streamable_http_client
from mulligan_proxy import ServerSpec

pytestmark = pytest.mark.anyio
CONFORMING = str(pathlib.Path(__file__).parent / "servers" / "conforming.py")
FAULTY_OVER_HTTP = proxied("--http", "127.0.0.1:0", "--timeout", "5", "--", sys.executable, FAULTY)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_clients_come_over_http(mode):
    with served(*FAULTY_OVER_HTTP) as url:
        async with Client(url, mode=mode) as first, Client(url, mode=mode) as second:
            assert said(await first.call_tool("echo", {"text": "1"})) == "1"
            assert "Available tools (20 of 21): echo, " in said(await second.call_tool("ecko", {"text": "2"}))
            steps = []

            async def progress(done, total, message):
                steps.append(done)

            assert said(await second.call_tool("steps", {}, progress_callback=progress)) == "done"
            assert steps == [0.0, 1.0, 2.0]
            assert (await first.call_tool("crash", {})).is_error
            assert said(await second.call_tool("echo", {"text": "again"})) == "again"


async def test_an_abandoned_call_is_cancelled_at_the_server():
    with served(*FAULTY_OVER_HTTP) as url:
        async with Client(url) as client:
            with anyio.move_on_after(0.5):
                await client.call_tool("hang", {})
            with anyio.fail_after(5):
                while said(await client.call_tool("cancelled", {})) != "1":
                    await anyio.sleep(0.1)


async def test_a_server_at_an_address_that_goes_and_comes_back():
    port = str(free_port())
    words = proxied("--http", f"127.0.0.1:{port}", "--", sys.executable, FAULTY)
    spec = ServerSpec(name="far", kind="http", url=f"http://127.0.0.1:{port}/mcp")
    with ExitStack() as first:
        first.enter_context(served(*words))
        async with inside(spec) as client:
            assert said(await client.call_tool("echo", {"text": "x"})) == "x"
            first.close()
            for round in range(2):
                assert (await client.call_tool("echo", {"text": "y"})).is_error
                away = await client.call_tool("echo", {"text": "y"})
                assert "The MCP server 'far' is not running" in said(away)
                with served(*words):
                    with anyio.fail_after(30):
                        while (result := await client.call_tool("echo", {"text": f"{round}"})).is_error:
                            await anyio.sleep(0.2)
                    assert said(result) == f"{round}"


async def test_a_session_that_the_server_has_forgotten_is_made_anew(log):
    words = proxied("--http", f"127.0.0.1:{(port := free_port())}", "--", sys.executable, FAULTY)
    with ExitStack() as first:
        first.enter_context(served(*words))
        async with inside(ServerSpec(name="far", kind="http", url=f"http://127.0.0.1:{port}/mcp")) as client:
            assert said(await client.call_tool("echo", {"text": "x"})) == "x"
            first.close()
            with served(*words):
                assert said(await client.call_tool("echo", {"text": "y"})) == "y"
    assert any("far: it has forgotten this session" in line for line in log)


async def test_a_port_that_is_taken_is_told():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = proxied("--http", str(port), "--", sys.executable, FAULTY)
        done = await anyio.run_process(words, check=False)
        assert done.returncode == 2
        assert f"the proxy cannot listen on 127.0.0.1:{port}: Address already in use" in done.stderr.decode()


async def test_a_page_of_another_name_is_refused():
    import httpx2

    with served(*FAULTY_OVER_HTTP) as url:
        async with httpx2.AsyncClient() as http:
            answer = await http.post(url, json={}, headers={"Host": "evil.example"})
            assert answer.status_code == 421
            answer = await http.post(url, json={}, headers={"Origin": "http://evil.example"})
            assert answer.status_code == 403


async def test_the_client_of_a_session_gets_what_its_call_asks_for():
    """Two clients of one proxy: the server's question goes to the one whose call it works on."""
    import mcp_types as types

    def answering(name):
        async def elicit(context, params):
            return types.ElicitResult(action="accept", content={"username": name, "email": name})

        return elicit

    with served(*proxied("--http", "127.0.0.1:0", "--", sys.executable, CONFORMING, "stdio")) as url:
        async with (
            streamable_http_client(url) as near,
            ClientSession(*near, elicitation_callback=answering("first")) as first,
            streamable_http_client(url) as far,
            ClientSession(*far, elicitation_callback=answering("second")) as second,
        ):
            for session in (first, second):
                await session.initialize()
            for session, name in ((first, "first"), (second, "second"), (first, "first")):
                assert name in said(await session.call_tool("test_elicitation", {"message": "who?"}))
