"""PostgreSQL, through psycopg, psycopg2, asyncpg and pg8000: by SQLSTATE; a failed connection has only text."""

from __future__ import annotations

from functools import partial

from mulligan.plugin import Failure, Rules, ToolError, transport_error
from mulligan.plugin import meanings as m
from mulligan_sql.database import (
    ABORTED,
    BROKEN_TRANSACTION,
    CLOSED,
    INVALID_SQL,
    LOCKED,
    MISUSED,
    NO_FREE_CONNECTION,
    PARAMETERS,
    POSTGRES,
    STARTING,
    TOO_SLOW,
    UNKNOWN_COLUMN,
    Meaning,
    Phrases,
    database_error,
    error_by_words,
    find_name,
    first_argument,
)
from mulligan_sql.sqlstate import meaning_of, state_of

rules = Rules("postgres")
last = Rules("postgres", last=True)
_error = partial(database_error, database=POSTGRES)
_QUOTED = r'"([^"]{1,200})"'
_COLUMN = r"\bcolumn (\S{1,200})"
_OBJECT = r"(?:permission denied for|must be owner of) (?:[a-z]+ ){1,2}([^\s',]{1,200})"
_KEY = r"Key \(([^)]{1,200})\)="
_NO_ROLE = r'(?:role|user) "([^"]{1,200})" does not exist'
_DATABASE = r'(?:database "|no such database: )([^"\s]{1,200})'
_BY_WORDS: dict[str, Phrases] = {  # states with two meanings
    "08P01": [(("bind message supplies",), PARAMETERS)],
    "0A000": [(("cached plan must not change result type", "cached statement plan is invalid"), ABORTED)],
    "42701": [(("specified more than once",), INVALID_SQL)],
    "42P01": [(("missing FROM-clause entry", "invalid reference to FROM-clause entry"), INVALID_SQL)],
    "55000": [(("not currently accepting connections",), STARTING)],
    "57014": [(("statement timeout",), TOO_SLOW)],
}
_SERVER: Phrases = (
    (
        ("authentication failed", "no password supplied", "pg_hba.conf rejects", "no pg_hba.conf entry"),
        m.AUTHENTICATION,
    ),
    (
        ("not permitted to log in", "requires a valid client certificate", "no such user", "user not found"),
        m.AUTHENTICATION,
    ),
    (("permission denied for database",), m.PERMISSION),
    (("too many clients already", "connection slots are reserved", "too many connections for"), NO_FREE_CONNECTION),
    (("no more connections allowed", "max client connections reached"), NO_FREE_CONNECTION),
    (("the database system is", "not currently accepting connections"), STARTING),
)
_NETWORK: Phrases = (
    (("could not receive data from server", "could not send data to server", "sending query failed"), m.DROPPED),
    (("SSL SYSCALL error: EOF detected",), m.DROPPED),
    (("timeout expired", "connection timed out", "query_wait_timeout"), m.NOT_SENT),
    (("connection refused", "is the server running", "no route to host", "network is unreachable"), m.UNREACHABLE),
    (("could not translate host name", "failed to resolve host", "name or service not known"), m.UNREACHABLE),
    (("does not support SSL", "certificate verify failed"), m.TLS),
    (("closed the connection unexpectedly", "connection has been closed unexpectedly"), m.DROPPED),
    (("connection reset by peer", "broken pipe", "terminating connection", "consuming input failed"), m.DROPPED),
    (("the connection is lost", "the connection is closed"), m.DROPPED),
    (("connection failed", "connection to server", "connection is bad"), m.UNREACHABLE),
)
_CLIENT: Phrases = (
    (("the server expects",), PARAMETERS),
    (("cursor already closed", "cursor is closed"), CLOSED),
    (("connection is closed", "connection already closed", "pool is closing", "pool is closed"), m.DROPPED),
    (("network error", "connection was closed"), m.DROPPED),
    (("Server refuses SSL",), m.TLS),
)


@rules("psycopg.Error", "psycopg2.Error", "asyncpg.PostgresError", "pg8000.Error")
def postgres_state(failure: Failure) -> ToolError | None:
    """The server's error, by its SQLSTATE, with the table and column that it names."""
    state = _state(failure)
    meaning = None if state is None else _meaning(state, failure)
    if meaning is None:
        return None
    table = _field(failure, "table_name", "t")
    return _error(
        failure, meaning, code=state, name=_name(meaning, failure), column=_column(failure, table), table=table
    )


def _state(failure: Failure) -> str | None:
    return state_of(_field(failure, "sqlstate", "C") or failure.look("pgcode"))


