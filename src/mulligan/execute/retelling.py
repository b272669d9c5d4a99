"""Reads the answer of a killable tool's process as data: nothing in it chooses what runs here.

Values are made of a fixed set of types of the standard library. An exception is made again from facts, as an instance of a
built-in class, of one of `mulligan.errors`, of its own class if that is loaded here and adds nothing that could run, or of a
class of the same name that has no code.
"""

from __future__ import annotations

import base64
import builtins
import datetime
import json
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

from mulligan import errors
from mulligan.untrusted.plain import nests_deeper

_LEVELS = 8
_HARMLESS = frozenset(
    ("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__init__", "__annotations__")
) | {"__firstlineno__", "__static_attributes__", "__annotate__", "__orig_bases__", "__parameters__"}


def opened(answer: bytes) -> tuple[str, Any]:
    """How a tool ended, and its value or exception.

    Args:
        answer: the bytes that `parcel` wrote.

    Raises:
        ValueError: it is something else.
    """
    text = answer.decode()
    if nests_deeper(text, _LEVELS):
        raise ValueError("the result is nested too deeply")
    read = json.loads(text)
    nodes: list[Any] = []
    try:
        for name, held in read["nodes"]:
            nodes.append(_MAKERS[name](held, nodes))
        return read["kind"], _item(read["item"], nodes)
    except Exception as error:
        raise ValueError(f"the result is malformed ({type(error).__name__})") from None


def _item(item: Any, nodes: list[Any]) -> Any:
    return nodes[item[0]] if type(item) is list else item


def _items(held: list[Any], nodes: list[Any]) -> list[Any]:
    return [nodes[item[0]] if type(item) is list else item for item in held]


def _mapping(held: list[Any], nodes: list[Any]) -> dict[Any, Any]:
    items = _items(held, nodes)
    return dict(zip(items[::2], items[1::2], strict=True))


_MAKERS: Mapping[str, Callable[[Any, list[Any]], Any]] = {
    "list": _items,
    "tuple": lambda held, nodes: tuple(_items(held, nodes)),
    "set": lambda held, nodes: set(_items(held, nodes)),
    "frozenset": lambda held, nodes: frozenset(_items(held, nodes)),
    "dict": _mapping,
    "bytes": lambda held, _: base64.b64decode(held),
    "bytearray": lambda held, _: bytearray(base64.b64decode(held)),
    "path": lambda held, _: Path(held),
    "datetime": lambda held, _: datetime.datetime.fromisoformat(held),
    "date": lambda held, _: datetime.date.fromisoformat(held),
    "time": lambda held, _: datetime.time.fromisoformat(held),
    "timedelta": lambda held, _: datetime.timedelta(*held),
    "decimal": lambda held, _: Decimal(held),
    "uuid": lambda held, _: UUID(held),
    "fraction": lambda held, _: Fraction(*held),
    "complex": lambda held, _: complex(*held),
    "object": lambda held, nodes: _held(_item(held, nodes)),
    "exception": lambda held, nodes: rebuilt(_item(held, nodes)),
}


def rebuilt(told: Mapping[str, Any]) -> BaseException:
    """Rebuilds the exception of a process so that every rule recognises it, even if its class is not loaded here.

    Args:
        told: its facts.
    """
    base, arguments = _known_class(told), tuple(told["args"])
    members = [rebuilt(one) for one in told["members"]]
    if issubclass(base, BaseExceptionGroup):
        base, arguments = (base, (told["text"], members)) if members else (Exception, arguments)
    fields = told["fields"]
    if issubclass(base, errors.ToolError):
        made: BaseException = _named(told, base)(_message(told), **_error_fields(fields))
    else:
        made = _loaded(told, base, arguments) or _made(_named(told, base), arguments)
    made.__dict__.update({name: value for name, value in fields.items() if name not in made.__dict__})
    made.__dict__["traceback_text"] = told["traceback"]
    if told["cause"] is not None:
        made.__cause__ = rebuilt(told["cause"])
    return made


def _known_class(told: Mapping[str, Any]) -> type[BaseException]:
    """The first class that is built in, or one of `mulligan.errors`."""
    for module, qualname in told["classes"]:
        names = {"builtins": builtins, "mulligan.errors": errors}.get(module)
        known = vars(names).get(qualname) if names is not None else None
        if isinstance(known, type) and issubclass(known, BaseException):
            return known
    return Exception


def _named(told: Mapping[str, Any], base: type) -> type[Any]:
    """A class of the same names through its bases, down to a known one; it has no code of its own."""
    names = [(str(module), str(qualname)) for module, qualname in told["classes"]]
    known = (base.__module__, base.__qualname__)
    own = names[: names.index(known)] if known in names else names
    for module, qualname in reversed([name for name in own if name[0] != "builtins"]):
        body: dict[str, Any] = {"__module__": module, "__qualname__": qualname}
        if issubclass(base, BaseException) and not issubclass(base, errors.ToolError):
            body["__str__"] = lambda _: told["text"]
        base = type(qualname.rpartition(".")[2], (base,), body)
    return base


def _message(told: Mapping[str, Any]) -> str:
    message = told["fields"].get("message")
    return message if isinstance(message, str) else str(told["text"])


def _error_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: fields[name] for name in errors.ErrorFields.__annotations__ if name in fields}
    if isinstance(known.get("problems"), list):
        known["problems"] = tuple(errors.Problem(*one) for one in known["problems"])
    return known


def _held(facts: Mapping[str, Any]) -> object:
    made = _named(facts, _Held)()
    made.__dict__.update(facts["fields"])
    return made


class _Held:
    """An object that an exception holds."""


def _loaded(told: Mapping[str, Any], base: type[BaseException], arguments: tuple[Any, ...]) -> BaseException | None:
    """One of the exception's own class, if it is loaded here, and neither making one nor reading it runs any code of it."""
    module, qualname = told["classes"][0]
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = vars(found).get(name) if type(found) in (ModuleType, type) else None
    if type(found) is not type or not issubclass(found, base):
        return None
    own = found.__mro__[: found.__mro__.index(base)]
    special = {name for cls in own for name in vars(cls) if name.startswith("__")}
    if not special <= _HARMLESS:
        return None
    try:
        made = base.__new__(found, *arguments)
        base.__init__(made, *arguments)
    except Exception:
        return None
    return made if str(made) == told["text"] else None


def _made(cls: type[BaseException], arguments: tuple[Any, ...]) -> BaseException:
    try:
        return cls(*arguments)
    except Exception:
        return cls.__new__(cls)
