"""The fields of a class and the parameters of a function, in the one form that `schema` and `structure` read."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints
from uuid import UUID

import attrs

from mulligan.errors import UsageError
from mulligan.validate.annotations import is_named_tuple, is_typed_dict, shape_of
from mulligan.validate.types import Shape

MISSING: Final = dataclasses.MISSING


@attrs.frozen
class Field:
    """One field of a class, or one parameter of a function.

    Attributes:
        name: the keyword that the class or function takes, and the name in JSON.
        shape: what the annotation says.
        required: whether it must be given.
        default: the default as a JSON value, or MISSING where there is none or JSON cannot show it.
        description: what the docstring says about it.
    """

    name: str
    shape: Shape
    required: bool = True
    default: Any = MISSING
    description: str = ""


def fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of a TypedDict, NamedTuple, dataclass or attrs class.

    Raises:
        UsageError: an annotation cannot be resolved or has no schema; the text names the class and the field.
    """
    hints = _hints(cls)
    if is_typed_dict(cls):
        return tuple(_typed_dict_field(cls, name, hint) for name, hint in hints.items())
    if is_named_tuple(cls):
        return tuple(_named_tuple_fields(cls, hints))
    return tuple(_init_fields(cls, hints))


def json_default(value: Any) -> Any:
    """A default as a JSON value, or MISSING where JSON cannot show it."""
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
        return MISSING if MISSING in items else items
    if type(value) is dict and all(isinstance(key, str) for key in value):
        members = {key: json_default(member) for key, member in value.items()}
        return MISSING if MISSING in members.values() else members
    return MISSING


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
    return Field(name, shape, required, MISSING if required else json_default(default))


def _unannotated(cls: type, name: str) -> UsageError:
    return UsageError(f"field {name!r} of {cls.__qualname__} has no annotation. Annotate it, as in `{name}: str`.")


def _typed_dict_field(cls: Any, name: str, hint: Any) -> Field:
    bare, qualifiers = _unqualified(hint)
    required = "Required" in qualifiers if qualifiers else name in cls.__required_keys__
    return _field(cls, name, bare, required, MISSING)


def _unqualified(hint: Any) -> tuple[Any, list[str]]:
    """A TypedDict's annotation without its qualifiers, and those of them that say whether it is required.

    `__required_keys__` alone is wrong on Python 3.11 where annotations are strings.
    """
    origin = get_origin(hint)
    qualifier = str(origin).rpartition(".")[2]
    if origin is Annotated:
        bare, qualifiers = _unqualified(hint.__origin__)
        return Annotated[(bare, *hint.__metadata__)], qualifiers
    if qualifier in ("Required", "NotRequired", "ReadOnly"):
        bare, qualifiers = _unqualified(get_args(hint)[0])
        return bare, qualifiers if qualifier == "ReadOnly" else [qualifier, *qualifiers]
    return hint, []


def _named_tuple_fields(cls: Any, hints: Mapping[str, Any]) -> Iterator[Field]:
    for name in cls._fields:
        if name not in hints:
            raise _unannotated(cls, name)
        yield _field(cls, name, hints[name], name not in cls._field_defaults, cls._field_defaults.get(name))


def _init_fields(cls: type, hints: Mapping[str, Any]) -> Iterator[Field]:
    """What `__init__` of a dataclass or attrs class takes."""
    names = {attribute.alias: attribute.name for attribute in attrs.fields(cls)} if attrs.has(cls) else {}
    factories = _factories(cls)
    for name, parameter in inspect.signature(cls).parameters.items():
        hint = hints.get(names.get(name, name), parameter.annotation)
        if hint is parameter.empty or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise _unannotated(cls, name)
        if isinstance(hint, dataclasses.InitVar):
            hint = hint.type
        default = factories[name]() if name in factories else parameter.default
        yield _field(cls, name, hint, default is parameter.empty, default)


def _factories(cls: type) -> dict[str, Callable[[], Any]]:
    """The default factories by keyword. One that is not a plain container counts as a default that JSON cannot show."""
    found: dict[str, Any]
    if attrs.has(cls):
        defaults = {attribute.alias: attribute.default for attribute in attrs.fields(cls)}
        found = {name: default.factory for name, default in defaults.items() if isinstance(default, attrs.Factory)}  # type: ignore[arg-type]
    else:
        found = {field.name: field.default_factory for field in dataclasses.fields(cls)}
        found = {name: factory for name, factory in found.items() if factory is not dataclasses.MISSING}
    return {name: factory if factory in (list, dict, tuple) else object for name, factory in found.items()}
