"""peewee: what the driver below it says, else what peewee noticed."""

from __future__ import annotations

from mulligan.plugin import Failure, ResourceNotFoundError, Rules, ToolError
from mulligan_sql.database import MISUSED, UNKNOWN, database_error
from mulligan_sql.drivers import error_of_driver

rules = Rules()
last = Rules(last=True)


@rules("peewee.PeeweeException")
def peewee_driver(failure: Failure) -> ToolError | None:
    """The exception of the driver, which peewee keeps."""
    return error_of_driver(failure, failure.look("orig"), failure.look("__cause__"))


@rules("peewee.InterfaceError")
def peewee_unready(failure: Failure) -> ToolError | None:
    """A database that the tool has not opened or initialized."""
    return None if failure.look("orig") or failure.inner else database_error(failure, MISUSED, UNKNOWN)


@rules("peewee.DoesNotExist")
def peewee_no_row(failure: Failure) -> ToolError:
    """A row was required, and there is none."""
    resource = failure.resource
    message = f"Resource not found: {resource}" if resource else "The row was not found."
    return ResourceNotFoundError(message, resource=resource)


@last("peewee.PeeweeException")
def peewee_misused(failure: Failure) -> ToolError:
    """The tool uses peewee in a way that it does not allow."""
    return database_error(failure, MISUSED, UNKNOWN)
