"""Connection errors of the HTTP client that an SDK lets through: their traceback tells which SDK."""

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
    """A connection error below one of the SDKs; one that reports a status is left to the status."""
    package = failure.came_through(*_SDKS) if failure.status is None else None
    return None if package is None else connection(failure, _SDKS[package])
