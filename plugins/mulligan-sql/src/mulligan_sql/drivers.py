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
    """A failed connection whose exception a driver does not wrap."""
    driver = failure.came_through(*_NETWORKED)
    if driver is None:
        return None
    database = _NETWORKED[driver]
    return transport_error(failure, service=database.name, provider=database.provider)


rules.include(postgres.rules, mysql.rules, sqlite.rules, duckdb.rules, sqlserver.rules, oracle.rules, pep249.rules)
last.include(postgres.last, mysql.last, sqlite.last, duckdb.last)
