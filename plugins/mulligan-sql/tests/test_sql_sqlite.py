"""SQLite and DuckDB, which need no server: the real thing."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading

import aiosqlite
import duckdb
import pytest

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolCancelledError,
    ToolConnectionError,
    ToolExecutionError,
    ToolPermissionError,
    ToolQuotaError,
    ToolUnavailableError,
)

SETUP = [
    "create table users (id integer primary key, email text unique not null, age int check (age > 0))",
    "insert into users values (1, 'a@b.c', 3)",
    "create table orders (user_id int references users(id))",
]
SQLITE_SETUP = [
    "create table strict_ones (a int) strict",
    "create table pairs (a int, b int, unique (a, b))",
    "insert into pairs values (1, 1)",
    "create trigger kept before delete on pairs begin select raise(abort, 'no'); end",
]


@pytest.fixture
def sqlite():
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in (*SETUP, *SQLITE_SETUP, "pragma foreign_keys = on"):
            connection.execute(statement)
        yield connection


@pytest.fixture
def duck():
    with contextlib.closing(duckdb.connect()) as connection:
        for statement in SETUP:
            connection.execute(statement)
        yield connection


STATEMENTS = [
    ("select * from invoices", ResourceNotFoundError, "invoices", None),
    ("create index i on invoices(a)", ResourceNotFoundError, "invoices", None),
    ("drop index none", ResourceNotFoundError, "none", None),
    ("detach none", ResourceNotFoundError, "none", None),
    ("attach '/nowhere/x.db' as x", ResourceNotFoundError, "/nowhere/x.db", None),
    ("select nmae from users", ToolArgumentError, "nmae", "/nmae"),
    ("select u.nmae from users u", ToolArgumentError, "u.nmae", "/nmae"),
    ("insert into users(nmae) values (1)", ToolArgumentError, "nmae", "/nmae"),
    ("selec 1", ToolArgumentError, None, None),
    ("select (", ToolArgumentError, None, None),
    ("select none(1)", ToolArgumentError, None, None),
    ("select 1 union select 1, 2", ToolArgumentError, None, None),
    ("insert into users values ('abc', 'x', 1)", ToolArgumentError, None, None),
    ("select zeroblob(10000000000)", ToolArgumentError, None, None),
    ("insert into users values (2, null, 1)", ToolArgumentError, "users", "/email"),
    ("insert into users values (2, 'x', -1)", ToolArgumentError, None, "/age"),
    ("insert into users values (2, 'a@b.c', 1)", ResourceConflictError, "users", "/email"),
    ("insert into users values (1, 'x', 1)", ResourceConflictError, "users", "/id"),
    ("insert into orders values (9)", ResourceConflictError, None, None),
    ("insert into pairs values (1, 1)", ResourceConflictError, "pairs", "/a"),
    ("insert into strict_ones values ('abc')", ToolArgumentError, "strict_ones", "/a"),
    ("delete from pairs", ResourceConflictError, None, None),
    ("create table users (a)", ResourceConflictError, "users", None),
    ("alter table orders rename to users", ResourceConflictError, "users", None),
    ("alter table users add column age int", ResourceConflictError, "age", None),
    ("commit", ResourceConflictError, None, None),
    ("select load_extension('x')", ToolPermissionError, None, None),
]


@pytest.mark.parametrize(("sql", "cls", "resource", "pointer"), STATEMENTS, ids=[one[0][:40] for one in STATEMENTS])
def test_what_sqlite_answers_to_a_statement(classify, sqlite, sql, cls, resource, pointer):
    error = classify(lambda: sqlite.execute(sql))
    assert type(error) is cls
    assert error.provider == "sqlite"
    assert error.rule in ("mulligan_sql:sqlite_code", "mulligan_sql:sqlite_words")
    assert error.resource == resource
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])
    assert error.fatal is (cls is ToolPermissionError)


@pytest.mark.parametrize("values", [(1, 2), ({},)])
def test_values_that_do_not_fit_the_parameters(classify, sqlite, values):
    error = classify(lambda: sqlite.execute("select ?", values))
    assert (type(error), error.rule) == (ToolArgumentError, "mulligan_sql:sqlite_module")


def test_a_whole_number_that_sqlite_cannot_hold(classify, sqlite):
    error = classify(lambda: sqlite.execute("select ?", (2**70,)))
    assert (type(error), error.rule, error.provider) == (ToolArgumentError, "mulligan_sql:sqlite_integer", "sqlite")


def test_a_trigger_may_leave_a_part_done(classify, sqlite):
    error = classify(lambda: sqlite.execute("delete from pairs"))
    assert (error.code, error.effect) == ("FAILED_PRECONDITION", "possible")


def test_asyncio(classify):
    async def ask():
        async with aiosqlite.connect(":memory:") as connection:
            await connection.execute("select * from invoices")

    error = classify(lambda: asyncio.run(ask()))
    assert (type(error), error.resource, error.provider) == (ResourceNotFoundError, "invoices", "sqlite")


def test_two_statements_at_once(classify, sqlite):
    assert type(classify(lambda: sqlite.execute("select 1; select 2"))) is ToolArgumentError


def test_a_connection_that_was_closed_before(classify):
    connection = sqlite3.connect(":memory:")
    connection.close()
    error = classify(lambda: connection.execute("select 1"))
    assert (type(error), error.effect) == (ToolExecutionError, "none")


def test_a_file_that_another_connection_has_locked(classify, tmp_path):
    path = tmp_path / "a.db"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as one:
        one.execute("create table t (a)")
        one.execute("begin exclusive")
        with contextlib.closing(sqlite3.connect(path, timeout=0)) as other:
            error = classify(lambda: other.execute("select * from t"))
    assert type(error) is ResourceConflictError
    assert (error.code, error.transient, error.effect) == ("ABORTED", True, "none")


def test_a_database_that_may_only_be_read(classify, tmp_path):
    path = tmp_path / "a.db"
    with contextlib.closing(sqlite3.connect(path)) as one:
        one.execute("create table t (a)")
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as other:
        error = classify(lambda: other.execute("insert into t values (1)"))
    assert (type(error), error.fatal) == (ToolPermissionError, False)


def test_a_file_that_is_not_there_and_one_that_is_no_database(classify, tmp_path):
    error = classify(lambda: sqlite3.connect(tmp_path / "nowhere" / "a.db"))
    assert type(error) is ResourceNotFoundError
    (tmp_path / "a.txt").write_text("plain text " * 100)
    with contextlib.closing(sqlite3.connect(tmp_path / "a.txt")) as connection:
        error = classify(lambda: connection.execute("select * from t"))
    assert type(error) is ToolExecutionError
    assert error.message == "The file is not a database, or is encrypted (SQLITE_NOTADB)."


def test_a_full_database(classify, sqlite):
    sqlite.execute("pragma max_page_count = 8")
    error = classify(lambda: sqlite.execute("create table blobs as select zeroblob(100000) as one"))
    assert (type(error), error.fatal) == (ToolQuotaError, True)


def test_a_statement_that_somebody_interrupts(classify, sqlite):
    sqlite.set_progress_handler(lambda: 1, 1)
    error = classify(lambda: sqlite.execute("select * from users"))
    assert (type(error), error.effect) == (ToolCancelledError, "possible")


def test_what_the_tool_itself_put_into_the_database(classify, sqlite):
    sqlite.create_function("boom", 0, lambda: 1 / 0)
    assert type(classify(lambda: sqlite.execute("select boom()"))) is ToolExecutionError
    sqlite.set_authorizer(lambda *_: sqlite3.SQLITE_DENY)
    assert type(classify(lambda: sqlite.execute("select * from users"))) is ToolPermissionError


DUCK_STATEMENTS = [
    ("select * from invoices", ResourceNotFoundError, "invoices", None),
    ("select * from 'nowhere.csv'", ResourceNotFoundError, "nowhere.csv", None),
    ("attach '/nowhere/x.db'", ResourceNotFoundError, "/nowhere/x.db", None),
    ("use nowhere", ResourceNotFoundError, "nowhere", None),
    ("select nmae from users", ToolArgumentError, "nmae", "/nmae"),
    ("select u.nmae from users u", ToolArgumentError, "nmae", "/nmae"),
    ("update users set nmae = 1", ToolArgumentError, "nmae", "/nmae"),
    ("select u.id from users", ToolArgumentError, None, None),
    ("selec 1", ToolArgumentError, None, None),
    ("select none(1)", ToolArgumentError, None, None),
    ("select 'abc'::int", ToolArgumentError, None, None),
    ("select ?", ToolArgumentError, None, None),
    ("select sum(email) from users", ToolArgumentError, None, None),
    ("insert into users values (2, null, 1)", ToolArgumentError, None, "/email"),
    ("insert into users values (2, 'x', -1)", ToolArgumentError, "users", None),
    ("insert into users values (1, 'x', 1)", ResourceConflictError, None, "/id"),
    ("insert into orders values (9)", ResourceConflictError, None, "/id"),
    ("create table users (a int)", ResourceConflictError, "users", None),
    ("alter table orders rename to users", ResourceConflictError, "users", None),
    ("drop table users", ResourceConflictError, None, None),
    ("commit", ResourceConflictError, None, None),
]


@pytest.mark.parametrize(
    ("sql", "cls", "resource", "pointer"), DUCK_STATEMENTS, ids=[one[0] for one in DUCK_STATEMENTS]
)
def test_what_duckdb_answers_to_a_statement(classify, duck, sql, cls, resource, pointer):
    error = classify(lambda: duck.execute(sql))
    assert type(error) is cls
    assert error.provider == "duckdb"
    assert error.resource == resource
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])
    assert not error.fatal


@pytest.mark.parametrize("cls", [duckdb.Error, duckdb.InternalException])
def test_what_no_rule_knows_is_still_an_error_of_duckdb(classify, cls):
    def fail():
        raise cls("odd")

    error = classify(fail)
    assert (type(error), error.provider, error.message) == (ToolExecutionError, "duckdb", "DuckDB failed.")


def test_a_duckdb_file_that_may_only_be_read(classify, tmp_path):
    path = str(tmp_path / "a.duckdb")
    duckdb.connect(path).close()
    with contextlib.closing(duckdb.connect(path, read_only=True)) as connection:
        error = classify(lambda: connection.execute("create table t (a int)"))
    assert (type(error), error.fatal) == (ToolPermissionError, False)


def test_a_duckdb_file_that_is_no_database(classify, tmp_path):
    (tmp_path / "a.txt").write_text("plain text " * 1000)
    error = classify(lambda: duckdb.connect(str(tmp_path / "a.txt")))
    assert type(error) is ToolExecutionError
    assert error.message == "The file is not a database, or is encrypted."


def test_duckdb_interrupted_out_of_memory_and_closed(classify, duck):
    timer = threading.Timer(0.2, duck.interrupt)
    timer.start()
    error = classify(lambda: duck.execute("select count(*) from range(100000000) a, range(1000000) b"))
    timer.join()
    assert type(error) is ToolCancelledError
    duck.execute("set memory_limit = '1MB'")
    error = classify(lambda: duck.execute("create table big as select random()::text from range(10000000)"))
    assert (type(error), error.effect) == (ToolUnavailableError, "none")
    duck.close()
    assert type(classify(lambda: duck.execute("select 1"))) is ToolConnectionError


def test_two_duckdb_transactions_at_once(classify, duck):
    one, other = duck.cursor(), duck.cursor()
    for each in (one, other):
        each.execute("begin")
    one.execute("update users set age = 4")
    error = classify(lambda: other.execute("update users set age = 5"))
    assert (type(error), error.code, error.transient) == (ResourceConflictError, "ABORTED", True)
    error = classify(lambda: other.execute("select 1"))
    assert error.message.endswith("Roll back first.")


def test_a_duckdb_file_that_is_open_already_or_not_there(classify, tmp_path):
    path = str(tmp_path / "a.duckdb")
    with contextlib.closing(duckdb.connect(path)):
        error = classify(lambda: duckdb.connect(path, read_only=True))
    assert (type(error), error.code, error.transient) == (ResourceConflictError, "FAILED_PRECONDITION", False)
    error = classify(lambda: duckdb.connect(str(tmp_path / "b.duckdb"), read_only=True))
    assert (type(error), error.resource) == (ResourceNotFoundError, str(tmp_path / "b.duckdb"))


def test_a_value_that_duckdb_does_not_know(classify, duck):
    error = classify(lambda: duck.execute("select ?", [object()]))
    assert (type(error), error.provider) == (ToolArgumentError, "duckdb")


@pytest.mark.parametrize(
    ("status", "cls"), [(404, ResourceNotFoundError), (403, ToolPermissionError), (503, ToolUnavailableError)]
)
def test_a_remote_file_by_its_status(classify, status, cls):
    def raising():
        error = duckdb.HTTPException(f"HTTP Error: HTTP GET error (HTTP {status})")
        error.status_code = status
        raise error

    error = classify(raising)
    assert (type(error), error.http_status, error.provider) == (cls, status, "duckdb")
