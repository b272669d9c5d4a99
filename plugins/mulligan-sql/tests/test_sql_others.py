"""SQL Server, Oracle Database and Snowflake: what their clients raise without a server, and documented messages."""

from __future__ import annotations

import oracledb
import pymssql
import pytest
import snowflake.connector.errors
import sqlalchemy as sa

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolCancelledError,
    ToolConnectionError,
    ToolError,
    ToolPermissionError,
    ToolQuotaError,
    ToolTimeoutError,
    ToolUnavailableError,
)


def raised(classify, exception):
    def raising():
        raise exception

    return classify(raising)


ODBC = "[Microsoft][ODBC Driver 18 for SQL Server]"
SERVER = f"{ODBC}[SQL Server]"


class Error(Exception):
    """The classes of pyodbc, which needs a library of the system."""


class DatabaseError(Error):
    pass


for one in (Error, DatabaseError):
    one.__module__ = "pyodbc"

FROM_ODBC = [
    ("42S02", f"{SERVER}Invalid object name 'invoices'. (208) (SQLExecDirectW)", ResourceNotFoundError, "invoices", None),
    ("42S22", f"{SERVER}Invalid column name 'nmae'. (207) (SQLExecDirectW)", ToolArgumentError, "nmae", "/nmae"),
    (
        "42000",
        f"{SERVER}The SELECT permission was denied on the object 'users', database 'shop', schema 'dbo'. (229) (SQLExec)",
        ToolPermissionError,
        "users",
        None,
    ),
    ("42000", f"{SERVER}Incorrect syntax near 'selec'. (102) (SQLExecDirectW)", ToolArgumentError, None, None),
    (
        "23000",
        f"{SERVER}Violation of UNIQUE KEY constraint 'u'. Cannot insert duplicate key in object 'dbo.users'. The duplicate key "
        f"value is (a@b.c). (2627) (SQLExecDirectW); [23000] {SERVER}The statement has been terminated. (3621)",
        ResourceConflictError,
        "dbo.users",
        None,
    ),
    (
        "23000",
        f"{SERVER}Cannot insert the value NULL into column 'email', table 'shop.dbo.users'; column does not allow nulls. "
        "INSERT fails. (515) (SQLExecDirectW)",
        ToolArgumentError,
        "shop.dbo.users",
        "/email",
    ),
    (
        "23000",
        f'{SERVER}The INSERT statement conflicted with the CHECK constraint "c". The conflict occurred in database "shop", '
        "table \"dbo.users\", column 'age'. (547) (SQLExecDirectW)",
        ToolArgumentError,
        "dbo.users",
        "/age",
    ),
    ("40001", f"{SERVER}Transaction was deadlocked on lock resources. (1205) (SQLEx)", ResourceConflictError, None, None),
    ("28000", f"{SERVER}Login failed for user 'sa'. (18456) (SQLDriverConnect)", ToolAuthenticationError, None, None),
    ("42000", f"{SERVER}The transaction log for database 'shop' is full. (9002) (SQLEx)", ToolQuotaError, None, None),
    ("HY000", f"{SERVER}Database 'x' on server 'y' is not currently available. (40613) (SQ)", ToolUnavailableError, None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "text", "cls", "resource", "pointer"), FROM_ODBC, ids=[one[1][-30:] for one in FROM_ODBC]
)
def test_what_sql_server_answers_through_odbc(classify, state, text, cls, resource, pointer):
    error = raised(classify, DatabaseError(state, f"[{state}] {text}"))
    assert (type(error), error.resource, error.provider) == (cls, resource, "sqlserver")
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])
    assert error.fatal is cls.fatal


@pytest.mark.parametrize(
    ("exception", "cls", "effect"),
    [
        (
            DatabaseError("HYT00", f"[HYT00] {ODBC}Login timeout expired (0) (SQLDriverConnect)"),
            ToolTimeoutError,
            "none",
        ),
        (
            DatabaseError("HYT00", f"[HYT00] {ODBC}Query timeout expired (0) (SQLExecDirectW)"),
            ToolTimeoutError,
            "possible",
        ),
        (
            DatabaseError("08S01", f"[08S01] {ODBC}TCP Provider: Error code 0x2746 (10054)"),
            ToolConnectionError,
            "possible",
        ),
        (DatabaseError("08001", f"[08001] {ODBC}actively refused it. (10061)"), ToolConnectionError, "none"),
        (
            Error("IM002", "[IM002] [unixODBC][Driver Manager]Data source name not found (0)"),
            ToolConnectionError,
            "none",
        ),
    ],
)
def test_what_odbc_itself_says(classify, exception, cls, effect):
    error = raised(classify, exception)
    assert (type(error), error.effect, error.rule) == (cls, effect, "mulligan_sql:pep249")


