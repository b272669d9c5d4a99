"""Servers on this machine that end requests in every way: they answer with given bytes, drop, reset, stay silent."""

import datetime
import ipaddress
import pathlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

Serve = Callable[..., str]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"


def answer(status: str = "200 OK", body: bytes = b"", **headers: str) -> bytes:
    """An answer as it goes over the wire."""
    lines = {"Content-Length": str(len(body)), "Connection": "close"}
    lines |= {name.replace("_", "-"): text for name, text in headers.items()}
    head = "".join(f"{name}: {text}\r\n" for name, text in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


class Server:
    """Reads the head of each request and sends the same bytes back; None resets the connection, `silent` sends nothing."""

    def __init__(self, reply: bytes | None, *, silent: bool = False, tls: ssl.SSLContext | None = None) -> None:
        self._reply, self._silent, self._tls = reply, silent, tls
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.port = self._listening.getsockname()[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            received = b""
            while b"\r\n\r\n" not in received and not received.startswith(b"\x16"):  # 22: the client speaks TLS
                part = connection.recv(65_536)
                if not part:
                    raise ConnectionError
                received += part
            if self._silent:
                self._open.append(connection)
                return
            if self._reply is None:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                connection.sendall(self._reply)
        except OSError:
            pass  # the client has gone, as some tests want
        connection.close()

    def close(self) -> None:
        self._listening.close()
        for connection in self._open:
            connection.close()


def self_signed(directory: pathlib.Path) -> ssl.SSLContext:
    """A server's TLS context with a certificate that nobody trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ) + certificate.public_bytes(serialization.Encoding.PEM)
    path = directory / "server.pem"
    path.write_bytes(pem)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def dead_port() -> int:
    """A port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
