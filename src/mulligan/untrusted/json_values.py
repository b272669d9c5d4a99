"""Convert a foreign value to plain JSON types, with bounds on count, size, depth and time.

A class may override its iteration and never end. A few lists that contain each other can expand to more values than fit
in memory. The C code of the JSON encoder crashes the process if the nesting exceeds a thread's stack. Every value is
therefore read here before any recursive code touches it. Values of exact JSON types, the common case, are only counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from typing import Any

from mulligan.deadline import Deadline
from mulligan.untrusted.classes import defines
from mulligan.untrusted.objects import read_attribute, type_name
from mulligan.untrusted.text import show_name

MOST_VALUES = 1_000_000  # keys count, too
MOST_CHARS = 100_000_000
DEEPEST = 500
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]', re.DOTALL)
_NUMBERS = frozenset({int, float, bool, type(None)})
_KEYS = _NUMBERS | {str}
_METHODS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("model_dump", lambda dump: dump(mode="json")),
    ("isoformat", lambda isoformat: isoformat()),
    ("__fspath__", lambda path: path()),
    ("tolist", lambda tolist: tolist()),
)


class UnreadableError(ValueError):
    """A value cannot be read; the message gives the reason in mulligan's own words."""


class TooDeepError(UnreadableError):
    """A value is nested too deeply, or contains itself."""


class TooSlowError(UnreadableError):
    """The deadline passed before the value was read."""


def to_json_value(value: Any, deadline: Deadline | None = None) -> Any:
    """Convert a value to JSON types; a value of only JSON types is returned as is.

    Dataclasses, attrs classes and pydantic models become mappings, and sets are sorted. Enums, dates, UUIDs, decimals,
    paths and bytes (base64) become their serialized form, as keys too.

    Args:
        value: any value.
        deadline: the time by which reading must end, or None. It is checked between the steps of a foreign iteration.

    Raises:
        UnreadableError: the value is too deep, too large, too slow to read, or of a type that cannot be serialized.
    """
    return value if _is_json_value(value) else _Reader(deadline).read(value, 0)


def is_nested_deeper(text: str, most: int) -> bool:
    """Whether JSON text exceeds a nesting depth; brackets are counted without parsing.

    Args:
        text: the JSON text.
        most: the maximum depth.
    """
    if text.count("{") + text.count("[") <= most:
        return False
    depth = 0
    for token in _BRACKETS.finditer(text):
        if token[0] in ("{", "["):
            depth += 1
            if depth > most:
                return True
        elif token[0] in ("}", "]"):
            depth -= 1
    return False


def _is_json_value(value: Any) -> bool:
    """Whether a value consists of exact JSON types, within the bounds; checked level by level, without recursion."""
    level, values, chars = [value], 0, 0
    for _ in range(DEEPEST):
        next_level: list[Any] = []
        for item in level:
            children = _children(item)
            if children is None:
                return False
            values += len(children)
            if values > MOST_VALUES:
                raise _too_many()
            for part in children:
                kind = type(part)
                if kind is str:
                    chars += len(part)
                elif kind not in _NUMBERS:
                    next_level.append(part)
        if chars > MOST_CHARS:
            raise _too_long()
        if not next_level:
            return True
        level = next_level
    raise _too_deep()


def _children(value: Any) -> list[Any] | tuple[Any, ...] | None:
    """The items of an exact list, tuple or dict; empty for a number; None for any other type."""
    kind = type(value)
    if kind is list or kind is tuple:
        return value  # type: ignore[no-any-return]
    if kind is dict and _KEYS.issuperset(map(type, value)):
        return [*value, *value.values()]
    return () if kind in _NUMBERS else None


