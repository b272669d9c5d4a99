"""The world of the assistant: a web site, a search service, an encyclopedia and a push service, on 127.0.0.1."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

PAGES = {
    "/shop": """<html><head><title>Bulbs by post</title></head><body>
        <h1 id="heading">Bulbs by post</h1>
        <p id="total-price">Fifty tulip bulbs: EUR 24.50, postage included</p>
        <p id="delivery-time">Delivered within 5 days</p></body></html>""",
}
HANGING = "/shop/archive"
ARTICLES = {
    "Tulip mania": "A period in the 1630s when prices of tulip bulbs rose high in the Dutch Republic, and then fell.",
    "Bulb": "A short underground stem with fleshy leaves, in which a plant stores food.",
}
FREE_SEARCHES = 2
PAUSE_SECONDS = 2.0


class World(ThreadingHTTPServer):
    """Serves everything, and remembers how often it was searched."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ending = threading.Event()
        self._lock = threading.Lock()
        self._is_warm = False
        self._searches = 0
        self._closed_until = 0.0

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.server_port}"

    def admit(self) -> tuple[int, str, float | None]:
        """Whether a search is let in: status, text and seconds to wait.

        The first of all finds the service starting up; after every two that are answered comes a pause.
        """
        with self._lock:
            now = time.monotonic()
            if not self._is_warm:
                self._is_warm = True
                return 503, "The index is being loaded.", None
            if self._searches == FREE_SEARCHES:
                self._searches, self._closed_until = 0, now + PAUSE_SECONDS
            if now < self._closed_until:
                return 429, f"{FREE_SEARCHES} searches are free, then comes a pause.", self._closed_until - now
            self._searches += 1
            return 200, "", None


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: World

    def do_GET(self) -> None:
        """A page, a search or an article."""
        address = urlsplit(self.path)
        if address.path == "/search":
            self._search(parse_qs(address.query).get("q", [""])[0])
        elif address.path.startswith("/encyclopedia/"):
            title = unquote(address.path.rpartition("/")[2])
            found = ARTICLES.get(title)
            self._answer(200 if found else 404, found or f"There is no article with the title '{title}'.")
        elif address.path == HANGING:
            self.server.ending.wait()  # it accepts the request, and never answers
        else:
            page = PAGES.get(address.path)
            self._answer(200 if page else 404, page or "There is no such page.")

    def do_POST(self) -> None:
        """A push message, for those who know a token that has not expired; nobody does."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(401, "The token has expired.")

    def _search(self, query: str) -> None:
        if query.count('"') % 2:
            self._answer(400, f"Bad query: the quotation mark at position {query.rindex(chr(34)) + 1} is never closed.")
            return
        status, text, wait = self.server.admit()
        words = query.replace('"', "").lower().split()
        found = [title for title, article in ARTICLES.items() if any(word in article.lower() for word in words)]
        self._answer(status, text or f"Found: {', '.join(found) or 'nothing'}.", wait)

    def _answer(self, status: int, text: str, wait: float | None = None) -> None:
        body = text.encode()
        self.send_response(status)
        if wait is not None:
            self.send_header("Retry-After", str(math.ceil(wait)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def serving() -> Iterator[World]:
    """Serves on a free port until the end, whatever happens."""
    world = World()
    thread = threading.Thread(target=world.serve_forever, kwargs={"poll_interval": 0.05}, name="world")
    thread.start()
    try:
        yield world
    finally:
        world.ending.set()
        world.shutdown()
        thread.join()
        world.server_close()
