"""Teaches cattrs each shape: accept what the schema accepts, refuse what it refuses, and build exact types.

By default, cattrs converts its input: `"false"` becomes True and None becomes "None". Here cattrs dispatches on shapes,
so one of the functions below reads every value. Limits (`minimum`, `pattern`, `uniqueItems` ...) are not checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache, partial
from types import MappingProxyType, NoneType
from typing import Any

from attrs import frozen
from cattrs import BaseConverter
from cattrs.cols import list_structure_factory, mapping_structure_factory
from cattrs.errors import AttributeValidationNote, ClassValidationError, IterableValidationError

from mulligan.catalogue import NO_FORM, NOT_ALLOWED, WRONG_TYPE
from mulligan.untrusted.text import first_line
from mulligan.validate.annotations import Field, alias_shape, fields_of, is_named_tuple, is_typed_dict
from mulligan.validate.numbers import float_to_int
from mulligan.validate.schema import shape_schema
from mulligan.validate.types import (
    Alias,
    Array,
    Choice,
    Described,
    Limited,
    Map,
    Model,
    OneOf,
    Option,
    Record,
    Row,
    Scalar,
    Shape,
    Text,
    UnfitError,
    text_form,
)

Reader = Callable[[Any, Any], Any]
_KINDS: Mapping[type, str] = MappingProxyType(
    {NoneType: "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
)
_ALL_KINDS = frozenset(_KINDS.values())
NUMBERS = frozenset({"integer", "number"})


def arguments_reader(shapes: Mapping[str, Shape]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A function that reads the arguments with these shapes; it ignores all others.

    It raises one of cattrs' validation errors; the innermost exceptions are `UnfitError`.
    """
    converter = BaseConverter()
    converter.register_structure_hook_factory(lambda kind: isinstance(kind, Shape), _reader)
    fields = tuple(Field(name, shape, required=False) for name, shape in shapes.items())
    read = _members_reader(fields, converter, dict)
    return lambda arguments: read({name: arguments[name] for name in shapes if name in arguments}, None)


def _reader(shape: Shape, converter: BaseConverter) -> Reader:
    match shape:
        case Scalar(kind):
            return _SCALARS[kind]
        case Text(kind):
            return _text_reader(kind)
        case Choice(options):
            return _choice_reader(options)
        case Array(item, build):
            return _array_reader(item, build, converter)
        case Row(items):
            return _row_reader(items, len(items), tuple, converter)
        case Map(key, value):
            return _map_reader(key, value, converter)
        case Limited(inner) | Described(inner):
            return converter.get_structure_hook(inner)
        case OneOf() | Alias() | Record():
            return _lazy_reader(shape, converter)
        case Model(cls):
            return _model_reader(cls)


def _lazy_reader(shape: OneOf | Alias | Record, converter: BaseConverter) -> Reader:
    """A reader that is built on first use, since these shapes may refer to themselves."""

    @cache
    def read() -> Reader:
        match shape:
            case OneOf(members):
                return union_reader(members, converter)
            case Alias(alias):
                return converter.get_structure_hook(alias_shape(alias))
            case Record(cls):
                return _record_reader(cls, converter)

    def structure(value: Any, kind: Any) -> Any:
        return read()(value, kind)

    return structure


def _wrong_type_error(expected: str) -> UnfitError:
    return UnfitError(WRONG_TYPE, expected)


def _read_exactly(kind: str, value: Any, _: Any) -> Any:
    if kind_of(value) != kind:
        raise _wrong_type_error(kind)
    return value


def _read_int(value: Any, _: Any) -> Any:
    kind = kind_of(value)
    if kind == "integer" or (isinstance(value, float) and value.is_integer()):
        return value if kind == "integer" else float_to_int(value)
    raise _wrong_type_error("integer")


def _read_float(value: Any, _: Any) -> float:
    if kind_of(value) not in NUMBERS:
        raise _wrong_type_error("number")
    return float(value)


