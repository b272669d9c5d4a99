"""Exceptions that the process of a killable tool told of, made again here."""

from __future__ import annotations

import builtins
import pickle
import sys
from collections.abc import Mapping
from typing import Any


def rebuilt(told: Mapping[str, Any]) -> BaseException:
    """The exception that a process told of: itself, or one of a class of the same name with the same text and fields.

    Args:
        told: what it said.
    """
    error = _unpickled(told) or _remade(told) or _stand_in(told)
    if told["cause"] is not None:
        error.__cause__ = rebuilt(told["cause"])
    error.__dict__["traceback_text"] = told["traceback"]
    return error


def _unpickled(told: Mapping[str, Any]) -> BaseException | None:
    try:
        error = pickle.loads(told["pickled"])  # noqa: S301
    except Exception:
        return None
    kind = type(error)
    same = issubclass(kind, BaseException) and (kind.__module__, kind.__qualname__) == told["classes"][0]
    return error if same else None


def _remade(told: Mapping[str, Any]) -> BaseException | None:
    """One of the real class, where this process has it and it says the same."""
    module, qualname = told["classes"][0]
    cls: Any = sys.modules.get(module)
    for name in qualname.split("."):
        cls = getattr(cls, name, None)
    if not isinstance(cls, type) or not issubclass(cls, BaseException) or issubclass(cls, BaseExceptionGroup):
        return None
    try:
        made = cls.__new__(cls, *told["args"])
        _built_in(told).__init__(made, *told["args"])
        made.__dict__.update(told["fields"])
        return made if str(made) == told["text"] else None
    except Exception:
        return None


def _stand_in(told: Mapping[str, Any]) -> BaseException:
    """An exception that every rule takes for the real one, whose class this process need not have."""
    members = [rebuilt(one) for one in told["members"]]
    base = _built_in(told)
    if issubclass(base, BaseExceptionGroup) and not members:
        base = Exception
    own = [(module, qualname) for module, qualname in told["classes"] if module != "builtins"]
    for module, qualname in reversed(own):
        names = {"__module__": module, "__qualname__": qualname, "__str__": lambda _: told["text"]}
        base = type(qualname.rpartition(".")[2], (base,), names)
    made = _made(base, (told["text"], members) if members else tuple(told["args"]))
    made.__dict__.update(told["fields"])
    return made


def _built_in(told: Mapping[str, Any]) -> type[BaseException]:
    """The first class that every Python has."""
    for module, qualname in told["classes"]:
        known = getattr(builtins, qualname, None) if module == "builtins" else None
        if isinstance(known, type) and issubclass(known, BaseException):
            return known
    return Exception


def _made(cls: type[BaseException], arguments: tuple[Any, ...]) -> BaseException:
    try:
        return cls(*arguments)
    except Exception:
        return cls.__new__(cls)
