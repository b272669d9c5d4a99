"""Leaves defaults that are secrets out of a JSON Schema: a model, a provider and every record of the tools read it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from mulligan.lazy import lazy

_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_VALUES = frozenset({"default", "enum", "const", "examples"})
_SCALARS = frozenset((str, int, float, bool, type(None)))
_SHORTEST = 8  # shorter texts are neither environment values nor tokens
_DEEPEST = 64


def without_secret_defaults(schema: Mapping[str, Any], secret: Collection[str]) -> Mapping[str, Any]:
    """The schema without the defaults of secret arguments, and without any other default that holds a secret.

    Args:
        schema: the JSON Schema of a tool's arguments. It may come from anywhere, be of any depth, or contain itself.
        secret: the names of its secret arguments.
    """
    schema = _Cleaner(_Finder().holds_secret).clean(schema)
    properties = schema.get("properties") if secret else None
    if not isinstance(properties, Mapping):
        return schema
    hide = _Cleaner(lambda default: True).clean
    return {**schema, "properties": {name: hide(part) if name in secret else part for name, part in properties.items()}}


class _Finder:
    """Finds what redaction would hide, in the texts of a default."""

    @lazy
    def _redact(self) -> Callable[[str], str]:
        from mulligan.secrets.redaction import Redactor

        return Redactor().redact

    def holds_secret(self, default: Any, depth: int = 0) -> bool:
        """Whether a default has a text that contains a credential of the environment or looks like a secret."""
        if isinstance(default, str):
            return len(default) >= _SHORTEST and self._redact(default) != default
        if isinstance(default, Mapping):
            default = [*default, *default.values()]
        if depth > _DEEPEST or not isinstance(default, (list, tuple)):
            return False
        return any(self.holds_secret(part, depth + 1) for part in default)


class _Cleaner:
    """Leaves some defaults out of a schema.

    Args:
        is_secret: whether a default is left out.
    """

    def __init__(self, is_secret: Callable[[Any], bool]) -> None:
        self._is_secret = is_secret
        self._cleaned: dict[tuple[int, bool], Any] = {}

    def clean(self, schema: Any, depth: int = 0, *, are_named: bool = False) -> Any:
        """A schema without those defaults; the schema itself if it has none.

        Args:
            schema: a schema, a list of schemas, or anything else.
            depth: how deep it is nested; a schema that is nested deeper than `_DEEPEST` is not used for validation.
            are_named: whether it is a mapping of names to schemas, where `default` is a name.
        """
        if depth > _DEEPEST or not isinstance(schema, (Mapping, list, tuple)):
            return schema
        place = (id(schema), are_named)
        if place not in self._cleaned:
            self._cleaned[place] = schema  # until it is known: it may contain itself
            self._cleaned[place] = self._clean(schema, depth, are_named=are_named)
        return self._cleaned[place]

    def _clean(self, schema: Any, depth: int, *, are_named: bool) -> Any:
        if not isinstance(schema, Mapping):
            items = [self.clean(item, depth + 1) for item in schema]
            return schema if all(new is old for new, old in zip(items, schema, strict=True)) else items
        kept: dict[str, Any] = {}
        for key, part in schema.items():
            if type(part) in _SCALARS and key != "default":
                kept[key] = part
            elif are_named or key not in _VALUES:
                kept[key] = self.clean(part, depth + 1, are_named=key in _NAMED and not are_named)
            elif key != "default" or not self._is_secret(part):
                kept[key] = part
        is_same = len(kept) == len(schema) and all(kept[key] is part for key, part in schema.items())
        return schema if is_same else kept
