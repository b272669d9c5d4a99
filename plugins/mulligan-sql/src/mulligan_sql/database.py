"""Builds the error for a failure of any database, with the table or column that the database names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolError,
    ToolPermissionError,
    pointer_to,
    text_error,
)
from mulligan.plugin import meanings as m

Meaning = m.Meaning
Phrases = Sequence[tuple[tuple[str, ...], Meaning]]
_LONGEST_NAME = 200


class Database(NamedTuple):
    """One kind of database.

    Attributes:
        provider: its name in `ToolError.provider`; None if the driver is not known.
        name: its name in messages.
    """

    provider: str | None
    name: str


POSTGRES = Database("postgres", "PostgreSQL")
MYSQL = Database("mysql", "MySQL")
SQLITE = Database("sqlite", "SQLite")
DUCKDB = Database("duckdb", "DuckDB")
UNKNOWN = Database(None, "the database")

READ_ONLY = m.PERMISSION._replace(message="This database or transaction is read-only", fatal=False)
TOO_SLOW = m.TIMEOUT._replace(message="The statement exceeded the time limit of the service; request less")
NO_FREE_CONNECTION = m.UNAVAILABLE._replace(message="The service has no free connection at the moment", effect="none")
STARTING = m.UNAVAILABLE._replace(message="The service accepts no connections at the moment", effect="none")
STOPPING = m.UNAVAILABLE._replace(message="The service is shutting down")
EXHAUSTED = m.UNAVAILABLE._replace(
    message="The service is out of memory or of another resource at the moment; request less", effect="none"
)
FULL = m.QUOTA._replace(message="The service has no space left")
OVER_LIMIT = m.QUOTA._replace(
    message="The statement exceeded a limit that is set for the service; request less", fatal=False
)
LOCKED = m.BUSY._replace(message="Another transaction or process holds a lock in the service")
ABORTED = m.ABORTED._replace(message="The service rolled the transaction back because of a concurrent one")
DEPENDED_ON = m.CONFLICT._replace(message="Other objects of the database depend on it")
ROUTINE_DENIED = m.PERMISSION._replace(message="A function of the database may not do this", fatal=False)
STOPPED = m.CONFLICT._replace(message="A trigger of the database forbids this", effect="possible")
BROKEN_TRANSACTION = m.CONFLICT._replace(message="An earlier statement of this transaction failed. Roll back first")
SYNTAX = m.ARGUMENT._replace(message="The SQL has a syntax error")
INVALID_SQL = m.ARGUMENT._replace(message="The service rejected the SQL as invalid")
INVALID_USE = m.ARGUMENT._replace(message="The driver of the service rejected the statement or its values")
INVALID_VALUE = m.ARGUMENT._replace(message="The service rejected a value")
PARAMETERS = m.ARGUMENT._replace(message="The values do not match the parameters of the SQL")
TOO_LARGE = m.TOO_LARGE._replace(message="The statement or a value is too large for the service")
UNKNOWN_FUNCTION = m.ARGUMENT._replace(message="The SQL calls an unknown function")
UNKNOWN_COLUMN = m.ARGUMENT._replace(message="The SQL names a column that does not exist")
UNSUPPORTED = m.ARGUMENT._replace(message="The service does not support this statement")
REJECTED = m.ARGUMENT._replace(message="The service rejected a value: it does not match the column")
NEEDS_VALUE = m.ARGUMENT._replace(message="The service rejected a value: a value is required")
DUPLICATE = m.EXISTS._replace(message="A row with this value already exists")
REFERENCED = m.CONFLICT._replace(message="A foreign key forbids this: the other row is missing or still referenced")
NOT_A_DATABASE = m.FAILED._replace(message="The file is not a database, or is encrypted", effect="none")
CLOSED = m.FAILED._replace(message="The tool used an unusable database connection", effect="none")
MISUSED = m.FAILED._replace(message="The tool used the database incorrectly")
IO_FAILED = m.FAILED._replace(message="The service failed to read or write a file")
COMMIT_FAILED = m.FAILED._replace(message="The service failed during the commit", effect="possible")
RAISED = m.CONFLICT._replace(message="A function or trigger in the database raised an error", effect="possible")
_VAGUE = (m.FAILED, RAISED)

_PROBLEMS = {
    REJECTED: ("it does not match the column", None),
    NEEDS_VALUE: ("a value is required", "a value that is not NULL"),
    DUPLICATE: ("this value already exists", "a value that no other row has"),
    REFERENCED: ("no row has this value, or other rows still reference it", None),
    UNKNOWN_COLUMN: ("unknown column", "a column of the table"),
}


def database_error(
    failure: Failure,
    meaning: Meaning,
    database: Database,
    *,
    code: object = None,
    name: str | None = None,
    column: str | None = None,
    table: str | None = None,
) -> ToolError:
    """Builds the error for a meaning. If that says only that something failed, the text may say more.

    Args:
        failure: the failure to classify.
        meaning: its meaning.
        database: the database that failed.
        code: the database's own code, shown in the message.
        name: the object or column that the database's message names.
        column: the column that it names for a value.
        table: the table that it names.
    """
    known = text_error(failure, provider=database.provider) if meaning in _VAGUE else None
    if known is not None:
        return known
    column = name if meaning is UNKNOWN_COLUMN else column
    fields: dict[str, Any] = {"provider": database.provider, "effect": meaning.effect}
    fields["resource"] = (name if meaning is UNKNOWN_COLUMN else None) or table or name
    if issubclass(meaning.cls, ResourceNotFoundError):
        fields["resource"] = name or table or failure.resource
    elif meaning.cls is ToolPermissionError:
        fields["resource"] = None if meaning is READ_ONLY else name or table
    if meaning in _PROBLEMS and column:
        message, expected = _PROBLEMS[meaning]
        fields["problems"] = [Problem(pointer_to([column.rsplit(".", 1)[-1]]), message, expected)]
    elif meaning.cls is ToolArgumentError:
        fields["problems"] = []
    if meaning is READ_ONLY:
        fields["user_message"] = "The assistant tried to change a read-only database."
    return m.error_of(
        failure, meaning, message=_message(meaning, database, name, column), service=database.name, told=code, **fields
    )


def _message(meaning: Meaning, database: Database, name: str | None, column: str | None) -> str | None:
    """The message with the name of the object or column; None if the meaning's message applies."""
    service = database.name[:1].upper() + database.name[1:]
    if meaning is UNKNOWN_COLUMN and column:
        return f"Column not found: {column}."
    if meaning in (REJECTED, NEEDS_VALUE) and column:
        return f"{service} rejected the value of the column {column}: {_PROBLEMS[meaning][0]}."
    if meaning is DUPLICATE and column:
        return f"A row with this value of {column} already exists."
    if meaning is m.EXISTS and name:
        return f"The resource already exists: {name}"
    return None


def error_by_words(failure: Failure, phrases: Phrases, database: Database) -> ToolError | None:
    """The error for the first phrases that occur in a driver's text, for failures without a code.

    Args:
        failure: the failure to classify.
        phrases: pairs of phrases and their meaning.
        database: the database that failed.
    """
    for texts, meaning in phrases:
        if failure.says(*texts):
            return database_error(failure, meaning, database)
    return None


def find_name(pattern: str, text: str) -> str | None:
    """The first name that a pattern finds in the text of a database, without quotes, or None.

    Args:
        pattern: a regular expression with one group, or several, of which one matches.
        text: the text.
    """
    match = re.search(pattern, text)
    name = next(filter(None, match.groups()), "") if match else ""
    return re.sub(r"[\"'`]", "", name).strip()[:_LONGEST_NAME] or None


def first_argument(failure: Failure) -> object:
    """The first argument of the exception, or None."""
    arguments = failure.look("args")
    return arguments[0] if isinstance(arguments, tuple) and arguments else None
