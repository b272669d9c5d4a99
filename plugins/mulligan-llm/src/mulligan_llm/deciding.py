"""The step from what a service says to an error, which all of its SDKs share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import (
    Failure,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
    status_error,
)

from mulligan_llm.codes import meaning
from mulligan_llm.reading import problems, resource, told, wait

rules = Rules()

_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "The model service does not accept the API key",
    ToolPermissionError: "The account may not use this model or feature",
    ToolRateLimitError: "The model service limits how often it may be called",
    ToolQuotaError: "The credit or quota at the model service is used up",
    ToolTimeoutError: "The model service did not answer in time",
    ToolUnavailableError: "The model service is overloaded or down for now",
    ToolArgumentError: "The model service refuses the request as invalid",
}
_NO_CREDIT = ("credit balance", "insufficient balance", "insufficient credit", "insufficient credits", "insufficient funds", "plans & billing")
_UNDECIDED = (None, 400, 403, 429)


def decide(failure: Failure, provider: str, *codes: object, cls: type[ToolError] | None = None) -> ToolError:
    """The error for an answer: by its codes, else by its words where those alone tell, else by its status.

    Args:
        failure: what happened.
        provider: the service.
        codes: the codes and types of the answer, the most telling first.
        cls: the class of error, where the rule knows it already.
    """
    status = failure.status
    known = cls or next((found for code in codes if (found := meaning(code, status)) is not None), None)
    if known in (None, ToolArgumentError, ToolPermissionError) and status in _UNDECIDED and failure.says(*_NO_CREDIT):
        known = ToolQuotaError
    error = status_error(failure, provider=provider, retry_after=wait(failure))
    if known is not None and known is not type(error):
        error = _of(known, failure, error)
    if isinstance(error, ResourceNotFoundError):
        name = resource(failure)
        error = ResourceNotFoundError(f"Resource not found: {name}" if name else "The model service does not have this.", **_facts(error))
        error.resource = name
    elif isinstance(error, ToolArgumentError):
        error.problems = problems(failure)
    return error


def _of(cls: type[ToolError], failure: Failure, error: ToolError) -> ToolError:
    answered = f" (HTTP {failure.status})" if failure.status else ""
    return cls(f"{_MESSAGES.get(cls, 'The model service could not do this')}{answered}.", **_facts(error))


def _facts(error: ToolError) -> dict[str, Any]:
    return {"http_status": error.http_status, "provider": error.provider, "retry_after": error.retry_after}


def codes_of(failure: Failure) -> tuple[object, ...]:
    """The codes and types in the answer's body, the most telling first.

    Args:
        failure: what happened.
    """
    answer = told(failure)
    return answer.get("code"), answer.get("type"), answer.get("status")
