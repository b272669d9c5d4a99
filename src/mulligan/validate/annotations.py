"""Reads annotations: maps a Python type to the shape of the JSON values it accepts."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import sys
from collections.abc import (
    Callable,
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
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints
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

NO_DEFAULT: Final = dataclasses.MISSING
_BUILTIN_NAMES = {"str": str, "int": int, "float": float, "bool": bool}  # most annotations are one of these, as strings
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


@attrs.frozen
class Field:
    """One field of a class, or one parameter of a function.

    Attributes:
        name: the keyword of the class or function, and the name in JSON.
        shape: the shape of the annotation.
        required: whether it has no default.
        default: the default as a JSON value; `NO_DEFAULT` if there is none or JSON cannot represent it.
        description: its description in the docstring.
    """

    name: str
    shape: Shape
    required: bool = True
    default: Any = NO_DEFAULT
    description: str = ""


def fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of a TypedDict, NamedTuple, dataclass or attrs class.

    Raises:
        UsageError: an annotation cannot be resolved or has no schema; the message names the class and the field.
    """
    hints = _hints(cls)
    if is_typed_dict(cls):
        return tuple(_typed_dict_field(cls, name, hint) for name, hint in hints.items())
    if is_named_tuple(cls):
        return tuple(_named_tuple_fields(cls, hints))
    return tuple(_init_fields(cls, hints))


def json_default(value: Any) -> Any:
    """A default as a JSON value; `NO_DEFAULT` if JSON cannot represent it."""
    if isinstance(value, Enum):
        return json_default(value.value)
    if value is None or isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (PurePath, UUID, Decimal)):
        return str(value)
    if type(value) in (list, tuple):
        items = [json_default(item) for item in value]
        return NO_DEFAULT if NO_DEFAULT in items else items
    if type(value) is dict and all(isinstance(key, str) for key in value):
        members = {key: json_default(member) for key, member in value.items()}
        return NO_DEFAULT if NO_DEFAULT in members.values() else members
    return NO_DEFAULT


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise UsageError(
            f"the annotations of {cls.__qualname__} cannot be resolved ({error}). Define or import their names at the "
            "top of the module, outside functions and `if TYPE_CHECKING:`."
        ) from error


def _field(cls: type, name: str, hint: Any, required: bool, default: Any) -> Field:
    try:
        shape = shape_of(hint)
    except UsageError as error:
        raise UsageError(f"field {name!r} of {cls.__qualname__}: {error}") from error
    return Field(name, shape, required, NO_DEFAULT if required else json_default(default))


def _unannotated_error(cls: type, name: str) -> UsageError:
    return UsageError(f"field {name!r} of {cls.__qualname__} has no annotation. Annotate it, as in `{name}: str`.")


def _typed_dict_field(cls: Any, name: str, hint: Any) -> Field:
    bare, qualifiers = _strip_qualifiers(hint)
    required = "Required" in qualifiers if qualifiers else name in cls.__required_keys__
    return _field(cls, name, bare, required, NO_DEFAULT)


def _strip_qualifiers(hint: Any) -> tuple[Any, list[str]]:
    """Splits a TypedDict's annotation into the bare type and its `Required` and `NotRequired` qualifiers.

    `__required_keys__` alone is wrong on Python 3.11 if annotations are strings.
    """
    origin = get_origin(hint)
    qualifier = str(origin).rpartition(".")[2]
    if origin is Annotated:
        bare, qualifiers = _strip_qualifiers(hint.__origin__)
        return Annotated[(bare, *hint.__metadata__)], qualifiers
    if qualifier in ("Required", "NotRequired", "ReadOnly"):
        bare, qualifiers = _strip_qualifiers(get_args(hint)[0])
        return bare, qualifiers if qualifier == "ReadOnly" else [qualifier, *qualifiers]
    return hint, []


def _named_tuple_fields(cls: Any, hints: Mapping[str, Any]) -> Iterator[Field]:
    for name in cls._fields:
        if name not in hints:
            raise _unannotated_error(cls, name)
        yield _field(cls, name, hints[name], name not in cls._field_defaults, cls._field_defaults.get(name))


def _init_fields(cls: type, hints: Mapping[str, Any]) -> Iterator[Field]:
    """The parameters of `__init__` of a dataclass or attrs class."""
    names = {attribute.alias: attribute.name for attribute in attrs.fields(cls)} if attrs.has(cls) else {}
    factories = _factories(cls)
    for name, parameter in inspect.signature(cls).parameters.items():
        hint = hints.get(names.get(name, name), parameter.annotation)
        if hint is parameter.empty or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _unannotated_error(cls, name)
        if isinstance(hint, dataclasses.InitVar):
            hint = hint.type
        default = factories[name]() if name in factories else parameter.default
        yield _field(cls, name, hint, default is parameter.empty, default)


def _factories(cls: type) -> dict[str, Callable[[], Any]]:
    """The default factories by keyword. Only `list`, `dict` and `tuple` have defaults that JSON can represent."""
    factories: dict[str, Any]
    if attrs.has(cls):
        defaults = {attribute.alias: attribute.default for attribute in attrs.fields(cls)}
        factories = {name: default.factory for name, default in defaults.items() if isinstance(default, attrs.Factory)}  # type: ignore[arg-type]
    else:
        factories = {field.name: field.default_factory for field in dataclasses.fields(cls)}
        factories = {name: factory for name, factory in factories.items() if factory is not dataclasses.MISSING}
    return {name: factory if factory in (list, dict, tuple) else object for name, factory in factories.items()}


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
    raise _unsupported_error(annotation)


