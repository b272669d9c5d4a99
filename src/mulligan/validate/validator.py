"""A tool's compiled JSON Schema: whether a value is valid, and if not, what exactly is wrong.

jsonschema-rs checks values. It never retrieves an external `$ref` (`offline=True`), and its messages never contain the
value. A schema may come from a foreign server, so its size is checked before it is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, islice, takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

from mulligan.catalogue import MISSING, NO_FORM, NOT_ALLOWED, OUT_OF_BOUNDS, UNKNOWN, WRONG_TYPE
from mulligan.errors import MulliganError, Problem
from mulligan.pointers import escape, steps_of
from mulligan.untrusted.text import clean, show_name
from mulligan.validate.arguments import dump
from mulligan.validate.error_paths import (
    ErrorPaths,
    has_ambiguous_names,
    objects_of,
    resolve_reference,
    schema_path,
    value_at,
)

_SHOWN_CHARS = 60
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


MAX_SCHEMA_DEPTH = 64
MAX_SCHEMA_NODES = 50_000
MAX_ALTERNATIVES = 20_000_000
MAX_EXPLAINED = 10_000
_MOST_PROBLEMS = 1_000
_MOST_WORK, _FEWEST_PARTS, _MOST_PARTS = 5_000, 16, 1_001
_MOST_SEARCHED, _ENOUGH_PROBLEMS, _MAX_DESCRIBERS = 32, 50, 4_096
_KEPT_CHARS = 2_000
_INSIDE = "a part of it is not valid"
_PART_KEYWORDS = frozenset(("type", "additionalProperties", "falseSchema"))  # independent of the omitted parts
_MEMBER_KEYWORDS = frozenset(
    (
        "$schema",
        "$id",
        "$anchor",
        "$defs",
        "definitions",
        "type",
        "properties",
        "patternProperties",
        "additionalProperties",
    )
)
_ONE_WORD = re.compile(r"[\w.:@$-]{1,64}").fullmatch
_LONGEST_NAME = 64
_DRAFT_07 = "http://json-schema.org/draft-07/schema"


class SchemaError(MulliganError):
    """A tool's JSON Schema cannot be used; the message says why."""


class Problems(list[Problem]):
    """The described problems of a value.

    Attributes:
        total: the number of problems; a lower bound if `is_all` is False.
        is_all: whether the total is exact.
    """

    def __init__(self, described: Iterable[Problem], total: int | None = None, *, is_all: bool = True) -> None:
        super().__init__(described)
        self.total = len(self) if total is None else total
        self.is_all = is_all


