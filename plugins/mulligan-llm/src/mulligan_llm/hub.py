"""huggingface_hub: the Hub, its files, and the clients of its inference services."""

from __future__ import annotations

import re

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolTimeoutError,
    ToolUnavailableError,
    safe_str,
)
from mulligan_llm.classification import connection, decide, rules
from mulligan_llm.error_body import error_in

_FILE = r"/resolve/[^/]+/([^?#]+)"
_HIDDEN = " Or it is not visible with these credentials."
_UNAUTHENTICATED = 401


@rules("huggingface_hub.errors.GatedRepoError", "huggingface_hub.errors.DisabledRepoError")
def hub_closed(failure: Failure) -> ToolError | None:
    """A repository that is gated or was disabled; the class of gated ones is also one of missing ones."""
    status, name = failure.status, failure.look("repo_id")
    repo = name if isinstance(name, str) else None
    if status == _UNAUTHENTICATED:
        message = "The repository is gated, and no valid Hugging Face token was sent."
        return ToolAuthenticationError(
            message, http_status=status, resource=repo, provider="huggingface", effect="none"
        )
    message = "The repository is gated or disabled, and this account cannot read it."
    return ToolPermissionError(message, http_status=status, resource=repo, provider="huggingface", effect="none")


@rules(
    "huggingface_hub.errors.RepositoryNotFoundError",
    "huggingface_hub.errors.RevisionNotFoundError",
    "huggingface_hub.errors.RemoteEntryNotFoundError",
    "huggingface_hub.errors.BucketNotFoundError",
    "huggingface_hub.errors.JobNotFoundError",
)
def hub_missing(failure: Failure) -> ToolError | None:
    """A repository, revision, file, bucket or job that is not there, or private."""
    file = re.search(_FILE, safe_str(failure.look("response", "url") or failure.look("request", "url") or ""))
    names = [failure.look("bucket_id"), failure.look("job_id"), failure.look("repo_id")]
    if file and failure.matches("huggingface_hub.errors.RemoteEntryNotFoundError"):
        from urllib.parse import unquote

        names.insert(0, unquote(file[1]))
    name = next((name for name in names if isinstance(name, str) and name), None)
    message = f"Resource not found: {name}." if name else "The Hugging Face Hub has no such resource."
    return ResourceNotFoundError(
        f"{message}{_HIDDEN}", http_status=failure.status, resource=name, provider="huggingface", effect="none"
    )


@rules("huggingface_hub.errors.HfHubHTTPError", "huggingface_hub.errors.SandboxError")
def hub_answered(failure: Failure) -> ToolError | None:
    """Any other answer of the Hub."""
    if failure.status is None and not failure.matches("huggingface_hub.errors.HfHubHTTPError"):
        return ToolExecutionError("The sandbox failed.", provider="huggingface")
    error = decide(failure, "huggingface")
    loading = error_in(failure).get("estimated_time")
    if isinstance(loading, (int, float)) and not isinstance(loading, bool) and isinstance(error, ToolUnavailableError):
        error.retry_after = float(loading)
    return error


@rules("huggingface_hub.errors.LocalEntryNotFoundError", "huggingface_hub.errors.CacheNotFound")
def not_cached(failure: Failure) -> ToolError | None:
    """A file that is not in the local cache, where the Hub was not asked or could not be reached."""
    if len(failure.exceptions) > 1 and failure.about(failure.exceptions[1]).matches("httpx.TransportError"):
        return connection(failure, "huggingface")
    place = failure.look("cache_dir")
    name = safe_str(place) if place is not None else None
    message = "It is not in the local Hugging Face cache, and the Hub was not queried."
    return ResourceNotFoundError(message, resource=name, provider="huggingface", effect="none")


@rules(
    "huggingface_hub.errors.LocalTokenNotFoundError",
    "huggingface_hub.errors.OIDCError",
    "huggingface_hub.errors.DeviceCodeError",
)
def hub_token(failure: Failure) -> ToolError | None:
    """No token is stored, or none could be fetched."""
    return ToolAuthenticationError("No token was found for Hugging Face.", provider="huggingface", effect="none")


@rules("huggingface_hub.errors.OfflineModeIsEnabled")
def hub_offline(failure: Failure) -> ToolError | None:
    """`HF_HUB_OFFLINE` forbids any request."""
    user = "Hugging Face's offline mode is on (HF_HUB_OFFLINE)."
    return ToolConnectionError(
        "Hugging Face's offline mode is on.", effect="none", provider="huggingface", user_message=user
    )


@rules("huggingface_hub.errors.InferenceTimeoutError", "huggingface_hub.errors.InferenceEndpointTimeoutError")
def inference_timeout(failure: Failure) -> ToolError | None:
    """A model or an endpoint that was not ready in time."""
    return ToolTimeoutError(
        "The model on Hugging Face did not respond in time.", effect="possible", provider="huggingface"
    )


@rules("huggingface_hub.errors.TextGenerationError", "huggingface_hub.errors.InferenceEndpointError")
def generation(failure: Failure) -> ToolError | None:
    """Text generation that the inference server refused or did not finish."""
    if failure.matches("huggingface_hub.errors.OverloadedError"):
        return ToolUnavailableError("The inference server is overloaded.", effect="none", provider="huggingface")
    if failure.matches("huggingface_hub.errors.ValidationError"):
        return ToolArgumentError(
            "The inference server rejected the request as invalid.", provider="huggingface", effect="none"
        )
    return ToolExecutionError("The inference server could not finish.", provider="huggingface")


@rules(
    "huggingface_hub.errors.HFValidationError",
    "huggingface_hub.errors.HfUriError",
    "huggingface_hub.errors.StrictDataclassFieldValidationError",
    "huggingface_hub.errors.NotASafetensorsRepoError",
)
def invalid(failure: Failure) -> ToolError | None:
    """The name of a repository, a URI or a value that the SDK refuses; nothing was sent."""
    match = re.search(r"\bfield '(\w+)'", failure.text)
    problems = [Problem(f"/{match[1]}", "it has the wrong form")] if match else []
    message = "The Hugging Face SDK rejected a name or value; nothing was sent."
    return ToolArgumentError(message, problems=problems, provider="huggingface", effect="none")
