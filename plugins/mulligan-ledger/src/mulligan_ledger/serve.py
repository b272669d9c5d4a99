"""The report of a running program, on this machine only: `mulligan report runs.db --serve`."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mulligan_ledger.database import open_for_reading
from mulligan_ledger.html import render


class Server:
    """Serves the page at an address that cannot be guessed, so that no other page or user of this machine can read it.

    Args:
        file: the ledger.
        port: the port on 127.0.0.1; 0 for any free one.
    """

    def __init__(self, file: str, port: int = 0) -> None:
        self._file = file
        self._token = secrets.token_urlsafe(16)
        self._lock = threading.Lock()
        self._cached = ("", b"")
        handler = _handler(self._answer)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/{self._token}/"

    def run(self) -> None:
        """Serves until `close`, or until the program is interrupted."""
        self._server.serve_forever(0.1)

    def close(self) -> None:
        """Stops."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, path: str, host: str) -> tuple[int, str, bytes]:
        if host.partition(":")[0] not in ("127.0.0.1", "localhost"):
            return 403, "text/plain", b"This page is for this machine only."
        if path == f"/{self._token}/version":
            return 200, "text/plain", self._version().encode()
        if path != f"/{self._token}/":
            return 404, "text/plain", b"Use the address that mulligan report --serve printed."
        return 200, "text/html", self._page()

    def _version(self) -> str:
        connection = open_for_reading(self._file)
        try:
            counts = "SELECT (SELECT count(*) FROM calls), (SELECT max(id) FROM calls), (SELECT count(*) FROM requests)"
            return ".".join(map(str, connection.execute(counts).fetchone()))
        finally:
            connection.close()

    def _page(self) -> bytes:
        version = self._version()
        with self._lock:
            if self._cached[0] != version:
                connection = open_for_reading(self._file)
                try:
                    self._cached = (version, render(connection, self._file, live=version).encode())
                finally:
                    connection.close()
            return self._cached[1]


def _handler(answer: Callable[[str, str], tuple[int, str, bytes]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                status, kind, content = answer(self.path, self.headers.get("Host", ""))
            except Exception as error:
                status, kind, content = 500, "text/plain", f"cannot read the ledger: {error}".encode()
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Prints nothing: the terminal shows only the address."""

    return Handler


_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
