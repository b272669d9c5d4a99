"""Fix arguments that do not match a tool's JSON Schema: either every problem is fixed, or nothing is changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from mulligan.errors import Problem
from mulligan.lazy import lazy_pattern
from mulligan.pointers import argument_of, escape
from mulligan.repair.identifiers import argument_with_address, find_identifier
from mulligan.repair.lossless import LosslessCheck, is_wrapped, may_be_list
from mulligan.repair.names import match_labels, match_listed, match_names, match_value
from mulligan.repair.nesting import find_object, is_wrapper_key
from mulligan.repair.pairs import assignments_to_mapping, mapping_to_pairs, pairs_to_mapping
from mulligan.repair.provenance import Source, argument_forms
from mulligan.repair.schemas import SchemaResolver, is_formatted_text, is_of_type, takes_text
from mulligan.repair.text_styles import restyle
from mulligan.repair.units import ArgumentUnits
from mulligan.repair.values import (
    convert_number,
    is_null,
    may_be_json,
    parse_bool,
    parse_json_as,
    parse_labelled_number,
    split_values,
)
from mulligan.tools import Tool
from mulligan.validate.arguments import dump

_MOST_OPTIONS, _MOST_ITEMS, _DEEPEST = 8, 100, 16
_MOST_STEPS = 1_000
_IS_JSON = lazy_pattern(r"\b(?:json|yaml)\b", re.IGNORECASE)


class FixedArguments(NamedTuple):
    """Arguments that match the tool's schema.

    Attributes:
        arguments: all arguments.
        is_lossless: whether they carry exactly what was sent, so that any tool may receive them.
        readings: the source of each replaced value, by JSON Pointer.
        renamed: top-level argument names as sent, mapped to the names that replaced them.
        is_guess: whether an argument was renamed by its label only, a text split into values, or
            written in another style, so that it must be asked.
    """

    arguments: dict[str, Any]
    is_lossless: bool
    readings: Mapping[str, Source]
    renamed: Mapping[str, str]
    is_guess: bool = False


class _AmbiguousError(Exception):
    """The value does not have exactly one plausible fix."""


class _OutOfSteps(Exception):
    """The search takes longer than a corrected call is worth."""


def fix_arguments(
    tool: Tool, arguments: Mapping[str, Any], problems: Sequence[Problem] | None = None
) -> FixedArguments | None:
    """Fix arguments that do not match a tool's schema.

    Every word, sign, unit and argument that was sent is kept, possibly in another form.

    Args:
        tool: the tool whose schema the arguments must match.
        arguments: the arguments as sent, which do not match the schema.
        problems: the known problems; only these arguments are examined. By default, all are.

    Returns:
        The fixed arguments, or None if any problem is ambiguous or the search takes too long.
    """
    for number, sent in enumerate(reversed(argument_forms(tool, arguments))):
        is_unwrapped = sent is not arguments
        if is_unwrapped and tool.validator.is_valid(sent):
            return FixedArguments(dict(sent), True, {}, {})
        fixer = _ArgumentFixer(tool, None if is_unwrapped else problems)
        try:
            fixed = fixer.fix(dict(sent), tool.parameters, _Place())
        except _AmbiguousError:
            if is_unwrapped and number == 0:
                return None
            continue
        except _OutOfSteps:
            return None
        if not tool.validator.is_valid(fixed):
            return None
        is_lossless = LosslessCheck(tool).is_same_object(sent, fixed)
        return FixedArguments(fixed, is_lossless, fixer.readings, fixer.renamed, fixer.has_guessed)
    return None


class _Place(NamedTuple):
    """The position of a value: its depth, JSON Pointer, argument name and schema, and a function that gives its siblings."""

    depth: int = 0
    pointer: str = ""
    name: str = ""
    schema: Mapping[str, Any] = {}
    siblings: Callable[[], Mapping[str, Any]] = dict

    def one_deeper(self) -> _Place:
        return self._replace(depth=self.depth + 1)

    def at(self, index: int) -> _Place:
        return self._replace(depth=self.depth + 1, pointer=f"{self.pointer}/{index}")

    def of(self, name: str, schema: Any, siblings: Callable[[], Mapping[str, Any]]) -> _Place:
        described = schema if isinstance(schema, (dict, Mapping)) else {}
        return _Place(self.depth + 1, f"{self.pointer}/{escape(name)}", name, described, siblings)

    def states(self, word: str) -> bool:
        """Whether the argument's name or schema states a word, such as its unit."""
        return ArgumentUnits(self.name, self.schema, self.siblings).names(word)


