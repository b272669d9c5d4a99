"""Serialize a tool's result as the text that a model reads.

The standard library does the encoding, since unlike msgspec it keeps the order of keys. Values are bounded and
converted to plain types beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from mulligan.deadline import Deadline
from mulligan.errors import ToolExecutionError
from mulligan.untrusted.json_values import UnreadableError, to_json_value
from mulligan.untrusted.objects import type_name
from mulligan.untrusted.text import MUST_PROPAGATE, show_name


def as_content(value: Any, deadline: Deadline | None = None) -> str:
    """Convert a value to text: a string is unchanged, any other value becomes compact JSON.

    Dataclasses, attrs classes, pydantic models, enums, dates, UUIDs, decimals, sets (sorted), paths and bytes (base64)
    are supported. A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD; NaN and infinity become strings. At most
    a million values, 100 million characters and 500 levels are read.

    Args:
        value: what the tool returned.
        deadline: the time by which reading a lazy value must end, or None.

    Raises:
        ToolExecutionError: the value cannot be serialized; its effect is `done`.
    """
    if type(value) is str:
        return value if value.isascii() else replace_surrogates(value)
    try:
        return (
            replace_surrogates(value)
            if issubclass(type(value), str)
            else replace_surrogates(_encoder()(to_json_value(value, deadline)))
        )
    except MUST_PROPAGATE:
        raise
    except BaseException as error:
        raise _make_error(value, error) from error


def spaced_json(value: Any) -> str:
    """JSON values as text with spaces, as models write JSON."""
    return int.__repr__(value) if type(value) is int else _spaced_encoder()(value)


@cache
def _spaced_encoder() -> Callable[[Any], str]:
    import json

    return json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD."""
    try:
        str.encode(text)
    except UnicodeEncodeError:
        return str.encode(text, "utf-16", "surrogatepass").decode("utf-16", "replace")
    return str.__str__(text)


@cache
def _encoder() -> Callable[[Any], str]:
    import json

    strict = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False)
    lenient = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)

    def encode(value: Any) -> str:
        try:
            return strict.encode(value)
        except ValueError:
            return strict.encode(json.loads(lenient.encode(value), parse_constant=str))

    return encode


def _make_error(value: Any, error: BaseException) -> ToolExecutionError:
    if isinstance(error, RecursionError):
        reason = "it is nested too deeply or contains itself"
    elif isinstance(error, UnreadableError):
        reason = str(error)
    else:
        reason = f"it is of type {show_name(type_name(value), 128)}"
    message = f"The tool ran, but its result cannot be written as JSON: {reason}."
    return ToolExecutionError(message, effect="done", rule="host:serialise")
