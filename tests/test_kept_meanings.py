"""What another value, or another name, would say: no digit, word, degree, unit or code is changed on the way to it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_provenance import KINDS, S, made, ready, result_of, words

ALL = pytest.mark.parametrize("kind", KINDS)


def is_proposed(properties, sent, required=None, **options):
    """Whether a call, or a question with one value, is proposed for what was sent, or a repair runs it."""
    content = result_of(made(properties, required, **options), sent).content
    repaired = result_of(made(properties, required, **options), sent, repair="all")
    return ready(content) is not None or "Did you mean" in content or not repaired.is_error


# --- numbers and texts that are codes


@ALL
@pytest.mark.parametrize("sent", ['{"x": 1.10}', '{"x": 2.50}', '{"x": 1e5}', '{"x": [3.20]}'])
def test_a_number_with_a_fraction_is_no_text(sent, kind):
    """`1.10` is version one point ten, of which a float has lost the last digit."""
    text = {"type": "array", "items": S} if "[" in sent else S
    assert not is_proposed({"x": text}, sent, **kind)


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
@pytest.mark.parametrize("zero", ["-0", "[-0, 1]", '{"y": -0}', '"-0"', '["-0"]', '" -0 "'])
@pytest.mark.parametrize("part", [S, {"type": "integer"}, {"type": "number"}])
def test_the_sign_of_zero_is_not_dropped(part, zero, kind):
    for schema in (part, {"type": "array", "items": part}, {"type": "object", "properties": {"y": part}}):
        tool = made({"x": schema}, **kind)
        result = result_of(tool, f'{{"x": {zero}}}', repair="all")
        assert all('"-0"' in repair.after for repair in result.repairs)
        call = ready(result.content)
        assert call is None or "-0" in json.dumps(call)


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
    assert result_of(made({"x": LIST}), {"x": sent}, repair="all").is_error


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


# --- digits and words of values


def proposes(values, sent, **kind):
    """Whether one of the allowed values is proposed for what was sent, in a call or in a question."""
    content = result_of(made({"x": {"enum": values}}, **kind), {"x": sent}).content
    return ready(content) is not None or "Did you mean" in content


parts = st.one_of(st.integers(0, 99_999).map(str), words)


@given(st.lists(parts, min_size=1, max_size=3), st.sampled_from("-/. _"), st.data(), st.sampled_from(KINDS))
def test_no_part_and_no_digit_that_is_sent_twice_is_dropped(some, sign, data, kind):
    value = sign.join(some)
    at = data.draw(st.integers(0, len(some) - 1))
    twice = sign.join([*some[:at], some[at], *some[at:]])
    assert not proposes([value, "zzzzzzz"], twice, **kind)
    if some[at].isdigit():
        digit = data.draw(st.integers(0, len(some[at]) - 1))
        longer = some[at][:digit] + some[at][digit] + some[at][digit:]
        assert not proposes([value, "zzzzzzz"], sign.join([*some[:at], longer, *some[at + 1 :]]), **kind)


@given(st.integers(1, 10**9), st.integers(0, 9), st.sampled_from(["{}", "item {}", "rev{}b", "{}.5", "A-{}"]))
def test_another_number_is_another_value(number, digit, form):
    for other in (number * 10 + digit, number // 10, int(str(number)[::-1])):
        if other != number:
            assert not proposes([form.format(number), "zzzzzzz"], form.format(other), read_only=True)


@pytest.mark.parametrize(
    ("values", "sent"),
    [
        (["write", "owner"], "write only"),
        (["large", "small"], "extra large"),
        (["day", "week"], "every other day"),
        (["open", "closed"], "open open"),
        (["re-open", "close"], "re-re-open"),
        (["public", "private"], "public public"),
        (["p1", "p2", "p3"], "p0"),
    ],
)
@ALL
def test_no_word_of_a_value_is_dropped(values, sent, kind):
    assert not proposes(values, sent, **kind)


@pytest.mark.parametrize("word", ["never", "not", "no", "without"])
@pytest.mark.parametrize("name", ["list_users", "find_order", "fetch_report"])
def test_no_tool_is_called_for_a_name_that_negates_it(word, name):
    tools = [made({"id": S}, name=name, read_only=True), made({}, name="zzz")]
    for called in (
        f"{word}_{name}",
        f"{word}-{name.replace('_', '-')}",
        f"{name.split('_')[0]}_{word}_{name.split('_')[1]}",
    ):
        assert ready(result_of(tools, {"id": "5"}, called).content) is None


@pytest.mark.parametrize(
    ("values", "sent", "meant"),
    [
        (["accepted", "declined"], "accept", "accepted"),
        (["delivered", "cancelled"], "canceled", "cancelled"),
        (["GB-2", "GB-3"], "gb_2", "GB-2"),
        (["asc", "desc"], "oldest_first", "asc"),
        (["reader", "editor"], "viewer", "reader"),
        (["high", "low"], "urgent", "high"),
        (["Yes", "No"], "NO", "No"),
        (["am", "pm"], "PM", "pm"),
        (["On", "Off"], "on", "On"),
        (["KG", "LB"], "kg", "KG"),
        (["v1", "v2"], "V2", "v2"),
        (["EUR", "USD"], "eur", "EUR"),
        (["pdf", "png"], "PDF", "pdf"),
    ],
)
def test_another_spelling_of_a_value_is_that_value(values, sent, meant):
    content = result_of(made({"x": {"enum": values}}, read_only=True), {"x": sent}).content
    assert ready(content) == {"name": "act", "arguments": {"x": meant}}


# --- the case of units


@given(
    st.sampled_from("WVAJNTFHgsmlbB"),
    st.sampled_from(["{}", "2{}", "0.5 {}", "{}/h", "per {}"]),
    st.sampled_from(KINDS),
)
def test_milli_is_never_mega(unit, form, kind):
    values = [form.format("m" + unit), "zzzzzzz"]
    for sent in {"M" + unit, ("M" + unit).upper()} - {"m" + unit}:
        assert not proposes(values, form.format(sent), **kind)
        assert not proposes([form.format(sent), "zzzzzzz"], values[0], **kind)


@pytest.mark.parametrize(
    ("values", "sent"),
    [
        (["kB", "GB"], "kb"),
        (["Gb", "Tb"], "GB"),
        (["Pa", "bar"], "PA"),
        (["Co", "Fe"], "CO"),
        (["Pb", "Fe"], "PB"),
        (["g", "kg"], "G"),
        (["S", "kS"], "s"),
        (["dBm", "dBW"], "DBM"),
        (["5 mmol", "9 mmol"], "5 Mmol"),
        (["mHz", "Hz"], "MHz"),
    ],
)
@ALL
def test_the_case_of_a_unit_or_an_element_is_its_meaning(values, sent, kind):
    assert not proposes(values, sent, **kind)


# --- degrees


@given(words, st.sampled_from(["est", "st", "er", "most"]), st.sampled_from(KINDS))
def test_a_higher_degree_is_another_value(word, ending, kind):
    assert not proposes([word, "zzzzzzz"], word + ending, **kind)
    assert not proposes([word + ending, "zzzzzzz"], word, **kind)


@pytest.mark.parametrize(
    ("values", "sent"),
    [
        (["low", "high"], "lowest"),
        (["heavy", "light"], "heaviest"),
        (["large", "small"], "largest"),
        (["fast", "slow"], "faster"),
        (["normal", "high"], "standard"),
        (["minor", "high"], "critical"),
        (["up", "down"], "oldest"),
        (["up", "down"], "latest"),
        (["current", "past"], "today"),
    ],
)
@ALL
def test_a_word_of_another_degree_or_scale_is_another_value(values, sent, kind):
    assert not proposes(values, sent, **kind)


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


@given(words, st.sampled_from("ms sec min hr km kg mb usd eur".split()), st.sampled_from(["{0}_{1}", "{1}_{0}"]))
def test_no_longer_unit_comes_or_goes_with_a_separator_for_a_tool_that_writes(word, unit, form):
    name = form.format(word, unit)
    for one, two in ((name, name.replace("_", "")), (name.replace("_", ""), name)):
        sent, held = {two: 1}, made({one: {}})
        assert ready(result_of(held, sent).content) is None
        assert result_of(held, sent, repair="all").is_error


@given(words, words, st.sampled_from(KINDS))
def test_two_names_that_differ_in_style_only_are_not_put_into_two_arguments(word, other, kind):
    joined, split, humped = f"{word}{other}", f"{word}_{other}", f"{word}{other.title()}"
    for first, second in ((split, humped), (joined, humped.upper()), (humped, split.upper())):
        sent = {first: "a", second: "b"}
        for properties in ({split: {}, joined: {}}, {joined: {}, split: {}, humped: {}}, {split: {}, "note": {}}):
            if not {first, second} <= {*properties}:
                assert not is_proposed(properties, sent, **kind)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("user_id", "userid"),
        ("timeout_ms", "timeoutMs"),
        ("max_size_mb", "MAX-SIZE-MB"),
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
    assert result_of(held, {}, "unlock", repair="name").is_error
    assert not result_of(held, {}, "unLock", repair="name").is_error
