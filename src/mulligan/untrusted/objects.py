"""Read attributes, type names and exception chains of foreign objects without trusting them.

An attribute of a foreign object may raise or do I/O, so `read_field` reads only what the object stores. A chain of
causes may be endless, so it is walked iteratively and within bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from types import FunctionType, TracebackType
from typing import Any

from mulligan.untrusted.classes import as_dict, exact, extra_fields, is_a, is_mapping, layout, stored_attributes
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str

MAX_EXCEPTIONS = 32

_MOST_STORED = 16
_PLAIN = frozenset((str, int))
_ARGS = BaseException.args.__get__  # type: ignore[attr-defined]
_CAUSE = BaseException.__cause__.__get__  # type: ignore[union-attr]
_TRACE = BaseException.__traceback__.__get__  # type: ignore[union-attr]
_MEMBERS = BaseExceptionGroup.exceptions.__get__


def read_attribute(value: object, name: str) -> Any:
    """Read an attribute of a foreign object; None if it does not exist or reading it fails.

    Args:
        value: any object.
        name: the attribute; a property is evaluated.
    """
    try:
        return getattr(value, name, None)
    except MUST_PROPAGATE:
        raise
    except BaseException:
        return None


def written_text(content: Any) -> str:
    """What a user wrote in a message: a text, or parts with a `text` or `content`, of which other kinds are left out.

    Args:
        content: of the message, in the shape of any provider or framework.
    """
    parts = content if isinstance(content, (list, tuple)) else (content,)
    return "\n".join(filter(None, map(_text_of_part, parts)))


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    read = part.get if is_a(part, Mapping) else partial(read_attribute, part)
    return next((text for text in (read("text"), read("content")) if isinstance(text, str)), "")


def call_safely(function: Callable[[], Any]) -> Any:
    """Call a foreign function; return its result, or None if it raises."""
    try:
        return function()
    except MUST_PROPAGATE:
        raise
    except BaseException:
        return None


def read_fields(value: Any, names: Iterable[str]) -> Iterator[Any]:
    """Yield the given attributes that an object stores and that are not None, without running foreign code.

    Instances of `str`, `int` or `list` subclasses are yielded as the base type. A name that is not stored is also
    looked up as `_name` and, with private name mangling, as `_Class__name`.

    Args:
        value: any object; for a mapping, its keys are read.
        names: the attributes, in order.
    """
    read = _stored(value)
    for name in names:
        found = read(name)
        if found is not None:
            yield found


def read_field(value: Any, *names: str) -> Any:
    """The first of the given attributes that exists and is not None, read as by `read_fields`.

    Args:
        value: any object; for a mapping, its keys are read.
        names: the attributes, in order of preference.
    """
    readers = _readers(type(value), names)
    if readers is None or stored_attributes(value):
        return next(read_fields(value, names), None)
    for read in readers:
        found = _slot(value, read)
        if found is not None:
            return found
    return None


def _find_readers(cls: type, names: tuple[str, ...]) -> tuple[Callable[[Any], Any], ...] | None:
    """What reads these attributes of an instance that stores nothing of its own; None if the class alone cannot say."""
    slots = layout(cls)
    if is_mapping(cls) or "__pydantic_extra__" in slots:
        return None
    return tuple(slots.get(name) or slots[f"_{name}"] for name in names if name in slots or f"_{name}" in slots)


_readers: Callable[[type, tuple[str, ...]], tuple[Callable[[Any], Any], ...] | None] = lru_cache(maxsize=2_048)(
    _find_readers
)


def _stored(value: Any) -> Callable[[str], Any]:
    """A function that reads one stored attribute of an object, or one key of a mapping; it returns None if there is none."""
    kind = type(value)
    if is_mapping(kind):
        return as_dict(value).get
    slots, attributes = layout(kind), stored_attributes(value)
    if "__pydantic_extra__" in slots:
        attributes = {**attributes, **extra_fields(value)}
    private = (
        {name.partition("__")[2] or name[1:]: name for name in attributes if name[:1] == "_"}
        if attributes
        else attributes
    )

    def read(name: str) -> Any:
        if name in attributes:
            return exact(attributes[name])
        if name in slots:
            return _slot(value, slots[name])
        if name in private:
            return exact(attributes[private[name]])
        hidden = slots.get(f"_{name}")
        return None if hidden is None else _slot(value, hidden)

    return read


def _slot(value: object, read: Callable[[object], Any]) -> Any:
    try:
        return exact(read(value))
    except MUST_PROPAGATE:
        raise
    except BaseException:  # a slot may be unset
        return None


def has_no_attributes(value: Any) -> bool:
    """Whether an object has no readable attribute."""
    return not stored_attributes(value) and layout(type(value)).keys() <= {"__dict__"}


def raised_with(exception: BaseException) -> tuple[Any, ...]:
    """The arguments that an exception was created with, even if its class redefines `args`."""
    stored: tuple[Any, ...] = _ARGS(exception)
    return stored if _PLAIN.issuperset(map(type, stored)) else tuple(map(exact, stored))


def trace(exception: BaseException) -> TracebackType | None:
    """The traceback of an exception, even if its class redefines `__traceback__`."""
    return _TRACE(exception)  # type: ignore[no-any-return]


@lru_cache(maxsize=2_048)
def methods(cls: type) -> frozenset[str]:
    """The names of a class's methods that are written in Python."""
    return frozenset(
        name for base in cls.__mro__ for name, found in vars(base).items() if isinstance(found, FunctionType)
    )


