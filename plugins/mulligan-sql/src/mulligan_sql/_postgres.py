"""PostgreSQL, through psycopg, psycopg2, asyncpg and pg8000: by SQLSTATE; a failed connection has only prose."""

from __future__ import annotations

from mulligan.plugin import Failure, Rules, ToolError
from mulligan_sql import _meanings as m
from mulligan_sql._sqlstate import meaning_of, state_of

rules = Rules()
_PROVIDER = "postgres"
_QUOTED = r'"([^"]{1,200})"'
_COLUMN = r"\bcolumn (\S{1,200})"
_OBJECT = r"(?:permission denied for|must be owner of) (?:[a-z]+ ){1,2}([^\s',]{1,200})"
_KEY = r"Key \(([^)]{1,200})\)="
_NO_ROLE = r'(?:role|user) "([^"]{1,200})" does not exist'
_DATABASE = r'(?:database "|no such database: )([^"\s]{1,200})'


@rules("psycopg.Error", "psycopg2.Error", "asyncpg.PostgresError", "pg8000.Error")
def postgres_state(failure: Failure) -> ToolError | None:
    """The server's answer, by its SQLSTATE, with the table and column that it names."""
    state = state_of(_field(failure, "sqlstate", "C") or failure.look("pgcode"))
    if state is None:
        return None
    meaning, table = _meaning(state, failure), _field(failure, "table_name", "t")
    return m.make_error(meaning, _PROVIDER, name=_name(meaning, failure), column=_column(failure, table), table=table)


def _meaning(state: str, failure: Failure) -> m.Meaning:
    """What the state means; some stand for two things, which only the words tell apart."""
    for one, phrases, meaning in _AMBIGUOUS_STATES:
        if one == state and failure.says(*phrases):
            return meaning
    return meaning_of(state) or m.FAILED


_AMBIGUOUS_STATES: tuple[tuple[str, tuple[str, ...], m.Meaning], ...] = (
    ("08P01", ("bind message supplies",), m.WRONG_PARAMETERS),
    ("55000", ("not currently accepting connections",), m.STARTING),
    ("57014", ("statement timeout",), m.TOO_SLOW),
    ("42P01", ("missing FROM-clause entry", "invalid reference to FROM-clause entry"), m.WRONG_SQL),
    ("42701", ("specified more than once",), m.WRONG_SQL),
    ("0A000", ("cached plan must not change result type", "cached statement plan is invalid"), m.ABORTED),
)


def _name(meaning: m.Meaning, failure: Failure) -> str | None:
    """The thing that the message names."""
    if meaning is m.unknown_column:
        return m.find_name(_COLUMN, failure.text)
    if meaning is m.denied:
        return m.find_name(_OBJECT, failure.text)
    return m.find_name(_QUOTED, failure.text) if meaning in (m.missing, m.exists, m.LOCKED) else None


def _field(failure: Failure, name: str, letter: str) -> str | None:
    """A field of the server's message, wherever the driver keeps it; pg8000 keeps the protocol's letters."""
    found = failure.look("diag", name) or failure.look(name)
    if found is None:
        arguments = failure.look("args")
        fields = arguments[0] if isinstance(arguments, tuple) and arguments else None
        found = fields.get(letter) if isinstance(fields, dict) else None
    return found if isinstance(found, str) else None


def _column(failure: Failure, table: str | None) -> str | None:
    """The column: told, of a key (`Key (email)=(a@b.c) already exists.`), or of a constraint named after it."""
    column = _field(failure, "column_name", "c")
    if column is not None:
        return column
    column = m.find_name(_KEY, _field(failure, "message_detail", "D") or _field(failure, "detail", "D") or "")
    constraint = _field(failure, "constraint_name", "n") or ""
    if column is None and table and constraint.startswith(f"{table}_") and constraint.endswith("_check"):
        return constraint.removeprefix(f"{table}_").removesuffix("_check") or None
    return column


@rules("psycopg.errors.ConnectionTimeout", "psycopg_pool.PoolTimeout")
def postgres_no_connection(failure: Failure) -> ToolError:
    """No connection in time, from the server or from the pool."""
    return m.NOT_CONNECTED(provider=_PROVIDER)


@rules("psycopg_pool.TooManyRequests")
def postgres_pool_full(failure: Failure) -> ToolError:
    """Too many callers wait for a connection of the pool."""
    return m.TOO_MANY_CONNECTIONS(provider=_PROVIDER)


@rules("psycopg_pool.PoolClosed", "psycopg.errors.PipelineAborted", "psycopg.errors.CancellationTimeout")
def postgres_order(failure: Failure) -> ToolError:
    """A pool that is closed, a pipeline whose earlier statement failed, a cancellation without an answer."""
    if failure.matches("psycopg_pool.PoolClosed"):
        return m.CLOSED(provider=_PROVIDER)
    aborted = failure.matches("psycopg.errors.PipelineAborted")
    return (m.BROKEN_TRANSACTION if aborted else m.TIMED_OUT)(provider=_PROVIDER)


