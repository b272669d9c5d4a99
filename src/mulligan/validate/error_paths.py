"""Locates problems in values and schemas: jsonschema-rs reports a key of digits as a number and omits an empty key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mulligan.pointers import steps_of

_FIRST_OF_NUMBER = frozenset("+0123456789")
_CONTAINERS = frozenset((dict, list, tuple))
_SCALARS = frozenset((str, int, float, bool, type(None)))
_NUMBER = re.compile(r"\+?[0-9]{1,19}")
_MOST_TRIES, _BEST_SCORE = 200, 4
_END = object()
_MEMBER_KEYWORDS = frozenset(
    ("additionalProperties", "unevaluatedProperties", "patternProperties", "items", "prefixItems", "additionalItems")
)
_SCHEMA_MAP_KEYWORDS = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"))


class ErrorPaths:
    """The places in one value that errors of jsonschema-rs refer to.

    Args:
        value: a JSON value.
        schema: the schema that the value does not match.
    """

    def __init__(self, value: Any, schema: Mapping[str, Any] | None = None) -> None:
        self._value = value
        self._schema = schema
        self._keys_by_number: dict[int, dict[int, list[str]]] = {}
        self._used_paths: set[tuple[Any, ...]] = set()
        self._tries_left = 0

    def path_of(self, error: Any) -> list[Any]:
        """The keys and indexes that lead to the problem, with each key as it was sent.

        Args:
            error: an error of jsonschema-rs.
        """
        path: list[Any] = error.instance_path
        if not self._is_ambiguous(path):
            return path
        self._tries_left = _MOST_TRIES
        where = tuple(error.schema_path)
        instance, best = error.instance, path
        best_score = 0
        for candidate in self._candidates(self._value, path):
            value = value_at(self._value, candidate)
            is_equal = type(value) is type(instance) and value == instance
            score = 1 + 2 * is_equal + self._matches_schema(where, candidate)
            if score > best_score and (where, *candidate) not in self._used_paths:
                best, best_score = candidate, score
            if score == _BEST_SCORE and best is candidate:
                break
        self._used_paths.add((where, *best))
        return best

    def _matches_schema(self, where: tuple[Any, ...], path: list[Any]) -> bool:
        """Whether a path within the schema descends through as many members and items as a path within the value."""
        return self._schema is not None and _resolve_schema_path(self._schema, where, path)[1]

    def _is_ambiguous(self, path: list[Any]) -> bool:
        """Whether a step is a number in an object, or an object on the way has an empty key."""
        value = self._value
        for step in path:
            if isinstance(value, (dict, Mapping)) and (type(step) is int or "" in value):
                return True
            value = value[step]
        return type(value) not in _SCALARS and isinstance(value, (dict, Mapping)) and "" in value

    def _candidates(self, value: Any, path: Sequence[Any]) -> Iterator[list[Any]]:
        self._tries_left -= 1
        if self._tries_left < 0:
            return
        if not path:
            yield []
        else:
            for step in self._steps(value, path[0]):
                yield from ([step, *rest] for rest in self._candidates(value[step], path[1:]))
        if isinstance(value, (dict, Mapping)) and "" in value:
            yield from (["", *rest] for rest in self._candidates(value[""], path))

    def _steps(self, value: Any, step: Any) -> Sequence[Any]:
        """The keys or the index of a value that a step of a path may refer to."""
        if isinstance(value, (list, tuple)):
            return [step] if type(step) is int and step < len(value) else []
        if not isinstance(value, (dict, Mapping)):
            return []
        if type(step) is str:
            return [step] if step in value else []
        numbered = self._keys_by_number.get(id(value))
        if numbered is None:
            numbered = self._keys_by_number[id(value)] = {}
            for key in filter(_NUMBER.fullmatch, value):
                numbered.setdefault(int(key), []).append(key)
        return numbered.get(step, [])


def value_at(value: Any, path: Sequence[Any]) -> Any:
    """The part of a value at a path; None if the path leads nowhere.

    Args:
        value: a JSON value.
        path: keys and indexes.
    """
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError, TypeError):
        return None
    return value


def schema_path(schema: Mapping[str, Any], steps: Sequence[Any], path: Sequence[Any]) -> tuple[Any, ...]:
    """The path of an error within a schema, with each property name as it is declared.

    Args:
        schema: the whole schema.
        steps: the path that jsonschema-rs reports; the last step is a keyword.
        path: the keys and indexes that lead to the problem in the value.
    """
    return _resolve_schema_path(schema, steps, path)[0]


def _resolve_schema_path(
    schema: Mapping[str, Any], steps: Sequence[Any], path: Sequence[Any]
) -> tuple[tuple[Any, ...], bool]:
    """The path within a schema, and whether it matches the whole path within the value."""
    resolved: list[Any] = []
    part: Any = schema
    keys = iter([*path, _END])
    holder, is_same = "", True
    for step in steps:
        if holder and isinstance(part, Mapping):
            sent = next(keys, None) if holder == "properties" else None
            names = [name for name in part if name == step or (_NUMBER.fullmatch(name) and int(name) == step)]
            is_sent = sent in names or (sent == "" and sent in part)
            name = sent if is_sent else names[0] if names else ""
            is_same = is_same and (holder != "properties" or name == sent)
            resolved.append(name)
            part, holder = part.get(name), ""
            if name != "":
                continue
        resolved.append(step)
        if step == "$ref" and isinstance(part, Mapping):
            part = resolve_reference(schema, str(part.get("$ref", "")))
            continue
        if step in _MEMBER_KEYWORDS:
            next(keys, None)
        holder = step if step in _SCHEMA_MAP_KEYWORDS and isinstance(part, Mapping) else ""
        part = part.get(step) if isinstance(part, Mapping) else value_at(part, [step])
        is_same = is_same and part is not None
    return tuple(resolved), is_same and next(keys, None) is _END


def has_ambiguous_names(schema: Any) -> bool:
    """Whether a schema contains a name that jsonschema-rs does not report unchanged: an empty name, or one of digits.

    Args:
        schema: a schema of limited depth.
    """
    return any(not name or name[0] in _FIRST_OF_NUMBER for part in objects_of(schema) for name in part)


def objects_of(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object in a schema once, including the schema itself."""
    stack, seen = [schema], set[int]()
    while stack:
        part = stack.pop()
        inner: Any = part
        if type(part) is dict:
            if id(part) in seen:
                continue
            seen.add(id(part))
            yield part
            inner = part.values()
        stack += [item for item in inner if type(item) in _CONTAINERS]


def resolve_reference(schema: Mapping[str, Any], reference: str) -> Any:
    """The part of a schema that an internal `$ref` points to; None if there is none.

    Args:
        schema: the whole schema.
        reference: a reference such as `#/$defs/Point`.
    """
    part: Any = schema
    for name in steps_of(reference):
        part = part.get(name) if isinstance(part, Mapping) else None
    return part
