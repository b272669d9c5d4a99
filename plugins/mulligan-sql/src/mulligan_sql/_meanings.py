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
READ_ONLY: Meaning = partial(
    ToolPermissionError,
    "This database or transaction is read-only.",
    fatal=False,
    user_message="The assistant tried to change a read-only database.",
)
UNREACHABLE: Meaning = partial(ToolConnectionError, "The database cannot be reached.", effect="none")
DROPPED: Meaning = partial(
    ToolConnectionError, "The connection to the database was dropped.", fatal=False, transient=True, effect="possible"
)
TIMED_OUT: Meaning = partial(ToolTimeoutError, "The database did not respond in time.")
TOO_SLOW: Meaning = partial(ToolTimeoutError, "The statement exceeded the database's time limit; request less.")
NOT_CONNECTED: Meaning = partial(ToolTimeoutError, "No database connection became available in time.", effect="none")
CANCELLED: Meaning = partial(ToolCancelledError, "The statement was cancelled.")
TOO_MANY_CONNECTIONS: Meaning = partial(
    ToolUnavailableError, "The database temporarily has no free connection.", effect="none"
)
STARTING: Meaning = partial(ToolUnavailableError, "The database temporarily accepts no connections.", effect="none")
STOPPING: Meaning = partial(ToolUnavailableError, "The database is shutting down.", effect="possible")
LIMITED: Meaning = partial(ToolRateLimitError, "The database account has reached its hourly limit.")
EXHAUSTED: Meaning = partial(ToolUnavailableError, "The database is temporarily out of memory.", effect="none")
FULL: Meaning = partial(ToolQuotaError, "The database has no space left or has reached a limit.")
LOCKED: Meaning = partial(
    ResourceConflictError,
    "Another transaction or process holds a lock; nothing was changed.",
    code="ABORTED",
    transient=True,
)
ABORTED: Meaning = partial(
    ResourceConflictError,
    "The transaction was rolled back because of a concurrent one; nothing was changed.",
    code="ABORTED",
    transient=True,
)
FORBIDDEN: Meaning = partial(ResourceConflictError, "The current state of the database does not allow this.")
DEPENDED_ON: Meaning = partial(ResourceConflictError, "Other objects of the database depend on it.")
SYNTAX: Meaning = partial(ToolArgumentError, "The SQL has a syntax error.")
WRONG_SQL: Meaning = partial(ToolArgumentError, "The database rejected the SQL as invalid.")
WRONG_USE: Meaning = partial(ToolArgumentError, "The database's driver rejected the statement or its values.")
WRONG_VALUE: Meaning = partial(ToolArgumentError, "The database rejected a value.")
WRONG_PARAMETERS: Meaning = partial(ToolArgumentError, "The values do not match the SQL's parameters.")
TOO_BIG: Meaning = partial(ToolArgumentError, "The statement or a value is too large for the database.")
UNKNOWN_FUNCTION: Meaning = partial(ToolArgumentError, "The SQL calls an unknown function.")
UNSUPPORTED: Meaning = partial(ToolExecutionError, "The database does not support this.", effect="none")
BROKEN_TRANSACTION: Meaning = partial(
    ToolExecutionError, "An earlier statement of this transaction failed. Roll back first.", effect="none"
)
RAISED: Meaning = partial(ToolExecutionError, "A function or trigger in the database raised an error.")
STOPPED: Meaning = partial(ResourceConflictError, "A database trigger forbids this.", effect="possible")
NOT_A_DATABASE: Meaning = partial(ToolExecutionError, "The file is not a database, or is encrypted.", effect="none")
CLOSED: Meaning = partial(ToolExecutionError, "The tool used an unusable database connection.", effect="none")
MISUSED: Meaning = partial(ToolExecutionError, "The tool used the database incorrectly.")
FAILED: Meaning = partial(ToolExecutionError, "The database failed.")


