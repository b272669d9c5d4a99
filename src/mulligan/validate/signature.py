"""Reads a function's signature and docstring as the parameters of a tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce
from operator import or_
from types import FunctionType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin
from weakref import WeakKeyDictionary

from mulligan.deadline import Deadline
from mulligan.errors import UsageError

if TYPE_CHECKING:
    from mulligan.validate.annotations import Field
    from mulligan.validate.schema import Docstring

Function = Callable[..., Any]
T = TypeVar("T")
_LAMBDA = "<lambda>"
_UNSUPPORTED_KINDS = (
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.POSITIONAL_ONLY,
)


_known_hints: WeakKeyDictionary[Function, Mapping[str, Any]] = WeakKeyDictionary()


class _InjectedMarker:
    def __repr__(self) -> str:
        return "Injected"


_INJECTED = _InjectedMarker()

Injected = Annotated[T, _INJECTED]
"""`Injected[Database]` is `Database` to a type checker; the model never sees the parameter, the host fills it."""


class Parameters(NamedTuple):
    """The parameters of a tool.

    Attributes:
        schema: the closed JSON Schema of the arguments that the model sends.
        injected: the types of the parameters that are hidden from the model, by name.
        structure: converts valid JSON values to a new dict of keyword arguments, or raises `StructureError`; None if no
            conversion is needed.
        keeps_digits: whether a value may contain a `Decimal`.
    """

    schema: dict[str, Any]
    injected: dict[str, Any]
    structure: Callable[[dict[str, Any]], dict[str, Any]] | None
    keeps_digits: bool


def is_injected(annotation: Any) -> bool:
    """Whether an annotation is `Injected[...]` or `Deadline`, or a union with one, as in `Injected[Database] | None`."""
    if annotation is Deadline:
        return True
    origin = get_origin(annotation)
    if origin is Annotated:
        return _INJECTED in annotation.__metadata__ or is_injected(annotation.__origin__)
    return origin in (Union, UnionType) and any(is_injected(member) for member in get_args(annotation))


def check_signature(function: Function) -> None:
    """Refuses a function that cannot be a tool; cheap enough to run at registration.

    Raises:
        UsageError: the message names the function, the parameter and the next step.
    """
    if not callable(function):
        raise UsageError(f"a tool needs a function, not {function!r}")
    for _ in _open_parameters(function):
        pass


def takes_any(function: Function) -> bool:
    """Whether a function takes arguments beside its parameters, or has no signature that says that it does not.

    Args:
        function: any callable.
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return True
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def values_by_name(model: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as a model of pydantic reads them, by the names that were sent; those that it ignores are left out.

    Args:
        model: the class, whose fields may have an alias.
        arguments: JSON values by name.

    Raises:
        ValueError: pydantic's, if the model does not take them.
    """
    read = model.model_validate(arguments)
    fields = {field.alias or name: name for name, field in model.model_fields.items()}
    sent = {name: fields.get(name, name) for name in arguments}
    return {name: getattr(read, field) for name, field in sent.items() if field in read.model_fields_set}


def read_description(function: Function) -> str:
    """The docstring of a function, without the sections on parameters, result and exceptions."""
    return _docstring(function).text


def read_parameters(function: Function) -> Parameters:
    """The parameters of a function as JSON Schema, and the converter of its arguments.

    Raises:
        UsageError: the message names the function, the parameter and the next step.
    """
    from mulligan.validate.schema import object_schema
    from mulligan.validate.structure import DefaultFiller, holds_decimal, make_structure

    hints = _hints(function)
    injected = _injected(hints)
    texts = _docstring(function).parameters if len(injected) < len(hints) else {}
    fields = [
        _field(function, parameter, hints[parameter.name], texts.get(parameter.name, ""))
        for parameter in _open_parameters(function)
        if parameter.name not in injected
    ]
    try:
        keeps_digits = any(holds_decimal(field.shape) for field in fields)
        structure = make_structure({field.name: field.shape for field in fields}, keeps_digits)
        if any(isinstance(field.default, (list, dict)) for field in fields):
            structure = DefaultFiller(structure, _mutable_defaults(function, fields))
        return Parameters(object_schema(fields), injected, structure, keeps_digits)
    except UsageError as error:
        raise UsageError(f"{_qualified_name(function)}{_failing_parameter(fields)}: {error}") from error


def _mutable_defaults(function: Function, fields: list[Field]) -> dict[str, Any]:
    """The defaults that the schema states as lists or objects."""
    names = {field.name for field in fields if isinstance(field.default, (list, dict))}
    return {one.name: one.default for one in _open_parameters(function) if one.name in names}


def _failing_parameter(fields: list[Field]) -> str:
    """The parameter without a schema, as text for the error."""
    from mulligan.validate.schema import object_schema

    for field in fields:
        try:
            object_schema([field])
        except UsageError:
            return f", parameter {field.name!r}"
    return ""


def check_annotations(function: Function) -> None:
    """Refuses a function if its parameters cannot be described. Builds the schema only if that can fail.

    Raises:
        UsageError: the message names the function, the parameter and the next step.
    """
    from mulligan.validate.annotations import is_simple

    if not all(map(is_simple, _hints(function).values())):
        read_parameters(function)


def visible_parameter_names(function: Function) -> list[str]:
    """The names of the parameters that the model sees, without building their schema."""
    return [name for name, hint in _hints(function).items() if not is_injected(hint)]


def parameter_names(function: Function) -> list[str]:
    """The names of all parameters that a call can pass, without reading their annotations."""
    return [parameter.name for parameter in _open_parameters(function)]


def function_name(function: Function) -> str:
    """The name of a function: for a `partial`, that of the wrapped function; for a callable object, that of its class.

    Raises:
        UsageError: the function is a lambda, which has no name.
    """
    whole = _unwrap_partials(function)
    name = getattr(whole, "__name__", None) or type(whole).__name__
    if name == _LAMBDA:
        raise UsageError(
            "a lambda has no name for a model to call. Write a function with `def`, or name it, as in "
            "Tool.from_function(..., name='add')."
        )
    return str(name)


def read_injected(function: Function) -> dict[str, Any]:
    """Only the types of the injected parameters, for a function with a handwritten schema.

    Raises:
        UsageError: the message names the function, the parameter and the next step.
    """
    return _injected(_hints(function))


def _injected(hints: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _without_marker(hint) for name, hint in hints.items() if is_injected(hint)}


def _open_parameters(function: Function) -> Iterator[inspect.Parameter]:
    """The parameters that no `partial` has bound."""
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError, NameError) as error:
        raise UsageError(
            f"{_qualified_name(function)}: its signature cannot be read ({error}). Wrap it in a function with "
            "annotated parameters."
        ) from error
    bound = _bound_arguments(function)
    for name, parameter in parameters.items():
        if name not in bound:
            if parameter.kind in _UNSUPPORTED_KINDS or parameter.annotation is parameter.empty:
                raise UsageError(f"{_qualified_name(function)}: {_describe_problem(function, parameter)}")
            yield parameter


def _describe_problem(function: Function, parameter: inspect.Parameter) -> str:
    name, called = parameter.name, inspect.unwrap(_called_function(function))
    if name in ("self", "cls") and parameter.annotation is parameter.empty:
        return f"it is an unbound method with the parameter {name!r}. Pass the bound method, as in `thing.method`."
    if not (isinstance(called, type) or hasattr(called, "__code__")):
        return "it is not written in Python, so its parameters have no annotations. Write a function that calls it."
    if called.__name__ == _LAMBDA:
        return f"a lambda's parameters cannot be annotated. Write a function with `def`, with parameters such as `{name}: str`."
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{name} has no parameter names for a model to use. Declare a parameter such as `{name}: list[str]` instead."
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"**{name} hides the names of its arguments. Make each one a parameter, or use Tool.from_schema."
    if parameter.kind is parameter.POSITIONAL_ONLY:
        return f"the parameter {name!r} is positional-only, but arguments are passed by name. Remove the `/`."
    return f"the parameter {name!r} has no annotation. Annotate it, as in `{name}: str`."


def _bound_arguments(function: Function) -> Mapping[str, Any]:
    bound: dict[str, Any] = {}
    while isinstance(function, partial):
        bound |= function.keywords
        function = function.func
    return bound


def _hints(function: Function) -> Mapping[str, Any]:
    """The types of the parameters by name. Those of a plain function are resolved once: checking and describing need them."""
    if type(function) is not FunctionType:
        return _resolve_hints(function)
    hints = _known_hints.get(function)
    if hints is None:
        hints = _known_hints[function] = _resolve_hints(function)
    return hints


def _resolve_hints(function: Function) -> Mapping[str, Any]:
    from mulligan.validate.annotations import resolve_annotation

    namespace, name = _namespace(function), _qualified_name(function)
    return {
        parameter.name: resolve_annotation(parameter.annotation, namespace, f"{name}, parameter {parameter.name!r}")
        for parameter in _open_parameters(function)
    }


def _field(function: Function, parameter: inspect.Parameter, hint: Any, text: str) -> Field:
    from mulligan.validate.annotations import NO_DEFAULT, Field, json_default, shape_of

    try:
        shape = shape_of(hint)
    except UsageError as error:
        raise UsageError(f"{_qualified_name(function)}, parameter {parameter.name!r}: {error}") from error
    if parameter.default is parameter.empty:
        return Field(parameter.name, shape, True, NO_DEFAULT, text)
    return Field(parameter.name, shape, False, json_default(parameter.default), text)


def _without_marker(hint: Any) -> Any:
    """`Injected[T]` as `T`, with all other annotations kept."""
    if get_origin(hint) is not Annotated:
        union = get_origin(hint) is not None and is_injected(hint)
        return reduce(or_, map(_without_marker, get_args(hint))) if union else hint
    notes = tuple(note for note in hint.__metadata__ if note is not _INJECTED)
    return Annotated[(hint.__origin__, *notes)] if notes else hint.__origin__


def _docstring(function: Function) -> Docstring:
    from mulligan.validate.schema import read_docstring

    return read_docstring(_called_function(function).__doc__ or _unwrap_partials(function).__doc__)


def _unwrap_partials(function: Any) -> Any:
    """The function inside a `partial`."""
    while isinstance(function, partial):
        function = function.func
    return function


def _called_function(function: Any) -> Any:
    """The function that finally runs: for a callable object, its `__call__`."""
    function = _unwrap_partials(function)
    runs = inspect.isroutine(function) or isinstance(function, type) or hasattr(function, "__wrapped__")
    return function if runs else type(function).__call__


def _namespace(function: Function) -> dict[str, Any]:
    """The global names of the module that defines the function, with decorators unwrapped."""
    called = _called_function(function)
    called = inspect.unwrap(called.__init__ if isinstance(called, type) else called)  # type: ignore[misc]
    return getattr(called, "__globals__", {})


def _qualified_name(function: Function) -> str:
    whole = _unwrap_partials(function)
    return getattr(whole, "__qualname__", None) or type(whole).__qualname__


def is_async_callable(function: Any) -> bool:
    """Whether a callable is a coroutine function or an async generator function; partials are unwrapped.

    Args:
        function: a function, a method, a partial, or an object with `__call__`.
    """
    while isinstance(function, partial):
        function = function.func
    run = function if inspect.isroutine(function) else type(function).__call__
    return inspect.iscoroutinefunction(run) or inspect.isasyncgenfunction(run)
