"""Qdrant and Chroma: by HTTP status and class."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, ToolRateLimitError, status_error
from mulligan_stores import _meanings as m

rules = Rules()
_COLLECTION = (
    r"[Cc]ollection [`'\"\[]?([^`'\"\]\s]{1,200})[`'\"\]]? (?:doesn't exist|does not exist|already exists|not found)"
)
_REFUSED, _DENIED, _MISSING, _CONFLICT = 401, 403, 404, 409


@rules("qdrant_client.http.exceptions.UnexpectedResponse")
def qdrant_answer(failure: Failure) -> ToolError | None:
    """An answer with an HTTP status; its body names the collection."""
    status, body = failure.look("status_code"), failure.look("content")
    if not isinstance(status, int):
        return None
    text = body[:2_000].decode(errors="replace") if isinstance(body, bytes) else ""
    name = m.find_name(_COLLECTION, text)
    if status == _MISSING:
        return m.missing(name or failure.resource, provider="qdrant", http_status=status)
    if status == _CONFLICT and "already exists" in text:
        return m.exists(name, provider="qdrant", http_status=status)
    if status in (_REFUSED, _DENIED) and ("api-key" in text.lower() or "API key" in text):
        return m.REFUSED(provider="qdrant", http_status=status)
    if "No space left on device" in text:
        return m.FULL(provider="qdrant", http_status=status)
    return status_error(failure, status, provider="qdrant", resource=name)


@rules("qdrant_client.common.client_exceptions.ResourceExhaustedResponse")
def qdrant_limit(failure: Failure) -> ToolError:
    """Too many calls for now."""
    seconds = failure.look("retry_after_s")
    message = "The rate limit of the store is reached."
    return ToolRateLimitError(message, retry_after=seconds if isinstance(seconds, int) else None, provider="qdrant")


@rules("qdrant_client.http.exceptions.ResponseHandlingException")
def qdrant_transport(failure: Failure) -> ToolError:
    """No answer: what the HTTP client raised is kept as `source`."""
    source = failure.look("source")
    inner = failure.about(source) if isinstance(source, Exception) else failure
    if inner.matches("httpx.ConnectTimeout", "httpx.PoolTimeout"):
        return m.NOT_CONNECTED(provider="qdrant")
    if inner.matches("httpx.TimeoutException"):
        return m.TIMED_OUT(provider="qdrant")
    if inner.matches("httpx.ConnectError", "httpx.UnsupportedProtocol", "httpx.ProxyError"):
        return m.UNREACHABLE(provider="qdrant")
    if inner.matches("httpx.TransportError"):
        return m.DROPPED(provider="qdrant")
    return m.FAILED(provider="qdrant")


_CHROMA: Mapping[str, m.Meaning] = {
    "AuthorizationError": m.REFUSED,
    "BatchSizeExceededError": m.WRONG,
    "ChromaAuthError": m.REFUSED,
    "DuplicateIDError": m.WRONG,
    "IDAlreadyExistsError": m.exists,
    "InternalError": m.UNAVAILABLE,
    "InvalidArgumentError": m.WRONG,
    "InvalidDimensionException": m.WRONG,
    "InvalidHTTPVersion": m.UNSUPPORTED,
    "InvalidUUIDError": m.WRONG,
    "NotFoundError": m.missing,
    "QuotaError": m.FULL,
    "RateLimitError": m.LIMITED,
    "UniqueConstraintError": m.exists,
    "VersionMismatchError": m.UNSUPPORTED,
}


@rules("chromadb.errors.ChromaError")
def chroma_class(failure: Failure) -> ToolError:
    """Chroma's classes, each of which has its HTTP status."""
    told = failure.look("code")
    status = told() if callable(told) else None
    meaning = _CHROMA.get(type(failure.exception).__name__, m.FAILED)
    if meaning is m.missing or meaning is m.exists:
        return meaning(m.find_name(_COLLECTION, failure.text), provider="chroma", http_status=status)
    return meaning(provider="chroma", http_status=status)
