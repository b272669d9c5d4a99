"""What the failures of SQL databases mean, for mulligan; it registers itself when it is installed.

The rules know result codes and documented fields first (SQLSTATE, MySQL's error numbers, SQLite's result codes), and
read a driver's prose only where it says more than the code. No driver is imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_sql import _duckdb, _mysql, _pep249, _postgres, _sqlalchemy, _sqlite

__all__ = ["classify", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(_sqlalchemy.rules, _postgres.rules, _mysql.rules, _sqlite.rules, _duckdb.rules, _pep249.rules)
classify = rules.hookimpl()
