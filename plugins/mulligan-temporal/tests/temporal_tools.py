"""Tools for the tests, which workers import."""

import asyncio
import os
import signal
import sys
import threading
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


@tool
def stay(path: str, seconds: float) -> str:
    """Notes a run, and sleeps in small steps."""
    note(path)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
    return "stayed"


@tool
def leave_with(path: str) -> str:
    """Notes a run, and exits."""
    note(path)
    sys.exit(3)


@tool
def fill(path: str) -> int:
    """Notes a run, and takes more memory than there is."""
    note(path)
    return len(bytearray(1 << 44))


@tool
def give(path: str, kind: str) -> Any:
    """Notes a run, and returns something that cannot be sent, or is too large."""
    note(path)
    return object() if kind == "object" else "x" * 3_000_000


class ToughError(Exception):
    """Cannot be pickled, nor written as JSON."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.lock = threading.Lock()

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle")


@tool
def throw(path: str) -> str:
    """Notes a run, and raises an exception that cannot be pickled."""
    note(path)
    raise ToughError(path)


@tool
def use(path: str, database: Injected[Any]) -> str:
    """Needs a value that cannot be sent, and notes a run."""
    note(path)
    return f"used {database}"


@tool
def trace_id() -> str:
    """The id of the trace in which it runs."""
    from opentelemetry.trace import format_trace_id, get_current_span

    return format_trace_id(get_current_span().get_span_context().trace_id)
