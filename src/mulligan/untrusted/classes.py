"""Read what foreign objects store without running any of their code.

An attribute of a foreign object may be computed, and its code may block, for example on an unreachable server. Class
namespaces are therefore read without the metaclass, instance attributes without the class, and the content of `str` and
`dict` subclasses with the methods of `str` and `dict`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import islice
from types import GetSetDescriptorType, MappingProxyType, MemberDescriptorType, MethodType, WrapperDescriptorType
from typing import Any, TypeVar

T = TypeVar("T")
_MOST_ITEMS, _DEEPEST = 1_000, 6
_MRO = type.__dict__["__mro__"].__get__
_NAMESPACE = type.__dict__["__dict__"].__get__
_NAME = type.__dict__["__qualname__"].__get__
_ARGUMENTS = BaseException.args.__get__  # type: ignore[attr-defined]
_FILENAME = OSError.filename.__get__
_STORED = (MemberDescriptorType, GetSetDescriptorType, type(namedtuple("_", "x").x))  # type: ignore[attr-defined]
_OWN = ("__dict__", "__pydantic_extra__")
_BARE = (object, BaseException, Exception)
_ATOMS = frozenset({str, int, float, bool, bytes, type(None)})
_EXACT = _ATOMS | {list, tuple, dict}
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
    (list, lambda value: list.__getitem__(value, slice(None))),
)
# fmt: off
_IN_MEMORY = frozenset((  # packages whose objects are known to do no I/O when they are read
    "abc", "azure", "botocore", "builtins", "collections", "datetime", "decimal", "email", "enum", "fractions", "http", "httpx",
    "httpx2", "ipaddress", "multidict", "pathlib", "pydantic", "pydantic_core", "requests", "typing", "urllib", "urllib3",
    "uuid", "yarl",
))
# fmt: on


def _once_a_class(function: Callable[[type], T]) -> Callable[[type], T]:
    return lru_cache(maxsize=2_048)(function)


def defines(value: Any, name: str) -> bool:
    """Whether an object or its class has an attribute, without calling `__getattr__`, which may accept any name.

    Args:
        value: any object.
        name: the attribute.
    """
    return name in stored_attributes(value) or any(name in _NAMESPACE(base) for base in _MRO(type(value)))


def is_a(value: object, *classes: type) -> bool:
    """Whether a value is an instance of a class by its true type; `isinstance` also trusts the value's `__class__`.

    Args:
        value: any object.
        classes: the classes; one match is enough.
    """
    return issubclass(type(value), classes)


@_once_a_class
def is_mapping(cls: type) -> bool:
    """Whether a class is a mapping. Asking an abstract class takes longer than everything else that is read of an object."""
    return issubclass(cls, Mapping)


def exact(value: Any) -> Any:
    """Convert an instance of a subclass of `str`, `int`, `float`, `bytes` or `list` to the base type.

    Args:
        value: any object; one of another type is returned as is.
    """
    kind = type(value)
    if kind in _EXACT:
        return value
    return next((read(value) for base, read in _BASES if issubclass(kind, base)), value)


def as_dict(value: Any) -> dict[Any, Any]:
    """Read a foreign mapping as a plain dict, limited to its first 1,000 items; empty if it cannot be read.

    Of an unknown mapping class, only stored data is read: the single dict that holds its items.

    Args:
        value: the mapping, or an object of a known client with `items`, such as a message with headers.
    """
    if type(value) is dict and _ATOMS.issuperset(map(type, value)) and _EXACT.issuperset(map(type, value.values())):
        return value
    try:
        named = [(exact(name), exact(inner)) for name, inner in islice(_items(value), _MOST_ITEMS)]
    except Exception:  # no items, or changed while being read
        return {}
    return {name: inner for name, inner in named if type(name) in _ATOMS}


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    if type(value) is MappingProxyType:
        import gc

        value = gc.get_referents(value)[0]  # the underlying mapping
    if is_a(value, dict):
        return dict.items(value)
    if is_in_memory(type(value)):
        return value.items()  # type: ignore[no-any-return]
    kept = [inner for inner in stored_attributes(value).values() if is_a(inner, dict)]
    return dict.items(kept[0]) if len(kept) == 1 else ()


@_once_a_class
def is_in_memory(cls: type) -> bool:
    """Whether a class and all its bases come from packages whose objects do no I/O when read."""
    return all(_package(base) in _IN_MEMORY for base in _MRO(cls))


def _definer(cls: type, name: str) -> type:
    return next(base for base in _MRO(cls) if name in _NAMESPACE(base))  # type: ignore[no-any-return]


def _package(cls: type) -> str:
    return _module(cls).partition(".")[0]


def _module(cls: type) -> str:
    module = _NAMESPACE(cls).get("__module__", "builtins")
    return module if type(module) is str else ""


class _Constant:
    """A value that a class stores for all its instances."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self, _: object) -> Any:
        return self._value


