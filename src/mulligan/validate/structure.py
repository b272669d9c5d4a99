"""Builds the Python objects that annotations require from JSON values that match the schema.

If both are the same, there is nothing to do; plain numbers are converted by hand. cattrs builds everything else:
`converters` teaches it the meaning of each annotation, and is imported when a call first needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Any

from mulligan.errors import MulliganError, Problem
from mulligan.lazy import lazy
from mulligan.pointers import escape
from mulligan.validate.numbers import float_to_int

if TYPE_CHECKING:
    from mulligan.validate.types import Shape

Structure = Callable[[dict[str, Any]], dict[str, Any]]
_NumberTypes = frozenset[type]
_Cast = tuple[str, type, Callable[[Any], Any]]
_NO_NUMBERS: _NumberTypes = frozenset()
_SCALAR_TYPES = frozenset({"string", "integer", "number", "boolean", "null"})


class StructureError(MulliganError):
    """Values match the schema, but Python cannot build an object from them, such as a date from "2026-13-45".

    Attributes:
        problems: one `Problem` for each such value.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(f"{problem.pointer}: {problem.message}" for problem in problems))
        self.problems = problems


def make_structure(shapes: Mapping[str, Shape], keeps_digits: bool) -> Structure | None:
    """The function that converts valid JSON values to the keyword arguments of a function.

    It never changes its input. It returns the input itself if nothing has to change, and raises `StructureError` if a
    value cannot be converted.

    Args:
        shapes: the shape of each parameter's annotation.
        keeps_digits: whether one of them may contain a `Decimal`.

    Returns:
        The function; None if JSON values and Python objects are always the same.
    """
    if keeps_digits:
        return ObjectBuilder(_cast_numbers(()), shapes)
    casts: list[_Cast] = []
    objects = {}
    for name, shape in shapes.items():
        numbers = _number_types(shape, {})
        if numbers is None:
            objects[name] = shape
        elif numbers:
            casts.append((name, float, float_to_int) if int in numbers else (name, int, float))
    if objects:
        return ObjectBuilder(_cast_numbers(tuple(casts)), objects)
    return _cast_numbers(tuple(casts)) if casts else None


def _cast_numbers(casts: tuple[_Cast, ...]) -> Structure:
    """A function that converts between int and float: JSON does not distinguish 1 and 1.0, Python does."""

    def structure(arguments: dict[str, Any]) -> dict[str, Any]:
        built = arguments
        for name, other, number in casts:
            value = arguments.get(name)
            if type(value) is other:
                try:
                    built = {**built, name: number(value)}
                except OverflowError as error:
                    raise StructureError((_problem(error, (name,), arguments),)) from error
        return built

    return structure


