"""Every published code has a meaning, or a reason why it has none; and none means less than mulligan alone knows."""

import pathlib

import mulligan_sql
import psycopg
import pytest
from mulligan_sql import mysql_codes, sqlite, sqlstate

from mulligan import Pipeline
from mulligan.errors import ToolExecutionError

FOLDER = pathlib.Path(__file__).parent / "published"
INTERNAL = ("58", "F0", "HV", "XX")  # classes of SQLSTATEs that speak of the database itself
GENERAL = ("HY000", "01000")  # the SQLSTATE of every error without one of its own, and that of a warning


def published(name: str) -> list[list[str]]:
    lines = (FOLDER / f"{name}.txt").read_text().splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def matters(row: list[str]) -> bool:
    """Whether a number of MySQL or MariaDB matters to a caller: a client's, or one with a SQLSTATE of its own."""
    return row[1].startswith("CR_") or row[2] not in GENERAL and not row[2].startswith("01")


def test_every_sqlstate() -> None:
    states = [state for state, *_ in published("sqlstate")]
    codes = sqlstate.codes

    assert [state for state in states if sqlstate.meaning_of(state) is None and state not in codes.skipped] == []
    assert set(codes.skipped) <= set(states)
    assert len(codes.skipped) <= len(states) / 10


@pytest.mark.parametrize("name", ["mysql", "mariadb"])
def test_every_number_that_matters_to_a_caller(name: str) -> None:
    numbers = [int(row[0]) for row in published(name) if matters(row)]
    codes = mysql_codes.codes

    assert [one for one in numbers if codes.meaning_of(one) is None and one not in codes.skipped] == []
    assert len(codes.skipped) <= len(numbers) / 10


def test_every_listed_number_is_published() -> None:
    known = {int(row[0]) for name in ("mysql", "mariadb") for row in published(name)}

    assert [one for one in (*mysql_codes.codes.listed, *mysql_codes.codes.skipped) if one not in known] == []


def test_no_sqlstate_means_less_than_mulligan_alone_knows() -> None:
    less, generic = [], []
    with Pipeline(autoload=False) as alone, Pipeline(plugins=[mulligan_sql], autoload=False, strict=True) as package:
        for state, *_ in published("sqlstate"):
            cls = psycopg.errors._sqlcodes.get(state)
            if cls is None:  # success, or a warning
                continue
            error = package.classify(cls("told by the server"))
            if type(error) is ToolExecutionError:
                generic.append(state)
                if type(alone.classify(cls("told by the server"))) is not ToolExecutionError:
                    less.append(state)

    assert less == []
    assert [state for state in generic if state[:2] not in INTERNAL] == []


@pytest.mark.parametrize("state", ["28P01", "42501", "53100"])
def test_what_ends_a_run_says_so_itself(state: str) -> None:
    meaning = sqlstate.meaning_of(state)

    assert meaning is not None
    assert meaning.cls.fatal
    assert meaning.fatal is None


def test_every_code_of_sqlite() -> None:
    rows = published("sqlite")
    codes = sqlite.codes

    assert [code for code, _ in rows if sqlite.meaning_of(code) is None and code not in codes.skipped] == []
    assert len(codes.skipped) <= len(rows) / 10
    assert set(codes.listed) | set(codes.skipped) <= {code for code, _ in rows}
