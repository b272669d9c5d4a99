"""Functions for executors to run: at the top level of a module, so that another process or machine can import them."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any


def echo(value: Any) -> Any:
    """Returns its argument.

    Args:
        value: anything.
    """
    return value


def count(path: str) -> str:
    """Adds a line to a file, so that tests can count the runs.

    Args:
        path: the file.
    """
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("run\n")
    return "counted"


def count_and_fail(path: str) -> str:
    """Adds a line to a file, and fails.

    Args:
        path: the file.
    """
    count(path)
    raise RuntimeError("it failed after it had counted")


def fail(kind: str) -> str:
    """Raises an exception.

    Args:
        kind: `missing`, `value`, `timeout`, `exit`, or any text, which becomes its message.
    """
    if kind == "missing":
        raise FileNotFoundError(2, "No such file or directory", "docs/a.md")
    if kind == "value":
        raise ValueError("not a number")
    if kind == "timeout":
        raise TimeoutError("timed out")
    if kind == "exit":
        sys.exit(3)
    raise RuntimeError(kind)


def hang(seconds: float) -> str:
    """Returns after a delay.

    Args:
        seconds: the delay.
    """
    time.sleep(seconds)
    return "late"


def lock() -> Any:
    """Returns an object that JSON cannot hold and no process can send."""
    import threading

    return threading.Lock()
