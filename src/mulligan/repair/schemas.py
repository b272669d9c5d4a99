"""The parts of JSON Schema that repair needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mulligan.pointers import steps_of
from mulligan.validate.error_paths import resolve_reference

_DEEPEST = 16
_FORMATS = frozenset(("date", "date-time", "time", "duration", "uuid", "email", "uri", "ipv4", "ipv6"))
_FORMAT_KEYWORDS = frozenset(("format", "contentEncoding", "contentMediaType"))
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def is_of_type(value: Any, kind: object) -> bool:
    """Whether a value is of a JSON Schema type, or of one of several.

    Args:
        value: a JSON value.
        kind: the schema's `type`: a name or a list of names.
    """
    if isinstance(kind, list):
        return any(is_of_type(value, one) for one in kind)
    types = _TYPES.get(kind, ()) if isinstance(kind, str) else ()
    if type(value) in types:
        return True
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def takes_text(schema: Mapping[str, Any], text: str) -> bool:
    """Whether a schema accepts a text unchanged, judging by its type, length and format.

    Args:
        schema: a schema without `$ref`.
        text: a word for no value, or an empty text.
    """
    if "enum" in schema:
        return text in schema["enum"]
    is_text = "type" not in schema or is_of_type(text, schema["type"])
    return is_text and schema.get("format") not in _FORMATS and len(text) >= schema.get("minLength", 0)


def is_formatted_text(schema: Mapping[str, Any]) -> bool:
    """Whether a schema's strings encode something else, such as a date or bytes, so that digits are not a plain number.

    Args:
        schema: a schema without `$ref`.
    """
    return not _FORMAT_KEYWORDS.isdisjoint(schema)


class SchemaResolver:
    """Resolves subschemas and their `$ref`s within a schema.

    Args:
        root: the whole schema.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def resolve(self, schema: Any) -> Mapping[str, Any]:
        """Follow `$ref` and return the schema it leads to; empty if there is none."""
        for _ in range(_DEEPEST):
            if not isinstance(schema, (dict, Mapping)):
                return {}
            if "$ref" not in schema:
                return schema
            schema = resolve_reference(self._root, str(schema["$ref"]))
        return {}

    def defaults(self, members: Mapping[str, Any]) -> dict[str, Any]:
        """The default of each member, or None.

        Args:
            members: the schemas of the members, by name.
        """
        return {name: self.resolve(member).get("default") for name, member in members.items()}

    def options(self, schema: Any) -> list[Mapping[str, Any]]:
        """The alternatives under `anyOf` and `oneOf`, or the schema itself."""
        schema = self.resolve(schema)
        found = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
        return [self.resolve(one) for one in found] if found else [schema]

    def takes_null(self, schema: Any) -> bool:
        """Whether the schema accepts null."""
        resolved = self.resolve(schema)
        options = self.options(resolved)
        if options == [resolved] and "type" not in resolved:
            return True
        return any("null" in (one.get("type") or ()) for one in options)

    def member(self, schema: Any, name: str) -> Mapping[str, Any]:
        """The schema of a member of the object; empty if it has none."""
        resolved = self.resolve(schema)
        found = self.properties(resolved).get(name, resolved.get("additionalProperties"))
        return self.resolve(found)

    def at(self, pointer: str) -> Mapping[str, Any]:
        """The schema of a place within a value of the whole schema; empty if it declares none.

        Args:
            pointer: the place, as a JSON Pointer.
        """
        schema = self._root
        for step in steps_of(pointer):
            items = self.items(schema) if step.isdigit() else {}
            schema = items or self.member(schema, step)
        return schema

    def items(self, schema: Any) -> Mapping[str, Any]:
        """The schema of the list's items; empty if there is none, or several."""
        found = [one["items"] for one in self.options(schema) if isinstance(one.get("items"), (dict, Mapping))]
        return self.resolve(found[0]) if len(found) == 1 else {}

    def properties(self, schema: Any) -> Mapping[str, Any]:
        """The members of the object, which may be nullable; empty if the schema describes no object, or several."""
        found = [
            one["properties"] for one in self.options(schema) if isinstance(one.get("properties"), (dict, Mapping))
        ]
        return found[0] if len(found) == 1 else {}
