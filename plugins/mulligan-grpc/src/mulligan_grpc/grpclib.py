"""grpclib, where there is no status: the connection, or the protocol."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules()


@rules("grpclib.exceptions.StreamTerminatedError")
def terminated(failure: Failure) -> ToolError:
    """The connection ended while the call was on."""
    return m.error_of(failure, m.DROPPED)


@rules("grpclib.exceptions.ProtocolError")
def protocol(failure: Failure) -> ToolError:
    """The tool uses a stream in the wrong order: a mistake in its code."""
    return m.error_of(failure, m.FAILED, message="The gRPC library failed.")
