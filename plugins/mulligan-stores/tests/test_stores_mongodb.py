"""MongoDB's documented answers, sent over loopback to the real driver."""

from __future__ import annotations

import bson
import gridfs
import pymongo
import pymongo.errors
import pytest
from stores_servers import MongoServer, closed_port

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


def find(database):
    return database.users.find_one({"x": 1})


def ask(port, call=find, host="127.0.0.1", **more):
    settings = {"serverSelectionTimeoutMS": 1_500, "retryReads": False, "retryWrites": False, **more}
    with pymongo.MongoClient(host, port, **settings) as client:
        return call(client.shop)


def failed(code, name, text, **more):
    return {"ok": 0.0, "errmsg": text, "code": code, "codeName": name, **more}


ANSWERS = [
    (18, "AuthenticationFailed", "Authentication failed.", ToolAuthenticationError, True),
    (13, "Unauthorized", "command find requires authentication", ToolAuthenticationError, True),
    (8000, "AtlasError", "bad auth : authentication failed", ToolAuthenticationError, True),
    (13, "Unauthorized", "not authorized on shop to execute command { find: 'users' }", ToolPermissionError, True),
    (8000, "AtlasError", "user is not allowed to do action [find] on [shop.users]", ToolPermissionError, True),
    (2, "BadValue", "unknown operator: $foo", ToolArgumentError, False),
    (9, "FailedToParse", "unknown top level operator: $foo", ToolArgumentError, False),
    (14, "TypeMismatch", "Field 'limit' must be of type number", ToolArgumentError, False),
    (59, "CommandNotFound", "no such command: 'foo'", ToolArgumentError, False),
    (66, "ImmutableField", "Performing an update on the path '_id'", ToolArgumentError, False),
    (10334, "BSONObjectTooLarge", "object to insert too large", ToolArgumentError, False),
    (26, "NamespaceNotFound", "ns not found", ResourceNotFoundError, False),
    (43, "CursorNotFound", "cursor id 7 not found", ResourceNotFoundError, False),
    (48, "NamespaceExists", "Collection shop.users already exists.", ResourceConflictError, False),
    (85, "IndexOptionsConflict", "An equivalent index already exists", ResourceConflictError, False),
    (112, "WriteConflict", "WriteConflict error", ResourceConflictError, False),
    (251, "NoSuchTransaction", "Transaction 1 has been aborted", ResourceConflictError, False),
    (50, "MaxTimeMSExpired", "operation exceeded time limit", ToolTimeoutError, False),
    (262, "ExceededTimeLimit", "operation exceeded time limit", ToolTimeoutError, False),
    (11601, "Interrupted", "operation was interrupted", ToolCancelledError, False),
    (10107, "NotWritablePrimary", "not primary", ToolUnavailableError, False),
    (189, "PrimarySteppedDown", "stepped down", ToolUnavailableError, False),
    (6, "HostUnreachable", "a shard cannot be reached", ToolUnavailableError, False),
    (433, "AdmissionQueueOverflow", "too many operations wait", ToolUnavailableError, False),
    (462, "IngressRequestRateLimitExceeded", "slow down", ToolRateLimitError, False),
    (214, "AuthenticationRestrictionUnmet", "not from this address", ToolAuthenticationError, True),
    (163, "ZoneStillInUse", "zone still in use", ResourceConflictError, False),
    (272, "MigrationConflict", "chunk has moved", ResourceConflictError, False),
    (257, "TransactionTooLarge", "transaction too large", ToolArgumentError, False),
    (40415, "IDLUnknownField", "BSON field 'find.limt' is an unknown field.", ToolArgumentError, False),
    (11600, "InterruptedAtShutdown", "interrupted at shutdown", ToolUnavailableError, False),
    (
        16500,
        "TooManyRequests",
        "Error=16500, RetryAfterMs=340, Details='Request rate is large'",
        ToolRateLimitError,
        False,
    ),
    (14031, "OutOfDiskSpace", "Cannot take a write lock while out of disk space", ToolQuotaError, True),
    (8000, "AtlasError", "you are over your space quota, using 513 MB of 512 MB", ToolQuotaError, True),
    (303, "FeatureNotSupported", "not supported", ToolExecutionError, False),
    (1, "InternalError", "assertion failed", ToolExecutionError, False),
    (999_999, "Location999999", "anything else", ToolExecutionError, False),
]


@pytest.mark.parametrize(
    ("code", "name", "text", "cls", "fatal"), ANSWERS, ids=[f"{one[0]}-{one[3].__name__}" for one in ANSWERS]
)
def test_what_the_server_answers(classify, code, name, text, cls, fatal):
    with MongoServer(failed(code, name, text)) as server:
        error = classify(lambda: ask(server.port))
    assert (type(error), error.fatal) == (cls, fatal)
    assert error.provider == "mongodb"
    assert error.rule in ("mulligan_stores:mongodb_code", "mulligan_stores:mongodb_other")
    assert error.retry_after == (0.34 if code == 16500 else None)
    if code == 48:
        assert (error.code, error.resource) == ("ALREADY_EXISTS", "shop.users")
    if code == 112:
        assert (error.code, error.transient, error.effect) == ("ABORTED", True, "none")


