"""What a JSON Schema asks for, in a few words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mulligan.untrusted.text import clean
from mulligan.validate.arguments import dump

_SHOWN = 60
LIMITS: Mapping[str, str] = MappingProxyType(
    {
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
)


def describe(schema: Any) -> str:
    """What a JSON Schema asks for, in a few words: `integer from 1 to 10`, `array of string`, `one of "a", "b"`."""
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
        return f"array of {describe(schema['items'])}{_limits(schema)}"
    return (" or ".join(kind) if isinstance(kind, list) else str(kind)) + _limits(schema)


def _limits(schema: Mapping[str, Any]) -> str:
    """The limits that a schema sets besides the type: a value of the wrong type has not met them yet."""
    limits = {
        name: words.removeprefix("text ").format(show(schema[name])) for name, words in LIMITS.items() if name in schema
    }
    span = ""
    if "minimum" in limits and "maximum" in limits:
        span = f" from {show(schema['minimum'])} to {show(schema['maximum'])}"
        del limits["minimum"], limits["maximum"]
    return f"{span} ({', '.join(limits.values())})" if limits else span


def show(value: Any) -> str:
    """A value of a schema as short JSON text."""
    try:
        text = clean(dump(value), newlines=False)
    except Exception:
        return type(value).__name__
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
