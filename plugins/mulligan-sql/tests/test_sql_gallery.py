"""The package's part of the gallery."""

import mulligan_sql
import pytest
from mulligan_testkit.gallery import Gallery, GalleryFailure
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
            GalleryFailure("SQLite: a table that is not there", *in_sqlite("select * from invoices")),
            GalleryFailure(
                "SQLite: a value that is taken", *in_sqlite("insert into users values (2, 'a@b.c', 1)", True)
            ),
            GalleryFailure("PostgreSQL: a column that is misspelt", *in_postgres("select nmae from users")),
            GalleryFailure("PostgreSQL: SQL that cannot be read", *in_postgres("selec 1")),
            GalleryFailure("PostgreSQL: a table of somebody else", *in_postgres("select * from users", user="guest")),
            GalleryFailure("PostgreSQL: a wrong password", *in_postgres("select 1", user="guarded", password="wrong")),
        ]
