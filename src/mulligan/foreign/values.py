"""What a tool returned, as the text that a model reads.

The standard library writes it: unlike msgspec it keeps the order of keys *and* asks us about sets, whose order would
otherwise change from process to process.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from functools import cache
from typing import Any

from mulligan.errors import ToolExecutionError
from mulligan.foreign.containment import safe_str, show_name
from mulligan.foreign.facts import look, type_name


def as_content(value: Any) -> str:
    """A value as text: a string unchanged, any other value as compact JSON.

    Dataclasses, attrs classes, pydantic models, enums, dates, UUIDs, decimals, sets (sorted), paths and bytes (base64) are
    written too. A lone surrogate, which no UTF-8 text can hold, becomes U+FFFD; NaN and infinity become null.

    Args:
        value: what the tool returned.

    Raises:
        ToolExecutionError: it cannot be written; with the effect `done`.
    """
    if type(value) is str:
        return value if value.isascii() else utf8(value)
    try:
        return utf8(value if isinstance(value, str) else _encoder()(value))
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise _unwritable(value, error) from error


def utf8(text: str) -> str:
    """A text without lone surrogates.

    Args:
        text: any text.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str.__str__(text)


@cache
def _encoder() -> Callable[[Any], str]:
    import json

    strict = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    lenient = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)

    def encode(value: Any) -> str:
        try:
            return strict.encode(value)
        except ValueError:
            return strict.encode(json.loads(lenient.encode(value), parse_constant=lambda _: None))

    return encode


def _plain(value: Any) -> Any:
    """A value that JSON does not have as one that it has."""
    if isinstance(value, type):
        raise _UnknownError(type_name(value))
    for kind, convert in _TYPES:
        if isinstance(value, kind):
            return convert(value)
    if hasattr(type(value), "__dataclass_fields__"):
        return _dataclass_members(value)
    for name, use in _METHODS:
        method = look(value, name)
        if callable(method):
            return use(method)
    if hasattr(type(value), "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in type(value).__attrs_attrs__}
    if type(value).__module__ in ("decimal", "uuid", "datetime"):
        return str(value)
    if isinstance(value, Collection):
        return list(value)
    raise _UnknownError(type_name(value))


def _dataclass_members(value: Any) -> dict[str, Any]:
    import dataclasses

    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _base64(value: bytes | bytearray | memoryview) -> str:
    import base64

    return base64.b64encode(value).decode()


class _UnknownError(TypeError):
    """A type that JSON does not have; its text is the name of the type."""


_TYPES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    ((set, frozenset), lambda value: sorted(value, key=_encoder())),
    (Enum, lambda value: value.value),
    ((bytes, bytearray, memoryview), _base64),
    (Mapping, dict),
)
_METHODS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("model_dump", lambda dump: dump(mode="json")),
    ("isoformat", lambda isoformat: isoformat()),
    ("__fspath__", lambda path: path()),
    ("tolist", lambda tolist: tolist()),
)


_KEYS = "keys must be "  # how the standard library says it


def _unwritable(value: Any, error: BaseException) -> ToolExecutionError:
    if isinstance(error, RecursionError) or safe_str(error, 40).startswith("Circular reference"):
        reason = "it is nested too deep or contains itself"
    elif isinstance(error, _UnknownError):
        reason = f"it holds a {show_name(error, 128)}"
    elif isinstance(error, TypeError) and (key := safe_str(error, 200)).startswith(_KEYS):
        reason = (
            f"it has a key that is a {show_name(key.rpartition(' ')[2], 128)}, and only texts and numbers can be keys"
        )
    else:
        reason = f"it is a {show_name(type_name(value), 128)}"
    message = f"The tool ran, but what it returned cannot be written as JSON: {reason}."
    return ToolExecutionError(message, effect="done", rule="host:serialise")
