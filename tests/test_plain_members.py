"""Arguments that are wrong in the simplest way: what is said of them is what jsonschema-rs finds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mulligan import Tool, errors

NAMES = ["query", "limit", "a/b", "~", "é", "labels"]
TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"]
KEYWORDS: list[dict[str, Any]] = [
    {"minLength": 2},
    {"pattern": "^a"},
    {"format": "date"},
    {"minimum": 3},
    {"multipleOf": 2},
    {"minItems": 1},
    {"items": {"type": "string"}},
    {"properties": {"p": {"type": "integer"}}, "required": ["p"]},
    {"const": "a"},
    {"enum": ["a", "open"]},
    {"enum": [1, "a", None]},
    {"not": {"type": "string"}},
    {"description": "Any.", "default": 1},
]
members = st.one_of(
    st.builds(
        lambda kind, some: {"type": kind, **{word: value for one in some for word, value in one.items()}},
        st.sampled_from(TYPES) | st.just(["string", "null"]),
        st.lists(st.sampled_from(KEYWORDS), max_size=2),
    ),
    st.sampled_from([{}, {"enum": ["a", "b"]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}]),
)
schemas = st.builds(
    lambda parts, required, more: {
        "type": "object",
        "properties": parts,
        "required": [name for name in required if name in parts],
        **more,
    },
    st.dictionaries(st.sampled_from(NAMES), members, min_size=1, max_size=4),
    st.lists(st.sampled_from(NAMES), unique=True, max_size=1),
    st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": True}]),
)
values = st.sampled_from(["a", "ten", "open", "", 1, 1.0, 2.5, True, None, [], ["a", 1], {"p": 1}, {"p": "x"}, 10**30])


def problems_of(schema: dict[str, Any], arguments: dict[str, Any], secret: tuple[str, ...]) -> Any:
    error = Tool.from_schema("work", "Does it.", schema, lambda **given: given, secret=secret).fit(arguments)
    return error.problems if isinstance(error, errors.ToolArgumentError) else arguments


@given(schemas, st.dictionaries(st.sampled_from(NAMES), values, max_size=4), st.booleans())
def test_the_problems_are_those_that_jsonschema_finds(schema, arguments, hides):
    secret = tuple(schema["properties"])[:1] if hides else ()
    explained = {**schema, "minProperties": 0}  # it changes nothing, but such an object is not plain
    assert problems_of(schema, arguments, secret) == problems_of(explained, arguments, secret)


@pytest.mark.parametrize("sent", [["bug"], "bug", 5, {"a": 1}])
def test_a_value_of_the_right_type_is_checked_in_full(sent):
    schema = {"type": "object", "properties": {"labels": {"type": "array", "items": {"type": "integer"}}}}
    (problem,) = problems_of(schema, {"labels": sent}, ())
    assert problem.pointer == ("/labels/0" if sent == ["bug"] else "/labels")