class Validator:
    """The compiled form of one JSON Schema.

    Args:
        schema: JSON Schema, 2020-12 unless `$schema` names draft-07.

    Raises:
        SchemaError: the schema is invalid, too deep or too large, or contains an external reference.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        import jsonschema_rs

        _check_schema_size(schema)
        draft07 = str(schema.get("$schema", "")).rstrip("#") == _DRAFT_07
        compiler = jsonschema_rs.Draft7Validator if draft07 else jsonschema_rs.Draft202012Validator
        try:
            compiled = compiler(dict(schema), offline=True, mask="the value")
        except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"its schema is invalid: {str(error).splitlines()[0][:200]}") from None
        self._schema = schema
        self._compile = partial(compiler, offline=True, mask="the value")
        alternatives = _count_alternatives(schema)
        self._is_costly = alternatives > MAX_EXPLAINED
        self._alternatives = alternatives
        self._describers: dict[tuple[Any, ...], _Describer] = {}
        self._errors: Callable[[Any], Iterator[Any]] = compiled.iter_errors
        self._is_valid: Callable[[Any], bool] = compiled.is_valid

    @property
    def is_valid(self) -> Callable[[Any], bool]:
        """A function that returns whether a value matches the schema."""
        return self._is_valid

    def problems(self, value: Any, secret: Collection[str] = ()) -> Problems:
        """The problems of a value, at most a thousand, and one for each place.

        Args:
            value: JSON values, at most as deep as `Limits.depth`.
            secret: names of top-level members; their values are never shown.
        """
        if self._is_costly:
            return _limit_problems(self._unexplained_problems(value, secret))
        part, is_whole = self._first_parts(value)
        if is_whole:
            return _limit_problems(self._describe_errors(self._errors(value), value, secret))
        found = self._describe_errors(_confirmed_errors(self._errors(part), part, value, self._schema), value, secret)
        if len(found) < _ENOUGH_PROBLEMS:
            found += self._member_problems(value, secret)
        members, required = self._members, self._schema.get("required", ())
        of_root = sum(name not in members for name in value) if self._is_closed else 0
        of_root += sum(name not in value for name in required)
        return _limit_problems(
            found or [Problem("", NO_FORM, None, _sent_text(value, whole=True))], of_root, is_whole=False
        )

    def _describe_errors(self, errors: Iterable[Any], value: Any, secret: Collection[str]) -> list[Problem]:
        found: list[Problem] = []
        places = ErrorPaths(value, self._schema)
        for error in errors:
            path = error.instance_path if isinstance(error, _Error) else places.path_of(error)
            where = tuple(error.schema_path)
            if self._has_unclear_names:
                where = schema_path(self._schema, where, path)
            key = (*where, error.kind.value) if error.kind.name == "required" else where
            describe = self._describers.get(key)
            if describe is None:
                if len(self._describers) >= _MAX_DESCRIBERS:
                    self._describers.clear()
                part = _resolve_path(self._schema, where[:-1])
                describe = self._describers[key] = _make_describer(error.kind, error.message, part, self._schema)
            here = describe(error, value, path, secret)
            found += [self.without_keys(problem, value, secret) for problem in here] if secret else here
            if len(found) >= _MOST_PROBLEMS:
                break
        return found

    @property
    def _members(self) -> Mapping[str, Any]:
        members = self._schema.get("properties")
        return members if isinstance(members, Mapping) else {}

    @property
    def _is_closed(self) -> bool:
        return self._schema.get("additionalProperties") is False and "patternProperties" not in self._schema

    @cached_property
    def _member_validator(self) -> Any:
        """A validator for some of the members: it checks each member, but nothing about the object as a whole."""
        return self._compile({word: part for word, part in self._schema.items() if word in _MEMBER_KEYWORDS})

    @cached_property
    def _has_unclear_names(self) -> bool:
        return has_ambiguous_names(self._schema)

    def _unexplained_problems(self, value: Any, secret: Collection[str]) -> list[Problem]:
        """The wrong members. If a schema has very many alternatives, finding the exact reason would take too long."""
        missing = [name for name in self._schema.get("required", ()) if name not in value]
        found = [
            Problem(f"/{escape(name)}", MISSING, describe_schema(_member_schema(self._schema, name, self._schema)))
            for name in missing
        ]
        for name in value:
            if len(found) >= _MOST_PROBLEMS:
                break
            is_known = name in self._members
            if not (is_known or self._is_closed) or not self._member_validator.is_valid({name: value[name]}):
                found.append(self._unexplained_problem(name, value, secret))
        return found or [Problem("", NO_FORM, None, _sent_text(value, whole=True))]

    def without_keys(self, problem: Problem, value: Any, secret: Collection[str]) -> Problem:
        """The problem, for a secret argument with no key that was sent in it: its pointer ends before the first.

        Args:
            problem: what is wrong.
            value: the arguments.
            secret: names of top-level members whose value is never shown.
        """
        first, *inside = steps_of(problem.pointer) or [""]
        if first not in secret or not inside:
            return problem
        declared, _ = self._names_and_width
        place = value_at(value, [first])
        for depth, step in enumerate(inside, 1):
            if type(place) is list and step.isdecimal():
                place = value_at(place, [int(step)])
            elif step in declared:
                place = value_at(place, [step])
            elif depth == 1:
                return self._unexplained_problem(first, value, secret, _INSIDE)
            else:
                return Problem("/".join(problem.pointer.split("/")[: depth + 1]), _INSIDE)
        return problem

    def _unexplained_problem(self, name: str, value: Any, secret: Collection[str], message: str = NO_FORM) -> Problem:
        """The problem of a wrong member, without the exact reason."""
        if name not in self._members:
            return Problem(f"/{escape(name)}", UNKNOWN)
        sent = None if name in secret else _sent_text(value[name], whole=False)
        return Problem(
            f"/{escape(name)}", message, describe_schema(_member_schema(self._schema, name, self._schema)), sent
        )

    @cached_property
    def _names_and_width(self) -> tuple[frozenset[str], int]:
        return _declared_names(self._schema)

    @property
    def _max_parts(self) -> int:
        """The number of parts of a value that are explained at once.

        jsonschema-rs copies an object for each member that is missing from it, and an item for each alternative.
        """
        _, width = self._names_and_width
        return max(_FEWEST_PARTS, min(_MOST_PARTS, _MOST_WORK // max(width, self._alternatives)))

    def _first_parts(self, value: Any) -> tuple[Any, bool]:
        """The parts of a value that can be explained quickly, and whether they are the whole value."""
        room = [self._max_parts]
        return _copy_parts(value, room, self._names_and_width[0]), room[0] > 0

    def _member_problems(self, value: Any, secret: Collection[str]) -> list[Problem]:
        """The problems of the members of a large value, found one member at a time, and a few items at a time."""
        found: list[Problem] = []
        members, is_closed = self._members, self._is_closed
        known = (name for name in value if name in members or not is_closed)
        wrong = (name for name in known if not self._member_validator.is_valid({name: value[name]}))
        for name in islice(wrong, _MOST_SEARCHED):
            member, before = value[name], len(found)
            start, count = 0, len(member) if type(member) is list else 1
            while start < count and len(found) < _ENOUGH_PROBLEMS:
                selected = {name: member[start : start + self._max_parts] if type(member) is list else member}
                part, is_whole = self._first_parts(selected)
                errors = _confirmed_errors(self._member_validator.iter_errors(part), part, value, self._schema, start)
                found += self._describe_errors(errors, value, secret)
                start += 1 if count == 1 else len(part[name]) if is_whole else max(1, len(part[name]) - 1)
            if len(found) == before:
                found.append(self._unexplained_problem(name, value, secret, "not valid"))
        return found


class _Error(NamedTuple):
    """An error of jsonschema-rs, with its path in the whole value."""

    kind: Any
    message: str
    instance: Any
    instance_path: list[Any]
    schema_path: list[Any]


def _confirmed_errors(
    errors: Iterable[Any], part: Any, value: Any, schema: Mapping[str, Any], start: int = 0
) -> Iterator[_Error]:
    """The errors in the first parts of a value that also apply to the whole value.

    Args:
        errors: the errors in the first parts.
        part: the first parts.
        value: the whole value.
        schema: the schema.
        start: if `part` holds a slice of a list, the index at which the slice starts.
    """
    places = ErrorPaths(part, schema)
    for error in errors:
        path = places.path_of(error)
        full_path = [path[0], path[1] + start, *path[2:]] if start and len(path) > 1 else path
        kind, whole = error.kind, value_at(value, full_path)
        is_missing = kind.name == "required"
        if kind.value not in whole if is_missing else kind.name in _PART_KEYWORDS or value_at(part, path) == whole:
            yield _Error(kind, error.message, error.instance, full_path, error.schema_path)


def _limit_problems(found: list[Problem], of_root: int = 0, *, is_whole: bool = True) -> Problems:
    """One problem for each place. The total includes missing and unknown arguments that are not described."""
    described = _merge_by_place(found)[:_MOST_PROBLEMS] if len(found) > 1 else found
    named = [problem.message in (MISSING, UNKNOWN) and problem.pointer.count("/") == 1 for problem in described]
    is_all = len(found) < _MOST_PROBLEMS if is_whole else all(named)
    return Problems(described, len(described) + max(0, of_root - sum(named)), is_all=is_all)


def _declared_names(schema: Mapping[str, Any]) -> tuple[frozenset[str], int]:
    """The names of all members that a schema declares, and the largest number that one object requires."""
    names, width = set[str](), 0
    for part in objects_of(schema):
        required, properties = part.get("required"), part.get("properties")
        if isinstance(required, (list, tuple)):
            width = max(width, len(required))
            names.update(name for name in required if isinstance(name, str))
        if isinstance(properties, dict):
            names.update(properties)
    return frozenset(names), width


def _count_alternatives(schema: Mapping[str, Any]) -> int:
    """The maximum number of schemas that one value is compared with: nested alternatives multiply.

    Raises:
        SchemaError: checking a value against all of them would take too long.
    """
    known: dict[int, int] = {}
    visiting: set[int] = set()

    def count(part: Any) -> int:
        if isinstance(part, (list, tuple)):
            return sum(map(count, part))
        if not isinstance(part, Mapping):
            return 0
        if id(part) in visiting:  # a recursive schema is as deep as the value
            return 1
        if id(part) not in known:
            visiting.add(id(part))
            inner = sum(count(item) for word, item in part.items() if word not in ("$defs", "definitions"))
            if isinstance(part.get("$ref"), str):
                inner += count(resolve_reference(schema, part["$ref"]))
            visiting.discard(id(part))
            known[id(part)] = max(1, inner)
        return known[id(part)]

    found = count(schema)
    if found > MAX_ALTERNATIVES:
        raise SchemaError(f"its nested alternatives exceed {MAX_ALTERNATIVES:,}")
    return found


def _copy_parts(value: Any, room: list[int], names: Collection[str]) -> Any:
    """A copy of a value with at most `room[0]` parts. Members with one of the names come first."""
    room[0] -= 1
    if type(value) is list:
        return [_copy_parts(item, room, names) for item in takewhile(lambda _: room[0] > 0, value)]
    if type(value) is dict:
        if len(value) > room[0]:
            declared = islice((name for name in value if name in names), room[0])
            others = islice((name for name in value if name not in names), room[0])
            value = {name: value[name] for name in chain(declared, others)}
        return {name: _copy_parts(item, room, names) for name, item in takewhile(lambda _: room[0] > 0, value.items())}
    return value


_Describer = Callable[[Any, Any, list[Any], Collection[str]], list[Problem]]


def _pointer(path: list[Any]) -> str:
    if len(path) == 1 and type(path[0]) is str:
        return f"/{escape(path[0])}"
    return "".join(f"/{escape(part)}" for part in path)


def _make_describer(kind: Any, message: str, part: Mapping[str, Any], schema: Mapping[str, Any]) -> _Describer:
    """A function that describes a failure at this place of the schema. It is created once for each place."""
    if kind.name == "required":
        name = kind.value
        expected = describe_schema(_member_schema(part, name, schema))
        return lambda error, value, path, secret: [Problem(f"{_pointer(path)}/{escape(name)}", MISSING, expected)]
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        has_others = kind.name == "unevaluatedProperties" or "patternProperties" in part
        known = list(part.get("properties", {})) or (None if has_others else [])
        allowed = None if known is None else _allowed_names(known)
        return lambda error, value, path, secret: [
            Problem(f"{_pointer(path)}/{escape(name)}", UNKNOWN, allowed) for name in error.kind.value[:_MOST_PROBLEMS]
        ]
    if kind.name == "propertyNames":
        allowed = _message_and_expected(kind.error.kind, message, part)[1]
        return lambda error, value, path, secret: [
            Problem(_pointer([*path, *_leading_key(error.message, error.instance)]), _NOT_A_KEY, allowed)
        ]
    problem, expected_value = _message_and_expected(kind, message, part)

    def describe(error: Any, value: Any, path: list[Any], secret: Collection[str]) -> list[Problem]:
        shown = None if path and path[0] in secret else _sent_text(value_at(value, path), whole=not path)
        return [Problem(_pointer(path), problem, expected_value, shown)]

    return describe


def _check_schema_size(schema: Mapping[str, Any]) -> None:
    stack: list[tuple[int, Any]] = [(0, schema)]
    nodes = 0
    while stack:
        depth, node = stack.pop()
        nodes += 1
        if depth > MAX_SCHEMA_DEPTH:
            raise SchemaError(f"its schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
        if nodes > MAX_SCHEMA_NODES:
            raise SchemaError(f"its schema has more than {MAX_SCHEMA_NODES:,} parts")
        members = node.values() if isinstance(node, dict) else node if isinstance(node, (list, tuple)) else ()
        stack += [(depth + 1, member) for member in members]


def _allowed_names(known: list[str]) -> str:
    more = ", ..." if len(known) > 20 else ""
    return f"{', '.join(map(_quote_name, known[:20]))}{more}" if known else "none"


def _quote_name(name: str) -> str:
    """A name for a list, in quotes unless it is one word: an unquoted sentence would look like our own text."""
    shown = show_name(name, _LONGEST_NAME)
    return shown if shown == name and _ONE_WORD(name) else f'"{shown}"'


def _leading_key(message: str, members: Collection[str]) -> list[str]:
    """The key, as JSON text, at the start of a message about a key; empty if the message starts with something else."""
    import json

    try:
        name, _ = json.JSONDecoder().raw_decode(message)
    except ValueError:
        return []
    return [name] if isinstance(name, str) and name in members else []


def _merge_by_place(found: list[Problem]) -> list[Problem]:
    """The problems, merged by place, without the surplus items of an array that is already reported as too long."""
    places: dict[str, list[Problem]] = {}
    for problem in found:
        places.setdefault(problem.pointer, []).append(problem)
    return [_merge_problems(some) for pointer, some in places.items() if not _is_surplus_item(pointer, some[0], places)]


def _is_surplus_item(pointer: str, problem: Problem, places: Collection[str]) -> bool:
    array, _, place = pointer.rpartition("/")
    return problem.message == _NOT_HERE and place.isdigit() and array in places


def _merge_problems(problems: list[Problem]) -> Problem:
    """Merges the problems of one place into one. A list of allowed values already implies the type."""
    for problem in problems:
        if problem.message == NOT_ALLOWED:
            return problem
    what = "; ".join(dict.fromkeys(problem.message for problem in problems))
    expected = " and ".join(dict.fromkeys(problem.expected for problem in problems if problem.expected))
    return problems[0]._replace(message=what, expected=expected or None)


_NOT_A_KEY, _NOT_HERE = "key not allowed", "not allowed here"


def _message_and_expected(error: Any, message: str, part: Mapping[str, Any]) -> tuple[str, str | None]:
    kind = error.name
    if kind == "type":
        return WRONG_TYPE, describe_schema(part)
    if kind in ("enum", "const"):
        return NOT_ALLOWED, describe_schema(part)
    if kind in ("anyOf", "oneOf", "oneOfNotValid"):
        return NO_FORM, describe_schema(part)
    if kind in LIMITS:
        return OUT_OF_BOUNDS, LIMITS[kind].format(short_json(part.get(kind, error.value)))
    if kind == "uniqueItems":
        return "has duplicate items", "each item once"
    return (_NOT_HERE, None) if kind == "falseSchema" else (f"not valid: {message[:200]}", None)


def _sent_text(value: Any, *, whole: bool) -> str:
    """A value that was sent, as JSON text. It is shortened later, after its secrets are removed."""
    if whole:
        return f"an object with {len(value)} members"
    try:
        return dump(_copy_chars(value, [2 * _KEPT_CHARS]))[:_KEPT_CHARS]
    except Exception:
        return type(value).__name__


def _copy_chars(value: Any, room: list[int]) -> Any:
    """A copy of a value, cut so that its text has about `room[0]` characters."""
    if type(value) is str:
        room[0] -= len(value)
        return value[:_KEPT_CHARS]
    room[0] -= 1
    if type(value) is list:
        return [_copy_chars(item, room) for item in takewhile(lambda _: room[0] > 0, value)]
    if type(value) is dict:
        return {
            name[:_KEPT_CHARS]: _copy_chars(item, room)
            for name, item in takewhile(lambda _: room[0] > 0, value.items())
        }
    return value


def _member_schema(part: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    """The schema of a member, with the first `$ref` resolved."""
    properties = part.get("properties")
    member = properties.get(name) if isinstance(properties, Mapping) else None
    if isinstance(member, Mapping) and "$ref" in member and "type" not in member:
        return resolve_reference(schema, str(member["$ref"]))
    return member


def _resolve_path(schema: Mapping[str, Any], path: Sequence[Any]) -> Mapping[str, Any]:
    """The part of a schema at an error's path, with internal `$ref`s resolved."""
    part: Any = schema
    for step in path:
        if step == "$ref" and isinstance(part, Mapping):
            part = resolve_reference(schema, str(part.get("$ref", "")))
        elif isinstance(part, Mapping):
            part = part.get(step)
        elif isinstance(part, list) and isinstance(step, int) and step < len(part):
            part = part[step]
        else:
            return {}
    return part if isinstance(part, Mapping) else {}
