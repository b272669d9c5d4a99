"""Facts on foreign objects, read without trusting them: attributes, names of types, chains of exceptions.

An attribute of a foreign object may raise, or do I/O, so `read_field` reads only what the object stores. A chain of causes may
be endless, so walking it is iterative and bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import FunctionType, TracebackType
from typing import Any

from mulligan.untrusted.classes import as_dict, exact, extra_fields, is_a, layout, stored_attributes
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str

MAX_EXCEPTIONS = 32

_MOST_STORED = 16
_ARGS = BaseException.args.__get__  # type: ignore[attr-defined]
_CAUSE = BaseException.__cause__.__get__  # type: ignore[union-attr]
_TRACE = BaseException.__traceback__.__get__  # type: ignore[union-attr]
_MEMBERS = BaseExceptionGroup.exceptions.__get__


def read_attribute(value: object, name: str) -> Any:
    """An attribute of a foreign object, or None if it has none or reading it fails.

    Args:
        value: any object.
        name: the attribute; a property is asked.
    """
    try:
        return getattr(value, name, None)
    except MUST_PROPAGATE:
        raise
    except BaseException:
        return None


def call_safely(function: Callable[[], Any]) -> Any:
    """What a foreign function gives, or None where it raises.

    Args:
        function: what to call.
    """
    try:
        return function()
    except MUST_PROPAGATE:
        raise
    except BaseException:
        return None


def read_fields(value: Any, names: Iterable[str]) -> Iterator[Any]:
    """Those of some attributes that an object stores and that are not None; no foreign code runs.

    What a subclass of `str`, `int` or `list` holds is yielded as that. A name that is not stored is read as `_name` and, as
    a class keeps what is private to it, as `_Class__name`.

    Args:
        value: any object; of a mapping the keys are read.
        names: attributes.
    """
    kind = type(value)
    if issubclass(kind, Mapping):
        value = as_dict(value)
        yield from (value[name] for name in names if value.get(name) is not None)
        return
    slots, attributes = layout(kind), stored_attributes(value)
    if "__pydantic_extra__" in slots:
        attributes = {**attributes, **extra_fields(value)}
    private = (
        {name.partition("__")[2] or name[1:]: name for name in attributes if name[:1] == "_"}
        if attributes
        else attributes
    )
    for name in names:
        if name in attributes:
            attribute = attributes[name]
        elif name in slots:
            attribute = _slot(value, slots[name])
        elif name in private:
            attribute = attributes[private[name]]
        else:
            hidden = slots.get(f"_{name}")
            attribute = None if hidden is None else _slot(value, hidden)
        if attribute is not None:
            yield exact(attribute)


def _slot(value: object, read: Callable[[object], Any]) -> Any:
    return call_safely(lambda: read(value))  # a slot may hold nothing yet


def read_field(value: object, *names: str) -> Any:
    """The first of some attributes that is there and not None, read as `read_fields` reads them.

    Args:
        value: any object; of a mapping the keys are read.
        names: attributes.
    """
    return next(read_fields(value, names), None)


def has_no_attributes(value: Any) -> bool:
    """Whether an object has no attribute that could be read.

    Args:
        value: any object.
    """
    return not stored_attributes(value) and layout(type(value)).keys() <= {"__dict__"}


def raised_with(exception: BaseException) -> tuple[Any, ...]:
    """The arguments that an exception was made with, whatever its class calls `args`.

    Args:
        exception: any exception.
    """
    return tuple(map(exact, _ARGS(exception)))


def trace(exception: BaseException) -> TracebackType | None:
    """Where an exception was raised, whatever its class calls `__traceback__`.

    Args:
        exception: any exception.
    """
    return _TRACE(exception)  # type: ignore[no-any-return]


@lru_cache(maxsize=2_048)
def methods(cls: type) -> frozenset[str]:
    """The names of the methods of a class that are written in Python.

    Args:
        cls: any class.
    """
    return frozenset(
        name for base in cls.__mro__ for name, found in vars(base).items() if isinstance(found, FunctionType)
    )


def type_name(value: object) -> str:
    """The qualified name of an object's type, without `builtins`.

    Args:
        value: any object.
    """
    cls = type(value)
    module, name = read_attribute(cls, "__module__"), read_attribute(cls, "__qualname__")
    text = safe_str(name, 200)
    return text if module in ("builtins", None) else f"{safe_str(module, 200)}.{text}"


def describe(exception: BaseException, limit: int = 300) -> str:
    """An exception as its type and its text: `ValueError: no such city`.

    Args:
        exception: any exception; its text is read without failing.
        limit: the most characters of its text.
    """
    return f"{type_name(exception)}: {safe_str(exception, limit)}"


def exception_chain(exception: BaseException) -> tuple[BaseException, ...]:
    """The exception, the members of groups, and what caused it: at most 32, each once, outermost first.

    A cause is the one that `raise ... from` names, and any that an exception stores or was made from, as clients wrap
    what their transport raised. An implicit `__context__` is not followed: what a tool was handling when it failed says
    little of why it failed.

    Args:
        exception: the outermost.
    """
    if _is_single(exception):
        return (exception,)
    exceptions: list[BaseException] = []
    seen: set[int] = set()
    waiting: list[BaseException] = [exception]
    while waiting and len(exceptions) < MAX_EXCEPTIONS:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        exceptions.append(current)
        waiting += group_members(current)
        cause = _CAUSE(current)
        if cause is not None:
            waiting.append(cause)
        waiting += _stored_exceptions(current)
    return tuple(exceptions)


def _is_single(exception: BaseException) -> bool:
    """Whether there is plainly nothing but the one exception, as for most."""
    if _CAUSE(exception) is not None or stored_attributes(exception) or issubclass(type(exception), BaseExceptionGroup):
        return False
    return all(type(one) is str or type(one) is int for one in _ARGS(exception))


def _stored_exceptions(exception: BaseException) -> Iterator[BaseException]:
    """The exceptions among an exception's arguments and attributes, and in containers and futures there."""
    for value in (*_ARGS(exception)[:_MOST_STORED], *islice(stored_attributes(exception).values(), 2 * _MOST_STORED)):
        kind = type(value)
        if kind is str or kind is int or value is None:
            continue
        if issubclass(kind, BaseException):
            yield value
        elif kind is dict or kind is list or kind is tuple:
            inside = tuple(islice(value.values() if kind is dict else value, _MOST_STORED))
            yield from (inner for inner in inside if is_a(inner, BaseException))
        elif is_a(inner := stored_attributes(value).get("_exception"), BaseException):
            yield inner  # type: ignore[misc]


