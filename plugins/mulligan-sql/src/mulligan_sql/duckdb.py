"""DuckDB: by the class of the exception, and by its message if a class covers several things.

https://duckdb.org/docs/stable/dev/sqllogictest/error_messages, classes of the Python package duckdb 1.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    ABORTED,
    BROKEN_TRANSACTION,
    DEPENDED_ON,
    DUCKDB,
    DUPLICATE,
    EXHAUSTED,
    FULL,
    INVALID_SQL,
    INVALID_VALUE,
    LOCKED,
    NEEDS_VALUE,
    NOT_A_DATABASE,
    PARAMETERS,
    READ_ONLY,
    REFERENCED,
    REJECTED,
    SYNTAX,
    UNKNOWN_COLUMN,
    UNKNOWN_FUNCTION,
    UNSUPPORTED,
    Meaning,
    Phrases,
    database_error,
    error_by_words,
    find_name,
)

rules = Rules("duckdb")
last = Rules("duckdb", last=True)
_error = partial(database_error, database=DUCKDB)
_NAMED = r"\bname(?:d)? (?!already)[\"']?([^\s\"'!]{1,200})|\bto \"([^\"\n]{1,200})\": another"
_QUOTED = r'"([^"\n]{1,200})"'
_COLUMN = r'(?:column named|column with name|[Cc]olumn) "([^"\n]{1,200})"|update column (\S{1,200}) not found'
_CONSTRAINT = r"constraint failed: (\S{1,200})"
_FOREIGN = r'because key "([^":]{1,200}):'
_KEY = r'Duplicate key "([^":]{1,200}):'
_CLASSES: Mapping[str, Meaning] = {  # the narrower class first
    "InterruptException": m.CANCELLED,
    "PermissionException": m.PERMISSION,
    "DependencyException": DEPENDED_ON,
    "TransactionException": m.CONFLICT,
    "SequenceException": m.CONFLICT,
    "OutOfMemoryException": EXHAUSTED,
    "ResourceInUseException": LOCKED,
    "ConnectionException": m.DROPPED,
    "ParserException": SYNTAX,
    "SyntaxException": SYNTAX,
    "BinderException": INVALID_SQL,
    "InvalidInputException": INVALID_SQL,
    "InvalidTypeException": INVALID_SQL,
    "CatalogException": INVALID_SQL,
    "DataError": INVALID_VALUE,
    "NotImplementedException": UNSUPPORTED,
    "NotSupportedError": UNSUPPORTED,
}
_PLAIN: Phrases = (
    (("attached in read-only mode",), READ_ONLY),
    (("with a different configuration",), m.CONFLICT),
    (("transform python value",), PARAMETERS),
    (("automatically install the required extension",), m.UNREACHABLE),
)
_TRANSACTIONS: Phrases = (
    (("Duplicate key", "UNIQUE constraint"), DUPLICATE),
    (("transaction is aborted",), BROKEN_TRANSACTION),
    (("conflict", "altered by a different transaction"), ABORTED),
)
_FILES: Phrases = (
    (("Could not set lock on file",), LOCKED),
    (("No files found", "No such file or directory", "not found", "does not exist", "404"), m.NOT_FOUND),
    (("Permission denied",), m.PERMISSION._replace(fatal=False)),
    (("not a valid DuckDB database file",), NOT_A_DATABASE),
    (("No space left on device",), FULL),
    (("Could not establish connection", "Could not connect", "Failed to download extension"), m.UNREACHABLE),
)


def _duckdb(*names: str) -> tuple[str, ...]:
    return tuple(f"{package}.{name}" for name in names for package in ("duckdb", "_duckdb"))


@rules(*_duckdb("ConstraintException"))
def duckdb_constraint(failure: Failure) -> ToolError:
    """A constraint that the row breaks, with its column if that is named."""
    text = failure.text
    if "NOT NULL constraint" in text:
        return _error(failure, NEEDS_VALUE, column=find_name(_CONSTRAINT, text))
    if "CHECK constraint" in text:
        return _error(failure, REJECTED, table=find_name(_QUOTED, text))
    if failure.says("foreign key constraint"):
        return _error(failure, REFERENCED, column=find_name(_FOREIGN, text))
    return _error(failure, DUPLICATE, column=find_name(_KEY, text))


@rules(*_duckdb("CatalogException", "BinderException"))
def duckdb_name(failure: Failure) -> ToolError | None:
    """A table, column or function that does not exist or already exists."""
    text = failure.text
    if failure.says("already exists"):
        return _error(failure, m.EXISTS, name=find_name(_NAMED, text))
    if failure.says("Referenced table"):
        return _error(failure, INVALID_SQL)
    if failure.says("Could not drop", "Cannot drop"):
        return _error(failure, DEPENDED_ON)
    if failure.says("Referenced column", "Referenced update column", "does not have a column"):
        return _error(failure, UNKNOWN_COLUMN, name=find_name(_COLUMN, text))
    if not failure.says("does not exist", "not found", "No catalog"):
        return None
    if failure.says("Function with name"):
        return _error(failure, UNKNOWN_FUNCTION)
    return _error(failure, m.NOT_FOUND, name=find_name(_NAMED, text) or find_name(_QUOTED, text))


@rules(*_duckdb("TransactionException"))
def duckdb_transaction(failure: Failure) -> ToolError | None:
    """A conflicting transaction, a duplicate value found at its commit, or a transaction that has already failed."""
    for phrases, meaning in _TRANSACTIONS:
        if failure.says(*phrases):
            return _error(failure, meaning, column=find_name(_KEY, failure.text))
    return None


@rules(*_duckdb("IOException"))
def duckdb_file(failure: Failure) -> ToolError | None:
    """A file that is missing, locked by another process, denied or not a database."""
    for phrases, meaning in _FILES:
        if failure.says(*phrases):
            return _error(failure, meaning, name=find_name(_QUOTED, failure.text))
    return None


@rules(*_duckdb("Error"))
def duckdb_class(failure: Failure) -> ToolError | None:
    """The class of the exception, if its message says no more."""
    error = error_by_words(failure, _PLAIN, DUCKDB)
    meaning = next((meaning for name, meaning in _CLASSES.items() if failure.matches(*_duckdb(name))), None)
    return error if error is not None or meaning is None else _error(failure, meaning)


@last(*_duckdb("Error"))
def duckdb_other(failure: Failure) -> ToolError:
    """Any other error of DuckDB."""
    return _error(failure, m.FAILED)
