"""MongoDB, through PyMongo: by error code and label, otherwise by the class of the exception.

error_codes.yml of MongoDB 5.2.1 (2022-02-28), whose list is `tests/published/mongodb.txt`, and the codes that versions 6
to 8, Atlas and Cosmos DB added: https://www.mongodb.com/docs/manual/reference/error-codes/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from mulligan.plugin import (
    Codes,
    Failure,
    Problem,
    ResourceConflictError,
    Rules,
    ToolError,
    pointer_to,
)
from mulligan.plugin import meanings as m
from mulligan_stores.store import (
    ABORTED,
    EXHAUSTED,
    FULL,
    MISUSED,
    NOT_READY,
    RAISED,
    TOO_SLOW,
    UNREADABLE,
    Meaning,
    Phrases,
    Store,
    error_by_words,
    find_name,
    store_error,
)

rules = Rules("mongodb")
last = Rules("mongodb", last=True)
MONGODB = Store("mongodb", "MongoDB")
DUPLICATE = m.EXISTS._replace(message="A document with this value already exists")
INVALID_ADDRESS = m.ARGUMENT._replace(message="The connection string of the service is invalid")
INVALID_DOCUMENT = m.ARGUMENT._replace(message="The document violates the schema of the collection")
_error = partial(store_error, store=MONGODB)
codes = Codes(
    {
        m.AUTHENTICATION: (18, 214, 334, 391, 392),
        m.PERMISSION: (13,),
        m.NOT_FOUND: (
            4, 11, 26, 27, 31, 33, 43, 47, 60, 70, 71, 74, 177, 206, 211, 286, 327, 335, 339, 415, 13113,
        ),
        m.EXISTS: (23, 48, 68, 416, 13297, 51002, 51003),
        DUPLICATE: (11000, 11001, 12582),
        INVALID_DOCUMENT: (121,),
        m.ARGUMENT: (
            2, 3, 5, 9, 12, 14, 15, 16, 21, 22, 25, 28, 29, 30, 34, 40, 49, 52, 53, 54, 55, 56, 57, 58, 59, 61, 66, 67, 72,
            73, 79, 81, 97, 111, 116, 130, 139, 151, 153, 159, 160, 165, 168, 170, 171, 181, 182, 195, 197, 201, 207, 223,
            232, 233, 241, 242, 257, 258, 260, 271, 278, 291, 292, 349, 352, 357, 378, 396, 10003, 10334, 17280, 17419,
            17420, 31249, 31253, 31254, 40413, 40414, 40415, 50768, 51024, 51075, 51091, 51108, 51270,
        ),
        m.CONFLICT: (
            10, 19, 20, 32, 35, 44, 45, 76, 85, 86, 87, 93, 98, 102, 103, 105, 110, 118, 119, 123, 125, 148, 155, 157, 158,
            162, 163, 166, 167, 178, 192, 193, 213, 215, 217, 222, 225, 226, 227, 229, 243, 244, 251, 252, 256, 263, 268,
            280, 308, 313, 319, 325, 329, 332, 338, 340, 341, 344, 345, 346, 350, 351, 353, 356, 359, 361, 370, 371, 376,
        ),
        ABORTED: (
            24, 36, 46, 63, 107, 109, 112, 117, 135, 136, 143, 150, 200, 221, 234, 239, 246, 249, 250, 267, 272, 276, 283,
            285, 314, 320, 321, 343, 348, 363, 12586, 12587,
        ),
        TOO_SLOW: (50, 262, 290),
        m.TIMEOUT: (64, 89, 202, 342, 407),
        m.CANCELLED: (90, 175, 194, 237, 279, 310, 11601, 46841),
        NOT_READY: (
            92, 94, 95, 104, 113, 114, 133, 134, 138, 149, 164, 187, 203, 204, 205, 209, 216, 261, 433, 450, 13388, 13435,
            13436,
        ),
        m.UNAVAILABLE: (
            6, 7, 75, 82, 83, 91, 100, 108, 120, 140, 141, 172, 189, 190, 199, 228, 230, 231, 240, 264, 299, 302, 317, 355,
            365, 384, 402, 9001, 10058, 10107, 11600, 11602, 56846,
        ),
        m.DROPPED: (145, 288),
        m.RATE_LIMIT: (449, 462),
        EXHAUSTED: (146, 208),
        FULL: (12501, 14031),
        m.UNIMPLEMENTED: (62, 101, 115, 161, 169, 188, 224, 235, 238, 303, 304, 322, 323, 324, 347, 358, 31082),
        MISUSED: (183, 184, 185, 186, 293, 294, 295, 296, 298, 354),
        RAISED: (142,),
        m.FAILED: (
            1, 8, 17, 37, 38, 39, 41, 42, 51, 65, 69, 77, 78, 80, 96, 106, 124, 126, 127, 128, 129, 137, 144, 147, 152, 154,
            173, 174, 176, 179, 180, 210, 212, 218, 219, 220, 245, 247, 248, 253, 254, 255, 259, 265, 266, 269, 270, 273,
            274, 275, 277, 297, 300, 301, 307, 309, 326, 330, 331,
        ),
    },
    skipped={
        "it stays within the servers": (281, 282, 287, 289, 306, 311, 312, 315, 316, 328, 333, 336, 337),
        "no server answers it any more": (84, 88, 122, 132, 156, 191, 198, 9996, 13104),
        "it is for the tests of MongoDB itself": (236, 284, 318),
    },
)  # fmt: skip
_NAMED = (
    r"(?:Collection|collection|index|Index|User|Role|database|ns) (?:not found with name |named )?"
    r"[\[\"'`]?([\w.$@-]{1,200})[\]\"'`]? (?:already exists|not found)|index not found with name \[([^\]]{1,200})\]"
)
_COLLECTION = r"collection: (\S{1,200})"
_PAUSE = r"RetryAfterMs=(\d{1,9})"
_COUNTS = (
    "nInserted", "nUpserted", "nModified", "nRemoved", "nMatched",
    "insertedCount", "upsertedCount", "matchedCount", "modifiedCount", "deletedCount",
)  # fmt: skip
_MIDWAY = "Plan executor error during"
_ATLAS = 8000
_ATLAS_WORDS = (
    ("uthentication failed", m.AUTHENTICATION),
    ("not allowed to do action", m.PERMISSION),
    ("over your space quota", FULL),
    ("too many requests", m.RATE_LIMIT),
)
_SELECTION: Phrases = (
    (("refused", "Name or service not known", "nodename nor servname provided", "unreachable"), m.UNREACHABLE),
    (("SSL", "TLS"), m.TLS),
    (("No primary available for writes", "No replica set members match"), NOT_READY),
    (("No replica set members available",), NOT_READY),
    (("timed out",), m.NOT_SENT),
)
_CONNECTION: Phrases = (
    (("Connection refused", "Name or service not known"), m.UNREACHABLE),
    (("SSL handshake failed",), m.TLS),
)


@rules("pymongo.errors.BulkWriteError", "pymongo.errors.ClientBulkWriteException")
def mongodb_bulk(failure: Failure) -> ToolError | None:
    """Many writes at once: the first one that failed gives the reason; those before it took effect."""
    details = failure.look("details")
    if not isinstance(details, Mapping):
        return None
    stopped = details.get("error")
    writes, unsure = _failed(details.get("writeErrors")), _failed(details.get("writeConcernErrors"))
    first: Mapping[str, Any] = next(iter([*writes, *unsure]), {})
    text = str(first.get("errmsg", ""))[:2_000]
    error = _by_code(failure, first.get("code"), text, first)
    if error is None and isinstance(stopped, Exception):
        error = rules.decide(failure.about(stopped))
    applied = any(isinstance(details.get(name), int) and details[name] for name in _COUNTS)
    if error is not None and (applied or unsure or _MIDWAY in text):
        error.effect = "possible"
    return error


def _failed(errors: object) -> list[Mapping[str, Any]]:
    return [one for one in errors if isinstance(one, Mapping)] if isinstance(errors, list) else []


@rules("pymongo.errors.OperationFailure", "pymongo.errors.NotPrimaryError")
def mongodb_code(failure: Failure) -> ToolError | None:
    """The answer of the server by its code; its labels show whether something was written."""
    details = failure.look("details")
    code = failure.look("code") or failure.look("details", "code")
    error = _by_code(failure, code, failure.text, details if isinstance(details, Mapping) else {})
    if error is None and failure.matches("pymongo.errors.ExecutionTimeout", "pymongo.errors.WTimeoutError"):
        error = _error(failure, m.TIMEOUT)
    if error is None and failure.matches("pymongo.errors.NotPrimaryError"):
        error = _error(failure, m.UNAVAILABLE)
    labels = failure.look("_error_labels")
    labels = labels if isinstance(labels, set) else set()
    if error is None and "TransientTransactionError" in labels:
        error = _error(failure, ABORTED)
    if error is not None and _may_have_written(failure, labels):
        error.effect = "possible"
    elif error is not None and "NoWritesPerformed" in labels:
        error.effect = "none"
    return error


def _may_have_written(failure: Failure, labels: set[str]) -> bool:
    """Whether something was written: before a write concern failed, in the middle of an update, or by a commit."""
    unknown = "UnknownTransactionCommitResult" in labels
    return unknown or _MIDWAY in failure.text or failure.matches("pymongo.errors.WriteConcernError")


def _by_code(failure: Failure, code: object, text: str, details: Mapping[str, Any]) -> ToolError | None:
    meaning = _meaning(code, text)
    pause = find_name(_PAUSE, text)
    if code == 16500 and pause:
        return _error(failure, m.RATE_LIMIT, code=code, retry_after=int(pause) / 1_000)
    if meaning is DUPLICATE:
        return _duplicate(text, details)
    if meaning is INVALID_DOCUMENT:
        problems = [Problem(pointer_to(name), "the value violates the schema") for name in _broken(details)]
        return _error(failure, meaning, code=code, problems=problems[:8])
    if meaning is None:
        return None
    name = find_name(_NAMED, text) if meaning in (m.NOT_FOUND, m.EXISTS) else None
    return _error(failure, meaning, code=details.get("codeName") or code, name=name)


def _meaning(code: object, text: str) -> Meaning | None:
    if code == _ATLAS:  # MongoDB Atlas has one code for its own answers
        return next((meaning for phrase, meaning in _ATLAS_WORDS if phrase in text), None)
    if code == 13 and "requires authentication" in text:
        return m.AUTHENTICATION
    return codes.meaning_of(code)


def _duplicate(text: str, details: Mapping[str, Any]) -> ToolError:
    """A unique index: `keyPattern` or `keyValue` names its fields."""
    fields = details.get("keyPattern") or details.get("keyValue")
    names = [name for name in fields if isinstance(name, str)] if isinstance(fields, Mapping) else []
    expected = "a value that no other document has"
    problems = [Problem(pointer_to(name), "this value already exists", expected) for name in names]
    message = f"A document with this value{f' of {names[0]}' if names else ''} already exists."
    where = find_name(_COLLECTION, text)
    return ResourceConflictError(message, code="ALREADY_EXISTS", problems=problems, resource=where, effect="none")


def _broken(details: Mapping[str, Any]) -> Iterable[str]:
    """The fields that break the schema of a collection, which MongoDB 5.0 and later name."""
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


@rules("pymongo.errors.WaitQueueTimeoutError")
def mongodb_pool(failure: Failure) -> ToolError:
    """No connection of the pool was free in time."""
    return _error(failure, m.NOT_SENT)


@rules("pymongo.errors.NetworkTimeout")
def mongodb_timeout(failure: Failure) -> ToolError:
    """No answer in time."""
    return _error(failure, m.TIMEOUT)


@rules("pymongo.errors.ServerSelectionTimeoutError")
def mongodb_selection(failure: Failure) -> ToolError:
    """No server could be chosen: none can be reached, or none of those is the primary."""
    return error_by_words(failure, _SELECTION, MONGODB) or _error(failure, m.UNREACHABLE)


@rules("pymongo.errors.ConnectionFailure")
def mongodb_connection(failure: Failure) -> ToolError:
    """A connection that was lost, or could not be made."""
    return error_by_words(failure, _CONNECTION, MONGODB) or _error(failure, m.DROPPED)


@rules("pymongo.errors.DocumentTooLarge")
def mongodb_too_large(failure: Failure) -> ToolError:
    """A document that is larger than the server accepts; it was not sent."""
    return _error(failure, m.TOO_LARGE)


@rules("bson.errors.BSONError", "pymongo.errors.InvalidName")
def mongodb_value(failure: Failure) -> ToolError:
    """A value, id or name that MongoDB cannot store, or an answer that is not BSON."""
    return _error(failure, UNREADABLE if failure.matches("bson.errors.InvalidBSON") else m.ARGUMENT)


@rules("builtins.OverflowError")
def mongodb_integer(failure: Failure) -> ToolError | None:
    """A whole number of more than 64 bits, which the driver rejects before it asks MongoDB."""
    return _error(failure, m.ARGUMENT) if failure.says("MongoDB can only handle up to 8-byte ints") else None


@rules("pymongo.errors.CollectionInvalid", "gridfs.errors.FileExists")
def mongodb_exists(failure: Failure) -> ToolError:
    """A collection or file that already exists."""
    return _error(failure, m.EXISTS, name=find_name(r"collection (\S{1,200}) already exists", failure.text))


@rules("gridfs.errors.NoFile")
def mongodb_file(failure: Failure) -> ToolError:
    """A GridFS file that does not exist."""
    return _error(failure, m.NOT_FOUND)


@rules("pymongo.errors.InvalidURI")
def mongodb_uri(failure: Failure) -> ToolError:
    """A connection string that cannot be read."""
    return _error(failure, INVALID_ADDRESS)


@rules("pymongo.errors.ConfigurationError")
def mongodb_address(failure: Failure) -> ToolError:
    """Wrong options of a client, or a name without an address."""
    unknown = failure.says("DNS", "resolution lifetime expired", "does not exist")
    return _error(failure, m.UNREACHABLE if unknown else MISUSED)


@rules("pymongo.errors.InvalidOperation")
def mongodb_misused(failure: Failure) -> ToolError:
    """The tool uses the driver in a way that it does not allow, such as after `close()`."""
    return _error(failure, MISUSED)


@last("pymongo.errors.PyMongoError")
def mongodb_other(failure: Failure) -> ToolError:
    """Any other error of the driver, or an answer with an unknown code."""
    return _error(failure, m.FAILED, code=failure.look("code"))
