"""Facts on foreign objects, read without trusting them: attributes, names of types, chains of exceptions.

An attribute of a foreign object may raise, or do I/O, so `field` reads what the object stores and asks a property only
where its getter calls nothing. A chain of causes may be endless, so walking it is iterative and bounded.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from mulligan.untrusted.text import safe_str

MAX_EXCEPTIONS = 32
_PASSING = (KeyboardInterrupt, GeneratorExit)
_STORED = (MemberDescriptorType, GetSetDescriptorType, type(namedtuple("_", "x").x))  # type: ignore[attr-defined]
_DOING = ("CALL", "IMPORT", "BACKWARD", "FOR_ITER", "YIELD", "SEND", "WITH")
_HELD = 16
_ARGS = BaseException.args.__get__  # type: ignore[attr-defined]
_CAUSE = BaseException.__cause__.__get__  # type: ignore[union-attr]


def look(value: object, name: str) -> Any:
    """An attribute of a foreign object, or None if it has none or reading it fails.

    Args:
        value: any object.
        name: the attribute; a property is asked.
    """
    try:
        return getattr(value, name, None)
    except _PASSING:
        raise
    except BaseException:
        return None


def guarded(function: Callable[[], Any]) -> Any:
    """What a foreign function gives, or None where it raises.

    Args:
        function: what to call.
    """
    try:
        return function()
    except _PASSING:
        raise
    except BaseException:
        return None


def stored(value: object) -> Mapping[str, Any]:
    """The attributes that an object itself stores.

    Args:
        value: any object.
    """
    try:
        own = object.__getattribute__(value, "__dict__")
    except _PASSING:
        raise
    except BaseException:
        return {}
    return own if type(own) is dict else {}


def fields(value: object, names: Iterable[str]) -> Iterator[Any]:
    """Those of some attributes that are there and not None, without running foreign code that may do I/O.

    Args:
        value: any object; of a mapping the keys are read.
        names: attributes; a property whose getter calls something is read as `_name`.
    """
    readable = _readable(type(value))  # type: ignore[arg-type]
    if readable is None:
        value = as_dict(value)
        yield from (value[name] for name in names if value.get(name) is not None)
        return
    own = stored(value)
    if not own and not readable:
        return
    for name in names:
        if name in own:
            found = own[name]
        elif name in readable:
            found = look(value, name)
        else:
            found = own.get(f"_{name}")
        if found is not None:
            yield found


def field(value: object, *names: str) -> Any:
    """The first of some attributes that is there and not None, read as `fields` reads them.

    Args:
        value: any object; of a mapping the keys are read.
        names: attributes.
    """
    return next(fields(value, names), None)


def as_dict(value: Any) -> dict[Any, Any]:
    """A foreign mapping as a plain one, its first 1,000 items; empty where it cannot be read.

    Args:
        value: the mapping.
    """
    return value if type(value) is dict else guarded(lambda: dict(islice(value.items(), 1_000))) or {}


@lru_cache(maxsize=2_048)
def _readable(cls: type) -> frozenset[str] | None:
    """The attributes of a class that can be read without running code that calls anything; None for a mapping."""
    if issubclass(cls, Mapping):
        return None
    found: dict[str, bool] = {}
    for base in cls.__mro__[:-1]:
        if base is not BaseException and base is not Exception:
            for name, attribute in tuple(vars(base).items()):
                found.setdefault(name, not name.startswith("_") and _is_harmless(attribute))
    return frozenset(name for name, harmless in found.items() if harmless)


def stores_nothing(value: object) -> bool:
    """Whether an object has no attribute that could be read.

    Args:
        value: any object.
    """
    return not stored(value) and _readable(type(value)) == frozenset()  # type: ignore[arg-type]


@lru_cache(maxsize=2_048)
def methods(cls: type) -> frozenset[str]:
    """The names of the methods of a class that are written in Python.

    Args:
        cls: any class.
    """
    return frozenset(
        name for base in cls.__mro__ for name, found in vars(base).items() if isinstance(found, FunctionType)
    )


def _is_harmless(attribute: object) -> bool:
    if isinstance(attribute, _STORED) or not hasattr(type(attribute), "__get__"):
        return True
    return isinstance(attribute, property) and _only_fetches(attribute.fget)


def _only_fetches(getter: object) -> bool:
    """Whether a getter written in Python calls nothing and does not loop."""
    code = getattr(getter, "__code__", None)
    if code is None:
        return False
    import dis

    return not any(word in step.opname for step in dis.get_instructions(code) for word in _DOING)


def type_name(value: object) -> str:
    """The qualified name of an object's type, without `builtins`.

    Args:
        value: any object.
    """
    cls = type(value)
    module, name = look(cls, "__module__"), look(cls, "__qualname__")
    text = safe_str(name, 200)
    return text if module in ("builtins", None) else f"{safe_str(module, 200)}.{text}"


def describe(exception: BaseException, limit: int = 300) -> str:
    """An exception as its type and its text: `ValueError: no such city`.

    Args:
        exception: any exception; its text is read without failing.
        limit: the most characters of its text.
    """
    return f"{type_name(exception)}: {safe_str(exception, limit)}"


def chain(exception: BaseException) -> tuple[BaseException, ...]:
    """The exception, the members of groups, and what caused it: at most 32, each once, outermost first.

    A cause is the one that `raise ... from` names, and any that an exception stores or was made from, as clients wrap
    what their transport raised. An implicit `__context__` is not followed: what a tool was handling when it failed says
    little of why it failed.

    Args:
        exception: the outermost.
    """
    if _stands_alone(exception):
        return (exception,)
    found: list[BaseException] = []
    seen: set[int] = set()
    waiting: list[BaseException] = [exception]
    while waiting and len(found) < MAX_EXCEPTIONS:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        found.append(current)
        waiting += members(current)
        cause = _CAUSE(current)
        if cause is not None:
            waiting.append(cause)
        waiting += _held(current)
    return tuple(found)


def _stands_alone(exception: BaseException) -> bool:
    """Whether there is plainly nothing but the one exception, as for most."""
    if _CAUSE(exception) is not None or stored(exception) or issubclass(type(exception), BaseExceptionGroup):
        return False
    return all(type(one) is str or type(one) is int for one in _ARGS(exception))


def _held(exception: BaseException) -> Iterator[BaseException]:
    """The exceptions among an exception's arguments and attributes, and in containers and futures there."""
    for value in (*_ARGS(exception)[:_HELD], *islice(stored(exception).values(), 2 * _HELD)):
        kind = type(value)
        if kind is str or kind is int or value is None:
            continue
        if issubclass(kind, BaseException):
            yield value
        elif kind is dict or kind is list or kind is tuple:
            inside = tuple(islice(value.values() if kind is dict else value, _HELD))
            yield from (held for held in inside if isinstance(held, BaseException))
        elif isinstance(held := stored(value).get("_exception"), BaseException):
            yield held


