"""The step from what a service says to an error, which the rules of all SDKs share."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
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
    "xai": "xAI",
}
_NO_CREDIT = (
    "credit balance",
    "insufficient balance",
    "insufficient credit",
    "insufficient credits",
    "insufficient funds",
    "plans & billing",
)
_TOO_LARGE = m.TOO_LARGE._replace(message="The request alone exceeds the rate limit of the service. Request less")
_REQUESTED = re.compile(r"\blimit:? (\d{1,9})\b[^.\n]{0,60}?\brequested:? (\d{1,9})\b", re.IGNORECASE)
_OVERRULED_BY_CREDIT = (None, m.ARGUMENT, m.PERMISSION)
_UNDECIDED = (None, 400, 403, 429)
_LIMITED = (400, 413, 429)


def name_of(provider: str) -> str:
    """The name of a service in sentences.

    Args:
        provider: the service, as in `ToolError.provider`.
    """
    return _NAMES.get(provider, "the model service")


def decide(failure: Failure, provider: str, *codes: object, meaning: m.Meaning | None = None) -> ToolError:
    """The error for an answer: by its codes, else by its words where those alone tell, else by its status.

    Args:
        failure: what happened.
        provider: the service.
        codes: the codes and types of the answer, the most telling first.
        meaning: the meaning, where the rule knows it already.
    """
    known, code = (meaning, None) if meaning is not None else _first(codes, failure.status)
    if known in _OVERRULED_BY_CREDIT and failure.status in _UNDECIDED and failure.says(*_NO_CREDIT):
        known = m.QUOTA
    elif known in (None, m.RATE_LIMIT) and failure.status in _LIMITED and _is_too_large(failure):
        known = _TOO_LARGE
    service = name_of(provider)
    if known is None:
        error = status_error(failure, service=service, provider=provider, resource=None)
    else:
        error = m.error_of(failure, known, service=service, told=code, provider=provider, resource=None)
    if isinstance(error, ResourceNotFoundError):
        error.resource = resource(failure)
        if error.resource:
            error.message = f"Resource not found: {error.resource}"
    elif isinstance(error, ToolArgumentError):
        error.problems = problems(failure)
    return error


def _first(codes: tuple[object, ...], status: int | None) -> tuple[m.Meaning | None, object]:
    found = ((meaning_of(code, status), code) for code in codes)
    return next(((meaning, code) for meaning, code in found if meaning is not None), (None, None))


def _is_too_large(failure: Failure) -> bool:
    """Whether one request asks for more than the limit of a minute, so that waiting does not help."""
    if failure.says("request too large"):
        return True
    told = _REQUESTED.search(failure.told)
    return told is not None and int(told[2]) > int(told[1])


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
    service = name_of(provider)
    error = transport_error(failure, service=service, provider=provider)
    return error or m.error_of(failure, m.CONNECTION, service=service, provider=provider, http_status=None)


def failed(failure: Failure, provider: str, message: str) -> ToolError:
    """The error for something that only the SDK knows, such as an answer that it cannot read.

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
