"""Connection errors of an HTTP client that an SDK does not wrap. The traceback identifies the SDK."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_llm.answers import connection

rules = Rules()
_SDKS = {
    "cohere": "cohere",
    "mistralai": "mistral",
    "google.genai": "google",
    "huggingface_hub": "huggingface",
    "replicate": "replicate",
    "ollama": "ollama",
}


@rules(
    *("httpx.TransportError", "httpx2.TransportError", "httpx.InvalidURL", "httpx2.InvalidURL"),
    *("aiohttp.ClientError", "requests.RequestException"),
)
def let_through(failure: Failure) -> ToolError | None:
    """A connection error raised below one of the SDKs. Errors with an HTTP status are left to other rules."""
    package = failure.came_through(*_SDKS) if failure.status is None else None
    return None if package is None else connection(failure, _SDKS[package])
