"""Unions: which member a value is meant for.

The JSON type of the value often decides. Where several members may have that type, their schemas do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache
from types import MappingProxyType, NoneType
from typing import Any

from attrs import frozen
from cattrs import BaseConverter

from mulligan.catalogue import NO_FORM
from mulligan.validate.annotations import alias_shape, is_named_tuple
from mulligan.validate.schema import shape_schema
from mulligan.validate.types import (
    Alias,
    Array,
    Choice,
    Described,
    Limited,
    Map,
    OneOf,
    Record,
    Row,
    Scalar,
    Shape,
    Text,
    UnfitError,
)

Reader = Callable[[Any, Any], Any]

_KINDS: Mapping[type, str] = MappingProxyType(
    {NoneType: "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
)
_ALL_KINDS = frozenset(_KINDS.values())
NUMBERS = frozenset({"integer", "number"})


@frozen
class _Member:
    """One member of a union."""

    shape: Shape
    kinds: frozenset[str]
    read: Reader
    fits: Callable[[Any], bool]


def union_reader(shapes: tuple[Shape, ...], converter: BaseConverter) -> Reader:
    """Takes the member whose schema the value fits; of several, the first that can be built from it."""
    members = [_Member(shape, kinds_of(shape), converter.get_structure_hook(shape), _fits(shape)) for shape in shapes]
    by_kind = {kind: _candidates(members, kind) for kind in _KINDS.values()}

    def structure(value: Any, _: Any) -> Any:
        candidates = by_kind.get(kind_of(value), [])
        if len(candidates) > 1:
            candidates = [member for member in candidates if member.fits(value)]
        if len(candidates) == 1:
            return candidates[0].read(value, candidates[0].shape)
        expected = []
        for member in candidates:
            try:
                return member.read(value, member.shape)
            except Exception as error:
                expected.append(getattr(error, "expected", None))
        raise UnfitError(NO_FORM, " or ".join(dict.fromkeys(filter(None, expected))) or None)

    return structure


def _candidates(members: list[_Member], kind: str) -> list[_Member]:
    """The members that a value of this JSON type may fit, those first that Python has the same type for."""
    if kind not in NUMBERS:
        return [member for member in members if kind in member.kinds]
    numeric = [member for member in members if member.kinds & NUMBERS]
    return sorted(numeric, key=lambda member: ("number" in member.kinds) != (kind == "number"))


def _fits(shape: Shape) -> Callable[[Any], bool]:
    @cache
    def validator() -> Any:
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(shape_schema(shape), offline=True)

    def fits(value: Any) -> bool:
        return bool(validator().is_valid(value))

    return fits


def kinds_of(shape: Shape) -> frozenset[str]:
    """The JSON types that a value of this shape can have; `integer` and `number` stand for int and float."""
    match shape:
        case Scalar(kind) if kind is not object:
            return NUMBERS if kind is float else frozenset({_KINDS[kind]})
        case Text(kind):
            return NUMBERS | {"string"} if kind in (Decimal, timedelta) else frozenset({"string"})
        case Choice(options):
            return frozenset(_KINDS[option.type] for option in options)
        case OneOf(members):
            return frozenset().union(*map(kinds_of, members))
        case Limited(inner) | Described(inner):
            return kinds_of(inner)
        case Alias(alias):
            return kinds_of(alias_shape(alias))
        case Array() | Row() | Map() | Record():
            return frozenset({"array" if _is_array(shape) else "object"})
    return _ALL_KINDS


def _is_array(shape: Array | Row | Map | Record) -> bool:
    return is_named_tuple(shape.type) if isinstance(shape, Record) else not isinstance(shape, Map)


def kind_of(value: Any) -> str:
    """The JSON type of a value; a float is always a `number` here, also 1.0."""
    exact = _KINDS.get(type(value))
    if isinstance(value, Decimal):
        return "number"
    return exact or next((kind for base, kind in _KINDS.items() if isinstance(value, base)), "")
