"""Elasticsearch and OpenSearch: by the type of the error in the answer, else by its HTTP status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import Failure, Rules, ToolError, status_error
from mulligan_stores import _meanings as m

rules = Rules()
last = Rules(last=True)
_TYPES: Mapping[object, m.Meaning] = {
    "circuit_breaking_exception": m.EXHAUSTED,
    "concurrent_snapshot_execution_exception": m.ABORTED,
    "es_rejected_execution_exception": m.LIMITED,
    "index_already_exists_exception": m.exists,
    "index_closed_exception": m.FORBIDDEN,
    "process_cluster_event_timeout_exception": m.TIMED_OUT,
    "receive_timeout_transport_exception": m.TIMED_OUT,
    "rejected_execution_exception": m.LIMITED,
    "resource_already_exists_exception": m.exists,
    "search_context_missing_exception": m.missing,
    "snapshot_in_progress_exception": m.FORBIDDEN,
    "task_cancelled_exception": m.CANCELLED,
    "timeout_exception": m.TIMED_OUT,
    "too_many_buckets_exception": m.WRONG,
    "too_many_scroll_contexts": m.EXHAUSTED,
    "version_conflict_engine_exception": m.ABORTED,
}
_FIELD = (
    r"(?:field|introduction of|[Nn]o mapping found for|Unknown column|Fielddata is disabled on) "
    r"\[([^\]]{1,200})\]"
)
_NAMED = r"\[([^\]\s]{1,200})\] (?:is missing|missing|could not be found|not found)"
_TAKEN = r"^\[([^\]]{1,200})\]: version conflict, document already exists"
_LEAST_ERROR = _BAD_REQUEST = 400


def _provider(failure: Failure) -> str:
    return "opensearch" if failure.matches("opensearchpy.OpenSearchException") else "elasticsearch"


@rules("elastic_transport.ConnectionTimeout", "opensearchpy.ConnectionTimeout")
def elasticsearch_timeout(failure: Failure) -> ToolError:
    """No answer in time."""
    return m.TIMED_OUT(provider=_provider(failure))


@rules("elastic_transport.ConnectionError", "opensearchpy.ConnectionError")
def elasticsearch_connection(failure: Failure) -> ToolError:
    """A connection that could not be made, or was lost; an attempt before the last one may have come through."""
    insecure = failure.matches("elastic_transport.TlsError", "opensearchpy.SSLError")
    if not (insecure or any(failure.about(one).says(*_UNREACHABLE_PHRASES) for one in failure.exceptions)):
        return m.DROPPED(provider=_provider(failure))
    error = m.UNREACHABLE(provider=_provider(failure))
    if failure.look("errors") or failure.matches("opensearchpy.ConnectionError"):
        error.effect = "possible"
    return error


_UNREACHABLE_PHRASES = (
    "refused",
    "NewConnectionError",
    "NameResolutionError",
    "name resolution",
    "Name or service not known",
    "getaddrinfo failed",
    "No route to host",
    "Network is unreachable",
    "Cannot connect to host",
    "certificate verify failed",
)


@rules("elasticsearch.helpers.BulkIndexError", "opensearchpy.helpers.BulkIndexError")
def elasticsearch_bulk(failure: Failure) -> ToolError | None:
    """Many documents at once: the first one that failed says why; others took effect."""
    arguments = failure.look("args")
    errors = failure.look("errors") or (arguments[-1] if isinstance(arguments, tuple) and arguments else None)
    first = errors[0] if isinstance(errors, list) and errors else None
    item = next(iter(first.values()), None) if isinstance(first, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(item.get("status"), int):
        return None
    error = _classify_response(failure, item["status"], item)
    error.effect = "possible"
    return error


@rules("elasticsearch.UnsupportedProductError")
def elasticsearch_product(failure: Failure) -> ToolError:
    """The server is no Elasticsearch."""
    return m.UNSUPPORTED(provider=_provider(failure))


@rules("elasticsearch.ApiError", "opensearchpy.TransportError")
def elasticsearch_answer(failure: Failure) -> ToolError | None:
    """The answer, by the type of its error, else by its status; of many documents at once some were done."""
    status, body = failure.look("status_code"), failure.look("body") or failure.look("info")
    if not isinstance(status, int) or status < _LEAST_ERROR:
        return None
    answer = body if isinstance(body, Mapping) else {}
    failures = answer.get("failures")
    first = failures[0] if isinstance(failures, list) and failures else None
    if "error" in answer or not isinstance(first, Mapping):
        return _classify_response(failure, status, answer)
    error = _classify_response(failure, status, {"error": first.get("cause"), "_id": first.get("id")})
    error.effect = "possible"
    return error


def _classify_response(failure: Failure, status: int, body: Mapping[str, Any]) -> ToolError:
    cause = _cause(body.get("error"))
    kind, reason = cause.get("type"), str(cause.get("reason") or body.get("error") or "")[:2_000]
    known: dict[str, Any] = {"provider": _provider(failure), "http_status": status}
    taken = m.find_name(_TAKEN, reason)
    if taken is not None:
        return m.exists(taken, **known)
    meaning = _by_kind(kind, reason, status)
    resource = _find_name(cause, body, reason) or failure.resource
    if meaning is m.missing or meaning is m.exists:
        return meaning(resource, **known)
    if meaning is not None:
        return meaning(retry_after=_pause(failure), **known)
    if status == 404:
        return m.missing(resource, **known)
    field = m.find_name(_FIELD, reason)
    if status == _BAD_REQUEST and field is not None:
        return m.WRONG(problems=[m.problem(field, "the index rejects this field or its value")], **known)
    return status_error(failure, status, provider=known["provider"], retry_after=_pause(failure), resource=resource)


def _by_kind(kind: object, reason: str, status: int) -> m.Meaning | None:
    """The type, where it says more than the status; a blocked cluster says why in prose."""
    if kind == "cluster_block_exception" and ("flood-stage" in reason or "disk usage exceeded" in reason):
        return m.FULL
    if kind == "cluster_block_exception" and status == 403:
        return m.FORBIDDEN
    if "maximum normal shards open" in reason or "maximum shards open" in reason:
        return m.FULL
    if kind == "timeout_exception" and status < 500:
        return None
    return _TYPES.get(kind)


def _cause(error: object) -> Mapping[str, Any]:
    """The first root cause, which says more than the error that wraps it."""
    if not isinstance(error, Mapping):
        return {}
    roots = error.get("root_cause")
    first = roots[0] if isinstance(roots, list) and roots else None
    return {**error, **first} if isinstance(first, Mapping) else error


def _find_name(cause: Mapping[str, Any], body: Mapping[str, Any], reason: str) -> str | None:
    """The document, index, alias or other thing that is told."""
    found = body.get("_id") or cause.get("resource.id") or cause.get("index") or m.find_name(_NAMED, reason)
    return str(found)[:200] if isinstance(found, (str, int)) else None


def _pause(failure: Failure) -> float | None:
    told = failure.look("meta", "headers", "retry-after")
    return float(told) if isinstance(told, str) and told.isdigit() else failure.retry_after


@rules("elastic_transport.TransportError", "elasticsearch.helpers.ScanError", "opensearchpy.OpenSearchException")
def elasticsearch_client(failure: Failure) -> ToolError | None:
    """A document that cannot be written as JSON; nothing was sent."""
    return m.WRONG(provider=_provider(failure)) if failure.says("Unable to serialize") else None


@last("elastic_transport.TransportError", "elasticsearch.helpers.ScanError", "opensearchpy.OpenSearchException")
def elasticsearch_other(failure: Failure) -> ToolError:
    """Anything else that the client noticed: an answer that is no JSON, a failed sniff."""
    return m.FAILED(provider=_provider(failure))
