"""The retry prompt of Pydantic AI 1.x, from what it is known to say: another framework's text to compare with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
from scenarios import Scenario, schema_of, sent_arguments

CLOSING = "\n\nFix the errors and try again."
TYPES = {
    "integer": ("int_parsing", "Input should be a valid integer, unable to parse string as an integer"),
    "number": ("float_parsing", "Input should be a valid number, unable to parse string as a number"),
    "boolean": ("bool_type", "Input should be a valid boolean"),
    "array": ("list_type", "Input should be a valid list"),
    "object": ("dict_type", "Input should be a valid dictionary"),
    "string": ("string_type", "Input should be a valid string"),
}
BOUNDS = {
    "minimum": ("greater_than_equal", "Input should be greater than or equal to {}"),
    "maximum": ("less_than_equal", "Input should be less than or equal to {}"),
    "exclusiveMinimum": ("greater_than", "Input should be greater than {}"),
    "minLength": ("string_too_short", "String should have at least {} characters"),
}


def unknown_tool(scenario: Scenario) -> str:
    """There is no tool of that name."""
    known = ", ".join(repr(tool["name"]) for tool in scenario["tools"])
    return f"Unknown tool name: {scenario['call']['name']!r}. Available tools: {known}{CLOSING}"


def invalid_arguments(scenario: Scenario) -> str:
    """The arguments do not validate."""
    schema = schema_of(scenario, scenario["call"]["name"])
    assert schema is not None, scenario["id"]
    found = list(records(schema, sent_arguments(scenario)))
    plural = "s" if len(found) > 1 else ""
    return f"{len(found)} validation error{plural}:\n```json\n{json.dumps(found, indent=2)}\n```{CLOSING}"


def model_retry(message: str) -> str:
    """A tool raised ModelRetry."""
    return message + CLOSING


def records(schema: dict[str, Any], text: str) -> Iterator[dict[str, Any]]:
    """One record for each fault, as pydantic reports it."""
    try:
        arguments = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"Invalid JSON: {error.msg} at line {error.lineno} column {error.colno}"
        yield {"type": "json_invalid", "loc": [], "msg": message, "input": text}
        return
    yield from _faults(schema, arguments, [])


def _faults(schema: dict[str, Any], given: Any, above: list[str | int]) -> Iterator[dict[str, Any]]:
    """The records of a value that is at some place."""
    for fault in jsonschema_rs.validator_for(schema).iter_errors(given):
        where, value = [*above, *fault.instance_path], fault.instance
        if fault.kind.name == "additionalProperties":
            for name in fault.kind.unexpected:
                yield _record("extra_forbidden", [*where, name], "Extra inputs are not permitted", value[name])
        elif fault.kind.name == "required":
            yield _record("missing", [*where, fault.kind.property], "Field required", value)
        elif fault.kind.name == "anyOf":  # a type or None: pydantic reports the faults of the type
            options = _at(schema, fault.schema_path)
            yield from _faults(next(one for one in options if one.get("type") != "null"), value, where)
        else:
            kind, message = _words(fault.kind)
            yield _record(kind, where, message, value)


def _at(schema: Any, path: list[str | int]) -> Any:
    for step in path:
        schema = schema[step]
    return schema


def _record(kind: str, where: list[str | int], message: str, value: Any) -> dict[str, Any]:
    return {"type": kind, "loc": where, "msg": message, "input": value}


def _words(kind: Any) -> tuple[str, str]:
    """Pydantic's type and message of one fault of a value."""
    match kind.name:
        case "type":
            return TYPES[kind.types[0]]
        case "enum":
            *first, last = map(repr, kind.options)
            return "literal_error", f"Input should be {', '.join(first)} or {last}"
        case "pattern":
            return "string_pattern_mismatch", f"String should match pattern '{kind.pattern}'"
        case name:
            code, message = BOUNDS[name]
            return code, message.format(kind.limit)
