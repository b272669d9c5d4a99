"""MongoDB: by error code (https://www.mongodb.com/docs/manual/reference/error-codes/), else by the driver's class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mulligan.plugin import Failure, ResourceConflictError, Rules, ToolArgumentError, ToolError, ToolRateLimitError
from mulligan_stores import _meanings as m

rules = Rules()
_PROVIDER = "mongodb"
_MEANINGS: tuple[tuple[m.Meaning, tuple[int, ...]], ...] = (
    (m.REFUSED, (18, 214, 334, 391, 392)),
    (m.DENIED, (13,)),
    (m.missing, (4, 11, 26, 27, 31, 33, 43, 47, 60, 70, 71, 74, 177, 206, 211, 286, 339, 415)),
    (m.exists, (23, 48, 68, 416, 51002, 51003)),
    (
        m.WRONG,
        (2, 3, 5, 9, 14, 15, 16, 21, 22, 28, 29, 30, 34, 40, 49, 52, 53, 54, 55, 56, 57, 58, 59, 61, 66, 67, 72, 73),
    ),
    (
        m.WRONG,
        (79, 111, 116, 139, 153, 159, 160, 165, 168, 171, 181, 182, 195, 197, 201, 207, 232, 241, 242, 257, 260, 271),
    ),
    (
        m.WRONG,
        (291, 292, 349, 352, 357, 378, 396, 10003, 10334, 17280, 17419, 17420, 31249, 31253, 31254, 40413, 40414),
    ),
    (m.WRONG, (40415, 51024, 51075, 51091, 51108, 51270)),
    (
        m.FORBIDDEN,
        (10, 20, 35, 44, 45, 85, 86, 98, 118, 123, 125, 148, 163, 166, 167, 178, 215, 225, 226, 244, 251, 263),
    ),
    (m.FORBIDDEN, (280, 319, 338, 340, 346, 359, 361, 370, 371, 376)),
    (m.ABORTED, (24, 36, 46, 107, 112, 117, 143, 200, 239, 246, 249, 250, 267, 272, 285, 314, 363, 12586, 12587)),
    (m.TOO_SLOW, (50, 262, 290)),
    (m.TIMED_OUT, (64, 89, 202, 407)),
    (m.CANCELLED, (90, 175, 237, 279, 11601, 46841)),
    (m.NOT_READY, (94, 95, 133, 134, 149, 203, 216, 261, 433, 450, 13388, 13435, 13436)),
    (m.UNAVAILABLE, (6, 7, 91, 100, 189, 230, 264, 317, 355, 365, 384, 402, 9001, 10058, 10107, 11600, 11602)),
    (m.LIMITED, (449, 462)),
    (m.EXHAUSTED, (146,)),
    (m.FULL, (12501, 14031)),
    (m.UNSUPPORTED, (101, 115, 169, 188, 224, 235, 238, 303, 304, 322, 323, 324, 347, 31082)),
    (m.FAILED, (1, 8, 17, 96)),
)
_CODES: Mapping[int, m.Meaning] = {code: meaning for meaning, codes in _MEANINGS for code in codes}
_DUPLICATE = frozenset({11000, 11001, 12582})
_VALIDATION = 121
_COSMOS_LIMIT, _ATLAS = 16500, 8000
_NAMED = (
    r"(?:Collection|collection|index|Index|User|Role|database|ns) (?:not found with name |named )?"
    r"[\[\"'`]?([\w.$@-]{1,200})[\]\"'`]? (?:already exists|not found)|index not found with name \[([^\]]{1,200})\]"
)
_COLLECTION = r"collection: (\S{1,200})"
_PAUSE = r"RetryAfterMs=(\d{1,9})"
_COUNTS = ("nInserted", "nUpserted", "nModified", "nRemoved", "nMatched")
_CLIENT_COUNTS = ("insertedCount", "upsertedCount", "matchedCount", "modifiedCount", "deletedCount")
_MIDWAY = "Plan executor error during"
_UNKNOWN_RESULT = "UnknownTransactionCommitResult"


@rules("pymongo.errors.BulkWriteError", "pymongo.errors.ClientBulkWriteException")
def mongodb_bulk(failure: Failure) -> ToolError | None:
    """Many writes at once: the first one that failed says why; those before it took effect."""
    details = failure.look("details")
    if not isinstance(details, Mapping):
        return None
    stopped = details.get("error")
    writes = [one for one in details.get("writeErrors") or () if isinstance(one, Mapping)]
    unsure = [one for one in details.get("writeConcernErrors") or () if isinstance(one, Mapping)]
    first: Mapping[str, Any] = next(iter([*writes, *unsure]), {})
    text = str(first.get("errmsg", ""))[:2_000]
    error = _by_code(first.get("code"), text, first)
    if error is None and isinstance(stopped, Exception):
        error = rules.decide(failure.about(stopped))
    applied = any(isinstance(details.get(name), int) and details[name] for name in (*_COUNTS, *_CLIENT_COUNTS))
    if error is not None and (applied or unsure or _MIDWAY in text):
        error.effect = "possible"
    return error


@rules("pymongo.errors.OperationFailure", "pymongo.errors.NotPrimaryError")
def mongodb_code(failure: Failure) -> ToolError | None:
    """The server's answer, by its code."""
    details = failure.look("details")
    code = failure.look("code") or failure.look("details", "code")
    error = _by_code(code, failure.text, details if isinstance(details, Mapping) else {})
    if error is None and failure.matches("pymongo.errors.ExecutionTimeout", "pymongo.errors.WTimeoutError"):
        return m.TIMED_OUT(provider=_PROVIDER)
    if error is None and failure.matches("pymongo.errors.NotPrimaryError"):
        return m.UNAVAILABLE(provider=_PROVIDER)
    if error is not None and _may_have_acted(failure):
        error.effect = "possible"
    return error


