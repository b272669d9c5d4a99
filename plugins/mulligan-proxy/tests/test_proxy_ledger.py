"""What a ledger records of the calls that go through the proxy: nothing but the environment names it."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import asynccontextmanager, closing

import anyio
import pytest
from conftest import FAULTY, program, proxied, said, served
from mcp import Client

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def over_stdio(path):
    async with program(*proxied("--", sys.executable, FAULTY), env={"MULLIGAN_LEDGER": str(path)}) as client:
        yield client


@asynccontextmanager
async def over_http(path):
    words = proxied("--http", "127.0.0.1:0", "--", sys.executable, FAULTY)
    with served(*words, env={"MULLIGAN_LEDGER": str(path)}) as url:
        async with Client(url) as client:
            yield client


@pytest.mark.parametrize("reached", [over_stdio, over_http])
async def test_every_call_of_a_client_is_recorded_once(tmp_path, reached):
    path = tmp_path / "runs.db"
    async with reached(path) as client:
        name = (await client.list_tools()).tools[0].name
        answers = [await client.call_tool(f"{name}x", {}), await client.call_tool(name, {"no such": 1})]
        await anyio.sleep(1.5)  # a server that is terminated may lose its last second

    with closing(sqlite3.connect(path)) as file:
        found = file.execute("SELECT name, error, feedback FROM calls ORDER BY id").fetchall()
        assert file.execute("SELECT sum(lost) FROM processes").fetchone() == (0,)
    assert [row[0] for row in found] == [f"{name}x", name]
    assert found[0][1] == "ToolNotFoundError"
    assert found[0][2] == said(answers[0])
