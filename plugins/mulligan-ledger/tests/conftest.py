"""What the tests of mulligan-ledger share: tools that fail in known ways, a ledger, and its rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from mulligan_ledger import Ledger

from mulligan import Pipeline, Policy, tool


@tool(read_only=True)
def read_file(path: str) -> str:
    """Read a file."""
    if "missing" in path:
        raise FileNotFoundError(2, "No such file or directory", path)
    return f"content of {path}"


@tool
def charge(amount: int, card: str = "") -> str:
    """Charge a card."""
    if amount > 100:
        raise PermissionError("limit exceeded for card " + card)
    return "charged"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def record(path: Path):
    """`record(ledger_options, **pipeline_options)` gives a pipeline that records, and its ledger."""
    made: list[tuple[Pipeline, Ledger]] = []

    def make(tools: Any = (read_file, charge), policy: Policy | None = None, **options: Any) -> tuple[Pipeline, Ledger]:
        ledger = Ledger(path, **options)
        pipeline = Pipeline(tools, plugins=[ledger], autoload=False, policy=policy)
        made.append((pipeline, ledger))
        return made[-1]

    yield make
    for pipeline, ledger in made:
        pipeline.close()
        ledger.close()


def rows(path: Path, table: str, order: str = "rowid") -> list[dict[str, Any]]:
    """All rows of a table."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY {order}")]
    finally:
        connection.close()


def only(path: Path, table: str) -> dict[str, Any]:
    (row,) = rows(path, table)
    return row
