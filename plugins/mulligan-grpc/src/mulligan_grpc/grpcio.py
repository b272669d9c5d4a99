"""grpcio, where there is no status: its asyncio API used in a way that it does not allow."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules()


@rules("grpc._cython.cygrpc.UsageError", "grpc._cython.cygrpc.InternalError", "grpc._cython.cygrpc.AbortError")
def misused(failure: Failure) -> ToolError:
    """The asyncio API was used in a way that it does not allow, or failed by itself."""
    return m.error_of(failure, m.FAILED, message="The gRPC library failed.")
