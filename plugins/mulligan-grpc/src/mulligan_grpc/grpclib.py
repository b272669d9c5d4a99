"""grpclib, failures without a status: a connection that was lost."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules()


@rules("grpclib.exceptions.StreamTerminatedError")
def terminated(failure: Failure) -> ToolError:
    """The connection ended during the call."""
    return m.error_of(failure, m.DROPPED)
