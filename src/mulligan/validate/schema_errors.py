"""Errors in a tool's JSON Schema: too large, or wrong at one place; with messages for its author, the model and the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.errors import MulliganError, ToolExecutionError
from mulligan.pointers import escape
from mulligan.spelling import closest
from mulligan.untrusted.text import clean, show_name
from mulligan.validate.descriptions import short_json
from mulligan.validate.error_paths import ErrorPaths, resolve_reference, value_at

MAX_SCHEMA_DEPTH = 64
MAX_SCHEMA_NODES = 50_000
MAX_ALTERNATIVES = 20_000_000
_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_MAX_CHARS = 200
_DEFINITIONS = ("$defs", "definitions")
_SCALARS = frozenset((str, int, float, bool, type(None)))


class SchemaError(MulliganError):
    """A tool's JSON Schema cannot be used; the message says why."""


class InvalidSchemaError(SchemaError):
    """A tool's JSON Schema is wrong at one place.

    Args:
        place: the place, as a JSON Pointer that is safe to show.
        fault: what is wrong there; it may quote the schema.

    Attributes:
        model_message: the message for the model, without text of the schema.
    """

    def __init__(self, place: str, fault: str) -> None:
        self.model_message = f"its schema is invalid at {place}"
        super().__init__(f"{self.model_message}: {fault}")


def check_schema_size(schema: Mapping[str, Any]) -> None:
    """Checks that a schema is small enough to be compiled.

    Raises:
        SchemaError: it is nested too deeply, or has too many parts.
    """
    stack: list[tuple[int, Any]] = [(0, schema)]
    nodes = 0
    while stack:
        depth, node = stack.pop()
        nodes += 1
        if depth > MAX_SCHEMA_DEPTH:
            raise SchemaError(f"its schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
        if nodes > MAX_SCHEMA_NODES:
            raise SchemaError(f"its schema has more than {MAX_SCHEMA_NODES:,} parts")
        members = node.values() if isinstance(node, dict) else node if isinstance(node, (list, tuple)) else ()
        stack += [(depth + 1, member) for member in members]


def count_alternatives(schema: Mapping[str, Any]) -> int:
    """The maximum number of schemas that one value is compared with: nested alternatives multiply.

    Raises:
        SchemaError: checking a value against all of them would take too long.
    """
    counts: dict[int, int] = {}
    visiting: set[int] = set()

    def count(part: Any) -> int:
        if isinstance(part, (list, tuple)):
            return sum(map(count, part))
        if not isinstance(part, Mapping):
            return 0
        if id(part) in visiting:  # a recursive schema is as deep as the value
            return 1
        if id(part) not in counts:
            visiting.add(id(part))
            parts = [item for word, item in part.items() if word not in _DEFINITIONS and type(item) not in _SCALARS]
            inner = sum(map(count, parts))
            if isinstance(part.get("$ref"), str):
                inner += count(resolve_reference(schema, part["$ref"]))
            visiting.discard(id(part))
            counts[id(part)] = max(1, inner)
        return counts[id(part)]

    total = count(schema)
    if total > MAX_ALTERNATIVES:
        raise SchemaError(f"its nested alternatives exceed {MAX_ALTERNATIVES:,}")
    return total


def locate_error(schema: Mapping[str, Any], error: SchemaError) -> SchemaError:
    """The error with the wrong place added; unchanged if there is no single place, as in a schema that is too deep."""
    import jsonschema_rs

    if not str(error).startswith("its schema is invalid"):
        return error
    is_07 = "draft-07" in str(schema.get("$schema", ""))
    try:
        (jsonschema_rs.Draft7Validator if is_07 else jsonschema_rs.Draft202012Validator)(dict(schema), offline=True)
    except jsonschema_rs.ValidationError as invalid:
        path = ErrorPaths(schema).path_of(invalid)
        place = "".join(f"/{escape(step)}" for step in path)
        return (
            InvalidSchemaError(show_name(place, _MAX_CHARS), _describe_fault(schema, path, invalid)) if place else error
        )
    except Exception:
        return error
    return error


def _describe_fault(schema: Any, path: Sequence[Any], found: Any) -> str:
    """Describes the problem briefly; for an unknown type, suggests the most similar one."""
    value = value_at(schema, path)
    if "type" not in path[-2:] or found.kind.name != "anyOf":
        return clean(str(found).splitlines()[0], newlines=False)[:_MAX_CHARS]
    unknown = [kind for kind in (value if isinstance(value, (list, tuple)) else [value]) if kind not in _TYPES]
    wrong = (unknown or [value])[0]
    near = closest(str(wrong), _TYPES)
    step = f'did you mean "{near}"?' if near is not None else f"available: {', '.join(_TYPES)}"
    return f"{short_json(wrong)} is not a JSON Schema type ({step})"


def unusable_tool_error(name: str, error: SchemaError) -> ToolExecutionError:
    """The error for a call of a tool with an unusable schema.

    Args:
        name: the tool's name, safe to show.
        error: the reason.
    """
    reason = error.model_message if isinstance(error, InvalidSchemaError) else str(error)
    return ToolExecutionError(
        f"The tool cannot be used: {reason}.",
        effect="none",
        rule="host:schema",
        user_message=f"The tool {name} cannot be used: {error}. Its author must fix this.",
    )
