"""A tool's JSON Schema, compiled once: is a value valid, and if not, what exactly is wrong with it.

jsonschema-rs checks. It never retrieves a `$ref` from outside (`offline=True`), and its messages never hold the value.
A schema may come from a foreign server, so it is bounded before it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

from mulligan.arguments.reading import dump, escape
from mulligan.errors import MulliganError, Problem

MAX_SCHEMA_DEPTH = 64
MAX_SCHEMA_NODES = 50_000
_MOST_PROBLEMS = 1_000
_SHOWN = 60
_KEPT = 2_000
_DRAFT_07 = "http://json-schema.org/draft-07/schema"


class SchemaError(MulliganError):
    """A tool's JSON Schema cannot be used: the text says why."""


class Validator:
    """The compiled form of one JSON Schema.

    Args:
        schema: JSON Schema, 2020-12 unless `$schema` names draft-07.

    Raises:
        SchemaError: where the schema is invalid, too deep or too large, or refers to something outside of itself.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        import jsonschema_rs

        _bound(schema)
        draft07 = str(schema.get("$schema", "")).rstrip("#") == _DRAFT_07
        compiler = jsonschema_rs.Draft7Validator if draft07 else jsonschema_rs.Draft202012Validator
        try:
            compiled = compiler(dict(schema), offline=True, mask="the value")
        except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"its schema is invalid: {str(error).splitlines()[0][:200]}") from None
        self._schema = schema
        self._told: dict[tuple[Any, ...], _Teller] = {}
        self._errors: Callable[[Any], Iterator[Any]] = compiled.iter_errors
        self.is_valid: Callable[[Any], bool] = compiled.is_valid

    def problems(self, value: Any, secret: Collection[str] = ()) -> list[Problem]:
        """Everything that is wrong with a value (the first thousand problems).

        Args:
            value: JSON values, at most as deep as `Limits.depth`.
            secret: names of top-level members whose value is never shown.
        """
        found: list[Problem] = []
        for error in islice(self._of_a_part(value) or self._errors(value), _MOST_PROBLEMS):
            path, where = error.instance_path, tuple(error.schema_path)
            key = (*where, error.kind.value) if where and where[-1] == "required" else where
            told = self._told.get(key)
            if told is None:
                part = _resolve(self._schema, where[:-1])
                told = self._told[key] = _tell(error.kind, error.message, part, self._schema)
            found += told(error, value, path, secret)
        return found

    def _of_a_part(self, value: Any) -> list[Any]:
        """What is wrong with the beginning of a value that is very large; empty where it is not, or nothing is.

        jsonschema-rs finds everything at once, and a hundred thousand wrong items take it a second.
        """
        if not any(type(member) in (list, dict) for member in value.values()):
            return []
        room = [_MOST_PROBLEMS]
        part = _beginning(value, room)
        if room[0] > 0:
            return []
        errors = self._errors(part)
        return [error for error in errors if _at(part, error.instance_path) == _at(value, error.instance_path)]


def _beginning(value: Any, room: list[int]) -> Any:
    """A copy of a value with as many parts as there is room for."""
    room[0] -= 1
    if type(value) is list:
        return [_beginning(item, room) for item in takewhile(lambda _: room[0] > 0, value)]
    if type(value) is dict:
        return {name: _beginning(item, room) for name, item in takewhile(lambda _: room[0] > 0, value.items())}
    return value


_Teller = Callable[[Any, Any, list[Any], Collection[str]], list[Problem]]


def _pointer(path: list[Any]) -> str:
    if len(path) == 1 and type(path[0]) is str:
        return f"/{escape(path[0])}"
    return "".join(f"/{escape(str(part))}" for part in path)


def _tell(kind: Any, message: str, part: Mapping[str, Any], schema: Mapping[str, Any]) -> _Teller:
    """What is told when a value fails at this place of the schema; made once for each place."""
    if kind.name == "required":
        name = kind.value
        expected = describe(_member(part, name, schema))
        return lambda error, value, path, secret: [Problem(f"{_pointer(path)}/{escape(name)}", "missing", expected)]
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        known = list(part.get("properties", {}))
        return lambda error, value, path, secret: [
            _unexpected(_pointer(path), name, known) for name in error.kind.value[:_MOST_PROBLEMS]
        ]
    wrong, right = _wrong(kind, message, part)

    def one(error: Any, value: Any, path: list[Any], secret: Collection[str]) -> list[Problem]:
        shown = None if path and path[0] in secret else _sent(_at(value, path), whole=not path)
        return [Problem(_pointer(path), wrong, right, shown)]

    return one


def _bound(schema: Mapping[str, Any]) -> None:
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


def _unexpected(pointer: str, name: str, known: list[str]) -> Problem:
    more = ", ..." if len(known) > 20 else ""
    allowed = f"only {', '.join(known[:20])}{more}" if known else "no members"
    return Problem(f"{pointer}/{escape(name)}", "not an argument that exists", allowed)


_WORDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} members",
    "maxProperties": "at most {} members",
    "multipleOf": "a multiple of {}",
    "pattern": "text that matches the pattern {}",
    "format": "text in the format {}",
}


def _wrong(error: Any, message: str, part: Mapping[str, Any]) -> tuple[str, str | None]:
    kind = error.name
    if kind == "type":
        return "of the wrong type", describe(part)
    if kind in ("enum", "const"):
        return "not one of the allowed values", describe(part)
    if kind in ("anyOf", "oneOf", "oneOfNotValid"):
        return "fits none of the allowed forms", describe(part)
    if kind in _WORDS:
        return "out of bounds", _WORDS[kind].format(show(part.get(kind, error.value)))
    if kind == "uniqueItems":
        return "has equal items", "each item once"
    return "not valid", message[:200]


def describe(schema: Any) -> str:
    """What a JSON Schema asks for, in a few words: `integer`, `array of string`, `one of "a", "b"`."""
    if not isinstance(schema, Mapping) or not schema:
        return "any value"
    if "enum" in schema:
        values = [show(value) for value in schema["enum"]]
        more = f" ... ({len(values)} in all)" if len(values) > 20 else ""
        return f"one of {', '.join(values[:20])}{more}"
    if "const" in schema:
        return show(schema["const"])
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list):
            return " or ".join(dict.fromkeys(describe(option) for option in schema[word][:8]))
    kind = schema.get("type", "any value")
    if kind == "array" and isinstance(schema.get("items"), Mapping) and schema["items"]:
        return f"array of {describe(schema['items'])}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def show(value: Any) -> str:
    """A value of a schema as short JSON text."""
    try:
        text = dump(value)
    except Exception:
        return type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _sent(value: Any, *, whole: bool) -> str:
    """A value that was sent, as JSON text. It is shortened later, once secrets are taken out of it."""
    if whole:
        return f"an object with {len(value)} members"
    try:
        return dump(value[:_KEPT] if type(value) is str else value)[:_KEPT]
    except Exception:
        return type(value).__name__


def _at(value: Any, path: list[Any]) -> Any:
    for part in path:
        value = value[part]
    return value


def _member(part: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    """The schema of a member, the first `$ref` followed."""
    properties = part.get("properties")
    member = properties.get(name) if isinstance(properties, Mapping) else None
    if isinstance(member, Mapping) and "$ref" in member and "type" not in member:
        return referred(schema, str(member["$ref"]))
    return member


def _resolve(schema: Mapping[str, Any], path: Sequence[Any]) -> Mapping[str, Any]:
    """The part of a schema that an error's path leads to, through `$ref`s within the schema."""
    part: Any = schema
    for step in path:
        if step == "$ref" and isinstance(part, Mapping):
            part = referred(schema, str(part.get("$ref", "")))
        elif isinstance(part, Mapping):
            part = part.get(step)
        elif isinstance(part, list) and isinstance(step, int) and step < len(part):
            part = part[step]
        else:
            return {}
    return part if isinstance(part, Mapping) else {}


def referred(schema: Mapping[str, Any], reference: str) -> Any:
    """The part of a schema that a `$ref` within it leads to; None where it leads nowhere.

    Args:
        schema: the whole schema.
        reference: such as `#/$defs/Point`.
    """
    part: Any = schema
    for token in reference.removeprefix("#").split("/")[1:]:
        part = part.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(part, Mapping) else None
    return part
