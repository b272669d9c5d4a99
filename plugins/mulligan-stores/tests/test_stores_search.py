"""Elasticsearch's, OpenSearch's, Qdrant's and Chroma's documented answers, sent over loopback to the real clients."""

from __future__ import annotations

import chromadb
import chromadb.errors
import elasticsearch
import elasticsearch.helpers
import opensearchpy
import opensearchpy.helpers
import pytest
import qdrant_client
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from stores_servers import HTTPServer, closed_port

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

PRODUCT = {"X-Elastic-Product": "Elasticsearch", "Content-Type": "application/json"}


def by_elasticsearch(url, call=lambda client: client.get(index="logs", id="7")):
    with elasticsearch.Elasticsearch(url, max_retries=0, retry_on_timeout=False, request_timeout=1) as client:
        return call(client)


def by_opensearch(url, call=lambda client: client.get(index="logs", id="7")):
    client = opensearchpy.OpenSearch(url, max_retries=0, timeout=1)
    try:
        return call(client)
    finally:
        client.close()


def failed(status, kind, reason, **more):
    cause = {"type": kind, "reason": reason, **more}
    return {"error": {"root_cause": [cause], **cause}, "status": status}


FLOOD = "index [logs] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]"
ANSWERS = [
    (404, {"_index": "logs", "_id": "7", "found": False}, ResourceNotFoundError, "7", None),
    (404, failed(404, "index_not_found_exception", "no such index [logs]", index="logs"), ResourceNotFoundError, "logs", None),
    (404, {"error": "alias [old] missing", "status": 404}, ResourceNotFoundError, "old", None),
    (400, failed(400, "resource_already_exists_exception", "index [logs] already exists", index="logs"),
     ResourceConflictError, "logs", None),
    (409, failed(409, "version_conflict_engine_exception", "[7]: version conflict"), ResourceConflictError, None, None),
    (409, failed(409, "version_conflict_engine_exception", "[7]: version conflict, document already exists (current version [1])"),
     ResourceConflictError, "7", None),
    (404, failed(404, "resource_not_found_exception", "Transform with id [daily] could not be found"),
     ResourceNotFoundError, "daily", None),
    (400, failed(400, "verification_exception", "Found 1 problem line 1:8: Unknown column [nmae]"),
     ToolArgumentError, None, "/nmae"),
    (429, failed(429, "too_many_buckets_exception", "Trying to create too many buckets"), ToolArgumentError, None, None),
    (400, failed(400, "index_closed_exception", "closed", index="logs"), ResourceConflictError, None, None),
    (401, failed(401, "security_exception", "missing authentication credentials"), ToolAuthenticationError, None, None),
    (403, failed(403, "security_exception", "action [x] is unauthorized for user [u]"), ToolPermissionError, None, None),
    (403, failed(403, "cluster_block_exception", "index [logs] blocked by: [FORBIDDEN/5/index read-only (api)]"),
     ResourceConflictError, None, None),
    (429, failed(429, "cluster_block_exception", FLOOD), ToolQuotaError, None, None),
    (400, failed(400, "validation_exception", "this cluster currently has [1000]/[1000] maximum normal shards open"),
     ToolQuotaError, None, None),
    (429, failed(429, "circuit_breaking_exception", "[parent] Data too large"), ToolUnavailableError, None, None),
    (429, failed(429, "es_rejected_execution_exception", "rejected execution"), ToolRateLimitError, None, None),
    (400, failed(400, "parsing_exception", "unknown query [mtch]"), ToolArgumentError, None, None),
    (400, failed(400, "document_parsing_exception", "[1:8] failed to parse field [user.age] of type [integer]"),
     ToolArgumentError, None, "/user/age"),
    (400, failed(400, "strict_dynamic_mapping_exception", "dynamic introduction of [colour] within [_doc] is not allowed"),
     ToolArgumentError, None, "/colour"),
    (400, failed(400, "query_shard_exception", "No mapping found for [agee] in order to sort on"),
     ToolArgumentError, None, "/agee"),
    (400, failed(400, "task_cancelled_exception", "task cancelled"), ToolCancelledError, None, None),
    (503, failed(503, "process_cluster_event_timeout_exception", "failed to process"), ToolTimeoutError, None, None),
    (503, failed(503, "master_not_discovered_exception", ""), ToolUnavailableError, None, None),
    (503, failed(503, "search_phase_execution_exception", "all shards failed"), ToolUnavailableError, None, None),
]  # fmt: skip
FATAL = (ToolAuthenticationError, ToolQuotaError)