def members(exception: BaseException) -> tuple[BaseException, ...]:
    """The exceptions of a group (the first 32), or none.

    Args:
        exception: any exception.
    """
    if not issubclass(type(exception), BaseExceptionGroup):
        return ()
    grouped = look(exception, "exceptions")
    if not isinstance(grouped, tuple):
        return ()
    return tuple(member for member in grouped[:MAX_EXCEPTIONS] if isinstance(member, BaseException))


def leaves(exception: BaseException) -> list[BaseException]:
    """The exceptions at the bottom of a group, in a group ...: the first few hundred.

    Args:
        exception: any exception.
    """
    found: list[BaseException] = []
    waiting, looked_at = [exception], 0
    while waiting and looked_at < MAX_EXCEPTIONS * MAX_EXCEPTIONS:
        looked_at += 1
        current = waiting.pop()
        inside = members(current)
        waiting += inside
        if not inside:
            found.append(current)
    return found


def innermost(exception: BaseException) -> BaseException:
    """The one exception that a group of one, in a group of one ..., wraps; a group of several stays as it is.

    Args:
        exception: any exception.
    """
    if not issubclass(type(exception), BaseExceptionGroup):
        return exception
    for _ in range(10 * MAX_EXCEPTIONS * MAX_EXCEPTIONS):
        inside = members(exception)
        if len(inside) != 1:
            return exception
        exception = inside[0]
    return exception
