"""Any other driver that follows PEP 249, as pyodbc and snowflake.connector do: by SQLSTATE, else by the standard's class."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, meanings, reason_error, said, text_error
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    DUCKDB,
    INVALID_USE,
    INVALID_VALUE,
    MYSQL,
    POSTGRES,
    SQLITE,
    UNKNOWN,
    UNSUPPORTED,
    Database,
    Meaning,
    database_error,
    first_argument,
)
from mulligan_sql.oracle import ORACLE
from mulligan_sql.sqlstate import meaning_of, state_of

rules = Rules()
_CLASSES = {
    "IntegrityError": m.CONFLICT,
    "DataError": INVALID_VALUE,
    "ProgrammingError": INVALID_USE,
    "NotSupportedError": UNSUPPORTED,
}
_DATABASES: dict[str, Database] = {
    **dict.fromkeys(("psycopg", "psycopg2", "asyncpg", "pg8000"), POSTGRES),
    **dict.fromkeys(("pymysql", "mysql", "MySQLdb", "asyncmy", "mariadb"), MYSQL),
    **dict.fromkeys(("duckdb", "_duckdb"), DUCKDB),
    **dict.fromkeys(("oracledb", "cx_Oracle"), ORACLE),
    "sqlite3": SQLITE,
    "pyodbc": Database(None, UNKNOWN.name),  # whose plain Error has a SQLSTATE, too
    "snowflake": Database("snowflake", "Snowflake"),
}
_NARROWER = {"08": (m.AUTHENTICATION,), "42": (m.PERMISSION,), "57": (m.TIMEOUT,)}


@rules()
def pep249(failure: Failure) -> ToolError | None:
    """A driver's exception, by SQLSTATE or by its PEP 249 class. If it has a cause, that is classified instead."""
    error = failure.exception
    if error is None or error.__cause__ is not None:
        return None
    names = [cls.__name__ for cls in type(error).__mro__]
    database = _DATABASES.get(type(error).__module__.partition(".")[0], UNKNOWN)
    if "Error" not in names or ("DatabaseError" not in names and database is UNKNOWN):
        return None
    state = state_of(failure.look("sqlstate") or first_argument(failure))
    meaning = meaning_of(state)
    by_class = next((meaning for name, meaning in _CLASSES.items() if name in names), None)
    if state is not None or by_class is not None:
        narrower = _narrower(failure, state, meaning, database)
        if narrower is not None:
            return narrower
    meaning = meaning or by_class
    return None if meaning is None else database_error(failure, meaning, database, code=state)


def _narrower(failure: Failure, state: str | None, meaning: Meaning | None, database: Database) -> ToolError | None:
    """The meaning of a driver's reason or text, which may be more specific than a general SQLSTATE or a class."""
    if meaning is m.TIMEOUT or state == "HYT00":
        return database_error(failure, m.NOT_SENT, database, code=state) if failure.says("login timeout") else None
    if state is None or meaning is None:
        known = database.provider is not None and database.provider != "snowflake"
        return None if known else reason_error(failure) or text_error(failure, provider=database.provider)
    narrowed = said(failure.told, _NARROWER[state[:2]]) if state[:2] in _NARROWER else None
    if narrowed is None or (state[:2] == "42" and state[2:] != "000"):
        return None
    return meanings.error_of(failure, narrowed, service=database.name, told=state, provider=database.provider)