@pytest.mark.parametrize(
    ("status", "body", "cls", "resource", "pointer"), ANSWERS, ids=[str(one[1])[-60:] for one in ANSWERS]
)
@pytest.mark.parametrize("client", [by_elasticsearch, by_opensearch])
def test_what_the_server_answers(classify, client, status, body, cls, resource, pointer):
    with HTTPServer(status, body, PRODUCT) as server:
        error = classify(lambda: client(server.url))
    assert type(error) is cls
    assert error.http_status == status
    assert error.provider == ("opensearch" if client is by_opensearch else "elasticsearch")
    assert error.rule == "mulligan_stores:elasticsearch_answer"
    assert error.resource == resource
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])
    assert error.fatal is (cls in FATAL or "unauthorized" in str(body))


@pytest.mark.parametrize("client", [by_elasticsearch, by_opensearch])
def test_a_document_that_is_no_json(classify, client):
    error = classify(lambda: client("http://127.0.0.1:1", lambda one: one.index(index="logs", **{
        "document" if client is by_elasticsearch else "body": {"a": object()}})))  # fmt: skip
    assert (type(error), error.effect) == (ToolArgumentError, "none")


def test_the_pause_that_the_server_asks_for(classify):
    with HTTPServer(
        429, failed(429, "es_rejected_execution_exception", "x"), {**PRODUCT, "Retry-After": "9"}
    ) as server:
        error = classify(lambda: by_elasticsearch(server.url))
    assert (type(error), error.retry_after) == (ToolRateLimitError, 9.0)


@pytest.mark.parametrize("client", [by_elasticsearch, by_opensearch])
def test_transport(classify, client):
    with HTTPServer(headers=PRODUCT, mode="silence") as server:
        slow = classify(lambda: client(server.url))
    with HTTPServer(headers=PRODUCT, mode="hang up") as server:
        lost = classify(lambda: client(server.url))
    gone = classify(lambda: client(f"http://127.0.0.1:{closed_port()}"))
    assert (type(slow), slow.effect) == (ToolTimeoutError, "possible")
    assert (type(lost), lost.fatal, lost.effect) == (ToolConnectionError, False, "possible")
    unsure = "possible" if client is by_opensearch else "none"  # it tries again, and tells of the last time only
    assert (type(gone), gone.fatal, gone.effect) == (ToolConnectionError, True, unsure)


def test_an_attempt_before_the_last_one_counts(classify):
    with HTTPServer(headers=PRODUCT, mode="hang up") as server:
        hosts = [server.url, f"http://127.0.0.1:{closed_port()}"]
        with elasticsearch.Elasticsearch(hosts, max_retries=1, randomize_nodes_in_pool=False) as client:
            errors = [classify(lambda: client.index(index="logs", document={})) for _ in range(2)]
    assert {error.effect for error in errors} == {"possible"}


@pytest.mark.parametrize("client", [by_elasticsearch, by_opensearch])
def test_many_documents_by_a_query(classify, client):
    cause = {"type": "version_conflict_engine_exception", "reason": "[7]: version conflict"}
    body = {
        "updated": 3,
        "version_conflicts": 1,
        "failures": [{"index": "logs", "id": "7", "cause": cause, "status": 409}],
    }
    with HTTPServer(409, body, PRODUCT) as server:
        error = classify(lambda: client(server.url, lambda one: one.update_by_query(index="logs")))
    assert (type(error), error.code, error.effect) == (ResourceConflictError, "ABORTED", "possible")


def test_a_scroll_that_did_not_reach_all_shards(classify):
    def raising():
        raise elasticsearch.helpers.ScanError("id", "Scroll request has only succeeded on 1 shards out of 2.")

    assert classify(raising).provider == "elasticsearch"


def test_an_answer_of_opensearch_that_is_no_json(classify):
    def loading():
        opensearchpy.serializer.JSONSerializer().loads('{"took": ')

    error = classify(loading)
    assert (type(error), error.effect, error.provider) == (ToolExecutionError, "possible", "opensearch")
    assert error.message == "OpenSearch failed."


def test_a_server_that_is_no_elasticsearch(classify):
    with HTTPServer(200, {}) as server:
        error = classify(lambda: by_elasticsearch(server.url))
    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_stores:elasticsearch_product")


@pytest.mark.parametrize("library", ["elasticsearch", "opensearch"])
def test_many_documents_of_which_some_took_effect(classify, library):
    item = {"_index": "logs", "_id": "7", "status": 400, "error": {
        "type": "document_parsing_exception", "reason": "failed to parse field [age] of type [integer]"}}  # fmt: skip
    documents = [{"_index": "logs", "_id": "7", "age": "old"}]
    with HTTPServer(200, {"errors": True, "items": [{"index": item}]}, PRODUCT) as server:
        if library == "elasticsearch":
            error = classify(lambda: by_elasticsearch(server.url, lambda c: elasticsearch.helpers.bulk(c, documents)))
        else:
            error = classify(lambda: by_opensearch(server.url, lambda c: opensearchpy.helpers.bulk(c, documents)))
    assert (type(error), error.effect, error.problems[0].pointer) == (ToolArgumentError, "possible", "/age")


