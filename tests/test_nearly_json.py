"""Text that is nearly JSON: whatever is read from it says exactly what was sent, in every language it may be in."""

from __future__ import annotations

import ast
import json
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mulligan import Pipeline, Policy, Tool
from mulligan.repair.json_text import fix_json, fix_syntax
from mulligan.repair.lossless import parse_json

SCHEMA = {"type": "object", "properties": {"x": {}}, "additionalProperties": True}
READING = Tool.from_schema("look", "Looks.", SCHEMA, lambda **read: json.dumps(read), read_only=True)
DESTROYING = Tool.from_schema("wipe", "Wipes.", SCHEMA, lambda **read: json.dumps(read), destructive=True)
PART = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"']+""", re.DOTALL)
MARKS = frozenset("{}[],:")


def readings(text):
    """What the text is read as: with and without json-repair's help, for tools that write and for those that read.

    JSON in which a key is sent twice is refused later.
    """
    found = [fix_json(text, read_only=False), fix_json(text, read_only=True), fix_syntax(text)]
    read = [parse_json(one) for one in found if one is not None]
    return [one for one in read if one is not None]


def atoms(value):
    """The keys and values of a JSON value, in their order."""
    if isinstance(value, dict):
        return [atom for key, item in value.items() for atom in (key, *atoms(item))]
    return [atom for item in value for atom in atoms(item)] if isinstance(value, list) else [value]


# --- nothing is left out

texts = st.text("[]{}:, '", max_size=3)
trees = st.recursive(
    st.none() | st.booleans() | st.integers(0, 99) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, trees, min_size=1, max_size=3), st.data())
def test_a_text_of_punctuation_is_never_taken_for_structure(arguments, data):
    parts = PART.findall(json.dumps(arguments) if data.draw(st.booleans()) else repr(arguments))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(parts) - 1))
        action = data.draw(st.sampled_from(["drop", "twice", "swap", "insert"]))
        if action == "drop" and len(parts) > 1:
            del parts[at]
        elif action == "twice":
            parts.insert(at, parts[at])
        elif action == "swap":
            parts[at], parts[at - 1] = parts[at - 1], parts[at]
        else:
            parts.insert(at, data.draw(st.sampled_from(["'['", '"}"', "':'", ",", ":", "1", "null", "undefined"])))
    sent = [ast.literal_eval(part) if part[0] in "'\"" else part for part in parts if part not in MARKS]
    words = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
    sent = [words[part] if part in words else int(part) if part.isdigit() else part for part in sent]
    for read in readings(" ".join(parts)):
        assert [str(atom) for atom in atoms(read)] == [str(part) for part in sent]


@pytest.mark.parametrize(
    "tail", ["{}}", "{ } }", "{}}}", "{},}", "true}", "False }", "3}", '"a"}', "]}", "'x': 1}", "}", ", }", ": {}}"]
)
@pytest.mark.parametrize("tool", [READING, DESTROYING])
def test_a_text_that_lost_its_beginning_is_never_read(make_pipeline, run, tool, tail):
    assert readings(tail) == []
    assert run(make_pipeline(tool, policy=Policy(repair="all")), tool.name, tail).is_error


@pytest.mark.parametrize("end", ["]", "}]", "} ]", '}, "b"', "} '}'", "} {", "} ,"])
def test_nothing_follows_the_last_bracket_but_the_same_bracket(end):
    assert readings('{"a": 1}' + end) == []
    assert readings("{'a': 1}}") == [{"a": 1}] * 3


# --- items without commas, holes, undefined

plain = st.text("ab /.-", max_size=4)


@given(st.lists(plain, min_size=2, max_size=3), st.sampled_from(["", " ", "\n  "]), st.sampled_from("'\""))
def test_strings_side_by_side_are_never_items(some, between, mark):
    joined = between.join(f"{mark}{text}{mark}" for text in some)
    for text in (f"{{'x': [{joined}]}}", f'{{"x": ["first", {joined}, "last"]}}', f"{{'x': {joined}}}"):
        assert readings(text) == []


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from(["-", "", "0."]))
def test_numbers_side_by_side_are_never_items(one, other, before):
    assert readings(f'{{"x": [{one} {before}{other}]}}') == []
    assert readings(f"{{'x': {one} {other}, 'y': 1}}") == []


@pytest.mark.parametrize("item", ["true false", "'a' 1", "1 'a'", "[1] [0]", "{} [0]", "'a' {}", '"""b"""', "'''b'''"])
def test_a_list_lacks_commas_between_objects_only(item):
    assert readings(f"{{'x': [{item}]}}") == []
    assert readings("{'x': [{'a': 1} {'b': 2}]}") == [{"x": [{"a": 1}, {"b": 2}]}] * 3


@pytest.mark.parametrize(
    "items", [",", ",1", "1,,2", "1,,", ",,", "[],,[]", "{},,{}", "undefined", "1, undefined", "1,undefined,"]
)
@pytest.mark.parametrize("form", ['{{"x": [{}]}}', "{{'x': [{}]}}", "{{x: {{y: [[{}]]}}}}"])
def test_a_hole_of_a_list_is_neither_dropped_nor_null(items, form):
    assert readings(form.format(items)) == []


