"""The tools of the scenes: plain functions that really fail and count their runs.

Each function of this module takes the stage and returns its tools.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, Literal

import attrs

from mulligan_testkit.loopback import Server

PATIENCE = 3.0
"""Seconds after which a tool that hangs returns, so that a framework without deadlines can be shown too."""

Function = Callable[..., Any]


@attrs.define
class Stage:
    """The state of one performance.

    Attributes:
        say: sends a text to the model in the way that the framework provides for authors of tools: raises, or returns the
            value for the tool to return.
        tools: plain functions.
        ran: the number of runs, by tool.
        turn: the number of the current message of the user, from 1; the tools may depend on it.
        over: set when the performance ends, so that nothing hangs after it.
    """

    say: Callable[[str], Any]
    tools: list[Function] = attrs.field(factory=list)
    ran: Counter[str] = attrs.field(factory=Counter)
    turn: int = 1
    over: threading.Event = attrs.field(factory=threading.Event)
    _servers: list[Server] = attrs.field(factory=list)

    def serve(self, *answer: Any) -> str:
        """Starts a server that gives this answer until the performance ends, and returns its address."""
        self._servers.append(Server(*answer))
        return self._servers[-1].url

    def close(self) -> None:
        """Releases the tools that hang, and stops the servers."""
        self.over.set()
        for server in self._servers:
            server.close()


Props = Callable[[Stage], list[Function]]


def files(stage: Stage) -> list[Function]:
    """A workspace whose files do not exist."""

    def list_folder(path: str) -> list[str]:
        """List the files of a folder."""
        stage.ran["list_folder"] += 1
        return ["a.md", "b.md"]

    def send_mail(to: str, text: str) -> str:
        """Send a mail."""
        stage.ran["send_mail"] += 1
        return "sent"

    def read_file(path: str, limit: int = 100) -> str:
        """Read a text file of the workspace."""
        stage.ran["read_file"] += 1
        with open(path) as file:
            return file.read(limit)

    return [list_folder, send_mail, read_file]


def namespaced(stage: Stage) -> list[Function]:
    """The tools of two servers, each with its own namespace."""

    def calendar__list_events(day: str) -> list[str]:
        """List the events of a day."""
        return ["09:00 stand-up"]

    def tracker__get_issue(number: int) -> str:
        """Read an issue of the tracker."""
        return f"Issue {number}: the rocket does not start"

    return [calendar__list_events, tracker__get_issue]


def search(stage: Stage) -> list[Function]:
    """A search with three kinds of arguments."""

    def search(query: str, limit: int, kind: Literal["news", "papers"]) -> list[str]:
        """Search the library."""
        stage.ran["search"] += 1
        return [f"{kind}: {query}"] * limit

    return [search]


def github_client(url: str) -> Any:
    """GitHub's own client for Python.

    Args:
        url: the address of a server that answers like GitHub.
    """
    from github import Auth, Github

    return Github(base_url=url, auth=Auth.Token("none"), retry=None, timeout=5, lazy=True)


def github(status: int, body: object, headers: dict[str, str] | None = None) -> Props:
    """Creates tools, one of which calls a server that answers like GitHub.

    Args:
        status: the HTTP status of every answer.
        body: its body.
        headers: more headers.
    """

    def tools(stage: Stage) -> list[Function]:
        client = github_client(stage.serve(status, body, headers))

        def get_issue(repository: str, number: int) -> str:
            """Read an issue of a GitHub repository."""
            stage.ran["get_issue"] += 1
            return str(client.get_repo(repository).get_issue(number).title)

        def add(first: int, second: int) -> int:
            """Add two numbers."""
            stage.ran["add"] += 1
            return first + second

        return [get_issue, add]

    return tools


def query(stage: Stage) -> list[Function]:
    """A tool that reports its failure as a value."""

    def query(index: str, text: str) -> dict[str, str]:
        """Query an index of documents."""
        stage.ran["query"] += 1
        return {"error": f"index {index} does not exist"}

    return [query]


def hanging(stage: Stage) -> list[Function]:
    """A tool that hangs until the performance ends or `PATIENCE` has passed."""

    def fetch_page(url: str) -> str:
        """Fetch a web page."""
        stage.ran["fetch_page"] += 1
        stage.over.wait(PATIENCE)
        return "too late"

    return [fetch_page]


def raising(make: Callable[[], BaseException]) -> Props:
    """Creates tools, one of which raises.

    Args:
        make: creates the exception.
    """

    def tools(stage: Stage) -> list[Function]:
        def render_report(number: int) -> str:
            """Render a report."""
            stage.ran["render_report"] += 1
            raise make()

        def add(first: int, second: int) -> int:
            """Add two numbers."""
            stage.ran["add"] += 1
            return first + second

        return [render_report, add]

    return tools


class HostileError(Exception):
    """Raises when it is converted to text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__
