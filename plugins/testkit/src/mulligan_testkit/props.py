"""The tools of the scenes: plain functions that really fail, and count how often they are run.

Each function here gets the counter, a function that starts a server and gives its address, and an event that ends what
hangs; it gives the tools.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

PATIENCE = 3.0
"""Seconds after which a tool that hangs ends by itself, so that a framework without a deadline can be shown too."""

Function = Callable[..., Any]


def files(ran: Counter[str], *_: Any) -> list[Function]:
    """A workspace whose files are not there."""

    def list_folder(path: str) -> list[str]:
        """List the files of a folder."""
        ran["list_folder"] += 1
        return ["a.md", "b.md"]

    def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        ran["send_mail"] += 1
        return "sent"

    def read_file(path: str, limit: int = 100) -> str:
        """Read a text file of the workspace."""
        ran["read_file"] += 1
        with open(path) as file:
            return file.read(limit)

    return [list_folder, send_mail, read_file]


def namespaced(ran: Counter[str], *_: Any) -> list[Function]:
    """Tools of two servers, each with its namespace."""

    def calendar__list_events(day: str) -> list[str]:
        """List the events of a day."""
        return ["09:00 stand-up"]

    def tracker__get_issue(number: int) -> str:
        """Read an issue of the tracker."""
        return f"Issue {number}: the rocket does not start"

    return [calendar__list_events, tracker__get_issue]


def search(ran: Counter[str], *_: Any) -> list[Function]:
    """A search with three kinds of arguments."""

    def search(query: str, limit: int, kind: Literal["news", "papers"]) -> list[str]:
        """Search the library."""
        ran["search"] += 1
        return [f"{kind}: {query}"] * limit

    return [search]


def github(status: int, body: object, headers: dict[str, str] | None = None) -> Any:
    """Makes tools, one of which asks a server that answers as GitHub does.

    Args:
        status: the HTTP status of every answer.
        body: its body.
        headers: more headers.
    """

    def tools(ran: Counter[str], serve: Callable[..., str], _: threading.Event) -> list[Function]:
        from github import Auth, Github

        client = Github(
            base_url=serve(status, body, headers), auth=Auth.Token("none"), retry=None, timeout=5, lazy=True
        )

        def get_issue(repository: str, number: int) -> str:
            """Read an issue of a GitHub repository."""
            ran["get_issue"] += 1
            return str(client.get_repo(repository).get_issue(number).title)

        def add(first: int, second: int) -> int:
            """Add two numbers."""
            ran["add"] += 1
            return first + second

        return [get_issue, add]

    return tools


def query(ran: Counter[str], *_: Any) -> list[Function]:
    """A tool that reports its failure as a value."""

    def query(index: str, text: str) -> dict[str, str]:
        """Query an index of documents."""
        ran["query"] += 1
        return {"error": f"index {index} does not exist"}

    return [query]


def hanging(ran: Counter[str], _: Any, over: threading.Event) -> list[Function]:
    """A tool that hangs until the performance is over, or `PATIENCE` has passed."""

    def fetch_page(url: str) -> str:
        """Fetch a web page."""
        ran["fetch_page"] += 1
        over.wait(PATIENCE)
        return "too late"

    return [fetch_page]


def raising(make: Callable[[], BaseException]) -> Any:
    """Makes tools, one of which raises.

    Args:
        make: makes what it raises.
    """

    def tools(ran: Counter[str], *_: Any) -> list[Function]:
        def render_report(number: int) -> str:
            """Render a report."""
            ran["render_report"] += 1
            raise make()

        def add(first: int, second: int) -> int:
            """Add two numbers."""
            ran["add"] += 1
            return first + second

        return [render_report, add]

    return tools


class HostileError(Exception):
    """Raises whatever anybody does with it."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__
