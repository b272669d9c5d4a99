"""Two ledgers side by side."""

from __future__ import annotations

import json
import random

import pytest
from conftest import read_file
from mulligan_ledger import Ledger
from mulligan_ledger.compare import _mean, _share

from mulligan import Pipeline
from mulligan.cli.app import run


def make(path, failures, calls=40):
    with Ledger(path) as ledger, Pipeline([read_file], plugins=[ledger], autoload=False) as pipeline:
        session = pipeline.session()
        for at in range(calls):
            session.call("read_file", {"path": f"{'missing' if at < failures else 'file'}{at}"})
    return str(path)


def test_a_clear_difference_and_one_that_may_be_chance(tmp_path, capsys):
    one, other, alike = (make(tmp_path / f"{name}.db", failures) for name, failures in (("a", 4), ("b", 24), ("c", 5)))

    assert run(["diff", one, other]) == 0
    told = capsys.readouterr().out
    assert "Differs: calls that failed" in told
    assert run(["diff", one, alike]) == 0
    assert "Every difference may be chance." in capsys.readouterr().out
    assert run(["diff", one, other, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)[0]
    assert (row["name"], row["before"], row["verdict"]) == (
        "calls that failed",
        "10.0% (4.0 to 23.1), 4 of 40",
        "differs",
    )


def test_too_little_data_is_said(tmp_path):
    assert _share("x", 0, 0, 1, 2).verdict == "not enough data"
    assert _mean("x", [1, 2], [1, 2]).verdict == "not enough data"


def test_newcombes_interval():
    """The example of Newcombe 1998, method 10: 56/70 and 48/80."""
    assert _share("x", 48, 80, 56, 70).difference == "+20.0 points (+5.2 to +33.4)"


@pytest.mark.parametrize("seed", range(3))
def test_equal_shares_are_rarely_called_different(seed):
    rng = random.Random(seed)
    found = 0
    for _ in range(300):
        parts = [sum(rng.random() < 0.3 for _ in range(60)) for _ in range(2)]
        found += _share("x", parts[0], 60, parts[1], 60).verdict == "differs"

    assert found <= 30  # one in twenty is 15


def test_means_differ_where_they_do_and_are_the_same_twice():
    one, other = [1, 1, 2, 1, 1, 2, 1] * 5, [3, 4, 3, 5, 4, 3, 4] * 5

    assert _mean("steps", one, other).verdict == "differs"
    assert _mean("steps", one, one).verdict == "may be chance"
    assert _mean("steps", one, other) == _mean("steps", one, other)
