"""What is computed when it is first needed: an attribute (`lazy`), a regular expression (`lazy_pattern`, `LazySearch`)."""

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


class LazySearch:
    """A search of many texts, of which most hold nothing, for a long regular expression; it is compiled when first used.

    A JSON Schema is an odd way to search a text, but the regular expressions of jsonschema-rs, which checks the arguments
    of every call anyhow, search for all alternatives at once: they take a tenth to a hundredth of the time of Python's.

    Args:
        source: makes the regular expression, as jsonschema-rs takes it.
    """

    def __init__(self, source: Callable[[], str]) -> None:
        self._source = source

    @lazy
    def found_in(self) -> Callable[[str], bool]:
        """A function that returns whether a text holds a match; the text must not hold lone surrogates."""
        import jsonschema_rs

        is_found: Callable[[str], bool] = jsonschema_rs.Draft202012Validator({"pattern": self._source()}).is_valid
        return is_found
