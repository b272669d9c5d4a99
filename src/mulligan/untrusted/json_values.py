"""A foreign value as plain JSON types: bounded before it is iterated, in number, size, depth and time.

A class may override how it is iterated, and never end; a few lists that hold each other stand for more values than any memory
has; and the C code that writes JSON ends the process where the stack of a thread is too small for the nesting. So nothing
recursive touches a value before it was read here. Exact JSON types, as nearly every value, are only counted.
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

MOST_VALUES = 1_000_000  # keys are counted, too
MOST_CHARS = 100_000_000
DEEPEST = 500
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]]', re.DOTALL)
_NUMBERS = frozenset({int, float, bool, type(None)})
_KEYS = _NUMBERS | {str}


class UnreadableError(ValueError):
    """A value that cannot be read; its text is the reason, in our own words."""


class TooDeepError(UnreadableError):
    """A value that is nested too deep, or contains itself."""


class TooSlowError(UnreadableError):
    """The time was over before a value was read."""


def to_json_value(value: Any, deadline: Deadline | None = None) -> Any:
    """A value as JSON types: itself if it consists of nothing else, or a copy.

    Dataclasses, attrs classes and pydantic models become mappings; sets are sorted; enums, dates, UUIDs, decimals, paths and
    bytes (base64) become what they are written as. Keys stay as they are.

    Args:
        value: any value.
        deadline: when reading it must have ended, or None. It is looked at between the steps of a foreign iteration.

    Raises:
        UnreadableError: too deep, too large, not in time, or of a type that cannot be written.
    """
    return value if _is_json_value(value) else _Reader(deadline).read(value, 0)


def is_nested_deeper(text: str, most: int) -> bool:
    """Whether a JSON text is nested deeper than so many levels; brackets are counted, nothing is parsed.

    Args:
        text: the text.
        most: how many levels there may be.
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
    """Whether a value consists of exact JSON types, within the bounds; level by level, so without recursion."""
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
    """What an exact list, tuple or dict consists of; nothing of a number; None for any other type."""
    kind = type(value)
    if kind is list or kind is tuple:
        return value  # type: ignore[no-any-return]
    if kind is dict and _KEYS.issuperset(map(type, value)):
        return [*value, *value.values()]
    return () if kind in _NUMBERS else None


class _Reader:
    """Reads one value, within bounds that all its parts share."""

    def __init__(self, deadline: Deadline | None) -> None:
        self._deadline = deadline
        self._values = self._chars = 0

    def read(self, value: Any, depth: int) -> Any:
        """The value as JSON types.

        Args:
            value: any value.
            depth: how deep it is inside of the outermost.
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
            read[self._key(name)] = self.read(value, depth + 1)
        return read

    def _key(self, name: Any) -> Any:
        kind = type(name)
        if issubclass(kind, str):
            return self._count_chars(str.__str__(name))
        if kind in _NUMBERS:
            return name
        if issubclass(kind, int):
            return int.__int__(name)
        if issubclass(kind, float):
            return float.__float__(name)
        raise UnreadableError(f"it has a key of type {_type_of(name)}, but only strings and numbers can be keys")

    def _convert(self, value: Any) -> Any:
        """One step towards JSON types."""
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
            return str(value)
        if issubclass(kind, Collection):
            return _LazyItems(value)
        raise UnreadableError(f"it contains a value of type {_type_of(value)}")


class _LazyItems(list[Any]):
    """A collection of another kind, to be iterated where the steps are counted."""

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


_METHODS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("model_dump", lambda dump: dump(mode="json")),
    ("isoformat", lambda isoformat: isoformat()),
    ("__fspath__", lambda path: path()),
    ("tolist", lambda tolist: tolist()),
)
