"""Facts on foreign objects, read without trusting them: attributes, exception chains, HTTP answers.

A property of a foreign exception may raise, so every look is guarded; and a chain of causes may be endless, so walking it
is iterative and bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from mulligan.containment import safe_str

MAX_EXCEPTIONS = 32
_PASSING = (KeyboardInterrupt, GeneratorExit)


def look(value: object, name: str) -> Any:
    """An attribute of a foreign object, or None where it has none or does not want to tell."""
    try:
        return getattr(value, name, None)
    except _PASSING:
        raise
    except BaseException:
        return None


_READ = frozenset(
    ["body", "cause", "code", "content", "data", "details", "error", "error_code", "errors", "explanation", "filename", "headers", "http_status", "info", "message", "meta", "orig", "reason", "real_url", "request", "request_info", "resp", "response", "retry_after", "status", "status_code", "uri", "url"]
)
_STORED = (MemberDescriptorType, GetSetDescriptorType)


@lru_cache(maxsize=8_192)
def _is_read(cls: type, name: str) -> bool:
    """Whether a look at an attribute of such an object runs no code that may do I/O, or code that is known to do none."""
    for base in cls.__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            return isinstance(found, _STORED) or not hasattr(type(found), "__get__") or (
                name in _READ and not isinstance(found, FunctionType)
            )
    return False


def field(value: object, name: str) -> Any:
    """An attribute that an object stores, or None. A property is asked only where its name is that of a plain fact.

    Args:
        value: any object.
        name: the attribute.
    """
    try:
        stored = object.__getattribute__(value, "__dict__")
        if name in stored:
            return stored[name]
    except AttributeError:
        pass
    return look(value, name) if _is_read(type(value), name) else None


def chain(exception: BaseException) -> tuple[BaseException, ...]:
    """The exception, what caused it, and the members of groups: at most 32, each once, outermost first.

    An implicit `__context__` is not followed: what a tool was handling when it failed says little of why it failed.
    """
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
        cause = look(current, "__cause__")
        if isinstance(cause, BaseException):
            waiting.append(cause)
    return tuple(found)


def members(exception: BaseException) -> tuple[BaseException, ...]:
    """The exceptions of a group (the first 32), or none."""
    if not isinstance(exception, BaseExceptionGroup):
        return ()
    grouped = look(exception, "exceptions")
    if not isinstance(grouped, tuple):
        return ()
    return tuple(member for member in grouped[:MAX_EXCEPTIONS] if isinstance(member, BaseException))


def innermost(exception: BaseException) -> BaseException:
    """The one exception that a group of one, in a group of one ..., wraps; a group of several stays as it is."""
    for _ in range(10 * MAX_EXCEPTIONS * MAX_EXCEPTIONS):
        inside = members(exception)
        if len(inside) != 1:
            return exception
        exception = inside[0]
    return exception


def type_name(value: object) -> str:
    """The qualified name of an object's type, without `builtins`."""
    cls = type(value)
    module, name = look(cls, "__module__"), look(cls, "__qualname__")
    text = safe_str(name, 200)
    return text if module in ("builtins", None) else f"{safe_str(module, 200)}.{text}"


def http_status(value: object) -> int | None:
    """The HTTP status that an exception, its `response` or an answer carries, or None."""
    response = look(value, "response")
    if isinstance(response, Mapping):
        metadata = _get(response, "ResponseMetadata")
        return _as_status(_get(metadata, "HTTPStatusCode"))
    for holder in (value, response):
        if holder is None:
            continue
        for name in ("status_code", "status", "http_status", "code"):
            status = _as_status(look(holder, name))
            if status is not None:
                return status
    return _as_status(look(look(value, "resp"), "status"))


def _as_status(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) == 3 and value.isdigit():
        value = int(value)
    if isinstance(value, int) and 400 <= value <= 599:
        return int(value)
    return None


def http_headers(value: object) -> dict[str, str]:
    """The answer's headers with lower-case names; empty where there are none."""
    response = look(value, "response")
    if isinstance(response, Mapping):
        return _lower(_get(_get(response, "ResponseMetadata"), "HTTPHeaders"))
    for holder in (response, value):
        headers = _lower(look(holder, "headers"))
        if headers:
            return headers
    return {}


def _lower(headers: object) -> dict[str, str]:
    items = look(headers, "items")
    if not callable(items):
        return {}
    return guarded(lambda: {str(name).lower(): str(text) for name, text in items()}) or {}


def _get(value: object, name: str) -> Any:
    return guarded(lambda: value.get(name)) if isinstance(value, Mapping) else None


def guarded(function: Callable[[], Any]) -> Any:
    """What a foreign function gives, or None where it raises."""
    try:
        return function()
    except _PASSING:
        raise
    except BaseException:
        return None


def first_text(values: Iterable[object], limit: int = 2_000) -> str:
    """The first of some values that is text and not empty, shortened."""
    for value in values:
        if isinstance(value, str) and value.strip():
            return safe_str(value, limit)
    return ""
