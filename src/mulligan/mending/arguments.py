"""Arguments that do not fit a tool's JSON Schema, mended by it: every problem, or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mulligan.errors import Problem
from mulligan.mending.choices import value_meant
from mulligan.mending.members import is_holder, is_left_over, is_most_results, names_meant
from mulligan.mending.scalars import is_json, is_null, json_in, number_of, parts_of, truth_in
from mulligan.mending.schemas import Schemas, is_a, takes_text
from mulligan.mending.units import Said
from mulligan.mending.wrapping import object_of, unwrapped
from mulligan.tools import Tool

_MOST_OPTIONS, _MOST_ITEMS, _DEEPEST = 8, 100, 16
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
    members = tool.parameters.get("properties")
    inside = unwrapped(tool.name, members if isinstance(members, Mapping) else {}, arguments)
    if inside is not None:
        if tool.validator.is_valid(inside):
            return Mended(inside, False, ())
        arguments, problems = inside, None
    mender = _Mender(tool.parameters, problems, read_only=tool.read_only)
    try:
        mended = mender.mend(dict(arguments), tool.parameters, _Place())
    except _Unmendable:
        return None
    if not tool.validator.is_valid(mended):
        return None
    return Mended(mended, not (mender.guesses or mender.unwrapped or inside is not None), tuple(mender.guesses))


class _Place(NamedTuple):
    """Where a value stands: how deep, in which argument, beside what, and whether it may be one of several things."""

    depth: int = 0
    name: str = ""
    schema: Mapping[str, Any] = {}
    beside: Mapping[str, Any] = {}
    is_option: bool = False

    def deeper(self) -> _Place:
        return self._replace(depth=self.depth + 1)

    def of(self, name: str, schema: Any, beside: Mapping[str, Any]) -> _Place:
        described = schema if isinstance(schema, Mapping) else {}
        return _Place(self.depth + 1, name, described, beside, self.is_option)

    @property
    def said(self) -> Said:
        """What the argument says of itself."""
        return Said(self.name, self.schema, self.beside)


class _Mender:
    def __init__(self, root: Mapping[str, Any], problems: Sequence[Problem] | None, *, read_only: bool) -> None:
        self._schemas = Schemas(root)
        self._wrong = None if problems is None else {_first(problem.pointer) for problem in problems}
        self._read_only = read_only
        self.guesses: list[str] = []
        self.unwrapped = False

    def _is_right(self, name: str, place: _Place) -> bool:
        """Whether nothing is wrong with an argument."""
        is_wrong = self._wrong is None or name in self._wrong or "" in self._wrong
        return place.depth == 0 and not is_wrong

    def mend(self, value: Any, schema: Any, place: _Place) -> Any:
        if not isinstance(schema, Mapping) or place.depth > _DEEPEST:
            return value
        schema = self._schemas.resolved(schema)
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list):
                return self._fitting(value, schema[word][:_MOST_OPTIONS], place)
        allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if allowed is not None:
            return self._chosen(value, allowed, place)
        kinds = schema.get("type")
        kinds = [kinds] if isinstance(kinds, str) else kinds or []
        if not kinds or any(is_a(value, kind) for kind in kinds):
            return self._inside(value, schema, place)
        if "null" in kinds and is_null(value):
            return None
        return self._inside(self._converted(value, kinds, schema, place), schema, place)

    def _fitting(self, value: Any, options: list[Any], place: _Place) -> Any:
        """The first option that the value's own type fits, else the first that it can be converted to."""
        resolved = [self._schemas.resolved(option) for option in options]
        others = [option for option in resolved if option.get("type") != "null"]
        if is_null(value) and len(others) < len(resolved) and not any(takes_text(option, value) for option in others):
            return None
        fitting = [option for option in others if is_a(value, option.get("type"))]
        for option in fitting or others:
            known = len(self.guesses)
            try:
                return self.mend(value, option, place.deeper()._replace(is_option=len(others) > 1))
            except _Unmendable:
                del self.guesses[known:]
        raise _Unmendable

    def _chosen(self, value: Any, allowed: list[Any], place: _Place) -> Any:
        if any(value == one and type(value) is type(one) for one in allowed):
            return value
        if None in allowed and is_null(value):
            return None
        if len(allowed) == 1 and self._read_only and not place.is_option:
            return self._guess(allowed[0])
        texts = {one if isinstance(one, str) else str(one): one for one in allowed if one is not None}
        choice = value_meant(str(value), list(texts)) if isinstance(value, (str, int, float)) else None
        if choice is None:
            raise _Unmendable
        return texts[choice.name] if choice.sure else self._guess(texts[choice.name])

    def _guess(self, value: Any) -> Any:
        self.guesses.append(value if isinstance(value, str) else str(value))
        return value

    def _converted(self, value: Any, kinds: list[str], schema: Mapping[str, Any], place: _Place) -> Any:
        for kind in kinds:
            found = self._as(kind, value, schema, place)
            if found is not None:
                return found
        raise _Unmendable

    def _as(self, kind: str, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        is_named = place.said.names
        if isinstance(value, dict) and len(value) == 1 and kind not in ("object", "array"):
            ((word, value),) = value.items()  # {"value": false} for false
            self.unwrapped = True
            if not is_holder(word, place.name, is_named):
                return None
            if kind == "string" or is_a(value, kind):
                return value if is_a(value, kind) else None
        if kind in ("integer", "number"):
            return number_of(kind, value, is_named)
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
        if is_json(text):
            return json_in(text, dict)  # type: ignore[no-any-return]
        wanted = [name for name in schema.get("required", ()) if isinstance(name, str)]
        parts = [part.strip() for part in _BETWEEN.split(text[:_LONGEST])]
        if len(parts) != len(wanted) or len(wanted) < _SEVERAL or not all(parts):
            return None
        self.unwrapped = True
        return dict(zip(wanted, parts, strict=True))

    def _list(self, value: Any, schema: Mapping[str, Any]) -> list[Any] | None:
        if not isinstance(value, str):
            return None if value is None else [value]
        if is_json(value):
            return json_in(value, list)  # type: ignore[no-any-return]
        holds_text = self._schemas.resolved(schema.get("items")).get("type", "string") == "string"
        return parts_of(value) if holds_text or "," in value else [value]

    def _inside(self, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        if isinstance(value, dict):
            return self._object(value, schema, place)
        if isinstance(value, list):
            items = schema.get("items", {})
            return [self.mend(item, items, place.deeper()) for item in value[:_MOST_ITEMS]] + value[_MOST_ITEMS:]
        if isinstance(value, str):
            return self._text(value, schema)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return self._bounded(value, schema, place) if is_number else value

    def _text(self, value: str, schema: Mapping[str, Any]) -> str:
        """A text whose pattern begins with letters that were left out: `48121` for `^ORD-[0-9]+$`."""
        pattern = schema.get("pattern")
        start = _LITERAL_START.match(pattern) if isinstance(pattern, str) and len(pattern) <= 200 else None
        if start is None or value.startswith(start[1]):
            return value
        return self._guess(start[1] + value)  # type: ignore[no-any-return]

    def _bounded(self, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        """As many results as there may be, where more were asked for; any other number is for the model to choose."""
        high = schema.get("maximum")
        is_more = isinstance(high, (int, float)) and value > high
        return self._guess(high) if is_more and self._read_only and is_most_results(place.name) else value

    def _object(self, value: dict[str, Any], schema: Mapping[str, Any], place: _Place) -> dict[str, Any]:
        members = schema.get("properties")
        members = members if isinstance(members, Mapping) else {}
        required = [name for name in schema.get("required", ()) if isinstance(name, str)]
        closed = schema.get("additionalProperties") is False
        gathered = self._gathered(value, members, required, place, closed=closed)
        named = self._renamed(gathered, members, required, place, closed=closed)
        beside = {name: self._schemas.resolved(member).get("default") for name, member in members.items()} | named
        mended = {}
        for name, inner in named.items():
            if name in value and self._is_right(name, place) and not is_null(inner):
                mended[name] = inner
                continue
            optional = name in members and name not in required
            if inner is None and optional and not self._schemas.takes_null(members[name]):
                continue
            member = members.get(name, {})
            mended[name] = self.mend(inner, member, place.of(name, member, beside))
        return mended

    def _gathered(
        self, value: dict[str, Any], members: Mapping[str, Any], required: list[str], place: _Place, *, closed: bool
    ) -> dict[str, Any]:
        """The arguments, those put into the one object that was not sent which are its members."""
        unknown = [name for name in value if name not in members]
        if place.depth or not unknown:
            return value
        open_to = [name for name in members if name not in value and (closed or name in required)]
        found = object_of(unknown, {name: self._schemas.properties(members[name]) for name in open_to})
        if found is None:
            return value
        self.unwrapped = True
        outside = {name: inner for name, inner in value.items() if name in members}
        return outside | {found: {name: value[name] for name in unknown}}

    def _renamed(
        self, value: dict[str, Any], members: Mapping[str, Any], required: list[str], place: _Place, *, closed: bool
    ) -> dict[str, Any]:
        """The members under the names that they most likely were meant to have."""
        missing = [name for name in required if name not in value]
        if not missing and not closed:
            return value
        meant = names_meant(value, members, missing)
        names = {name: choice.name for name, choice in meant.items()}
        for choice in meant.values():
            if not choice.sure:
                self._guess(choice.name)
        left = [name for name in value if name not in members and name not in names]
        wanted = [name for name in missing if name not in names.values()]
        if len(left) == len(wanted) == 1 and self._may_be(left[0], value, wanted[0], members, place):
            names[left.pop()] = self._guess(wanted.pop())
        if wanted or (left and closed):
            raise _Unmendable
        return {names.get(name, name): inner for name, inner in value.items()}

    def _may_be(
        self, given: str, value: dict[str, Any], wanted: str, members: Mapping[str, Any], place: _Place
    ) -> bool:
        """Whether the last two arguments without a partner belong together: only of a tool that changes nothing."""
        kind = self._schemas.resolved(members.get(wanted)).get("type")
        return self._read_only and not place.depth and is_a(value[given], kind) and is_left_over(given, wanted)


def _first(pointer: str) -> str:
    """The argument that a pointer leads into; empty for the arguments as a whole."""
    token = pointer[1:].partition("/")[0]
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token
