"""SQLite, through Python's sqlite3 and aiosqlite: by result code, and by SQLite's message for the general one.

https://www.sqlite.org/rescode.html; the list of Python 3.11.7 (2023-12-04) is `tests/published/sqlite.txt`.
"""

from __future__ import annotations

import re
from functools import partial

from mulligan.plugin import Codes, Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    ABORTED,
    CLOSED,
    DUPLICATE,
    EXHAUSTED,
    FULL,
    INVALID_SQL,
    INVALID_VALUE,
    IO_FAILED,
    LOCKED,
    NEEDS_VALUE,
    NOT_A_DATABASE,
    PARAMETERS,
    RAISED,
    READ_ONLY,
    REFERENCED,
    REJECTED,
    SQLITE,
    STOPPED,
    SYNTAX,
    TOO_LARGE,
    UNKNOWN_COLUMN,
    UNKNOWN_FUNCTION,
    Meaning,
    database_error,
    find_name,
)

rules = Rules("sqlite")
last = Rules("sqlite", last=True)
_error = partial(database_error, database=SQLITE)
FUNCTION_FAILED = m.FAILED._replace(message="A function that the tool defines in the database raised an error")
codes = Codes(
    {
        m.PERMISSION: "SQLITE_AUTH SQLITE_PERM",
        m.NOT_FOUND: "SQLITE_CANTOPEN SQLITE_NOTFOUND",
        m.CANCELLED: "SQLITE_INTERRUPT SQLITE_ABORT",
        READ_ONLY: "SQLITE_READONLY",
        LOCKED: "SQLITE_BUSY SQLITE_LOCKED SQLITE_PROTOCOL",
        ABORTED: "SQLITE_SCHEMA SQLITE_BUSY_SNAPSHOT SQLITE_ABORT_ROLLBACK",
        REJECTED: "SQLITE_CONSTRAINT_CHECK SQLITE_CONSTRAINT_DATATYPE",
        REFERENCED: "SQLITE_CONSTRAINT_FOREIGNKEY",
        NEEDS_VALUE: "SQLITE_CONSTRAINT_NOTNULL",
        DUPLICATE: "SQLITE_CONSTRAINT_PRIMARYKEY SQLITE_CONSTRAINT_ROWID SQLITE_CONSTRAINT_UNIQUE",
        STOPPED: "SQLITE_CONSTRAINT_TRIGGER",
        RAISED: "SQLITE_CONSTRAINT_FUNCTION SQLITE_CONSTRAINT_VTAB SQLITE_CONSTRAINT_COMMITHOOK",
        INVALID_VALUE: "SQLITE_MISMATCH SQLITE_CONSTRAINT_PINNED",
        PARAMETERS: "SQLITE_RANGE",
        TOO_LARGE: "SQLITE_TOOBIG",
        FULL: "SQLITE_FULL",
        EXHAUSTED: "SQLITE_NOMEM SQLITE_IOERR_NOMEM",
        NOT_A_DATABASE: "SQLITE_NOTADB SQLITE_FORMAT",
        IO_FAILED: "SQLITE_IOERR SQLITE_NOLFS",
        INVALID_SQL: "SQLITE_ERROR_MISSING_COLLSEQ",
        m.CONFLICT: "SQLITE_CONSTRAINT SQLITE_ERROR_SNAPSHOT",
        m.FAILED: "SQLITE_CORRUPT SQLITE_EMPTY SQLITE_INTERNAL SQLITE_MISUSE",
    },
    skipped={
        "the general code, for which the words decide": "SQLITE_ERROR",
        "SQLite tries again itself": "SQLITE_ERROR_RETRY",
    },
)
_NEWER = {3091: "SQLITE_CONSTRAINT_DATATYPE"}  # Python's module does not name it
_COLUMN = r"constraint failed: ([^,]{1,200})|in \S{1,20} column (\S{1,200})$"
_CHECKED = r"(?i)constraint failed: (\w{1,100})\s*(?:[<>=!]|between\b|in\b|is\b|like\b)"
_TABLE = r"constraint failed: ([^\s,]{1,200})\.[^.,]|in \S{1,20} column (\S{1,200})\."
_OPENING = r"unable to open database: (.{1,200})"
_WORDS: tuple[tuple[str, Meaning], ...] = (
    (r"no such function: ", UNKNOWN_FUNCTION),
    (r"no such column: (\S{1,200})", UNKNOWN_COLUMN),
    (r"(?:table|view) \S{1,200} has no column named (\S{1,200})", UNKNOWN_COLUMN),
    (r"no such [a-z ]{1,40}: (\S{1,200})", m.NOT_FOUND),
    (r"unknown database (\S{1,200})", m.NOT_FOUND),
    (r"(?:table|view|index|trigger) (\S{1,200}) already exists", m.EXISTS),
    (r"there is already (?:a table|an index) named (\S{1,200})", m.EXISTS),
    (r"there is already another table or index with this name: (\S{1,200})", m.EXISTS),
    (r"duplicate column name: (\S{1,200})", m.EXISTS),
    (r"database \S{1,200} is (?:locked|already in use)", LOCKED),
    (r"not authorized", m.PERMISSION),
    (r"cannot (?:start|commit|rollback|release|VACUUM)", m.CONFLICT),
    (r"user-defined (?:function|aggregate)", FUNCTION_FAILED),
    (r"near \".*\": syntax error|incomplete input|unrecognized token", SYNTAX),
)


