"""SQLAlchemy, if the driver below it does not say more."""

from __future__ import annotations

from mulligan.plugin import (
    Failure,
    Problem,
    ResourceConflictError,
    ResourceNotFoundError,
    Rules,
    ToolArgumentError,
    ToolError,
    ToolExecutionError,
    pointer_to,
)
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    BROKEN_TRANSACTION,
    MISUSED,
    PARAMETERS,
    UNKNOWN,
    UNKNOWN_COLUMN,
    database_error,
    find_name,
)

rules = Rules()
last = Rules(last=True)
_BOUND = r"bind parameter '([^']{1,200})'"
_NO_COLUMN = r'^Unconsumed column names: ([^\s,]{1,200})|have a property "([^"]{1,200})"'
_OF_THE_TOOL = (
    "sqlalchemy.exc.ObjectNotExecutableError",
    "sqlalchemy.exc.NoForeignKeysError",
    "sqlalchemy.exc.AmbiguousForeignKeysError",
    "sqlalchemy.exc.NoSuchModuleError",
    "sqlalchemy.orm.exc.MappedAnnotationError",
)


@rules("sqlalchemy.exc.StatementError")
def sqlalchemy_statement(failure: Failure) -> ToolError | None:
    """A statement that did not reach the driver: a value is missing, or has a type that its column rejects."""
    if failure.matches("sqlalchemy.exc.DBAPIError"):
        return None
    name = find_name(_BOUND, failure.text)
    if name is None or not failure.says("A value is required"):
        return database_error(failure, PARAMETERS, UNKNOWN)
    problem = Problem(pointer_to([name]), "a value is required", "a value for this parameter of the SQL")
    return ToolArgumentError(f"The SQL needs a value for its parameter {name}.", problems=[problem])


@rules("sqlalchemy.exc.TimeoutError")
def sqlalchemy_pool(failure: Failure) -> ToolError:
    """No connection of the pool became free in time."""
    return database_error(failure, m.NOT_SENT, UNKNOWN)


@rules("sqlalchemy.exc.NoSuchTableError")
def sqlalchemy_table(failure: Failure) -> ToolError:
    """A table to reflect that does not exist."""
    return database_error(failure, m.NOT_FOUND, UNKNOWN, name=failure.text or None)


@rules("sqlalchemy.exc.NoResultFound", "sqlalchemy.orm.exc.ObjectDeletedError")
def sqlalchemy_no_row(failure: Failure) -> ToolError:
    """A row was required, but there is none."""
    resource = failure.resource
    message = f"Resource not found: {resource}" if resource else "The row was not found."
    return ResourceNotFoundError(message, resource=resource)


@rules("sqlalchemy.exc.MultipleResultsFound")
def sqlalchemy_several_rows(_: Failure) -> ToolError:
    """One row was required, but there are several."""
    return ToolExecutionError("More than one row matches, and the tool needs exactly one.")


@rules("sqlalchemy.orm.exc.StaleDataError")
def sqlalchemy_stale_row(failure: Failure) -> ToolError:
    """The row was changed or deleted by someone else."""
    message = "The row was changed or deleted by someone else. Read it again first."
    return ResourceConflictError(message, code="ABORTED", resource=failure.resource)


@rules("sqlalchemy.exc.PendingRollbackError")
def sqlalchemy_broken_transaction(failure: Failure) -> ToolError:
    """An earlier statement of the session failed and was not rolled back."""
    return database_error(failure, BROKEN_TRANSACTION, UNKNOWN)


@rules("sqlalchemy.exc.ArgumentError", "sqlalchemy.exc.IdentifierError")
def sqlalchemy_argument(failure: Failure) -> ToolError:
    """A URL, name or expression that SQLAlchemy rejects, unless it is part of the tool's own code."""
    if failure.matches(*_OF_THE_TOOL) or failure.says("should be explicitly declared as text"):
        return database_error(failure, MISUSED, UNKNOWN)
    return ToolArgumentError("SQLAlchemy rejected an argument.")


@rules("sqlalchemy.exc.CompileError", "sqlalchemy.exc.InvalidRequestError")
def sqlalchemy_column(failure: Failure) -> ToolError:
    """A column that the table does not have, or a misuse of SQLAlchemy."""
    name = find_name(_NO_COLUMN, failure.text)
    return database_error(failure, UNKNOWN_COLUMN if name else MISUSED, UNKNOWN, name=name)


@last("sqlalchemy.exc.DBAPIError")
def sqlalchemy_dropped(failure: Failure) -> ToolError | None:
    """A connection that SQLAlchemy invalidated although the driver does not say why."""
    return database_error(failure, m.DROPPED, UNKNOWN) if failure.look("connection_invalidated") is True else None
