"""What the failures of SQL databases mean, for mulligan; it registers itself when it is installed.

The rules know result codes and documented fields first (SQLSTATE, MySQL's error numbers, SQLite's result codes), and
read a driver's prose only where it says more than the code. No driver is imported.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_sql import _duckdb, _mysql, _pep249, _postgres, _sqlalchemy, _sqlite

__all__ = ["classify", "rules"]

rules = Rules()
for _part in (_sqlalchemy, _postgres, _mysql, _sqlite, _duckdb, _pep249):
    rules.listed += _part.rules.listed
classify = rules.hookimpl()
