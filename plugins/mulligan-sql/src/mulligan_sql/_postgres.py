"""PostgreSQL, through psycopg, psycopg2, asyncpg and pg8000: by SQLSTATE; a failed connection carries none, only prose."""

from __future__ import annotations

import re

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_sql import _meanings as m
from mulligan_sql._sqlstate import meaning_of, state_of

rules = Rules()
_PROVIDER = "postgres"
_QUOTED = re.compile(r'"([^"]{1,200})"')
_COLUMN = re.compile(r"column (\S{1,200})")
_OBJECT = re.compile(r"(?:permission denied for|must be owner of) (?:[a-z]+ ){1,2}(\S{1,200})")
_KEY = re.compile(r"Key \(([^)]{1,200})\)=")
_LOST_FROM = ("missing FROM-clause entry", "invalid reference to FROM-clause entry")


@rules("psycopg.Error", "psycopg2.Error", "asyncpg.PostgresError", "pg8000.Error")
def postgres_state(failure: Failure) -> ToolError | None:
    """The server's answer, by its SQLSTATE, with the table and column that it names."""
    state = state_of(_field(failure, "sqlstate", "C") or failure.look("pgcode"))
    meaning = None if state is None else meaning_of(state)
    if state is None or meaning is None:
        return None
    table, column = _field(failure, "table_name", "t"), _field(failure, "column_name", "c")
    if state == "57014" and failure.says("statement timeout"):
        meaning = m.TOO_SLOW
    if state == "42P01" and failure.says(*_LOST_FROM) or state == "42701" and failure.says("specified more than once"):
        return m.WRONG_SQL(provider=_PROVIDER)
    if meaning is m.DUPLICATE:
        return m.duplicate(_column_of_key(failure), table, provider=_PROVIDER)
    if meaning in (m.needs_value, m.rejected):
        return meaning(column, table, provider=_PROVIDER)
    if meaning is m.unknown_column:
        return m.unknown_column(m.found(_COLUMN, failure.text), provider=_PROVIDER)
    if meaning is m.MISSING:
        return m.missing(m.found(_QUOTED, failure.text), provider=_PROVIDER)
    if meaning is m.DENIED:
        table = table or m.found(_OBJECT, failure.text)
    elif meaning is m.EXISTS:
        table = m.found(_QUOTED, failure.text)
    return meaning(resource=table, provider=_PROVIDER)


def _field(failure: Failure, name: str, letter: str) -> str | None:
    """A field of the server's error message, wherever the driver keeps it."""
    found = failure.look("diag", name) or failure.look(name)
    if found is None:
        arguments = failure.look("args")
        fields = arguments[0] if isinstance(arguments, tuple) and arguments else None
        found = fields.get(letter) if isinstance(fields, dict) else None
    return found if isinstance(found, str) else None


def _column_of_key(failure: Failure) -> str | None:
    """`Key (email)=(a@b.c) already exists.`"""
    return m.found(_KEY, _field(failure, "message_detail", "D") or failure.look("detail") or "")


@rules("psycopg.errors.ConnectionTimeout", "psycopg_pool.PoolTimeout")
def postgres_no_connection(failure: Failure) -> ToolError:
    """No connection in time, from the server or from the pool."""
    return m.NOT_CONNECTED(provider=_PROVIDER)


@rules("psycopg_pool.TooManyRequests")
def postgres_pool_full(failure: Failure) -> ToolError:
    """Too many callers wait for a connection of the pool."""
    return m.CROWDED(provider=_PROVIDER)


@rules("psycopg.OperationalError", "psycopg2.OperationalError", "pg8000.InterfaceError")
def postgres_connection(failure: Failure) -> ToolError | None:
    """A connection that could not be made, or was lost, by the words of libpq and of the server."""
    for phrases, meaning in _CONNECTING:
        if failure.says(*phrases):
            return meaning(provider=_PROVIDER)
    name = m.found(_NO_DATABASE, failure.text)
    if name is not None:
        return m.missing(name, provider=_PROVIDER)
    for phrases, meaning in _CONNECTION:
        if failure.says(*phrases):
            return meaning(provider=_PROVIDER)
    return None


_NO_DATABASE = re.compile(r'(?:database "|no such database: )([^"\s]{1,200})"?(?: does not exist|$)', re.MULTILINE)
_CONNECTING: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (
        (
            "authentication failed",
            "no password supplied",
            "pg_hba.conf rejects connection",
            "no pg_hba.conf entry",
            "is not permitted to log in",
            "requires a valid client certificate",
            "no such user",
            "User not found",
        ),
        m.REFUSED,
    ),
    (("does not have CONNECT privilege", "permission denied for database"), m.DENIED),
    (
        (
            "too many clients already",
            "connection slots are reserved",
            "too many connections for",
            "no more connections allowed",
            "max client connections reached",
        ),
        m.CROWDED,
    ),
    (
        (
            "the database system is starting up",
            "the database system is shutting down",
            "the database system is in recovery mode",
            "the database system is not yet accepting connections",
            "the database system is not accepting connections",
            "is not currently accepting connections",
        ),
        m.STARTING,
    ),
)
_NO_ROLE = re.compile(r'(?:role|user) "[^"]{1,200}" does not exist')
_CONNECTION: tuple[tuple[tuple[str, ...], m.Meaning], ...] = (
    (("timeout expired", "Connection timed out", "query_wait_timeout"), m.NOT_CONNECTED),
    (
        (
            "Connection refused",
            "could not translate host name",
            "failed to resolve host",
            "Name or service not known",
            "No route to host",
            "Network is unreachable",
            "Is the server running",
            "does not support SSL",
            "certificate verify failed",
            "Can't create a connection",
        ),
        m.UNREACHABLE,
    ),
    (
        (
            "server closed the connection unexpectedly",
            "connection has been closed unexpectedly",
            "Connection reset by peer",
            "Broken pipe",
            "the connection is lost",
            "the connection is closed",
            "terminating connection",
            "consuming input failed",
            "network error",
        ),
        m.DROPPED,
    ),
    (("connection failed", "connection to server", "connection is bad"), m.UNREACHABLE),
)


@rules("asyncpg.InterfaceError", "psycopg2.InterfaceError")
def postgres_client(failure: Failure) -> ToolError | None:
    """What a driver noticed by itself: a value that does not fit its parameter, a connection that is closed."""
    if failure.matches("asyncpg.exceptions._base.DataError") or failure.says("the server expects"):
        return m.WRONG_PARAMETERS(provider=_PROVIDER)
    if failure.says("connection is closed", "connection already closed", "pool is closing", "pool is closed"):
        return m.DROPPED(provider=_PROVIDER)
    return None
