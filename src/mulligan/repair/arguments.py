"""Arguments that do not fit a tool's JSON Schema, mended by it: every problem, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mulligan.errors import Problem
from mulligan.repair.choices import value_meant
from mulligan.repair.lossless import Lossless, may_be_several
from mulligan.repair.members import is_holder, names_meant
from mulligan.repair.provenance import Source, escaped, unwrapped_forms
from mulligan.repair.schemas import Schemas, is_a, is_coded, takes_text
from mulligan.repair.units import Said
from mulligan.repair.values import is_json, is_null, json_in, number_of, truth_in
from mulligan.repair.wrapping import object_of
from mulligan.tools import Tool
from mulligan.validate.arguments import dump

_MOST_OPTIONS, _MOST_ITEMS, _DEEPEST = 8, 100, 16
_MOST_STEPS = 1_000


class Mended(NamedTuple):
    """Arguments that fit.

    Attributes:
        arguments: the whole arguments.
        is_lossless: they say all that was sent and nothing else, so that any tool may be given them.
        readings: the sources of the values that were chosen for others, by their JSON Pointers.
        renamed: the names that were chosen for others, by the names that were sent, of the arguments themselves.
    """

    arguments: dict[str, Any]
    is_lossless: bool
    readings: Mapping[str, Source]
    renamed: Mapping[str, str]


class _Unmendable(Exception):
    """There is no clear way to make it fit."""


class _OutOfSteps(Exception):
    """To find a way takes longer than a corrected call is worth."""


def mend_arguments(
    tool: Tool, arguments: Mapping[str, Any], problems: Sequence[Problem] | None = None
) -> Mended | None:
    """The arguments as they most likely were meant; None where that is not clear for every problem, or takes too long.

    Whatever is read as something else has its place in them: no word, sign, unit or argument that was sent is left out.

    Args:
        tool: the tool, whose schema they must fit.
        arguments: what was sent, which does not fit it.
        problems: what is wrong with them, so that only these places are looked at; all are, without it.
    """
    for number, sent in enumerate(reversed(unwrapped_forms(tool, arguments))):
        inside = sent is not arguments
        if inside and tool.validator.is_valid(sent):
            return Mended(dict(sent), True, {}, {})
        mender = _Mender(tool, None if inside else problems)
        try:
            mended = mender.mend(dict(sent), tool.parameters, _Place())
        except _Unmendable:
            if inside and number == 0:
                return None
            continue
        except _OutOfSteps:
            return None
        if not tool.validator.is_valid(mended):
            return None
        lossless = Lossless(tool).is_same_object(sent, mended)
        return Mended(mended, lossless, mender.readings, mender.renamed)
    return None


class _Place(NamedTuple):
    """Where a value is: how deep, at which JSON Pointer, in which argument, and beside what."""

    depth: int = 0
    pointer: str = ""
    name: str = ""
    schema: Mapping[str, Any] = {}
    beside: Mapping[str, Any] = {}

    def deeper(self) -> _Place:
        return self._replace(depth=self.depth + 1)

    def at(self, index: int) -> _Place:
        return self._replace(depth=self.depth + 1, pointer=f"{self.pointer}/{index}")

    def of(self, name: str, schema: Any, beside: Mapping[str, Any]) -> _Place:
        described = schema if isinstance(schema, Mapping) else {}
        return _Place(self.depth + 1, f"{self.pointer}/{escaped(name)}", name, described, beside)

    @property
    def said(self) -> Said:
        """What the argument says of itself."""
        return Said(self.name, self.schema, self.beside)


class _Mender:
    def __init__(self, tool: Tool, problems: Sequence[Problem] | None) -> None:
        self._schemas = Schemas(tool.parameters)
        self._aliases = tool.aliases
        self._wrong = None if problems is None else {_first(problem.pointer) for problem in problems}
        self._steps = _MOST_STEPS
        self.readings: dict[str, Source] = {}
        self.renamed: dict[str, str] = {}

    def _is_right(self, name: str, place: _Place) -> bool:
        """Whether nothing is wrong with an argument."""
        is_wrong = self._wrong is None or name in self._wrong or "" in self._wrong
        return place.depth == 0 and not is_wrong

    def mend(self, value: Any, schema: Any, place: _Place) -> Any:
        if not isinstance(schema, Mapping) or place.depth > _DEEPEST:
            return value
        self._spend(1)
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

    def _spend(self, steps: int) -> None:
        self._steps -= steps
        if self._steps < 0:
            raise _OutOfSteps

    def _fitting(self, value: Any, options: list[Any], place: _Place) -> Any:
        """What the options that the value's own type fits make of it, else all options; only if they agree."""
        resolved = [self._schemas.resolved(option) for option in options]
        others = [option for option in resolved if option.get("type") != "null"]
        if is_null(value) and len(others) < len(resolved) and not any(takes_text(option, value) for option in others):
            return None
        known = dict(self.readings)
        found: list[tuple[Any, dict[str, Source]]] = []
        for option in [option for option in others if is_a(value, option.get("type"))] or others:
            self.readings = dict(known)
            try:
                mended = self.mend(value, option, place.deeper())
            except _Unmendable:
                continue
            if _same(mended, value):
                return value
            if not any(_same(mended, one) for one, _ in found):
                found.append((mended, self.readings))
        self.readings = known
        if len(found) != 1:
            raise _Unmendable
        ((mended, self.readings),) = found
        return mended

    def _chosen(self, value: Any, allowed: list[Any], place: _Place) -> Any:
        """The allowed value that was sent as another type or in other words, where it is clear which."""
        if any(_same(value, one) for one in allowed):
            return value
        if None in allowed and is_null(value):
            return None
        if isinstance(value, str):
            texts = {one if isinstance(one, str) else dump(one): one for one in allowed if one is not None}
            self._spend(len(texts))
            choice = value_meant(value, list(texts))
            if choice is not None:
                chosen = texts[choice.name]
                if isinstance(chosen, str):
                    self.readings[place.pointer] = "schema"
                return chosen
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            equal = [one for one in allowed if one == value and not isinstance(one, bool)] or [
                one for one in allowed if isinstance(one, str) and one == repr(value)
            ]
            if len(equal) == 1:
                return equal[0]
        raise _Unmendable

    def _converted(self, value: Any, kinds: list[str], schema: Mapping[str, Any], place: _Place) -> Any:
        """The value as the one of several types that it can be read as; a list only where it can be nothing else."""
        for some in ([kind for kind in kinds if kind != "array"], ["array"] if "array" in kinds else []):
            found: list[Any] = []
            for kind in some:
                read = self._as(kind, value, schema, place)
                if read is not None and not any(_same(read, one) for one in found):
                    found.append(read)
            if len(found) == 1:
                return found[0]
            if found:
                raise _Unmendable
        raise _Unmendable

    def _as(self, kind: str, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        is_named = place.said.names
        if isinstance(value, dict) and len(value) == 1 and kind not in ("object", "array"):
            ((word, value),) = value.items()  # {"value": false} for false
            if not is_holder(word, place.name, is_named):
                return None
            if kind == "string" or is_a(value, kind):
                return value if is_a(value, kind) else None
        if kind in ("integer", "number"):
            return number_of(kind, value, is_named)
        if kind == "boolean":
            return truth_in(value)
        if kind == "string":
            is_whole = type(value) is int  # of 1.10, a float has lost a digit
            return str(value) if is_whole and not is_coded(schema) else None
        if kind == "object":
            return json_in(value, dict) if isinstance(value, str) else None
        if kind == "array":
            return self._list(value, schema)
        return None

    def _list(self, value: Any, schema: Mapping[str, Any]) -> list[Any] | None:
        """A list of one value, or the list that a text holds as JSON; a text that may name several things is neither."""
        if not isinstance(value, str):
            return None if value is None else [value]
        if is_json(value):
            return json_in(value, list)  # type: ignore[no-any-return]
        return None if may_be_several(value, self._schemas.items(schema)) else [value]

    def _inside(self, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        if isinstance(value, dict):
            return self._object(value, schema, place)
        if isinstance(value, list):
            items = schema.get("items", {})
            mended = [self.mend(item, items, place.at(index)) for index, item in enumerate(value[:_MOST_ITEMS])]
            return mended + value[_MOST_ITEMS:]
        return value

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
        outside = {name: inner for name, inner in value.items() if name in members}
        return outside | {found: {name: value[name] for name in unknown}}

    def _renamed(
        self, value: dict[str, Any], members: Mapping[str, Any], required: list[str], place: _Place, *, closed: bool
    ) -> dict[str, Any]:
        """The members under the names that they most likely were meant to have."""
        missing = [name for name in required if name not in value]
        if not missing and not closed:
            return value
        self._spend(len(members) * sum(name not in members for name in value))
        meant = names_meant(value, members, missing, {} if place.depth else self._aliases)
        names = {name: choice.name for name, choice in meant.items()}
        if not place.depth:
            self.renamed |= names
        left = [name for name in value if name not in members and name not in names]
        wanted = [name for name in missing if name not in names.values()]
        if wanted or (left and closed):
            raise _Unmendable
        return {names.get(name, name): inner for name, inner in value.items()}


def _same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; 1, 1.0 and true are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _first(pointer: str) -> str:
    """The argument that a pointer leads into; empty for the arguments as a whole."""
    token = pointer[1:].partition("/")[0]
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token
