"""Builds the error for a service's response. The rules of all SDKs share it."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    argument_named_in,
    pointer_to,
    status_error,
    transport_error,
)
from mulligan.plugin import meanings as m
from mulligan_llm.codes import meaning_of
from mulligan_llm.error_body import error_in, problems, resource

_NAMES = {
    "anthropic": "Anthropic",
    "aws": "Amazon Bedrock",
    "azure": "Azure",
    "bedrock": "Amazon Bedrock",
    "cerebras": "Cerebras",
    "cohere": "Cohere",
    "deepseek": "DeepSeek",
    "fireworks": "Fireworks",
    "gemini": "Gemini",
    "google": "Google",
    "groq": "Groq",
    "huggingface": "Hugging Face",
    "litellm": "LiteLLM",
    "mistral": "Mistral",
    "ollama": "Ollama",
    "openai": "OpenAI",
    "openrouter": "OpenRouter",
    "perplexity": "Perplexity",
    "replicate": "Replicate",
    "sambanova": "SambaNova",
    "together": "Together AI",
    "vertex_ai": "Vertex AI",
    "xai": "xAI",
}
_NO_CREDIT = (
    "credit balance",
    "insufficient balance",
    "insufficient credit",
    "insufficient credits",
    "insufficient funds",
    "plans & billing",
    "reached your specified api usage limits",
)
_NOT_ALLOWED = (  # where the status only says that the request is wrong
    "user location is not supported",
    "organization has been disabled",
    "organization has been suspended",
    "account has been disabled",
    "account has been suspended",
)
_TOO_LONG = ("prompt is too long", "maximum context length", "maximum number of tokens", "context window")
_TOO_LARGE = m.TOO_LARGE._replace(message="The request alone exceeds the rate limit of the service. Request less")
_REQUESTED = re.compile(r"\blimit:? (\d{1,9})\b[^.\n]{0,60}?\brequested:? (\d{1,9})\b", re.IGNORECASE)
_VAGUE = (None, m.ARGUMENT, m.CONFLICT, m.PERMISSION)
_UNDECIDED = (None, 400, 403, 429)
_LIMITED = (400, 413, 429)
_REJECTED = (400, 422)
_CLIENT_CLOSED = 499
_REJECTED_PART = re.compile(r"(?:invalid|missing|unknown|unsupported)_\w")


def name_of(provider: str) -> str:
    """The name of a service in sentences.

    Args:
        provider: the service, as in `ToolError.provider`.
    """
    return _NAMES.get(provider, "the model service")


def decide(failure: Failure, provider: str, *codes: object, meaning: m.Meaning | None = None) -> ToolError:
    """The error for a response, by its codes, then by its message if only that is specific, then by its status.

    Args:
        failure: what happened.
        provider: the service.
        codes: the codes and types in the response, most specific first.
        meaning: the meaning, if the rule already knows it.
    """
    known, code = (meaning, None) if meaning is not None else _first(codes, failure.status)
    known = _by_words(failure, known) or known
    service = name_of(provider)
    if known is None:
        error = status_error(failure, service=service, provider=provider, resource=None)
    else:
        error = m.error_of(failure, known, service=service, told=code, provider=provider, resource=None)
    if isinstance(error, ResourceNotFoundError):
        error.resource = resource(failure) or failure.resource
        if error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        error.problems = problems(failure) or _problem_named_in(codes, failure)
    return error


def _by_words(failure: Failure, known: m.Meaning | None) -> m.Meaning | None:
    """The meaning of the message, if codes and status are ambiguous."""
    status = failure.status
    if status == _CLIENT_CLOSED:
        return m.CANCELLED
    if known in _VAGUE and status in _UNDECIDED and failure.says(*_NO_CREDIT):
        return m.QUOTA
    if known in _VAGUE and status in _REJECTED and failure.says(*_NOT_ALLOWED):
        return m.PERMISSION
    if known in (None, m.ARGUMENT) and status in _REJECTED and failure.says(*_TOO_LONG):
        return m.TOO_LARGE
    return _TOO_LARGE if known in (None, m.RATE_LIMIT) and status in _LIMITED and _is_too_large(failure) else None


def _problem_named_in(codes: tuple[object, ...], failure: Failure) -> list[Problem]:
    """The argument that a code such as `invalid_model` names."""
    for code in codes:
        if isinstance(code, str) and _REJECTED_PART.match(code):
            name = argument_named_in(code, failure.arguments)
            if name is not None:
                return [Problem(pointer_to(name), "rejected by the service")]
    return []


def _first(codes: tuple[object, ...], status: int | None) -> tuple[m.Meaning | None, object]:
    found = ((meaning_of(code, status), code) for code in codes)
    return next(((meaning, code) for meaning, code in found if meaning is not None), (None, None))


def _is_too_large(failure: Failure) -> bool:
    """Whether a single request exceeds the per-minute limit, so that waiting does not help."""
    if failure.says("request too large"):
        return True
    told = _REQUESTED.search(failure.told)
    return told is not None and int(told[2]) > int(told[1])


def codes_of(failure: Failure) -> tuple[object, ...]:
    """The codes and types in the body of the response, most specific first."""
    answer = error_in(failure)
    return answer.get("code"), answer.get("type"), answer.get("status")


def connection(failure: Failure, provider: str) -> ToolError:
    """The error for a failed connection, by the exception of the SDK's HTTP client.

    Args:
        failure: what happened; the reason is in its chain of causes.
        provider: the service.
    """
    service = name_of(provider)
    error = transport_error(failure, service=service, provider=provider)
    return error or m.error_of(failure, m.CONNECTION, service=service, provider=provider, http_status=None)


def failed(failure: Failure, provider: str, message: str) -> ToolError:
    """The error for a failure inside the SDK, such as a response that it cannot read.

    Args:
        failure: what happened.
        provider: the service.
        message: our message.
    """
    return m.error_of(failure, m.FAILED, message=message, provider=provider)


def no_credentials(failure: Failure, provider: str) -> ToolError:
    """The error for credentials that are missing before anything is sent.

    Args:
        failure: what happened.
        provider: the service.
    """
    message = f"No usable credentials for {name_of(provider)} are set."
    return m.error_of(failure, m.AUTHENTICATION, message=message, provider=provider, http_status=None)