def _read_anything(value: Any, _: Any) -> Any:
    """Any JSON value; Decimals become floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, list):
        return [_read_anything(item, None) for item in value]
    if isinstance(value, dict):
        return {name: _read_anything(item, None) for name, item in value.items()}
    return value


_SCALARS: Mapping[type, Reader] = MappingProxyType(
    {
        str: partial(_read_exactly, "string"),
        bool: partial(_read_exactly, "boolean"),
        NoneType: partial(_read_exactly, "null"),
        int: _read_int,
        float: _read_float,
        object: _read_anything,
    }
)


def _text_reader(cls: type) -> Reader:
    form, kinds = text_form(cls), kinds_of(Text(cls))

    def structure(value: Any, _: Any) -> Any:
        if kind_of(value) not in kinds:
            raise _wrong_type_error(form.expected)
        try:
            return form.read(value)
        except (ValueError, OverflowError):
            raise UnfitError(f"not a valid {form.noun}", form.expected) from None

    return structure


def _choice_reader(options: tuple[Option, ...]) -> Reader:
    values = {_comparison_key(option.json): option.python for option in options}

    def structure(value: Any, _: Any) -> Any:
        if kind_of(value) in ("array", "object") or _comparison_key(value) not in values:
            raise UnfitError(NOT_ALLOWED)
        return values[_comparison_key(value)]

    return structure


def _comparison_key(value: Any) -> tuple[bool, Any]:
    """A key that is equal for equal JSON values: 1 equals 1.0, but not true."""
    return isinstance(value, bool), value


def _array_reader(item: Shape, build: type, converter: BaseConverter) -> Reader:
    read = list_structure_factory(list[item], converter)  # type: ignore[valid-type]

    def structure(value: Any, kind: Any) -> Any:
        if kind_of(value) != "array":
            raise _wrong_type_error("array")
        items = read(value, kind)
        try:
            return items if build is list else build(items)
        except TypeError:
            raise UnfitError("contains an array or an object", "array of values of other types") from None

    return structure


def _row_reader(items: tuple[Shape, ...], least: int, build: Callable[[Any], Any], converter: BaseConverter) -> Reader:
    def structure(value: Any, _: Any) -> Any:
        if kind_of(value) != "array" or not least <= len(value) <= len(items):
            raise _wrong_type_error(f"array of {len(items)} items")
        return build(converter.structure(value, tuple[items[: len(value)]]))  # type: ignore[arg-type, misc]

    return structure


def _map_reader(key: Shape, value: Shape, converter: BaseConverter) -> Reader:
    read = mapping_structure_factory(dict[key, value], converter)  # type: ignore[valid-type]

    def structure(value: Any, kind: Any) -> Any:
        if kind_of(value) != "object":
            raise _wrong_type_error("object")
        return read(value, kind)

    return structure


def _record_reader(cls: type, converter: BaseConverter) -> Reader:
    fields = fields_of(cls)
    if is_named_tuple(cls):
        shapes, least = tuple(field.shape for field in fields), sum(field.required for field in fields)
        return _row_reader(shapes, least, lambda items: _construct(cls, *items), converter)
    read = _members_reader(fields, converter, cls)
    return read if is_typed_dict(cls) else lambda value, kind: _construct(cls, **read(value, kind))


def _construct(cls: type, *items: Any, **members: Any) -> Any:
    try:
        return cls(*items, **members)
    except Exception as error:
        raise UnfitError(_rejection_message(cls, _reason(error))) from error


def _rejection_message(cls: type, reason: str | None) -> str:
    """The message for a value that a class rejects, with the reason of the class's own check."""
    words = first_line(reason or "").removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return f"rejected by {cls.__name__}: {words}" if words else f"rejected by {cls.__name__}"


def _reason(error: Exception) -> str | None:
    """The message of a class's own check."""
    says = isinstance(error, (ValueError, TypeError, AssertionError)) and error.args and isinstance(error.args[0], str)
    return str(error.args[0]) if says else None


def _members_reader(fields: tuple[Field, ...], converter: BaseConverter, cls: type) -> Reader:
    """A function that reads all members of an object and reports all problems together."""
    readers = {field.name: (converter.get_structure_hook(field.shape), field.shape) for field in fields}
    required = {field.name for field in fields if field.required}

    def structure(value: Any, _: Any) -> dict[str, Any]:
        if kind_of(value) != "object" or not required <= value.keys() <= readers.keys():
            raise _wrong_type_error(f"object with the members {', '.join(readers)}")
        members, errors = {}, []
        for name in value:
            read, shape = readers[name]
            try:
                members[name] = read(value[name], shape)
            except Exception as error:
                error.add_note(AttributeValidationNote(f"member {name}", name, shape))
                errors.append(error)
        if errors:
            raise ClassValidationError("invalid members", errors, cls)
        return members

    return structure


def _model_reader(cls: Any) -> Reader:
    def structure(value: Any, _: Any) -> Any:
        try:
            return cls.model_validate(value)
        except Exception as error:
            raise IterableValidationError("refused", list(_model_errors(cls, error, value)), cls) from error

    return structure


def _model_errors(cls: type, error: Any, value: Any) -> Iterator[UnfitError]:
    """The problems that pydantic found, without the values, which pydantic would include."""
    if not hasattr(error, "error_count"):
        yield UnfitError(_rejection_message(cls, _reason(error)))
        return
    for problem in error.errors(include_input=False, include_url=False, include_context=False):
        path = _value_path(problem["loc"], value, missing=problem["type"] == "missing")
        yield UnfitError(_rejection_message(cls, problem["msg"]), path=path)


def _value_path(steps: tuple[str | int, ...], value: Any, *, missing: bool) -> tuple[str | int, ...]:
    """Pydantic's path without the steps that name a union member instead of a place in the value."""
    path: list[str | int] = []
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            continue
        path.append(step)
    return (*path, steps[-1]) if missing else tuple(path)


@frozen
class _UnionMember:
    """One member of a union."""

    shape: Shape
    kinds: frozenset[str]
    read: Reader
    fits: Callable[[Any], bool]


def union_reader(shapes: tuple[Shape, ...], converter: BaseConverter) -> Reader:
    """A reader for a union: of the members with a matching schema, uses the first that can build an object."""
    members = [
        _UnionMember(shape, kinds_of(shape), converter.get_structure_hook(shape), _schema_checker(shape))
        for shape in shapes
    ]
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


def _candidates(members: list[_UnionMember], kind: str) -> list[_UnionMember]:
    """The members that may accept a value of this JSON type. Members with the same Python type come first."""
    if kind not in NUMBERS:
        return [member for member in members if kind in member.kinds]
    numeric = [member for member in members if member.kinds & NUMBERS]
    return sorted(numeric, key=lambda member: ("number" in member.kinds) != (kind == "number"))


def _schema_checker(shape: Shape) -> Callable[[Any], bool]:
    @cache
    def validator() -> Any:
        import jsonschema_rs

        return jsonschema_rs.Draft202012Validator(shape_schema(shape), offline=True)

    def fits(value: Any) -> bool:
        return bool(validator().is_valid(value))

    return fits


def kinds_of(shape: Shape) -> frozenset[str]:
    """The JSON types that a value of this shape can have; `integer` means int and `number` means float."""
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
    """The JSON type of a value; a float is always a `number` here, even 1.0."""
    exact = _KINDS.get(type(value))
    if isinstance(value, Decimal):
        return "number"
    return exact or next((kind for base, kind in _KINDS.items() if isinstance(value, base)), "")