def _may_have_acted(failure: Failure) -> bool:
    """Whether something was done: before a write concern failed, in the middle of an update, or by a commit."""
    labels = failure.look("_error_labels")
    unknown = isinstance(labels, set) and _UNKNOWN_RESULT in labels
    return unknown or _MIDWAY in failure.text or failure.matches("pymongo.errors.WriteConcernError")


def _by_code(code: object, text: str, details: Mapping[str, Any]) -> ToolError | None:
    if not isinstance(code, int):
        return None
    if code in _DUPLICATE:
        return _duplicate(text, details)
    if code == _VALIDATION:
        return _invalid(details)
    if code == _COSMOS_LIMIT and (pause := m.find_name(_PAUSE, text)):
        message = "The rate limit of the store is reached."
        return ToolRateLimitError(message, retry_after=int(pause) / 1_000, provider=_PROVIDER)
    if code == _ATLAS:
        return _atlas(text)
    if code == 13 and "requires authentication" in text:
        return m.REFUSED(provider=_PROVIDER)
    meaning = _CODES.get(code)
    if meaning is m.missing or meaning is m.exists:
        return meaning(m.find_name(_NAMED, text), provider=_PROVIDER)
    return None if meaning is None else meaning(provider=_PROVIDER)


def _duplicate(text: str, details: Mapping[str, Any]) -> ToolError:
    """A unique index: `keyValue` names its fields."""
    fields = details.get("keyPattern") or details.get("keyValue")
    names = [name for name in fields if isinstance(name, str)] if isinstance(fields, Mapping) else []
    problems = [m.problem(name, "this value already exists", "a value that no other document has") for name in names]
    message = f"A document with this value{f' of {names[0]}' if names else ''} already exists."
    where = m.find_name(_COLLECTION, text)
    return ResourceConflictError(message, code="ALREADY_EXISTS", problems=problems, resource=where, provider=_PROVIDER)


def _invalid(details: Mapping[str, Any]) -> ToolError:
    """A document that breaks the collection's schema; MongoDB 5.0 and later name the fields."""
    problems = [m.problem(name, "the value violates the collection's schema") for name in _broken(details)]
    return ToolArgumentError(
        "The document violates the collection's schema.", problems=problems[:8], provider=_PROVIDER
    )


