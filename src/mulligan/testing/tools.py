"""Tools for tests: one that fails as specified, and some that count their calls."""

from __future__ import annotations

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
