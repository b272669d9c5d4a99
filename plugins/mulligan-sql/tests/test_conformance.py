"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_sql
import oracledb
import psycopg
import pymssql
import pymysql

from mulligan.errors import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolUnavailableError,
)
from mulligan.testing import ClassifierConformance

DUPLICATE = 'duplicate key value violates unique constraint "a_pkey"'


class TestSQL(ClassifierConformance):
    plugin = mulligan_sql
    samples = [
        (psycopg.errors.UniqueViolation(DUPLICATE), ResourceConflictError, {"rule": "postgres_state"}),
        (pymysql.err.OperationalError(1045, "Access denied for user"), ToolAuthenticationError),
        (pymysql.err.ProgrammingError(1146, "Table 'shop.users' doesn't exist"), ResourceNotFoundError),
        (pymysql.err.OperationalError(1206, "The total number of locks exceeds the lock table"), ToolUnavailableError),
        (psycopg.errors.UndefinedTable('relation "users" does not exist'), ResourceNotFoundError),
        (psycopg.errors.FeatureNotSupported("not supported"), ToolArgumentError),
        (psycopg.errors.InFailedSqlTransaction("current transaction is aborted"), ResourceConflictError),
        (pymssql.ProgrammingError(208, b"Invalid object name 'users'."), ResourceNotFoundError),
        (oracledb.DatabaseError("ORA-00942: table or view does not exist"), ResourceNotFoundError),
    ]