def _broken(details: Mapping[str, Any]) -> Iterable[str]:
    waiting: list[Any] = [details.get("errInfo")]
    for _ in range(200):
        if not waiting:
            return
        one = waiting.pop(0)
        if isinstance(one, Mapping):
            if isinstance(one.get("propertyName"), str):
                yield one["propertyName"]
            if isinstance(one.get("missingProperties"), list):
                yield from (name for name in one["missingProperties"] if isinstance(name, str))
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one[:32]


def _atlas(text: str) -> ToolError | None:
    """MongoDB Atlas puts its own refusals under one code."""
    for phrase, meaning in (
        ("uthentication failed", m.REFUSED),
        ("not allowed to do action", m.DENIED),
        ("over your space quota", m.FULL),
        ("too many requests", m.LIMITED),
    ):
        if phrase in text:
            return meaning(provider=_PROVIDER)
    return None


@rules("pymongo.errors.WaitQueueTimeoutError", "pymongo.errors.NetworkTimeout")
def mongodb_timeout(failure: Failure) -> ToolError:
    """No free connection, or no answer, in time."""
    waiting = failure.matches("pymongo.errors.WaitQueueTimeoutError")
    return (m.NOT_CONNECTED if waiting else m.TIMED_OUT)(provider=_PROVIDER)


@rules("pymongo.errors.ServerSelectionTimeoutError")
def mongodb_selection(failure: Failure) -> ToolError:
    """No server could be chosen: none can be reached, or none of those is the primary."""
    if failure.says(
        "refused", "Name or service not known", "nodename nor servname provided", "unreachable", "SSL", "TLS"
    ):
        return m.UNREACHABLE(provider=_PROVIDER)
    if failure.says(
        "No primary available for writes", "No replica set members match", "No replica set members available"
    ):
        return m.NOT_READY(provider=_PROVIDER)
    timed_out = failure.says("timed out")
    return (m.NOT_CONNECTED if timed_out else m.UNREACHABLE)(provider=_PROVIDER)


@rules("pymongo.errors.ConnectionFailure")
def mongodb_connection(failure: Failure) -> ToolError:
    """A connection that was lost, or could not be made."""
    refused = failure.says("Connection refused", "Name or service not known", "SSL handshake failed")
    return (m.UNREACHABLE if refused else m.DROPPED)(provider=_PROVIDER)


@rules("bson.errors.BSONError", "pymongo.errors.InvalidName")
def mongodb_value(failure: Failure) -> ToolError:
    """A value, id or name that MongoDB cannot hold, or an answer that is no BSON."""
    return (m.UNREADABLE if failure.matches("bson.errors.InvalidBSON") else m.WRONG)(provider=_PROVIDER)


@rules("builtins.OverflowError")
def mongodb_integer(failure: Failure) -> ToolError | None:
    """A whole number of more than 64 bits, which the driver refuses before it asks MongoDB."""
    return m.WRONG(provider=_PROVIDER) if failure.says("MongoDB can only handle up to 8-byte ints") else None


@rules("pymongo.errors.CollectionInvalid", "gridfs.errors.FileExists")
def mongodb_exists(failure: Failure) -> ToolError:
    """A collection or file that is there already."""
    return m.exists(m.find_name(r"collection (\S{1,200}) already exists", failure.text), provider=_PROVIDER)


@rules("gridfs.errors.NoFile")
def mongodb_file(failure: Failure) -> ToolError:
    """A GridFS file that is not there."""
    return m.missing(failure.resource, provider=_PROVIDER)


@rules("pymongo.errors.ConfigurationError")
def mongodb_address(failure: Failure) -> ToolError:
    """A connection string that is wrong, or whose name has no address."""
    lost = failure.says("DNS", "resolution lifetime expired", "does not exist")
    return (m.UNREACHABLE if lost else m.MISUSED)(provider=_PROVIDER)


@rules("pymongo.errors.PyMongoError")
def mongodb_driver(failure: Failure) -> ToolError:
    """Anything else that the driver raises."""
    return m.FAILED(provider=_PROVIDER)
