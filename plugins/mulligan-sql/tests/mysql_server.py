"""A server that speaks enough of MySQL's protocol to let a client in and to answer its statements with one error.

https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading

QUERY = 0x03
OK = b"\x00\x00\x00\x02\x00\x00\x00"
GREETING = (
    b"\x0a8.4.0\0" + struct.pack("<I", 7) + b"saltsalt\0" + b"\xff\xf7" + b"\x2d" + b"\x02\x00" + b"\xff\xc1"
    + b"\x15" + bytes(10) + b"saltsaltsalt\0" + b"mysql_native_password\0"
)  # fmt: skip


class MySQLServer:
    """Answers the log-in, or every statement that is not a setting, with one error; or with silence, or hangs up."""

    def __init__(self, answer, *, at="statement"):
        self.answer = answer
        self.at = at
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.stopping = threading.Event()
        self.connections = []

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.listener.close()
        for connection in self.connections:
            connection.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError, ValueError), connection, connection.makefile("rb") as stream:
            self._send(connection, 0, GREETING)
            self._receive(stream)
            if self.at == "login":
                self._fail(connection, 2)
                return
            self._send(connection, 2, OK)
            while (payload := self._receive(stream)) is not None:
                if payload[0] == QUERY and not payload[1:].upper().startswith((b"SET ", b"ROLLBACK")):
                    if not self._fail(connection, 1):
                        return
                else:
                    self._send(connection, 1, OK)

    def _fail(self, connection, number):
        if self.answer == "hang up":
            return False
        if self.answer == "silence":
            self.stopping.wait(30)
            return False
        code, state, text = self.answer
        self._send(connection, number, b"\xff" + struct.pack("<H", code) + b"#" + state.encode() + text.encode())
        return True

    def _send(self, connection, number, payload):
        connection.sendall(struct.pack("<I", len(payload))[:3] + bytes([number]) + payload)

    def _receive(self, stream):
        head = stream.read(4)
        return stream.read(int.from_bytes(head[:3], "little")) if len(head) == 4 else None
