"""Arguments against a tool's JSON Schema: what is wrong, where, and what would be right; and schemas that are hostile."""

from __future__ import annotations

import datetime
import json
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import pytest

from mulligan import Pipeline, Tool, errors, tool

SECRET = "xK9-vault-77-combination"


def checked(properties: dict[str, Any], *, required: tuple[str, ...] = (), **more: Any) -> Tool:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }
    return Tool.from_schema("work", "Does it.", schema, lambda **given: given)


def problems_of(tool: Tool, arguments: dict[str, Any]) -> list[tuple[str, str, str | None, str | None]]:
    error = tool.fit(arguments)
    assert isinstance(error, errors.ToolArgumentError)
    return [tuple(problem) for problem in error.problems]


WRONG = "wrong type"
BOUNDS = "out of bounds"
ONE_FIELD = {
    "string": ({"type": "string"}, 3, (WRONG, "string", "3")),
    "integer": ({"type": "integer"}, "3", (WRONG, "integer", '"3"')),
    "integer with a fraction": ({"type": "integer"}, 3.5, (WRONG, "integer", "3.5")),
    "number": ({"type": "number"}, "x", (WRONG, "number", '"x"')),
    "boolean": ({"type": "boolean"}, "true", (WRONG, "boolean", '"true"')),
    "boolean as int": ({"type": "boolean"}, 1, (WRONG, "boolean", "1")),
    "null": ({"type": "null"}, 0, (WRONG, "null", "0")),
    "array": ({"type": "array"}, {"a": 1}, (WRONG, "array", '{"a":1}')),
    "array of integer": ({"type": "array", "items": {"type": "integer"}}, "x", (WRONG, "array of integer", '"x"')),
    "object": ({"type": "object"}, [1], (WRONG, "object", "[1]")),
    "one of two types": ({"type": ["string", "null"]}, 3, (WRONG, "string or null", "3")),
    "null given": ({"type": "string"}, None, (WRONG, "string", "null")),
    "enum": ({"enum": ["a", "b", 3]}, "c", ("not an allowed value", 'one of "a", "b", 3', '"c"')),
    "typed enum": ({"type": "string", "enum": ["a"]}, "c", ("not an allowed value", 'one of "a"', '"c"')),
    "const": ({"const": 7}, 8, ("not an allowed value", "7", "8")),
    "anyOf": (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        [],
        ("matches none of the allowed forms", "string or integer", "[]"),
    ),
    "oneOf": (
        {"oneOf": [{"type": "string"}, {"const": 3}]},
        4,
        ("matches none of the allowed forms", "string or 3", "4"),
    ),
    "minimum": ({"minimum": 1}, 0, (BOUNDS, "at least 1", "0")),
    "maximum": ({"maximum": 10}, 11, (BOUNDS, "at most 10", "11")),
    "exclusiveMinimum": ({"exclusiveMinimum": 0}, 0, (BOUNDS, "more than 0", "0")),
    "exclusiveMaximum": ({"exclusiveMaximum": 1.5}, 2, (BOUNDS, "less than 1.5", "2")),
    "multipleOf": ({"multipleOf": 5}, 7, (BOUNDS, "a multiple of 5", "7")),
    "minLength": ({"type": "string", "minLength": 3}, "ab", (BOUNDS, "at least 3 characters", '"ab"')),
    "maxLength": ({"type": "string", "maxLength": 3}, "abcd", (BOUNDS, "at most 3 characters", '"abcd"')),
    "pattern": (
        {"type": "string", "pattern": "^[a-z]+$"},
        "A1",
        (BOUNDS, 'text that matches the pattern "^[a-z]+$"', '"A1"'),
    ),
    "minItems": ({"type": "array", "minItems": 2}, [1], (BOUNDS, "at least 2 items", "[1]")),
    "maxItems": ({"type": "array", "maxItems": 1}, [1, 2], (BOUNDS, "at most 1 items", "[1,2]")),
    "uniqueItems": ({"type": "array", "uniqueItems": True}, [1, 1], ("has duplicate items", "each item once", "[1,1]")),
    "minProperties": ({"type": "object", "minProperties": 1}, {}, (BOUNDS, "at least 1 members", "{}")),
    "maxProperties": (
        {"type": "object", "maxProperties": 1},
        {"a": 1, "b": 2},
        (BOUNDS, "at most 1 members", '{"a":1,"b":2}'),
    ),
}


@pytest.mark.parametrize("kind", ONE_FIELD)
def test_one_wrong_field(kind):
    schema, value, (message, expected, got) = ONE_FIELD[kind]
    assert problems_of(checked({"field": schema}), {"field": value}) == [("/field", message, expected, got)]