@rules("psycopg.OperationalError", "psycopg2.OperationalError")
def postgres_connection(failure: Failure) -> ToolError | None:
    """A connection that could not be made, or was lost, by the words of libpq, the server and its poolers."""
    if m.find_name(_NO_ROLE, failure.text):
        return m.REFUSED(provider=_PROVIDER)
    for phrases, meaning in _SERVER_PHRASES:
        if failure.says(*phrases):
            return meaning(provider=_PROVIDER)
    database = m.find_name(_DATABASE, failure.text)
    if database is not None:
        return m.missing(database, provider=_PROVIDER)
    for phrases, meaning in _NETWORK_PHRASES:
        if failure.says(*phrases):
            return meaning(provider=_PROVIDER)
    return None


_PhraseTable = tuple[tuple[tuple[str, ...], m.Meaning], ...]
_SERVER_PHRASES: _PhraseTable = (
    (("authentication failed", "no password supplied", "pg_hba.conf rejects", "no pg_hba.conf entry"), m.REFUSED),
    (("not permitted to log in", "requires a valid client certificate", "no such user", "user not found"), m.REFUSED),
    (("permission denied for database",), m.denied),
    (("too many clients already", "connection slots are reserved", "too many connections for"), m.TOO_MANY_CONNECTIONS),
    (("no more connections allowed", "max client connections reached"), m.TOO_MANY_CONNECTIONS),
    (("the database system is", "not currently accepting connections"), m.STARTING),
)
_NETWORK_PHRASES: _PhraseTable = (
    (("timeout expired", "connection timed out", "query_wait_timeout"), m.NOT_CONNECTED),
    (("connection refused", "is the server running", "no route to host", "network is unreachable"), m.UNREACHABLE),
    (("could not translate host name", "failed to resolve host", "name or service not known"), m.UNREACHABLE),
    (("does not support SSL", "certificate verify failed"), m.UNREACHABLE),
    (("closed the connection unexpectedly", "connection has been closed unexpectedly"), m.DROPPED),
    (("connection reset by peer", "broken pipe", "terminating connection", "consuming input failed"), m.DROPPED),
    (("the connection is lost", "the connection is closed"), m.DROPPED),
    (("connection failed", "connection to server", "connection is bad"), m.UNREACHABLE),
)


@rules("psycopg.ProgrammingError", "psycopg2.ProgrammingError")
def postgres_no_rows(failure: Failure) -> ToolError | None:
    """Rows were asked for after a statement that gives none; that statement was executed."""
    asked = failure.says("no results to fetch", "produce records", "no result available")
    return m.MISUSED(provider=_PROVIDER) if asked else None


@rules("pg8000.InterfaceError")
def postgres_unmade(failure: Failure) -> ToolError | None:
    """A connection that pg8000 could not make: its cause says whether that took too long."""
    if not failure.says("create a connection"):
        return None
    late = any(failure.about(one).matches("TimeoutError") for one in failure.exceptions)
    return (m.NOT_CONNECTED if late else m.UNREACHABLE)(provider=_PROVIDER)


@rules("asyncpg.InterfaceError", "psycopg.InterfaceError", "psycopg2.InterfaceError", "pg8000.InterfaceError")
def postgres_client(failure: Failure) -> ToolError | None:
    """What a driver noticed by itself: a value that does not fit its parameter, a connection that is closed."""
    for phrases, meaning in _CLIENT_PHRASES:
        if failure.says(*phrases):
            return meaning(provider=_PROVIDER)
    if failure.exception is not None and failure.exception.__cause__ is not None:
        return None
    return m.MISUSED(provider=_PROVIDER)


_CLIENT_PHRASES: _PhraseTable = (
    (("the server expects",), m.WRONG_PARAMETERS),
    (("cursor already closed", "cursor is closed"), m.CLOSED),
    (("connection is closed", "connection already closed", "pool is closing", "pool is closed"), m.DROPPED),
    (("network error", "connection was closed"), m.DROPPED),
    (("Server refuses SSL",), m.UNREACHABLE),
)


@rules("asyncpg.exceptions.InternalClientError")
def postgres_asyncpg(failure: Failure) -> ToolError:
    """asyncpg's own trouble: no server of the wanted kind, a schema that changed, an answer that cannot be read."""
    if failure.matches("asyncpg.exceptions.TargetServerAttributeNotMatched"):
        return m.UNREACHABLE(provider=_PROVIDER)
    stale = failure.matches("asyncpg.exceptions.OutdatedSchemaCacheError")
    return (m.MISUSED if stale else m.FAILED)(provider=_PROVIDER)
