"""mistralai."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_llm.answers import codes_of, decide, failed

rules = Rules("mistral")


@rules("mistralai.MistralError", "mistralai.SDKError", "mistralai.HTTPValidationError")
def mistral(failure: Failure) -> ToolError:
    """An error response from Mistral."""
    if failure.matches("mistralai.ResponseValidationError"):
        return failed(failure, "mistral", "Mistral sent an unexpected response.")
    return decide(failure, "mistral", *codes_of(failure))


@rules("mistralai.NoResponseError")
def mistral_silent(failure: Failure) -> ToolError:
    """Mistral closed the connection without a response."""
    return m.error_of(failure, m.DROPPED, service="Mistral")
