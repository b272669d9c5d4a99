"""Qdrant, through qdrant-client: by HTTP status, and the words that say which collection or key."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, status_error
from mulligan.plugin import meanings as m
from mulligan_stores.store import FULL, Store, find_name, store_error

rules = Rules("qdrant")
last = Rules("qdrant", last=True)
QDRANT = Store("qdrant", "Qdrant")
COLLECTION = (
    r"[Cc]ollection [`'\"\[]?([^`'\"\]\s]{1,200})[`'\"\]]? (?:doesn't exist|does not exist|already exists|not found)"
)


@rules("qdrant_client.http.exceptions.UnexpectedResponse")
def qdrant_answer(failure: Failure) -> ToolError | None:
    """An answer with an HTTP status; its body names the collection."""
    status, body = failure.look("status_code"), failure.look("content")
    if not isinstance(status, int):
        return None
    text = body[:2_000].decode(errors="replace") if isinstance(body, bytes) else ""
    name = find_name(COLLECTION, text)
    meaning = _meaning(status, text)
    if meaning is not None:
        return store_error(failure, meaning, QDRANT, name=name, http_status=status)
    return status_error(failure, status, service=QDRANT.name, resource=name)


def _meaning(status: int, text: str) -> m.Meaning | None:
    """What an answer means, if that is more than its status says."""
    if status == 404:
        return m.NOT_FOUND
    if status == 409 and "already exists" in text:
        return m.EXISTS
    if status in (401, 403) and ("api-key" in text.lower() or "API key" in text):
        return m.AUTHENTICATION
    return FULL if "No space left on device" in text else None


@rules("qdrant_client.common.client_exceptions.ResourceExhaustedResponse")
def qdrant_limit(failure: Failure) -> ToolError:
    """Too many calls for now."""
    seconds = failure.look("retry_after_s")
    wait = seconds if isinstance(seconds, int) else failure.retry_after
    return store_error(failure, m.RATE_LIMIT, QDRANT, retry_after=wait)


@last("qdrant_client.http.exceptions.ApiException")
def qdrant_other(failure: Failure) -> ToolError:
    """Anything else, such as an answer that the client cannot read."""
    return store_error(failure, m.FAILED, QDRANT)
