"""SDKs that Stainless makes from an API's description: openai, anthropic, groq, together and others share one shape.

litellm raises subclasses of openai's exceptions for every service that it knows.
"""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolQuotaError,
    ToolRateLimitError,
)
from mulligan_llm.classification import codes_of, connection, decide, last, rules, timeout

_PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "groq": "groq",
    "together": "together",
    "cerebras": "cerebras",
    "perplexity": "perplexity",
    "sambanova": "sambanova",
    "fireworks": "fireworks",
}
_PACKAGES = (*(name for name in _PROVIDERS if name != "cerebras"), "cerebras.cloud.sdk")
_ROOTS = {"openai": "OpenAIError", "anthropic": "AnthropicError", "groq": "GroqError", "together": "TogetherError"}
_NAME = re.compile(r"[\w./-]{1,30}")
_NO_KEY = ("api_key", "api key", "credentials", "authentication method", "auth_token")


def _named(cls: str) -> tuple[str, ...]:
    return tuple(f"{package}.{cls}" for package in _PACKAGES)


def _routed_provider(failure: Failure) -> str | None:
    """The service that litellm says it asked, where that is a name."""
    told = failure.look("llm_provider")
    return told if isinstance(told, str) and _NAME.fullmatch(told) else None


def _provider(failure: Failure) -> str:
    told = _routed_provider(failure)
    if told is not None:
        return told
    packages = (cls.__module__.partition(".")[0] for cls in type(failure.exception).__mro__)
    return next((_PROVIDERS[package] for package in packages if package in _PROVIDERS), "openai")


@rules(
    "litellm.BudgetExceededError",
    "litellm.RouterRateLimitError",
    "litellm.RouterRateLimitErrorBasic",
    "litellm.ContextWindowExceededError",
    "litellm.ContentPolicyViolationError",
    "litellm.PaymentRequiredError",
    "litellm.LiteLLMUnknownProvider",
    "litellm.UnsupportedParamsError",
)
def litellm(failure: Failure) -> ToolError | None:
    """What litellm itself found: a budget that is spent, deployments that rest, a request that no service will take."""
    if failure.matches("litellm.BudgetExceededError"):
        return ToolQuotaError(
            "The litellm budget is exhausted.",
            provider=_routed_provider(failure) or "litellm",
            effect="none",
        )
    if failure.matches("litellm.RouterRateLimitError", "litellm.RouterRateLimitErrorBasic"):
        rest = failure.look("cooldown_time")
        seconds = rest if isinstance(rest, (int, float)) and not isinstance(rest, bool) else None
        return ToolRateLimitError(
            "All deployments of the model are paused after failures.",
            retry_after=seconds,
            provider="litellm",
            effect="none",
        )
    spent = failure.matches("litellm.PaymentRequiredError")
    return decide(failure, _provider(failure), cls=ToolQuotaError if spent else ToolArgumentError)


@rules(*_named("APITimeoutError"))
def timed_out(failure: Failure) -> ToolError | None:
    """The SDK gave up waiting; its class is one of connection errors."""
    cause = connection(failure, _provider(failure)) if len(failure.exceptions) > 1 else None
    return (
        cause
        if cause is not None and cause.effect == "none" and cause.transient
        else timeout(failure, _provider(failure))
    )


@rules(*_named("APIConnectionError"))
def disconnected(failure: Failure) -> ToolError | None:
    """The service cannot be reached, or hung up: the cause tells which."""
    return connection(failure, _provider(failure))


@rules(*_named("APIResponseValidationError"))
def unreadable(failure: Failure) -> ToolError | None:
    """An answer that does not have the form which the SDK expects."""
    return ToolExecutionError("The model service sent an unexpected response.", provider=_provider(failure))


@rules(*_named("APIError"))
def answered(failure: Failure) -> ToolError | None:
    """An answer that is an error, also one inside a stream, which has no HTTP status of its own."""
    body_codes = codes_of(failure)
    return decide(
        failure, _provider(failure), failure.look("error_code"), failure.look("code"), failure.look("type"), *body_codes
    )


@rules("openai.WebSocketConnectionClosedError")
def websocket(failure: Failure) -> ToolError | None:
    """A realtime connection that was closed."""
    return ToolConnectionError("The realtime connection was closed.", fatal=False, transient=True, provider="openai")


@rules(
    "openai.SubjectTokenProviderError",
    "openai.MutuallyExclusiveAuthError",
    "openai.InvalidWebhookSignatureError",
    "anthropic.CredentialsError",
    "anthropic.WorkloadIdentityError",
    "anthropic.MutuallyExclusiveAuthError",
)
def credentials(failure: Failure) -> ToolError | None:
    """Credentials that are missing, contradict each other or could not be fetched; a signature that does not hold."""
    return ToolAuthenticationError(
        "No usable credentials were found for the model service.", provider=_provider(failure), effect="none"
    )


@rules(*(f"{package}.{root}" for package, root in _ROOTS.items()))
def key(failure: Failure) -> ToolError | None:
    """No API key was given."""
    if len(failure.exceptions) > 1 or not failure.says(*_NO_KEY):
        return None
    message = "No API key for the model service is set."
    return ToolAuthenticationError(message, provider=_provider(failure), effect="none")


@last(*(f"{package}.{root}" for package, root in _ROOTS.items()))
def other(failure: Failure) -> ToolError | None:
    """Anything else of the SDK itself, such as an answer that ended before it was whole."""
    return ToolExecutionError("The SDK of the model service failed.", provider=_provider(failure))


@rules("TypeError", "ValueError")
def no_key(failure: Failure) -> ToolError | None:
    """No API key was given: anthropic and google-genai say so with a plain exception."""
    if not failure.says(*_NO_KEY):
        return None
    package = failure.came_through("anthropic", "google.genai")
    if package is None:
        return None
    provider = "google" if package == "google.genai" else package
    return ToolAuthenticationError("No API key for the model service is set.", provider=provider, effect="none")
