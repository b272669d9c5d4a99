"""SQLAlchemy and peewee: what the driver under them says, else what they noticed by themselves."""

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
)
from mulligan_sql import _duckdb, _mysql, _pep249, _postgres, _sqlite
from mulligan_sql import _meanings as m

rules = Rules()
_DRIVERS = (_postgres.rules, _mysql.rules, _sqlite.rules, _duckdb.rules, _pep249.rules)
_BOUND = r"bind parameter '([^']{1,200})'"
_NO_COLUMN = r'^Unconsumed column names: ([^\s,]{1,200})|have a property "([^"]{1,200})"'


@rules("sqlalchemy.exc.DBAPIError")
def sqlalchemy_driver(failure: Failure) -> ToolError | None:
    """The driver's own exception, which SQLAlchemy keeps."""
    for driver in (failure.look("driver_exception"), failure.look("orig"), failure.look("orig", "__cause__")):
        error = _by_driver(failure, driver)
        if error is not None:
            return error
    return m.DROPPED() if failure.look("connection_invalidated") is True else None


@rules("peewee.PeeweeException")
def peewee_driver(failure: Failure) -> ToolError | None:
    """The driver's own exception, which peewee keeps; without one, the tool misuses peewee."""
    cause = failure.exception.__cause__ if failure.exception is not None else None
    driver = failure.look("orig") or cause
    return _by_driver(failure, driver) if isinstance(driver, Exception) else m.MISUSED()


def _by_driver(failure: Failure, driver: object) -> ToolError | None:
    if not isinstance(driver, Exception):
        return None
    inner = failure.about(driver)
    return next((error for part in _DRIVERS if (error := part.decide(inner)) is not None), None)


@rules("sqlalchemy.exc.StatementError")
def sqlalchemy_statement(failure: Failure) -> ToolError | None:
    """A statement that did not reach the driver: a value is missing, or has a type that its column does not take."""
    if failure.matches("sqlalchemy.exc.DBAPIError"):
        return None
    name = m.find_name(_BOUND, failure.text)
    if name is None or not failure.says("A value is required"):
        return m.WRONG_PARAMETERS()
    problem = Problem(m.pointer(name), "a value is required", "a value for this parameter of the SQL")
    return ToolArgumentError(f"The SQL needs a value for its parameter {name}.", problems=[problem])


@rules("sqlalchemy.exc.TimeoutError")
def sqlalchemy_pool(failure: Failure) -> ToolError:
    """No connection of the pool was free in time."""
    return m.NOT_CONNECTED()


@rules("sqlalchemy.exc.NoSuchTableError")
def sqlalchemy_table(failure: Failure) -> ToolError:
    """A table that is not there to be reflected."""
    return m.missing(failure.text or None)


@rules("sqlalchemy.exc.NoResultFound", "sqlalchemy.orm.exc.ObjectDeletedError", "peewee.DoesNotExist")
def no_row(failure: Failure) -> ToolError:
    """A row was required, and there is none."""
    resource = failure.resource
    return ResourceNotFoundError(
        f"Resource not found: {resource}" if resource else "The row was not found.", resource=resource
    )


@rules("sqlalchemy.exc.MultipleResultsFound")
def several_rows(failure: Failure) -> ToolError:
    """One row was required, and there are several."""
    return ToolExecutionError("More than one row matches, and the tool needs exactly one.")


@rules("sqlalchemy.orm.exc.StaleDataError")
def stale_row(failure: Failure) -> ToolError:
    """The row was changed or deleted by somebody else meanwhile."""
    return ResourceConflictError("The row was changed or deleted by someone else. Read it again first.", code="ABORTED")


@rules("sqlalchemy.exc.PendingRollbackError")
def broken_transaction(failure: Failure) -> ToolError:
    """An earlier statement of the session failed, and nobody rolled it back."""
    return m.BROKEN_TRANSACTION()


@rules("sqlalchemy.exc.ArgumentError", "sqlalchemy.exc.IdentifierError")
def sqlalchemy_argument(failure: Failure) -> ToolError | None:
    """A URL, name or expression that SQLAlchemy does not take; what concerns only the tool's own code is left out."""
    if failure.matches(*_OF_THE_TOOL) or failure.says("should be explicitly declared as text"):
        return None
    return ToolArgumentError("SQLAlchemy rejected an argument.")


_OF_THE_TOOL = (
    "sqlalchemy.exc.ObjectNotExecutableError",
    "sqlalchemy.exc.NoForeignKeysError",
    "sqlalchemy.exc.AmbiguousForeignKeysError",
    "sqlalchemy.exc.NoSuchModuleError",
    "sqlalchemy.orm.exc.MappedAnnotationError",
)


@rules("sqlalchemy.exc.CompileError", "sqlalchemy.exc.InvalidRequestError")
def sqlalchemy_column(failure: Failure) -> ToolError | None:
    """A column that the values or the filter name and the table does not have."""
    name = m.find_name(_NO_COLUMN, failure.text)
    return None if name is None else m.unknown_column(name)


@rules("sqlalchemy.exc.SQLAlchemyError")
def sqlalchemy_other(failure: Failure) -> ToolError:
    """Anything else: mostly a mistake in the tool's own use of SQLAlchemy, unless the driver failed."""
    return (m.FAILED if failure.matches("sqlalchemy.exc.DBAPIError") else m.MISUSED)()
