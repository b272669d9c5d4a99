"""A tool's compiled JSON Schema: whether a value is valid, and if not, what exactly is wrong.

jsonschema-rs checks values. It never retrieves an external `$ref` (`offline=True`), and its messages never contain the
value. A schema may come from a foreign server, so its size is checked before it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import chain, islice, takewhile
from typing import Any, NamedTuple

from mulligan.catalogue import MISSING, NO_FORM, UNKNOWN
from mulligan.errors import Problem
from mulligan.pointers import escape, steps_of
from mulligan.validate.descriptions import describe_schema
from mulligan.validate.error_paths import ErrorPaths, has_ambiguous_names, objects_of, schema_path, value_at
from mulligan.validate.plain_members import PlainMembers
from mulligan.validate.problems import (
    MAX_PROBLEMS,
    Describer,
    Problems,
    limit_problems,
    make_describer,
    member_schema,
    resolve_path,
    sent_text,
)
from mulligan.validate.schema_errors import SchemaError, check_schema_size, count_alternatives, locate_error

MAX_EXPLAINED = 10_000
_MOST_WORK, _FEWEST_PARTS, _MOST_PARTS = 5_000, 16, 1_001
_MOST_SEARCHED, _ENOUGH_PROBLEMS, _MAX_DESCRIBERS = 32, 50, 4_096
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
_DRAFT_07 = "http://json-schema.org/draft-07/schema"


def compile_schema(schema: Mapping[str, Any]) -> Validator:
    """The compiled form of a schema.

    Args:
        schema: JSON Schema.

    Raises:
        SchemaError: the schema cannot be used; the message names the wrong place, if there is one.
    """
    try:
        return Validator(schema)
    except SchemaError as error:
        raise locate_error(schema, error) from None


class Validator:
    """The compiled form of one JSON Schema.

    Args:
        schema: JSON Schema, 2020-12 unless `$schema` names draft-07.

    Raises:
        SchemaError: the schema is invalid, too deep or too large, or contains an external reference.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        import jsonschema_rs

        check_schema_size(schema)
        draft07 = str(schema.get("$schema", "")).rstrip("#") == _DRAFT_07
        compiler = jsonschema_rs.Draft7Validator if draft07 else jsonschema_rs.Draft202012Validator
        try:
            compiled = compiler(dict(schema), offline=True, mask="the value")
        except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"its schema is invalid: {str(error).splitlines()[0][:200]}") from None
        self._schema = schema
        self._compile = partial(compiler, offline=True, mask="the value")
        alternatives = count_alternatives(schema)
        self._is_costly = alternatives > MAX_EXPLAINED
        self._alternatives = alternatives
        self._describers: dict[tuple[Any, ...], Describer] = {}
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
            return limit_problems(self._unexplained_problems(value, secret))
        if _has_fewer_parts(value, self._max_parts):
            plain = None if self._has_unclear_names else self._plain_members.problems(value, secret)
            if plain is not None:
                return Problems(plain)
            return limit_problems(self._describe_errors(self._errors(value), value, secret))
        part, _ = self._first_parts(value)
        found = self._describe_errors(_confirmed_errors(self._errors(part), part, value, self._schema), value, secret)
        if len(found) < _ENOUGH_PROBLEMS:
            found += self._member_problems(value, secret)
        members, required = self._members, self._schema.get("required", ())
        of_root = sum(name not in members for name in value) if self._is_closed else 0
        of_root += sum(name not in value for name in required)
        return limit_problems(
            found or [Problem("", NO_FORM, None, sent_text(value, whole=True))], of_root, is_whole=False
        )

    def _describe_errors(self, errors: Iterable[Any], value: Any, secret: Collection[str]) -> list[Problem]:
        found: list[Problem] = []
        places = ErrorPaths(value, self._schema)
        for error in _errors_of_the_meant_options(errors):
            path = error.instance_path if isinstance(error, _Error) else places.path_of(error)
            where = tuple(error.schema_path)
            if self._has_unclear_names:
                where = schema_path(self._schema, where, path)
            key = (*where, error.kind.value) if error.kind.name == "required" else where
            describe = self._describers.get(key)
            if describe is None:
                if len(self._describers) >= _MAX_DESCRIBERS:
                    self._describers.clear()
                part = resolve_path(self._schema, where[:-1])
                describe = self._describers[key] = make_describer(error.kind, error.message, part, self._schema)
            here = describe(error, value, path, secret)
            found += [self.without_keys(problem, value, secret) for problem in here] if secret else here
            if len(found) >= MAX_PROBLEMS:
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
    def _plain_members(self) -> PlainMembers:
        return PlainMembers(self._schema, self._are_valid_members)

    def _are_valid_members(self, part: Mapping[str, Any]) -> bool:
        is_valid: bool = self._member_validator.is_valid(part)
        return is_valid

    @cached_property
    def _has_unclear_names(self) -> bool:
        return has_ambiguous_names(self._schema)

    def _unexplained_problems(self, value: Any, secret: Collection[str]) -> list[Problem]:
        """The wrong members. If a schema has very many alternatives, finding the exact reason would take too long."""
        missing = [name for name in self._schema.get("required", ()) if name not in value]
        found = [
            Problem(f"/{escape(name)}", MISSING, describe_schema(member_schema(self._schema, name, self._schema)))
            for name in missing
        ]
        for name in value:
            if len(found) >= MAX_PROBLEMS:
                break
            is_known = name in self._members
            if not (is_known or self._is_closed) or not self._member_validator.is_valid({name: value[name]}):
                found.append(self._unexplained_problem(name, value, secret))
        return found or [Problem("", NO_FORM, None, sent_text(value, whole=True))]

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
        sent = None if name in secret else sent_text(value[name], whole=False)
        return Problem(
            f"/{escape(name)}", message, describe_schema(member_schema(self._schema, name, self._schema)), sent
        )

    @cached_property
    def _names_and_width(self) -> tuple[frozenset[str], int]:
        return _declared_names(self._schema)

    @cached_property
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


def _errors_of_the_meant_options(errors: Iterable[Any]) -> Iterator[Any]:
    """The errors; one about alternatives is replaced by those of the only alternative that was meant."""
    for error in errors:
        meant = None if isinstance(error, _Error) else _meant_option(error)
        if meant is None:
            yield error
        else:
            yield from _errors_of_the_meant_options(meant)


def _meant_option(error: Any) -> list[Any] | None:
    """The errors of the only alternative that takes objects, or lists, or has the constants of the one that was sent.

    So an object that may be null is described as an object, and one of several kinds of object by its kind. None for
    another value, or if no alternative stands out.
    """
    if error.kind.name not in ("anyOf", "oneOf") or type(error.instance) not in (dict, list):
        return None
    place = error.instance_path
    options = [
        option
        for option in error.kind.context
        if not any(one.kind.name == "type" and one.instance_path == place for one in option)
    ]
    if len(options) > 1:
        options = [
            option
            for option in options
            if not any(one.kind.name in ("const", "enum") and one.instance_path[:-1] == place for one in option)
        ]
    return options[0] if len(options) == 1 and options[0] else None


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


def _has_fewer_parts(value: Any, limit: int) -> bool:
    """Whether a value has fewer parts than a limit, counting itself."""
    count, waiting = 1, [value]
    while waiting:
        part = waiting.pop()
        count += len(part)
        if count >= limit:
            return False
        items = part.values() if type(part) is dict else part
        waiting += [item for item in items if type(item) is dict or type(item) is list]
    return count < limit


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
