"""grpcio, where there is no status: futures, and its asyncio API used in a way that it does not allow."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules()


@rules("grpc.FutureTimeoutError")
def not_ready(failure: Failure) -> ToolError:
    """Waiting for a channel or a future took too long."""
    return m.error_of(failure, m.TIMEOUT, message="The service was not ready or did not respond in time.")


@rules("grpc.FutureCancelledError")
def cancelled(failure: Failure) -> ToolError:
    """The call was cancelled before it ended."""
    return m.error_of(failure, m.CANCELLED)


@rules("grpc._cython.cygrpc.UsageError", "grpc._cython.cygrpc.InternalError", "grpc._cython.cygrpc.AbortError")
def misused(failure: Failure) -> ToolError:
    """The asyncio API was used in a way that it does not allow, or failed by itself."""
    return m.error_of(failure, m.FAILED, message="The gRPC library failed.")
