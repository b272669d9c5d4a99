"""The package passes mulligan's own suite for plugins that classify."""

from __future__ import annotations

import mulligan_sql
import psycopg
import pymysql

from mulligan.errors import ResourceConflictError, ToolAuthenticationError
from mulligan.testing import ClassifierConformance

DUPLICATE = 'duplicate key value violates unique constraint "a_pkey"'


class TestSQL(ClassifierConformance):
    plugin = mulligan_sql
    samples = [
        (psycopg.errors.UniqueViolation(DUPLICATE), ResourceConflictError, {"rule": "postgres_state"}),
        (pymysql.err.OperationalError(1045, "Access denied for user"), ToolAuthenticationError),
    ]
