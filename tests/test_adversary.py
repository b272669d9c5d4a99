"""The adversary in its small form; all of it by `python bench/adversary/run.py --cases 100000`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))

from adversary import run

CASES, SEED = 1_500, 20


@pytest.fixture(scope="module")
def tally():
    return run.run(CASES, SEED)


def test_no_rule_of_provenance_is_broken(tally):
    found = "\n".join(line for line in run.report(tally, SEED))
    assert tally.violations.total() == 0, found


def test_calls_that_are_certain_are_given(tally):
    assert tally.wanted.total() > CASES / 10
    assert tally.share >= run.WANTED_SHARE, "\n".join(run.report(tally, SEED))
