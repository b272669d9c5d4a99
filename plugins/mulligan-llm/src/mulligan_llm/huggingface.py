"""huggingface_hub: the Hub, its files, and the clients of its inference services."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Problem, Rules, ToolError, ToolUnavailableError, pointer_to, safe_str
from mulligan.plugin import meanings as m
from mulligan_llm.answers import connection, decide, failed, no_credentials
from mulligan_llm.error_body import error_in

rules = Rules("huggingface")
last = Rules("huggingface", last=True)
_FILE = re.compile(r"/resolve/[^/]+/([^?#]+)")
_FIELD = re.compile(r"\bfield '(\w+)'")
_HIDDEN = " Or it is not visible with these credentials."
_UNAUTHENTICATED = 401
_NO_ANSWER = ("httpx.TransportError", "httpx2.TransportError")  # of huggingface_hub before 2.0, and since


def _named(names: str) -> tuple[str, ...]:
    return tuple(f"huggingface_hub.errors.{name}" for name in names.split())


@rules(*_named("GatedRepoError DisabledRepoError"))
def hub_closed(failure: Failure) -> ToolError:
    """A gated or disabled repository. The class for gated ones derives from the class for missing ones."""
    name = failure.look("repo_id")
    repo = name if isinstance(name, str) else None
    if failure.status == _UNAUTHENTICATED:
        message = "The repository is gated, and no valid Hugging Face token was sent."
        return m.error_of(failure, m.AUTHENTICATION, message=message, resource=repo)
    message = "The repository is gated or disabled, and this account cannot read it."
    return m.error_of(failure, m.PERMISSION, message=message, resource=repo)


@rules(*_named("LocalEntryNotFoundError CacheNotFound CachedRepoTreeNotFoundError"))
def not_cached(failure: Failure) -> ToolError:
    """A file that is not in the local cache, while the Hub is unreachable or was not contacted."""
    if len(failure.exceptions) > 1 and failure.about(failure.exceptions[1]).matches(*_NO_ANSWER):
        return connection(failure, "huggingface")
    place = failure.look("cache_dir")
    message = "It is not in the local Hugging Face cache, and the Hub was not queried."
    return m.error_of(failure, m.NOT_FOUND, message=message, resource=None if place is None else safe_str(place))


@rules(*_named("RepositoryNotFoundError RevisionNotFoundError EntryNotFoundError BucketNotFoundError JobNotFoundError"))
def hub_missing(failure: Failure) -> ToolError:
    """A repository, revision, file, bucket or job that is missing or private."""
    file = _FILE.search(safe_str(failure.look("response", "url") or failure.look("request", "url") or ""))
    names = [failure.look("bucket_id"), failure.look("job_id"), failure.look("repo_id")]
    if file and failure.matches("huggingface_hub.errors.RemoteEntryNotFoundError"):
        from urllib.parse import unquote

        names.insert(0, unquote(file[1]))
    name = next((name for name in names if isinstance(name, str) and name), None)
    message = f"Resource not found: {name}." if name else "The Hugging Face Hub has no such resource."
    return m.error_of(failure, m.NOT_FOUND, message=f"{message}{_HIDDEN}", resource=name)


@rules(*_named("HfHubHTTPError SandboxError"))
def hub_answered(failure: Failure) -> ToolError:
    """Any other error response from the Hub."""
    if failure.status is None and not failure.matches("huggingface_hub.errors.HfHubHTTPError"):
        return failed(failure, "huggingface", "The sandbox failed.")
    error = decide(failure, "huggingface")
    loading = error_in(failure).get("estimated_time")
    if isinstance(loading, (int, float)) and not isinstance(loading, bool) and isinstance(error, ToolUnavailableError):
        error.retry_after = float(loading)
    return error


@rules(*_named("LocalTokenNotFoundError OIDCError DeviceCodeError"))
def hub_token(failure: Failure) -> ToolError:
    """No token is stored, or fetching one failed."""
    return no_credentials(failure, "huggingface")


@rules(*_named("OfflineModeIsEnabled"))
def hub_offline(failure: Failure) -> ToolError:
    """`HF_HUB_OFFLINE` forbids any request."""
    user = "Hugging Face's offline mode is on (HF_HUB_OFFLINE)."
    return m.error_of(failure, m.UNREACHABLE, message="Hugging Face's offline mode is on.", user_message=user)


@rules(*_named("InferenceTimeoutError InferenceEndpointTimeoutError"))
def inference_timeout(failure: Failure) -> ToolError:
    """A model or an endpoint that was not ready in time."""
    return m.error_of(failure, m.TIMEOUT, service="Hugging Face")


@rules(*_named("TextGenerationError InferenceEndpointError"))
def generation(failure: Failure) -> ToolError:
    """Text generation that the inference server refused or did not finish."""
    if failure.matches(*_named("OverloadedError")):
        return m.error_of(failure, m.UNAVAILABLE, message="The inference server is overloaded.", effect="none")
    if failure.matches(*_named("ValidationError")):
        return m.error_of(failure, m.ARGUMENT, message="The inference server rejected the request as invalid.")
    return failed(failure, "huggingface", "The inference server could not finish.")


@rules(*_named("HFValidationError HfUriError StrictDataclassFieldValidationError NotASafetensorsRepoError"))
def invalid(failure: Failure) -> ToolError:
    """A repository name, URI or value that the SDK rejects; nothing was sent."""
    found = _FIELD.search(failure.text)
    problems = [Problem(pointer_to(found[1]), "it has the wrong form")] if found else []
    message = "The Hugging Face SDK rejected a name or value; nothing was sent."
    return m.error_of(failure, m.ARGUMENT, message=message, problems=problems)


@rules(*_named("SafetensorsParsingError DDUFError CorruptedCacheException"))
def broken_file(failure: Failure) -> ToolError:
    """An unreadable file of a model or of the local cache."""
    return failed(failure, "huggingface", "The Hugging Face SDK cannot read the file.")


@last(
    *_named("XetDownloadError FileMetadataError StrictDataclassError RevisionResolutionError FileDuplicationError"),
    *_named("DryRunError CLIError"),
)
def other_hub(failure: Failure) -> ToolError:
    """Any other exception of the SDK, such as an unreadable file."""
    return failed(failure, "huggingface", "The Hugging Face SDK failed.")
