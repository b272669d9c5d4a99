"""The package's part of the gallery."""

import mulligan_sql
import pytest
from mulligan_testkit.gallery import Gallery, Shown
from test_sql_postgres import by_psycopg
from test_sql_sqlite import sqlite  # noqa: F401


class TestGallery(Gallery):
    title = "SQL databases"
    plugin = mulligan_sql
    packages = ("psycopg",)

    @pytest.fixture
    def shown(self, sqlite, postgres_port):  # noqa: F811
        def in_sqlite(sql, writes=False):
            return "query", {"sql": sql}, lambda: sqlite.execute(sql), writes

        def in_postgres(sql, writes=False, **more):
            return "query", {"sql": sql}, lambda: by_psycopg(postgres_port, sql, **more), writes

        return [
            Shown("SQLite: a table that is not there", *in_sqlite("select * from invoices")),
            Shown("SQLite: a value that is taken", *in_sqlite("insert into users values (2, 'a@b.c', 1)", True)),
            Shown("PostgreSQL: a column that is misspelt", *in_postgres("select nmae from users")),
            Shown("PostgreSQL: SQL that cannot be read", *in_postgres("selec 1")),
            Shown("PostgreSQL: a table of somebody else", *in_postgres("select * from users", user="guest")),
            Shown("PostgreSQL: a wrong password", *in_postgres("select 1", user="guarded", password="wrong")),
        ]
