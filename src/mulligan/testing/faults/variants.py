"""Variants of a provider's failure in which one field after the other holds a value that no provider would send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from typing import Any

from mulligan.testing.faults.record import Fault
from mulligan.testing.faults.texts import ORDER, SECRETS
from mulligan.testing.faults.values import Anything, Opaque

_MAX_FIELDS = 24
_HOSTILE_VALUES: Mapping[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a huge number": lambda: 10**400,
    "an order": lambda: ORDER,
    "secrets": lambda: " ".join(SECRETS.values()),
    "a huge text": lambda: "x" * 200_000,
    "a list": lambda: [None, 3, ORDER],
    "a mapping": lambda: {"message": [ORDER], None: 1},
    "an object": Opaque,
    "objects with everything": Anything,
}


def variants(failure: Any) -> Iterator[Fault]:
    """Variants of a failure, each with a different value in one place.

    Args:
        failure: an exception with fields, or a value of mappings and lists.
    """
    kind = type(failure).__name__
    if issubclass(type(failure), BaseException):
        fields = [name for name in list(vars(failure))[:_MAX_FIELDS] if not name.startswith("__")]
        for what, make in _HOSTILE_VALUES.items():
            yield from (
                Fault(f"{kind} with {what} as `{name}`", partial(_with_field, failure, name, make)) for name in fields
            )
            if type(failure).__str__ is vars(BaseException)["__str__"]:
                yield Fault(f"{kind} with {what} as its text", partial(_with_text, failure, make))
    else:
        for what, make in _HOSTILE_VALUES.items():
            for name, value in _replace_each(failure, make):
                yield Fault(f"{kind} with {what} as `{name}`", partial(copy, value))


def _copy_exception(failure: BaseException, *args: Any) -> BaseException:
    """A copy of the exception, without calling `__init__`, which may require anything."""
    made: BaseException = type(failure).__new__(type(failure), *args)
    made.args = args
    vars(made).update(vars(failure))
    made.__cause__, made.__traceback__ = failure.__cause__, failure.__traceback__
    return made


def _with_field(failure: BaseException, name: str, make: Callable[[], Any]) -> BaseException:
    made = _copy_exception(failure, *failure.args)
    vars(made)[name] = make()
    return made


def _with_text(failure: BaseException, make: Callable[[], Any]) -> BaseException:
    return _copy_exception(failure, make())


def _replace_each(value: Any, make: Callable[[], Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield str(name), {**value, name: make()}
            yield from ((f"{name}/{place}", {**value, name: inner}) for place, inner in _replace_each(item, make))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield str(at), [*value[:at], make(), *value[at + 1 :]]
            yield from (
                (f"{at}/{place}", [*value[:at], inner, *value[at + 1 :]]) for place, inner in _replace_each(item, make)
            )
