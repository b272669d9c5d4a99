"""Redis and Valkey: by the prefix of the server's error, which the client turns into a class or leaves in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_stores import _meanings as m

rules = Rules()
_PROVIDER = "redis"
_PIPELINE = " of pipeline caused error: "
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
    "NOGOODSLAVE": m.NOT_READY,
    "NOGROUP": m.missing,
    "NOPERM": m.DENIED,
    "NOPROTO": m.UNSUPPORTED,
    "NOREPLICAS": m.NOT_READY,
    "NOSCRIPT": m.missing,
    "NOTBUSY": m.FORBIDDEN,
    "OOM": m.FULL,
    "READONLY": m.READ_ONLY,
    "TRYAGAIN": m.NOT_READY,
    "UNBLOCKED": m.missing,
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
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "SlotNotCoveredError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
}


def _both(*names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names for package in ("redis", "valkey"))


@rules(*_both("RedisError", "RedisClusterException"))
def redis_answer(failure: Failure) -> ToolError | None:
    """The server's error, by its prefix, or by the class that the client makes of it."""
    meaning = _PREFIXES.get(_prefix(failure) or "")
    return None if meaning is None else _made(meaning, failure)


def _prefix(failure: Failure) -> str | None:
    names = [cls.__name__ for cls in type(failure.exception).__mro__]
    known = next((_CLASSES[name] for name in names if name in _CLASSES), None)
    if known is not None:
        return known
    match = re.match(r"([A-Z]{3,20}) ", failure.text.rpartition(_PIPELINE)[2])
    return match[1] if match else None


def _made(meaning: m.Meaning, failure: Failure) -> ToolError:
    """The error; one command of a pipeline fails alone, so the others may have taken effect."""
    named = meaning in (m.missing, m.exists)
    error = meaning(failure.resource, provider=_PROVIDER) if named else meaning(provider=_PROVIDER)
    if _PIPELINE in failure.text:
        error.effect = "possible"
    return error


@rules(*_both("ResponseError"))
def redis_words(failure: Failure) -> ToolError:
    """An error under the general prefix ERR, or of a module: its words, else the command is wrong."""
    for phrases, meaning in _WORDS:
        if failure.says(*phrases):
            return _made(meaning, failure)
    return _made(m.WRONG, failure)


_WORDS: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (("invalid password", "operation not permitted", "invalid username-password pair"), m.REFUSED),
    (("AUTH called without any password configured", "Client sent AUTH, but no password is set"), m.REFUSED),
    (("max number of clients reached",), m.CROWDED),
    (("no such key", "no such index", "Unknown index name", "key does not exist", "key that doesn't exist"), m.missing),
    (("no such user", "No such master with that name"), m.missing),
    (("Index already exists", "key already exists", "item exists"), m.exists),
    (("Error loading the extension", "cluster support disabled", "not supported"), m.UNSUPPORTED),
)


@rules(*_both("MaxConnectionsError"))
def redis_pool(failure: Failure) -> ToolError:
    """The client's pool has no connection left."""
    return m.CROWDED(provider=_PROVIDER)


@rules(*_both("TimeoutError"))
def redis_timeout(failure: Failure) -> ToolError:
    """No answer in time; while connecting, nothing was sent."""
    made = m.NOT_CONNECTED if failure.says("connecting to") else m.TIMED_OUT
    return made(provider=_PROVIDER)


@rules(*_both("ConnectionError", "RedisClusterException"))
def redis_connection(failure: Failure) -> ToolError:
    """A connection that could not be made, or was lost."""
    if failure.says("max number of clients reached", "Too many connections"):
        return m.CROWDED(provider=_PROVIDER)
    if failure.says("No connection available"):
        return m.NOT_CONNECTED(provider=_PROVIDER)
    if failure.says("invalid username-password pair", "AUTH failed"):
        return m.REFUSED(provider=_PROVIDER)
    lost = not failure.says("connecting to", "cannot be connected", "No master found", "No replica found")
    return (m.DROPPED if lost else m.UNREACHABLE)(provider=_PROVIDER)


@rules(*_both("WatchError", "LockError"))
def redis_race(failure: Failure) -> ToolError:
    """A watched key was changed, or a lock is held by somebody else."""
    return (m.ABORTED if failure.matches(*_both("WatchError")) else m.LOCKED)(provider=_PROVIDER)


@rules(*_both("DataError"))
def redis_value(failure: Failure) -> ToolError:
    """A value that the client cannot send."""
    return m.WRONG(provider=_PROVIDER)
