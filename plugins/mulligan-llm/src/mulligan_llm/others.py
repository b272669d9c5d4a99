"""SDKs with a shape of their own: cohere, mistralai, google-genai, replicate, ollama."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mulligan.plugin import (
    Failure,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolQuotaError,
)
from mulligan_llm.classification import codes_of, connection, decide, rules
from mulligan_llm.error_body import error_in

_SDKS = {
    "cohere": "cohere",
    "mistralai": "mistral",
    "google.genai": "google",
    "huggingface_hub": "huggingface",
    "replicate": "replicate",
    "ollama": "ollama",
}
_INVALID_TOKEN, _CLOSED = 498, 499
_LONG = ("perday", "permonth", "per_day", "per_month", "free_tier_requests")


@rules("cohere.ApiError")
def cohere(failure: Failure) -> ToolError | None:
    """An answer of Cohere; 498 is an invalid token, 499 a request that the client closed."""
    if failure.status == _CLOSED:
        return ToolCancelledError(
            "The request to Cohere was closed by the client.", http_status=_CLOSED, provider="cohere"
        )
    cls = ToolAuthenticationError if failure.status == _INVALID_TOKEN else None
    return decide(failure, "cohere", *codes_of(failure), cls=cls)


@rules("mistralai.MistralError", "mistralai.SDKError", "mistralai.HTTPValidationError")
def mistral(failure: Failure) -> ToolError | None:
    """An answer of Mistral."""
    if failure.matches("mistralai.ResponseValidationError"):
        return ToolExecutionError("Mistral sent an unexpected response.", provider="mistral")
    return decide(failure, "mistral", *codes_of(failure))


@rules("mistralai.NoResponseError")
def mistral_silent(failure: Failure) -> ToolError | None:
    """Mistral closed the connection without an answer."""
    message = "The connection to Mistral ended without a response."
    return ToolConnectionError(message, fatal=False, transient=True, effect="possible", provider="mistral")


@rules("google.genai.errors.APIError")
def gemini(failure: Failure) -> ToolError | None:
    """An answer of the Gemini API or of Vertex AI, with the details of google.rpc."""
    details = [detail for detail in error_in(failure).get("details") or () if isinstance(detail, Mapping)]
    reasons = [detail.get("reason") for detail in details]
    return decide(failure, "google", *reasons, *codes_of(failure), cls=_quota_error_class(failure, details))


def _quota_error_class(failure: Failure, details: list[Mapping[str, Any]]) -> type[ToolError] | None:
    """A quota of a day or a month, unless the answer also says how long to wait."""
    quotas = [
        str(violation.get("quotaId") or violation.get("description") or "")
        for violation in _inside(details, "violations")
    ]
    long = any(word in quota.replace(" ", "").lower() for quota in quotas for word in _LONG)
    return ToolQuotaError if long and failure.retry_after is None else None


def _inside(details: list[Mapping[str, Any]], name: str) -> Iterator[Mapping[str, Any]]:
    for detail in details:
        yield from (found for found in detail.get(name) or () if isinstance(found, Mapping))


@rules("google.genai.errors.UnknownApiResponseError", "google.genai.errors.ContinuationInterruptedError")
def gemini_broken(failure: Failure) -> ToolError | None:
    """An answer of Gemini that cannot be read, or that ended midway."""
    return ToolExecutionError("Gemini's response is malformed or incomplete.", provider="google")


@rules("replicate.ReplicateError", "replicate.ModelError")
def replicate(failure: Failure) -> ToolError | None:
    """An answer of Replicate, or a model that failed while it ran."""
    if failure.matches("replicate.ModelError"):
        return ToolExecutionError("The model on Replicate failed while running.", provider="replicate")
    return decide(failure, "replicate")


@rules("ollama.ResponseError", "ollama.RequestError")
def ollama(failure: Failure) -> ToolError | None:
    """An answer of Ollama, or a request that it cannot make."""
    cls = ToolArgumentError if failure.matches("ollama.RequestError") else None
    return decide(failure, "ollama", cls=cls)


@rules("ConnectionError")
def ollama_unreachable(failure: Failure) -> ToolError | None:
    """Ollama does not run: its client says so with Python's own ConnectionError."""
    if failure.came_through("ollama") is None:
        return None
    return ToolConnectionError("Ollama cannot be reached: it may not be running.", effect="none", provider="ollama")


@rules(
    *("httpx.TransportError", "httpx2.TransportError", "httpx.InvalidURL", "httpx2.InvalidURL"),
    *("aiohttp.ClientError", "requests.RequestException"),
)
def let_through(failure: Failure) -> ToolError | None:
    """A connection error of the HTTP client that an SDK let through: its traceback tells which SDK."""
    package = failure.came_through(*_SDKS)
    return None if package is None else connection(failure, _SDKS[package])
