"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_grpc
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from mulligan.errors import ResourceNotFoundError, ToolRateLimitError
from mulligan.testing import ClassifierConformance


class TestGRPC(ClassifierConformance):
    plugin = mulligan_grpc
    samples = [
        (AioRpcError(StatusCode.NOT_FOUND, Metadata(), Metadata(), "It is not there."), ResourceNotFoundError),
        (AioRpcError(StatusCode.RESOURCE_EXHAUSTED, Metadata(), Metadata(), "Not so fast."), ToolRateLimitError),
    ]
