"""Fixtures: a pipeline with this package alone, and a gRPC server on this machine."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from socket import socket
from typing import Any

import grpc
import mulligan_grpc
import pytest

from mulligan import Pipeline

Serve = Callable[[Callable[[bytes, Any], bytes]], str]


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline(plugins=[mulligan_grpc], autoload=False, strict=True)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(behaviour)` gives the address of a server whose every method behaves so."""
    servers: list[grpc.Server] = []

    def start(behaviour: Callable[[bytes, Any], bytes]) -> str:
        class Handler(grpc.GenericRpcHandler):
            def service(self, _details: object) -> Any:
                return grpc.unary_unary_rpc_method_handler(behaviour)

        server = grpc.server(ThreadPoolExecutor(2))
        server.add_generic_rpc_handlers((Handler(),))
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return f"127.0.0.1:{port}"

    yield start
    for server in servers:
        server.stop(0).wait()


@pytest.fixture
def dead() -> str:
    """An address where nobody listens."""
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
