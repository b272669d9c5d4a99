"""A server that means harm: canaries stay untouched, the proxy lives, and each thing is named in its log."""

from __future__ import annotations

import pathlib
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from conftest import inside, said, spec
from mulligan_mcp.vetting import concerns, skeleton

pytestmark = pytest.mark.anyio
HOSTILE = str(pathlib.Path(__file__).parent / "servers" / "hostile.py")


@pytest.fixture
def canary():
    """A loopback server that remembers who asked."""
    asked = []

    class Canary(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *about):
            pass

    server = HTTPServer(("127.0.0.1", 0), Canary)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def bait(tmp_path):
    file = tmp_path / "canary.json"
    file.write_text('{"type": "string", "const": "BAIT"}')
    return str(file)


def named(log, *words):
    return [line for line in log if all(word in line for word in words)]


async def test_everything_hostile_is_named_and_nothing_is_fetched(canary, bait, log):
    address, asked = canary
    async with inside(spec("evil", sys.executable, HOSTILE, address, bait)) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"fine", "backtracks", "delete_all", "read_file"} <= set(names)
        left_out = ("fetches", "reads", "resolves", "deep_80", "wrong_type", "no_schema", "7")
        for name in left_out:
            assert name not in names
            assert named(log, f"evil: the tool '{name}' is left out:"), name
        assert named(log, "'?' is left out", "not what the protocol allows")
        assert named(log, "'fetches'", "Retrieval is disabled")
        assert named(log, "'deep_80'", "nested deeper than 64 levels")
        assert named(log, "two tools look alike: 'read_file' and 'r\\u0435ad_file'")
        assert named(log, "the description of 'helper' gives the model orders: '<IMPORTANT>'")
        assert named(log, "the description of 'hidden' holds characters that cannot be seen")
        assert named(log, "the tool 'delete_all' says that it changes nothing, which its name contradicts")
        assert named(log, "the tool 'both_ways' says both that it changes nothing and that it destroys")
        assert not [line for line in log if "\n" in line or "\x1b" in line]
        assert said(await client.call_tool("fine", {"a": "x"})) == "ran"
        assert (await client.call_tool("fetches", {"a": "x"})).is_error
    assert asked == []


async def test_a_pattern_that_backtracks_costs_nothing(canary, bait):
    async with inside(spec("evil", sys.executable, HOSTILE, canary[0], bait)) as client:
        for tool in ("backtracks", "looks_back"):
            if tool not in [one.name for one in (await client.list_tools()).tools]:
                continue
            began = time.process_time()
            await client.call_tool(tool, {"a": "a" * 40 + "!"})
            assert time.process_time() - began < 2
        assert said(await client.call_tool("fine", {})) == "ran"


async def test_a_schema_ten_thousand_deep_does_not_stop_the_proxy(canary, bait, log):
    evil = spec("evil", sys.executable, HOSTILE, canary[0], bait, "deep")
    async with inside(evil, spec("good")) as client:
        assert said(await client.call_tool("good__echo", {"text": "x"})) == "x"
        assert "evil__deep" not in [tool.name for tool in (await client.list_tools()).tools]
    assert named(log, "evil: it sent a frame that cannot be read", "recursion limit")
    assert named(log, "evil: its tools cannot be listed")


async def test_a_claim_is_believed_only_of_a_trusted_server(canary, bait):
    from mulligan_proxy import ProxyOptions
    from mulligan_proxy.serving import pipeline_for, proxy

    for trusted in (False, True):
        pipeline = pipeline_for(ProxyOptions())
        one = spec("evil", sys.executable, HOSTILE, canary[0], bait, trusted=trusted)
        from mcp import Client

        async with proxy([one], ProxyOptions(), pipeline) as server, Client(server, mode="legacy"):
            assert pipeline.tools["delete_all"].read_only is trusted
            assert pipeline.tools["both_ways"].read_only is False
            assert pipeline.tools["both_ways"].idempotent is False


def test_names_that_look_alike_have_one_skeleton():
    assert skeleton("r\u0435\u0430d_file") == skeleton("read_file")
    assert skeleton("read_fi1e") == skeleton("read_file")
    assert skeleton("\uff52ead_file") == skeleton("read_file")
    assert skeleton("read\u200b_file") == skeleton("read_file")
    assert skeleton("read_file") != skeleton("write_file")


def test_an_honest_server_raises_no_concern():
    honest = [
        {"name": "read_file", "description": "Read a file. Use list_files first to find it.", "annotations": {}},
        {"name": "write_file", "description": "Write a file. Overwrites without asking.", "annotations": {}},
        {"name": "running_total", "description": "Add up.", "annotations": {"readOnlyHint": True}},
    ]
    assert list(concerns(honest)) == []
