"""Annotations, read: from a Python type to the shape of the JSON values that fit it."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
    Sequence,
)
from collections.abc import Set as AbstractSet
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag
from functools import lru_cache
from pathlib import PurePath
from types import MappingProxyType, NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

import attrs

from mulligan.errors import UsageError
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
)

_WRITTEN = {"str": str, "int": int, "float": float, "bool": bool}  # most annotations are one of these, as text
_SCALARS = frozenset({str, int, float, bool, NoneType})
_TEXTS = frozenset({date, datetime, time, timedelta, UUID, Decimal, bytes})
_ARRAYS: Mapping[type, type] = MappingProxyType(
    {list: list, Sequence: list, MutableSequence: list, Iterable: list, Collection: list}
    | {set: set, MutableSet: set, AbstractSet: frozenset, frozenset: frozenset}
)
_MAPS = frozenset({dict, Mapping, MutableMapping})
_KEYWORDS = MappingProxyType(
    {
        "ge": {"number": "minimum"},
        "gt": {"number": "exclusiveMinimum"},
        "le": {"number": "maximum"},
        "lt": {"number": "exclusiveMaximum"},
        "multiple_of": {"number": "multipleOf"},
        "min_length": {"string": "minLength", "array": "minItems", "object": "minProperties"},
        "max_length": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
        "pattern": {"string": "pattern"},
    }
)
_FAMILIES: Mapping[Shape, str] = MappingProxyType(
    {Scalar(int): "number", Scalar(float): "number", Text(Decimal): "number", Scalar(str): "string"}
)
_SUPPORTED = (
    "supported are str, int, float, bool, None, Any, Literal, Enum, Optional, Union, list, tuple, set, dict, "
    "TypedDict, NamedTuple, dataclasses, attrs classes, pydantic models, date, datetime, time, timedelta, UUID, Path, "
    "Decimal, bytes, NewType, type aliases and Annotated"
)


def shape_of(annotation: Any) -> Shape:
    """The shape of a resolved annotation.

    Raises:
        UsageError: the type is not supported.
    """
    origin = get_origin(annotation)
    if annotation is Any or annotation is object:
        return Scalar(object)
    if annotation is None:
        return Scalar(NoneType)
    if origin is Annotated:
        return _annotated_shape(annotation)
    if origin is Literal:
        return _choice(annotation, get_args(annotation))
    if origin is Union or origin is UnionType:
        return OneOf(tuple(shape_of(member) for member in get_args(annotation)))
    if hasattr(annotation, "__supertype__"):
        return shape_of(annotation.__supertype__)
    if type(annotation).__name__ == "TypeAliasType":
        return Alias(annotation)
    if isinstance(origin or annotation, type):
        return _class_shape(annotation, origin or annotation, get_args(annotation))
    raise _unsupported(annotation)


@lru_cache(maxsize=4_096)
def _is_simple(annotation: Any) -> bool:
    if annotation is None or annotation is Any or annotation in _SCALARS or annotation in _TEXTS:
        return True
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return all(type(value) in _SCALARS for value in arguments)
    return origin in (list, Union, UnionType) and all(map(_is_simple, arguments))


def is_simple(annotation: Any) -> bool:
    """Whether it is plain that a resolved annotation has a schema; no means that one has to look.

    Args:
        annotation: the annotation.
    """
    try:
        return _is_simple(annotation)
    except TypeError:  # not hashable
        return False


def alias_shape(alias: Any) -> Shape:
    """What a type alias stands for."""
    return shape_of(resolve(alias.__value__, vars(sys.modules[alias.__module__]), f"type alias {alias.__name__}"))


def resolve(annotation: Any, namespace: dict[str, Any], owner: str) -> Any:
    """Evaluate an annotation that is a string or holds one.

    Args:
        annotation: as it stands in the code.
        namespace: the global names of the module that it stands in.
        owner: whose annotation it is, for the error.

    Raises:
        UsageError: a name is not known there.
    """
    if type(annotation) is type:
        return annotation
    if isinstance(annotation, str) and annotation in _WRITTEN and annotation not in namespace:
        return _WRITTEN[annotation]
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, globalns=namespace, include_extras=True)["it"]
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise UsageError(
            f"{owner}: the annotation {annotation!r} cannot be resolved ({error}). Define or import its names at the "
            "top of the module, outside functions and `if TYPE_CHECKING:`."
        ) from error


def is_typed_dict(cls: type) -> bool:
    """Whether a class is a TypedDict, of typing or typing_extensions."""
    return issubclass(cls, dict) and hasattr(cls, "__required_keys__")


def is_named_tuple(cls: type) -> bool:
    """Whether a class is a NamedTuple."""
    return issubclass(cls, tuple) and hasattr(cls, "_field_defaults")


def _class_shape(annotation: Any, cls: type, arguments: tuple[Any, ...]) -> Shape:
    if cls in _ARRAYS:
        return _array(arguments, _ARRAYS[cls])
    if cls in _MAPS:
        key, value = arguments or (Any, Any)
        return Map(_key_shape(key), shape_of(value))
    if cls is tuple:
        return _tuple(arguments) if hasattr(annotation, "__args__") else Array(Scalar(object), tuple)
    if arguments:
        raise _unsupported(annotation)
    return _plain_class_shape(cls)


def _plain_class_shape(cls: type) -> Shape:
    if cls in _SCALARS:
        return Scalar(cls)
    if cls in _TEXTS or issubclass(cls, PurePath):
        return Text(cls)
    if issubclass(cls, Enum) and not issubclass(cls, Flag):
        return _choice(cls, tuple(cls))
    if callable(getattr(cls, "model_json_schema", None)) and callable(getattr(cls, "model_validate", None)):
        return Model(cls)
    if is_dataclass(cls) or attrs.has(cls) or is_typed_dict(cls) or is_named_tuple(cls):
        return Record(cls)
    raise _unsupported(cls)


def _choice(annotation: Any, values: tuple[Any, ...]) -> Choice:
    options = []
    for value in values:
        sent = value.value if isinstance(value, Enum) else value
        if type(sent) not in _SCALARS:
            raise UsageError(
                f"{_name(annotation)} has the value {sent!r}, which JSON cannot represent: use str, int, float, bool or None"
            )
        options.append(Option(type(sent), sent, value))
    return Choice(tuple(options))


def _array(arguments: tuple[Any, ...], build: type) -> Array:
    item = arguments[0] if arguments else Any
    if issubclass(build, (set, frozenset)) and getattr(get_origin(item) or item, "__hash__", True) is None:
        raise UsageError(f"{_name(item)} is not hashable and cannot be in a {build.__name__}: use a list of them")
    return Array(shape_of(item), build)


def _tuple(arguments: tuple[Any, ...]) -> Array | Row:
    if arguments[1:] == (...,):
        return Array(shape_of(arguments[0]), tuple)
    return Row(tuple(shape_of(item) for item in arguments))


def _key_shape(annotation: Any) -> Shape:
    shape = shape_of(annotation)
    while isinstance(shape, (Alias, Described)):
        shape = alias_shape(shape.type) if isinstance(shape, Alias) else shape.shape
    bare = shape.shape if isinstance(shape, Limited) else shape
    if shape == Scalar(object):
        return Scalar(str)
    if shape == Scalar(int):
        return Text(int)
    texts = isinstance(shape, Choice) and all(option.type is str for option in shape.options)
    if texts or bare == Scalar(str) or isinstance(shape, Text):
        return shape
    raise UsageError(
        f"{_name(annotation)} cannot be the key of a dict, since JSON keys are strings: use str, int, a Literal or "
        "Enum of str, date, datetime, UUID or Path"
    )


def _annotated_shape(annotation: Any) -> Shape:
    shape, description = shape_of(annotation.__origin__), ""
    for note in _flat(annotation.__metadata__):
        description = _description(note) or description
        for name, keywords in _KEYWORDS.items():
            value = _limit_in(note, name)
            if value is not None:
                limited = _limit(shape, keywords, _limit_value(name, value, annotation))
                if limited is None:
                    raise _inexpressible(name, value, annotation)
                shape = limited
    return Described(shape, description) if description else shape


def _limit_in(note: Any, name: str) -> Any:
    if isinstance(note, re.Pattern):
        return note if name == "pattern" else None
    value = getattr(note, name, None)
    return None if callable(value) else value


def _flat(notes: Iterable[Any]) -> Iterator[Any]:
    for note in notes:
        if not isinstance(note, type):
            yield note
            inner = getattr(note, "metadata", None)
            yield from _flat(inner) if isinstance(inner, (list, tuple)) else ()


def _description(note: Any) -> str:
    """The text of a plain string, of `Field(description=...)` and its like, or of `Doc(...)`."""
    for text in (note, getattr(note, "description", None), getattr(note, "documentation", None)):
        if isinstance(text, str):
            return inspect.cleandoc(text)
    return ""


def _limit(shape: Shape, keywords: Mapping[str, str], value: Any) -> Shape | None:
    """The shape with one more limit, on those members of a union that can have it; None where none can."""
    match shape:
        case OneOf(members):
            limited = [_limit(member, keywords, value) for member in members]
            return OneOf(tuple(new or old for new, old in zip(limited, members, strict=True))) if any(limited) else None
        case Alias(alias):
            return _limit(alias_shape(alias), keywords, value)
        case Described(inner, description):
            changed = _limit(inner, keywords, value)
            return Described(changed, description) if changed else None
        case Limited(inner, limits):
            return Limited(inner, (*limits, (keywords[_family(inner)], value))) if _family(inner) in keywords else None
    return Limited(shape, ((keywords[_family(shape)], value),)) if _family(shape) in keywords else None


def _family(shape: Shape) -> str:
    if isinstance(shape, (Array, Map)):
        return "array" if isinstance(shape, Array) else "object"
    return _FAMILIES.get(shape, "")


def _limit_value(name: str, value: Any, annotation: Any) -> Any:
    if isinstance(value, re.Pattern) and value.flags == re.UNICODE:
        value = value.pattern
    if isinstance(value, Decimal) and value.is_finite():
        value = int(value) if value == value.to_integral_value() else float(value)
    wanted: tuple[type, ...] = {"pattern": (str,), "min_length": (int,), "max_length": (int,)}.get(name, (int, float))
    if type(value) in wanted and (type(value) is not float or math.isfinite(value)):
        return value
    raise _inexpressible(name, value, annotation)


def _inexpressible(name: str, value: Any, annotation: Any) -> UsageError:
    return UsageError(
        f"JSON Schema cannot express {name}={value!r} of {_name(annotation.__origin__)}: remove the limit from Annotated "
        "and check it inside the function"
    )


def _unsupported(annotation: Any) -> UsageError:
    return UsageError(
        f"{_name(annotation)} has no JSON Schema: {_SUPPORTED}. Use one of these and convert it inside the function, "
        "annotate it as Injected[...] if it is not for the model, or write the schema yourself (Tool.from_schema)"
    )


def _name(annotation: Any) -> str:
    return inspect.formatannotation(annotation)
