"""cohere: statuses of its own, 498 for an invalid token and 499 for a request that the client closed."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_llm.answers import codes_of, decide

rules = Rules("cohere")
_STATUSES = {498: m.AUTHENTICATION, 499: m.CANCELLED}


@rules("cohere.ApiError")
def cohere(failure: Failure) -> ToolError:
    """An answer of Cohere."""
    return decide(failure, "cohere", *codes_of(failure), meaning=_STATUSES.get(failure.status or 0))