@pytest.mark.parametrize("word", ["undefined", "NaN", "Infinity", "-Infinity", "nil", "void", "Undefined"])
@pytest.mark.parametrize("form", ['{{"x": {}}}', "{{'y': 1, 'x': {}}}", "{{x: {{y: {}}}}}"])
def test_a_word_of_a_language_is_no_text_and_no_null(word, form):
    assert readings(form.format(word)) == []


# --- escapes


@given(st.data())
@example(None)
def test_python_literals_read_as_in_python(data):
    if data is None:
        assert readings(r"{'x': 'it\'s', 'y': '\n\u00e4\\'}") == [{"x": "it's", "y": "\nä\\"}] * 3
        return
    pieces = st.sampled_from(
        [*(f"\\{sign}" for sign in "abfnrtvx0178NUu/d s'\"\\\n"), "41", "{41}", "a", '"', " ", "0041"]
    )
    inner = "".join(data.draw(st.lists(pieces, max_size=4)))
    mark = data.draw(st.sampled_from("'\""))
    text = f"{{'x': {mark}{inner}{mark}, 'y': {data.draw(st.sampled_from(['None', '1', 'True']))}}}"
    try:
        meant = ast.literal_eval(text)
    except (SyntaxError, ValueError):
        assume(False)
    assert all(read == meant for read in readings(text))


@pytest.mark.parametrize(
    "escape", [r"\52", r"\b\v", r"\x2f", r"\u{2f}", r"\N{SOLIDUS}", r"\U0000002f", "\\\r\n", "\\\u2028", r"\u12"]
)
@pytest.mark.parametrize("form", ['{{"x": "a{}b",}}', "{{'x': 'a{}b'}}", '{{x: "a{}b"}}', "{{'x': 'a{}', 'y': None}}"])
def test_an_escape_of_another_language_is_refused(escape, form):
    assert readings(form.format(escape)) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (r'{"x": "\w+\.py",}', r"\w+\.py"),
        (r'{"x": "\w+", "y": None}', r"\w+"),
        (r"{'x': '\w+', 'y': None}", r"\w+"),
        (r'{"x": "a\/b",}', "a/b"),
        (r"{'x': 'a\\b'}", r"a\b"),
        (r"{'x': 'say \"hi\" to \'em\''}", "say \"hi\" to 'em'"),
        (r"{'x': '\w+'}", None),  # Python and JavaScript differ
        (r"{'x': 'a\/b'}", None),
        (r'{"x": "a\/b", "y": True}', None),
    ],
)
def test_an_escape_that_is_clear(text, meant):
    found = readings(text)
    assert [read["x"] for read in found] == ([] if meant is None else [meant] * 3)


# --- what json-repair makes of it


@pytest.mark.parametrize(
    "value",
    [
        "b'a'",
        "r'a'",
        "0b11",
        "0o17",
        "1_000",
        "+5",
        ".5",
        "5.",
        "1e",
        "2x",
        "'a' % b",
        "'a' or 'b'",
        "'a'*2",
        "a + b",
        "f(1)",
        "$x",
    ],
)
@pytest.mark.parametrize("form", ["{{'x': {}}}", '{{"x": {}, "y": 1}}', "{{'x': [{}]}}"])
def test_an_expression_of_a_language_is_no_text(value, form):
    assert readings(form.format(value)) == []


@pytest.mark.parametrize("value", ["' end'", "'‘q’'", "'a: b'", "'“'", '"k"', "{}"])
def test_a_colon_that_is_missing_is_not_guessed(value):
    assert readings(f"{{'x' {value}}}") == []


@pytest.mark.parametrize("tool", [READING, DESTROYING])
@pytest.mark.parametrize(
    ("sent", "meant"), [(r"'don\'t'", "don't"), (r"'a\tb'", "a\tb"), (r"'\u00fc'", "ü"), (r"'\"'", '"')]
)
def test_a_tool_that_reads_gets_at_least_what_one_that_destroys_gets(make_pipeline, run, tool, sent, meant):
    result = run(make_pipeline(tool, policy=Policy(repair="all")), tool.name, f"{{'x': {sent}}}")
    assert json.loads(result.content.split("\nNote: ")[0]) == {"x": meant}


@pytest.mark.parametrize("value", ["undefined None", "null a", "a nil", "NaN b"])
def test_words_beside_a_constant_are_no_text(value):
    assert readings(f'{{"x": {value}, "y": [{value}]}}') == []


LOST_QUOTES = [
    '{"path": "/srv/data, "force: true}',
    "{'path': '/srv/data, ''force': True}",
    '{"path": "/srv/data; "force": true}',
    '{"path": "/srv", "text": "say "force: true}',
    '{"path": "/srv/a "force: true}',
    '{"path": "/srv/a" force: true}',
]


@pytest.mark.parametrize("text", LOST_QUOTES)
@pytest.mark.parametrize("effect", [{"destructive": True}, {}, {"read_only": True}])
def test_a_lost_quotation_mark_makes_no_argument_out_of_a_text(text, effect):
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "text": {"type": "string"}, "force": {"type": "boolean"}},
    }
    for policy in (Policy(), Policy(repair="all")):
        ran: list[object] = []
        purge = Tool.from_schema("purge", "", schema, lambda ran=ran, **given: ran.append(given), **effect)
        with Pipeline([purge], autoload=False, policy=policy) as pipeline:
            content = pipeline.call("purge", text).content
        assert ran == []
        assert "corrected call" not in content
