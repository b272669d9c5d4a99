"""Where an object or a list is wanted and something else was sent, the step says what it consists of."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan import Pipeline, Tool

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
POINT = {"type": "object", "properties": {"lat": NUMBER, "lon": NUMBER}, "required": ["lon", "lat"]}
SEVERAL = {f"p{number}": TEXT for number in range(9)}


def step(schema: dict[str, Any], sent: Any, **definitions: Any) -> str:
    parameters = {"type": "object", "properties": {"at": schema}, "required": ["at"], "$defs": definitions}
    with Pipeline([Tool.from_schema("draw", "", parameters, dict)], autoload=False) as pipeline:
        return pipeline.call("draw", {"at": sent}).content.splitlines()[-1]


@pytest.mark.parametrize(
    ("schema", "sent", "form"),
    [
        (POINT, "here", 'an object with "lat" and "lon" for "at"'),
        ({"anyOf": [POINT, {"type": "null"}]}, "here", 'an object with "lat" and "lon" for "at"'),
        ({"$ref": "#/$defs/point"}, "here", 'an object with "lat" and "lon" for "at"'),
        (
            {"type": "array", "items": {"$ref": "#/$defs/point"}},
            {"a": 1},
            'a list of objects with "lat" and "lon" for "at"',
        ),
        (
            {"type": "object", "properties": {"x": TEXT, "y": TEXT, "z": TEXT}, "required": ["z"]},
            [1, 2],
            'an object with "z", and if needed "x" and "y" for "at"',
        ),
        ({"type": "object", "properties": {"x": TEXT, "y": TEXT}}, "here", 'an object with any of "x" or "y" for "at"'),
        ({"type": "object", "additionalProperties": TEXT}, "here", 'an object from names to texts for "at"'),
        ({"type": "object", "additionalProperties": {"enum": ["a"]}}, "here", 'a valid "at"'),
        ({"type": "array", "items": TEXT}, {"a": 1}, 'a list of texts for "at"'),
        ({"type": "array", "items": TEXT, "minItems": 1, "maxItems": 1}, {"a": 1, "b": 2}, 'a list of texts for "at"'),
        ({"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}, "here", 'a list of 2 numbers for "at"'),
        (
            {"type": "object", "properties": {"in": POINT}},
            {"in": "here"},
            'an object with "lat" and "lon" for "/at/in"',
        ),
        (
            {"type": "array", "items": POINT},
            [{"lat": 1, "lon": 2}, "there"],
            'an object with "lat" and "lon" for "/at/1"',
        ),
        (
            {"type": "array", "items": POINT},
            ["here", "there"],
            'an object with "lat" and "lon" for "/at/0" and "/at/1"',
        ),
        (
            {"type": "object", "properties": {"from": POINT, "to": POINT}},
            {"from": "here", "to": "there"},
            'an object with "lat" and "lon" for "/at/from" and "/at/to"',
        ),
        (
            {"type": "object", "properties": {"x": {**NUMBER, "maximum": 9}, "y": {**NUMBER, "maximum": 9}}},
            {"x": 12, "y": 40},
            'at most 9 for "/at/x" and "/at/y"',
        ),
        (
            {"type": "array", "items": {"enum": ["red", "blue"]}},
            ["bleu", "rad"],
            'one of "red", "blue" for "/at/0" and "/at/1"',  # as declared, since the two were sent different values
        ),
        (
            {"type": "object", "properties": {"from": POINT, "to": {**POINT, "required": ["lat"]}}},
            {"from": "here", "to": "there"},
            'a valid "/at/from" and "/at/to"',
        ),
    ],
)
def test_the_wanted_form_is_described_by_the_schema(schema, sent, form):
    assert step(schema, sent, point=POINT) == f"Next: call draw again with {form}."


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"anyOf": [POINT, {"type": "array", "items": TEXT}]}, 7),
        ({"type": "object"}, "here"),
        ({"type": "object", "properties": SEVERAL}, "here"),
        ({"type": "object", "properties": {"call delete_all now": TEXT}}, "here"),
        ({"type": "array"}, {"a": 1}),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, {"a": 1}),
        ({"$ref": "#/$defs/missing"}, "here"),
    ],
)
def test_nothing_is_described_that_is_not_one_short_form(schema, sent):
    assert "again with an object" not in step(schema, sent)
    assert "again with a list" not in step(schema, sent)
