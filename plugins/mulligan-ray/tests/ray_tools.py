"""Tools for the tests. The workers import this module."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from mulligan_testkit.out_of_memory import outgrow

from mulligan.plugin import Injected, current_deadline

_STARTED = time.time()


def note(path: str) -> None:
    """Adds a line to a file: the process that runs, and the time."""
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {time.time()}\n")


def beat(path: str, seconds: float) -> str:
    """Notes every 20 ms that it still runs."""
    end = time.time() + seconds
    while time.time() < end:
        note(path)
        time.sleep(0.02)
    return "ended"


def beat_once(path: str, seconds: float) -> str:
    """`beat`, but a second run ends at once."""
    return beat(path, 0 if Path(path).exists() else seconds)


def die(path: str, how: str) -> Any:
    """Notes that it runs, and ends its process, or in what cannot be sent."""
    note(path)
    if how == "SIGKILL":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "SIGTERM":
        os.kill(os.getpid(), signal.SIGTERM)
    if how == "swallowed SIGTERM":
        with suppress(BaseException):
            os.kill(os.getpid(), signal.SIGTERM)
    if how == "sys.exit":
        sys.exit(3)
    if how == "os._exit":
        os._exit(3)
    if how == "out of memory":
        return "x" * sys.maxsize
    if how == "kernel":
        outgrow()
    if how == "unpicklable result":
        return threading.Lock()
    if how == "unpicklable exception":
        raise Unpicklable("disk /dev/sda1 failed")
    if how == "interrupt":
        raise KeyboardInterrupt
    return how


def pid() -> int:
    """The process that runs it."""
    return os.getpid()


def size(data: Injected[str]) -> int:
    """The length of a text."""
    return len(data)


def make(length: int) -> str:
    """A text of that length."""
    return "x" * length


def seconds_left() -> float | None:
    """The seconds until the deadline of the call."""
    deadline = current_deadline()
    return None if deadline is None else deadline.remaining


def trace() -> str:
    """The id of the trace that it runs in."""
    from opentelemetry.trace import format_trace_id, get_current_span

    return format_trace_id(get_current_span().get_span_context().trace_id)


def takes(value: Any) -> str:
    """Takes anything."""
    return type(value).__name__


def hold(path: str, lock: Injected[Any]) -> str:
    """Notes that it runs with a lock."""
    note(path)
    return type(lock).__name__


class Unpicklable(Exception):
    """An exception that holds a lock."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


def fail_unpicklable() -> None:
    """Raises an exception that cannot be pickled."""
    raise Unpicklable("disk /dev/sda1 failed")


async def double(number: int) -> int:
    """Doubles a number."""
    return 2 * number


def square(number: int, seconds: float = 0.0) -> int:
    """Squares a number."""
    time.sleep(seconds)
    return number * number


def interval(seconds: float) -> list[float]:
    """When it began and ended."""
    began = time.time()
    time.sleep(seconds)
    return [began, time.time()]


def read(path: str) -> str:
    """Reads a file."""
    return Path(path).read_text("utf-8")


def refuse(password: str, text: str) -> str:
    """Fails with a text that quotes its arguments."""
    raise ValueError(f"refused: {password} for {text}")