@pytest.mark.parametrize("kind", ONE_FIELD)
def test_one_wrong_field_inside(kind):
    schema, value, (message, expected, got) = ONE_FIELD[kind]
    inner = {"list": {"type": "array", "items": {"type": "object", "properties": {"a/b": schema}}}}
    assert problems_of(checked(inner), {"list": [{}, {"a/b": value}]}) == [("/list/1/a~1b", message, expected, got)]


@pytest.mark.parametrize("kind", ONE_FIELD)
def test_one_wrong_field_behind_a_reference(kind):
    schema, value, (message, expected, got) = ONE_FIELD[kind]
    tool = checked({"field": {"$ref": "#/$defs/Field"}}, **{"$defs": {"Field": schema}})
    assert problems_of(tool, {"field": value}) == [("/field", message, expected, got)]


def test_missing_and_unknown_members():
    tool = checked({"a": {"type": "string"}, "b": {"type": "array", "items": {"type": "integer"}}}, required=("a", "b"))
    assert problems_of(tool, {"c": 1, "d": 2}) == [
        ("/a", "missing", "string", None),
        ("/b", "missing", "array of integer", None),
        ("/c", "unknown argument", "a, b", None),
        ("/d", "unknown argument", "a, b", None),
    ]
    assert problems_of(checked({}), {"x": 1}) == [("/x", "unknown argument", "none", None)]
    inner = {"type": "object", "properties": {}, "additionalProperties": False}
    assert problems_of(checked({"a": inner}), {"a": {"x": 1}}) == [("/a/x", "unknown argument", "none", None)]


@pytest.mark.parametrize("sent", ["HIGH", None, ["a"]])
def test_one_wrong_value_is_one_problem(sent):
    tool = checked({"a": {"type": "integer", "enum": [1, 2]}})
    [problem] = problems_of(tool, {"a": sent})
    assert problem[1:3] == ("not an allowed value", "one of 1, 2")


def test_two_limits_of_one_value_are_one_problem():
    tool = checked({"a": {"minimum": 10, "multipleOf": 3}, "b": {"maxItems": 1, "uniqueItems": True}})
    assert problems_of(tool, {"a": 1, "b": [1, 1]}) == [
        ("/a", BOUNDS, "at least 10 and a multiple of 3", "1"),
        ("/b", "out of bounds; has duplicate items", "at most 1 items and each item once", "[1,1]"),
    ]


def test_an_array_that_is_too_long_is_one_problem():
    pair = {"type": "array", "prefixItems": [{}, {}], "items": False, "maxItems": 2}
    tool = checked({"a": pair, "b": {**pair, "maxItems": 9}, "c": False})
    assert problems_of(tool, {"a": [1, 2, 3], "b": [1, 2, 3], "c": 0}) == [
        ("/a", BOUNDS, "at most 2 items", "[1,2,3]"),
        ("/b/2", "not allowed here", None, "3"),
        ("/c", "not allowed here", None, "0"),
    ]


def test_what_else_is_wrong_within_is_named_beside_what_is_wrong_with_the_whole():
    tool = checked(
        {
            "a": {"type": "array", "items": {"type": "integer"}, "maxItems": 1},
            "b": {"type": "object", "properties": {"old": False}, "minProperties": 2},
        }
    )
    assert [problem[:2] for problem in problems_of(tool, {"a": ["x", 2], "b": {"old": 1}})] == [
        ("/a", BOUNDS),
        ("/a/0", WRONG),
        ("/b", BOUNDS),
        ("/b/old", "not allowed here"),
    ]


def test_each_key_that_is_not_allowed_is_named():
    tool = checked(
        {"d": {"type": "object", "propertyNames": {"enum": ["p", "q"]}}, "e": {"propertyNames": {"minLength": 3}}}
    )
    assert problems_of(tool, {"d": {"r": 1, "s": 2}, "e": {"x/y": 1, "x": 1}}) == [
        ("/d/r", "key not allowed", 'one of "p", "q"', None),
        ("/d/s", "key not allowed", 'one of "p", "q"', None),
        ("/e/x", "key not allowed", "at least 3 characters", None),
    ]


def test_what_a_value_of_the_wrong_type_must_be_tells_the_limits():
    number, text = {"type": "integer", "minimum": 1}, {"type": "string", "maxLength": 3, "pattern": "^a"}
    tool = checked(
        {
            "a": {**number, "maximum": 10},
            "b": {"anyOf": [number, {"type": "null"}]},
            "c": text,
            "d": {"type": "array", "items": number},
        },
        required=("a",),
    )
    assert [problem[2] for problem in problems_of(tool, {"a": "11", "b": "x", "c": 1, "d": 1})] == [
        "integer from 1 to 10",
        "integer (at least 1) or null",
        'string (at most 3 characters, that matches the pattern "^a")',
        "array of integer (at least 1)",
    ]
    assert problems_of(tool, {}) == [("/a", "missing", "integer from 1 to 10", None)]


