"""Where the JSON Schema of a tool is wrong, said to the three who want to know: its author, the model, and the person."""

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
        place: where, as a JSON Pointer, safe to show.
        fault: what is wrong there; it may hold words of the schema.

    Attributes:
        told: what a model is told, without words of the schema.
    """

    def __init__(self, place: str, fault: str) -> None:
        self.model_message = f"its schema is invalid at {place}"
        super().__init__(f"{self.model_message}: {fault}")


def compile_schema(schema: Mapping[str, Any]) -> Validator:
    """The compiled form of a schema.

    Args:
        schema: JSON Schema.

    Raises:
        SchemaError: it cannot be used; says where it is wrong, if it is so at one place.
    """
    try:
        return Validator(schema)
    except SchemaError as error:
        raise _locate_error(schema, error) from None


def unusable_tool_error(name: str, error: SchemaError) -> ToolExecutionError:
    """What a call of a tool means whose schema cannot be used.

    Args:
        name: the tool's name, safe to show.
        error: why not.
    """
    reason = error.model_message if isinstance(error, InvalidSchemaError) else str(error)
    return ToolExecutionError(
        f"The tool cannot be used: {reason}.",
        effect="none",
        rule="host:schema",
        user_message=f"The tool {name} cannot be used: {error}. Its author must fix this.",
    )


def _locate_error(schema: Mapping[str, Any], error: SchemaError) -> SchemaError:
    """The error with the place that is wrong; as it is where there is none, as for a schema that is too deep."""
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
    """What is wrong, in a few words; of an unknown type, which one is most like it."""
    value = value_at(schema, path)
    if "type" not in path[-2:] or found.kind.name != "anyOf":
        return clean(str(found).splitlines()[0], newlines=False)[:_MAX_CHARS]
    unknown = [kind for kind in (value if isinstance(value, (list, tuple)) else [value]) if kind not in _TYPES]
    wrong = (unknown or [value])[0]
    near = closest(str(wrong), _TYPES)
    step = f'did you mean "{near}"?' if near is not None else f"available: {', '.join(_TYPES)}"
    return f"{short_json(wrong)} is not a JSON Schema type ({step})"
