"""Servers come and go: they are started again after a growing pause, and end with the proxy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import anyio
import pytest
from conftest import FAULTY, PATHS, inside, program, proxied, said, spec
from mulligan_proxy.specs import ProxyOptions

pytestmark = pytest.mark.anyio


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().split()[2] != "Z"
    except OSError:
        return False


async def gone(pid):
    with anyio.fail_after(10):
        while lives(pid):
            await anyio.sleep(0.05)


async def test_a_server_whose_first_start_fails_is_there_for_the_first_call(tmp_path):
    async with inside(spec("faulty", sys.executable, FAULTY, f"die-first:{tmp_path / 'died'}")) as client:
        assert said(await client.call_tool("echo", {"text": "x"})) == "x"
        assert "echo" in [tool.name for tool in (await client.list_tools()).tools]


async def test_a_server_that_cannot_be_restarted_is_told_with_the_time_of_the_next_start(log, tmp_path):
    once = f'[ -e {tmp_path}/ran ] && exit 1; touch {tmp_path}/ran; exec "$0" "$@"'
    async with inside(spec("faulty", "sh", "-c", once, sys.executable, FAULTY)) as client:
        assert (await client.call_tool("crash", {})).is_error
        result = await client.call_tool("echo", {"text": "x"})
        assert result.is_error
        assert (
            "The MCP server 'faulty' is not running (its program ended at its start). It will be restarted in"
            in said(result)
        )
        with anyio.fail_after(10):
            while len(pauses := [line.split("again in ")[1] for line in log if "started again in" in line]) < 4:
                await anyio.sleep(0.05)
        assert pauses[:4] == ["0.5 s", "1 s", "2 s", "4 s"]


async def test_tools_that_are_there_only_after_a_restart_are_told():
    import mcp_types as types

    told = []

    async def hear(message):
        if isinstance(message, types.ToolListChangedNotification):
            told.append(message)

    async with inside(spec(), message_handler=hear) as client:
        await client.call_tool("grow", {})
        with anyio.fail_after(5):
            while len(told) < 1:
                await anyio.sleep(0.02)
        await client.call_tool("crash", {})
        assert (await client.call_tool("sprout", {})).is_error
        with anyio.fail_after(5):
            while len(told) < 2:
                await anyio.sleep(0.02)
        assert "sprout" not in [tool.name for tool in (await client.list_tools()).tools]


async def test_calls_in_flight_at_a_crash_are_all_answered():
    async with inside(spec(), options=ProxyOptions(timeout=30.0)) as client:
        results = []

        async def hang():
            results.append(await client.call_tool("hang", {}))

        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(hang)
            await anyio.sleep(0.3)
            assert (await client.call_tool("crash", {})).is_error
        assert len(results) == 20
        assert all("exited while running this call" in said(result) for result in results)
        assert said(await client.call_tool("echo", {"text": "x"})) == "x"


async def test_the_server_ends_when_the_client_leaves():
    async with program(*proxied("--", sys.executable, FAULTY)) as client:
        pid = int(said(await client.call_tool("pid", {})))
        assert lives(pid)
    await gone(pid)


async def test_the_proxy_and_its_server_end_when_they_are_told_to(tmp_path):
    seen = tmp_path / "pid"
    words = proxied("--", "sh", "-c", f'echo $$ > {seen}; exec "$0" "$@"', sys.executable, FAULTY)
    environment = {**os.environ, "PATH": PATHS}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        about = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}'
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}\n' % about.encode())
        process.stdin.flush()
        assert b'"faulty"' in process.stdout.readline()
        pid = int(seen.read_text())
        process.send_signal(signal.SIGTERM)
        with anyio.fail_after(10):
            assert await anyio.to_thread.run_sync(process.wait) == 0
    await gone(pid)
