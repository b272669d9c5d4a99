"""peewee, if the driver below it does not say more."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_sql.database import MISUSED, UNKNOWN, database_error

rules = Rules()


@rules("peewee.InterfaceError")
def peewee_unready(failure: Failure) -> ToolError | None:
    """A database that the tool has not opened or initialized."""
    return None if failure.look("orig") or failure.inner else database_error(failure, MISUSED, UNKNOWN)
