"""What a person finds in the client's log, which is the proxy's stderr."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import FAULTY, program, proxied
from mulligan_proxy import ProxyOptions
from mulligan_proxy.serving import pipeline_for

from mulligan import hookimpl

pytestmark = pytest.mark.anyio


class Careless:
    """A plugin with a bug."""

    @hookimpl
    def resolve(self, call):
        raise ZeroDivisionError("no calls yet")


async def lines_of(tmp_path, *words):
    path = tmp_path / "stderr"
    with path.open("w") as stderr:
        async with program(*proxied(*words, "--", sys.executable, FAULTY), errlog=stderr) as client:
            await client.call_tool("protocol_error", {"message": "Seat 12C is taken"})
            await client.call_tool("echo", {"text": 5})
            await client.call_tool("echo", {"text": "fine"})
    return path.read_text().splitlines()


async def test_off_means_off(tmp_path):
    assert await lines_of(tmp_path, "--log", "off") == []


async def test_a_failure_is_one_line_and_a_models_mistake_is_none(tmp_path):
    (line,) = await lines_of(tmp_path)
    assert "WARNING" in line
    assert "protocol_error: failed after" in line


async def test_a_bug_of_a_plugin_is_named(log):
    pipeline = pipeline_for(ProxyOptions(), [Careless()])
    await pipeline.acall("missing", {})
    assert "plugin Careless, hook resolve: ZeroDivisionError: no calls yet" in "\n".join(log)


TOKEN = f"ghp_{'A1b2C3d4E5' * 4}"
INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@pytest.mark.parametrize(
    "words",
    [
        ("--url", f"no address {TOKEN}"),
        ("--name", f"a\nb {TOKEN}", "--", "no-such-program-at-all"),
        ("--name", "tulip-mania-1637", "--", sys.executable, "-c", "raise SystemExit('wrong key tulip-mania-1637')"),
    ],
)
def test_no_line_shows_a_secret_or_is_two(words, monkeypatch):
    monkeypatch.setenv("TULIP_API_KEY", "tulip-mania-1637")
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
    command = (*proxied("--log", "debug"), *words)
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdin.write(f"{request}\n")
    process.stdin.flush()
    assert "cannot be used" in process.stdout.readline()
    lines = [line for line in process.communicate()[1].splitlines() if line != "wrong key tulip-mania-1637"]  # its own
    assert any("cannot be used" in line for line in lines)
    assert all(" WARNING " in line or " ERROR " in line or " DEBUG " in line for line in lines)
    assert "tulip-mania-1637" not in "".join(lines)
    assert TOKEN not in "".join(lines)
