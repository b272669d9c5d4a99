"""A tool's JSON Schema, compiled once: is a value valid, and if not, what exactly is wrong with it.

jsonschema-rs checks. It never retrieves a `$ref` from outside (`offline=True`), and its messages never hold the value.
A schema may come from a foreign server, so it is bounded before it is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, takewhile
from typing import Any

from mulligan.arguments.describing import LIMITS, describe, show
from mulligan.arguments.places import Places, at, has_unclear_names, schema_path
from mulligan.arguments.reading import dump, escape
from mulligan.catalogue import MISSING, NO_FORM, NOT_ALLOWED, OUT_OF_BOUNDS, UNKNOWN, WRONG_TYPE
from mulligan.errors import MulliganError, Problem
from mulligan.foreign.containment import show_name

MAX_SCHEMA_DEPTH = 64
MAX_SCHEMA_NODES = 50_000
MAX_ALTERNATIVES = 20_000_000
MAX_EXPLAINED = 10_000
_MOST_PROBLEMS = 1_000
_KEPT = 2_000
_ONE_WORD = re.compile(r"[\w.:@$-]{1,64}").fullmatch
_LONGEST_NAME = 64
_DRAFT_07 = "http://json-schema.org/draft-07/schema"


class SchemaError(MulliganError):
    """A tool's JSON Schema cannot be used: the text says why."""