@rules("sqlite3.Error")
def sqlite_code(failure: Failure) -> ToolError | None:
    """The result code, the extended one first; a constraint names its column."""
    code = _code(failure)
    meaning = meaning_of(code)
    if code is None or meaning is None:
        return None
    name = find_name(_OPENING, failure.text) if meaning is m.NOT_FOUND else None
    column = find_name(_CHECKED if code == "SQLITE_CONSTRAINT_CHECK" else _COLUMN, failure.text)
    return _error(failure, meaning, code=code, name=name, column=column, table=find_name(_TABLE, failure.text))


def _code(failure: Failure) -> str | None:
    number = failure.look("sqlite_errorcode")
    code = (_NEWER.get(number) if isinstance(number, int) else None) or failure.look("sqlite_errorname")
    return code if isinstance(code, str) else None


def meaning_of(code: str | None) -> Meaning | None:
    """The meaning of a result code, else that of its primary code.

    Args:
        code: the name of the code, or None.
    """
    if code is None or code in codes.skipped:
        return None
    return codes.meaning_of(code) or codes.meaning_of("_".join(code.split("_")[:2]))


@rules("sqlite3.OperationalError")
def sqlite_words(failure: Failure) -> ToolError | None:
    """SQLITE_ERROR covers everything that is wrong with a statement: its first words identify the error."""
    if failure.look("sqlite_errorname") != "SQLITE_ERROR":
        return None
    for pattern, meaning in _WORDS:
        match = re.match(pattern, failure.text)
        if match:
            name = match[1].strip("\"'`;").removeprefix("main.") if match.groups() else None
            return _error(failure, meaning, name=name)
    return _error(failure, INVALID_SQL)


@rules("builtins.OverflowError")
def sqlite_integer(failure: Failure) -> ToolError | None:
    """An integer of more than 64 bits, which Python's module rejects before calling SQLite."""
    return _error(failure, PARAMETERS) if failure.says("to convert to SQLite INTEGER") else None


@rules("sqlite3.ProgrammingError", "sqlite3.InterfaceError", "sqlite3.Warning")
def sqlite_module(failure: Failure) -> ToolError | None:
    """An error of Python's module: invalid values, several statements at once, a closed connection."""
    if failure.says("binding", "bindings", "parameters are of unsupported type"):
        return _error(failure, PARAMETERS)
    if failure.says("one statement at a time", "can only execute DML statements"):
        return _error(failure, INVALID_SQL)
    return _error(failure, CLOSED)


@last("sqlite3.Error")
def sqlite_other(failure: Failure) -> ToolError:
    """An unknown code, or none."""
    return _error(failure, m.FAILED, code=_code(failure))
