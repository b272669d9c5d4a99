"""Saved state, read again: an attrs class beside the code that it concerns says what is saved, and one converter checks it.

Nothing is converted: a number is not read as a string, nor 1 as true. Whatever `to_dict` cannot have written is refused, and
the error names its place. Unknown members of an object are ignored, so that a later version may add some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import attrs

from mulligan.deadline import is_seconds
from mulligan.errors import UsageError
from mulligan.pointers import escape

if TYPE_CHECKING:
    from cattrs import BaseConverter

T = TypeVar("T")
_Reader: TypeAlias = "Callable[[Any, Any], Any]"

Count = Annotated[int, 1_000_000_000]
Name = Annotated[str, 10_000]
Hashes = Annotated[list[str], 1_000]
"""Types with a bound: the largest number, or the greatest length of anything else."""

OPTIONAL: Mapping[str, bool] = MappingProxyType({"optional": True})
"""The metadata of a field that is not saved if it is None, and may be missing."""

_LARGEST_AMOUNT, _MOST_MEMBERS = 1e300, 100_000


def is_amount(value: object, *, whole: bool = False) -> bool:
    """Whether a value is a number from 0, and not too large to be calculated with.

    Args:
        value: any value.
        whole: whether it must be an `int`.
    """
    if isinstance(value, bool) or (whole and not isinstance(value, int)):
        return False
    return is_seconds(value) and 0 <= value <= _LARGEST_AMOUNT  # type: ignore[operator]


def short_repr(value: Any) -> str:
    """A value for the text of an error, shortened; its type if it cannot be shown, as with an endless number."""
    try:
        return f"{value!r:.40}"
    except Exception:
        return f"a value of type {type(value).__name__}"


def save(record: Any) -> dict[str, Any]:
    """What is saved of a record, as JSON values: every field that its constructor takes."""
    return attrs.asdict(record, filter=lambda field, value: field.init and not (field.metadata and value is None))


def load(kind: type[T], saved: Any, source: str) -> T:
    """Restores a record.

    Args:
        kind: its class.
        saved: what was saved of it.
        source: the method that returns such values, such as `Session.to_dict()`.

    Raises:
        UsageError: something else was saved; says where it is, and what was expected.
    """
    try:
        return _converter().structure(saved, kind)
    except Exception as error:
        problem = _locate(error)
    raise UsageError(f"this is not a result of {source}: {problem}")


def _locate(error: BaseException) -> str:
    """The first problem in a tree of cattrs' exceptions, whose notes name the members on the way to it."""
    place = ""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
        for note in getattr(error, "__notes__", ()):
            members = getattr(note, "__dict__", {})
            place += f"/{escape(members.get('name', members.get('index'))):.40}"
    separator = " " if type(error) is ValueError else ": "  # ours say what the place is or has
    return f"{place or 'it':.200}{separator}{error}"


@cache
def _converter() -> BaseConverter:
    from cattrs import Converter

    converter = Converter()
    converter.register_structure_hook(bool, partial(_read_exactly, bool, "true or false"))
    converter.register_structure_hook(str, partial(_read_exactly, str, "a string"))
    converter.register_structure_hook(int, partial(_read_number, _LARGEST_AMOUNT))
    converter.register_structure_hook(float, partial(_read_number, _LARGEST_AMOUNT))
    converter.register_structure_hook_factory(attrs.has, _record_reader)
    converter.register_structure_hook_factory(lambda kind: get_origin(kind) in _READERS, _generic_reader)
    return converter


def _read_exactly(kind: Any, expected: str, value: Any, _: Any = None, most: float = float("inf")) -> Any:
    if not isinstance(value, kind):
        raise _unfit(value, expected)
    if kind is not bool and len(value) > most:
        raise ValueError(f"is {len(value):,} long; expected at most {most:,}")
    return value


def _read_number(most: float, value: Any, kind: Any) -> Any:
    if not (is_amount(value, whole=kind is int) and value <= most):
        raise _unfit(value, f"a {'whole ' if kind is int else ''}number from 0 to {most:,}")
    return value


def _unfit(value: Any, expected: str) -> ValueError:
    return ValueError(f"is {short_repr(value)}; expected {expected}")


def _record_reader(kind: Any, converter: BaseConverter) -> _Reader:
    from cattrs.gen import make_dict_structure_fn

    names = [field.name for field in attrs.fields(kind) if field.init and not field.metadata]
    read = make_dict_structure_fn(kind, converter)

    def structure(value: Any, _: Any) -> Any:
        _read_exactly(Mapping, "an object", value)
        if missing := [name for name in names if name not in value]:
            raise ValueError(f"has no {missing[0]!r}")
        return read(value, kind)

    return structure


def _generic_reader(kind: Any, converter: BaseConverter) -> _Reader:
    return _READERS[get_origin(kind)](kind, converter)


def _mapping_reader(kind: Any, converter: BaseConverter) -> _Reader:
    from cattrs.cols import mapping_structure_factory

    read = mapping_structure_factory(kind, converter, dict)
    return lambda value, _: read(_read_exactly(Mapping, "an object", value, most=_MOST_MEMBERS), kind)


def _list_reader(kind: Any, converter: BaseConverter) -> _Reader:
    from cattrs.cols import list_structure_factory

    read = list_structure_factory(kind, converter)
    return lambda value, _: read(_read_exactly(list, "a list", value), kind)


def _choice_reader(kind: Any, _: BaseConverter) -> _Reader:
    def structure(value: Any, _: Any) -> Any:
        if value not in get_args(kind):
            raise _unfit(value, f"one of {', '.join(get_args(kind))}")
        return value

    return structure


def _bounded_reader(kind: Any, converter: BaseConverter) -> _Reader:
    inner, most = get_args(kind)
    if inner is int:
        return lambda value, _: _read_number(most, value, int)
    read = converter.get_structure_hook(inner)
    return lambda value, _: _read_exactly(object, "", read(value, inner), most=most)


_READERS: Mapping[Any, Callable[[Any, BaseConverter], _Reader]] = {
    dict: _mapping_reader,
    Mapping: _mapping_reader,
    list: _list_reader,
    Literal: _choice_reader,
    Annotated: _bounded_reader,
}
