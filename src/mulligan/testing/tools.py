"""Tools for tests: one that fails as specified, and some that count their calls."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from mulligan.plugin import Tool, Toolset


def failing_tool(error_or_value: Any, name: str = "the_tool", **options: Any) -> Tool:
    """A tool that takes any arguments, and raises an exception or returns a value.

    Args:
        error_or_value: an exception is raised, anything else returned.
        name: its name.
        options: the attributes of `Tool`, such as `read_only=True`.
    """

    def handler(**_: Any) -> Any:
        if issubclass(type(error_or_value), BaseException):  # `__class__` of an exception may lie
            raise error_or_value
        return error_or_value

    return Tool.from_schema(name, "Fails as specified.", {"type": "object"}, handler, **options)


def sample_tools() -> Toolset:
    """Three tools on a small file system in memory: `read_file` and `list_files` only read, `write_file` writes.

    Each set has its own file system, with one file, `README.md`.
    """
    files = {"README.md": "# A project\n"}

    def read_file(path: str) -> str:
        """Read a text file."""
        if path not in files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return files[path]

    def list_files(pattern: str = "*", limit: int = 10) -> list[str]:
        """List the files whose names fit a pattern."""
        from fnmatch import fnmatch

        return [name for name in sorted(files) if fnmatch(name, pattern)][:limit]

    def write_file(path: str, text: str, append: bool = False) -> str:
        """Write a text file."""
        files[path] = files.get(path, "") + text if append else text
        return f"{len(text)} characters written to {path}"

    return Toolset(
        [
            Tool.from_function(read_file, read_only=True, resources=lambda _: list(files)),
            Tool.from_function(list_files, read_only=True),
            Tool.from_function(write_file),
        ]
    )


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