def by_qdrant(url, call=lambda client: client.get_collection("books")):
    client = qdrant_client.QdrantClient(url=url, check_compatibility=False, timeout=1)
    try:
        return call(client)
    finally:
        client.close()


QDRANT = [
    (404, "Not found: Collection `books` doesn't exist!", ResourceNotFoundError, "books"),
    (409, "Wrong input: Collection `books` already exists!", ResourceConflictError, "books"),
    (400, "Wrong input: Vector dimension error: expected dim: 4, got 3", ToolArgumentError, None),
    (401, "Must provide an API key or an Authorization bearer token", ToolAuthenticationError, None),
    (403, "Forbidden: Invalid api-key", ToolAuthenticationError, None),
    (403, "Forbidden: Global manage access is required", ToolPermissionError, None),
    (500, "Service internal error: No space left on device", ToolQuotaError, None),
    (503, "Service unavailable", ToolUnavailableError, None),
]


@pytest.mark.parametrize(("status", "text", "cls", "resource"), QDRANT)
def test_what_qdrant_answers(classify, status, text, cls, resource):
    with HTTPServer(status, {"status": {"error": text}, "time": 0.0}) as server:
        error = classify(lambda: by_qdrant(server.url))
    assert (type(error), error.resource, error.http_status) == (cls, resource, status)
    assert (error.provider, error.rule) == ("qdrant", "mulligan_stores:qdrant_answer")


def test_qdrant_asks_for_a_pause(classify):
    with HTTPServer(429, {}, {"Retry-After": "4", "Content-Type": "application/json"}) as server:
        error = classify(lambda: by_qdrant(server.url))
    assert isinstance(error.__cause__, ResourceExhaustedResponse)
    assert (type(error), error.retry_after) == (ToolRateLimitError, 4)


def test_qdrant_cannot_be_reached(classify):
    gone = classify(lambda: by_qdrant(f"http://127.0.0.1:{closed_port()}"))
    with HTTPServer(mode="silence") as server:
        slow = classify(lambda: by_qdrant(server.url))
    with HTTPServer(mode="hang up") as server:
        lost = classify(lambda: by_qdrant(server.url))
    with HTTPServer(200, {"nonsense": 1}) as server:
        odd = classify(lambda: by_qdrant(server.url))
    assert (type(gone), gone.fatal, gone.effect) == (ToolConnectionError, True, "none")
    assert (type(slow), slow.effect) == (ToolTimeoutError, "possible")
    assert (type(lost), lost.fatal, lost.effect) == (ToolConnectionError, False, "possible")
    assert type(odd) is ToolExecutionError


def test_an_answer_of_qdrant_that_cannot_be_decoded(classify):
    with HTTPServer(200, b"no gzip", {"Content-Encoding": "gzip"}) as server:
        error = classify(lambda: by_qdrant(server.url))
    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_stores:qdrant_other")
    assert (error.provider, error.message) == ("qdrant", "Qdrant failed.")


TENANT = {"/tenants/default_tenant/databases/": (200, {"id": "1b671a64-40d5-491e-99b0-da01ff1f3341", "name": "default_database", "tenant": "default_tenant"}),
          "/tenants/default_tenant": (200, {"name": "default_tenant"}), "/auth/identity": (200, {"user_id": "", "tenant": "*", "databases": ["*"]})}  # fmt: skip
CHROMA = [
    (404, "NotFoundError", "Collection [books] does not exist", ResourceNotFoundError, "books"),
    (409, "UniqueConstraintError", "Collection [books] already exists", ResourceConflictError, "books"),
    (400, "InvalidArgumentError", "Collection expecting embedding with dimension of 3, got 2", ToolArgumentError, None),
    (401, "AuthorizationError", "Unauthorized", ToolAuthenticationError, None),
    (403, "AuthError", "Forbidden", ToolAuthenticationError, None),
    (429, "RateLimitError", "Rate limit exceeded", ToolRateLimitError, None),
    (400, "QuotaError", "Quota exceeded", ToolQuotaError, None),
    (500, "InternalError", "boom", ToolUnavailableError, None),
    (500, "VersionMismatchError", "boom", ToolExecutionError, None),
]


@pytest.mark.parametrize(("status", "name", "text", "cls", "resource"), CHROMA)
def test_what_chroma_answers(classify, status, name, text, cls, resource):
    replies = {"/collections": (status, {"error": name, "message": text}), **TENANT}
    with HTTPServer(replies=replies) as server:
        client = chromadb.HttpClient(host="127.0.0.1", port=server.port)
        error = classify(lambda: client.get_collection("books"))
    assert isinstance(error.__cause__, chromadb.errors.ChromaError)
    assert (type(error), error.resource, error.http_status) == (cls, resource, status)
    assert (error.provider, error.rule) == ("chroma", "mulligan_stores:chroma_class")
