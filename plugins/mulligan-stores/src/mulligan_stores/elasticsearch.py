"""Elasticsearch and OpenSearch: by the type of the error in the answer, else by its HTTP status.

The types are the exceptions of Elasticsearch 9.2 and OpenSearch 3.3 (2025-11), which the servers write with underscores.
Neither publishes a list of them; those that are not here are read by their last words, or by the status.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.plugin import Codes, Failure, Problem, Rules, ToolError, pointer_to, status_error, transport_error
from mulligan.plugin import meanings as m
from mulligan_stores.store import ABORTED, EXHAUSTED, FULL, Meaning, Store, find_name, store_error

rules = Rules()
last = Rules("elasticsearch", last=True)
of_opensearch = Rules("opensearch", last=True)
ELASTICSEARCH = Store("elasticsearch", "Elasticsearch")
OPENSEARCH = Store("opensearch", "OpenSearch")
INVALID_FIELD = m.ARGUMENT._replace(message="The index rejects this field or its value")
NOT_ELASTICSEARCH = m.UNIMPLEMENTED._replace(message="The server is not Elasticsearch")
codes = Codes(
    {
        m.NOT_FOUND: "no_such_remote_cluster_exception search_context_missing_exception",
        m.ARGUMENT: "too_many_buckets_exception",
        m.CONFLICT: "index_closed_exception snapshot_in_progress_exception",
        ABORTED: "concurrent_snapshot_execution_exception version_conflict_engine_exception",
        EXHAUSTED: "circuit_breaking_exception too_many_scroll_contexts too_many_scroll_contexts_exception",
        m.TIMEOUT: "process_cluster_event_timeout_exception receive_timeout_transport_exception timeout_exception",
        m.CANCELLED: "task_cancelled_exception",
        m.RATE_LIMIT: "es_rejected_execution_exception open_search_rejected_execution_exception rejected_execution_exception",
        m.UNAVAILABLE: """
            cluster_manager_not_discovered_exception connect_transport_exception master_not_discovered_exception
            no_node_available_exception no_shard_available_action_exception node_closed_exception
            node_disconnected_exception node_not_connected_exception not_cluster_manager_exception not_master_exception
            not_primary_exception retry_on_primary_exception unavailable_shards_exception
        """,
    },
    words=[
        (m.EXISTS, "_already_exists_exception$"),
        (m.TIMEOUT, "_timeout_exception$|_timed_out_exception$"),
        (m.CANCELLED, "_cancelled_exception$"),
        (m.NOT_FOUND, "_(?:not_found|missing)_exception$"),
    ],
)
_FIELD = (
    r"(?:field|introduction of|[Nn]o mapping found for|Unknown column|Fielddata is disabled on) "
    r"\[([^\]]{1,200})\]"
)
_NAMED = r"\[([^\]\s]{1,200})\] (?:is missing|missing|could not be found|not found)"
_TAKEN = r"^\[([^\]]{1,200})\]: version conflict, document already exists"
_SHARDS = ("maximum normal shards open", "maximum shards open", "maximum frozen shards open")
_DISK = ("flood-stage", "disk usage exceeded")


def _store(failure: Failure) -> Store:
    return OPENSEARCH if failure.matches("opensearchpy.OpenSearchException") else ELASTICSEARCH


@rules("elastic_transport.ConnectionError", "opensearchpy.ConnectionError", "elastic_transport.ConnectionTimeout")
def elasticsearch_connection(failure: Failure) -> ToolError:
    """A connection that could not be made or was lost, or no answer in time; an earlier attempt may have succeeded."""
    store = _store(failure)
    error = transport_error(failure, service=store.name, provider=store.provider)
    error = error or store_error(failure, m.DROPPED, store)
    if failure.look("errors") or (store is OPENSEARCH and error.effect == "none"):
        error.effect = "possible"
    return error


@rules("elasticsearch.helpers.BulkIndexError", "opensearchpy.helpers.BulkIndexError")
def elasticsearch_bulk(failure: Failure) -> ToolError | None:
    """Many documents at once: the first one that failed gives the reason; others took effect."""
    arguments = failure.look("args")
    errors = failure.look("errors") or (arguments[-1] if isinstance(arguments, tuple) and arguments else None)
    first = errors[0] if isinstance(errors, list) and errors else None
    item = next(iter(first.values()), None) if isinstance(first, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(item.get("status"), int):
        return None
    error = _classify_answer(failure, item["status"], item)
    error.effect = "possible"
    return error


@rules("elasticsearch.UnsupportedProductError")
def elasticsearch_product(failure: Failure) -> ToolError:
    """The server is not Elasticsearch."""
    return store_error(failure, NOT_ELASTICSEARCH, ELASTICSEARCH)


@rules("elasticsearch.ApiError", "opensearchpy.TransportError")
def elasticsearch_answer(failure: Failure) -> ToolError | None:
    """The answer by the type of its error, otherwise by its status; in a bulk request, some documents were changed."""
    status, body = failure.look("status_code"), failure.look("body") or failure.look("info")
    if not isinstance(status, int) or status < 400:
        return None
    answer = body if isinstance(body, Mapping) else {}
    failures = answer.get("failures")
    first = failures[0] if isinstance(failures, list) and failures else None
    if "error" in answer or not isinstance(first, Mapping):
        return _classify_answer(failure, status, answer)
    error = _classify_answer(failure, status, {"error": first.get("cause"), "_id": first.get("id")})
    error.effect = "possible"
    return error


def _classify_answer(failure: Failure, status: int, body: Mapping[str, Any]) -> ToolError:
    cause, store = _cause(body.get("error")), _store(failure)
    kind, reason = cause.get("type"), str(cause.get("reason") or body.get("error") or "")[:2_000]
    known: dict[str, Any] = {"http_status": status, "code": kind}
    taken = find_name(_TAKEN, reason)
    if taken is not None:
        return store_error(failure, m.EXISTS, store, name=taken, **known)
    name = _find_name(cause, body, reason)
    meaning = _meaning(kind, reason, status)
    if meaning is not None:
        shown = name if meaning in (m.NOT_FOUND, m.EXISTS) else None
        wait = {} if meaning not in (m.RATE_LIMIT, m.UNAVAILABLE, EXHAUSTED) else {"retry_after": _pause(failure)}
        return store_error(failure, meaning, store, name=shown, **wait, **known)
    field = find_name(_FIELD, reason)
    if status == 400 and field is not None:
        problem = Problem(pointer_to(field), "the index rejects this field or its value")
        return store_error(failure, INVALID_FIELD, store, problems=[problem], **known)
    resource = name or failure.resource
    return status_error(
        failure, status, service=store.name, provider=store.provider, retry_after=_pause(failure), resource=resource
    )


def _meaning(kind: object, reason: str, status: int) -> Meaning | None:
    """The meaning of a type, if it is more specific than the status; a blocked cluster gives the cause in its reason."""
    if kind == "cluster_block_exception" and any(words in reason for words in _DISK):
        return FULL
    if kind == "cluster_block_exception" and status == 403:
        return m.CONFLICT
    if any(words in reason for words in _SHARDS):
        return FULL
    meaning = codes.meaning_of(kind)
    if meaning is m.TIMEOUT and status < 500:
        return None
    return meaning or (m.NOT_FOUND if status == 404 else None)


def _cause(error: object) -> Mapping[str, Any]:
    """The first root cause, which is more specific than the error that wraps it."""
    if not isinstance(error, Mapping):
        return {}
    roots = error.get("root_cause")
    first = roots[0] if isinstance(roots, list) and roots else None
    return {**error, **first} if isinstance(first, Mapping) else error


def _find_name(cause: Mapping[str, Any], body: Mapping[str, Any], reason: str) -> str | None:
    """The document, index, alias or other resource that the answer names."""
    found = body.get("_id") or cause.get("resource.id") or cause.get("index") or find_name(_NAMED, reason)
    return str(found)[:200] if isinstance(found, (str, int)) else None


def _pause(failure: Failure) -> float | None:
    seconds = failure.look("meta", "headers", "retry-after")
    return float(seconds) if isinstance(seconds, str) and seconds.isdigit() else failure.retry_after


@rules("elastic_transport.SerializationError", "opensearchpy.SerializationError")
def elasticsearch_document(failure: Failure) -> ToolError | None:
    """A document that cannot be serialized as JSON; nothing was sent."""
    return store_error(failure, m.ARGUMENT, _store(failure)) if failure.says("Unable to serialize") else None


@last("elastic_transport.TransportError", "elasticsearch.helpers.ScanError")
@of_opensearch("opensearchpy.OpenSearchException")
def elasticsearch_other(failure: Failure) -> ToolError:
    """Anything else that the client detected: an answer that is not JSON, a failed sniff."""
    return store_error(failure, m.FAILED, _store(failure))


last.include(of_opensearch)
