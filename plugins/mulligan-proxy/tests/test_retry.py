"""`mulligan proxy --retry`: a call is repeated only where the server is trusted, and only where it says that this does no harm."""

from __future__ import annotations

import json
import pathlib
import sys
from contextlib import asynccontextmanager

import pytest
from conftest import inside, program, said, served, spec
from mcp import Client
from mulligan_proxy import ProxyOptions

pytestmark = pytest.mark.anyio
FLAKY = (sys.executable, str(pathlib.Path(__file__).parent / "servers" / "flaky.py"))
ONCE = {"reads": 1, "repeats": 1, "writes": 1, "says_nothing": 1, "says_both": 1}


@asynccontextmanager
async def over_stdio(*options):
    async with program("mulligan", "proxy", *options, "--", *FLAKY, "stdio") as client:
        yield client


@asynccontextmanager
async def over_http(*options):
    with (
        served(*FLAKY) as behind,
        served("mulligan", "proxy", *options, "--http", "127.0.0.1:0", "--url", behind) as url,
    ):
        async with Client(url) as client:
            yield client


async def outcomes(client):
    """What the model reads of each tool, and how often each has really run."""
    told = {name: await client.call_tool(name, {}) for name in ONCE}
    return told, json.loads(said(await client.call_tool("runs", {})))


@pytest.mark.parametrize("reached", [over_stdio, over_http])
async def test_what_changes_nothing_runs_again_and_the_client_gets_the_answer(reached):
    async with reached("--retry", "--trust", "server") as client:
        told, runs = await outcomes(client)
    assert runs == {**ONCE, "reads": 2, "repeats": 2}
    for name in ("reads", "repeats"):
        assert (told[name].is_error, said(told[name])) == (False, f"the answer of {name}")
    for name in ("writes", "says_nothing", "says_both"):
        assert told[name].is_error
        assert "HTTP 503" in said(told[name])
        assert "It may have taken effect." in said(told[name])
        assert said(told[name]).endswith(
            "Next: read the current state with another tool first. Do not repeat this call before you know whether it took effect."
        )


@pytest.mark.parametrize("options", [("--retry",), ("--trust", "server")], ids=" ".join)
async def test_without_trust_or_without_the_option_nothing_runs_twice(options):
    async with over_stdio(*options) as client:
        told, runs = await outcomes(client)
    assert runs == ONCE
    assert [name for name, result in told.items() if not result.is_error] == []


async def test_a_hint_that_is_not_believed_softens_what_is_said_about_effects_and_invites_no_repeat():
    async with over_stdio("--retry") as client:
        told, runs = await outcomes(client)
    assert runs == ONCE
    assert [name for name, result in told.items() if "It may have taken effect." not in said(result)] == ["reads"]
    assert said(told["reads"]).endswith(
        "Next: use another tool or other arguments, or tell the user what the problem is."
    )


async def test_an_answer_holds_nothing_of_an_earlier_attempt():
    one = spec("flaky", *FLAKY, "stdio", trusted=True)
    async with inside(one, options=ProxyOptions(timeout=5.0, retry=True)) as client:
        result = await client.call_tool("draws", {})
        assert json.loads(said(await client.call_tool("runs", {}))) == {"draws": 2}
    assert result.is_error
    assert "no pen" in said(result)
    assert [block.type for block in result.content] == ["text"]