def test_missing_members_inside_are_named_with_their_own_pointer():
    inner = {"type": "object", "properties": {"x": {"enum": [1, 2]}}, "required": ["x"], "additionalProperties": False}
    tool = checked({"list": {"type": "array", "items": inner}})
    assert problems_of(tool, {"list": [{"x": 1}, {}]}) == [("/list/1/x", "missing", "one of 1, 2", None)]
    assert problems_of(tool, {"list": [{"x": 1, "y/z": 0}]}) == [("/list/0/y~1z", "unknown argument", "x", None)]


def test_a_missing_member_behind_a_reference_says_what_it_must_be():
    defined = {
        "Point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        "Name": {"type": "string"},
    }
    tool = checked(
        {"p": {"$ref": "#/$defs/Point"}, "n": {"$ref": "#/$defs/Name"}}, required=("n",), **{"$defs": defined}
    )
    assert problems_of(tool, {"p": {}, "n": "x"}) == [("/p/x", "missing", "integer", None)]
    assert problems_of(tool, {}) == [("/n", "missing", "string", None)]


def test_other_keywords_are_told_without_the_value():
    tool = checked(
        {"a": {"not": {"type": "string"}}, "b": {"type": "array", "contains": {"const": 1}}, "c": False},
        dependentRequired={"a": ["b"]},
        propertyNames={"maxLength": 3},
    )
    for arguments in ({"a": SECRET, "b": [1]}, {"b": [SECRET]}, {"c": SECRET}, {"a": 1}):
        found = problems_of(tool, arguments)
        assert found
        assert not any(SECRET in problem[1] for problem in found)


def test_unevaluated_members_are_named():
    tool = Tool.from_schema(
        "work",
        "",
        {"type": "object", "allOf": [{"properties": {"a": {"type": "integer"}}}], "unevaluatedProperties": False},
        dict,
    )
    [problem] = problems_of(tool, {"a": 1, "zz": 2})
    assert problem == ("/zz", "unknown argument", None, None)


def test_integers_beyond_64_bits_are_checked_exactly():
    tool = checked({"n": {"type": "integer", "maximum": 10**20}})
    assert tool.fit({"n": 10**20}) == {"n": 10**20}
    assert problems_of(tool, {"n": 10**20 + 1})[0][:3] == ("/n", BOUNDS, "at most 100000000000000000000")
    assert checked({"n": {"type": "integer"}}).fit({"n": 10**4_000}) == {"n": 10**4_000}


def test_a_long_value_is_shown_in_short(make_pipeline, run):
    for value in ("x" * 100_000, list(range(10_000)), {"n": "word " * 1_000}):
        result = run(make_pipeline(checked({"a": {"type": "integer"}})), "work", {"a": value})
        assert len(result.error.problems[0].got) <= 2_000
        [line] = [line for line in result.content.splitlines() if line.startswith("- /a")]
        assert line.endswith("….")
        assert len(line) < 150


def test_a_long_enum_is_shown_in_short():
    [problem] = problems_of(checked({"a": {"enum": list(range(100))}}), {"a": "x"})
    assert problem[2] == f"one of {', '.join(map(str, range(20)))} ... (100 in all)"


def test_many_problems_are_counted_and_some_are_told(make_pipeline, run):
    tool = Tool.from_schema("work", "", {"type": "object", "additionalProperties": {"type": "integer"}}, dict)
    result = run(make_pipeline(tool), "work", {f"k{number}": "x" for number in range(5_000)})
    assert len(result.error.problems) == 1_000
    assert "Invalid arguments: at least 1000 problems; nothing was run." in result.content
    assert result.content.count("\n- /k") <= 8
    assert len(result.content) <= 2_000


# --- drafts


def test_draft_07_is_read_as_such():
    pairs = {"items": [{"type": "integer"}, {"type": "string"}], "type": "array"}
    for name in ("http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"):
        tool = checked({"pair": pairs}, **{"$schema": name, "definitions": {"N": {"type": "integer"}}})
        assert tool.fit({"pair": [1, "x"]}) == {"pair": [1, "x"]}
        assert problems_of(tool, {"pair": ["x", "y"]}) == [("/pair/0", WRONG, "integer", '"x"')]
    tool = checked({"n": {"$ref": "#/definitions/N"}}, **{"$schema": name, "definitions": {"N": {"type": "integer"}}})
    assert problems_of(tool, {"n": "x"}) == [("/n", WRONG, "integer", '"x"')]


def test_2020_12_is_the_default():
    pairs = {"prefixItems": [{"type": "integer"}, {"type": "string"}], "type": "array"}
    for more in ({}, {"$schema": "https://json-schema.org/draft/2020-12/schema"}):
        assert problems_of(checked({"pair": pairs}, **more), {"pair": ["x", "y"]}) == [
            ("/pair/0", WRONG, "integer", '"x"')
        ]


# --- schemas that cannot be used


