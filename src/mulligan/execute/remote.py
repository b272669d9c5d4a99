"""A call as data, for another process or machine: what is sent to it, and how its answer is read without running its code."""

from __future__ import annotations

import base64
import builtins
import datetime
import json
import pickle
import sys
from collections.abc import Callable, Mapping
from contextvars import copy_context
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

from mulligan import errors
from mulligan.deadline import Deadline, set_current
from mulligan.errors import UsageError
from mulligan.execute import process_child
from mulligan.execute.steps import ProcessFailed
from mulligan.tools import Tool
from mulligan.untrusted.json_values import is_nested_deeper
from mulligan.untrusted.objects import leaf_exceptions
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str

_MAX_LEVELS = 8
_OUT_OF_MEMORY = process_child.out_of_memory()  # encoded while memory is available
_HARMLESS_NAMES = frozenset(
    ("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__init__", "__annotations__")
) | {"__firstlineno__", "__static_attributes__", "__annotate__", "__orig_bases__", "__parameters__"}


def packed_call(tool: Tool, arguments: Mapping[str, Any], *, yielded: int, where: str) -> dict[str, Any]:
    """A call as data that `pickle` can send: the tool's function, by reference if it can be imported, and its arguments.

    Args:
        tool: the tool.
        arguments: the keyword arguments of its function.
        yielded: the maximum number of values of a generator.
        where: where it runs, for errors: `is killable`, `runs on ray`.

    Raises:
        UsageError: the tool's function or an argument cannot be sent; names which, and the next step.
    """
    reference = _reference(tool.handler)
    return {
        "path": list(sys.path),
        "yielded": yielded,
        "reference": reference,
        "handler": _pickle_handler(tool, where) if reference is None else None,
        "arguments": _pickle_arguments(tool, dict(arguments), where),
    }


def run_packed_call(request: Mapping[str, Any], *, seconds: float | None = None) -> bytes:
    """Runs a packed call here, on a worker, once. However the tool ends, also by an exit, the answer says it.

    Modules are found in the folders of this worker, then in those of the sender that exist here.

    Args:
        request: what `packed_call` returned.
        seconds: the time until the deadline of the call, which `current_deadline` returns to the tool; None for none.

    Returns:
        the answer, for `value_of_answer` on the machine that asks.
    """
    sys.path += [folder for folder in request["path"] if folder not in sys.path and Path(folder).is_dir()]
    context = copy_context()
    context.run(set_current, None if seconds is None else Deadline.after(seconds))
    return context.run(process_child.answer, request)


def run_tool(handler: Callable[..., Any], arguments: Mapping[str, Any], *, yielded: int) -> bytes:
    """Runs a tool here, on a worker that has its function, once. However the tool ends, the answer says it.

    Args:
        handler: the tool's function.
        arguments: its keyword arguments.
        yielded: the maximum number of values of a generator.

    Returns:
        the answer, for `value_of_answer` on the machine that asks.
    """
    try:
        return process_child.run(handler, arguments, yielded)
    except MemoryError:
        return _OUT_OF_MEMORY


async def arun_tool(handler: Callable[..., Any], arguments: Mapping[str, Any], *, yielded: int) -> bytes:
    """`run_tool` for a tool that is async.

    Args:
        handler: the tool's function.
        arguments: its keyword arguments.
        yielded: the maximum number of values of a generator.

    Raises:
        asyncio.CancelledError: the call was given up.
    """
    import asyncio

    from mulligan.execute.async_driver import resolve_value

    try:
        value = await resolve_value(handler(**arguments), yielded)
        return process_child.encode_value(value)
    except asyncio.CancelledError:
        raise
    except MemoryError:
        return _OUT_OF_MEMORY
    except BaseException as error:
        return process_child.encode_exception(error)


def read_answer(answer: bytes) -> tuple[str, Any]:
    """How a tool ended, and its value or exception.

    Args:
        answer: the bytes that `encode_answer` wrote.

    Raises:
        ValueError: the bytes are not an answer.
    """
    text = answer.decode()
    if is_nested_deeper(text, _MAX_LEVELS):
        raise ValueError("the result is nested too deeply")
    data = json.loads(text)
    nodes: list[Any] = []
    try:
        for name, content in data["nodes"]:
            nodes.append(_BUILDERS[name](content, nodes))
        return data["kind"], _item(data["item"], nodes)
    except Exception as error:
        raise ValueError(f"the result is malformed ({type(error).__name__})") from None


def _item(item: Any, nodes: list[Any]) -> Any:
    return nodes[item[0]] if type(item) is list else item


def _items(held: list[Any], nodes: list[Any]) -> list[Any]:
    return [nodes[item[0]] if type(item) is list else item for item in held]


def _mapping(held: list[Any], nodes: list[Any]) -> dict[Any, Any]:
    items = _items(held, nodes)
    return dict(zip(items[::2], items[1::2], strict=True))


_BUILDERS: Mapping[str, Callable[[Any, list[Any]], Any]] = {
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
    "object": lambda held, nodes: _rebuild_object(_item(held, nodes)),
    "exception": lambda held, nodes: rebuild_exception(_item(held, nodes)),
}


def rebuild_exception(facts: Mapping[str, Any]) -> BaseException:
    """Rebuilds an exception of another process so that every rule recognises it, even if its class is not loaded here.

    Args:
        facts: the description of the exception.
    """
    base, arguments = _nearest_known_class(facts), tuple(facts["args"])
    members = [rebuild_exception(one) for one in facts["members"]]
    if issubclass(base, BaseExceptionGroup):
        base, arguments = (base, (str(arguments[0]), members)) if members and arguments else (Exception, arguments)
    fields = facts["fields"]
    if issubclass(base, errors.ToolError):
        exception: BaseException = _make_class(facts, base)(_message(facts), **_error_fields(fields))
    else:
        exception = _rebuild_as_loaded(facts, base, arguments) or _construct(_make_class(facts, base), arguments)
    exception.__dict__.update({name: value for name, value in fields.items() if name not in exception.__dict__})
    exception.__dict__["traceback_text"] = facts["traceback"]
    if facts["cause"] is not None:
        exception.__cause__ = rebuild_exception(facts["cause"])
    return exception


