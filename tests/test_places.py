"""Where a problem is: every key is named as it was sent, also one of digits and an empty one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Policy, Tool, errors

KEYS = ["", "0", "1", "01", "007", "+1", "-1", "99999999999999999999", "a", "a/b", "~", "type"]
OPEN = {
    "$defs": {
        "tree": {
            "anyOf": [
                {"type": "integer"},
                {"type": "array", "items": {"$ref": "#/$defs/tree"}},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/tree"}},
            ]
        }
    }
}
keys = st.sampled_from(KEYS)
trees = st.recursive(
    st.integers(0, 3) | st.sampled_from(["x", "y", True]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


def make(schema, **hints):
    return Tool.from_schema("act", "Acts.", schema, lambda **given: repr(given), **hints)


def leaves(value, pointer=""):
    """The places of what is no whole number."""
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}")
    elif type(value) is not int:
        yield pointer, value


def schema_of(value):
    """A schema that names every member of a value, and wants whole numbers."""
    if isinstance(value, dict):
        return {"type": "object", "properties": {key: schema_of(item) for key, item in value.items()}}
    return (
        {"type": "array", "items": schema_of(value[0]) if value else {}}
        if isinstance(value, list)
        else {"type": "integer"}
    )


@given(
    st.dictionaries(
        keys, st.dictionaries(keys, st.dictionaries(keys, st.integers(0, 3) | st.sampled_from(["x", "y"])), max_size=3)
    )
)
def test_every_wrong_value_of_maps_has_its_pointer(sent):
    part = {"type": "integer"}
    for _ in range(3):
        part = {"type": "object", "additionalProperties": part}
    problems = make(part).validator.problems(sent)
    assert sorted((problem.pointer, problem.got) for problem in problems) == sorted(
        (pointer, f'"{value}"') for pointer, value in leaves(sent)
    )


@given(st.dictionaries(keys, trees, min_size=1))
def test_every_wrong_value_of_declared_members_has_its_pointer(sent):
    def uniform(value):
        if isinstance(value, dict):
            return {key: uniform(item) for key, item in value.items()}
        return [item for item in value if type(item) is int] if isinstance(value, list) else value

    sent = uniform(sent)
    schema = schema_of(sent)
    problems = make(schema).validator.problems(sent)
    assert sorted(problem.pointer for problem in problems) == sorted(pointer for pointer, _ in leaves(sent))
    assert all(problem.expected == "integer" for problem in problems)


@pytest.mark.parametrize("key", KEYS)
def test_what_a_member_must_be_is_that_of_the_very_member(key):
    members = {"0": "boolean", "1": "integer", "01": "string", "": "null", "a": "array"}
    schema = {"type": "object", "properties": {name: {"type": kind} for name, kind in members.items()}}
    problems = make({**schema, "additionalProperties": {"type": "object"}}).validator.problems({key: 1.5})
    assert [(one.pointer, one.expected) for one in problems] == [
        ("/" + key.replace("~", "~0").replace("/", "~1"), members.get(key, "object"))
    ]


@pytest.mark.parametrize("key", ["", "0", "12", "007"])
def test_a_secret_member_of_any_name_is_not_shown(make_pipeline, run, key):
    tool = make({"type": "object", "properties": {key: {"type": "integer"}}}, secret=[key])
    assert "hunter2hunter2" not in run(make_pipeline(tool), "act", {key: "hunter2hunter2"}).content


@pytest.mark.parametrize("repair", [(), "all"])
@pytest.mark.parametrize("sent", [{"": {"5": "x"}}, {"5": {"": "x"}}, {"5": {"6": ["x"]}}])
def test_a_wrong_value_below_such_a_key_is_an_error_of_the_arguments(make_pipeline, run, sent, repair):
    item = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}
    schema = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": item}}
    result = run(make_pipeline(make(schema), policy=Policy(repair=repair)), "act", sent)
    assert type(result.error) is errors.ToolArgumentError


def test_a_map_by_numbers_names_the_number(make_pipeline, run):
    def total(prices: dict[int, int]) -> int:
        return sum(prices.values())

    content = run(make_pipeline(total), "total", {"prices": {"1999": 1, "2031": "many"}}).content
    assert '- /prices/2031: wrong type; expected integer; got "many".' in content


@pytest.mark.parametrize("name", ["", "3", "03"])
def test_a_schema_that_is_wrong_below_such_a_name_is_named(make_pipeline, run, name):
    schema = {"type": "object", "properties": {name: {"type": "integr"}}}
    assert f"invalid at /properties/{name}/type" in run(make_pipeline(make(schema)), "act", {}).content


def test_many_keys_of_digits_take_no_time(make_pipeline, run):
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    sent = {"": {}, **{f"0{number}": "x" for number in range(20_000)}}
    problems = make(schema).validator.problems(sent)
    assert {problem.pointer for problem in problems} <= {f"/{key}" for key in sent}


def test_equal_values_of_two_places_have_a_pointer_each():
    for sent in (
        {"": {"1": True}, "1": True},
        {"1": {"": True}, "": {"1": True}},
        {"": {"type": "x", "1": 0}, "type": 2},
    ):
        problems = make(schema_of(sent)).validator.problems(sent)
        assert sorted(problem.pointer for problem in problems) == sorted(pointer for pointer, _ in leaves(sent))


@pytest.mark.parametrize("name", ["a~1b", "c/d", "e~0f", "~", "g~01h"])
def test_a_name_that_a_pointer_must_escape_is_found_again(make_pipeline, run, name):
    """RFC 6901, section 4: `~1` is read before `~0`, or `~01` would become a slash."""
    place = name.replace("~", "~0").replace("/", "~1")
    members = {"x": {"type": "integer"}, "y": {"type": "integer"}}
    inner = {"type": "object", "properties": members, "additionalProperties": False}
    referring = {"type": "object", "properties": {name: {"$ref": f"#/$defs/{place}"}}, "$defs": {name: inner}}
    for schema in (referring, {"type": "object", "properties": {name: inner}}):
        pipeline = make_pipeline(make(schema))
        wrong = run(pipeline, "act", {name: {"x": "12"}})
        assert [(one.pointer, one.expected) for one in wrong.error.problems] == [(f"/{place}/x", "integer")]
        assert json.dumps({"name": "act", "arguments": {name: {"x": 12}}}) in wrong.content
        assert wrong.error.corrected_from == {"/name": "sent", f"/arguments/{place}": "sent"}
        assert "Next: call act again with an object with any of " in run(pipeline, "act", {name: 5}).content
        assert f"- /{place}/z: unknown argument; allowed: x, y." in run(pipeline, "act", {name: {"z": 1}}).content
    assert f'express this with "x" and "y" of "/{place}" only' in run(pipeline, "act", {name: {"z": 1}}).content