def nested_schema(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def cyclic_schema() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"}
    schema["items"] = schema
    return schema


BAD_SCHEMAS = {
    "no such type": ({"properties": {"a": {"type": "strnig"}}}, "its schema is invalid"),
    "type is a number": ({"properties": {"a": {"type": 3}}}, "its schema is invalid"),
    "properties is a list": ({"properties": ["a"]}, "its schema is invalid"),
    "required is a text": ({"required": "a"}, "its schema is invalid"),
    "minimum is a text": ({"properties": {"a": {"minimum": "1"}}}, "its schema is invalid"),
    "pattern is broken": ({"properties": {"a": {"pattern": "(["}}}, "its schema is invalid"),
    "reference to nothing": ({"properties": {"a": {"$ref": "#/$defs/Nope"}}}, "its schema is invalid"),
    "values that JSON does not have": ({"properties": {"a": {"enum": [object()]}}}, "its schema is invalid"),
    "a key that is no text": ({"properties": {1: {"type": "string"}}}, "its schema is invalid"),
    "lone surrogate": ({"properties": {"\ud800": {"type": "string"}}}, "its schema is invalid"),
    "too deep": ({"properties": {"a": nested_schema(100)}}, "nested deeper than 64 levels"),
    "far too deep": ({"properties": {"a": nested_schema(200_000)}}, "nested deeper than 64 levels"),
    "contains itself": ({"properties": {"a": cyclic_schema()}}, "nested deeper than 64 levels"),
    "too large": (
        {"properties": {f"k{number}": {"type": "string"} for number in range(30_000)}},
        "more than 50,000 parts",
    ),
}


@pytest.mark.parametrize("kind", BAD_SCHEMAS)
def test_a_tool_whose_schema_cannot_be_used_is_refused_and_the_others_run(make_pipeline, run, kind):
    ran = []
    schema, why = BAD_SCHEMAS[kind]
    bad = Tool.from_schema("bad", "", {"type": "object", **schema}, lambda **given: ran.append(given))
    good = checked({"a": {"type": "string"}})
    pipeline = make_pipeline(bad, good)
    for _ in range(2):
        result = run(pipeline, "bad", {"a": [1]})
        assert isinstance(result.error, errors.ToolExecutionError)
        assert (result.error.effect, result.attempts) == ("none", 0)
        assert why in result.content
        assert "Error executing tool bad: The tool cannot be used:" in result.content
        assert len(result.content) <= 2_000
    assert not ran
    assert run(pipeline, "work", {"a": "x"}).content == '{"a":"x"}'


STEP = "Next: do not call bad again: no arguments will work. Use another tool, or tell the user that this one does not work."


@pytest.mark.parametrize(
    ("properties", "place", "fault"),
    [
        ({"a": {"type": "strin"}}, "/properties/a/type", '"strin" is not a JSON Schema type (did you mean "string"?)'),
        (
            {"a": {"anyOf": [{"type": ["string", "nul"]}]}},
            "/properties/a/anyOf/0/type",
            '"nul" is not a JSON Schema type (did you mean "null"?)',
        ),
        (
            {"a": {"type": 3}},
            "/properties/a/type",
            "3 is not a JSON Schema type (available: array, boolean, integer, null, number, object, string)",
        ),
        ({"a": {"minLength": "3"}}, "/properties/a/minLength", '"3" is not of type "integer"'),
        ({"a": {"pattern": "("}}, "/properties/a/pattern", '"(" is not a "regex"'),
        ({"type": {"type": "string"}, "a": "x"}, "/properties/a", '"x" is not of types "boolean", "object"'),
    ],
)
@pytest.mark.parametrize(
    "draft", ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
)
def test_a_wrong_schema_is_told_to_the_model_and_to_the_person(make_pipeline, run, draft, properties, place, fault):
    schema = {"$schema": draft, "type": "object", "properties": properties}
    result = run(make_pipeline(Tool.from_schema("bad", "", schema, dict)), "bad", {"a": "x"})
    assert result.content == (
        f"Error executing tool bad: The tool cannot be used: its schema is invalid at {place}.\n{STEP}"
    )
    assert result.error.user_message == (
        f"The tool bad cannot be used: its schema is invalid at {place}: {fault}. Its author must fix this."
    )
    assert (result.error.rule, result.fatal) == ("host:schema", False)


def test_a_schema_that_refers_to_nothing_is_told_without_a_place(make_pipeline, run):
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Nope"}}}
    result = run(make_pipeline(Tool.from_schema("bad", "", schema, dict)), "bad", {"a": "x"})
    told = "The tool cannot be used: its schema is invalid: Pointer '/$defs/Nope' does not exist."
    assert result.content == f"Error executing tool bad: {told}\n{STEP}"


def test_a_recursive_schema_is_fine_within_the_depth(make_pipeline, run):
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/T"}}, "additionalProperties": False}
    pipeline = make_pipeline(Tool.from_schema("work", "", {**tree, "$defs": {"T": tree}}, lambda **_: "ok"))
    value: dict[str, Any] = {}
    for _ in range(62):
        value = {"next": value}
    assert run(pipeline, "work", value).content == "ok"
    assert "too deep" in run(pipeline, "work", {"next": {"next": value}}).content


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "^(a|a?)+(?=b)$", r"(?:[\w.-]+/?)+\.\w+$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y"]
)
def test_a_pattern_that_backtracks_ends(make_pipeline, run, pattern):
    pipeline = make_pipeline(checked({"a": {"type": "string", "pattern": pattern}}))
    result = run(pipeline, "work", {"a": "a" * 5_000 + "!"})
    assert isinstance(result.error, errors.ToolArgumentError)
    assert json.dumps(pattern) in result.content


