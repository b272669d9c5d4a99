"""Any other driver that follows PEP 249: by the SQLSTATE that it carries, else by the standard's class."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError, meanings, reason_error, said, text_error
from mulligan_sql import _meanings as m
from mulligan_sql._sqlstate import meaning_of, state_of

rules = Rules()
_CLASSES: tuple[tuple[str, m.Meaning], ...] = (
    ("IntegrityError", m.FORBIDDEN),
    ("DataError", m.WRONG_VALUE),
    ("ProgrammingError", m.WRONG_USE),
    ("NotSupportedError", m.UNSUPPORTED),
)


@rules()
def pep249(failure: Failure) -> ToolError | None:
    """A driver's exception by SQLSTATE or PEP 249's class; where it has a cause, that is asked instead."""
    error = failure.exception
    if error is None or error.__cause__ is not None:
        return None
    names = [cls.__name__ for cls in type(error).__mro__]
    if "DatabaseError" not in names or "Error" not in names:
        return None
    state = state_of(failure.look("sqlstate") or _first_argument(failure))
    meaning = None if state is None else meaning_of(state)
    provider = _PROVIDERS.get(type(error).__module__.partition(".")[0])
    by_class = next((meaning for name, meaning in _CLASSES if name in names), None)
    if provider is None and (state is not None or by_class is not None):
        error_of_driver = _error_of_unknown_driver(failure, state)
        if error_of_driver is not None:
            return error_of_driver
    meaning = meaning or by_class
    if meaning is None and provider is not None:
        meaning = m.FAILED
    return None if meaning is None else m.make_error(meaning, provider)


def _error_of_unknown_driver(failure: Failure, state: str | None) -> ToolError | None:
    """What a driver that nobody knows says itself, in a reason or in words, which is more than the standard's class."""
    if state is None:
        return reason_error(failure) or text_error(failure)
    narrower = {"08": (meanings.AUTHENTICATION,), "57": (meanings.TIMEOUT,)}.get(state[:2])
    narrowed = None if narrower is None else said(failure.told, narrower)
    return None if narrowed is None else meanings.error_of(failure, narrowed)


_PROVIDERS = {
    **dict.fromkeys(("psycopg", "psycopg2", "asyncpg", "pg8000"), "postgres"),
    **dict.fromkeys(("pymysql", "mysql", "MySQLdb", "asyncmy", "mariadb"), "mysql"),
    **dict.fromkeys(("duckdb", "_duckdb"), "duckdb"),
    "sqlite3": "sqlite",
}


def _first_argument(failure: Failure) -> object:
    """The first argument: ODBC's drivers put the SQLSTATE there."""
    arguments = failure.look("args")
    return arguments[0] if isinstance(arguments, tuple) and arguments else None
