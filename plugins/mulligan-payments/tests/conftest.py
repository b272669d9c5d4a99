"""Fixtures: a pipeline with this package alone, and servers."""

import warnings
from collections.abc import Callable, Iterator
from socket import socket

import mulligan_payments
import pytest
from payments_server import Serve, Server

from mulligan import Pipeline
from mulligan.errors import ToolError

Classify = Callable[..., ToolError]

with warnings.catch_warnings():  # braintree warns of its own enums when it is imported
    warnings.simplefilter("ignore", DeprecationWarning)
    import braintree  # noqa: F401


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_payments], autoload=False, strict=True)


@pytest.fixture
def classify(pipeline: Pipeline) -> Classify:
    """`classify(failure, **arguments)`: the error, which there must be."""

    def ask(failure: object, **arguments: object) -> ToolError:
        error = pipeline.classify(failure, tool="some_tool", arguments=arguments)
        assert error is not None
        return error

    return ask


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(status, body, headers)` gives the address of a server; see `Server`."""
    servers: list[Server] = []

    def start(
        status: int = 200,
        body: object = "",
        headers: dict[str, str] | None = None,
        bodies: dict[str, object] | None = None,
        *,
        how: str = "answer",
    ) -> str:
        servers.append(Server(status, body, headers or {}, bodies or {}, how=how))
        return servers[-1].url

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def dead() -> str:
    """An address at which nothing listens."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
