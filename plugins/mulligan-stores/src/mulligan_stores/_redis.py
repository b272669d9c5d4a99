"""Redis and Valkey: by the prefix of the server's error, which the client turns into a class or leaves in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError, meanings, said
from mulligan_stores import _meanings as m

rules = Rules()
_PROVIDER = "redis"
_PIPELINE = " of pipeline caused error: "
_SCRIPT = re.compile(r"\bon @\w+:\d+|script: [0-9a-f]{40}|Script killed by user")
_SENDING = frozenset({"send_packed_command", "_internal_execute_command"})
_MOST_FRAMES = 100
_PREFIXES: Mapping[str, m.Meaning] = {
    "ASK": m.UNSUPPORTED,
    "BUSY": m.NOT_READY,
    "BUSYGROUP": m.exists,
    "BUSYKEY": m.exists,
    "CLUSTERDOWN": m.NOT_READY,
    "CROSSSLOT": m.WRONG,
    "DENIED": m.REFUSED,
    "EXECABORT": m.DISCARDED,
    "INPROG": m.FORBIDDEN,
    "IOERR": m.FAILED,
    "LOADING": m.NOT_READY,
    "MASTERDOWN": m.NOT_READY,
    "MISCONF": m.NOT_READY,
    "MOVED": m.UNSUPPORTED,
    "NOAUTH": m.REFUSED,
    "NOADDR": m.missing,
    "NOGOODSLAVE": m.NOT_READY,
    "NOGROUP": m.missing,
    "NOMASTERLINK": m.NOT_READY,
    "NOPERM": m.DENIED,
    "NOPROTO": m.UNSUPPORTED,
    "NOQUORUM": m.NOT_READY,
    "NOREPLICAS": m.NOT_READY,
    "NOSCRIPT": m.missing,
    "NOTBUSY": m.FORBIDDEN,
    "OOM": m.FULL,
    "READONLY": m.READ_ONLY,
    "REDIRECT": m.UNSUPPORTED,
    "TRYAGAIN": m.NOT_READY,
    "UNBLOCKED": m.NOT_READY,
    "UNKILLABLE": m.FORBIDDEN,
    "WRONGPASS": m.REFUSED,
    "WRONGTYPE": m.WRONG_KIND,
}
_CLASSES: Mapping[str, str] = {
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


def _qualified_names(*names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names for package in ("redis", "valkey"))


@rules(*_qualified_names("RedisError", "RedisClusterException"))
def redis_answer(failure: Failure) -> ToolError | None:
    """The server's error, by its prefix, or by the class that the client makes of it."""
    prefix = _prefix(failure) or ""
    if prefix == "UNBLOCKED" and failure.says("via CLIENT UNBLOCK"):
        return m.CANCELLED(provider=_PROVIDER)
    if prefix == "UNBLOCKED" and failure.says("no longer exists"):
        return m.missing(failure.resource, provider=_PROVIDER)
    meaning = _PREFIXES.get(prefix) or (m.RAISED if _is_foreign(prefix, failure) else None)
    return None if meaning is None else _make_error(meaning, failure)


def _is_foreign(prefix: str, failure: Failure) -> bool:
    """Whether a prefix is none of Redis's: a script's or module's own."""
    return bool(prefix) and _is_unmarked(failure)


def _is_unmarked(failure: Failure) -> bool:
    """Whether redis-py found none of its prefixes, not even ERR; earlier versions do not say."""
    plain = type(failure.exception).__name__ == "ResponseError" and failure.look("error_type") is not None
    return plain and failure.look("status_code") is None


def _prefix(failure: Failure) -> str | None:
    names = [cls.__name__ for cls in type(failure.exception).__mro__]
    known = next((_CLASSES[name] for name in names if name in _CLASSES), None)
    if known is not None:
        return known
    match = re.match(r"([A-Z]{3,20}) ", failure.text.rpartition(_PIPELINE)[2])
    return match[1] if match else None


def _make_error(meaning: m.Meaning, failure: Failure) -> ToolError:
    """The error; of a pipeline's commands the others may have taken effect, and so may a script's earlier ones."""
    named = meaning in (m.missing, m.exists)
    error = meaning(failure.resource, provider=_PROVIDER) if named else meaning(provider=_PROVIDER)
    if _PIPELINE in failure.text or _SCRIPT.search(failure.text):
        error.effect = "possible"
    return error


@rules(*_qualified_names("ResponseError"))
def redis_words(failure: Failure) -> ToolError:
    """An error under the general prefix ERR, or of a module: its words, else the command is wrong."""
    for phrases, meaning in _WORDS:
        if failure.says(*phrases):
            return _make_error(meaning, failure)
    limit = said(failure.text, (meanings.QUOTA, meanings.RATE_LIMIT))
    if limit is not None:
        return _make_error(m.QUOTA_EXHAUSTED if limit is meanings.QUOTA else m.LIMITED, failure)
    error = _make_error(m.WRONG, failure)
    if _is_unmarked(failure):
        error.effect = "possible"
    return error


