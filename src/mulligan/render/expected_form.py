"""Says in words which object or list an argument takes: `an object with "amount" and "currency"`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mulligan.catalogue import Catalogue
from mulligan.repair.provenance import is_plain_identifier
from mulligan.repair.schemas import SchemaResolver
from mulligan.tools import Tool

_MOST_MEMBERS = 8


def expected_form(tool: Tool, pointer: str, catalogue: Catalogue) -> str:
    """The object or list that a place in a tool's arguments takes.

    Args:
        tool: the tool.
        pointer: the place, as a JSON Pointer.
        catalogue: the templates.

    Returns:
        The form, or an empty text if the place takes something else, one of several forms, or has names that are no
        plain identifiers.
    """
    schemas = SchemaResolver(tool.parameters)
    options = [one for one in schemas.options(schemas.at(pointer)) if one.get("type") != "null"]
    if len(options) != 1:
        return ""
    kind = options[0].get("type")
    if kind == "object":
        members = _members(options[0], catalogue)
        return catalogue["form_object"].format(members=members) if members else _mapping(options[0], schemas, catalogue)
    if kind != "array":
        return ""
    items = schemas.resolve(options[0].get("items"))
    if items.get("type") == "object":
        members = _members(items, catalogue)
        return catalogue["form_objects"].format(members=members) if members else ""
    values = catalogue.get(f"form_{items.get('type')}s") if "enum" not in items else None
    return "" if values is None else catalogue["form_list"].format(count=_count(options[0]), values=values)


def _mapping(schema: Mapping[str, Any], schemas: SchemaResolver, catalogue: Catalogue) -> str:
    """An object with any names, if all its values are texts or numbers; otherwise empty."""
    if schema.get("properties"):
        return ""
    inner = schema.get("additionalProperties")
    part = schemas.resolve(inner) if isinstance(inner, (dict, Mapping)) else {}
    values = catalogue.get(f"form_{part.get('type')}s") if "enum" not in part else None
    return "" if values is None else catalogue["form_mapping"].format(values=values)


def _members(schema: Mapping[str, Any], catalogue: Catalogue) -> str:
    """The members of an object, the required ones first; empty if there are none, too many, or one is no plain name."""
    properties = schema.get("properties")
    known = list(properties) if isinstance(properties, (dict, Mapping)) else []
    if not 0 < len(known) <= _MOST_MEMBERS or not all(map(is_plain_identifier, known)):
        return ""
    required = [name for name in known if name in (schema.get("required") or ())]
    optional = [name for name in known if name not in required]
    if not required:
        return catalogue["form_any_of"].format(names=_join(optional, catalogue["or"]))
    names = _join(required, catalogue["and"])
    if not optional:
        return names
    return catalogue["form_optionally"].format(names=names, others=_join(optional, catalogue["and"]))


def _join(names: Sequence[str], last: str) -> str:
    *first, end = [f'"{name}"' for name in names]
    return f"{', '.join(first)}{last}{end}" if first else end


def _count(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    return f"{least} " if isinstance(least, int) and 1 < least == most else ""
