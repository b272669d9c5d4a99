"""Fixtures: a pipeline with this package alone, and servers."""

from collections.abc import Callable, Iterator
from socket import socket

import mulligan_search
import pytest
from search_server import Serve, Server

from mulligan import Pipeline
from mulligan.errors import ToolError

Classify = Callable[..., ToolError]


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_search], autoload=False, strict=True)


@pytest.fixture
def classify(pipeline: Pipeline) -> Classify:
    """`classify(failure, **arguments)`: the error, which there must be."""

    def ask(failure: object, **arguments: object) -> ToolError:
        error = pipeline.classify(failure, tool="web_search", arguments=arguments)
        assert error is not None
        return error

    return ask


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(*bodies, status=200)` gives the address of a server; see `Server`."""
    servers: list[Server] = []

    def start(*bodies: object, status: int = 200, headers: dict[str, str] | None = None, how: str = "answer") -> str:
        servers.append(Server(status, bodies or ("",), headers or {}, how=how))
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
