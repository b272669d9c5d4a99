"""grpcio, failures without a status: misuse of its asyncio API."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules()


@rules("grpc._cython.cygrpc.UsageError", "grpc._cython.cygrpc.InternalError", "grpc._cython.cygrpc.AbortError")
def misused(failure: Failure) -> ToolError:
    """The asyncio API was misused, or failed internally."""
    return m.error_of(failure, m.FAILED, message="The gRPC library failed.")
