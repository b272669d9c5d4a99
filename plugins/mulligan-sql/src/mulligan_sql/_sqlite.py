"""SQLite: by the result code on the exception, and by SQLite's own words where that is the generic one."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_sql import _meanings as m

rules = Rules()
_PROVIDER = "sqlite"
_COLUMN = r"constraint failed: ([^,]{1,200})|in \S{1,20} column (\S{1,200})$"
_CHECKED = r"(?i)constraint failed: (\w{1,100})\s*(?:[<>=!]|between\b|in\b|is\b|like\b)"
_TABLE = r"constraint failed: ([^\s,]{1,200})\.[^.,]|in \S{1,20} column (\S{1,200})\."
_CODES: Mapping[str, m.Meaning] = {  # https://www.sqlite.org/rescode.html
    "SQLITE_AUTH": m.denied,
    "SQLITE_BUSY": m.LOCKED,
    "SQLITE_CANTOPEN": m.missing,
    "SQLITE_CONSTRAINT": m.FORBIDDEN,
    "SQLITE_CONSTRAINT_CHECK": m.rejected,
    "SQLITE_CONSTRAINT_DATATYPE": m.rejected,
    "SQLITE_CONSTRAINT_FOREIGNKEY": m.referenced,
    "SQLITE_CONSTRAINT_NOTNULL": m.needs_value,
    "SQLITE_CONSTRAINT_PRIMARYKEY": m.duplicate,
    "SQLITE_CONSTRAINT_ROWID": m.duplicate,
    "SQLITE_CONSTRAINT_TRIGGER": m.STOPPED,
    "SQLITE_CONSTRAINT_UNIQUE": m.duplicate,
    "SQLITE_CORRUPT": m.FAILED,
    "SQLITE_FULL": m.FULL,
    "SQLITE_INTERNAL": m.FAILED,
    "SQLITE_INTERRUPT": m.CANCELLED,
    "SQLITE_IOERR": m.FAILED,
    "SQLITE_LOCKED": m.LOCKED,
    "SQLITE_MISMATCH": m.WRONG_VALUE,
    "SQLITE_MISUSE": m.FAILED,
    "SQLITE_NOMEM": m.EXHAUSTED,
    "SQLITE_NOTADB": m.NOT_A_DATABASE,
    "SQLITE_PERM": m.denied,
    "SQLITE_PROTOCOL": m.LOCKED,
    "SQLITE_RANGE": m.WRONG_PARAMETERS,
    "SQLITE_READONLY": m.READ_ONLY,
    "SQLITE_SCHEMA": m.ABORTED,
    "SQLITE_TOOBIG": m.TOO_BIG,
}


@rules("sqlite3.Error")
def sqlite_code(failure: Failure) -> ToolError | None:
    """The result code, an extended one before its primary one; a constraint names its column."""
    number = failure.look("sqlite_errorcode")
    code = (_NEWER.get(number) if isinstance(number, int) else None) or failure.look("sqlite_errorname")
    if not isinstance(code, str):
        return None
    meaning = _CODES.get(code) or _CODES.get("_".join(code.split("_")[:2]))
    if meaning is None:
        return None
    name = m.find_name(_OPENING, failure.text) if meaning is m.missing else None
    column = m.find_name(_CHECKED if code == "SQLITE_CONSTRAINT_CHECK" else _COLUMN, failure.text)
    return m.make_error(meaning, _PROVIDER, name=name, column=column, table=m.find_name(_TABLE, failure.text))


_NEWER: Mapping[object, str] = {3091: "SQLITE_CONSTRAINT_DATATYPE"}  # Python's module has no name for it
_OPENING = r"unable to open database: (.{1,200})"


@rules("sqlite3.OperationalError")
def sqlite_words(failure: Failure) -> ToolError | None:
    """SQLITE_ERROR covers all that is wrong with a statement: the first words say what."""
    if failure.look("sqlite_errorname") != "SQLITE_ERROR":
        return None
    for pattern, meaning in _WORDS:
        match = re.match(pattern, failure.text)
        if match:
            name = match[1].strip("\"'`;").removeprefix("main.") if match.groups() else None
            return m.make_error(meaning, _PROVIDER, name=name)
    return m.WRONG_SQL(provider=_PROVIDER)


_WORDS: tuple[tuple[str, m.Meaning], ...] = (
    (r"no such function: ", m.UNKNOWN_FUNCTION),
    (r"no such column: (\S{1,200})", m.unknown_column),
    (r"(?:table|view) \S{1,200} has no column named (\S{1,200})", m.unknown_column),
    (r"no such [a-z ]{1,40}: (\S{1,200})", m.missing),
    (r"unknown database (\S{1,200})", m.missing),
    (r"(?:table|view|index|trigger) (\S{1,200}) already exists", m.exists),
    (r"there is already (?:a table|an index) named (\S{1,200})", m.exists),
    (r"there is already another table or index with this name: (\S{1,200})", m.exists),
    (r"duplicate column name: (\S{1,200})", m.exists),
    (r"database \S{1,200} is (?:locked|already in use)", m.LOCKED),
    (r"not authorized", m.denied),
    (r"cannot (?:start|commit|rollback|release|VACUUM)", m.FORBIDDEN),
    (r"user-defined function raised", m.RAISED),
    (r"near \".*\": syntax error|incomplete input|unrecognized token", m.SYNTAX),
)


@rules("builtins.OverflowError")
def sqlite_integer(failure: Failure) -> ToolError | None:
    """A whole number of more than 64 bits, which Python's module refuses before it asks SQLite."""
    return m.WRONG_PARAMETERS(provider=_PROVIDER) if failure.says("to convert to SQLite INTEGER") else None


@rules("sqlite3.ProgrammingError", "sqlite3.InterfaceError", "sqlite3.Warning")
def sqlite_module(failure: Failure) -> ToolError | None:
    """What Python's module noticed by itself: values that do not fit, or several statements at once."""
    if failure.says("binding", "bindings", "parameters are of unsupported type"):
        return m.WRONG_PARAMETERS(provider=_PROVIDER)
    if failure.says("one statement at a time", "can only execute DML statements"):
        return m.WRONG_SQL(provider=_PROVIDER)
    return m.CLOSED(provider=_PROVIDER)