@pytest.mark.parametrize(
    ("number", "text", "cls", "resource"),
    [
        (
            208,
            b"Invalid object name 'invoices'.DB-Lib error message 20018, severity 16",
            ResourceNotFoundError,
            "invoices",
        ),
        (18456, b"Login failed for user 'sa'.DB-Lib error message 20018", ToolAuthenticationError, None),
        (20047, b"DB-Lib error message 20047: DBPROCESS is dead or not enabled", ToolConnectionError, None),
    ],
)
def test_what_sql_server_answers_through_pymssql(classify, number, text, cls, resource):
    error = raised(classify, pymssql.OperationalError(number, text))
    assert (type(error), error.resource, error.provider) == (cls, resource, "sqlserver")


def test_nobody_listens(classify):
    errors = [
        classify(lambda: pymssql.connect(server="127.0.0.1", port="1", user="a", password="b", login_timeout=2)),
        classify(lambda: sa.create_engine("mssql+pymssql://a:b@127.0.0.1:1/x").connect()),
        classify(lambda: oracledb.connect(user="a", password="b", dsn="127.0.0.1:1/x")),
        classify(lambda: oracledb.connect(user="a", password="b", dsn="db.example.invalid:1521/x")),
        classify(lambda: sa.create_engine("oracle+oracledb://a:b@127.0.0.1:1/?service_name=x").connect()),
    ]
    assert [(type(error), error.fatal, error.effect) for error in errors] == [(ToolConnectionError, True, "none")] * 5
    assert [error.provider for error in errors] == ["sqlserver"] * 2 + ["oracle"] * 3
    assert errors[2].message == "Oracle Database cannot be reached (DPY-6005)."


FROM_ORACLE: list[tuple[str, type[ToolError], str | None, str | None]] = [
    ('ORA-00942: table or view "SHOP"."INVOICES" does not exist', ResourceNotFoundError, "SHOP.INVOICES", None),
    ('ORA-00904: "NMAE": invalid identifier', ToolArgumentError, "NMAE", "/NMAE"),
    ('ORA-01400: cannot insert NULL into ("SHOP"."USERS"."EMAIL")', ToolArgumentError, None, "/EMAIL"),
    ('ORA-12899: value too large for column "SHOP"."USERS"."NAME" (actual: 9, maximum: 5)', ToolArgumentError, None, "/NAME"),
    ("ORA-00001: unique constraint (SHOP.USERS_UK) violated", ResourceConflictError, None, None),
    ("ORA-02291: integrity constraint (SHOP.FK) violated - parent key not found", ResourceConflictError, None, None),
    ("ORA-00060: deadlock detected while waiting for resource", ResourceConflictError, None, None),
    ("ORA-01017: invalid credential or not authorized; logon denied", ToolAuthenticationError, None, None),
    ("ORA-01031: insufficient privileges", ToolPermissionError, None, None),
    ("ORA-01653: unable to extend table SHOP.USERS by 8 in tablespace DATA", ToolQuotaError, None, None),
    ("ORA-01013: user requested cancel of current operation", ToolCancelledError, None, None),
    ("ORA-12514: Cannot connect to database. Service x is not registered", ResourceNotFoundError, None, None),
    ("ORA-12516: Cannot connect to database. Listener could not find an available handler", ToolUnavailableError, None, None),
    ("DPY-4011: the database or network closed the connection", ToolConnectionError, None, None),
    ("DPY-4024: call timeout of 500 ms exceeded", ToolTimeoutError, None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "cls", "resource", "pointer"), FROM_ORACLE, ids=[one[0][:9] for one in FROM_ORACLE])
def test_what_oracle_answers(classify, text, cls, resource, pointer):
    error = raised(classify, oracledb.DatabaseError(text))
    assert (type(error), error.resource, error.provider) == (cls, resource, "oracle")
    assert [problem.pointer for problem in error.problems] == ([pointer] if pointer else [])


def snowflake_error(errno, state, text):
    return snowflake.connector.errors.ProgrammingError(msg=text, errno=errno, sqlstate=state, sfqid="x")


FROM_SNOWFLAKE = [
    (
        2003,
        "42S02",
        "SQL compilation error:\nObject 'INVOICES' does not exist or not authorized.",
        ResourceNotFoundError,
    ),
    (
        3001,
        "42501",
        "SQL access control error:\nInsufficient privileges to operate on schema 'PUBLIC'",
        ToolPermissionError,
    ),
    (1003, "42000", "SQL compilation error:\nsyntax error line 1 at position 0 unexpected 'selec'.", ToolArgumentError),
    (604, "57014", "SQL execution canceled", ToolCancelledError),
    (
        250001,
        "08001",
        "Failed to connect to DB. Incorrect username or password was specified.",
        ToolAuthenticationError,
    ),
    (250001, "08001", "Could not connect to Snowflake backend after 2 attempt(s).Aborting", ToolConnectionError),
]


@pytest.mark.parametrize(
    ("errno", "state", "text", "cls"), FROM_SNOWFLAKE, ids=[one[2][-25:] for one in FROM_SNOWFLAKE]
)
def test_what_snowflake_answers(classify, errno, state, text, cls):
    error = raised(classify, snowflake_error(errno, state, text))
    assert (type(error), error.provider) == (cls, "snowflake")
    assert error.resource == ("INVOICES" if errno == 2003 else None)