def test_a_value_that_is_taken_names_its_field(classify):
    taken = {
        "index": 0, "code": 11000, "keyPattern": {"contact.email": 1}, "keyValue": {"contact.email": "a@b.c"},
        "errmsg": "E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: 'a@b.c' }",
    }  # fmt: skip
    with MongoServer({"ok": 1.0, "n": 0, "writeErrors": [taken]}) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_one({"_id": 1})))
    assert (type(error), error.code) == (ResourceConflictError, "ALREADY_EXISTS")
    assert (error.resource, error.problems[0].pointer) == ("shop.users", "/contact/email")
    assert error.message == "A document with this value of contact.email already exists."


def test_a_document_that_breaks_the_schema_names_its_fields(classify):
    details = {
        "operatorName": "$jsonSchema",
        "schemaRulesNotSatisfied": [
            {"operatorName": "properties", "propertiesNotSatisfied": [{"propertyName": "age", "details": []}]},
            {"operatorName": "required", "missingProperties": ["email"]},
        ],
    }
    broken = {"index": 0, "code": 121, "errmsg": "Document failed validation", "errInfo": {"details": details}}
    with MongoServer({"ok": 1.0, "n": 0, "writeErrors": [broken]}) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_one({"_id": 1})))
    assert type(error) is ToolArgumentError
    assert {problem.pointer for problem in error.problems} == {"/age", "/email"}


def test_many_writes_of_which_some_took_effect(classify):
    taken = {
        "index": 1,
        "code": 11000,
        "keyPattern": {"_id": 1},
        "errmsg": "E11000 duplicate key error collection: shop.users",
    }
    with MongoServer({"ok": 1.0, "n": 1, "writeErrors": [taken]}) as server:
        error = classify(
            lambda: ask(server.port, lambda database: database.users.insert_many([{"_id": 1}, {"_id": 2}]))
        )
    assert (type(error), error.effect) == (ResourceConflictError, "possible")
    assert error.rule == "mulligan_stores:mongodb_bulk"


def test_a_write_that_was_not_confirmed_in_time(classify):
    concern = {
        "code": 64,
        "codeName": "WriteConcernFailed",
        "errmsg": "waiting for replication timed out",
        "errInfo": {"wtimeout": True},
    }
    with MongoServer({"ok": 1.0, "n": 1, "writeConcernError": concern}) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_one({"_id": 1})))
    assert (type(error), error.effect) == (ToolTimeoutError, "possible")


def test_no_answer_in_time_and_a_dropped_connection(classify):
    with MongoServer("silence") as server:
        slow = classify(lambda: ask(server.port, socketTimeoutMS=200))
    with MongoServer(None) as server:
        lost = classify(lambda: ask(server.port))
    assert (type(slow), slow.effect) == (ToolTimeoutError, "possible")
    assert (type(lost), lost.fatal, lost.transient, lost.effect) == (ToolConnectionError, False, True, "possible")


def test_nobody_listens_or_the_host_has_no_address(classify):
    errors = [
        classify(lambda: ask(closed_port(), serverSelectionTimeoutMS=300)),
        classify(lambda: ask(27017, host="db.example.invalid", serverSelectionTimeoutMS=300)),
    ]
    assert [type(error) for error in errors] == [ToolConnectionError] * 2
    assert all(error.fatal and error.effect == "none" for error in errors)
    assert {error.rule for error in errors} == {"mulligan_stores:mongodb_selection"}


def test_a_replica_set_without_a_primary(classify):
    error = classify(lambda: raise_(pymongo.errors.ServerSelectionTimeoutError("No primary available for writes")))
    assert (type(error), error.transient) == (ToolUnavailableError, True)


def test_a_pool_without_a_free_connection(classify):
    found = {"ok": 1.0, "cursor": {"id": 0, "ns": "shop.users", "firstBatch": []}}
    more = {"maxPoolSize": 1, "waitQueueTimeoutMS": 100}
    with MongoServer(found) as server, pymongo.MongoClient("127.0.0.1", server.port, **more) as client:
        pool = client._get_topology().select_server(lambda servers: servers, "find").pool
        with pool.checkout():
            error = classify(lambda: find(client.shop))
    assert (type(error), error.effect) == (ToolTimeoutError, "none")


def test_values_and_names_that_mongodb_cannot_hold(classify):
    errors = [
        classify(lambda: bson.ObjectId("xyz")),
        classify(lambda: bson.encode({"a": object()})),
        classify(lambda: pymongo.MongoClient(connect=False)["a b"]),
    ]
    assert [type(error) for error in errors] == [ToolArgumentError] * 3
    assert {error.rule for error in errors} == {"mulligan_stores:mongodb_value"}


def test_files_and_collections(classify):
    missing = classify(lambda: raise_(gridfs.errors.NoFile("no file in gridfs collection")), filename="a.pdf")
    assert (type(missing), missing.resource) == (ResourceNotFoundError, "a.pdf")
    taken = classify(lambda: raise_(pymongo.errors.CollectionInvalid("collection users already exists")))
    assert (type(taken), taken.code, taken.resource) == (ResourceConflictError, "ALREADY_EXISTS", "users")