@lru_cache(maxsize=4_096)
def _is_simple(annotation: Any) -> bool:
    if annotation is None or annotation is Any or annotation in _SCALARS or annotation in _TEXTS:
        return True
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return all(type(value) in _SCALARS for value in arguments)
    return origin in (list, Union, UnionType) and all(map(_is_simple, arguments))


def is_simple(annotation: Any) -> bool:
    """Whether a resolved annotation certainly has a schema; False if only building the schema can show it."""
    try:
        return _is_simple(annotation)
    except TypeError:  # unhashable
        return False


def alias_shape(alias: Any) -> Shape:
    """The shape of the type that an alias names."""
    return shape_of(
        resolve_annotation(alias.__value__, vars(sys.modules[alias.__module__]), f"type alias {alias.__name__}")
    )


def resolve_annotation(annotation: Any, namespace: dict[str, Any], owner: str) -> Any:
    """Evaluates an annotation that is a string or contains one.

    Args:
        annotation: the annotation as written in the code.
        namespace: the global names of its module.
        owner: a description of the annotated object, for the error.

    Raises:
        UsageError: the annotation uses an unknown name.
    """
    if type(annotation) is type:
        return annotation
    if isinstance(annotation, str) and annotation in _BUILTIN_NAMES and annotation not in namespace:
        return _BUILTIN_NAMES[annotation]
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, globalns=namespace, include_extras=True)["it"]
    except (NameError, AttributeError, TypeError, SyntaxError) as error:
        raise UsageError(
            f"{owner}: the annotation {annotation!r} cannot be resolved ({error}). Define or import its names at the "
            "top of the module, outside functions and `if TYPE_CHECKING:`."
        ) from error


def is_typed_dict(cls: type) -> bool:
    """Whether a class is a TypedDict of `typing` or `typing_extensions`."""
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
        raise _unsupported_error(annotation)
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
    raise _unsupported_error(cls)


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
    for note in _flatten_notes(annotation.__metadata__):
        description = _description(note) or description
        for name, keywords in _KEYWORDS.items():
            value = _read_limit(note, name)
            if value is not None:
                limited = _add_limit(shape, keywords, _check_limit_value(name, value, annotation))
                if limited is None:
                    raise _inexpressible_error(name, value, annotation)
                shape = limited
    return Described(shape, description) if description else shape


def _read_limit(note: Any, name: str) -> Any:
    if isinstance(note, re.Pattern):
        return note if name == "pattern" else None
    value = getattr(note, name, None)
    return None if callable(value) else value


def _flatten_notes(notes: Iterable[Any]) -> Iterator[Any]:
    for note in notes:
        if not isinstance(note, type):
            yield note
            inner = getattr(note, "metadata", None)
            yield from _flatten_notes(inner) if isinstance(inner, (list, tuple)) else ()


def _description(note: Any) -> str:
    """The description in a plain string, an object such as `Field(description=...)`, or `Doc(...)`."""
    for text in (note, getattr(note, "description", None), getattr(note, "documentation", None)):
        if isinstance(text, str):
            return inspect.cleandoc(text)
    return ""


def _add_limit(shape: Shape, keywords: Mapping[str, str], value: Any) -> Shape | None:
    """Adds a limit to a shape; in a union, to each member that supports it. None if no member does."""
    match shape:
        case OneOf(members):
            limited = [_add_limit(member, keywords, value) for member in members]
            return OneOf(tuple(new or old for new, old in zip(limited, members, strict=True))) if any(limited) else None
        case Alias(alias):
            return _add_limit(alias_shape(alias), keywords, value)
        case Described(inner, description):
            changed = _add_limit(inner, keywords, value)
            return Described(changed, description) if changed else None
        case Limited(inner, limits):
            return Limited(inner, (*limits, (keywords[_family(inner)], value))) if _family(inner) in keywords else None
    return Limited(shape, ((keywords[_family(shape)], value),)) if _family(shape) in keywords else None


def _family(shape: Shape) -> str:
    if isinstance(shape, (Array, Map)):
        return "array" if isinstance(shape, Array) else "object"
    return _FAMILIES.get(shape, "")


def _check_limit_value(name: str, value: Any, annotation: Any) -> Any:
    if isinstance(value, re.Pattern) and value.flags == re.UNICODE:
        value = value.pattern
    if isinstance(value, Decimal) and value.is_finite():
        value = int(value) if value == value.to_integral_value() else float(value)
    allowed: tuple[type, ...] = {"pattern": (str,), "min_length": (int,), "max_length": (int,)}.get(name, (int, float))
    if type(value) in allowed and (type(value) is not float or math.isfinite(value)):
        return value
    raise _inexpressible_error(name, value, annotation)


def _inexpressible_error(name: str, value: Any, annotation: Any) -> UsageError:
    return UsageError(
        f"JSON Schema cannot express {name}={value!r} of {_name(annotation.__origin__)}: remove the limit from Annotated "
        "and check it inside the function"
    )


def _unsupported_error(annotation: Any) -> UsageError:
    return UsageError(
        f"{_name(annotation)} has no JSON Schema: {_SUPPORTED}. Use one of these and convert it inside the function, "
        "annotate it as Injected[...] if it is not for the model, or write the schema yourself (Tool.from_schema)"
    )


def _name(annotation: Any) -> str:
    return inspect.formatannotation(annotation)
