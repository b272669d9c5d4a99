"""Fixtures: a pipeline with this package alone, and servers."""

import pathlib
import socket
import ssl
from collections.abc import Iterator

import mulligan_http
import pytest
from http_server import Serve, Server, dead_port, self_signed

from mulligan import Pipeline


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_http], autoload=False, strict=True)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(reply)` gives the address of a server that sends these bytes; see `Server`."""
    servers: list[Server] = []

    def start(reply: bytes | None = b"", *, silent: bool = False, tls: ssl.SSLContext | None = None) -> str:
        servers.append(Server(reply, silent=silent, tls=tls))
        return servers[-1].url

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def dead() -> str:
    """An address where nobody listens."""
    return f"http://127.0.0.1:{dead_port()}/"


@pytest.fixture(scope="session")
def untrusted(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """A server's TLS context with a certificate that nobody trusts."""
    directory: pathlib.Path = tmp_path_factory.mktemp("tls")
    return self_signed(directory)


@pytest.fixture
def full() -> Iterator[str]:
    """An address whose queue of new connections is full, so that connecting takes for ever."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        for one in waiting:
            one.close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
