"""azure-cosmos, failures without a response: the timeout of a whole operation."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m

rules = Rules("azure")


@rules("azure.cosmos.exceptions.CosmosClientTimeoutError")
def operation_timeout(failure: Failure) -> ToolError:
    """The operation, with its retries, took longer than allowed."""
    return m.error_of(failure, m.TIMEOUT, service="Azure")
