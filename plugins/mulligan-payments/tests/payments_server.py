"""A server on this machine that answers as the payment services do, so that the real clients raise their real exceptions."""

import json
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SO_LINGER, SOL_SOCKET

Serve = Callable[..., str]


class Server:
    """Answers every request in the same way, or as `bodies` says by path; `hang` never answers, `reset` drops."""

    def __init__(
        self, status: int, body: object, headers: dict[str, str], bodies: dict[str, object], *, how: str = "answer"
    ) -> None:
        kind = "text/html" if isinstance(body, str) else "application/json"
        closing = self._closing = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                known = self.path in bodies
                if how == "hang" and not known:
                    closing.wait(10)
                if how != "answer" and not known:
                    self.close_connection = True
                    self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()
                    return
                said = bodies[self.path] if known else body
                text = said if isinstance(said, str) else json.dumps(said)
                self.send_response(200 if known else status)
                for name, value in {"Content-Type": "application/json" if known else kind, **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text.encode())))
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
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()


def raised(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")