_WORDS: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (("invalid password", "operation not permitted", "invalid username-password pair"), m.REFUSED),
    (("AUTH called without any password configured", "Client sent AUTH, but no password is set"), m.REFUSED),
    (("max number of clients reached",), m.TOO_MANY_CONNECTIONS),
    (("max requests limit exceeded", "max daily request limit exceeded"), m.QUOTA_EXHAUSTED),
    (("no such key", "no such index", "Unknown index name", "key does not exist", "key that doesn't exist"), m.missing),
    (("no such user", "No such master with that name", "no such client", "unknown node"), m.missing),
    (("Function not found", "Library not found", "requires the key to exist", "key that does not exist"), m.missing),
    (("already in progress",), m.FORBIDDEN),
    (("already exists", "item exists"), m.exists),
    (("Script killed by user",), m.CANCELLED),
    (
        ("command not allowed. If", "can't run this command or subcommand", "can't access at least one of the keys"),
        m.DENIED,
    ),
    (("MULTI calls can not be nested", "without MULTI", "inside MULTI is not allowed"), m.MISUSED),
    (("are allowed in this context",), m.MISUSED),
    (("Error loading the extension", "cluster support disabled", "not supported"), m.UNSUPPORTED),
)


@rules(*_qualified_names("MaxConnectionsError"))
def redis_pool(failure: Failure) -> ToolError:
    """The client's pool has no connection left."""
    return m.TOO_MANY_CONNECTIONS(provider=_PROVIDER)


@rules(*_qualified_names("TimeoutError"))
def redis_timeout(failure: Failure) -> ToolError:
    """No answer in time; while connecting, nothing was sent."""
    made = m.NOT_CONNECTED if failure.says("connecting to") else m.TIMED_OUT
    return made(provider=_PROVIDER)


@rules(*_qualified_names("ClusterError"))
def redis_cluster(failure: Failure) -> ToolError:
    """A cluster that moves its slots about for too long."""
    return m.UNAVAILABLE(provider=_PROVIDER)


@rules(*_qualified_names("RedisClusterException"))
def redis_cluster_use(failure: Failure) -> ToolError | None:
    """A command that a cluster cannot take, as its client notices; a cluster that cannot be reached is not one of those."""
    if failure.says("Cluster mode is not enabled"):
        return m.UNSUPPORTED(provider=_PROVIDER)
    return None if failure.says("cannot be connected") else m.MISUSED(provider=_PROVIDER)


@rules(*_qualified_names("ConnectionError", "RedisClusterException"))
def redis_connection(failure: Failure) -> ToolError:
    """A connection that could not be made, or was lost."""
    if failure.says("max number of clients reached", "Too many connections"):
        return m.TOO_MANY_CONNECTIONS(provider=_PROVIDER)
    if failure.says("No connection available"):
        return m.NOT_CONNECTED(provider=_PROVIDER)
    if failure.says("invalid username-password pair", "AUTH failed"):
        return m.REFUSED(provider=_PROVIDER)
    if failure.says("Invalid Database", "protocol must be", "Invalid RESP version"):
        return m.MISUSED(provider=_PROVIDER)
    if failure.says("The previous master is now a slave"):
        return m.NOT_READY(provider=_PROVIDER)
    if not failure.says(*_UNREACHABLE_PHRASES):
        return m.DROPPED(provider=_PROVIDER)
    error = m.UNREACHABLE(provider=_PROVIDER)
    if _was_sent(failure):
        error.effect = "possible"
    return error


_UNREACHABLE_PHRASES = (
    "connecting to",
    "cannot be connected",
    "No master found",
    "No replica found",
    "ocsp",
    "for the responder",
)


def _was_sent(failure: Failure) -> bool:
    """Whether the command was sent before: the client connects anew while it sends only after a connection was lost."""
    step = failure.look("__traceback__")
    for _ in range(_MOST_FRAMES):
        if step is None:
            return False
        if step.tb_frame.f_code.co_name in _SENDING:
            return True
        step = step.tb_next
    return True


@rules(*_qualified_names("WatchError", "LockError"))
def redis_race(failure: Failure) -> ToolError:
    """A watched key was changed, a lock is held by somebody else, or it ran out before it was given back."""
    if failure.matches(*_qualified_names("WatchError")):
        return m.ABORTED(provider=_PROVIDER)
    return (m.LOCKED if failure.says("Unable to acquire lock") else m.LOST_LOCK)(provider=_PROVIDER)


@rules(*_qualified_names("DataError"))
def redis_value(failure: Failure) -> ToolError:
    """A value that the client cannot send."""
    return m.WRONG(provider=_PROVIDER)


@rules(*_qualified_names("RedisError"))
def redis_client(failure: Failure) -> ToolError:
    """Anything else that the client raises: an answer that is not Redis's, a subscription used in a wrong way."""
    unreadable = failure.matches(*_qualified_names("InvalidResponse"))
    return (m.UNREADABLE if unreadable else m.FAILED)(provider=_PROVIDER)
