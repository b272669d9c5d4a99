"""The assistant's tools. They are ordinary ones: what goes wrong in them is raised, and mulligan makes sense of it."""

from __future__ import annotations

import ast
import contextlib
import errno
import io
import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from mulligan import Injected, Tool, tool
from mulligan.errors import ResourceNotFoundError

DISK_BYTES = 4_000
PAGE_SECONDS = 1
SOCKET_SECONDS = 5
PYTHON_SECONDS = 2
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)


class ServiceError(Exception):
    """An answer of a service that is an error; its text is what the service says."""

    def __init__(self, answer: HTTPError) -> None:
        super().__init__(answer.read().decode())
        self.status_code = answer.code
        self.headers = dict(answer.headers)
        self.url = answer.url


def _fetch(request: str | Request) -> str:
    try:
        with urlopen(request, timeout=SOCKET_SECONDS) as response:
            return str(response.read().decode())
    except HTTPError as error:
        raise ServiceError(error) from None


class _Page(HTMLParser):
    """Reads the title of a page, and the text of each element that has an id."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.title = ""
        self.elements: dict[str, str] = {}
        self._open: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        if tag not in _VOID:
            self._open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag: str) -> None:
        """Leaves an element, and those within it that were never closed."""
        tags = [one for one, _ in self._open]
        if tag in tags:
            del self._open[len(tags) - 1 - tags[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Adds a text to all elements around it."""
        for tag, id in self._open:
            if tag == "title":
                self.title += data
            if id is not None:
                self.elements[id] = self.elements.get(id, "") + data


def _browser(address: str) -> list[Tool]:
    page = _Page("")

    @tool(read_only=True, timeout=PAGE_SECONDS)
    def open_page(path: str) -> str:
        """Open a page of the shop in the browser."""
        nonlocal page
        page = _Page(_fetch(address + quote(path)))
        return f"{page.title}\nElements: {', '.join(page.elements)}"

    @tool(read_only=True, resources=lambda _: list(page.elements))
    def read_element(id: str) -> str:
        """Read the text of an element of the page that is open."""
        if id not in page.elements:
            raise ResourceNotFoundError(f"The page has no element with the id {id!r}.", resource=id)
        return page.elements[id]

    return [open_page, read_element]


def _services(address: str, token: str) -> list[Tool]:
    @tool(read_only=True, timeout=10, provider="search")
    def web_search(query: str) -> str:
        """Search the web; "quoted words" are searched as they stand."""
        return _fetch(f"{address}/search?q={quote(query)}")

    @tool(read_only=True, timeout=10, provider="encyclopedia")
    def encyclopedia(title: str) -> str:
        """Read an article of the encyclopedia."""
        return _fetch(f"{address}/encyclopedia/{quote(title)}")

    @tool(timeout=10, provider="push")
    def notify(text: str) -> str:
        """Send a push notification to the user's phone."""
        return _fetch(Request(f"{address}/push", text.encode(), {"Authorization": f"Bearer {token}"}))

    return [web_search, encyclopedia, notify]


def _files(folder: Path) -> list[Tool]:
    def names() -> list[str]:
        return sorted(path.name for path in folder.iterdir())

    @tool(read_only=True)
    def list_files() -> str:
        """List the files of the workspace with their sizes."""
        return ", ".join(f"{name} ({(folder / name).stat().st_size} bytes)" for name in names())

    @tool(destructive=True, resources=lambda _: names())
    def delete_file(name: str) -> str:
        """Delete a file of the workspace."""
        (folder / Path(name).name).unlink()
        return f"{name} is deleted."

    return [list_files, delete_file]


@tool(killable=True, timeout=10, idempotent=True)
def write_file(name: str, text: str, folder: Injected[Path]) -> str:
    """Write a file into the workspace."""
    import resource

    path = folder / Path(name).name
    used = sum(other.stat().st_size for other in folder.iterdir() if other != path)
    free = max(DISK_BYTES - used, 0)
    resource.setrlimit(resource.RLIMIT_FSIZE, (free, free))  # from here on, the kernel refuses to write more
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        path.unlink()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name) from error
    return f"{name} is written, {path.stat().st_size} bytes."


@tool(killable=True, timeout=PYTHON_SECONDS)
def python(code: str) -> str:
    """Run Python code; what it prints, and the value of a last expression, are returned."""
    tree, names, printed = ast.parse(code), {"__name__": "__repl__"}, io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<repl>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<repl>", "eval"), names)
            print("" if value is None else repr(value))
    return printed.getvalue().strip()


def make_tools(address: str, folder: Path, token: str) -> list[Tool]:
    """All tools of the assistant.

    Args:
        address: where the services are.
        folder: the workspace.
        token: what the push service wants to see.
    """
    return [*_browser(address), *_services(address, token), *_files(folder), write_file, python]
