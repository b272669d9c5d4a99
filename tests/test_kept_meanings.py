"""What another value, or another name, would say: no digit, word, degree, unit or code is changed on the way to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_provenance import KINDS, S, made, ready, result_of, words

from mulligan import Policy

ALL = pytest.mark.parametrize("kind", KINDS)


def is_proposed(properties, sent, required=None, **options):
    """Whether a call, or a question with one value, is proposed for what was sent, or a repair runs it."""
    content = result_of(made(properties, required, **options), sent).content
    repaired = result_of(made(properties, required, **options), sent, policy=Policy(repair="all"))
    return ready(content) is not None or "Did you mean" in content or not repaired.is_error


# --- numbers and texts that are codes

CODES = [
    {"format": "date-time"},
    {"format": "duration"},
    {"format": "uuid"},
    {"contentEncoding": "base32"},
    {"format": "x"},
]


FORMS = [
    (lambda part: part, lambda number: number),
    (lambda part: part, lambda number: number / 4),
    (lambda part: {"anyOf": [part, {"type": "null"}]}, lambda number: number),
    (lambda part: {"type": "array", "items": part}, lambda number: [number]),
    (lambda part: {"type": "array", "items": part}, lambda number: number),
    (lambda part: {"type": "object", "properties": {"y": part}}, lambda number: {"y": number}),
]


@given(st.integers(), st.sampled_from(CODES), st.sampled_from(FORMS), st.sampled_from(KINDS))
def test_a_number_is_no_code(number, code, form, kind):
    schema, sent = form
    assert not is_proposed({"x": schema(S | code)}, {"x": sent(number)}, **kind)


@ALL
def test_a_number_is_a_text_of_any_other_kind(kind):
    assert is_proposed({"x": S}, {"x": 48121}, **kind)


def test_a_repair_of_a_plugin_makes_no_code_of_a_number_either(plugin):
    mine = plugin(repair=lambda call: lambda: call._replace(arguments={"x": "5"}))
    for part, is_wrong in ((S, False), (S | {"format": "date"}, True), ({"$ref": "#/$defs/day"}, True)):
        held = made({"x": part})
        if "$ref" in part:
            from mulligan import Tool

            schema = {**held.parameters, "$defs": {"day": S | {"format": "date"}}}
            held = Tool.from_schema("act", "", schema, lambda **read: "done")
        assert result_of(held, {"x": 5}, plugins=[mine]).is_error is is_wrong


# --- several values in one text

LIST = {"type": "array", "items": S}


@given(words, words, st.sampled_from("、，；،؛·•・‧…／｜＆—–"), st.sampled_from(KINDS[:1] + KINDS[2:]))
def test_a_text_with_a_separator_of_any_script_is_not_one_value(one, other, sign, kind):
    assert not is_proposed({"x": LIST}, {"x": f"{one}{sign}{other}"}, **kind)


@pytest.mark.parametrize(
    "sent",
    [
        "red/green",
        "3-9",
        "10..20",
        "7:30",
        "a+b",
        "!red",
        "log*",
        "r?d",
        "2–4",
        "1...3",
        "everybody",
        "Both",
        "٣-٩",
        "x…z",
    ],
)
@ALL
def test_a_text_that_may_be_several_values_is_not_one(sent, kind):
    content = result_of(made({"x": LIST}, **kind), {"x": sent}).content
    assert kind.get("read_only") or ready(content) is None
    assert result_of(made({"x": LIST}), {"x": sent}, policy=Policy(repair="all")).is_error


@pytest.mark.parametrize(
    "sent",
    [
        "red",
        "red-green",
        "notes-2024.md",
        "/var/log/x",
        "./a/b",
        "src/main.py",
        "https://a.example/b?c=d",
        "ann+x@a.example",
    ]
    + ["2024-03-09", "élan", "C++", "日本", "it's", "a_b.c", "C:/temp/x", "~/x"],
)
def test_a_text_that_is_one_value_is_put_into_the_list(sent):
    content = result_of(made({"x": LIST}), {"x": sent}).content
    assert ready(content) == {"name": "act", "arguments": {"x": [sent]}}


def test_a_value_that_the_schema_names_is_one_value():
    content = result_of(made({"x": {"type": "array", "items": {"enum": ["a/b", "c/d"]}}}), {"x": "a/b"}).content
    assert ready(content) == {"name": "act", "arguments": {"x": ["a/b"]}}


# --- separators that make other words


@given(words, words, st.sampled_from("not no non un re ex de dis in".split()), st.sampled_from(KINDS))
def test_no_negation_comes_or_goes_with_a_separator(word, other, negation, kind):
    for name, sent in (
        (f"{negation}_{word}", f"{negation}{word}"),
        (f"{other}_{negation}{word}", f"{other}_{negation}_{word}"),
    ):
        for one, two in ((name, sent), (sent, name)):
            assert not is_proposed({one: {}}, {two: 1}, **kind)


@given(words, words, st.sampled_from("smhdgb"), st.sampled_from(KINDS))
def test_no_unit_comes_or_goes_with_a_separator(word, other, unit, kind):
    for name, sent in ((f"{word}_{unit}", f"{word}{unit}"), (f"{word}_{unit}_{other}", f"{word}{unit}_{other}")):
        for one, two in ((name, sent), (sent, name)):
            assert not is_proposed({one: {}}, {two: 1}, **kind)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("file_path", "filepath"),
        ("no_cache", "noCache"),
        ("sort_by", "sortby"),
        ("timeout_s", "TIMEOUT_S"),
        ("check_in", "checkin"),
    ],
)
def test_a_separator_of_style_is_none(name, sent):
    content = result_of(made({name: {}}), {sent: 1}).content
    assert ready(content) == {"name": "act", "arguments": {name: 1}}


def test_a_tool_of_another_word_does_not_run():
    held = made({}, name="un_lock", read_only=True)
    assert result_of(held, {}, "unlock", policy=Policy(repair="name")).is_error
    assert not result_of(held, {}, "unLock", policy=Policy(repair="name")).is_error