def missing(name: str | None = None, *, provider: str | None = None) -> ToolError:
    """A table, database or other object that is not there.

    Args:
        name: its name, where the database tells it.
        provider: the database.
    """
    message = f"Resource not found: {name}" if name else "The database has no such object."
    return ResourceNotFoundError(message, resource=name, provider=provider)


def exists(name: str | None = None, *, provider: str | None = None) -> ToolError:
    """A table, database or other object that is there already.

    Args:
        name: its name, where the database tells it.
        provider: the database.
    """
    message = f"The resource already exists: {name}" if name else "The resource already exists."
    return ResourceConflictError(message, code="ALREADY_EXISTS", resource=name, provider=provider)


def denied(name: str | None = None, *, provider: str | None = None) -> ToolError:
    """Something that the account may not do.

    Args:
        name: the table or other object, where the database tells it.
        provider: the database.
    """
    message = f"The database account has no permission for {name or 'this'}."
    return ToolPermissionError(message, resource=name, provider=provider)


def unknown_column(name: str | None, *, provider: str | None = None) -> ToolError:
    """A column that the SQL names and the table does not have.

    Args:
        name: its name, perhaps with its table's before it.
        provider: the database.
    """
    message = f"Column not found: {name}." if name else "The SQL names a column that does not exist."
    problems = _problem(name, "unknown column", "a column of the table")
    return ToolArgumentError(message, problems=problems, resource=name, provider=provider)


def rejected(
    column: str | None,
    table: str | None = None,
    why: str = "it does not match the column",
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
    what = f"the value of the column {column}" if column else "a value"
    message = f"The database rejected {what}: {why}."
    return ToolArgumentError(message, problems=_problem(column, why, expected), resource=table, provider=provider)


def needs_value(column: str | None, table: str | None = None, *, provider: str | None = None) -> ToolError:
    """A column that must have a value.

    Args:
        column: its name.
        table: its table's.
        provider: the database.
    """
    return rejected(column, table, "a value is required", "a value that is not NULL", provider=provider)


def duplicate(column: str | None, table: str | None = None, *, provider: str | None = None) -> ToolError:
    """A value that is taken already in a column where each may occur once.

    Args:
        column: its name.
        table: its table's.
        provider: the database.
    """
    message = f"A row with this value{f' of {column}' if column else ''} already exists."
    problems = _problem(column, "this value already exists", "a value that no other row has")
    return ResourceConflictError(message, code="ALREADY_EXISTS", problems=problems, resource=table, provider=provider)


def referenced(column: str | None, table: str | None = None, *, provider: str | None = None) -> ToolError:
    """A foreign key that forbids it.

    Args:
        column: the column.
        table: the table that has the foreign key.
        provider: the database.
    """
    message = "A foreign key forbids this: the other row is missing or still referenced."
    problems = _problem(column, "no row has this value, or other rows still reference it")
    return ResourceConflictError(message, problems=problems, resource=table, provider=provider)


_NAME_MEANINGS = (missing, exists, denied, unknown_column)
_COLUMN_MEANINGS = (rejected, needs_value, duplicate, referenced)


def make_error(
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
    if meaning in _NAME_MEANINGS:
        return meaning(name or table, provider=provider)
    if meaning in _COLUMN_MEANINGS:
        return meaning(column, table, provider=provider)
    return meaning(resource=table or name, provider=provider)


def _problem(column: str | None, message: str, expected: str | None = None) -> list[Problem]:
    return [Problem(pointer(column), message, expected)] if column else []


def pointer(column: str) -> str:
    """A column's own name, without its table's, as a JSON Pointer.

    Args:
        column: the name as the database shows it.
    """
    return "/" + column.rsplit(".", 1)[-1].replace("~", "~0").replace("/", "~1")


def find_name(pattern: str, text: str) -> str | None:
    """The first name that a pattern finds in a database's prose, without quotes, or None.

    Args:
        pattern: a regular expression with one group, or several of which one matches.
        text: the prose.
    """
    match = re.search(pattern, text)
    name = next(filter(None, match.groups()), "") if match else ""
    return re.sub(r"[\"'`]", "", name).strip()[:_LONGEST_NAME] or None