class ObjectBuilder:
    """A structure that builds objects of other classes, whose own code may run.

    Args:
        cast: converts the plain numbers.
        shapes: the shapes of the parameters that need objects.
    """

    builds_objects = True

    def __init__(self, cast: Structure, shapes: Mapping[str, Shape]) -> None:
        self._cast = cast
        self._shapes = shapes

    @lazy
    def _build(self) -> Structure:
        from mulligan.validate.converters import arguments_reader

        return arguments_reader(self._shapes)

    def __call__(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments; raises `StructureError` if one of them cannot be built."""
        built = self._cast(arguments)
        try:
            return built | self._build(arguments)
        except Exception as error:
            raise StructureError(tuple(_problems(error, (), arguments))) from error


class DefaultFiller:
    """A structure that also passes a new copy of each default that was not sent, so that no call sees what another put there.

    Args:
        structure: converts what was sent; None if there is nothing to do.
        defaults: the defaults that a function could change, by parameter.
    """

    def __init__(self, structure: Structure | None, defaults: Mapping[str, Any]) -> None:
        self._structure = structure
        self._defaults = deepcopy(dict(defaults))
        self.builds_objects = builds_objects(structure)

    def __call__(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The keyword arguments; raises `StructureError` if one of them cannot be built."""
        built = arguments if self._structure is None else self._structure(arguments)
        missing = {name: deepcopy(value) for name, value in self._defaults.items() if name not in arguments}
        return {**built, **missing} if missing else built


def takes_only_scalars(schema: Mapping[str, Any]) -> bool:
    """Whether it is clear that no argument can be a list or an object.

    Args:
        schema: the JSON Schema of the arguments.
    """
    parts = schema.get("properties", {})
    is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
    return is_closed and isinstance(parts, Mapping) and all(map(_is_scalar, parts.values()))


def _is_scalar(part: Any) -> bool:
    forms = part.get("anyOf") if isinstance(part, Mapping) else None
    return all(map(_has_scalar_type, forms if isinstance(forms, (list, tuple)) and forms else [part]))


def _has_scalar_type(form: Any) -> bool:
    kind = form.get("type") if isinstance(form, Mapping) else None
    return isinstance(kind, str) and kind in _SCALAR_TYPES


def builds_objects(structure: Structure | None) -> bool:
    """Whether a structure builds objects of other classes, whose own code may run."""
    return getattr(structure, "builds_objects", False)


def _number_types(shape: Shape, enclosing: Mapping[Shape, _NumberTypes | None]) -> _NumberTypes | None:
    """The number types that a value may have to be converted to; None if it needs more than a number conversion.

    Args:
        shape: the shape of the annotation.
        enclosing: recursive types that are being examined, with the answer to assume for each.
    """
    from mulligan.validate import annotations
    from mulligan.validate import types as shapes

    match shape:
        case shapes.Scalar(kind):
            return frozenset({kind}) & {int, float}
        case shapes.Choice(options):
            enum = any(isinstance(option.python, Enum) for option in options)
            return None if enum else frozenset({option.type for option in options}) & {int}
        case shapes.OneOf(members):
            return _union_number_types([_number_types(member, enclosing) for member in members])
        case shapes.Limited(inner) | shapes.Described(inner):
            return _number_types(inner, enclosing)
        case shapes.Alias() | shapes.Record() if shape in enclosing:
            return enclosing[shape]
        case shapes.Alias(alias):
            inner = annotations.alias_shape(alias)
            return _number_types(inner, {**enclosing, shape: _NO_NUMBERS}) and _number_types(
                inner, {**enclosing, shape: None}
            )
        case shapes.Array(item, build) if build is list:
            return _all_plain([item], enclosing)
        case shapes.Map(key, value):
            return _all_plain([key, value], enclosing)
        case shapes.Record(cls) if annotations.is_typed_dict(cls):
            return _all_plain(_field_shapes(cls), {**enclosing, shape: _NO_NUMBERS})
    return None


def holds_decimal(shape: Shape, enclosing: frozenset[Shape] = frozenset()) -> bool:
    """Whether a value of a shape may contain a `Decimal`, which needs every digit that was sent.

    Args:
        shape: the shape of the annotation.
        enclosing: recursive types that are being examined.
    """
    from mulligan.validate import annotations
    from mulligan.validate import types as shapes

    if shape in enclosing:
        return False
    inner: list[Shape] = []
    match shape:
        case shapes.Model():
            return True  # a model reads its own members
        case shapes.Text(kind):
            return kind is Decimal
        case shapes.Array(item):
            inner = [item]
        case shapes.Row(members) | shapes.OneOf(members):
            inner = list(members)
        case shapes.Map(_, value):
            inner = [value]
        case shapes.Limited(member) | shapes.Described(member):
            inner = [member]
        case shapes.Alias(alias):
            inner = [annotations.alias_shape(alias)]
        case shapes.Record(cls):
            inner = _field_shapes(cls)
    return any(holds_decimal(member, enclosing | {shape}) for member in inner)


def _union_number_types(members: list[_NumberTypes | None]) -> _NumberTypes | None:
    numbers: set[type] = set()
    for member in members:
        if member is None:
            return None
        numbers |= member
    return frozenset(numbers) if len(numbers) == 1 else _NO_NUMBERS


def _all_plain(parts: list[Shape], enclosing: Mapping[Shape, _NumberTypes | None]) -> _NumberTypes | None:
    return _NO_NUMBERS if all(_number_types(part, enclosing) == _NO_NUMBERS for part in parts) else None


def _field_shapes(cls: type) -> list[Shape]:
    from mulligan.validate.annotations import fields_of

    return [field.shape for field in fields_of(cls)]


def _problems(error: Exception, path: tuple[str | int, ...], arguments: dict[str, Any]) -> Iterator[Problem]:
    """The problems in a tree of cattrs' exceptions; the notes of each exception give its place."""
    from cattrs.errors import ClassValidationError, IterableValidationError

    if isinstance(error, ClassValidationError):
        members, others = error.group_exceptions()
        noted = [(inner, (*path, note.name)) for inner, note in members]
    elif isinstance(error, IterableValidationError):
        items, others = error.group_exceptions()
        noted = [(inner, (*path, note.index)) for inner, note in items]
    else:
        yield _problem(error, path, arguments)
        return
    for inner, where in [*noted, *((other, path) for other in others)]:
        yield from _problems(inner, where, arguments)


def _problem(error: Exception, path: tuple[str | int, ...], arguments: dict[str, Any]) -> Problem:
    from mulligan.validate.descriptions import short_json
    from mulligan.validate.types import UnfitError

    if isinstance(error, OverflowError):
        unfit = UnfitError("too large", "number that fits a 64-bit float")
    else:
        unfit = error if isinstance(error, UnfitError) else UnfitError("cannot be read")
    got: Any = arguments
    pointer = ""
    for step in (*path, *unfit.path):
        pointer += f"/{escape(step)}"
        got = got[step] if isinstance(step, int) or step in got else None
    return Problem(pointer, unfit.message, unfit.expected, short_json(got))