class _ArgumentFixer:
    def __init__(self, tool: Tool, problems: Sequence[Problem] | None) -> None:
        self._schemas = SchemaResolver(tool.parameters)
        self._aliases = tool.aliases
        self._tool_name, self._is_destructive = tool.name, bool(tool.destructive)
        self._is_remote = tool.tool_type == "extension"
        self._invalid = None if problems is None else {argument_of(problem.pointer) for problem in problems}
        self._steps_left = _MOST_STEPS
        self.readings: dict[str, Source] = {}
        self.renamed: dict[str, str] = {}
        self.has_guessed = False

    def fix(self, value: Any, schema: Any, place: _Place) -> Any:
        if not isinstance(schema, (dict, Mapping)) or place.depth > _DEEPEST:
            return value
        self._spend(1)
        schema = self._schemas.resolve(schema)
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list):
                return self._fix_any_of(value, schema[word][:_MOST_OPTIONS], place)
        allowed = schema.get("enum", [schema["const"]] if "const" in schema else None)
        if allowed is not None:
            return self._match_enum(value, allowed, place)
        kinds = schema.get("type")
        if not kinds or is_of_type(value, kinds):
            if isinstance(value, str):
                return self._restyle(value, schema)
            return self._fix_children(value, schema, place)
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if "null" in kinds and is_null(value):
            return None
        if "string" in kinds and isinstance(value, (dict, list)) and self._takes_json(place):
            self.has_guessed = True
            return dump(value)
        return self._fix_children(self._convert(value, kinds, schema, place), schema, place)

    def _restyle(self, value: str, schema: Mapping[str, Any]) -> str:
        """A text in the style that the schema wants, as a guess: without its spaces, it may say something else."""
        styled = restyle(value, schema)
        self.has_guessed = self.has_guessed or styled is not None
        return value if styled is None else styled

    def _spend(self, steps: int) -> None:
        self._steps_left -= steps
        if self._steps_left < 0:
            raise _OutOfSteps

    def _fix_any_of(self, value: Any, options: list[Any], place: _Place) -> Any:
        """Fix a value by the options that match its type, or else by all options; they must agree on one result."""
        resolved = [self._schemas.resolve(option) for option in options]
        others = [option for option in resolved if option.get("type") != "null"]
        if is_null(value) and len(others) < len(resolved) and not any(takes_text(option, value) for option in others):
            return None
        sources_before = dict(self.readings)
        results: list[tuple[Any, dict[str, Source]]] = []
        for option in [option for option in others if is_of_type(value, option.get("type"))] or others:
            self.readings = dict(sources_before)
            try:
                fixed = self.fix(value, option, place.one_deeper())
            except _AmbiguousError:
                continue
            if _is_same_json(fixed, value):
                return value
            if not any(_is_same_json(fixed, one) for one, _ in results):
                results.append((fixed, self.readings))
        self.readings = sources_before
        if len(results) != 1:
            raise _AmbiguousError
        ((fixed, self.readings),) = results
        return fixed

    def _match_enum(self, value: Any, allowed: list[Any], place: _Place) -> Any:
        """The allowed value that was sent as another type or in other words, if exactly one matches."""
        if any(_is_same_json(value, one) for one in allowed):
            return value
        if None in allowed and is_null(value):
            return None
        if isinstance(value, str):
            texts = {one if isinstance(one, str) else dump(one): one for one in allowed if one is not None}
            self._spend(len(texts))
            choice = match_value(value, list(texts))
            if self._is_destructive and choice is not None and not choice.sure:
                raise _AmbiguousError
            name = self._find_described(value, list(texts), place) if choice is None else choice.name
            if name is not None:
                chosen = texts[name]
                if isinstance(chosen, str):
                    self.readings[place.pointer] = "schema"
                return chosen
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            equal = [one for one in allowed if one == value and not isinstance(one, bool)] or [
                one for one in allowed if isinstance(one, str) and one == repr(value)
            ]
            if len(equal) == 1:
                return equal[0]
        raise _AmbiguousError

    def _find_described(self, value: str, allowed: list[str], place: _Place) -> str | None:
        """The allowed value that the argument's description explains; a remote server's descriptions are not used."""
        description = place.schema.get("description")
        if self._is_remote or not isinstance(description, str):
            return None
        from mulligan.repair.described_values import find_described

        return find_described(value, allowed, description)

    def _convert(self, value: Any, kinds: list[str], schema: Mapping[str, Any], place: _Place) -> Any:
        """Convert a value to one of several types; a list is tried only if no other type fits."""
        for candidate_kinds in ([kind for kind in kinds if kind != "array"], ["array"] if "array" in kinds else []):
            results: list[Any] = []
            for kind in candidate_kinds:
                converted = self._convert_to(kind, value, schema, place)
                if converted is not None and not any(_is_same_json(converted, one) for one in results):
                    results.append(converted)
            if len(results) == 1:
                return results[0]
            if results:
                raise _AmbiguousError
        raise _AmbiguousError

    def _convert_to(self, kind: str, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        is_named = place.states
        if isinstance(value, (dict, list)) and len(value) == 1 and kind not in ("object", "array"):
            if isinstance(value, list):
                (value,) = value  # ["tea"] for "tea"
            else:
                ((word, value),) = value.items()  # {"value": false} for false
                if not is_wrapper_key(word, place.name, is_named):
                    return None
            if kind == "string" or is_of_type(value, kind):
                return value if is_of_type(value, kind) else None
        if kind in ("integer", "number"):
            return self._convert_to_number(kind, value, place)
        if kind == "boolean":
            return parse_bool(value)
        if kind == "string":
            return self._convert_to_text(value, schema)
        if kind == "object":
            return self._convert_to_object(value, schema)
        if kind == "array":
            return self._convert_to_list(value, schema)
        return None

    def _convert_to_text(self, value: Any, schema: Mapping[str, Any]) -> str | None:
        """A whole number as text, or a boolean as a guess. A float such as 1.10 has already lost a digit."""
        if is_formatted_text(schema):
            return None
        if type(value) is int:
            return str(value)
        if type(value) is not bool or self._is_destructive:
            return None
        self.has_guessed = True
        return dump(value)

    def _convert_to_object(self, value: Any, schema: Mapping[str, Any]) -> dict[str, Any] | None:
        """Parse an object from JSON text. As a guess, read pairs as one, or put the value under its only member."""
        if isinstance(value, str) and may_be_json(value):
            return parse_json_as(value, dict)  # type: ignore[no-any-return]
        if self._is_destructive or is_null(value) or value is None:
            return None
        members, found = self._schemas.properties(schema), None
        as_texts = isinstance(schema.get("additionalProperties"), Mapping)
        if members:
            is_pair = isinstance(value, str) and assignments_to_mapping(value) is not None
            name = None if is_pair else _only_member(members, schema.get("required"))
            found = {name: value} if name is not None else None
        elif isinstance(value, str):
            found = assignments_to_mapping(value, as_texts=as_texts)
        elif isinstance(value, list):
            found = pairs_to_mapping(value, as_texts=as_texts)
        self.has_guessed = self.has_guessed or found is not None
        return found

    def _takes_json(self, place: _Place) -> bool:
        """Whether an argument is described as a text of JSON, or of YAML, of which JSON is a part."""
        description = place.schema.get("description")
        return not self._is_destructive and isinstance(description, str) and _IS_JSON.search(description) is not None

    def _convert_to_number(self, kind: str, value: Any, place: _Place) -> int | float | None:
        number = convert_number(kind, value, place.states)
        if number is None and kind == "integer" and isinstance(value, str) and not self._is_destructive:
            number = parse_labelled_number(value, place.name)
            number = self._number_of_address(value, place.name) if number is None else number
            self.has_guessed = self.has_guessed or number is not None
        if number is None and isinstance(value, str) and not self._is_destructive:
            number = self._number_of_quantity(kind, value, place)
            self.has_guessed = self.has_guessed or number is not None
        return number

    def _number_of_quantity(self, kind: str, value: str, place: _Place) -> int | float | None:
        """The number of a quantity in the unit that the argument states, 5400 of `1h30m` for seconds, or of a count."""
        from mulligan.repair.quantities import read_count, read_quantity

        unit = ArgumentUnits(place.name, place.schema, place.siblings).unit
        description = str(place.schema.get("description", ""))
        quantity = (
            read_count(value, f"{place.name} {description}")
            if unit is None
            else read_quantity(value, unit, description)
        )
        return None if quantity is None else convert_number(kind, f"{quantity.normalize():f}", place.states)

    def _number_of_address(self, value: str, name: str) -> int | None:
        """The number within the address that was sent for it: of `.../issues/1347`, 1347."""
        found = find_identifier(value) if argument_with_address({name: value}) is not None else None
        return int(found) if found is not None and found.isdigit() else None

    def _convert_to_list(self, value: Any, schema: Mapping[str, Any]) -> list[Any] | None:
        """Wrap a single value in a list, parse one from JSON text, or split text or a mapping that hold several values."""
        if isinstance(value, dict) and not self._is_destructive:
            item = self._schemas.items(schema)
            pairs = mapping_to_pairs(value, self._schemas.properties(item), item.get("required") or ())
            if pairs is not None:
                self.has_guessed = True
                return pairs
        if not isinstance(value, str):
            return None if value is None else [value]
        if may_be_json(value):
            return parse_json_as(value, list)  # type: ignore[no-any-return]
        items = self._schemas.items(schema)
        if not may_be_list(value, items):
            return [value]
        values = split_values(value, items)
        if self._is_destructive and items.get("type") not in ("integer", "number"):
            return None
        self.has_guessed = self.has_guessed or values is not None
        return values

    def _fix_children(self, value: Any, schema: Mapping[str, Any], place: _Place) -> Any:
        if isinstance(value, dict):
            return self._fix_object(value, schema, place)
        if isinstance(value, list):
            items = schema.get("items", {})
            fixed = [self.fix(item, items, place.at(index)) for index, item in enumerate(value[:_MOST_ITEMS])]
            if len(value) > 1 and any(map(is_wrapped, value, fixed)):
                raise _AmbiguousError
            return fixed + value[_MOST_ITEMS:]
        return value

    def _fix_object(self, value: dict[str, Any], schema: Mapping[str, Any], place: _Place) -> dict[str, Any]:
        members = schema.get("properties")
        members = members if isinstance(members, (dict, Mapping)) else {}
        required = [name for name in schema.get("required", ()) if isinstance(name, str)]
        renamed = value
        if not value.keys() <= members.keys() or not value.keys() >= set(required):
            closed = schema.get("additionalProperties") is False
            nested = self._nest_members(value, members, required, closed=closed)
            renamed = self._rename_members(nested, members, required, place, closed=closed)
        settled = self._settled(value, place)
        fixed = {name: inner for name, inner in renamed.items() if name in settled and not is_null(inner)}
        unsettled = [name for name in renamed if name not in fixed]
        if len(unsettled) > 1:
            unsettled.sort(key=lambda name: not _is_enum(members.get(name)))  # an enum decides quickly
        for name in unsettled:
            inner = renamed[name]
            optional = name in members and name not in required
            if inner is None and optional and not self._schemas.takes_null(members[name]):
                continue
            member = members.get(name, schema.get("additionalProperties", {}))
            siblings = partial(self._siblings, members, renamed)
            fixed[name] = self.fix(inner, member, place.of(name, member, siblings))
        return {name: fixed[name] for name in renamed if name in fixed}

    def _settled(self, sent: Mapping[str, Any], place: _Place) -> Collection[str]:
        """The top-level arguments without a reported problem."""
        if place.depth or self._invalid is None or "" in self._invalid:
            return ()
        return sent.keys() - self._invalid

    def _siblings(self, members: Mapping[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
        """The members of an object, with the values sent or else their defaults."""
        return self._schemas.defaults(members) | sent

    def _nest_members(
        self, value: dict[str, Any], members: Mapping[str, Any], required: list[str], *, closed: bool
    ) -> dict[str, Any]:
        """Move unknown arguments into the one missing object that declares them as members."""
        unknown = [name for name in value if name not in members]
        if not unknown:
            return value
        open_to = [name for name in members if name not in value and (closed or name in required)]
        found = find_object(unknown, {name: self._schemas.properties(members[name]) for name in open_to})
        only = _only_member(members, required) if found is None and len(unknown) == len(value) else None
        if only in open_to and not self._is_destructive and self._is_free_object(members[only]):
            self.has_guessed, found = True, only
        if found is None:
            return value
        outside = {name: inner for name, inner in value.items() if name in members}
        return outside | {found: {name: value[name] for name in unknown}}

    def _is_free_object(self, schema: Any) -> bool:
        """Whether a member is an object of which the schema names no members."""
        return self._schemas.resolve(schema).get("type") == "object" and not self._schemas.properties(schema)

    def _rename_members(
        self, value: dict[str, Any], members: Mapping[str, Any], required: list[str], place: _Place, *, closed: bool
    ) -> dict[str, Any]:
        """Rename unknown members to the names that were most likely meant."""
        missing = [name for name in required if name not in value]
        if not missing and not closed:
            return value
        unknown_count = sum(name not in members for name in value)
        if not unknown_count and not missing:
            return value
        self._spend(len(members) * unknown_count)
        choices = match_names(value, members, missing, {} if place.depth else self._aliases)
        names = {name: choice.name for name, choice in choices.items()}
        if not place.depth:
            self.renamed |= names
        unmatched = [name for name in value if name not in members and name not in names]
        still_missing = [name for name in missing if name not in names.values()]
        if unmatched and still_missing and not self._is_destructive:
            guesses = {} if place.depth else match_labels(unmatched, still_missing, self._tool_name)
            guesses = guesses or match_listed(value, unmatched, still_missing, members)
            if guesses:
                self.has_guessed, names = True, names | guesses
                self.renamed |= {} if place.depth else guesses
                unmatched = [name for name in unmatched if name not in guesses]
                still_missing = [name for name in still_missing if name not in guesses.values()]
        if still_missing or (unmatched and closed):
            raise _AmbiguousError
        return {names.get(name, name): inner for name, inner in value.items()}


def _only_member(members: Mapping[str, Any], required: Any) -> str | None:
    """The one member that an object must have, or else that it may have at all."""
    names = required or list(members)
    return names[0] if len(names) == 1 and names[0] in members else None


def _is_enum(schema: Any) -> bool:
    return isinstance(schema, (dict, Mapping)) and "enum" in schema


def _is_same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are identical; 1, 1.0 and true all differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same_json(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same_json, one, other))
    return type(one) is type(other) and bool(one == other)
