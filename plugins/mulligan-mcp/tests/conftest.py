"""What the tests of mulligan-mcp share."""

from __future__ import annotations

import os
import pathlib
from contextlib import asynccontextmanager

import pytest
from loguru import logger
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

FAULTY = str(pathlib.Path(__file__).parents[2] / "mulligan-proxy" / "tests" / "servers" / "faulty.py")


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def log():
    """The lines that are written to the log."""
    lines = []
    sink = logger.add(lambda message: lines.append(message.record["message"]), level="DEBUG", format="{message}")
    yield lines
    logger.remove(sink)


@asynccontextmanager
async def program(*words):
    """The real client of a real program on stdin and stdout."""
    parameters = StdioServerParameters(command=words[0], args=list(words[1:]), env=dict(os.environ))
    with open(os.devnull, "w") as quiet:
        async with stdio_client(parameters, errlog=quiet) as streams, ClientSession(*streams) as session:
            await session.initialize()
            yield session


def said(result):
    """What the model reads."""
    return "\n".join(block.text for block in result.content if block.type == "text")
