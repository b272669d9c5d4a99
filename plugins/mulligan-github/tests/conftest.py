"""Fixtures: a pipeline with this package alone, and servers."""

from collections.abc import Iterator
from socket import socket

import mulligan_github
import pytest
from github_server import Serve, Server

from mulligan import Pipeline


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_github], autoload=False, strict=True)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(status, body, headers)` gives the address of a server that answers every request so; `reset` drops them."""
    servers: list[Server] = []

    def start(
        status: int = 200, body: object = "", headers: dict[str, str] | None = None, *, reset: bool = False
    ) -> str:
        servers.append(Server(status, body, headers, reset=reset))
        return servers[-1].url

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def dead() -> str:
    """An address where nobody listens."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
