"""Leaves defaults that are secrets out of a JSON Schema: a model, a provider and every record of the tools read it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from mulligan.lazy import lazy

_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_VALUES = frozenset({"default", "enum", "const", "examples"})
_SHORTEST = 8  # shorter texts are neither environment values nor tokens
IsSecret = Callable[[Any], bool]


def without_secret_defaults(schema: Mapping[str, Any], secret: Collection[str]) -> Mapping[str, Any]:
    """The schema without the defaults of secret arguments, and without any other default that holds a secret.

    Args:
        schema: the JSON Schema of a tool's arguments.
        secret: the names of its secret arguments.
    """
    schema = _without_defaults(schema, _Finder().holds_secret)
    properties = schema.get("properties") if secret else None
    if not isinstance(properties, Mapping):
        return schema
    shown = {
        name: _without_defaults(part, lambda default: True) if name in secret else part
        for name, part in properties.items()
    }
    return {**schema, "properties": shown}


class _Finder:
    """Finds what redaction would hide, in the texts of a default."""

    @lazy
    def _redact(self) -> Callable[[str], str]:
        from mulligan.secrets.redaction import Redactor

        return Redactor().redact

    def holds_secret(self, default: Any) -> bool:
        """Whether a default has a text that contains a credential of the environment or looks like a secret."""
        if isinstance(default, str):
            return len(default) >= _SHORTEST and self._redact(default) != default
        if isinstance(default, Mapping):
            default = [*default, *default.values()]
        return isinstance(default, (list, tuple)) and any(map(self.holds_secret, default))


def _without_defaults(schema: Any, is_secret: IsSecret, *, are_named: bool = False) -> Any:
    """A schema without some defaults; the schema itself if nothing is left out.

    Args:
        schema: a schema, a list of schemas, or anything else.
        is_secret: whether a default is left out.
        are_named: whether it is a mapping of names to schemas, where `default` is a name.
    """
    if isinstance(schema, (list, tuple)):
        items = [_without_defaults(item, is_secret) for item in schema]
        return schema if all(new is old for new, old in zip(items, schema, strict=True)) else items
    if not isinstance(schema, Mapping):
        return schema
    kept: dict[str, Any] = {}
    for key, part in schema.items():
        if are_named or key not in _VALUES:
            kept[key] = _without_defaults(part, is_secret, are_named=key in _NAMED and not are_named)
        elif key != "default" or not is_secret(part):
            kept[key] = part
    is_same = len(kept) == len(schema) and all(kept[key] is part for key, part in schema.items())
    return schema if is_same else kept
