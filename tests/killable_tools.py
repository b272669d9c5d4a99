"""Killable tools for the tests: a module of its own, since the process of a killable tool imports it."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import enum
import fractions
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pydantic

from mulligan import Deadline, Injected, Tool, current_deadline, errors, tool


class Refused(Exception):
    """Cannot be unpickled: its constructor wants more than its text."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(f"{status}: {why}")
        self.status_code = status


class Holding(ConnectionError):
    """Cannot be pickled."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


def note(path: str) -> None:
    pathlib.Path(path).write_text(str(os.getpid()))


@tool(killable=True, timeout=60)
def add(a: int, b: int = 2) -> int:
    """Adds."""
    return a + b


@tool(killable=True, timeout=60)
def where() -> list[int]:
    """Process and thread."""
    print("printed by the tool")
    return [os.getpid(), os.getppid()]


@tool(killable=True, timeout=4)
def spin(path: str) -> None:
    """Loops for ever."""
    note(path)
    while True:
        pass


@tool(killable=True)
def spin_unbounded(path: str) -> None:
    """Loops for ever, without a timeout."""
    note(path)
    while True:
        pass


@tool(killable=True, timeout=4)
def spawn(path: str) -> None:
    """Starts a program that would run for ten minutes, and waits for it."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    pathlib.Path(path).write_text(str(child.pid))
    child.wait()


@tool(killable=True, timeout=60)
def eat() -> int:
    """Eats memory."""
    held = []
    while True:
        held.append(bytearray(10 << 20))


@tool(killable=True, timeout=60)
def big() -> bytes:
    """Returns more than a pipe holds."""
    return b"x" * 3_000_000


@tool(killable=True, timeout=60)
def numbers() -> Iterator[int]:
    """A generator."""
    yield from range(3)


@tool(killable=True, timeout=60)
def endless() -> Iterator[int]:
    """A generator without an end."""
    while True:
        yield 1


@tool(killable=True, timeout=60)
async def anumbers() -> AsyncIterator[int]:
    """An async generator."""
    for number in range(3):
        await asyncio.sleep(0)
        yield number


@tool(killable=True, timeout=60)
async def fetch(n: int) -> int:
    """A coroutine."""
    await asyncio.sleep(0)
    return n


@tool(killable=True, timeout=60)
def read(path: str) -> str:
    """Reads a file."""
    return pathlib.Path(path).read_text()


@tool(killable=True, timeout=60)
def refuse() -> None:
    """Raises what cannot be unpickled."""
    raise Refused(429, "slow down")


@tool(killable=True, timeout=60)
def hold() -> None:
    """Raises what cannot be pickled, from a cause."""
    try:
        raise FileNotFoundError(2, "No such file", "a.md")
    except FileNotFoundError as error:
        raise Holding("refused") from error


@tool(killable=True, timeout=60)
def invent() -> None:
    """Raises what nobody else has the class of."""

    class Gone(Holding):
        pass

    raise Gone("line 3")


@tool(killable=True, timeout=60)
def group() -> None:
    """Raises a group with a member that cannot be pickled."""
    raise ExceptionGroup("several", [Holding("x"), ValueError("y")])


@tool(killable=True, timeout=60)
def leave(how: str) -> None:
    """Leaves in one way or another."""
    if how == "exit":
        sys.exit(3)
    if how == "_exit":
        os._exit(3)
    if how == "kill":
        os.kill(os.getpid(), 9)
    raise {"interrupt": KeyboardInterrupt, "generator": GeneratorExit, "base": BaseException}[how]


@tool(killable=True, timeout=60)
def lock() -> Any:
    """Returns what cannot be pickled."""
    return threading.Lock()


@tool(killable=True, timeout=60)
def left(deadline: Deadline) -> list[float]:
    """What the tool knows of its deadline."""
    known = current_deadline()
    return [deadline.remaining, -1 if known is None else known.remaining]


