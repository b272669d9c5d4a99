"""A JSON Schema in words, as a model reads it: `integer from 1 to 10`, `array of string`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mulligan.untrusted.text import clean, show_name
from mulligan.validate.arguments import dump

_SHOWN_CHARS = 60
_LONGEST_NAME = 64
_ONE_WORD = re.compile(r"[\w.:@$-]{1,64}").fullmatch
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


def describe_schema(schema: Any) -> str:
    """Describes a JSON Schema in a few words: `integer from 1 to 10`, `array of string`, `one of "a", "b"`."""
    if not isinstance(schema, Mapping) or not schema:
        return "any value"
    if "enum" in schema:
        values = [short_json(value) for value in schema["enum"]]
        more = f" ... ({len(values)} in all)" if len(values) > 20 else ""
        return f"one of {', '.join(values[:20])}{more}"
    if "const" in schema:
        return short_json(schema["const"])
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list):
            return " or ".join(dict.fromkeys(describe_schema(option) for option in schema[word][:8]))
    kind = schema.get("type", "any value")
    if kind == "array" and isinstance(schema.get("items"), Mapping) and schema["items"]:
        return f"array of {describe_schema(schema['items'])}{_limits(schema)}"
    return (" or ".join(kind) if isinstance(kind, list) else str(kind)) + _limits(schema)


def _limits(schema: Mapping[str, Any]) -> str:
    """The limits of a schema besides the type: a value of the wrong type has not been checked against them yet."""
    limits = {
        name: words.removeprefix("text ").format(short_json(schema[name]))
        for name, words in LIMITS.items()
        if name in schema
    }
    span = ""
    if "minimum" in limits and "maximum" in limits:
        span = f" from {short_json(schema['minimum'])} to {short_json(schema['maximum'])}"
        del limits["minimum"], limits["maximum"]
    return f"{span} ({', '.join(limits.values())})" if limits else span


def short_json(value: Any) -> str:
    """A value of a schema as short JSON text."""
    try:
        text = clean(dump(value), newlines=False)
    except Exception:
        return type(value).__name__
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"


def allowed_names(known: list[str]) -> str:
    """The names of the members that an object may have, as a list; `none` if there are none."""
    more = ", ..." if len(known) > 20 else ""
    return f"{', '.join(map(_quote_name, known[:20]))}{more}" if known else "none"


def _quote_name(name: str) -> str:
    """A name for a list, in quotes unless it is one word: an unquoted sentence would look like our own text."""
    shown = show_name(name, _LONGEST_NAME)
    return shown if shown == name and _ONE_WORD(name) else f'"{shown}"'
