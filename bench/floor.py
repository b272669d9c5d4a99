"""The floor: tools, texts of arguments, and a bare call of one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Literal

TEXT = '{"query":"is:open crash","repo":"octo/hello","labels":["bug","p1"],"limit":10,"state":"open"}'
ONE_FAULT = '{"query":"is:open crash","repo":"octo/hello","labels":["bug","p1"],"limit":"ten","state":"open"}'
THREE_FAULTS = '{"query":"is:open crash","repo":"octo/hello","labels":"bug","limit":"ten","state":"any"}'
MALFORMED = TEXT[:-1]


def search_issues(query: str, repo: str, labels: list[str], limit: int, state: Literal["open", "closed"]) -> str:
    """Search the issues of a repository."""
    return query


async def search_issues_async(
    query: str, repo: str, labels: list[str], limit: int, state: Literal["open", "closed"]
) -> str:
    """Search the issues of a repository."""
    return query


def read_file(query: str, repo: str, labels: list[str], limit: int, state: str) -> str:
    """A tool that raises."""
    raise FileNotFoundError(2, "No such file or directory", "src/missing.py")


async def read_file_async(query: str, repo: str, labels: list[str], limit: int, state: str) -> str:
    """The same, awaited."""
    raise FileNotFoundError(2, "No such file or directory", "src/missing.py")


async def wait(query: str, repo: str, labels: list[str], limit: int, state: str) -> str:
    """A tool that waits for a millisecond."""
    await asyncio.sleep(0.001)
    return query


TABLE: dict[str, Callable[..., Any]] = {
    "search_issues": search_issues,
    "search_issues_async": search_issues_async,
    "read_file": read_file,
    "read_file_async": read_file_async,
    "wait": wait,
}


def bare(name: str, text: str) -> str:
    """What everybody writes first: no validation, a failure becomes one line."""
    try:
        return str(TABLE[name](**json.loads(text)))
    except Exception as error:
        return f"Error: {error}"


async def bare_async(name: str, text: str) -> str:
    """The same, awaited."""
    try:
        return str(await TABLE[name](**json.loads(text)))
    except Exception as error:
        return f"Error: {error}"