@tool(killable=True, timeout=60)
def need(database: Injected[object]) -> str:
    """Is given something."""
    return type(database).__name__


@tool(killable=True, timeout=60)
def slow_end(path: str) -> str:
    """Leaves a thread behind that never ends."""
    threading.Thread(target=time.sleep, args=(600,)).start()
    note(path)
    return "done"


class Running:
    """Would run code wherever it is unpickled, compared, shown or read."""

    def __init__(self, path: str = "") -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return pathlib.Path.touch, (pathlib.Path(self.path),)


class RunningError(Running, Exception):
    def __str__(self) -> str:
        pathlib.Path(self.path + f".{os.getpid()}").touch()
        return "running"


@tool(killable=True, timeout=60)
def send(path: str, how: str) -> Any:
    """Returns or raises what would run code."""
    value = Running(path)
    if how == "value":
        return value
    if how == "in a list":
        return [value]
    if how == "raised":
        raise RunningError(path)
    if how == "argument":
        raise ValueError(value, [value])
    if how == "field":
        error = ValueError("x")
        error.response = value  # type: ignore[attr-defined]
        raise error
    if how == "cause":
        raise ValueError("x") from RunningError(path)
    raise ExceptionGroup("two", [RunningError(path), ValueError("x")])


@dataclass
class Point:
    x: int
    tags: set[str]


class User(pydantic.BaseModel):
    name: str


class Color(enum.Enum):
    RED = "red"


@tool(killable=True, timeout=60)
def kinds() -> list[Any]:
    """Values that are no JSON types."""
    return [Point(1, {"a"}), Color.RED, User(name="Ada"), {(1, 2): b"x"}, frozenset({1}), decimal.Decimal("1.10")]


@tool(killable=True, timeout=60)
def moments() -> list[Any]:
    """Dates, and others of the standard library."""
    day = datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.UTC)
    others = [uuid.UUID(int=1), pathlib.Path("a/b"), fractions.Fraction(1, 3), 1 + 2j, bytearray(b"a"), 10**30]
    return [day, day.date(), day.time(), day - day, *others, float("inf"), "\ud800", (1, [2])]


class Answer:
    def __init__(self) -> None:
        self.headers = {"retry-after": "7"}
        self._status = 429

    @property
    def status_code(self) -> int:
        return self._status + len("")


@tool(killable=True, timeout=60)
def answered() -> None:
    """Raises what a client raises: the answer is an object, its status a property."""
    error = RuntimeError("slow down")
    error.response = Answer()  # type: ignore[attr-defined]
    raise error


@tool(killable=True, timeout=60)
def own_word() -> None:
    """Raises an error of mulligan, of a class of its own."""

    class Closed(errors.ToolUnavailableError):
        pass

    raise Closed("The archive is closed.", retry_after=3.0, effect="none")


TOOLS = [one for one in list(globals().values()) if isinstance(one, Tool)]


_DIED = "worker killed"
_RAISED = {
    "before connect": lambda: ConnectionRefusedError(111, "refused"),
    "after send": lambda: ConnectionResetError(104, "reset"),
    "mid-response": lambda: http.client.IncompleteRead(b"ab", 10),
    "after commit": lambda: errors.ToolUnavailableError("Busy."),
    "cancel": asyncio.CancelledError,
    "decode error": lambda: json.JSONDecodeError("no JSON", "<html>", 0),
    "plugin crash": lambda: LookupError("only the plugin knows"),
}


def fail_at(point: str, runs: str, effects: str) -> None:
    """Adds a line to the file of runs, one to that of effects where it has taken effect by then, and fails."""
    with pathlib.Path(runs).open("a") as file:
        file.write("ran\n")
    if point != "before connect":
        with pathlib.Path(effects).open("a") as file:
            file.write("done\n")
    if point == _DIED:
        os.kill(os.getpid(), signal.SIGKILL)
    if point == "timeout":
        time.sleep(60)
    raise _RAISED[point]()