class Validator:
    """The compiled form of one JSON Schema.

    Args:
        schema: JSON Schema, 2020-12 unless `$schema` names draft-07.

    Raises:
        SchemaError: where the schema is invalid, too deep or too large, or refers to something outside of itself.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        import jsonschema_rs

        _bound(schema)
        draft07 = str(schema.get("$schema", "")).rstrip("#") == _DRAFT_07
        compiler = jsonschema_rs.Draft7Validator if draft07 else jsonschema_rs.Draft202012Validator
        try:
            compiled = compiler(dict(schema), offline=True, mask="the value")
        except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
            raise SchemaError(f"its schema is invalid: {str(error).splitlines()[0][:200]}") from None
        self._schema = schema
        self._compile = partial(compiler, offline=True, mask="the value")
        self._is_costly = _alternatives(schema) > MAX_EXPLAINED
        self._told: dict[tuple[Any, ...], _Teller] = {}
        self._errors: Callable[[Any], Iterator[Any]] = compiled.iter_errors
        self._is_valid: Callable[[Any], bool] = compiled.is_valid

    @property
    def is_valid(self) -> Callable[[Any], bool]:
        """Whether a value fits the schema, as a function of it."""
        return self._is_valid

    def problems(self, value: Any, secret: Collection[str] = ()) -> list[Problem]:
        """Everything that is wrong with a value (the first thousand problems), one problem for each place.

        Args:
            value: JSON values, at most as deep as `Limits.depth`.
            secret: names of top-level members whose value is never shown.
        """
        if self._is_costly:
            return self._coarse(value, secret)
        found: list[Problem] = []
        places = Places(value, self._schema)
        for error in islice(self._of_a_part(value) or self._errors(value), _MOST_PROBLEMS):
            path, where = places.path_of(error), tuple(error.schema_path)
            if self._has_unclear_names:
                where = schema_path(self._schema, where, path)
            key = (*where, error.kind.value) if error.kind.name == "required" else where
            told = self._told.get(key)
            if told is None:
                part = _resolve(self._schema, where[:-1])
                told = self._told[key] = _tell(error.kind, error.message, part, self._schema)
            found += told(error, value, path, secret)
        return _one_a_place(found) if len(found) > 1 else found

    @cached_property
    def _has_unclear_names(self) -> bool:
        return has_unclear_names(self._schema)

    def _coarse(self, value: Any, secret: Collection[str]) -> list[Problem]:
        """Which members are wrong, without saying which of very many alternatives they fail and why."""
        members = self._schema.get("properties")
        members = members if isinstance(members, Mapping) else {}
        rest = {word: part for word, part in self._schema.items() if word not in ("properties", "required")}
        missing = [name for name in self._schema.get("required", ()) if name not in value]
        found = [
            Problem(f"/{escape(name)}", MISSING, describe(_member(self._schema, name, self._schema)))
            for name in missing
        ]
        for name in value:
            part = {name: members[name]} if name in members else {}
            if not self._compile({**rest, "properties": part}).is_valid({name: value[name]}):
                expected = describe(_member(self._schema, name, self._schema)) if part else None
                sent = None if name in secret else _sent(value[name], whole=False)
                found.append(
                    Problem(f"/{escape(name)}", NO_FORM if part else UNKNOWN, expected, sent if part else None)
                )
        return found or [Problem("", NO_FORM, None, _sent(value, whole=True))]

    def _of_a_part(self, value: Any) -> list[Any]:
        """What is wrong with the beginning of a value that is very large; empty where it is not, or nothing is.

        jsonschema-rs finds everything at once, and a hundred thousand wrong items take it a second.
        """
        if not any(type(member) in (list, dict) for member in value.values()):
            return []
        room = [_MOST_PROBLEMS]
        part = _beginning(value, room)
        if room[0] > 0:
            return []
        places = Places(part, self._schema)
        paths = ((error, places.path_of(error)) for error in self._errors(part))
        return [error for error, path in paths if at(part, path) == at(value, path)]


def _alternatives(schema: Mapping[str, Any]) -> int:
    """How many schemas one value may be held against, at most: alternatives within alternatives multiply.

    Raises:
        SchemaError: they are too many to check a value in any sensible time.
    """
    known: dict[int, int] = {}
    open_now: set[int] = set()

    def count(part: Any) -> int:
        if isinstance(part, (list, tuple)):
            return sum(map(count, part))
        if not isinstance(part, Mapping):
            return 0
        if id(part) in open_now:  # a schema that refers to itself goes as deep as the value
            return 1
        if id(part) not in known:
            open_now.add(id(part))
            inner = sum(count(item) for word, item in part.items() if word not in ("$defs", "definitions"))
            if isinstance(part.get("$ref"), str):
                inner += count(referred(schema, part["$ref"]))
            open_now.discard(id(part))
            known[id(part)] = max(1, inner)
        return known[id(part)]

    found = count(schema)
    if found > MAX_ALTERNATIVES:
        raise SchemaError(f"its nested alternatives exceed {MAX_ALTERNATIVES:,}")
    return found


def _beginning(value: Any, room: list[int]) -> Any:
    """A copy of a value with as many parts as there is room for."""
    room[0] -= 1
    if type(value) is list:
        return [_beginning(item, room) for item in takewhile(lambda _: room[0] > 0, value)]
    if type(value) is dict:
        return {name: _beginning(item, room) for name, item in takewhile(lambda _: room[0] > 0, value.items())}
    return value


_Teller = Callable[[Any, Any, list[Any], Collection[str]], list[Problem]]


def _pointer(path: list[Any]) -> str:
    if len(path) == 1 and type(path[0]) is str:
        return f"/{escape(path[0])}"
    return "".join(f"/{escape(str(part))}" for part in path)


def _tell(kind: Any, message: str, part: Mapping[str, Any], schema: Mapping[str, Any]) -> _Teller:
    """What is told when a value fails at this place of the schema; made once for each place."""
    if kind.name == "required":
        name = kind.value
        expected = describe(_member(part, name, schema))
        return lambda error, value, path, secret: [Problem(f"{_pointer(path)}/{escape(name)}", MISSING, expected)]
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        has_others = kind.name == "unevaluatedProperties" or "patternProperties" in part
        known = list(part.get("properties", {})) or (None if has_others else [])
        return lambda error, value, path, secret: [
            _unexpected(_pointer(path), name, known) for name in error.kind.value[:_MOST_PROBLEMS]
        ]
    if kind.name == "propertyNames":
        allowed = _wrong(kind.error.kind, message, part)[1]
        return lambda error, value, path, secret: [
            Problem(_pointer([*path, *_named(error.message, error.instance)]), _NOT_A_KEY, allowed)
        ]
    wrong, right = _wrong(kind, message, part)

    def one(error: Any, value: Any, path: list[Any], secret: Collection[str]) -> list[Problem]:
        shown = None if path and path[0] in secret else _sent(at(value, path), whole=not path)
        return [Problem(_pointer(path), wrong, right, shown)]

    return one


def _bound(schema: Mapping[str, Any]) -> None:
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


def _unexpected(pointer: str, name: str, known: list[str] | None) -> Problem:
    if known is None:
        return Problem(f"{pointer}/{escape(name)}", UNKNOWN)
    more = ", ..." if len(known) > 20 else ""
    allowed = f"{', '.join(map(_listed, known[:20]))}{more}" if known else "none"
    return Problem(f"{pointer}/{escape(name)}", UNKNOWN, allowed)


def _listed(name: str) -> str:
    """A name in a list: in quotes unless it is one word, since a sentence would read as one of ours."""
    shown = show_name(name, _LONGEST_NAME)
    return shown if shown == name and _ONE_WORD(name) else f'"{shown}"'


def _named(message: str, members: Collection[str]) -> list[str]:
    """The key that a message about a key begins with, as JSON text; none where it begins with something else."""
    import json

    try:
        name, _ = json.JSONDecoder().raw_decode(message)
    except ValueError:
        return []
    return [name] if isinstance(name, str) and name in members else []


def _one_a_place(found: list[Problem]) -> list[Problem]:
    """The problems, those of one place as one, without items that are too many where their array is known to be too long."""
    places: dict[str, list[Problem]] = {}
    for problem in found:
        places.setdefault(problem.pointer, []).append(problem)
    return [_as_one(some) for pointer, some in places.items() if not _is_of_too_many(pointer, some[0], places)]


def _is_of_too_many(pointer: str, problem: Problem, places: Collection[str]) -> bool:
    array, _, place = pointer.rpartition("/")
    return problem.message == _NOT_HERE and place.isdigit() and array in places


def _as_one(problems: list[Problem]) -> Problem:
    """One problem for several of one place; the allowed values say all that its type says."""
    for problem in problems:
        if problem.message == NOT_ALLOWED:
            return problem
    what = "; ".join(dict.fromkeys(problem.message for problem in problems))
    expected = " and ".join(dict.fromkeys(problem.expected for problem in problems if problem.expected))
    return problems[0]._replace(message=what, expected=expected or None)


_NOT_A_KEY, _NOT_HERE = "key not allowed", "not allowed here"


def _wrong(error: Any, message: str, part: Mapping[str, Any]) -> tuple[str, str | None]:
    kind = error.name
    if kind == "type":
        return WRONG_TYPE, describe(part)
    if kind in ("enum", "const"):
        return NOT_ALLOWED, describe(part)
    if kind in ("anyOf", "oneOf", "oneOfNotValid"):
        return NO_FORM, describe(part)
    if kind in LIMITS:
        return OUT_OF_BOUNDS, LIMITS[kind].format(show(part.get(kind, error.value)))
    if kind == "uniqueItems":
        return "has duplicate items", "each item once"
    return (_NOT_HERE, None) if kind == "falseSchema" else (f"not valid: {message[:200]}", None)


def _sent(value: Any, *, whole: bool) -> str:
    """A value that was sent, as JSON text. It is shortened later, once secrets are taken out of it."""
    if whole:
        return f"an object with {len(value)} members"
    try:
        return dump(value[:_KEPT] if type(value) is str else value)[:_KEPT]
    except Exception:
        return type(value).__name__


def _member(part: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    """The schema of a member, the first `$ref` followed."""
    properties = part.get("properties")
    member = properties.get(name) if isinstance(properties, Mapping) else None
    if isinstance(member, Mapping) and "$ref" in member and "type" not in member:
        return referred(schema, str(member["$ref"]))
    return member


def _resolve(schema: Mapping[str, Any], path: Sequence[Any]) -> Mapping[str, Any]:
    """The part of a schema that an error's path leads to, through `$ref`s within the schema."""
    part: Any = schema
    for step in path:
        if step == "$ref" and isinstance(part, Mapping):
            part = referred(schema, str(part.get("$ref", "")))
        elif isinstance(part, Mapping):
            part = part.get(step)
        elif isinstance(part, list) and isinstance(step, int) and step < len(part):
            part = part[step]
        else:
            return {}
    return part if isinstance(part, Mapping) else {}


def referred(schema: Mapping[str, Any], reference: str) -> Any:
    """The part of a schema that a `$ref` within it leads to; None where it leads nowhere.

    Args:
        schema: the whole schema.
        reference: such as `#/$defs/Point`.
    """
    part: Any = schema
    for token in reference.removeprefix("#").split("/")[1:]:
        part = part.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(part, Mapping) else None
    return part