def test_an_address_that_cannot_be_read_and_a_client_that_was_closed(classify):
    error = classify(lambda: pymongo.MongoClient("nonsense://x"))
    assert (type(error), error.rule) == (ToolArgumentError, "mulligan_stores:mongodb_uri")
    error = classify(lambda: pymongo.MongoClient(["127.0.0.1", "127.0.0.2"], directConnection=True))
    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_stores:mongodb_address")
    client = pymongo.MongoClient(connect=False)
    client.close()
    assert type(classify(lambda: find(client.shop))) is ToolExecutionError


@pytest.mark.parametrize("code", [189, 6, 91, 11600, 11602, 10107, 262])
def test_a_server_that_steps_down_may_have_acted(classify, code):
    with MongoServer(failed(code, "Any", "any words")) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_one({"_id": 1})))
    assert (error.effect, error.transient) == ("possible", True)


def test_an_update_that_failed_midway(classify):
    broken = {"index": 0, "code": 14, "errmsg": "Plan executor error during update :: caused by :: Cannot apply $inc"}
    with MongoServer({"ok": 1.0, "n": 0, "nModified": 0, "writeErrors": [broken]}) as server:
        error = classify(
            lambda: ask(server.port, lambda database: database.users.update_many({}, {"$inc": {"name": 1}}))
        )
    assert (type(error), error.effect) == (ToolArgumentError, "possible")


def test_a_write_whose_concern_is_wrong_was_done(classify):
    concern = {"code": 79, "codeName": "UnknownReplWriteConcern", "errmsg": "No write concern mode named 'x' found"}
    with MongoServer({"ok": 1.0, "n": 1, "writeConcernError": concern}) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_one({"_id": 1})))
    assert (type(error), error.effect) == (ToolArgumentError, "possible")


def test_a_commit_whose_end_is_unknown(classify):
    told = failed(251, "NoSuchTransaction", "any words", errorLabels=["UnknownTransactionCommitResult"])
    error = classify(lambda: raise_(pymongo.errors.OperationFailure("any words", 251, told)))
    assert (type(error), error.effect) == (ResourceConflictError, "possible")


def test_many_writes_of_a_client_at_once(classify):
    taken = {"idx": 1, "code": 11000, "keyPattern": {"_id": 1}, "errmsg": "E11000 duplicate key error"}
    written = {"anySuccessful": True, "insertedCount": 1, "writeErrors": [taken], "writeConcernErrors": []}
    error = classify(lambda: raise_(pymongo.errors.ClientBulkWriteException(written, False)))
    assert (type(error), error.effect, error.rule) == (
        ResourceConflictError,
        "possible",
        "mulligan_stores:mongodb_bulk",
    )
    lost = {"error": pymongo.errors.AutoReconnect("connection closed"), "writeErrors": [], "insertedCount": 0}
    error = classify(lambda: raise_(pymongo.errors.ClientBulkWriteException(lost, False)))
    assert (type(error), error.effect) == (ToolConnectionError, "possible")


def test_what_does_not_fit_into_bson(classify):
    number = classify(lambda: bson.encode({"a": 2**70}))
    assert (type(number), number.provider) == (ToolArgumentError, "mongodb")
    answer = classify(lambda: bson.decode(b"nonsense"))
    assert (type(answer), answer.provider, answer.effect) == (ToolExecutionError, "mongodb", "possible")


LABELS = [
    (112, ["TransientTransactionError"], ResourceConflictError, "none"),
    (999_999, ["TransientTransactionError"], ResourceConflictError, "none"),
    (189, ["RetryableWriteError", "NoWritesPerformed"], ToolUnavailableError, "none"),
    (189, ["RetryableWriteError"], ToolUnavailableError, "possible"),
    (462, ["SystemOverloadedError", "RetryableError"], ToolRateLimitError, "none"),
]


@pytest.mark.parametrize(("code", "labels", "cls", "effect"), LABELS)
def test_the_labels_of_an_answer(classify, code, labels, cls, effect):
    with MongoServer(failed(code, "Any", "any words", errorLabels=labels)) as server:
        error = classify(lambda: ask(server.port))
    assert (type(error), error.effect, error.transient) == (cls, effect, True)


def test_a_document_that_is_too_large(classify):
    big = {"_id": 1, "blob": "x" * 17_000_000}
    with MongoServer({"ok": 1.0, "n": 1}) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_one(big)))
    assert (type(error), error.effect) == (ToolArgumentError, "none")
    assert error.message == "The request is too large for MongoDB."


def test_many_writes_of_which_none_took_effect(classify):
    taken = {"index": 0, "code": 11000, "keyPattern": {"_id": 1}, "errmsg": "E11000 duplicate key error"}
    with MongoServer({"ok": 1.0, "n": 0, "writeErrors": [taken]}) as server:
        error = classify(lambda: ask(server.port, lambda database: database.users.insert_many([{"_id": 1}])))
    assert (type(error), error.effect) == (ResourceConflictError, "none")


def raise_(exception):
    raise exception