def _nearest_known_class(facts: Mapping[str, Any]) -> type[BaseException]:
    """The first class in the exception's MRO that is a builtin or in `mulligan.errors`."""
    for module, qualname in facts["classes"]:
        names = {"builtins": builtins, "mulligan.errors": errors}.get(module)
        known = vars(names).get(qualname) if names is not None else None
        if isinstance(known, type) and issubclass(known, BaseException):
            return known
    return Exception


def _make_class(facts: Mapping[str, Any], base: type) -> type[Any]:
    """A class without code that has the same names in its MRO, down to a known base."""
    names = [(str(module), str(qualname)) for module, qualname in facts["classes"]]
    known = (base.__module__, base.__qualname__)
    unknown = names[: names.index(known)] if known in names else names
    for module, qualname in reversed([name for name in unknown if name[0] != "builtins"]):
        body: dict[str, Any] = {"__module__": module, "__qualname__": qualname}
        if issubclass(base, BaseException) and not issubclass(base, errors.ToolError):
            body["__str__"] = lambda _: facts["text"]
        base = type(qualname.rpartition(".")[2], (base,), body)
    return base


def _message(facts: Mapping[str, Any]) -> str:
    message = facts["fields"].get("message")
    return message if isinstance(message, str) else str(facts["text"])


def _error_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    known = {name: fields[name] for name in errors.ErrorFields.__annotations__ if name in fields}
    if isinstance(known.get("problems"), list):
        known["problems"] = tuple(errors.Problem(*one) for one in known["problems"])
    return known


def _rebuild_object(facts: Mapping[str, Any]) -> object:
    made = _make_class(facts, _HeldObject)()
    made.__dict__.update(facts["fields"])
    return made


class _HeldObject:
    """An object that an exception holds."""


def _rebuild_as_loaded(
    facts: Mapping[str, Any], base: type[BaseException], arguments: tuple[Any, ...]
) -> BaseException | None:
    """An exception of the original class, if it is loaded here and neither creating nor reading it runs its code."""
    module, qualname = facts["classes"][0]
    loaded: Any = sys.modules.get(module)
    for name in qualname.split("."):
        loaded = vars(loaded).get(name) if type(loaded) in (ModuleType, type) else None
    if type(loaded) is not type or not issubclass(loaded, base):
        return None
    subclasses = loaded.__mro__[: loaded.__mro__.index(base)]
    special = {name for cls in subclasses for name in vars(cls) if name.startswith("__")}
    if not special <= _HARMLESS_NAMES:
        return None
    try:
        made = base.__new__(loaded, *arguments)
        base.__init__(made, *arguments)
    except Exception:
        return None
    return made if str(made) == facts["text"] else None


def _construct(cls: type[BaseException], arguments: tuple[Any, ...]) -> BaseException:
    try:
        return cls(*arguments)
    except Exception:
        return cls.__new__(cls)


def _reference(handler: Any) -> tuple[str, str] | None:
    """The module and name by which another process can import a function, or None."""
    module, qualname = getattr(handler, "__module__", None), getattr(handler, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(qualname, str) or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return (module, qualname) if found is handler or getattr(found, "handler", None) is handler else None


def _pickle_handler(tool: Tool, where: str) -> bytes:
    try:
        return _pickle(tool.handler)
    except Exception as error:
        raise UsageError(
            f"tool {tool.name!r} {where}, but its function cannot be sent to a separate process "
            f"({type(error).__name__}: {safe_str(error, 200)}); define it at the top level of a module"
        ) from error


def _pickle_arguments(tool: Tool, bound: dict[str, Any], where: str) -> bytes:
    try:
        return _pickle(bound)
    except Exception as pickle_error:
        for name, value in bound.items():
            try:
                _pickle(value)
            except Exception as error:
                raise UsageError(
                    f"tool {tool.name!r} {where}, but the value for its parameter {name!r} cannot be sent to a "
                    f"separate process ({type(error).__name__}: {safe_str(error, 200)}); create it inside the tool"
                ) from error
        raise UsageError(f"tool {tool.name!r}: its arguments cannot be sent to a separate process") from pickle_error


def _pickle(value: Any) -> bytes:
    """Pickles a value, by reference if possible; classes and functions of a script are pickled by value."""
    try:
        known = pickle.dumps(value)
        if b"__main__" not in known:
            return known
    except Exception:
        known = b""
    import cloudpickle

    return bytes(cloudpickle.dumps(value))


def value_of_answer(answer: bytes) -> Any:
    """The value of a call that ran elsewhere.

    Args:
        answer: what `run_packed_call` returned.

    Raises:
        ProcessFailed: the answer cannot be read, or the tool could not be loaded there.
        BaseException: the tool's exception.
    """
    try:
        kind, content = read_answer(answer)
        raised = rebuild_exception(content) if kind == "raised" else None
    except Exception as error:
        raise ProcessFailed("unsent", text=f"{type(error).__name__}: {safe_str(error, 500)}") from None
    if kind == "value":
        return content
    if raised is not None:
        if any(issubclass(type(one), MUST_PROPAGATE) for one in leaf_exceptions(raised)):
            raise ProcessFailed("died", content["classes"][0][1], content["text"])
        raise raised
    raise ProcessFailed(safe_str(kind, 20), text=safe_str(content, 500))
