"""Small servers on loopback: one answers like Redis, one like MongoDB, one like any service over HTTP."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import bson

HELLO = {
    "ok": 1.0, "isWritablePrimary": True, "ismaster": True, "minWireVersion": 0, "maxWireVersion": 21, "connectionId": 1,
    "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
    "logicalSessionTimeoutMinutes": 30,
}  # fmt: skip
LEGACY_QUERY = 2004


class Server:
    """Listens, and serves each connection in a thread of its own until the test is over."""

    def __init__(self, answer):
        self.answer = answer
        self.stopping = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.connections = []

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.listener.close()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self.thread, args=(connection,), daemon=True).start()

    def thread(self, connection):
        with contextlib.suppress(OSError, ValueError, struct.error), connection, connection.makefile("rb") as stream:
            self.serve(connection, stream)

    def silent(self):
        """Waits until the test is over."""
        self.stopping.wait(30)


class RedisServer(Server):
    """Answers every command but the greetings with one line; None hangs up, "silence" says nothing.

    "hang up for good" hangs up, and nobody listens any more.
    """

    def serve(self, connection, stream):
        while (line := stream.readline()) and line[:1] == b"*":
            words = []
            for _ in range(int(line[1:])):
                words.append(stream.read(int(stream.readline()[1:])))
                stream.readline()
            if words[0].upper() in (b"HELLO", b"CLIENT", b"MULTI"):
                connection.sendall(b"-ERR unknown command\r\n" if words[0].upper() == b"HELLO" else b"+OK\r\n")
            elif self.answer is None:
                return
            elif self.answer == "hang up for good":
                self.listener.shutdown(socket.SHUT_RDWR)
                self.listener.close()
                return
            elif self.answer == "silence":
                self.silent()
            else:
                connection.sendall(f"{self.answer}\r\n".encode())


class MongoServer(Server):
    """Answers every command but the greetings with one document; None hangs up, "silence" says nothing."""

    def serve(self, connection, stream):
        while len(head := stream.read(16)) == 16:
            length, request, _, kind = struct.unpack("<iiii", head)
            body = stream.read(length - 16)
            start = body.index(b"\0", 4) + 9 if kind == LEGACY_QUERY else 5
            size = struct.unpack("<i", body[start : start + 4])[0]
            command = next(iter(bson.decode(body[start : start + size]))).lower()
            answer = (
                HELLO if command in ("hello", "ismaster") else {"ok": 1.0} if command == "endsessions" else self.answer
            )
            if answer is None:
                return
            if answer == "silence":
                self.silent()
                return
            document = bson.encode(answer)
            if kind == LEGACY_QUERY:
                payload, reply = struct.pack("<iqii", 8, 0, 0, 1) + document, 1
            else:
                payload, reply = struct.pack("<iB", 0, 0) + document, 2013
            connection.sendall(struct.pack("<iiii", 16 + len(payload), 1, request, reply) + payload)


class HTTPServer:
    """Answers every request with one status, body and headers; "hang up" and "silence" as the others do."""

    def __init__(self, status=200, body=None, headers=None, *, mode=None, replies=None):
        stopping = self.stopping = threading.Event()
        replies = replies or {}

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("content-length") or 0))
                if mode == "silence":
                    stopping.wait(30)
                if mode:
                    self.close_connection = True
                    return
                code, told = next((reply for path, reply in replies.items() if path in self.path), (status, body))
                data = told if isinstance(told, bytes) else json.dumps(told or {}).encode()
                self.send_response(code)
                for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.port = self.server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.server.shutdown()
        self.server.server_close()


def closed_port():
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
