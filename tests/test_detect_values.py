"""Values that tools return, written by others: each failure is found and understood, each result is left alone."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Tool
from mulligan.classify import detect
from mulligan.classify.detect.values import find_failure

FOLDER = Path(__file__).parents[1] / "bench" / "values"
KNOWN_MISSES = {  # what is not understood yet; an entry that has become wrong fails, too
    "http/html-cloudflare-1015",
    "slack/rate-hint",
    "pdf/corrupt-hint",
    "media/transcode",
    "maps/directions",
    "amap/key",
    "jvm/npe",
    "helm/release",
    "odata/key",
    *(f"e/{one}" for one in ("a10", "r1", "q1", "t1", "s3", "s5", "x3", "f6", "k2")),
    *(f"f/{one}" for one in ("foursquare", "met-no", "whisper")),
    "g/46",
    *(
        f"h/{one}"
        for one in ("m5", "m10", "a3", "a6", "a12", "p4", "r1", "t1", "t3", "s2", "s3", "x2", "f1", "f5", "k1")
    ),
    *(f"i/{one}" for one in ("heroku", "mysql1", "trello", "null", "csv", "w1", "w2", "w3", "w4", "w7", "w8")),
    *(f"k/{one}" for one in ("sudo", "tar", "ios", "bq", "athena", "grafana", "hue", "wolfram", "robots")),
}
READ = ("documented", "handwritten", *(f"fresh_{letter}" for letter in "abcdefghij"))
HELD_OUT = ("held_out", "held_out_2")


def cases(name: str) -> list[Any]:
    path = FOLDER / f"{name}_cases.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.CASES)


@pytest.fixture(scope="module")
def bare() -> Iterator[Pipeline]:
    with Pipeline(autoload=False) as pipeline:
        yield pipeline


CASES = [case for name in READ for case in cases(name)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_returned_value(bare, case):
    error = bare.classify(case.make(), tool=case.tool, arguments=dict(case.arguments))
    found = None if error is None else type(error).__name__
    assert (found in {case.kind, *case.also}) is (case.id not in KNOWN_MISSES), found


@pytest.mark.parametrize(("name", "fewest", "most"), [("held_out", 71, 0), ("held_out_2", 73, 1)])
def test_values_that_no_rule_was_written_for(bare, name: str, fewest: int, most: int):
    """The figures of the sets that were only counted; they may rise."""
    held_out = cases(name)
    found = [(case, bare.classify(case.make(), tool=case.tool, arguments=dict(case.arguments))) for case in held_out]
    right = sum(type(error).__name__ in {case.kind, *case.also} for case, error in found if case.kind is not None)
    alarms = sum(case.kind is None and error is not None for case, error in found)
    assert right >= fewest
    assert alarms <= most


@pytest.mark.parametrize("name", [*READ, *HELD_OUT])
def test_no_value_raises_within_the_detector(name: str):
    """`detect` takes an exception for no failure, which would hide a mistake in the rules."""
    raised = set[str]()
    for case in cases(name):
        try:
            find_failure(case.make(), Tool.from_schema(case.tool, "", {"type": "object"}, dict))
        except Exception as error:  # without the value, which is only counted
            raised.add(f"{type(error).__name__} at {_innermost(error)}")
    assert raised == set()


def _innermost(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno}"


_PIECES = (
    *detect._HINTS,
    *detect._HINT_WORDS.split("|"),
    "tea",
    "Oslo",
    "x",
    "\x1c",
    "\u2003",
    "\ufeff",
    "\ud800",
    "é",
)


@given(st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(["", " ", ".", "; ", "!\n"])), max_size=5))
def test_a_hint_counts_anywhere_and_a_word_as_a_whole(pieces: list[tuple[str, str]]) -> None:
    text = "".join(map("".join, pieces)).lower()
    words = {form for word in text.split() for form in (word, word[:-1] if word[-1] in ".,!:;" else word)}
    is_expected = any(hint in text for hint in detect._HINTS) or not words.isdisjoint(detect._HINT_WORDS.split("|"))
    assert detect.may_report(f"tea {text} ") is is_expected
