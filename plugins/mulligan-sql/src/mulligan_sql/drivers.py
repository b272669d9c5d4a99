"""The rules of all drivers in order, for the libraries that wrap a driver's exception, and connections that fail below them."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, transport_error
from mulligan_sql import duckdb, mysql, oracle, pep249, postgres, sqlite, sqlserver
from mulligan_sql.database import MYSQL, POSTGRES
from mulligan_sql.oracle import ORACLE

rules = Rules()
last = Rules(last=True)
_NETWORKED = {
    "asyncpg": POSTGRES,
    "pg8000": POSTGRES,
    "aiomysql": MYSQL,
    "asyncmy": MYSQL,
    "pymysql": MYSQL,
    "oracledb": ORACLE,
}


@rules("builtins.OSError", "asyncio.IncompleteReadError")
def connection(failure: Failure) -> ToolError | None:
    """A failed connection whose exception a driver passes on."""
    driver = failure.came_through(*_NETWORKED)
    if driver is None:
        return None
    database = _NETWORKED[driver]
    return transport_error(failure, service=database.name, provider=database.provider)


rules.include(postgres.rules, mysql.rules, sqlite.rules, duckdb.rules, sqlserver.rules, oracle.rules, pep249.rules)
last.include(postgres.last, mysql.last, sqlite.last, duckdb.last)


def error_of_driver(failure: Failure, *kept: object) -> ToolError | None:
    """The error for the exception of a driver that another library keeps.

    The text of that library quotes the SQL, whose words say nothing of the failure. So the driver's text is read here.

    Args:
        failure: the failure of the other library.
        kept: what it keeps; the first exception that is known decides.
    """
    exceptions = [failure.about(one) for one in kept if isinstance(one, Exception)]
    for inner in exceptions:
        error = rules.decide(inner)
        if error is not None:
            return error
    for inner in exceptions:
        rule = next((rule for rule in last.listed if rule.fits(inner)), None)
        if rule is not None:
            return rule(inner)
    return None
