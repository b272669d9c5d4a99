"""Database errors: SQLSTATE (ISO/IEC 9075, with the classes that PostgreSQL adds) and SQLite's result codes."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.classify import meanings as m
from mulligan.classify.failure import Failure
from mulligan.classify.phrases import said
from mulligan.classify.rules import Rules
from mulligan.errors import ToolError

rules = Rules()
_STATES: Mapping[str, m.Meaning] = {  # keyed by the five characters, else by the two of the class
    "08": m.CONNECTION,
    "08001": m.UNREACHABLE,
    "08004": m.UNREACHABLE,
    "08006": m.DROPPED,
    "08003": m.DROPPED,
    "0A": m.ARGUMENT,
    "21": m.ARGUMENT,
    "22": m.ARGUMENT,
    "23": m.CONFLICT,
    "23502": m.ARGUMENT,
    "23505": m.EXISTS,
    "23514": m.ARGUMENT,
    "24": m.CONFLICT,
    "25": m.CONFLICT,
    "25006": m.PERMISSION._replace(fatal=False),  # another tool may write
    "26": m.NOT_FOUND,
    "28": m.AUTHENTICATION,
    "2B": m.CONFLICT,
    "34": m.NOT_FOUND,
    "3D": m.NOT_FOUND,
    "3F": m.NOT_FOUND,
    "40": m.ABORTED,
    "42": m.ARGUMENT,
    "42501": m.PERMISSION,
    "42704": m.NOT_FOUND,
    "42P01": m.NOT_FOUND,
    "42S02": m.NOT_FOUND,
    "42S01": m.EXISTS,
    "42P04": m.EXISTS,
    "42P06": m.EXISTS,
    "42P07": m.EXISTS,
    "42710": m.EXISTS,
    "53": m.UNAVAILABLE,
    "53100": m.DISK_FULL,
    "53400": m.QUOTA,
    "54": m.ARGUMENT,
    "55": m.CONFLICT,
    "55006": m.BUSY,
    "55P03": m.BUSY,
    "57": m.UNAVAILABLE,
    "57014": m.CANCELLED,
    "58": m.FAILED,
    "HYT00": m.TIMEOUT,
    "HYT01": m.TIMEOUT,
}
_NO_SUBCLASS = "000"  # such as 22000: a data exception, of which only the text says more
_SQLITE: Mapping[str, m.Meaning] = {  # https://www.sqlite.org/rescode.html
    "SQLITE_AUTH": m.PERMISSION,
    "SQLITE_BUSY": m.BUSY,
    "SQLITE_CANTOPEN": m.NOT_FOUND,
    "SQLITE_CONSTRAINT": m.CONFLICT,
    "SQLITE_CONSTRAINT_CHECK": m.ARGUMENT,
    "SQLITE_CONSTRAINT_NOTNULL": m.ARGUMENT,
    "SQLITE_CONSTRAINT_DATATYPE": m.ARGUMENT,
    "SQLITE_CONSTRAINT_PRIMARYKEY": m.EXISTS,
    "SQLITE_CONSTRAINT_UNIQUE": m.EXISTS,
    "SQLITE_FULL": m.DISK_FULL,
    "SQLITE_INTERRUPT": m.CANCELLED,
    "SQLITE_LOCKED": m.BUSY,
    "SQLITE_MISMATCH": m.ARGUMENT,
    "SQLITE_PERM": m.PERMISSION._replace(fatal=False),
    "SQLITE_RANGE": m.ARGUMENT,
    "SQLITE_READONLY": m.PERMISSION._replace(fatal=False),
    "SQLITE_SCHEMA": m.ABORTED,
    "SQLITE_TOOBIG": m.TOO_LARGE,
}


@rules()
def sqlstate(failure: Failure) -> ToolError | None:
    """A database driver reports an SQLSTATE as `sqlstate` or `pgcode`."""
    if failure.is_plain:
        return None
    state = failure.field("sqlstate") or failure.field("pgcode")
    if type(state) is not str or len(state) != 5:
        return None
    meaning = _STATES.get(state) or _STATES.get(state[:2])
    if meaning is m.CANCELLED:
        meaning = said(failure.text, (m.TIMEOUT,)) or meaning
    elif state.startswith("08"):
        meaning = said(failure.text, (m.AUTHENTICATION,)) or meaning
    elif meaning is m.ARGUMENT and state.endswith(_NO_SUBCLASS):
        meaning = said(failure.text) or meaning
    return None if meaning is None else m.error_of(failure, meaning)


@rules("sqlite3.Error")
def sqlite(failure: Failure) -> ToolError | None:
    """SQLite reports a result code. For the generic `SQLITE_ERROR`, the text decides."""
    code = failure.field("sqlite_errorname")
    if type(code) is not str or code == "SQLITE_ERROR":
        return None
    meaning = _SQLITE.get(code) or _SQLITE.get("_".join(code.split("_")[:2]))
    return None if meaning is None else m.error_of(failure, meaning)
