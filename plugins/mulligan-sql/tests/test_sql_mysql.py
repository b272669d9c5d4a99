"""MySQL's and MariaDB's documented answers, sent over loopback to the real drivers."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import aiomysql
import asyncmy
import mysql.connector
import mysql.connector.pooling
import pymysql
import pytest
from mysql_server import MySQLServer

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
    ToolRateLimitError,
    ToolTimeoutError,
    ToolUnavailableError,
)


def by_pymysql(port, host="127.0.0.1", sql="select 1", values=None, **more):
    connection = pymysql.connect(host=host, port=port, user="app", password="x", connect_timeout=3, **more)
    with connection, connection.cursor() as cursor:
        cursor.execute(sql, values)


def by_connector(port, host="127.0.0.1", sql="select 1", values=None, **more):
    connection = mysql.connector.connect(
        host=host, port=port, user="app", password="x", use_pure=True, ssl_disabled=True, connection_timeout=3, **more
    )
    with contextlib.closing(connection), contextlib.closing(connection.cursor()) as cursor:
        cursor.execute(sql, values)


def by_asyncmy(port, host="127.0.0.1", sql="select 1"):
    async def ask():
        connection = await asyncmy.connect(host=host, port=port, user="app", password="x", connect_timeout=3)
        try:
            async with connection.cursor() as cursor:
                await cursor.execute(sql)
        finally:
            connection.close()

    asyncio.run(ask())


def by_aiomysql(port, host="127.0.0.1", sql="select 1"):
    async def ask():
        connection = await aiomysql.connect(host=host, port=port, user="app", password="x", connect_timeout=3)
        try:
            async with connection.cursor() as cursor:
                await cursor.execute(sql)
        finally:
            connection.close()

    asyncio.run(ask())


DRIVERS = [by_pymysql, by_connector, by_asyncmy, by_aiomysql]
FOREIGN = (
    "Cannot add or update a child row: a foreign key constraint fails "
    "(`shop`.`orders`, CONSTRAINT `orders_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`))"
)
ANSWERS = [
    ((1146, "42S02", "Table 'shop.invoices' doesn't exist"), ResourceNotFoundError, "shop.invoices", None),
    ((1051, "42S02", "Unknown table 'shop.nowhere'"), ResourceNotFoundError, "shop.nowhere", None),
    ((1049, "42000", "Unknown database 'nowhere'"), ResourceNotFoundError, "nowhere", None),
    ((1091, "42000", "Can't DROP 'zzz'; check that column/key exists"), ResourceNotFoundError, "zzz", None),
    ((1305, "42000", "PROCEDURE shop.none does not exist"), ResourceNotFoundError, "shop.none", None),
    ((1305, "42000", "FUNCTION shop.none does not exist"), ToolArgumentError, None, None),
    ((1054, "42S22", "Unknown column 'nmae' in 'field list'"), ToolArgumentError, "nmae", "/nmae"),
    ((1064, "42000", "You have an error in your SQL syntax near 'selec 1' at line 1"), ToolArgumentError, None, None),
    ((1136, "21S01", "Column count doesn't match value count at row 1"), ToolArgumentError, None, None),
    ((1048, "23000", "Column 'email' cannot be null"), ToolArgumentError, None, "/email"),
    ((1364, "HY000", "Field 'email' doesn't have a default value"), ToolArgumentError, None, "/email"),
    ((1406, "22001", "Data too long for column 'email' at row 1"), ToolArgumentError, None, "/email"),
    ((1366, "22007", "Incorrect integer value: 'abc' for column `shop`.`users`.`id` at row 1"),
     ToolArgumentError, "shop.users", "/id"),
    ((4025, "23000", "CONSTRAINT `users.age` failed for `shop`.`users`"), ToolArgumentError, "shop.users", "/age"),
    ((3819, "HY000", "Check constraint 'users_chk_1' is violated."), ToolArgumentError, None, None),
    ((1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes"), ToolArgumentError, None, None),
    ((1062, "23000", "Duplicate entry 'a@b.c' for key 'users.email'"), ResourceConflictError, None, "/email"),
    ((1062, "23000", "Duplicate entry '1' for key 'users.PRIMARY'"), ResourceConflictError, None, None),
    ((1452, "23000", FOREIGN),
     ResourceConflictError, "shop.orders", "/user_id"),
    ((1050, "42S01", "Table 'users' already exists"), ResourceConflictError, "users", None),
    ((1007, "HY000", "Can't create database 'shop'; database exists"), ResourceConflictError, "shop", None),
    ((1396, "HY000", "Operation CREATE USER failed for 'app'@'localhost'"), ResourceConflictError, "app", None),
    ((1396, "HY000", "Operation DROP USER failed for 'app'@'localhost'"), ResourceNotFoundError, "app", None),
    ((1191, "HY000", "Can't find FULLTEXT index matching the column list"), ToolArgumentError, None, None),
    ((1286, "42000", "Unknown storage engine 'none'"), ToolArgumentError, None, None),
    ((1526, "HY000", "Table has no partition for value 99"), ToolArgumentError, None, None),
    ((3105, "HY000", "The value specified for generated column 'sum' in table 'users' is not allowed."),
     ToolArgumentError, None, "/sum"),
    ((1205, "HY000", "Lock wait timeout exceeded; try restarting transaction"), ResourceConflictError, None, None),
    ((1213, "40001", "Deadlock found when trying to get lock"), ResourceConflictError, None, None),
    ((1317, "70100", "Query execution was interrupted"), ToolCancelledError, None, None),
    ((3024, "HY000", "Query execution was interrupted, maximum statement execution time exceeded"),
     ToolTimeoutError, None, None),
    ((1040, "08004", "Too many connections"), ToolUnavailableError, None, None),
    ((1053, "08S01", "Server shutdown in progress"), ToolUnavailableError, None, None),
    ((1226, "42000", "User 'app' has exceeded the 'max_questions' resource"), ToolRateLimitError, None, None),
    ((1226, "42000", "User 'app' has exceeded the 'max_user_connections' resource"),
     ToolUnavailableError, None, None),
    ((1114, "HY000", "The table 'users' is full"), ToolQuotaError, None, None),
    ((1030, "HY000", "Got error 28 from storage engine"), ToolQuotaError, None, None),
    ((1030, "HY000", "Got error 122 from storage engine"), ToolExecutionError, None, None),
    ((1142, "42000", "SELECT command denied to user 'app'@'localhost' for table `shop`.`users`"),
     ToolPermissionError, "shop.users", None),
    ((1290, "HY000", "The MySQL server is running with the --read-only option so it cannot execute this statement"),
     ToolPermissionError, None, None),
    ((1290, "HY000", "The MySQL server is running with the --secure-file-priv option"), ToolPermissionError, None, None),
    ((1644, "45000", "an error of the application"), ResourceConflictError, None, None),
    ((1206, "HY000", "The total number of locks exceeds the lock table size"), ToolUnavailableError, None, None),
    ((1180, "HY000", "Got error 149 - 'Lock deadlock; Retry transaction' during COMMIT"), ToolExecutionError, None, None),
    ((1047, "08S01", "WSREP has not yet prepared node for application use"), ToolUnavailableError, None, None),
    ((3576, "HY000", "In recursive query block of Recursive Common Table Expression 'c'"), ToolArgumentError, None, None),
    ((1235, "42000", "This version of MySQL doesn't yet support this"), ToolArgumentError, None, None),
]  # fmt: skip
FATAL = {1142, 1114}


@pytest.mark.parametrize(("answer", "cls", "resource", "pointer"), ANSWERS, ids=[str(one[0][0]) for one in ANSWERS])
@pytest.mark.parametrize("driver", DRIVERS)
def test_what_the_server_answers_to_a_statement(classify, driver, answer, cls, resource, pointer):
    with MySQLServer(answer) as server:
        error = classify(lambda: driver(server.port))
    assert type(error) is cls
    assert error.provider == "mysql"
    assert error.rule == "mulligan_sql:mysql_number"
    assert error.resource == resource
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])
    assert error.fatal is (answer[0] in FATAL or "error 28 " in answer[2] or "-file-priv" in answer[2])
    if answer[0] == 1206:
        assert error.effect == "none"
    if answer[0] == 1180:
        assert (error.effect, error.message) == ("possible", "MySQL failed during the commit (1180).")
    if answer[0] in (1205, 1213):
        assert (error.code, error.transient, error.effect) == ("ABORTED", True, "none")


@pytest.mark.parametrize("driver", DRIVERS)
def test_an_error_that_no_rule_knows_keeps_the_database(classify, driver):
    with MySQLServer((1999, "HY000", "Something else")) as server:
        error = classify(lambda: driver(server.port))
    assert type(error) is ToolExecutionError
    assert (error.rule, error.provider) == ("mulligan_sql:mysql_other", "mysql")


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    ("answer", "cls"),
    [
        ((1045, "28000", "Access denied for user 'app'@'localhost' (using password: YES)"), ToolAuthenticationError),
        ((1044, "42000", "Access denied for user 'app'@'%' to database 'shop'"), ToolPermissionError),
        ((1130, "HY000", "Host '10.0.0.1' is not allowed to connect"), ToolAuthenticationError),
    ],
)
def test_what_the_server_answers_to_the_log_in(classify, driver, answer, cls):
    with MySQLServer(answer, at="login") as server:
        error = classify(lambda: driver(server.port))
    assert type(error) is cls
    assert error.fatal
    assert error.effect == "none"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_connection_that_is_dropped_midway(classify, driver):
    with MySQLServer("hang up") as server:
        error = classify(lambda: driver(server.port))
    assert type(error) is ToolConnectionError
    assert (error.fatal, error.transient, error.effect) == (False, True, "possible")


def test_a_server_that_does_not_answer_in_time(classify):
    with MySQLServer("silence") as server:
        slow = classify(lambda: by_pymysql(server.port, read_timeout=1))
        silent = classify(lambda: by_connector(server.port, read_timeout=1))
    assert type(slow) is type(silent) is ToolTimeoutError
    assert slow.effect == silent.effect == "possible"
    assert slow.rule == silent.rule == "mulligan_sql:mysql_number"


def test_a_server_that_does_not_greet_in_time(classify):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = {"host": "127.0.0.1", "port": silent.getsockname()[1], "connection_timeout": 1}
        error = classify(lambda: mysql.connector.connect(use_pure=True, **settings))
    assert isinstance(error.__cause__, mysql.connector.errors.ConnectionTimeoutError)
    assert (type(error), error.effect, error.provider) == (ToolTimeoutError, "none", "mysql")


@pytest.mark.parametrize("driver", [by_pymysql, by_connector])
@pytest.mark.parametrize("host", ["127.0.0.1", "db.example.invalid"])
def test_nobody_listens(classify, driver, host):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    error = classify(lambda: driver(port, host=host))
    assert type(error) is ToolConnectionError
    assert (error.fatal, error.effect, error.provider) == (True, "none", "mysql")


@pytest.mark.parametrize("driver", [by_pymysql, by_connector])
def test_values_that_do_not_fit_the_parameters(classify, driver):
    with MySQLServer((1064, "42000", "never sent")) as server:
        error = classify(lambda: driver(server.port, sql="select %s, %s", values=(1,)))
    assert type(error) is ToolArgumentError
    assert error.provider == "mysql"


def test_a_connection_that_was_closed_before(classify):
    with MySQLServer((1064, "42000", "never sent")) as server:
        one = pymysql.connect(host="127.0.0.1", port=server.port, user="app", password="x")
        one.close()
        other = mysql.connector.connect(
            host="127.0.0.1", port=server.port, user="app", password="x", use_pure=True, ssl_disabled=True
        )
        other.close()
        errors = [classify(lambda: one.cursor().execute("select 1")), classify(other.cursor)]
    assert [type(error) for error in errors] == [ToolConnectionError] * 2
    assert not any(error.fatal for error in errors)


def test_a_pool_without_a_free_connection(classify):
    with MySQLServer((1064, "42000", "never sent")) as server:
        pool = mysql.connector.pooling.MySQLConnectionPool(
            pool_size=1, host="127.0.0.1", port=server.port, user="app", password="x", use_pure=True, ssl_disabled=True
        )
        taken = pool.get_connection()
        error = classify(pool.get_connection)
        taken._cnx.close()
    assert type(error) is ToolUnavailableError
    assert error.rule == "mulligan_sql:mysql_pool"


def test_rows_that_nobody_asked_the_server_for(classify):
    with MySQLServer((1064, "42000", "never sent")) as server:
        connection = mysql.connector.connect(
            host="127.0.0.1", port=server.port, user="app", password="x", use_pure=True, ssl_disabled=True
        )
        with contextlib.closing(connection), contextlib.closing(connection.cursor()) as cursor:
            error = classify(cursor.fetchone)
    assert (type(error), error.effect, error.provider) == (ToolExecutionError, "possible", "mysql")
