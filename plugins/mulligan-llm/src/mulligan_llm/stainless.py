"""SDKs that Stainless makes from an API's description: openai, anthropic, groq, together and others share one shape."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Problem, Rules, ToolConnectionError, ToolError, ToolTimeoutError, pointer_to
from mulligan.plugin import meanings as m
from mulligan_llm.answers import codes_of, connection, decide, failed, name_of, no_credentials
from mulligan_llm.codes import REFUSED

rules = Rules()
last = Rules(last=True)
_PACKAGES = {
    "openai": "openai",
    "anthropic": "anthropic",
    "groq": "groq",
    "together": "together",
    "cerebras.cloud.sdk": "cerebras",
    "perplexity": "perplexity",
    "sambanova": "sambanova",
    "fireworks": "fireworks",
}
_ROOTS = {
    "openai.OpenAIError": "openai",
    "anthropic.AnthropicError": "anthropic",
    "groq.GroqError": "groq",
    "together.TogetherError": "together",
}
_HOSTS = {  # services that are asked with the SDK of another one
    "amazonaws.com": "aws",
    "api.anthropic.com": "anthropic",
    "api.cerebras.ai": "cerebras",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.openai.com": "openai",
    "api.perplexity.ai": "perplexity",
    "api.sambanova.ai": "sambanova",
    "api.together.ai": "together",
    "api.together.xyz": "together",
    "api.x.ai": "xai",
    "azure.com": "azure",
    "googleapis.com": "google",
    "huggingface.co": "huggingface",
    "openrouter.ai": "openrouter",
}
_NAME = re.compile(r"[\w./-]{1,30}")
_CHECKS = re.compile(
    r"Missing required arguments; Expected |Expected a non-empty value for `(\w{1,60})`|Expected entry at `([\w.]{1,60})`"
)
_NO_KEY = ("api_key", "api key", "credentials", "authentication method", "auth_token")


def _named(cls: str) -> tuple[str, ...]:
    return tuple(f"{package}.{cls}" for package in _PACKAGES)


def provider_of(failure: Failure) -> str:
    """The service that was asked: what litellm names, else by the host, else by the SDK."""
    modules = [f"{cls.__module__}." for cls in type(failure.exception).__mro__]
    if any(module.startswith("litellm.") for module in modules):
        routed = failure.look("llm_provider")
        return routed if isinstance(routed, str) and _NAME.fullmatch(routed) else "litellm"
    host = failure.host or ""
    found = next((_HOSTS[name] for name in _HOSTS if host == name or host.endswith(f".{name}")), None)
    if found is not None:
        return found
    packages = (package for module in modules for package in _PACKAGES if module.startswith(f"{package}."))
    return _PACKAGES[next(packages, "openai")]


@rules(*_named("APITimeoutError"))
def timed_out(failure: Failure) -> ToolError:
    """The SDK gave up waiting: for the answer, unless a cause says that there was no connection yet."""
    provider = provider_of(failure)
    cause = connection(failure, provider) if len(failure.exceptions) > 1 else None
    if isinstance(cause, (ToolTimeoutError, ToolConnectionError)) and cause.effect == "none" and cause.transient:
        return cause
    return m.error_of(failure, m.TIMEOUT, service=name_of(provider), provider=provider, http_status=None)


@rules(*_named("APIConnectionError"))
def disconnected(failure: Failure) -> ToolError:
    """The service cannot be reached, or hung up: the cause tells which."""
    return connection(failure, provider_of(failure))


@rules(*_named("APIResponseValidationError"))
def unreadable(failure: Failure) -> ToolError:
    """An answer that does not have the form which the SDK expects."""
    provider = provider_of(failure)
    error = failed(failure, provider, f"{name_of(provider)} sent an unexpected response.")
    error.http_status = None  # litellm makes one up
    return error


@rules("openai.InvalidWebhookSignatureError", "anthropic.APIWebhookValidationError")
def webhook(failure: Failure) -> ToolError:
    """A message whose signature does not hold, so that it may be anyone's."""
    message = "The signature of the webhook does not match."
    return m.error_of(failure, m.AUTHENTICATION, message=message, provider=provider_of(failure), http_status=None)


@rules(*_named("APIError"))
def answered(failure: Failure) -> ToolError:
    """An answer that is an error, also one inside a stream, which has no HTTP status of its own."""
    own = (failure.look(name) for name in ("error_code", "code", "type"))
    return decide(failure, provider_of(failure), *own, *codes_of(failure))


@rules("openai.WebSocketQueueFullError")
def queue_full(failure: Failure) -> ToolError:
    """More messages wait to be sent over a realtime connection than it holds."""
    message = "Too many messages wait for the realtime connection."
    return m.error_of(failure, m.UNAVAILABLE, message=message, provider="openai", effect="none")


@rules("openai.ContentFilterFinishReasonError")
def filtered(failure: Failure) -> ToolError:
    """An answer that the content filter ended."""
    return m.error_of(failure, REFUSED, service="OpenAI", provider="openai", effect="possible")


@rules("together.FileTypeError")
def file_type(failure: Failure) -> ToolError:
    """A file that the SDK refuses to send."""
    return m.error_of(failure, m.ARGUMENT, message="The SDK rejected the file; nothing was sent.", provider="together")


@rules(
    "openai.SubjectTokenProviderError",
    "openai.MutuallyExclusiveAuthError",
    "anthropic.CredentialsError",
    "anthropic.WorkloadIdentityError",
    "anthropic.MutuallyExclusiveAuthError",
)
def credentials(failure: Failure) -> ToolError:
    """Credentials that are missing, contradict each other or could not be fetched."""
    return no_credentials(failure, provider_of(failure))


@rules(*_ROOTS)
def key(failure: Failure) -> ToolError | None:
    """No API key was given."""
    if len(failure.exceptions) > 1 or not failure.says(*_NO_KEY):
        return None
    return no_credentials(failure, provider_of(failure))


@rules("TypeError", "ValueError")
def no_key(failure: Failure) -> ToolError | None:
    """No API key was given: anthropic and google-genai say so with a plain exception."""
    package = failure.came_through("anthropic", "google.genai") if failure.says(*_NO_KEY) else None
    return None if package is None else no_credentials(failure, "google" if package == "google.genai" else package)


@rules("TypeError", "ValueError", "RuntimeError")
def not_sent(failure: Failure) -> ToolError | None:
    """Arguments that the SDK checks before it sends them, which it reports with a plain exception."""
    found = _CHECKS.match(failure.text)
    package = failure.came_through(*_PACKAGES) if found else None
    if found is None or package is None:
        return None
    name = found[1] or found[2]
    problems = [Problem(pointer_to(name), "is missing or has the wrong form")] if name else []
    message = "The SDK rejected the arguments; nothing was sent."
    return m.error_of(failure, m.ARGUMENT, message=message, problems=problems, provider=_PACKAGES[package])


def other(failure: Failure) -> ToolError:
    """Anything else of the SDK itself, such as an answer that ended before it was whole."""
    provider = provider_of(failure)
    return failed(failure, provider, f"The SDK of {name_of(provider)} failed.")


for root, provider in _ROOTS.items():
    of_package = Rules(provider, last=True)
    of_package(root)(other)
    last.include(of_package)
