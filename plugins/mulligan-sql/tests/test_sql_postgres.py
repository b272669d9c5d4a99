"""PostgreSQL's real answers, through each of its drivers."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import asyncpg
import pg8000.dbapi
import psycopg
import psycopg2
import psycopg_pool
import pytest

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolTimeoutError,
    ToolUnavailableError,
)


def by_psycopg(port, sql="select 1", user="owner", database="postgres", values=None, **more):
    with psycopg.connect(host="127.0.0.1", port=port, user=user, dbname=database, **more) as connection:
        connection.execute(sql, values)


def by_psycopg2(port, sql="select 1", user="owner", database="postgres", values=None, **more):
    connection = psycopg2.connect(host="127.0.0.1", port=port, user=user, dbname=database, **more)
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute(sql, values)


def by_asyncpg(port, sql="select 1", user="owner", database="postgres", values=(), **more):
    async def ask():
        connection = await asyncpg.connect(host="127.0.0.1", port=port, user=user, database=database, **more)
        try:
            await (connection.fetch(sql, *values) if values else connection.execute(sql))
        finally:
            await connection.close()

    asyncio.run(ask())


def by_pg8000(port, sql="select 1", user="owner", database="postgres", values=(), **more):
    with contextlib.closing(
        pg8000.dbapi.connect(host="127.0.0.1", port=port, user=user, database=database, **more)
    ) as connection:
        connection.cursor().execute(sql, values)


DRIVERS = [by_psycopg, by_psycopg2, by_asyncpg, by_pg8000]
STATEMENTS = [
    ("select * from invoices", ResourceNotFoundError, "invoices", None),
    ("drop role ghost", ResourceNotFoundError, "ghost", None),
    ("drop schema nowhere", ResourceNotFoundError, "nowhere", None),
    ("copy users from '/nowhere.csv'", ResourceNotFoundError, "/nowhere.csv", None),
    ("select nmae from users", ToolArgumentError, "nmae", "/nmae"),
    ("select u.nmae from users u", ToolArgumentError, "u.nmae", "/nmae"),
    ("update users set nmae = 1", ToolArgumentError, "nmae", "/nmae"),
    ("select u.id from users", ToolArgumentError, None, None),
    ("selec 1", ToolArgumentError, None, None),
    ("select nowhere(1)", ToolArgumentError, None, None),
    ("select 'abc'::int", ToolArgumentError, None, None),
    ("select 1/0", ToolArgumentError, None, None),
    ("insert into users(email, email) values ('x', 'y')", ToolArgumentError, None, None),
    ("insert into users values (5, null, 1)", ToolArgumentError, "users", "/email"),
    ("insert into users values (6, 'y', -1)", ToolArgumentError, "users", "/age"),
    ("insert into users values (7, 'a@b.c', 1)", ResourceConflictError, "users", "/email"),
    ("insert into orders values (9, 99)", ResourceConflictError, "orders", "/user_id"),
    ("drop table users", ResourceConflictError, None, None),
    ("create table users (id int)", ResourceConflictError, "users", None),
    ("do $$ begin raise exception 'no'; end $$", ResourceConflictError, None, None),
    ("create extension nowhere", ToolArgumentError, None, None),
]


@pytest.mark.parametrize(("sql", "cls", "resource", "pointer"), STATEMENTS, ids=[one[0][:40] for one in STATEMENTS])
@pytest.mark.parametrize("driver", DRIVERS)
def test_what_the_server_answers_to_a_statement(classify, postgres_port, driver, sql, cls, resource, pointer):
    error = classify(lambda: driver(postgres_port, sql))
    assert type(error) is cls
    assert error.rule == "mulligan_sql:postgres_state"
    assert error.provider == "postgres"
    assert not error.fatal
    assert error.resource == resource
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_table_that_the_account_may_not_read(classify, postgres_port, driver):
    error = classify(lambda: driver(postgres_port, "select * from users", user="guest"))
    assert type(error) is ToolPermissionError
    assert error.fatal
    assert error.resource == "users"
    assert error.message == "PostgreSQL denied permission (42501): users"


SETTINGS = [
    (
        "default_transaction_read_only = on",
        "insert into pairs values (8, 1)",
        ToolPermissionError,
        False,
        "read-only",
    ),
    ("statement_timeout = 50", "select pg_sleep(5)", ToolTimeoutError, False, "time limit"),
    (
        "temp_file_limit = 64",
        "select * from generate_series(1, 900000) g order by -g",
        ToolQuotaError,
        False,
        "a limit",
    ),
    ("lock_timeout = 50", "insert into locked values (1)", ResourceConflictError, False, "holds a lock"),
]


@pytest.mark.parametrize(("setting", "sql", "cls", "fatal", "words"), SETTINGS, ids=[one[0] for one in SETTINGS])
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_limit_that_is_set_for_the_account(classify, postgres_port, driver, setting, sql, cls, fatal, words):
    with psycopg.connect(host="127.0.0.1", port=postgres_port, user="owner", dbname="postgres") as owner:
        owner.execute(f"alter role guest in database postgres set {setting}")
        owner.execute("create table if not exists locked (id int); grant insert on pairs, locked to guest")
        owner.commit()
        owner.execute("lock table locked in access exclusive mode")
        error = classify(lambda: driver(postgres_port, sql, user="guest"))
        owner.execute("alter role guest in database postgres reset all")
    assert type(error) is cls
    assert error.fatal is fatal
    assert words in error.message


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("user", ["guarded", "blocked", "ghost"])
def test_credentials_that_the_server_does_not_take(classify, postgres_port, driver, user):
    password = {} if user == "blocked" else {"password": "wrong"}
    error = classify(lambda: driver(postgres_port, user=user, **password))
    assert type(error) is ToolAuthenticationError
    assert error.fatal
    assert error.provider == "postgres"
    assert error.effect == "none"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_database_that_is_not_there(classify, postgres_port, driver):
    error = classify(lambda: driver(postgres_port, database="nowhere"))
    assert type(error) is ResourceNotFoundError
    assert error.resource == "nowhere"
    assert error.message == "Resource not found: nowhere"


@pytest.mark.parametrize("driver", [by_psycopg, by_psycopg2, by_asyncpg])
def test_too_many_connections(classify, postgres_port, driver):
    with psycopg.connect(host="127.0.0.1", port=postgres_port, user="one", dbname="postgres"):
        error = classify(lambda: driver(postgres_port, user="one"))
    assert type(error) is ToolUnavailableError
    assert error.transient
    assert error.effect == "none"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_database_that_takes_no_connections(classify, postgres_port, driver):
    assert type(classify(lambda: driver(postgres_port, database="asleep"))) is ToolUnavailableError


LOST = [
    psycopg2.OperationalError("server closed the connection unexpectedly\n\tThis probably means the server terminated"),
    psycopg2.OperationalError("SSL SYSCALL error: EOF detected"),
    psycopg2.OperationalError("could not receive data from server: Connection timed out"),
    psycopg.OperationalError("sending query failed"),
    psycopg.OperationalError("consuming input failed: SSL SYSCALL error: EOF detected"),
    asyncpg.exceptions.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
    psycopg.errors.IdleSessionTimeout("terminating connection due to idle-session timeout"),
]


@pytest.mark.parametrize("lost", LOST, ids=str)
def test_a_statement_that_may_have_been_executed_before_the_connection_was_lost(classify, lost):
    def raising():
        raise lost

    error = classify(raising)
    assert (type(error), error.fatal, error.transient) == (ToolConnectionError, False, True)
    assert (error.effect, error.provider) == ("possible", "postgres")


@pytest.mark.parametrize("host", ["127.0.0.1", "db.example.invalid"])
def test_what_asyncpg_passes_on_is_known_as_postgres(classify, host):
    error = classify(lambda: asyncio.run(asyncpg.connect(host=host, port=1, user="owner")))
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert (error.provider, error.message) == ("postgres", "PostgreSQL cannot be reached.")


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_a_function_raises_is_not_a_mistake_in_the_arguments(classify, postgres_port, driver):
    error = classify(lambda: driver(postgres_port, "do $$ begin raise exception 'out of stock'; end $$"))
    assert (type(error), error.effect) == (ResourceConflictError, "possible")
    assert error.message == "A function or trigger in the database raised an error (P0001)."


@pytest.mark.parametrize("driver", [by_psycopg, by_psycopg2, by_pg8000])
def test_nobody_listens(classify, driver):
    error = classify(lambda: driver(1))
    assert type(error) is ToolConnectionError
    assert error.fatal
    assert error.effect == "none"
    assert error.provider == "postgres"
    assert error.rule == f"mulligan_sql:postgres_{'client' if driver is by_pg8000 else 'connection'}"


def test_a_host_that_has_no_address(classify):
    error = classify(lambda: psycopg.connect(host="db.example.invalid", user="owner"))
    assert type(error) is ToolConnectionError
    assert error.fatal


def test_encryption_that_the_server_does_not_offer(classify, postgres_port):
    error = classify(lambda: by_psycopg(postgres_port, sslmode="require"))
    assert type(error) is ToolConnectionError


def test_an_option_that_the_driver_does_not_know(classify, postgres_port):
    error = classify(lambda: by_psycopg(postgres_port, no_such_option="x"))
    assert type(error) is ToolArgumentError
    assert error.rule == "mulligan_sql:pep249"
    assert error.provider == "postgres"


@pytest.mark.parametrize("driver", [by_psycopg, by_psycopg2, by_asyncpg])
def test_a_connection_that_the_server_ends_midway(classify, postgres_port, driver):
    error = classify(lambda: driver(postgres_port, "select pg_terminate_backend(pg_backend_pid())"))
    assert type(error) in (ToolUnavailableError, ToolConnectionError)  # some drivers lose the server's last words
    assert not error.fatal
    assert error.transient
    assert error.effect == "possible"


def test_a_connection_that_was_closed_before(classify, postgres_port):
    connection = psycopg.connect(host="127.0.0.1", port=postgres_port, user="owner", dbname="postgres")
    connection.close()
    error = classify(lambda: connection.execute("select 1"))
    assert type(error) is ToolConnectionError
    assert not error.fatal
    other = psycopg2.connect(host="127.0.0.1", port=postgres_port, user="owner", dbname="postgres")
    other.close()
    assert type(classify(other.cursor)) is ToolConnectionError


def test_a_statement_that_somebody_cancels(classify, postgres_port):
    with psycopg.connect(host="127.0.0.1", port=postgres_port, user="owner", dbname="postgres") as connection:
        timer = threading.Timer(0.2, connection.cancel_safe)
        timer.start()
        error = classify(lambda: connection.execute("select pg_sleep(10)"))
        timer.join()
    assert type(error) is ToolCancelledError
    assert error.effect == "possible"


def test_a_transaction_that_failed_before(classify, postgres_port):
    with psycopg.connect(host="127.0.0.1", port=postgres_port, user="owner", dbname="postgres") as connection:
        with pytest.raises(psycopg.Error):
            connection.execute("selec 1")
        error = classify(lambda: connection.execute("select 1"))
    assert type(error) is ResourceConflictError
    assert "Roll back first" in error.message


@pytest.mark.parametrize("kind", ["lock", "serialization", "deadlock"])
def test_two_transactions_at_once(classify, postgres_port, kind):
    where = {"host": "127.0.0.1", "port": postgres_port, "user": "owner", "dbname": "postgres"}
    with psycopg.connect(**where) as one, psycopg.connect(**where) as other:
        error = classify(lambda: globals()[f"provoke_{kind}"](one, other))
        one.rollback()
        other.rollback()
    assert type(error) is ResourceConflictError
    assert error.code == "ABORTED"
    assert error.transient
    assert error.effect == "none"


def provoke_lock(one, other):
    one.execute("lock table pairs in access exclusive mode")
    other.execute("lock table pairs in access exclusive mode nowait")


def provoke_serialization(one, other):
    for each in (one, other):
        each.execute("set transaction isolation level repeatable read")
        each.execute("select * from pairs")
    one.execute("update pairs set value = value + 1")
    one.commit()
    other.execute("update pairs set value = value + 1")


def provoke_deadlock(one, other):
    failed = []
    for each, row in ((one, 1), (other, 2)):
        each.execute("set deadlock_timeout = '50ms'")
        each.execute("update pairs set value = 1 where id = %s", (row,))

    def cross(each, row):
        try:
            each.execute("update pairs set value = 2 where id = %s", (row,))
        except psycopg.Error as error:
            failed.append(error)
            each.rollback()

    thread = threading.Thread(target=cross, args=(one, 2))
    thread.start()
    cross(other, 1)
    thread.join()
    raise failed[0]


def test_a_pool_without_a_free_connection(classify, postgres_port):
    with one_connection(postgres_port, max_waiting=0) as pool, pool.connection():
        error = classify(lambda: pool.getconn(timeout=0.1))
    assert type(error) is ToolTimeoutError
    assert error.effect == "none"


def test_a_pool_with_too_many_callers(classify, postgres_port):
    with one_connection(postgres_port, max_waiting=1) as pool, pool.connection():
        waiting = threading.Thread(target=quietly, args=(pool,))
        waiting.start()
        while not pool.get_stats().get("requests_waiting"):
            pass
        error = classify(lambda: pool.getconn(timeout=5))
        waiting.join()
    assert type(error) is ToolUnavailableError
    assert error.rule == "mulligan_sql:postgres_pool_full"


def one_connection(port, **more):
    where = f"host=127.0.0.1 port={port} user=owner dbname=postgres"
    return psycopg_pool.ConnectionPool(where, min_size=1, max_size=1, open=True, **more)


def quietly(pool):
    with contextlib.suppress(psycopg_pool.PoolTimeout):
        pool.getconn(timeout=1)


def test_values_that_do_not_fit_the_parameters(classify, postgres_port):
    by = [
        classify(lambda: by_asyncpg(postgres_port, "select $1::int", values=["abc"])),
        classify(lambda: by_asyncpg(postgres_port, "select $1::int", values=[1, 2])),
        classify(lambda: by_psycopg(postgres_port, "select %s", values=(1, 2))),
    ]
    assert [type(error) for error in by] == [ToolArgumentError] * 3
    assert [error.rule for error in by] == [
        "mulligan_sql:postgres_state",
        "mulligan_sql:postgres_client",
        "mulligan_sql:pep249",
    ]


STATES = {
    "08006": (ToolConnectionError, False),
    "08001": (ToolConnectionError, True),
    "02000": (ResourceNotFoundError, False),
    "20000": (ToolArgumentError, False),
    "23001": (ResourceConflictError, False),
    "24000": (ResourceConflictError, False),
    "38000": (ResourceConflictError, False),
    "0A000": (ToolArgumentError, False),
    "22001": (ToolArgumentError, False),
    "23P01": (ResourceConflictError, False),
    "28P01": (ToolAuthenticationError, True),
    "40P01": (ResourceConflictError, False),
    "42P04": (ResourceConflictError, False),
    "53100": (ToolQuotaError, True),
    "53200": (ToolUnavailableError, False),
    "53300": (ToolUnavailableError, False),
    "54000": (ToolArgumentError, False),
    "55000": (ResourceConflictError, False),
    "55P03": (ResourceConflictError, False),
    "57P02": (ToolUnavailableError, False),
    "57P03": (ToolUnavailableError, False),
    "58030": (ToolExecutionError, False),
    "P0001": (ResourceConflictError, False),
    "XX000": (ToolExecutionError, False),
}


@pytest.mark.parametrize(("state", "expected"), STATES.items(), ids=str)
def test_every_kind_of_state(classify, state, expected):
    def raising():
        raise psycopg.errors.lookup(state)("told by the server")

    error = classify(raising)
    assert (type(error), error.fatal) == expected
    assert error.provider == "postgres"


def test_every_state_that_the_driver_knows_is_understood(classify):
    for state, cls in psycopg.errors._sqlcodes.items():
        error = classify(lambda cls=cls: (_ for _ in ()).throw(cls("told by the server")))
        assert error.rule == "mulligan_sql:postgres_state", state
        assert error.message.endswith("."), state


@pytest.mark.parametrize("connect", [psycopg.connect, psycopg2.connect])
def test_rows_of_a_statement_that_gives_none(classify, postgres_port, connect):
    where = {"host": "127.0.0.1", "port": postgres_port, "user": "owner", "dbname": "postgres"}
    with contextlib.closing(connect(**where)) as connection, connection.cursor() as cursor:
        cursor.execute("update pairs set value = 5")
        error = classify(cursor.fetchone)
    assert (type(error), error.rule) == (ToolExecutionError, "mulligan_sql:postgres_no_rows")
    assert error.effect == "possible"


def test_a_pool_that_was_closed_before(classify, postgres_port):
    with one_connection(postgres_port) as pool:
        pool.close()
        error = classify(pool.getconn)
    assert (type(error), error.effect, error.rule) == (ToolExecutionError, "none", "mulligan_sql:postgres_pool_closed")


def test_a_pipeline_whose_first_statement_failed(classify, postgres_port):
    where = {"host": "127.0.0.1", "port": postgres_port, "user": "owner", "dbname": "postgres"}

    def ask():
        with psycopg.connect(**where) as connection, connection.pipeline():
            first, second = connection.cursor(), connection.cursor()
            first.execute("selec 1")
            with contextlib.suppress(psycopg.errors.SyntaxError):
                first.fetchone()
            second.execute("select 1")
            second.fetchone()

    error = classify(ask)
    assert (type(error), error.rule) == (ResourceConflictError, "mulligan_sql:postgres_pipeline")


def test_what_asyncpg_notices_by_itself(classify, postgres_port):
    async def together():
        connection = await asyncpg.connect(host="127.0.0.1", port=postgres_port, user="owner", database="postgres")
        try:
            await asyncio.gather(connection.execute("select pg_sleep(0.2)"), connection.execute("select 1"))
        finally:
            connection.terminate()

    error = classify(lambda: asyncio.run(together()))
    assert (type(error), error.provider, error.rule) == (
        ToolExecutionError,
        "postgres",
        "mulligan_sql:postgres_misused",
    )
    error = classify(lambda: asyncio.run(asyncpg.connect("nonsense://x")))
    assert type(error) is ToolArgumentError


def test_what_pg8000_notices_by_itself(classify, postgres_port):
    where = {"host": "127.0.0.1", "port": postgres_port, "user": "owner", "database": "postgres"}
    insecure = classify(lambda: pg8000.dbapi.connect(**where, ssl_context=True))
    assert (type(insecure), insecure.fatal, insecure.provider) == (ToolConnectionError, True, "postgres")
    wrong = classify(lambda: by_pg8000(postgres_port, "select %s", values=(1, 2)))
    assert (type(wrong), wrong.provider) == (ToolArgumentError, "postgres")
    connection = pg8000.dbapi.connect(**where)
    with contextlib.suppress(pg8000.InterfaceError), contextlib.closing(connection):
        cursor = connection.cursor()
        cursor.execute("select pg_backend_pid()")
        with psycopg.connect(host="127.0.0.1", port=postgres_port, user="owner", dbname="postgres") as owner:
            owner.execute("select pg_terminate_backend(%s)", cursor.fetchone())
        lost = classify(lambda: cursor.execute("select pg_sleep(1)"))
    assert type(lost) in (ToolConnectionError, ToolUnavailableError)
    assert (lost.fatal, lost.transient, lost.effect) == (False, True, "possible")


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_session_that_the_server_ends(classify, postgres_port, driver):
    error = classify(lambda: driver(postgres_port, "select pg_terminate_backend(pg_backend_pid())"))
    assert type(error) in (ToolConnectionError, ToolUnavailableError)
    assert (error.fatal, error.transient, error.effect) == (False, True, "possible")


def test_no_server_of_the_kind_that_is_asked_for(classify, postgres_port):
    async def ask():
        await asyncpg.connect(
            host="127.0.0.1", port=postgres_port, user="guest", database="postgres", target_session_attrs="standby"
        )

    error = classify(lambda: asyncio.run(ask()))
    assert (type(error), error.fatal, error.effect) == (ToolConnectionError, True, "none")
    assert error.rule == "mulligan_sql:postgres_no_such_server"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_state_that_no_rule_knows_keeps_the_database(classify, postgres_port, driver):
    sql = "do $$ begin raise exception 'odd' using errcode = 'ZZ001'; end $$"
    error = classify(lambda: driver(postgres_port, sql))
    assert (type(error), error.provider, error.rule) == (ToolExecutionError, "postgres", "mulligan_sql:postgres_other")
    assert error.message == "PostgreSQL failed (ZZ001)."
