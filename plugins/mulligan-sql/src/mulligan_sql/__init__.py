"""Rules for SQL databases. No driver is imported.

The rules read result codes and documented fields first (SQLSTATE, error numbers, result codes), and the text of a driver only
if it says more than the code.
"""

from __future__ import annotations

from mulligan.plugin import Rules
from mulligan_sql import drivers, peewee, sqlalchemy

__all__ = ["classify", "classify_last", "last", "mulligan_api", "rules"]

mulligan_api = "1.0"
rules = Rules()
rules.include(sqlalchemy.rules, peewee.rules, drivers.rules)
last = Rules(last=True)
last.include(sqlalchemy.last, drivers.last)
classify = rules.hookimpl()
classify_last = last.hookimpl()
