"""Arguments that do not fit a tool's JSON Schema, mended by it: every problem, or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mulligan.arguments.validation import referred
from mulligan.errors import Problem
from mulligan.mending.choices import name_meant, value_meant
from mulligan.mending.scalars import json_in, number_in, parts_of, truth_in
from mulligan.tools import Tool

_MOST_OPTIONS, _MOST_ITEMS, _DEEPEST = 8, 100, 16
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_BETWEEN = re.compile(r"[,;/]")
_LONGEST, _SEVERAL = 200, 2
_LITERAL_START = re.compile(r"\^([A-Za-z]+[-_:/#]?)")


class Mended(NamedTuple):
    """Arguments that fit.

    Attributes:
        arguments: the whole arguments.
        sure: nothing was guessed: every mend keeps what was sent in another form.
        meant: the names and values that were chosen for others, for a sentence that asks whether they are meant.
    """

    arguments: dict[str, Any]
    sure: bool
    meant: tuple[str, ...]


class _Unmendable(Exception):
    """There is no clear way to make it fit."""


def mend_arguments(
    tool: Tool, arguments: Mapping[str, Any], problems: Sequence[Problem] | None = None
) -> Mended | None:
    """The arguments as they most likely were meant; None where that is not clear for every problem.

    Args:
        tool: the tool, whose schema they must fit.
        arguments: what was sent, which does not fit it.
        problems: what is wrong with them, so that only these places are looked at; all are, without it.
    """
    mender = _Mender(tool.parameters, problems)
    try:
        mended = mender.mend(dict(arguments), tool.parameters, 0)
    except _Unmendable:
        return None
    if not tool.validator.is_valid(mended):
        return None
    return Mended(mended, not (mender.guesses or mender.unwrapped), tuple(mender.guesses))


class _Mender:
    def __init__(self, root: Mapping[str, Any], problems: Sequence[Problem] | None) -> None:
        self._root = root
        self._wrong = None if problems is None else {_first(problem.pointer) for problem in problems}
        self.guesses: list[str] = []
        self.unwrapped = False

    def _is_right(self, name: str, depth: int) -> bool:
        """Whether nothing is wrong with an argument."""
        return depth == 0 and self._wrong is not None and name not in self._wrong and "" not in self._wrong

    def mend(self, value: Any, schema: Any, depth: int) -> Any:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return value
        schema = self._resolved(schema)
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list):
                return self._fitting(value, schema[word][:_MOST_OPTIONS], depth)
        allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if allowed is not None:
            return self._chosen(value, allowed)
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds or []
        if not kinds or any(_is(value, kind) for kind in kinds):
            return self._inside(value, schema, depth)
        return self._inside(self._converted(value, kinds, schema), schema, depth)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        for _ in range(_DEEPEST):
            if "$ref" not in schema:
                return schema
            found = referred(self._root, str(schema["$ref"]))
            schema = found if isinstance(found, Mapping) else {}
        return {}

    def _fitting(self, value: Any, options: list[Any], depth: int) -> Any:
        """The first option that the value's own type fits, else the first that it can be converted to."""
        resolved = [self._resolved(option) for option in options if isinstance(option, Mapping)]
        fitting = [option for option in resolved if _is(value, option.get("type"))]
        for option in fitting or resolved:
            if option.get("type") == "null" and value is not None:
                continue
            known = len(self.guesses)
            try:
                return self.mend(value, option, depth + 1)
            except _Unmendable:
                del self.guesses[known:]
        raise _Unmendable

    def _chosen(self, value: Any, allowed: list[Any]) -> Any:
        if any(value == one and type(value) is type(one) for one in allowed):
            return value
        if len(allowed) == 1:
            return self._guess(allowed[0])
        texts = {one if isinstance(one, str) else str(one): one for one in allowed if one is not None}
        choice = value_meant(str(value), list(texts)) if isinstance(value, (str, int, float)) else None
        if choice is None:
            raise _Unmendable
        return texts[choice.name] if choice.sure else self._guess(texts[choice.name])

    def _guess(self, value: Any) -> Any:
        self.guesses.append(value if isinstance(value, str) else str(value))
        return value

    def _converted(self, value: Any, kinds: list[str], schema: Mapping[str, Any]) -> Any:
        for kind in kinds:
            found = self._as(kind, value, schema)
            if found is not None:
                return found
        raise _Unmendable

    def _as(self, kind: str, value: Any, schema: Mapping[str, Any]) -> Any:
        if isinstance(value, dict) and len(value) == 1 and kind not in ("object", "array"):
            (value,) = value.values()  # {"value": false} for false
            self.unwrapped = True
            if kind == "string" or _is(value, kind):
                return value if _is(value, kind) else None
        if kind in ("integer", "number"):
            return _number(kind, value)
        if kind == "boolean":
            return truth_in(value)
        if kind == "string":
            return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        if kind == "object":
            return self._members(value, schema) if isinstance(value, str) else None
        if kind == "array":
            return self._list(value, schema)
        return None

    def _members(self, text: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
        """The object that a text holds: as JSON, or as many parts as it needs, in their order (`47.1, 15.4`)."""
        held: dict[str, Any] | None = json_in(text, dict)
        wanted = [name for name in schema.get("required", ()) if isinstance(name, str)]
        parts = [part.strip() for part in _BETWEEN.split(text[:_LONGEST])]
        if held is not None or len(parts) != len(wanted) or len(wanted) < _SEVERAL or not all(parts):
            return held
        self.unwrapped = True
        return dict(zip(wanted, parts, strict=True))

    def _list(self, value: Any, schema: Mapping[str, Any]) -> list[Any] | None:
        if not isinstance(value, str):
            return None if value is None else [value]
        items = schema.get("items")
        holds_text = not isinstance(items, Mapping) or self._resolved(items).get("type", "string") == "string"
        return json_in(value, list) or (parts_of(value) if holds_text or "," in value else [value])

    def _inside(self, value: Any, schema: Mapping[str, Any], depth: int) -> Any:
        if isinstance(value, dict):
            return self._object(value, schema, depth)
        if isinstance(value, list):
            items = schema.get("items", {})
            return [self.mend(item, items, depth + 1) for item in value[:_MOST_ITEMS]] + value[_MOST_ITEMS:]
        if isinstance(value, str):
            return self._text(value, schema)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return self._within_bounds(value, schema) if is_number else value

    def _text(self, value: str, schema: Mapping[str, Any]) -> str:
        """A text whose pattern begins with letters that were left out: `48121` for `^ORD-[0-9]+$`."""
        pattern = schema.get("pattern")
        start = _LITERAL_START.match(pattern) if isinstance(pattern, str) and len(pattern) <= 200 else None
        if start is None or value.startswith(start[1]):
            return value
        return self._guess(start[1] + value)  # type: ignore[no-any-return]

    def _within_bounds(self, value: Any, schema: Mapping[str, Any]) -> Any:
        """A number above the highest or below the lowest that is allowed becomes that."""
        low, high = schema.get("minimum"), schema.get("maximum")
        if isinstance(high, (int, float)) and value > high:
            return self._guess(high)
        return self._guess(low) if isinstance(low, (int, float)) and value < low else value

    def _object(self, value: dict[str, Any], schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        members = schema.get("properties")
        members = members if isinstance(members, Mapping) else {}
        required = [name for name in schema.get("required", ()) if isinstance(name, str)]
        named = self._renamed(value, members, required, closed=schema.get("additionalProperties") is False)
        mended = {}
        for name, inner in named.items():
            if self._is_right(name, depth):
                mended[name] = inner
                continue
            optional = name in members and name not in required
            if inner is None and optional and not self._takes_null(members[name]):
                continue
            mended[name] = self.mend(inner, members.get(name, {}), depth + 1)
        return mended

    def _takes_null(self, schema: Any) -> bool:
        schema = self._resolved(schema) if isinstance(schema, Mapping) else {}
        options = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
        if not options and "type" not in schema:
            return True
        return any("null" in (one.get("type") or ()) for one in (schema, *options) if isinstance(one, Mapping))

    def _renamed(
        self, value: dict[str, Any], members: Mapping[str, Any], required: list[str], *, closed: bool
    ) -> dict[str, Any]:
        """The members under the names that they most likely were meant to have."""
        missing = [name for name in required if name not in value]
        if not missing and not closed:
            return value
        names = self._names(value, members, missing, closed=closed)
        if any(name not in names.values() for name in missing):
            raise _Unmendable
        return {names[name]: inner for name, inner in value.items()}

    def _names(
        self, value: dict[str, Any], members: Mapping[str, Any], missing: list[str], *, closed: bool
    ) -> dict[str, str]:
        """The name that each member most likely was meant to have; the last two without a partner belong together."""
        names = {name: name for name in value if name in members}
        unknown = [name for name in value if name not in members]
        for name in unknown:
            taken = set(names.values())
            choice = name_meant(name, [one for one in missing if one not in taken])
            choice = choice or name_meant(name, [one for one in members if one not in taken])
            if choice is not None:
                names[name] = choice.name if choice.sure else self._guess(choice.name)
        left = [name for name in unknown if name not in names]
        wanted = [name for name in missing if name not in names.values()]
        if len(left) == len(wanted) == 1:
            names[left[0]] = self._guess(wanted[0])
        elif left and closed:
            raise _Unmendable
        return names | {name: name for name in value if name not in names}


def _first(pointer: str) -> str:
    """The argument that a pointer leads into; empty for the arguments as a whole."""
    token = pointer[1:].partition("/")[0]
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def _is(value: Any, kind: object) -> bool:
    if isinstance(kind, list):
        return any(_is(value, one) for one in kind)
    types = _TYPES.get(kind, ()) if isinstance(kind, str) else ()
    if isinstance(value, bool):
        return bool in types
    return isinstance(value, types) or (kind == "integer" and isinstance(value, float) and value.is_integer())


def _number(kind: str, value: Any) -> int | float | None:
    number = number_in(value) if isinstance(value, str) else None
    if number is None or kind == "number":
        return number
    return int(number) if float(number).is_integer() else None
