"""Data for plugins: copies of plain data that share nothing with the original, and immutable data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NoReturn

from mulligan.untrusted.classes import layout, stored_attributes

_DEEPEST = 200  # far above `Limits.depth`; containers below this depth are copied empty
_SCALARS = frozenset({str, int, float, bool, bytes, type(None)})


def copy_data(value: Any) -> Any:
    """Deep-copy plain data: dicts, lists, tuples, sets, bytearrays, dataclasses and attrs classes.

    Anything else is returned as is, since copying an object of another class would run its code.
    """
    return value if type(value) in _SCALARS else _copy(value, {}, _DEEPEST)


def copy_call_arguments(arguments: Any) -> Any:
    """Copy a call's arguments, or wrap them in a read-only view, so that no change reaches the original.

    Args:
        arguments: text, a mapping, or anything else that a framework passes.
    """
    kind = type(arguments)
    if kind is str or kind is bytes or arguments is None:
        return arguments
    if kind is dict or not isinstance(arguments, MutableMapping):
        return copy_data(arguments)
    if isinstance(arguments, dict):
        return copy_data(dict(dict.items(arguments)))
    return MappingProxyType(arguments)


def _copy(value: Any, known: dict[int, Any], depth: int) -> Any:
    copier = _copier(type(value))
    if copier is None:
        return value
    if id(value) not in known:
        copier(value, known, depth - 1)
    return known[id(value)]


def _copier(kind: type) -> Callable[[Any, dict[int, Any], int], None] | None:
    copier = _COPIERS.get(kind)
    return _copy_record if copier is None and kind not in _SCALARS and _is_record(kind) else copier


def _is_record(kind: type) -> bool:
    return ("__dataclass_fields__" in kind.__dict__ or "__attrs_attrs__" in kind.__dict__) and not hasattr(
        kind, "__del__"
    )


def _copy_dict(value: dict[Any, Any], known: dict[int, Any], depth: int) -> None:
    twin = known[id(value)] = {}
    if depth > 0:
        twin.update(
            [(key, item if type(item) in _SCALARS else _copy(item, known, depth)) for key, item in value.items()]
        )


def _copy_list(value: list[Any], known: dict[int, Any], depth: int) -> None:
    twin: list[Any] = []
    known[id(value)] = twin
    if depth > 0:
        twin += [item if type(item) in _SCALARS else _copy(item, known, depth) for item in value]


def _copy_tuple(value: tuple[Any, ...], known: dict[int, Any], depth: int) -> None:
    known[id(value)] = ()
    known[id(value)] = tuple([_copy(item, known, depth) for item in value] if depth > 0 else ())


def _copy_flat(value: Any, known: dict[int, Any], depth: int) -> None:
    known[id(value)] = type(value)(value)


def _copy_record(value: Any, known: dict[int, Any], depth: int) -> None:
    """Copy a record attribute by attribute, without running its code; keep the original if that is impossible."""
    kind = type(value)
    names = getattr(kind, "__dataclass_fields__", None) or [field.name for field in kind.__attrs_attrs__]
    known[id(value)] = value
    try:
        twin = object.__new__(kind)
        members = {**_slots(value, names), **stored_attributes(value)}
        known[id(value)] = twin
        for name, item in members.items():
            object.__setattr__(twin, name, _copy(item, known, depth) if depth > 0 else None)
    except Exception:
        known[id(value)] = value


def _slots(value: Any, names: Iterable[str]) -> dict[str, Any]:
    found, read = {}, layout(type(value))
    for name in names:
        if name in read:
            with suppress(AttributeError):  # an unset slot
                found[name] = read[name](value)
    return found


_COPIERS: Mapping[type, Callable[[Any, dict[int, Any], int], None]] = {
    dict: _copy_dict,
    list: _copy_list,
    tuple: _copy_tuple,
    set: _copy_flat,
    bytearray: _copy_flat,
}


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise TypeError("this is shared by all calls and cannot be changed; change a copy, as made by copy.deepcopy(...)")


class FrozenDict(dict[str, Any]):
    """An immutable dict. Its copies are mutable."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, _: Any) -> Any:
        return thaw(self)

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        return dict, (thaw(self),)


class FrozenList(list[Any]):
    """An immutable list. Its copies are mutable."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __deepcopy__(self, _: Any) -> Any:
        return thaw(self)

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        return list, (thaw(self),)


def freeze(value: Any) -> Any:
    """Make JSON values immutable.

    Args:
        value: mappings, lists and tuples, nested to any depth; circular references are preserved.
    """
    return _rebuild(value, FrozenDict, FrozenList)


def thaw(value: Any) -> Any:
    """Copy frozen JSON values to mutable dicts and lists.

    Args:
        value: what `freeze` returned.
    """
    return _rebuild(value, dict, list)


def _rebuild(value: Any, mapping: type[dict[Any, Any]], sequence: type[list[Any]]) -> Any:
    """Rebuild containers without recursion, since a foreign schema may be nested to any depth."""
    known: dict[int, Any] = {}
    waiting: list[Any] = []

    def twin(item: Any) -> Any:
        kind = mapping if isinstance(item, Mapping) else sequence if isinstance(item, (list, tuple)) else None
        if kind is None:
            return item
        if id(item) not in known:
            known[id(item)] = kind()
            waiting.append(item)
        return known[id(item)]

    made = twin(value)
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            dict.update(known[id(item)], [(key, twin(member)) for key, member in item.items()])
        else:
            list.extend(known[id(item)], [twin(member) for member in item])
    return made