# --- references to somewhere else


class Canary:
    """A server on the loopback and a file: both say whether somebody came."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        canary = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                canary.requests.append(self.path)
                body = b'{"type": "string"}'
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/canary.json"
        self.address = f"127.0.0.1:{self._server.server_port}/canary.json"
        self.file = folder / "canary.json"
        self.file.write_text('{"const": "content-of-the-canary-file"}')
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canary]:
    canary = Canary(tmp_path_factory.mktemp("canary"))
    yield canary
    canary.close()


OUTSIDE = {
    "http": lambda canary: {"$ref": canary.url},
    "http with a fragment": lambda canary: {"$ref": f"{canary.url}#/properties/a"},
    "http in capitals": lambda canary: {"$ref": canary.url.replace("http", "HTTP")},
    "file": lambda canary: {"$ref": canary.file.as_uri()},
    "file with a fragment": lambda canary: {"$ref": f"{canary.file.as_uri()}#"},
    "file with one slash": lambda canary: {"$ref": f"file:{canary.file}"},
    "file with a host": lambda canary: {"$ref": f"file://localhost{canary.file}"},
    "plain path": lambda canary: {"$ref": str(canary.file)},
    "relative to an $id": lambda canary: {
        "$id": canary.url.replace("canary", "base"),
        "properties": {"a": {"$ref": "canary.json"}},
    },
    "relative to a file $id": lambda canary: {
        "$id": canary.file.with_name("base.json").as_uri(),
        "$ref": "canary.json",
    },
    "dynamic": lambda canary: {"$dynamicRef": f"{canary.url}#node"},
    "without a scheme": lambda canary: {"$ref": f"//{canary.address}"},
    "in $defs": lambda canary: {"$ref": "#/$defs/x", "$defs": {"x": {"$ref": canary.url}}},
    "in items": lambda canary: {"items": {"anyOf": [{"$ref": canary.file.as_uri()}, {"type": "null"}]}},
    "percent-encoded": lambda canary: {"$ref": canary.file.as_uri().replace("canary", "c%61nary")},
    "https": lambda canary: {"$ref": canary.url.replace("http:", "https:")},
    "ftp": lambda canary: {"$ref": f"ftp://{canary.address}"},
    "jar": lambda canary: {"$ref": f"jar:{canary.url}!/x"},
}


@pytest.mark.parametrize("draft", ["2020-12", "draft-07"])
@pytest.mark.parametrize("kind", OUTSIDE)
def test_nothing_outside_of_the_schema_is_asked_for(make_pipeline, run, canary, kind, draft):
    part = OUTSIDE[kind](canary)
    schema: dict[str, Any] = {"type": "object", "properties": {"a": part, "items": {"type": "array", **part}}}
    if draft == "draft-07":
        schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    accessed = canary.file.stat().st_atime_ns
    ran = []
    bad = Tool.from_schema("bad", "", schema, lambda **given: ran.append(given) or "ran")
    pipeline = make_pipeline(bad, checked({}))
    result = run(pipeline, "bad", {"a": "x"})
    if not (draft == "draft-07" and kind == "dynamic"):
        assert isinstance(result.error, errors.ToolExecutionError)
        assert "The tool cannot be used" in result.content
        assert not ran
    assert "content-of-the-canary-file" not in result.content
    assert canary.requests == []
    assert canary.file.stat().st_atime_ns == accessed
    assert not run(pipeline, "work", {}).is_error


@pytest.mark.parametrize("name", ["http", "file"])
def test_a_schema_of_another_name_is_not_asked_for(make_pipeline, run, canary, name):
    where = canary.url if name == "http" else canary.file.as_uri()
    tool = Tool.from_schema(
        "work", "", {"$schema": where, "type": "object", "properties": {"a": {"type": "string"}}}, lambda **given: given
    )
    accessed = canary.file.stat().st_atime_ns
    run(make_pipeline(tool), "work", {"a": "x"})
    assert canary.requests == []
    assert canary.file.stat().st_atime_ns == accessed


# --- secrets


class Mode(Enum):
    READ = "read"
    WRITE = "write"


@dataclass
class Login:
    user: str
    pin: int


SECRET_SCHEMAS = {
    "type": {"properties": {"phrase": {"type": "integer"}}},
    "enum": {"properties": {"phrase": {"enum": ["a", "b"]}}},
    "const": {"properties": {"phrase": {"const": 3}}},
    "pattern": {"properties": {"phrase": {"type": "string", "pattern": "^[0-9]+$"}}},
    "maxLength": {"properties": {"phrase": {"type": "string", "maxLength": 3}}},
    "anyOf": {"properties": {"phrase": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
    "not": {"properties": {"phrase": {"not": {"type": "string"}}}},
    "never": {"properties": {"phrase": False}},
    "minProperties": {"minProperties": 2},
    "propertyNames": {"propertyNames": {"maxLength": 3}},
    "dependentRequired": {"dependentRequired": {"phrase": ["other"]}},
    "anyOf at the root": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "not at the root": {"not": {"required": ["phrase"]}},
    "if and then": {"if": {"required": ["phrase"]}, "then": {"required": ["other"]}},
    "additional": {"properties": {"other": {}}, "patternProperties": {"^q": {}}, "additionalProperties": False},
    "additional type": {"additionalProperties": {"type": "integer"}},
    "pattern properties": {"patternProperties": {"^p": {"type": "integer"}}},
}


@pytest.mark.parametrize("inside", [False, True], ids=["text", "inside"])
@pytest.mark.parametrize("kind", SECRET_SCHEMAS)
def test_a_secret_value_is_never_shown_by_a_schema(make_pipeline, run, kind, inside):
    tool = Tool.from_schema(
        "unlock", "", {"type": "object", **SECRET_SCHEMAS[kind]}, lambda **_: "open", secret="phrase"
    )
    pipeline = make_pipeline(tool)
    result = run(pipeline, "unlock", {"phrase": {"deep": [SECRET]} if inside else SECRET})
    if inside and kind == "not":
        assert result.content == "open"
        return
    for text in (
        result.content,
        json.dumps(result.to_dict()),
        repr(result.error),
        repr(result.error.problems),
        str(result.error),
    ):
        assert SECRET not in text
        assert SECRET[:8] not in text


@pytest.mark.parametrize(
    "annotation",
    [
        int,
        float,
        bool,
        datetime.date,
        datetime.datetime,
        UUID,
        Mode,
        Literal["a", "b"],
        list[int],
        Login,
        int | None,
        dict[str, int],
    ],
)
def test_a_secret_value_is_never_shown_by_a_signature(make_pipeline, run, annotation):
    def unlock(phrase: Any, other: int = 0) -> str:
        return "open"

    unlock.__annotations__["phrase"] = annotation
    pipeline = make_pipeline(tool(secret="phrase")(unlock))
    for phrase in (SECRET, [SECRET], {"user": "a", "pin": SECRET}, {"a": SECRET}):
        result = run(pipeline, "unlock", {"phrase": phrase, "other": "x"})
        assert result.is_error
        for text in (result.content, json.dumps(result.to_dict()), repr(result.error.problems), str(result.error)):
            assert SECRET not in text
            assert SECRET[:8] not in text
        assert "/other" in result.content


def test_what_a_class_says_of_a_secret_value_is_not_told(make_pipeline, run):
    @dataclass
    class Phrase:
        words: str

        def __post_init__(self):
            raise ValueError(f"no such phrase: {self.words}")

    def unlock(phrase: Any) -> str:
        return "open"

    unlock.__annotations__["phrase"] = Phrase
    told = {
        secret: run(make_pipeline(tool(secret=secret)(unlock)), "unlock", {"phrase": {"words": SECRET}}).content
        for secret in ("phrase", ())
    }
    assert "- /phrase: rejected by Phrase.\n" in told["phrase"]
    assert SECRET not in told["phrase"]
    assert f"- /phrase: rejected by Phrase: no such phrase: {SECRET}; got" in told[()]


@dataclass
class Word:
    text: str

    def __post_init__(self):
        raise ValueError(f"begins with {self.text[:4]}")


@dataclass
class Lock:
    word: Word


def test_what_a_class_within_a_secret_argument_says_is_not_told_either(make_pipeline, run):
    def unlock(phrase: Lock, hint: Lock) -> str:
        return "open"

    given = {"phrase": {"word": {"text": "zebra"}}, "hint": {"word": {"text": "apple"}}}
    content = run(make_pipeline(tool(secret="phrase")(unlock)), "unlock", given).content
    assert "- /phrase/word: rejected by Word.\n" in content
    assert "- /hint/word: rejected by Word: begins with appl" in content
    assert "zebr" not in content


@pytest.mark.parametrize("before", range(20, 60, 3))
def test_no_piece_of_a_secret_value_is_left_where_a_problem_is_shortened(make_pipeline, run, before):
    tool = Tool.from_schema("unlock", "", {"type": "object", "minProperties": 9}, lambda **_: "open", secret="phrase")
    result = run(make_pipeline(tool), "unlock", {"other": "x" * before, "phrase": SECRET})
    for length in range(6, len(SECRET)):
        assert SECRET[:length] not in result.content
        assert SECRET[:length] not in json.dumps(result.to_dict())


def test_values_of_corrected_arguments_are_shown_beside_a_secret_one():
    tool = Tool.from_schema(
        "unlock",
        "",
        {"type": "object", "properties": {"phrase": {"type": "integer"}, "n": {"type": "integer"}}},
        dict,
        secret=["phrase"],
    )
    found = {problem[0]: problem[3] for problem in problems_of(tool, {"phrase": SECRET, "n": "ten"})}
    assert found == {"/phrase": None, "/n": '"ten"'}


@pytest.mark.parametrize("before", range(20, 60, 5))
def test_no_piece_of_a_secret_of_the_environment_is_left_where_a_value_is_shortened(
    make_pipeline, run, monkeypatch, before
):
    monkeypatch.setenv("VAULT_TOKEN", SECRET)
    result = run(make_pipeline(checked({"n": {"type": "integer"}})), "work", {"n": "x" * before + SECRET})
    for length in range(6, len(SECRET)):
        assert SECRET[:length] not in result.content
        assert SECRET[:length] not in json.dumps(result.to_dict())


@pytest.mark.parametrize("wrong", [range(100_000), [5], [99_999]])
def test_a_hundred_thousand_items_are_looked_through(wrong):
    schema = {
        "type": "object",
        "properties": {
            "items": {"type": "array", "minItems": 50_000, "contains": {"const": 1}, "items": {"type": "integer"}},
            "name": {"type": "string"},
        },
        "required": ["name"],
    }
    items = [1] * 100_000
    for place in wrong:
        items[place] = "x"
    found = Tool.from_schema("act", "", schema, dict).validator.problems({"items": items, "name": "a"})
    assert {problem.message for problem in found} <= {"wrong type", "not valid"}
    assert found[0].pointer == f"/items/{wrong[0]}"
    assert len(found) <= 1_000


# --- what a wrong call may cost


def of_members(required: int, name: str = "part") -> dict[str, Any]:
    """The schema of a closed object of texts, all of them required."""
    members = {f"{name}_{number}": {"type": "string"} for number in range(required)}
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


COSTLY = {
    "missing and unknown": (of_members(200), {f"other_{number}": 1 for number in range(50_000)}, 50_200),
    "as many of both": (of_members(2_500), {f"prat_{number}": 1 for number in range(2_500)}, 5_000),
    "after members that are right": (
        {"type": "object", "properties": {"fine": {"type": "array"}, "bad": of_members(200)}},
        {"fine": list(range(5_000)), "bad": {f"other_{number}": 1 for number in range(40_000)}},
        None,
    ),
    "alternatives in a list": (
        {
            "type": "object",
            "properties": {
                "rows": {"type": "array", "items": {"anyOf": [of_members(1, f"kind_{n}") for n in range(250)]}}
            },
        },
        {"rows": [{"other": number} for number in range(2_000)]},
        None,
    ),
    "a list that is right at first": (
        {"type": "object", "properties": {"rows": {"type": "array", "items": of_members(50)}}},
        {"rows": [{f"part_{n}": "x" for n in range(50)}] * 300 + [{f"other_{n}": 1 for n in range(20_000)}]},
        None,
    ),
}


@pytest.mark.parametrize("kind", COSTLY)
def test_what_is_wrong_costs_time_and_memory_in_proportion_to_what_was_sent(make_pipeline, run, kind):
    schema, arguments, total = COSTLY[kind]
    pipeline = make_pipeline(Tool.from_schema("work", "", schema, lambda **given: "ran", timeout=5))
    run(pipeline, "work", {"nothing": 1})
    text = json.dumps(arguments)
    tracemalloc.start()
    began = time.process_time()
    result = run(pipeline, "work", text)
    spent, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert spent < 5  # ten times what it takes while memory is traced; without a bound it was a minute
    assert peak < 60 * len(text) + 20_000_000
    assert result.is_error
    assert len(result.error.problems) <= 1_000
    assert total is None or f"Invalid arguments: {total} problems; nothing was run." in result.content
    assert total is not None or "at least " in result.content


def test_a_member_that_is_wrong_among_very_many_is_named(make_pipeline):
    schema = of_members(3_000)
    schema["properties"]["part_2222"] = {"type": "integer"}
    arguments = {name: "x" for name in schema["properties"]}
    found = Tool.from_schema("work", "", schema, dict).validator.problems(arguments)
    assert [(problem.pointer, problem.message) for problem in found] == [("/part_2222", "wrong type")]


def test_a_shown_value_is_the_start_of_the_whole_one():
    for value in ([1] * 5_000, ["é" * 3_000], {"a" * 3_000: 1}, {"n": ["ab"] * 2_000, "m": 1}, [[]] * 3_000):
        [problem] = problems_of(checked({"a": {"type": "integer"}}), {"a": value})
        assert problem[3] == json.dumps(value, ensure_ascii=False, separators=(",", ":"))[:2_000]


def test_the_first_part_of_a_path_says_whether_a_value_is_secret():
    part = {"type": "object", "properties": {"phrase": {"type": "integer"}, "note": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"phrase": part, "note": part}}
    arguments = {"phrase": {"note": "inside a secret"}, "note": {"phrase": "inside a note"}}
    unlock = Tool.from_schema("unlock", "", schema, lambda **_: "open", secret=["phrase"])
    shown = {problem.pointer: problem.got for problem in unlock.validator.problems(arguments, unlock.secret)}
    assert shown == {"/phrase/note": None, "/note/phrase": '"inside a note"'}


ADDRESS = {
    "type": "object",
    "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
    "required": ["street", "city"],
    "additionalProperties": False,
}
CIRCLE = {"type": "object", "properties": {"shape": {"const": "circle"}, "r": {"type": "number"}}, "required": ["r"]}
SQUARE = {"type": "object", "properties": {"shape": {"const": "square"}, "a": {"type": "number"}}, "required": ["a"]}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("schema", "sent", "wrong"),
    [
        (
            {"anyOf": [ADDRESS, NULL]},
            {"city": "Graz", "road": "x"},
            {"/x/street": "missing", "/x/road": "unknown argument"},
        ),
        ({"anyOf": [NULL, {"$ref": "#/$defs/address"}]}, {"street": 1, "city": "Graz"}, {"/x/street": "wrong type"}),
        ({"oneOf": [CIRCLE, SQUARE]}, {"shape": "square", "r": 1}, {"/x/a": "missing"}),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": ADDRESS}]},
            [{"city": "a"}],
            {"/x/0/street": "missing"},
        ),
        (
            {"type": "array", "items": {"anyOf": [{"anyOf": [CIRCLE, SQUARE]}, NULL]}},
            [None, {"shape": "circle", "r": "wide"}],
            {"/x/1/r": "wrong type"},
        ),
        ({"oneOf": [CIRCLE, SQUARE]}, {"shape": "star"}, {"/x": "matches none of the allowed forms"}),
        (
            {"anyOf": [ADDRESS, {"type": "object", "required": ["zip"]}]},
            {},
            {"/x": "matches none of the allowed forms"},
        ),
        ({"anyOf": [ADDRESS, NULL]}, "Graz", {"/x": "matches none of the allowed forms"}),
    ],
)
def test_the_alternative_that_was_meant_is_described(schema, sent, wrong):
    parameters = {"type": "object", "properties": {"x": schema}, "$defs": {"address": ADDRESS}}
    with Pipeline([Tool.from_schema("act", "", parameters, dict)], autoload=False) as pipeline:
        error = pipeline.call("act", {"x": sent}).error
    assert {problem.pointer: problem.message for problem in error.problems} == wrong


def test_a_secret_alternative_shows_no_key_that_was_sent():
    parameters = {"type": "object", "properties": {"x": {"anyOf": [ADDRESS, NULL]}}}
    secret = Tool.from_schema("act", "", parameters, dict, secret=["x"])
    with Pipeline([secret], autoload=False) as pipeline:
        content = pipeline.call("act", {"x": {"hunter2": "hunter3"}}).content
    assert "hunter" not in content


@pytest.mark.parametrize(
    "arguments",
    [{"n": {"token: " * 14_000: "1"}}, {"n": {"token: " * 280 + str(number): "1" for number in range(48)}}],
)
def test_names_that_look_like_many_secrets_are_answered_without_them(arguments):
    numbers = {"type": "object", "additionalProperties": {"type": "integer"}}
    save = Tool.from_schema("save", "", {"type": "object", "properties": {"n": numbers}}, dict)
    result = Pipeline([save], autoload=False).call("save", arguments)
    assert '- the arguments as a whole: wrong type; expected integer; got "1".' in result.content
    assert "token" not in result.content
    assert all(len(problem.pointer) <= 100 for problem in result.error.problems)


def test_an_unknown_argument_that_looks_like_many_secrets_is_answered_without_it():
    schema = {"type": "object", "properties": {"n": {}}, "additionalProperties": False}
    result = Pipeline([Tool.from_schema("save", "", schema, dict)], autoload=False).call(
        "save", {"password=a " * 9_000: 1}
    )
    assert "- the arguments as a whole: unknown argument; allowed: n." in result.content
    assert "password=a" not in repr((result.content, result.error.problems))