def type_name(value: object) -> str:
    """The qualified name of an object's type, without `builtins`."""
    cls = type(value)
    module, name = read_attribute(cls, "__module__"), read_attribute(cls, "__qualname__")
    text = safe_str(name, 200)
    return text if module in ("builtins", None) else f"{safe_str(module, 200)}.{text}"


def describe(exception: BaseException, limit: int = 300) -> str:
    """Format an exception as its type and text: `ValueError: no such city`.

    Args:
        exception: any exception; reading its text never fails.
        limit: the maximum length of its text.
    """
    return f"{type_name(exception)}: {safe_str(exception, limit)}"


def exception_chain(exception: BaseException) -> tuple[BaseException, ...]:
    """The exception, the members of groups, and its causes: at most 32, each once, outermost first.

    Causes are the exception named by `raise ... from`, and any that an exception stores or was created with, as when a
    client wraps a transport error. An implicit `__context__` is not followed: what a tool was handling when it failed
    says little about why it failed.

    Args:
        exception: the outermost exception.
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
    """Whether the exception clearly has no causes or members, as is common."""
    if _CAUSE(exception) is not None or stored_attributes(exception) or issubclass(type(exception), BaseExceptionGroup):
        return False
    return _PLAIN.issuperset(map(type, _ARGS(exception)))


def _stored_exceptions(exception: BaseException) -> Iterator[BaseException]:
    """The exceptions among an exception's arguments and attributes, including in containers and futures there."""
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
    """The first 32 exceptions of a group; empty for any other exception."""
    if not issubclass(type(exception), BaseExceptionGroup):
        return ()
    return tuple(_MEMBERS(exception)[:MAX_EXCEPTIONS])


def leaf_exceptions(exception: BaseException) -> list[BaseException]:
    """The innermost exceptions of nested groups, limited to the first few hundred."""
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
    """Unwrap nested groups of one exception, and classes such as `Wrapper(Cause)`; a group of several is returned as is."""
    if not issubclass(type(exception), BaseExceptionGroup) and not type(exception).__name__.endswith(")"):
        return exception
    for _ in range(10 * MAX_EXCEPTIONS * MAX_EXCEPTIONS):
        inner = _named_cause(exception) or group_members(exception)
        if len(inner) != 1:
            return exception
        exception = inner[0]
    return exception


def _named_cause(exception: BaseException) -> tuple[BaseException, ...]:
    """The exception in `cause`, if the class is one that an engine makes for it and names after it: `Wrapper(Cause)`.

    Such a class derives from that of the cause, but the fields of the cause are only in the cause.
    """
    cause = stored_attributes(exception).get("cause")
    if not isinstance(cause, BaseException) or not type(exception).__name__.endswith(f"({type(cause).__name__})"):
        return ()
    return (cause,)
