"""A server on this machine that answers as GitHub does, so that the real clients raise their real exceptions."""

import json
import struct
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET

Serve = Callable[..., str]
DOCS = "https://docs.github.com/rest"


def github_body(status: int, message: str, **more: object) -> dict[str, object]:
    return {"message": message, "documentation_url": DOCS, "status": str(status), **more}


def github_headers(**more: str) -> dict[str, str]:
    headers = {
        "X-GitHub-Request-Id": "C0DE:1:2",
        "X-RateLimit-Limit": "5000",
        "X-RateLimit-Remaining": "4987",
        "X-RateLimit-Reset": str(int(time.time()) + 1_800),
    }
    return headers | {name.replace("_", "-"): value for name, value in more.items()}


class Server:
    """Answers every request in the same way, or drops it."""

    def __init__(self, status: int, body: object, headers: dict[str, str] | None, *, reset: bool = False) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        kind = "text/html" if isinstance(body, str) else "application/json; charset=utf-8"

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if reset:
                    self.close_connection = True
                    self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    return
                self.send_response(status)
                for name, value in {"Content-Type": kind, **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