def group_members(exception: BaseException) -> tuple[BaseException, ...]:
    """The exceptions of a group (the first 32), or none.

    Args:
        exception: any exception.
    """
    if not issubclass(type(exception), BaseExceptionGroup):
        return ()
    return tuple(_MEMBERS(exception)[:MAX_EXCEPTIONS])


def leaf_exceptions(exception: BaseException) -> list[BaseException]:
    """The exceptions at the bottom of a group, in a group ...: the first few hundred.

    Args:
        exception: any exception.
    """
    found: list[BaseException] = []
    waiting, looked_at = [exception], 0
    while waiting and looked_at < MAX_EXCEPTIONS * MAX_EXCEPTIONS:
        looked_at += 1
        current = waiting.pop()
        inner = group_members(current)
        waiting += inner
        if not inner:
            found.append(current)
    return found


def unwrap_group(exception: BaseException) -> BaseException:
    """The one exception that a group of one, in a group of one ..., wraps; a group of several stays as it is.

    Args:
        exception: any exception.
    """
    if not issubclass(type(exception), BaseExceptionGroup):
        return exception
    for _ in range(10 * MAX_EXCEPTIONS * MAX_EXCEPTIONS):
        inner = group_members(exception)
        if len(inner) != 1:
            return exception
        exception = inner[0]
    return exception
