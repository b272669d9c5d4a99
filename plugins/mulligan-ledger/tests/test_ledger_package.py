"""What holds for the package as a whole."""

from __future__ import annotations

import pathlib
import re
import sqlite3
import subprocess
import sys

import pytest
from mulligan_ledger.schema import MIGRATIONS
from mulligan_testkit.readme import assert_example_runs

from mulligan.cli.app import run

HERE = pathlib.Path(__file__).parent
REFERENCE = HERE.parents[2] / "docs" / "reference" / "ledger.md"


def columns():
    connection = sqlite3.connect(":memory:")
    for _, statements in MIGRATIONS:
        connection.executescript(statements)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = [(table, row[1]) for table in tables for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    return found


@pytest.mark.parametrize(("table", "column"), columns())
def test_every_column_is_documented(table, column):
    text = REFERENCE.read_text("utf-8")
    part = re.search(rf"### {table}\n(.*?)(?=\n##|\Z)", text, re.DOTALL)
    said = part[1] if part else next(line for line in text.splitlines() if line.startswith(f"| `{table}`"))

    assert f"`{column}`" in said


def test_the_queries_of_the_reference_run():
    connection = sqlite3.connect(":memory:")
    for _, statements in MIGRATIONS:
        connection.executescript(statements)
    queries = re.findall(r"```sql\n(.*?)```", REFERENCE.read_text("utf-8"), re.DOTALL)
    for query in queries:
        connection.execute(query)
    connection.close()

    assert len(queries) == 2


def test_the_readmes_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_example_runs(HERE.parent)

    assert (tmp_path / "runs.db").exists()


def test_a_program_that_records_nothing_imports_no_sqlite():
    code = "import sys, mulligan; mulligan.Pipeline(); print('sqlite3' in sys.modules, 'jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False False"


@pytest.mark.parametrize("command", ["report", "replay", "diff", "import"])
def test_every_command_has_a_page_of_help(command, capsys):
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"Usage: mulligan {command} ")
    assert run([command, "--nope"]) == 2
    assert f"See mulligan {command} --help" in capsys.readouterr().err
