"""What a person finds in the client's log, which is the proxy's stderr."""

from __future__ import annotations

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
