"""Errors of a tool's JSON Schema, with messages for its author, the model and the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.errors import ToolExecutionError
from mulligan.pointers import escape
from mulligan.spelling import closest
from mulligan.untrusted.text import clean, show_name
from mulligan.validate.error_paths import ErrorPaths, value_at
from mulligan.validate.validator import SchemaError, Validator, short_json

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_MAX_CHARS = 200


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


def compile_schema(schema: Mapping[str, Any]) -> Validator:
    """The compiled form of a schema.

    Args:
        schema: JSON Schema.

    Raises:
        SchemaError: the schema cannot be used; the message names the wrong place, if there is one.
    """
    try:
        return Validator(schema)
    except SchemaError as error:
        raise _locate_error(schema, error) from None


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


def _locate_error(schema: Mapping[str, Any], error: SchemaError) -> SchemaError:
    """The error with the wrong place added; unchanged if there is no single place, as in a schema that is too deep."""
    import jsonschema_rs

    if not str(error).startswith("its schema is invalid"):
        return error
    is_07 = "draft-07" in str(schema.get("$schema", ""))
    try:
        (jsonschema_rs.Draft7Validator if is_07 else jsonschema_rs.Draft202012Validator)(dict(schema), offline=True)
    except jsonschema_rs.ValidationError as found:
        path = ErrorPaths(schema).path_of(found)
        place = "".join(f"/{escape(step)}" for step in path)
        return (
            InvalidSchemaError(show_name(place, _MAX_CHARS), _describe_fault(schema, path, found)) if place else error
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