@_once_a_class
def layout(cls: type) -> Mapping[str, Callable[[Any], Any]]:
    """The attributes that instances of a class store outside their `__dict__`, each with its reader.

    A property hides class attributes of the same name in base classes, but not their slots.
    """
    found: dict[str, Callable[[Any], Any]] = {}
    computed: set[str] = set()
    for base in _MRO(cls):
        for name, attribute in () if base in _BARE else tuple(_NAMESPACE(base).items()):
            if name in found or (name.startswith("__") and name not in _OWN):
                continue
            if isinstance(attribute, _STORED):
                found[name] = attribute.__get__
            elif any("__get__" in _NAMESPACE(kind) for kind in _MRO(type(attribute))):
                computed.add(name)
            elif name not in computed:
                found[name] = _Constant(attribute)
    if issubclass(cls, BaseException):
        found.setdefault("__dict__", BaseException.__dict__["__dict__"].__get__)
    return found


def stored_attributes(value: Any) -> Mapping[str, Any]:
    """The attributes in an object's own `__dict__`."""
    read = layout(type(value)).get("__dict__")
    own = None if read is None else read(value)
    return own if type(own) is dict else {}


def exception_text(exception: BaseException) -> str:
    """The text of an exception: its `str`, with objects among its arguments shown by their class.

    Python builds the text of most exceptions from their arguments, which would run the arguments' code. A `__str__`
    that the exception's own class defines is called.
    """
    kind = type(exception)
    made_of = _ARGUMENTS(exception)[: 1 if issubclass(kind, BaseExceptionGroup) else None]
    if _has_text_of_python(kind):
        return str(exception)
    path = _FILENAME(exception) if issubclass(kind, OSError) else None
    if _is_printable(made_of, 0) and _is_printable(path, 0):
        return str(exception)
    made_of = _printable(made_of, 0)
    if issubclass(kind, OSError) and len(made_of) > 1:
        return str(OSError(*made_of[:2], _printable(path, 0)))
    return str(KeyError(*made_of) if issubclass(kind, KeyError) else BaseException(*made_of))


@_once_a_class
def _has_text_of_python(cls: type) -> bool:
    return not isinstance(_NAMESPACE(_definer(cls, "__str__"))["__str__"], WrapperDescriptorType)


@_once_a_class
def _has_known_text(cls: type) -> bool:
    return all(_package(_definer(cls, name)) in _IN_MEMORY for name in ("__str__", "__repr__"))


@_once_a_class
def _shows_others(cls: type) -> bool:
    """Whether an object's text may include the texts of objects that it contains."""
    holds = any("__iter__" in _NAMESPACE(base) for base in _MRO(cls)) or cls is MethodType
    return holds and not issubclass(cls, (str, bytes))


def _is_printable(value: Any, depth: int) -> bool:
    kind = type(value)
    if kind in _ATOMS:
        return True
    if kind in (list, tuple, dict, set, frozenset) and depth < _DEEPEST and len(value) <= _MOST_ITEMS:
        inside = (*value, *value.values()) if kind is dict else value
        return all(type(one) in _ATOMS or _is_printable(one, depth + 1) for one in inside)
    if issubclass(kind, BaseException):
        return depth < _DEEPEST and (_has_text_of_python(kind) or _is_printable(_ARGUMENTS(value), depth + 1))
    if not _has_known_text(kind) or not _shows_others(kind):
        return _has_known_text(kind)
    inside = (*stored_attributes(value).values(), *extra_fields(value).values())
    return depth < _DEEPEST and inside != () and all(_is_printable(one, depth + 1) for one in inside)


class _Shown:
    """Placeholder for an object that is shown by its class."""

    __slots__ = ("_cls",)

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __repr__(self) -> str:
        return f"<{_module(self._cls)}.{_NAME(self._cls)}>"


def _printable(value: Any, depth: int) -> Any:
    """Replace every object whose text would run unknown code with a placeholder that shows its class."""
    value = exact(value) if not is_a(value, tuple) else tuple.__getitem__(value, slice(None))
    kind = type(value)
    if _is_printable(value, depth):
        return value
    if depth < _DEEPEST and kind in (list, tuple):
        return kind(_printable(one, depth + 1) for one in value[:_MOST_ITEMS])
    if depth < _DEEPEST and issubclass(kind, dict):
        return {name: _printable(one, depth + 1) for name, one in as_dict(value).items()}
    return _Shown(kind)


def extra_fields(value: Any) -> Mapping[str, Any]:
    """The extra attributes that a pydantic model stores beside its fields."""
    read = layout(type(value)).get("__pydantic_extra__")
    try:
        own = None if read is None else read(value)
    except AttributeError:  # created without extra fields
        own = None
    return own if type(own) is dict else {}
