"""The package itself: what it imports, what its rules are called, and which words must not decide."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import mulligan_sql
import pytest
from mulligan_testkit.readme import assert_example_runs

from mulligan import Pipeline


def test_no_driver_is_imported():
    script = """
import sys
import mulligan.plugin
before = set(sys.modules)
import mulligan_sql
new = {name.partition(".")[0] for name in set(sys.modules) - before}
assert new == {"mulligan_sql"}, new
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_every_rule_has_a_name_and_a_sentence():
    rules = mulligan_sql.rules.listed
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert rule.name.isidentifier()
        assert rule.about.endswith(".")


def test_it_registers_itself():
    assert any(plugin.name == "sql" for plugin in Pipeline().plugins)


def test_the_example_of_the_readme_runs():
    assert_example_runs(pathlib.Path(__file__).parents[1])


class Error(Exception):
    pass


class DatabaseError(Error):
    pass


class IntegrityError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    def __init__(self, state, text):
        super().__init__(state, text)


@pytest.mark.parametrize(
    ("exception", "name", "rule"),
    [
        (IntegrityError("any words"), "ResourceConflictError", "mulligan_sql:pep249"),
        (ProgrammingError("42S02", "[42S02] Invalid object name 'x'"), "ResourceNotFoundError", "mulligan_sql:pep249"),
        (ProgrammingError("28000", "[28000] Login failed"), "ToolAuthenticationError", "mulligan_sql:pep249"),
        (ProgrammingError("HYT00", "[HYT00] Timeout expired"), "ToolTimeoutError", "mulligan_sql:pep249"),
        (ProgrammingError("HY000", "[HY000] General error"), "ToolArgumentError", "mulligan_sql:pep249"),
    ],
)
def test_an_unknown_driver_is_read_by_its_codes_and_classes_never_by_its_words(exception, name, rule):
    error = Pipeline(plugins=[mulligan_sql], autoload=False, strict=True).classify(exception)
    assert (type(error).__name__, error.rule) == (name, rule)


TRAPS = [
    DatabaseError("connection refused, no such table, deadlock"),
    Error("no such table: users"),
    RuntimeError("duplicate key value violates unique constraint"),
    ValueError("ORA-00942: 42P01"),
    OverflowError("Python int too large to convert to C int"),
]


@pytest.mark.parametrize("exception", TRAPS, ids=repr)
def test_words_alone_never_decide(exception):
    error = Pipeline(plugins=[mulligan_sql], autoload=False, strict=True).classify(exception)
    assert error.provider is None
    assert not error.rule.startswith("mulligan_sql")
