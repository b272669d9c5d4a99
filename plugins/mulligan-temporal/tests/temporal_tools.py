"""Tools for the tests, which workers import."""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from mulligan import Deadline, Injected, ToolCall, tool


def note(path: str) -> None:
    """Adds a line to a file, so that tests can count the runs."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("run\n")


@tool(read_only=True)
def read(path: str) -> str:
    """Reads a file."""
    return Path(path).read_text(encoding="utf-8")


@tool(idempotent=True)
def put(path: str) -> str:
    """Notes a run, and loses its connection."""
    note(path)
    raise ConnectionResetError(104, "Connection reset by peer")


@tool
def write(path: str) -> str:
    """Notes a run, and loses its connection."""
    note(path)
    raise ConnectionResetError(104, "Connection reset by peer")


@tool
def die(path: str) -> str:
    """Notes a run, and kills its worker."""
    note(path)
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


@tool
def leave() -> str:
    """Exits."""
    sys.exit(3)


@tool
def sleep(seconds: float, path: str) -> str:
    """Sleeps in small steps, and notes that it has ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
    note(path)
    return "slept"


@tool
async def asleep(seconds: float, path: str) -> str:
    """Sleeps, and notes that it has ended."""
    await asyncio.sleep(seconds)
    note(path)
    return "slept"


@tool
def about(
    call: Injected[ToolCall], deadline: Injected[Deadline], tenant: Injected[str], database: Injected[Any]
) -> str:
    """Tells what was injected."""
    return f"{call.id} {deadline.remaining > 0} {tenant} {database}"


@tool
async def counted(end: int) -> Any:
    """Counts."""
    for number in range(end):
        yield number


@tool(idempotent=True)
def flaky(path: str) -> str:
    """Fails the first two times."""
    note(path)
    if len(Path(path).read_text(encoding="utf-8").splitlines()) < 3:
        raise ConnectionResetError(104, "Connection reset by peer")
    return "works"