class _Reader:
    """Reads one value, within bounds shared by all its parts."""

    def __init__(self, deadline: Deadline | None) -> None:
        self._deadline = deadline
        self._values = self._chars = 0

    def read(self, value: Any, depth: int) -> Any:
        """Convert a value to JSON types.

        Args:
            value: any value.
            depth: its depth inside the outermost value.
        """
        kind = type(value)
        if kind in _NUMBERS:
            return value
        if issubclass(kind, str):
            return self._count_chars(str.__str__(value))
        if issubclass(kind, int):
            return int.__int__(value)
        if issubclass(kind, float):
            return float.__float__(value)
        if depth >= DEEPEST:
            raise _too_deep()
        if issubclass(kind, (list, tuple)):
            return self._items(value, depth)
        if issubclass(kind, Mapping):
            return self._members(value, depth)
        if issubclass(kind, (set, frozenset)):
            return sorted(self._items(value, depth), key=_as_text)
        if issubclass(kind, (bytes, bytearray, memoryview)):
            return self._count_chars(_base64(value))
        return self.read(self._convert(value), depth + 1)

    def _count_chars(self, text: str) -> str:
        self._chars += len(text)
        if self._chars > MOST_CHARS:
            raise _too_long()
        return text

    def _count_value(self) -> None:
        self._values += 1
        if self._values > MOST_VALUES:
            raise _too_many()
        if self._deadline is not None and self._deadline.remaining <= 0:
            raise TooSlowError("reading it took too long")

    def _items(self, values: Iterable[Any], depth: int) -> list[Any]:
        read = []
        for value in values:
            self._count_value()
            read.append(self.read(value, depth + 1))
        return read

    def _members(self, mapping: Mapping[Any, Any], depth: int) -> dict[Any, Any]:
        read = {}
        for name, value in mapping.items():
            self._count_value()
            key = self._key(name, depth)
            if key in read:
                raise UnreadableError(f"it has two keys that are written alike, one of type {_type_of(name)}")
            read[key] = self.read(value, depth + 1)
        return read

    def _key(self, name: Any, depth: int) -> Any:
        key = self.read(name, depth + 1)
        if type(key) in _KEYS:
            return key
        raise UnreadableError(f"it has a key of type {_type_of(name)}, but only strings and numbers can be keys")

    def _convert(self, value: Any) -> Any:
        """Convert a value one step towards JSON types."""
        kind = type(value)
        if issubclass(kind, type):
            raise UnreadableError(f"it contains a value of type {_type_of(value)}")
        if issubclass(kind, Enum):
            return value.value
        if hasattr(kind, "__dataclass_fields__"):
            return {name: getattr(value, name) for name in _dataclass_names(value)}
        for name, use in _METHODS:
            if defines(value, name) and callable(method := read_attribute(value, name)):
                return use(method)
        if hasattr(kind, "__attrs_attrs__"):
            return {field.name: getattr(value, field.name) for field in kind.__attrs_attrs__}
        if kind.__module__ in ("decimal", "uuid", "datetime"):
            return _iso_duration(value) if kind.__name__ == "timedelta" else str(value)
        if issubclass(kind, Collection):
            return _LazyItems(value)
        raise UnreadableError(f"it contains a value of type {_type_of(value)}")


class _LazyItems(list[Any]):
    """A collection of another type, to be iterated with its steps counted."""

    def __init__(self, values: Iterable[Any]) -> None:
        super().__init__()
        self._values = values

    def __iter__(self) -> Any:
        return iter(self._values)


def _type_of(value: Any) -> str:
    return show_name(type_name(value), 128)


def _dataclass_names(value: Any) -> list[str]:
    import dataclasses

    return [field.name for field in dataclasses.fields(value)]


def _iso_duration(value: Any) -> str:
    """A duration as an argument of that type is written: `P1DT2H30.5S`."""
    if value.days < 0:
        return f"-{_iso_duration(-value)}"
    minutes, seconds = divmod(value.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{value.microseconds:06}".rstrip("0") if value.microseconds else ""
    parts = ((value.days, f"{value.days}D"), (True, "T"), (hours, f"{hours}H"), (minutes, f"{minutes}M"))
    seconds_part = f"{seconds}{fraction}S" if seconds or fraction or not value else ""
    return f"P{''.join(part for is_there, part in parts if is_there)}{seconds_part}".removesuffix("T")


def _base64(value: bytes | bytearray | memoryview) -> str:
    import base64

    return base64.b64encode(value).decode()


def _as_text(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _too_deep() -> TooDeepError:
    return TooDeepError("it is nested too deeply or contains itself")


def _too_many() -> UnreadableError:
    return UnreadableError(f"it contains more than {MOST_VALUES:,} values")


def _too_long() -> UnreadableError:
    return UnreadableError(f"it contains more than {MOST_CHARS:,} characters")
