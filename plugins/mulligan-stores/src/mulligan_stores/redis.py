"""Redis and Valkey: by the prefix of the server's error, which the client turns into a class or leaves in the text.

The prefixes of Redis 8.4 and Valkey 9.0 (2025-11), of their cluster, sentinel and modules; neither publishes a list.
"""

from __future__ import annotations

import re
from functools import partial

from mulligan.plugin import Codes, Failure, Rules, ToolError, meanings, said
from mulligan.plugin import meanings as m
from mulligan_stores.store import (
    ABORTED,
    DISCARDED,
    FULL,
    LOCKED,
    LOST_LOCK,
    MISUSED,
    NO_FREE_CONNECTION,
    NOT_READY,
    RAISED,
    READ_ONLY,
    UNREADABLE,
    WRONG_KIND,
    Meaning,
    Phrases,
    Store,
    error_by_words,
    store_error,
)

rules = Rules("redis")
last = Rules("redis", last=True)
REDIS = Store("redis", "Redis")
_error = partial(store_error, store=REDIS)
NEEDS_CLUSTER = m.FAILED._replace(
    message="The service is a cluster, which needs the client for clusters", effect="none"
)
codes = Codes(
    {
        m.AUTHENTICATION: "DENIED NOAUTH WRONGPASS",
        m.PERMISSION: "NOPERM",
        m.NOT_FOUND: "NOADDR NOGROUP NOSCRIPT NOTFOUND",
        m.EXISTS: "BUSYGROUP BUSYKEY",
        m.ARGUMENT: "CROSSSLOT",
        WRONG_KIND: "WRONGTYPE",
        READ_ONLY: "READONLY",
        m.CONFLICT: "INPROG NOTBUSY UNKILLABLE",
        NOT_READY: """
            BUSY CLUSTERDOWN FAILOVER LOADING MASTERDOWN MISCONF NOGOODSLAVE NOMASTERLINK NOQUORUM NOREPLICAS TRYAGAIN
            UNBLOCKED
        """,
        FULL: "OOM",
        DISCARDED: "EXECABORT",
        NEEDS_CLUSTER: "ASK MOVED REDIRECT",
        m.UNIMPLEMENTED: "NOPROTO",
        m.FAILED: "IOERR",
    },
    skipped={"the general prefix, for which the words decide": "ERR"},
)
PREFIX_OF_CLASS = {
    "AuthenticationError": "NOAUTH",
    "AuthenticationWrongNumberOfArgsError": "NOAUTH",
    "AuthorizationError": "NOPERM",
    "BusyLoadingError": "LOADING",
    "ClusterCrossSlotError": "CROSSSLOT",
    "CrossSlotTransactionError": "CROSSSLOT",
    "ClusterDownError": "CLUSTERDOWN",
    "ExecAbortError": "EXECABORT",
    "ExternalAuthProviderError": "NOAUTH",
    "MasterDownError": "MASTERDOWN",
    "MovedError": "MOVED",
    "AskError": "ASK",
    "NoPermissionError": "NOPERM",
    "NoScriptError": "NOSCRIPT",
    "NoSuchFieldsetError": "NOSCRIPT",
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "SlotNotCoveredError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
}
_WORDS: Phrases = (
    (("invalid password", "operation not permitted", "invalid username-password pair"), m.AUTHENTICATION),
    (("AUTH called without any password configured", "Client sent AUTH, but no password is set"), m.AUTHENTICATION),
    (("max number of clients reached",), NO_FREE_CONNECTION),
    (("max requests limit exceeded", "max daily request limit exceeded"), m.QUOTA),
    (
        ("no such key", "no such index", "Unknown index name", "key does not exist", "key that doesn't exist"),
        m.NOT_FOUND,
    ),
    (("no such user", "No such master with that name", "no such client", "unknown node"), m.NOT_FOUND),
    (("Function not found", "Library not found", "requires the key to exist", "key that does not exist"), m.NOT_FOUND),
    (("already in progress",), m.CONFLICT),
    (("already exists", "item exists"), m.EXISTS),
    (("Script killed by user",), m.CANCELLED),
    (("command not allowed. If", "can't run this command or subcommand"), m.PERMISSION),
    (("can't access at least one of the keys",), m.PERMISSION),
    (("MULTI calls can not be nested", "without MULTI", "inside MULTI is not allowed"), MISUSED),
    (("are allowed in this context",), MISUSED),
    (("Error loading the extension", "cluster support disabled", "not supported"), m.UNIMPLEMENTED),
)
_CONNECTION: Phrases = (
    (("max number of clients reached", "Too many connections"), NO_FREE_CONNECTION),
    (("No connection available",), m.NOT_SENT),
    (("invalid username-password pair", "AUTH failed"), m.AUTHENTICATION),
    (("Invalid Database", "protocol must be", "Invalid RESP version"), MISUSED),
    (("The previous master is now a slave",), NOT_READY),
)
_UNREACHABLE = (
    "connecting to",
    "cannot be connected",
    "No master found",
    "No replica found",
    "ocsp",
    "for the responder",
)
_PIPELINE = " of pipeline caused error: "
_SCRIPT = re.compile(r"\bon @\w+:\d+|script: [0-9a-f]{40}|Script killed by user")
_SENDING = frozenset({"send_packed_command", "_internal_execute_command"})
_MOST_FRAMES = 100


