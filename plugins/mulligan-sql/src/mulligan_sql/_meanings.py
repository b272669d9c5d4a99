"""What can go wrong in any database, in one set of words: each of these makes one kind of error."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from mulligan.plugin import (
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)

Meaning = Callable[..., ToolError]
_LONGEST_NAME = 200

REFUSED: Meaning = partial(ToolAuthenticationError, "The database rejected the credentials.")
DENIED: Meaning = partial(ToolPermissionError, "The database account has no permission for this.")
READ_ONLY: Meaning = partial(
    ToolPermissionError,
    "This database, or this transaction, can only be read.",
    fatal=False,
    user_message="The assistant tried to change a database that it may only read.",
)
UNREACHABLE: Meaning = partial(ToolConnectionError, "The database cannot be reached.", effect="none")
DROPPED: Meaning = partial(
    ToolConnectionError, "The connection to the database was dropped.", fatal=False, transient=True, effect="possible"
)
TIMED_OUT: Meaning = partial(ToolTimeoutError, "The database did not answer in time.")
TOO_SLOW: Meaning = partial(ToolTimeoutError, "The statement ran into the database's time limit; ask for less.")
NOT_CONNECTED: Meaning = partial(ToolTimeoutError, "No connection to the database was free in time.", effect="none")
CANCELLED: Meaning = partial(ToolCancelledError, "The statement was cancelled.")
CROWDED: Meaning = partial(ToolUnavailableError, "The database has no free connection for now.", effect="none")
STARTING: Meaning = partial(ToolUnavailableError, "The database takes no connections for now.", effect="none")
STOPPING: Meaning = partial(ToolUnavailableError, "The database is shutting down.", effect="possible")
LIMITED: Meaning = partial(ToolRateLimitError, "The database account has made all its calls of this hour.")
EXHAUSTED: Meaning = partial(ToolUnavailableError, "The database is out of memory for now.", effect="none")
FULL: Meaning = partial(ToolQuotaError, "The database has no space left, or has reached a limit that is set for it.")
LOCKED: Meaning = partial(
    ResourceConflictError, "Another transaction holds a lock on it; nothing was changed.", code="ABORTED", transient=True
)
ABORTED: Meaning = partial(
    ResourceConflictError,
    "The transaction was rolled back because of another one at the same time; nothing was changed.",
    code="ABORTED",
    transient=True,
)
FORBIDDEN: Meaning = partial(ResourceConflictError, "The present state of the database does not allow it.")
REFERENCED: Meaning = partial(
    ResourceConflictError, "A foreign key forbids it: the row that it names is missing, or other rows still refer to it."
)
DEPENDED_ON: Meaning = partial(ResourceConflictError, "Other objects of the database depend on it.")
DUPLICATE: Meaning = partial(ResourceConflictError, "A row with this value exists already.", code="ALREADY_EXISTS")
EXISTS: Meaning = partial(ResourceConflictError, "It exists already.", code="ALREADY_EXISTS")
SYNTAX: Meaning = partial(ToolArgumentError, "The SQL has a syntax error.")
WRONG_SQL: Meaning = partial(ToolArgumentError, "The database rejected the SQL as wrong.")
WRONG_VALUE: Meaning = partial(ToolArgumentError, "The database rejected a value.")
WRONG_PARAMETERS: Meaning = partial(ToolArgumentError, "The values do not fit the SQL's parameters.")
TOO_BIG: Meaning = partial(ToolArgumentError, "The statement or a value is too large for the database.")
UNKNOWN_FUNCTION: Meaning = partial(ToolArgumentError, "The SQL calls a function that the database does not have.")
UNSUPPORTED: Meaning = partial(ToolExecutionError, "The database does not support this.", effect="none")
BROKEN_TRANSACTION: Meaning = partial(
    ToolExecutionError, "An earlier statement of this transaction failed; it has to be rolled back first.", effect="none"
)
RAISED: Meaning = partial(ToolExecutionError, "A function or trigger in the database raised an error.")
NOT_A_DATABASE: Meaning = partial(ToolExecutionError, "The file is no database, or is encrypted.", effect="none")
FAILED: Meaning = partial(ToolExecutionError, "The database failed.")


def missing(name: str | None = None, *, provider: str | None = None) -> ToolError:
    """A table, database or other object that is not there.

    Args:
        name: its name, where the database tells it.
        provider: the database.
    """
    message = f"Resource not found: {name}" if name else "The database has no such object."
    return ResourceNotFoundError(message, resource=name, provider=provider)


def unknown_column(name: str | None, *, provider: str | None = None) -> ToolError:
    """A column that the SQL names and the table does not have.

    Args:
        name: its name, perhaps with its table's before it.
        provider: the database.
    """
    if not name:
        return ToolArgumentError("The SQL names a column that is not there.", provider=provider)
    problem = Problem(f"/{plain(name)}", "there is no such column", "a column of the table")
    return ToolArgumentError(f"The column {name} is not there.", problems=[problem], resource=name, provider=provider)


def needs_value(column: str | None, table: str | None = None, *, provider: str | None = None) -> ToolError:
    """A column that must have a value.

    Args:
        column: its name.
        table: its table's.
        provider: the database.
    """
    return rejected(column, table, "a value is required", "a value that is not NULL", provider=provider)


def rejected(
    column: str | None,
    table: str | None = None,
    why: str = "the column does not take this value",
    expected: str | None = None,
    *,
    provider: str | None = None,
) -> ToolError:
    """A value that does not fit its column.

    Args:
        column: its name.
        table: its table's.
        why: what is wrong, in our own words.
        expected: what would be right.
        provider: the database.
    """
    if not column:
        return ToolArgumentError(f"The database rejected a value: {why}.", resource=table, provider=provider)
    problem = Problem(f"/{plain(column)}", why, expected)
    message = f"The database rejected the value of the column {column}: {why}."
    return ToolArgumentError(message, problems=[problem], resource=table, provider=provider)


def duplicate(column: str | None, table: str | None = None, *, provider: str | None = None) -> ToolError:
    """A value that is taken already in a column where each may occur once.

    Args:
        column: its name.
        table: its table's.
        provider: the database.
    """
    if not column:
        return DUPLICATE(resource=table, provider=provider)
    problem = Problem(f"/{plain(column)}", "this value exists already", "a value that no other row has")
    message = f"A row with this value of {column} exists already."
    return ResourceConflictError(
        message, code="ALREADY_EXISTS", problems=[problem], resource=table, provider=provider
    )


_OF_A_NAME = (missing, unknown_column)
_OF_A_COLUMN = (needs_value, rejected, duplicate)


def made(
    meaning: Meaning,
    provider: str | None,
    *,
    name: str | None = None,
    column: str | None = None,
    table: str | None = None,
) -> ToolError:
    """The error of one kind, with what the database told besides.

    Args:
        meaning: its kind.
        provider: the database.
        name: the thing that the message names.
        column: the column that it is about.
        table: the table that it is about.
    """
    if meaning in _OF_A_NAME:
        return meaning(name, provider=provider)
    if meaning in _OF_A_COLUMN:
        return meaning(column, table, provider=provider)
    return meaning(resource=table or name, provider=provider)


def plain(name: str) -> str:
    """A column's own name, without its table's and without quotes, as a part of a JSON Pointer.

    Args:
        name: the name as a database shows it.
    """
    return name.rsplit(".", 1)[-1].strip("\"'`[] ").replace("~", "~0").replace("/", "~1")


def found(pattern: re.Pattern[str], text: str) -> str | None:
    """The first name that a pattern finds in a database's prose, or None.

    Args:
        pattern: with one group, the name.
        text: the prose.
    """
    match = pattern.search(text)
    return match[1].strip("\"'` ")[:_LONGEST_NAME] if match else None
