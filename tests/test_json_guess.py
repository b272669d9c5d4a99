"""Broken JSON that has one likely reading is asked about, and never run or proposed as a ready call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Pipeline, Policy, Tool
from mulligan.repair.json_guess import guess_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "to": {"type": "object", "properties": {"name": {"type": "string"}, "phone": {"type": "string"}}},
    },
}
KINDS = [{"read_only": True}, {}, {"destructive": True}]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"note": "the sign "Exit", left", "count": 2}', {"note": 'the sign "Exit", left', "count": 2}),
        ('{"count": 2, "note": ""Exit""}', {"count": 2, "note": '"Exit"'}),
        ('{"note": "a line\nand "another""}', {"note": 'a line\nand "another"'}),
        ('{"note": 2026-03-12}', {"note": "2026-03-12"}),
        ('{"to": {"name": "Ana", "phone": 0660 555 01}}', {"to": {"name": "Ana", "phone": "0660 555 01"}}),
        ('{"note": "a", "count": 120 * 3}', {"note": "a", "count": 360}),
        ('{"count": 7 - 9}', {"count": -2}),
        ('{"note": hello}', {"note": "hello"}),
        ('{"count": 5}{"count": 5}', {"count": 5}),
        ('{"tags": ["a", "b", "count": 2}', {"tags": ["a", "b"], "count": 2}),
        ('{"tags": ["a", "b"], "note": "say "hi" now"}', {"tags": ["a", "b"], "note": 'say "hi" now'}),
    ],
)
def test_one_reading(text, meant):
    assert guess_arguments(text, SCHEMA) == meant


@pytest.mark.parametrize(
    "text",
    [
        '{"note": "cut off',
        '{"note": "cut", "count": 1',
        '{"note": "x" "y"}',
        '{"note": "x" + "y"}',
        '{"note": "x", "y"}',
        '{"note": undefined}',
        '{"note": new Date()}',
        '{"note": None}',
        '{"note": "a"} {"note": "b"}',
        '{"note": "a"}, "count": 2}',
        '{"note": // later\n "a"}',
        '{"count": 1,000}',
        '{"count": 10 250}',
        '{"count": 1 / 3}',
        '{"count": +5}',
        '{"count": 05}',
        '{"count": 5 * }',
        '{"tags": ["a "b" c"]}',
        '{"tags": ["a", "other": 2}',
        '{"tags": ["a", "count": 2]}',
        '{"count": 5}{"count": 6}',
        '{"count": 5, "count": 6}',
        '{"note": "a", "count": 1}}}',
        "",
    ],
)
def test_no_reading(text):
    assert guess_arguments(text, SCHEMA) is None


@given(st.text(st.sampled_from('ab ",:{}'), max_size=12), st.integers(0, 99))
def test_a_text_never_swallows_another_argument(inner, count):
    """Whatever is read has all of the arguments, and the text exactly as it was sent."""
    text = f'{{"note": "x{inner}y", "count": {count}}}'
    found = guess_arguments(text, SCHEMA)
    assert found is None or found == {"note": f"x{inner}y", "count": count}


@given(st.recursive(st.integers() | st.text(max_size=5), lambda inner: st.dictionaries(st.text(max_size=4), inner)))
def test_valid_json_is_read_as_it_is_or_not_at_all(value):
    text = json.dumps({"extra": value})
    assert guess_arguments(text, SCHEMA) in (None, {"extra": value})


@pytest.mark.parametrize("kind", KINDS)
def test_a_reading_is_asked_and_never_run(kind):
    sent, ran = '{"note": "say "hi" now", "count": 2 * 3}', []
    tool = Tool.from_schema("act", "", SCHEMA, lambda **arguments: ran.append(arguments), **kind)
    with Pipeline([tool], autoload=False, policy=Policy(repair="all")) as pipeline:
        last = pipeline.call("act", sent).content.splitlines()[-1]
    assert last == (
        'Next: if you meant these arguments, call act again with exactly them: {"note": "say \\"hi\\" now", "count": 6}. '
        "If not, call act again with one valid JSON object."
    )
    assert not ran


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"rows": [{"id": 1}, {"id": 2}}', {"rows": [{"id": 1}, {"id": 2}]}),
        ('{"rows": [[1, 2], [3, "]"}', {"rows": [[1, 2], [3, "]"]]}),
        ('{"where": {"in": ["a", "b"}}', {"where": {"in": ["a", "b"]}}),
        ('{"rows": [1, 2', None),
        ('{"rows": [1, 2}, "page": 3}', None),
        ('{"rows": {"id": 1]}', None),
        ('{"text": "a [ b"', None),
        ('{"page": 1, "page": 2, "rows": [1}', None),
        ('{"rows": [0.12345678901234567890}', None),
        ('{"rows": [1e999}', None),
        ('{"rows": [NaN}', None),
        ('{"rows": [12345678901234567890123}', {"rows": [12345678901234567890123]}),
    ],
)
def test_an_inner_bracket_that_is_missing_is_read_unless_the_text_was_cut_off(text, meant):
    assert guess_arguments(text, {"type": "object"}) == meant


@pytest.mark.parametrize(
    "text",
    [
        '{"said": "an "old" oak", "height": 9.87654321098765432109}',
        '{"h": 0.12345678901234567890}{"h": 0.12345678901234567890}',
    ],
)
def test_no_digit_of_a_number_is_lost(text):
    properties = {"said": {"type": "string"}, "height": {"type": "number"}, "h": {"type": "number"}}
    assert guess_arguments(text, {"type": "object", "properties": properties}) is None
    shortened = text.replace("9.87654321098765432109", "9.87").replace("0.12345678901234567890", "0.5")
    assert guess_arguments(shortened, {"type": "object", "properties": properties}) is not None
