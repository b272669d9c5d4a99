"""cohere. Its status 498 means that the token is invalid."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_llm.answers import codes_of, decide

rules = Rules("cohere")
_INVALID_TOKEN = 498


@rules("cohere.ApiError")
def cohere(failure: Failure) -> ToolError:
    """An error response from Cohere."""
    return decide(
        failure, "cohere", *codes_of(failure), meaning=m.AUTHENTICATION if failure.status == _INVALID_TOKEN else None
    )
