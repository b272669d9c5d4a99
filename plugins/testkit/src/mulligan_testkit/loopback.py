"""A server on this machine with a fixed answer, and the fixtures `serve` and `dead`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket

import pytest

Serve = Callable[..., str]


class Server(ThreadingHTTPServer):
    """Answers every request in the same way, late, or not at all. Stops with its process.

    Args:
        status: the HTTP status.
        body: a text, or a value that is sent as JSON.
        headers: additional headers; they override the default ones.
        delay: seconds before the answer.
        drop: whether it closes the connection instead of answering.
    """

    daemon_threads = True

    def __init__(
        self,
        status: int = 200,
        body: object = "",
        headers: Mapping[str, str] | None = None,
        *,
        delay: float = 0,
        drop: bool = False,
    ) -> None:
        self.ended = threading.Event()
        self.answer = status, body, dict(headers or {})
        self.delay, self.drop = delay, drop
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """Prints nothing: clients that close the connection are part of the tests."""

    def close(self) -> None:
        """Ends delayed answers, and stops."""
        self.ended.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def answer(self) -> None:
        status, body, headers = self.server.answer
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.ended.wait(self.server.delay)
        self.close_connection = True
        if self.server.drop:
            self.connection.shutdown(SHUT_RDWR)
            return
        text, kind = _encode_body(body)
        self.send_response(status)
        self.send_header(
            "Connection", "close"
        )  # otherwise a client that tries again may use this connection while it closes
        for name, value in {"Content-Type": kind, **headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815, http.server asks for these names

    def log_message(self, *_: object) -> None:
        pass


def _encode_body(body: object) -> tuple[bytes, str]:
    text = body if isinstance(body, str) else json.dumps(body)
    is_json = not isinstance(body, str) or text[:1] in ("{", "[")
    return text.encode(), "application/json" if is_json else "application/xml"


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(status, body, headers)` starts a server and returns its address; see `Server`."""
    servers: list[Server] = []

    def start(*answer: object, **options: object) -> str:
        servers.append(Server(*answer, **options))  # type: ignore[arg-type]
        return servers[-1].url

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def dead() -> str:
    """An address where nothing listens."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
