"""Chroma: by the class of the exception, as in chromadb.errors of chromadb-client 1.3 (2025-11)."""

from __future__ import annotations

from mulligan.plugin import Codes, Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_stores.qdrant import COLLECTION
from mulligan_stores.store import Store, find_name, store_error

rules = Rules("chroma")
CHROMA = Store("chroma", "Chroma")
codes = Codes(
    {
        m.AUTHENTICATION: "AuthorizationError ChromaAuthError",
        m.NOT_FOUND: "NotFoundError",
        m.EXISTS: "IDAlreadyExistsError UniqueConstraintError",
        m.ARGUMENT: """
            BatchSizeExceededError DuplicateIDError InvalidArgumentError InvalidDimensionException InvalidUUIDError
        """,
        m.UNIMPLEMENTED: "InvalidHTTPVersion VersionMismatchError",
        m.QUOTA: "QuotaError",
        m.RATE_LIMIT: "RateLimitError",
        m.UNAVAILABLE: "InternalError",
    }
)


@rules("chromadb.errors.ChromaError")
def chroma_class(failure: Failure) -> ToolError | None:
    """The class of the exception."""
    meaning = codes.meaning_of(type(failure.exception).__name__)
    return None if meaning is None else _error(failure, meaning)


def _error(failure: Failure, meaning: m.Meaning) -> ToolError:
    code = failure.look("code")
    status = code() if callable(code) else None
    name = find_name(COLLECTION, failure.text)
    return store_error(failure, meaning, CHROMA, name=name, http_status=status if isinstance(status, int) else None)
