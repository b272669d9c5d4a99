"""Fixtures: a pipeline with this package alone, and a server on this machine that answers as it is told."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket

import mulligan_google
import pytest

from mulligan import Pipeline

Serve = Callable[..., str]


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_google], autoload=False, strict=True)


class Server(ThreadingHTTPServer):
    """Answers every request in the same way, late, or not at all."""

    daemon_threads = True

    def __init__(self, status: int, body: object, headers: dict[str, str] | None, delay: float, drop: bool) -> None:
        text = (body if isinstance(body, str) else json.dumps(body)).encode()
        kind = "application/json" if not isinstance(body, str) or body[:1] in ("{", "[") else "application/xml"
        ended = self.ended = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                ended.wait(delay)
                self.close_connection = True
                if drop:
                    self.connection.shutdown(SHUT_RDWR)
                    return
                self.send_response(status)
                for name, value in {"Content-Type": kind, **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_: object) -> None:
        pass

    def close(self) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(status, body, headers)` gives an address; `delay` makes the server late, `drop` makes it hang up."""
    servers: list[Server] = []

    def start(
        status: int = 200,
        body: object = "",
        headers: dict[str, str] | None = None,
        *,
        delay: float = 0,
        drop: bool = False,
    ) -> str:
        servers.append(Server(status, body, headers, delay, drop))
        return f"http://127.0.0.1:{servers[-1].server_address[1]}"

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def dead() -> str:
    """An address where nobody listens."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
