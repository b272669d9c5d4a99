"""An error of jsonschema-rs as the problems that a model reads: where, what is wrong, what is expected, what was sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from mulligan.catalogue import MISSING, NO_FORM, NOT_ALLOWED, OUT_OF_BOUNDS, UNKNOWN, WRONG_TYPE
from mulligan.errors import Problem
from mulligan.pointers import escape
from mulligan.validate.arguments import dump
from mulligan.validate.descriptions import LIMITS, allowed_names, describe_schema, short_json
from mulligan.validate.error_paths import resolve_reference, value_at

MAX_PROBLEMS = 1_000
_KEPT_CHARS = 2_000
_NOT_A_KEY, _NOT_HERE = "key not allowed", "not allowed here"
Describer = Callable[[Any, Any, list[Any], Collection[str]], list[Problem]]


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


def make_describer(kind: Any, message: str, part: Mapping[str, Any], schema: Mapping[str, Any]) -> Describer:
    """A function that describes a failure at this place of the schema. It is created once for each place."""
    if kind.name == "required":
        name = kind.value
        expected = describe_schema(member_schema(part, name, schema))
        return lambda error, value, path, secret: [Problem(f"{_pointer(path)}/{escape(name)}", MISSING, expected)]
    if kind.name in ("additionalProperties", "unevaluatedProperties"):
        has_others = kind.name == "unevaluatedProperties" or "patternProperties" in part
        names = list(part.get("properties", {})) or (None if has_others else [])
        allowed = None if names is None else allowed_names(names)
        return lambda error, value, path, secret: [
            Problem(f"{_pointer(path)}/{escape(name)}", UNKNOWN, allowed) for name in error.kind.value[:MAX_PROBLEMS]
        ]
    if kind.name == "propertyNames":
        allowed = _message_and_expected(kind.error.kind, message, part)[1]
        return lambda error, value, path, secret: [
            Problem(_pointer([*path, *_leading_key(error.message, error.instance)]), _NOT_A_KEY, allowed)
        ]
    problem, expected_value = _message_and_expected(kind, message, part)

    def describe(error: Any, value: Any, path: list[Any], secret: Collection[str]) -> list[Problem]:
        shown = None if path and path[0] in secret else sent_text(value_at(value, path), whole=not path)
        return [Problem(_pointer(path), problem, expected_value, shown)]

    return describe


def _pointer(path: list[Any]) -> str:
    if len(path) == 1 and type(path[0]) is str:
        return f"/{escape(path[0])}"
    return "".join(f"/{escape(part)}" for part in path)


def _leading_key(message: str, members: Collection[str]) -> list[str]:
    """The key, as JSON text, at the start of a message about a key; empty if the message starts with something else."""
    import json

    try:
        name, _ = json.JSONDecoder().raw_decode(message)
    except ValueError:
        return []
    return [name] if isinstance(name, str) and name in members else []


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


def sent_text(value: Any, *, whole: bool) -> str:
    """A value that was sent, as JSON text. It is shortened later, after its secrets are removed."""
    if whole:
        return f"an object with {len(value)} members"
    try:
        if type(value) is not str or len(value) > _KEPT_CHARS:
            value = _copy_chars(value, [2 * _KEPT_CHARS])
        return dump(value)[:_KEPT_CHARS]
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


def limit_problems(found: list[Problem], of_root: int = 0, *, is_whole: bool = True) -> Problems:
    """One problem for each place. The total includes missing and unknown arguments that are not described."""
    described = _merge_by_place(found)[:MAX_PROBLEMS] if len(found) > 1 else found
    if is_whole and not of_root:
        return Problems(described, len(described), is_all=len(found) < MAX_PROBLEMS)
    is_root_problem = [
        problem.message in (MISSING, UNKNOWN) and problem.pointer.count("/") == 1 for problem in described
    ]
    is_all = len(found) < MAX_PROBLEMS if is_whole else all(is_root_problem)
    return Problems(described, len(described) + max(0, of_root - sum(is_root_problem)), is_all=is_all)


def _merge_by_place(found: list[Problem]) -> list[Problem]:
    """The problems, merged by place, without the surplus items of an array that is already reported as too long."""
    places: dict[str, list[Problem]] = {}
    for problem in found:
        places.setdefault(problem.pointer, []).append(problem)
    return [_merge_problems(some) for pointer, some in places.items() if not _is_surplus_item(pointer, some[0], places)]


def _is_surplus_item(pointer: str, problem: Problem, places: Collection[str]) -> bool:
    if problem.message != _NOT_HERE:
        return False
    array, _, place = pointer.rpartition("/")
    return place.isdigit() and array in places


def _merge_problems(problems: list[Problem]) -> Problem:
    """Merges the problems of one place into one. A list of allowed values already implies the type."""
    for problem in problems:
        if problem.message == NOT_ALLOWED:
            return problem
    if len(problems) == 1:
        return problems[0]
    what = "; ".join(dict.fromkeys(problem.message for problem in problems))
    expected = " and ".join(dict.fromkeys(problem.expected for problem in problems if problem.expected))
    return problems[0]._replace(message=what, expected=expected or None)


def member_schema(part: Mapping[str, Any], name: str, schema: Mapping[str, Any]) -> Any:
    """The schema of a member, with the first `$ref` resolved."""
    properties = part.get("properties")
    member = properties.get(name) if isinstance(properties, (dict, Mapping)) else None
    if isinstance(member, (dict, Mapping)) and "$ref" in member and "type" not in member:
        return resolve_reference(schema, str(member["$ref"]))
    return member


def resolve_path(schema: Mapping[str, Any], path: Sequence[Any]) -> Mapping[str, Any]:
    """The part of a schema at an error's path, with internal `$ref`s resolved."""
    part: Any = schema
    for step in path:
        if step == "$ref" and isinstance(part, (dict, Mapping)):
            part = resolve_reference(schema, str(part.get("$ref", "")))
        elif isinstance(part, (dict, Mapping)):
            part = part.get(step)
        elif isinstance(part, list) and isinstance(step, int) and step < len(part):
            part = part[step]
        else:
            return {}
    return part if isinstance(part, (dict, Mapping)) else {}
