"""The step from what a service says to an error, which all of its SDKs share."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import (
    Failure,
    ResourceConflictError,
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
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_llm.codes import meaning
from mulligan_llm.error_body import error_in, problems, resource

rules = Rules()
last = Rules(last=True)
_SERVICE = "the model service"

_MESSAGES: Mapping[type[ToolError], str] = {
    ToolAuthenticationError: "The model service rejected the API key",
    ToolPermissionError: "The account has no access to this model or feature",
    ToolRateLimitError: "The rate limit of the model service is reached",
    ToolQuotaError: "The credit or quota at the model service is exhausted",
    ToolTimeoutError: "The model service did not respond in time",
    ToolUnavailableError: "The model service is temporarily overloaded or down",
    ToolArgumentError: "The model service rejected the request as invalid",
    ResourceNotFoundError: "The model service found no such resource",
    ResourceConflictError: "The current state at the model service does not allow this",
}
_NO_CREDIT = (
    "credit balance",
    "insufficient balance",
    "insufficient credit",
    "insufficient credits",
    "insufficient funds",
    "plans & billing",
)
_WAITING = (ToolRateLimitError, ToolUnavailableError, ToolQuotaError)
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
    if known is None:
        plain = status_error(failure, resource=None)
        known, code, effect = type(plain), plain.code, plain.effect
    else:
        code, effect = None, known.effect
    name = resource(failure) if known is ResourceNotFoundError else None
    return known(
        f"Resource not found: {name}" if name else _words(known, status),
        code=code,
        effect=effect,
        http_status=status,
        provider=provider,
        resource=name,
        retry_after=failure.retry_after if known in _WAITING else None,
        problems=problems(failure) if known is ToolArgumentError else (),
    )


def _words(cls: type[ToolError], status: int | None) -> str:
    answered = f" (HTTP {status})" if status else ""
    return f"{_MESSAGES.get(cls, 'The model service failed')}{answered}."


def codes_of(failure: Failure) -> tuple[object, ...]:
    """The codes and types in the answer's body, the most telling first.

    Args:
        failure: what happened.
    """
    answer = error_in(failure)
    return answer.get("code"), answer.get("type"), answer.get("status")


def connection(failure: Failure, provider: str) -> ToolError:
    """What a failed connection means, by what the SDK's HTTP client met.

    Args:
        failure: what happened; the reason is in its chain of causes.
        provider: the service.
    """
    error = transport_error(failure, service=_SERVICE, provider=provider)
    return error or m.error_of(failure, m.CONNECTION, service=_SERVICE, provider=provider, http_status=None)


def timeout(failure: Failure, provider: str) -> ToolError:
    """The service did not answer in time.

    Args:
        failure: what happened.
        provider: the service.
    """
    return m.error_of(failure, m.TIMEOUT, service=_SERVICE, provider=provider, http_status=None)
