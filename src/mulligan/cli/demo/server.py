"""The service that the demo calls: an HTTP server on 127.0.0.1 that stops with the demo."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mulligan.errors import UsageError

TOKEN = "demo-4f9d2c7ab81e06f35d9911"  # noqa: S105
RATES = {"CHF": "0.94", "EUR": "1", "GBP": "0.85", "USD": "1.09"}
BUSY_CURRENCY = "USD"
RETRY_AFTER = 1


class _Server(ThreadingHTTPServer):
    """Answers requests, and is busy once."""

    daemon_threads = True
    was_busy = False


class _Handler(BaseHTTPRequestHandler):
    """Serves exchange rates, one of them only on the second request; rejects reports, since the token has expired."""

    def do_GET(self) -> None:
        code = self.path.rpartition("/")[2]
        if code not in RATES:
            self._answer(404, f"Unknown currency {code}. Known: {', '.join(RATES)}.")
        elif code == BUSY_CURRENCY and self._is_first_request():
            self._answer(429, "At most one request a second.", retry_after=RETRY_AFTER)
        else:
            self._answer(200, f"1 EUR = {RATES[code]} {code}")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(401, f"The token has expired: {self.headers.get('Authorization')}")

    def _is_first_request(self) -> bool:
        assert isinstance(self.server, _Server)
        first, self.server.was_busy = not self.server.was_busy, True
        return first

    def _answer(self, status: int, text: str, *, retry_after: int | None = None) -> None:
        body = text.encode()
        self.send_response(status)
        if retry_after is not None:
            self.send_header("Retry-After", str(retry_after))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, so that the screen shows only the demo."""


@contextmanager
def run_server() -> Iterator[int]:
    """Serve on a free port of 127.0.0.1, yield the port, and stop at the end.

    Raises:
        UsageError: no port is available.
    """
    try:
        server = _Server(("127.0.0.1", 0), _Handler)
    except OSError as error:
        raise UsageError(f"the demo cannot open a port on 127.0.0.1: {error.strerror}") from None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, name="demo-server")
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
