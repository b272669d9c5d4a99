"""MySQL and MariaDB, through PyMySQL, aiomysql, asyncmy, mysqlclient and the vendors' connectors: by error number."""

from __future__ import annotations

from functools import partial

from mulligan.plugin import Failure, Rules, ToolError
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    CLOSED,
    DUPLICATE,
    EXHAUSTED,
    FULL,
    INVALID_SQL,
    MISUSED,
    MYSQL,
    NO_FREE_CONNECTION,
    REFERENCED,
    REJECTED,
    STARTING,
    UNKNOWN_COLUMN,
    UNKNOWN_FUNCTION,
    Meaning,
    Phrases,
    database_error,
    error_by_words,
    find_name,
)
from mulligan_sql.mysql_codes import codes
from mulligan_sql.sqlstate import meaning_of, state_of

rules = Rules("mysql")
last = Rules("mysql", last=True)
_error = partial(database_error, database=MYSQL)
_NAME = r"['`]([^'`\s]{1,200})['`]|PROCEDURE (\S{1,200})|thread id: (\d{1,20})|handler \((\S{1,200})\)"
_COLUMN = r"(?i)(?:column|field) ((?:['`][^'`]{1,100}['`]\.?){1,3})"
_TABLE = r"(?:for table|failed for|fails \() ?((?:['`][^'`]{1,100}['`]\.?){1,2})"
_TABLE_OF_COLUMN = r"for column (`[^`]{1,100}`\.`[^`]{1,100}`)\."
_FOREIGN = r"FOREIGN KEY \(`([^`]{1,100})`\)"
_CHECKED = r"CONSTRAINT `([^`]{1,100}\.[^`]{1,100})` failed"
_KEY = r"for key '([^']{1,200})'$"
_NO_SPACE = r"\b(?:error|Errcode:|errno:) (28)\b"
_WITH_ERRNO = frozenset({1004, 1005, 1006, 1016, 1025, 1026, 1030})
_BY_WORDS: tuple[
    tuple[int, str, Meaning], ...
] = (  # numbers with two meanings; from 4000, the two servers use them differently
    (1005, "errno: 150", INVALID_SQL),
    (1047, "WSREP", STARTING),
    (1226, "max_user_connections", NO_FREE_CONNECTION),
    (1290, "-file-priv", m.PERMISSION),
    (1305, "FUNCTION", UNKNOWN_FUNCTION),
    (1396, "CREATE", m.EXISTS),
    (2003, "timed out", m.NOT_SENT),
    (2013, "timed out", m.TIMEOUT),
    (4031, "trigger", m.NOT_FOUND),
    (4081, "memory limit", EXHAUSTED),
    (4082, "memory limit", EXHAUSTED),
    (4139, "is full", FULL),
    (4150, "blocked", m.AUTHENTICATION),
    (4151, "locked", m.AUTHENTICATION),
)
_CLIENT: Phrases = (
    (("Connection not available", "Cursor is not connected", "Not connected"), m.DROPPED),
    (("No result set to fetch from", "Unread result found"), MISUSED),
    (("Cursor closed", "execute() first"), CLOSED),
)


@rules("mysql.connector.errors.ConnectionTimeoutError")
def mysql_no_connection(failure: Failure) -> ToolError:
    """The connector could not connect in time."""
    return _error(failure, m.NOT_SENT)


@rules("mysql.connector.PoolError")
def mysql_pool(failure: Failure) -> ToolError | None:
    """The pool of the connector has no connection left."""
    return _error(failure, NO_FREE_CONNECTION) if failure.says("pool exhausted", "queue is full") else None


@rules("pymysql.MySQLError", "mysql.connector.Error", "MySQLdb.MySQLError", "asyncmy.MySQLError", "mariadb.Error")
def mysql_number(failure: Failure) -> ToolError | None:
    """The error number of the server or of the client, with the table and column that its text names."""
    number, text = _number_and_text(failure)
    meaning = _meaning(number, text, failure)
    if meaning is None and failure.look("args") == (0, ""):
        meaning = m.DROPPED  # PyMySQL: the connection is closed already
    if meaning is None:
        return error_by_words(failure, _CLIENT, MYSQL)
    return _error(
        failure, meaning, code=number, name=_name(meaning, text), column=_column(meaning, text), table=_table(text)
    )


def _number_and_text(failure: Failure) -> tuple[int | None, str]:
    """The number and the text, which each driver stores differently."""
    number, text = failure.look("errno"), failure.look("msg")
    if not isinstance(number, int):
        arguments = failure.look("args")
        number, text = (arguments[0], arguments[-1]) if isinstance(arguments, tuple) and arguments else (None, None)
    return (number if isinstance(number, int) else None), (text if isinstance(text, str) else failure.text)


def _meaning(number: int | None, text: str, failure: Failure) -> Meaning | None:
    """The meaning of the number, otherwise of the SQLSTATE."""
    if number in _WITH_ERRNO and find_name(_NO_SPACE, text):
        return FULL
    for one, phrase, meaning in _BY_WORDS:
        if one == number and phrase in text:
            return meaning
    return codes.meaning_of(number) or meaning_of(state_of(failure.look("sqlstate")))


def _name(meaning: Meaning, text: str) -> str | None:
    """The object or column that the text names."""
    return find_name(_NAME, text) if meaning in (m.NOT_FOUND, m.EXISTS, UNKNOWN_COLUMN) else None


def _column(meaning: Meaning, text: str) -> str | None:
    """The column that the text names, directly or through a key that MySQL named after its column."""
    checked = find_name(_CHECKED, text) if meaning is REJECTED else None
    column = checked or find_name(_COLUMNS.get(meaning, _COLUMN), text)
    return None if column is None or column.endswith("PRIMARY") else column


_COLUMNS = {DUPLICATE: _KEY, REFERENCED: _FOREIGN}


def _table(text: str) -> str | None:
    """The table that the text names, with the name of its database if present."""
    return find_name(_TABLE, text) or find_name(_TABLE_OF_COLUMN, text)


@last("pymysql.MySQLError", "mysql.connector.Error", "MySQLdb.MySQLError", "asyncmy.MySQLError", "mariadb.Error")
def mysql_other(failure: Failure) -> ToolError:
    """An unknown number, or none."""
    return _error(failure, m.FAILED, code=_number_and_text(failure)[0])
