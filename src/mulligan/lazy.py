"""`lazy`: an attribute that is computed when it is first read; `lazy_pattern`: one regular expression that is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801
    """`functools.cached_property` without the lock that it takes before Python 3.12: two threads may both compute."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> T | lazy[T]:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value


class _LazyPattern:
    """Acts like a compiled pattern; its methods are looked up in the pattern once."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    @lazy
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = getattr(self._compiled, name)
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that is compiled when it is first used, since compiling takes most of an import.

    Args:
        source: the regular expression.
        flags: as in `re.compile`.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