def _meaning(state: str, failure: Failure) -> Meaning | None:
    for phrases, meaning in _BY_WORDS.get(state, ()):
        if failure.says(*phrases):
            return meaning
    return meaning_of(state)


def _name(meaning: Meaning, failure: Failure) -> str | None:
    """The object or column that the message names."""
    if meaning is UNKNOWN_COLUMN:
        return find_name(_COLUMN, failure.text)
    if meaning is m.PERMISSION:
        return find_name(_OBJECT, failure.text)
    return find_name(_QUOTED, failure.text) if meaning in (m.NOT_FOUND, m.EXISTS, LOCKED) else None


def _field(failure: Failure, name: str, letter: str) -> str | None:
    """A field of the server's message, wherever the driver stores it; pg8000 uses the protocol's letters as keys."""
    found = failure.look("diag", name) or failure.look(name)
    fields = first_argument(failure)
    if found is None and isinstance(fields, dict):
        found = fields.get(letter)
    return found if isinstance(found, str) else None


def _column(failure: Failure, table: str | None) -> str | None:
    """The column: a field, part of a key (`Key (email)=(a@b.c) already exists.`), or the name of a constraint."""
    column = _field(failure, "column_name", "c")
    if column is not None:
        return column
    column = find_name(_KEY, _field(failure, "message_detail", "D") or _field(failure, "detail", "D") or "")
    constraint = _field(failure, "constraint_name", "n") or ""
    if column is None and table and constraint.startswith(f"{table}_") and constraint.endswith("_check"):
        return constraint.removeprefix(f"{table}_").removesuffix("_check") or None
    return column


@rules("psycopg_pool.TooManyRequests")
def postgres_pool_full(failure: Failure) -> ToolError:
    """Too many callers wait for a connection of the pool."""
    return _error(failure, NO_FREE_CONNECTION)


@rules("psycopg_pool.PoolClosed")
def postgres_pool_closed(failure: Failure) -> ToolError:
    """The tool has already closed the pool."""
    return _error(failure, CLOSED)


@rules("psycopg.errors.PipelineAborted")
def postgres_pipeline(failure: Failure) -> ToolError:
    """An earlier statement of the pipeline failed."""
    return _error(failure, BROKEN_TRANSACTION)


@rules("psycopg.OperationalError", "psycopg2.OperationalError")
def postgres_connection(failure: Failure) -> ToolError | None:
    """A connection that failed or was lost, by the messages of libpq, the server and its poolers."""
    if find_name(_NO_ROLE, failure.text):
        return _error(failure, m.AUTHENTICATION)
    error = error_by_words(failure, _SERVER, POSTGRES)
    database = find_name(_DATABASE, failure.text)
    if error is None and database is not None:
        return _error(failure, m.NOT_FOUND, name=database)
    return error or error_by_words(failure, _NETWORK, POSTGRES)


@rules("psycopg.ProgrammingError", "psycopg2.ProgrammingError")
def postgres_no_rows(failure: Failure) -> ToolError | None:
    """Rows were fetched after a statement that returns none; that statement was executed."""
    asked = failure.says("no results to fetch", "produce records", "no result available")
    return _error(failure, MISUSED) if asked else None


@rules("asyncpg.InterfaceError", "psycopg.InterfaceError", "psycopg2.InterfaceError", "pg8000.InterfaceError")
def postgres_client(failure: Failure) -> ToolError | None:
    """An error of the driver itself: a value of the wrong type, or a connection that is closed or cannot be made."""
    error = error_by_words(failure, _CLIENT, POSTGRES)
    if error is None and failure.says("create a connection"):
        return transport_error(failure, service=POSTGRES.name) or _error(failure, m.UNREACHABLE)
    return error


@rules("asyncpg.exceptions.TargetServerAttributeNotMatched")
def postgres_no_such_server(failure: Failure) -> ToolError:
    """None of the servers is of the requested kind."""
    return _error(failure, m.UNREACHABLE)


@last("asyncpg.InterfaceError", "psycopg.InterfaceError", "psycopg2.InterfaceError", "pg8000.InterfaceError")
def postgres_misused(failure: Failure) -> ToolError:
    """Any other misuse of a driver."""
    return _error(failure, MISUSED)


@last(
    "psycopg.Error", "psycopg2.Error", "asyncpg.PostgresError", "asyncpg.exceptions.InternalClientError", "pg8000.Error"
)
def postgres_other(failure: Failure) -> ToolError:
    """An unknown state, or none."""
    return _error(failure, m.FAILED, code=_state(failure))
