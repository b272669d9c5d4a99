"""The problems of arguments that are wrong in the simplest way: another type, or a value that is not listed.

jsonschema-rs finds them as well, but explains each in an error object with eight fields, and checks the whole value once
more for that. What is wrong with such an argument follows from its schema alone, so it is described once for each member.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from mulligan.catalogue import NOT_ALLOWED, WRONG_TYPE
from mulligan.errors import Problem
from mulligan.pointers import escape
from mulligan.validate.descriptions import describe_schema
from mulligan.validate.problems import sent_text

_ROOT_KEYWORDS = frozenset(("type", "properties", "required", "additionalProperties"))
_NOTES = frozenset(("$comment", "$defs", "$schema", "default", "deprecated", "description", "examples", "title"))
_TYPES: Mapping[str, tuple[frozenset[type], frozenset[str]]] = {
    "string": (frozenset((str,)), frozenset(("format", "maxLength", "minLength", "pattern"))),
    "integer": (frozenset((int,)), frozenset()),
    "number": (frozenset((int, float)), frozenset()),
    "boolean": (frozenset((bool,)), frozenset()),
    "array": (frozenset((list,)), frozenset(("items", "maxItems", "minItems", "uniqueItems"))),
    "object": (frozenset((dict,)), frozenset(("additionalProperties", "properties", "required"))),
}  # with the keywords that say nothing about values of other types; bounds of a number also apply to 1.5 for an integer
_JSON_TYPES = frozenset((str, int, float, bool, type(None), list, dict))


class _Member(NamedTuple):
    """What one member takes.

    Attributes:
        types: a value of another type has just that problem.
        listed: the allowed texts; any other value has just that problem. None if none are listed.
        is_constrained: whether a value of the right type may have other problems.
        part: its schema.
    """

    types: frozenset[type]
    listed: frozenset[str] | None
    is_constrained: bool
    part: Mapping[str, Any]


class PlainMembers:
    """The members of an object whose problems are known without asking why.

    Args:
        schema: the schema of the object.
        is_valid: whether an object of some of its members has no wrong one.
    """

    def __init__(self, schema: Mapping[str, Any], is_valid: Callable[[Any], bool]) -> None:
        is_plain = schema.keys() - _NOTES <= _ROOT_KEYWORDS and schema.get("type", "object") == "object"
        self._parts = schema.get("properties", {}) if is_plain and not schema.get("additionalProperties") else {}
        self._required = frozenset(schema.get("required", ()))
        self._is_valid = is_valid
        self._members: dict[str, _Member | None] = {}
        self._described: dict[str, tuple[str, str, str]] = {}

    def problems(self, value: Mapping[str, Any], secret: Collection[str]) -> list[Problem] | None:
        """All problems of a value that does not match, in the order of its members; None if one needs an explanation.

        Args:
            value: JSON values.
            secret: names of members; their values are never shown.
        """
        if not (self._required <= value.keys() <= self._parts.keys()):
            return None
        found = []
        for name, sent in value.items():
            if name not in self._members:
                self._members[name] = _read(self._parts[name])
            member = self._members[name]
            if member is None:
                return None
            kind = type(sent)
            if kind in member.types and member.listed is None:
                if member.is_constrained and not self._is_valid({name: sent}):
                    return None
            elif kind not in _JSON_TYPES or (kind is float and int in member.types):  # 1.0 is a whole number
                return None
            elif kind not in member.types or sent not in (member.listed or ()):
                if name not in self._described:
                    message = WRONG_TYPE if member.listed is None else NOT_ALLOWED
                    self._described[name] = f"/{escape(name)}", message, describe_schema(member.part)
                shown = None if name in secret else sent_text(sent, whole=False)
                found.append(Problem(*self._described[name], shown))
        return found or None


def _read(part: Any) -> _Member | None:
    """What is known of a member; None if jsonschema-rs must be asked about it."""
    kind = part.get("type") if isinstance(part, (dict, Mapping)) else None
    if not isinstance(kind, str) or kind not in _TYPES:
        return None
    keywords = part.keys() - _NOTES - {"type"}
    types, unrelated = _TYPES[kind]
    if keywords == {"enum"} and kind == "string" and all(type(one) is str for one in part["enum"]):
        return _Member(types, frozenset(part["enum"]), is_constrained=False, part=part)
    return _Member(types, None, is_constrained=bool(keywords), part=part) if keywords <= unrelated else None