def _redis(*names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names for package in ("redis", "valkey"))


@rules(*_redis("RedisError", "RedisClusterException"))
def redis_answer(failure: Failure) -> ToolError | None:
    """The error of the server by its prefix, or by the class that the client makes of it."""
    prefix = _prefix(failure)
    meaning = codes.meaning_of(prefix)
    if prefix == "UNBLOCKED" and failure.says("via CLIENT UNBLOCK"):
        meaning = m.CANCELLED
    elif prefix == "UNBLOCKED" and failure.says("no longer exists"):
        meaning = m.NOT_FOUND
    elif meaning is None and prefix is not None and prefix not in codes.skipped and _is_unmarked(failure):
        meaning = RAISED  # a prefix of a script's or module's own
    return None if meaning is None else _answered(failure, meaning, prefix)


def _prefix(failure: Failure) -> str | None:
    names = [cls.__name__ for cls in type(failure.exception).__mro__]
    known = next((PREFIX_OF_CLASS[name] for name in names if name in PREFIX_OF_CLASS), None)
    if known is not None:
        return known
    match = re.match(r"([A-Z]{3,20}) ", failure.text.rpartition(_PIPELINE)[2])
    return match[1] if match else None


def _is_unmarked(failure: Failure) -> bool:
    """Whether redis-py found none of its prefixes, not even ERR; earlier versions do not say."""
    plain = type(failure.exception).__name__ == "ResponseError" and failure.look("error_type") is not None
    return plain and failure.look("status_code") is None


def _answered(failure: Failure, meaning: Meaning, prefix: str | None = None) -> ToolError:
    """The error; a pipeline's other commands may have taken effect, and so may a script's earlier ones."""
    error = _error(failure, meaning, code=prefix)
    if _PIPELINE in failure.text or _SCRIPT.search(failure.text):
        error.effect = "possible"
    return error


@rules(*_redis("ResponseError"))
def redis_words(failure: Failure) -> ToolError:
    """An error with the general prefix ERR, or of a module: by its words, otherwise the command is wrong."""
    for phrases, meaning in _WORDS:
        if failure.says(*phrases):
            return _answered(failure, meaning)
    limit = said(failure.text, (meanings.QUOTA, meanings.RATE_LIMIT))
    error = _answered(failure, limit or m.ARGUMENT)
    if limit is None and _is_unmarked(failure):
        error.effect = "possible"
    return error


@rules(*_redis("TimeoutError"))
def redis_timeout(failure: Failure) -> ToolError:
    """No answer in time; while connecting, nothing was sent."""
    return _error(failure, m.NOT_SENT if failure.says("connecting to") else m.TIMEOUT)


@rules(*_redis("ClusterError"))
def redis_cluster(failure: Failure) -> ToolError:
    """A cluster that takes too long to move its slots."""
    return _error(failure, m.UNAVAILABLE)


@rules(*_redis("RedisClusterException"))
def redis_cluster_use(failure: Failure) -> ToolError | None:
    """A command that a cluster cannot run; a cluster that cannot be reached is another case."""
    if failure.matches(*_redis("InvalidPipelineStack")):
        return _error(failure, UNREADABLE)
    if failure.says("ERROR sending"):
        return _error(failure, m.UNAVAILABLE)
    if failure.says("Cluster mode is not enabled"):
        return _error(failure, m.UNIMPLEMENTED)
    return None if failure.says("cannot be connected") else _error(failure, MISUSED)


@rules(*_redis("ConnectionError", "RedisClusterException"))
def redis_connection(failure: Failure) -> ToolError:
    """A connection that could not be made, or was lost; the client keeps only the text of the cause."""
    error = error_by_words(failure, _CONNECTION, REDIS)
    if error is not None:
        return error
    if not failure.says(*_UNREACHABLE):
        return _error(failure, m.DROPPED)
    error = _error(failure, m.TLS if failure.says("certificate verify failed", "ocsp") else m.UNREACHABLE)
    if _was_sent(failure):
        error.effect = "possible"
    return error


def _was_sent(failure: Failure) -> bool:
    """Whether the command was sent before: the client reconnects while sending only after it lost a connection."""
    step = failure.look("__traceback__")
    for _ in range(_MOST_FRAMES):
        if step is None:
            return False
        if step.tb_frame.f_code.co_name in _SENDING:
            return True
        step = step.tb_next
    return True


@rules(*_redis("WatchError"))
def redis_race(failure: Failure) -> ToolError:
    """Another client changed a watched key."""
    return _error(failure, ABORTED)


@rules(*_redis("LockError"))
def redis_lock(failure: Failure) -> ToolError:
    """A lock that another client holds, or that expired before it was released."""
    return _error(failure, LOCKED if failure.says("Unable to acquire lock") else LOST_LOCK)


@rules(*_redis("InvalidResponse"))
def redis_unreadable(failure: Failure) -> ToolError:
    """A response that does not follow Redis' protocol."""
    return _error(failure, UNREADABLE)


@last(*_redis("RedisError"))
def redis_other(failure: Failure) -> ToolError:
    """Anything else that the client raises, such as a wrongly used subscription."""
    return _error(failure, m.FAILED)
