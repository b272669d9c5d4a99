"""The process of a killable tool: loads the tool, runs it once and sends back how it ended.

It is started as a file, so that it imports nothing from mulligan and starts quickly. It reads the request from standard
input and writes the answer to standard output; output of the tool goes to standard error. The answer is JSON, so the
host reads it without running code that this process chose. `encode_answer` writes it, `mulligan.execute.process` reads
it.
"""

from __future__ import annotations

import base64
import importlib
import json
import math
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Mapping
from contextlib import ExitStack
from enum import Enum
from functools import cache, partial
from itertools import islice
from pathlib import PurePath
from typing import Any, BinaryIO

_PLAIN = (str, int, float, bool, bytes, type(None))
_MAX_CHARS = 10_000
_MAX_ITEMS = 32
_MAX_DEPTH = 4
_RESPONSE_FIELDS = ("status_code", "status", "headers", "reason", "code")
_ERRNO_AND_TEXT = 2
_DEEPEST_VALUE = 200
_MOST_NODES = 1_000_000
_STANDARD_TYPES: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("datetime", "datetime", lambda value: value.isoformat()),
    ("datetime", "date", lambda value: value.isoformat()),
    ("datetime", "time", lambda value: value.isoformat()),
    ("datetime", "timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    ("decimal", "Decimal", str),
    ("uuid", "UUID", str),
    ("fractions", "Fraction", lambda value: [value.numerator, value.denominator]),
)


def main() -> None:
    """Answers one request."""
    requests, answers = _streams()
    size = int.from_bytes(requests.read(8), "big")
    request = pickle.loads(requests.read(size))  # noqa: S301 - written by the process that started this one
    sys.path[:] = request["path"]
    if request["deadline"] is not None:
        vars(sys)["_mulligan_deadline"] = request["deadline"]  # `mulligan.deadline` reads it when it is imported
    threading.Thread(target=_exit_with_parent, args=(requests,), daemon=True).start()
    answer = _limited_answer(request)
    for stream in (sys.stdout, sys.stderr):
        _quietly(stream.flush)
    answers.write(len(answer).to_bytes(8, "big"))
    answers.write(answer)
    answers.flush()
    os._exit(0)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes to the parent process, separate from the tool's own standard streams."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _exit_with_parent(requests: BinaryIO) -> None:
    """Ends this process, and the processes that it started, when its parent ends."""
    requests.read(1)
    if os.name == "posix":
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _limited_answer(request: Mapping[str, Any]) -> bytes:
    return answer(request, partial(_limit, request["memory"], request["cpu"]))


def answer(request: Mapping[str, Any], limit: Callable[[], None] = lambda: None) -> bytes:
    """Loads a tool, runs it once and says how it ended.

    Args:
        request: the tool and its arguments.
        limit: called when the tool is loaded, before it runs.
    """
    with ExitStack() as stack:
        try:
            handler, arguments = _load(request)
            for module, qualname, given in request.get("within", ()):
                stack.enter_context(_find(module, qualname)(*given))
        except BaseException as error:
            return encode_answer("unloaded", f"{type(error).__name__}: {_text(error)}")
        out_of_memory()  # encoded while memory is available
        limit()
        try:
            return run(handler, arguments, request["yielded"])
        except MemoryError:
            return out_of_memory()


def _load(request: Mapping[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    arguments = pickle.loads(request["arguments"])  # noqa: S301
    if request["handler"] is not None:
        return pickle.loads(request["handler"]), arguments  # noqa: S301
    found = _find(*request["reference"])
    return getattr(found, "handler", found), arguments


def _find(module: str, qualname: str) -> Any:
    found: Any = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return found


def _limit(memory: int | None, cpu: float | None) -> None:
    """Limits the memory and CPU time of this process, if the system supports it."""
    try:
        import resource
    except ImportError:
        return
    if memory is not None:
        _quietly(lambda: resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory))))
    if cpu is not None and cpu < math.inf:
        until = math.ceil(time.process_time() + cpu)
        _quietly(lambda: resource.setrlimit(resource.RLIMIT_CPU, (until, until + 1)))


def run(handler: Callable[..., Any], arguments: Mapping[str, Any], yielded: int) -> bytes:
    """Runs a tool once and says how it ended.

    Args:
        handler: the tool's function.
        arguments: its keyword arguments.
        yielded: the maximum number of values of a generator.
    """
    try:
        value = _resolve_value(handler(**arguments), yielded)
    except MemoryError as error:
        traceback.clear_frames(error.__traceback__)
        raise
    except BaseException as error:
        return encode_exception(error)
    return encode_value(value)


def encode_exception(error: BaseException) -> bytes:
    """The answer of a tool that raised an exception."""
    return encode_answer("raised", _describe_exception(error))


@cache
def out_of_memory() -> bytes:
    """The answer of a tool that ran out of memory."""
    return encode_exception(MemoryError())


def encode_value(value: Any) -> bytes:
    """The answer of a tool that returned a value; that it cannot be sent, if so."""
    try:
        return encode_answer("value", value)
    except MemoryError:
        raise
    except BaseException as error:
        return encode_answer("unsent", f"{type(value).__name__}: {_text(error)}")


def _resolve_value(value: Any, yielded: int) -> Any:
    """The result of an awaitable or a generator; any other value unchanged."""
    if isinstance(value, Generator):
        from mulligan.execute.sync_driver import consume

        return consume(value, yielded)
    if isinstance(value, (Awaitable, AsyncGenerator)):
        import asyncio

        from mulligan.execute.async_driver import resolve_value

        return asyncio.run(resolve_value(value, yielded))
    return value


def _describe_exception(error: BaseException, depth: int = _MAX_DEPTH) -> dict[str, Any]:
    """Describes an exception as data: the names of its classes, its text, and the data that it holds."""
    cause = error.__cause__
    members = getattr(error, "exceptions", ()) if isinstance(error, BaseExceptionGroup) else ()
    return {
        "classes": _classes(error),
        "text": _text(error),
        "args": [_sendable(one) for one in _arguments(error)[:_MAX_ITEMS]],
        "fields": _fields(error, _MAX_DEPTH),
        "traceback": _traceback(error),
        "cause": _describe_exception(cause, depth - 1) if cause is not None and depth > 0 else None,
        "members": [_describe_exception(one, depth - 1) for one in members[:_MAX_ITEMS]] if depth > 0 else [],
    }


def _traceback(error: BaseException) -> str:
    """The last frames of the tool's own code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return "".join(traceback.format_tb(trace, limit=-12))[-_MAX_CHARS:]


def _arguments(error: BaseException) -> tuple[Any, ...]:
    """The arguments of an exception, including the paths of an OSError, which are not in `args`."""
    if isinstance(error, OSError) and len(error.args) == _ERRNO_AND_TEXT and error.filename is not None:
        paths = (error.filename,) if error.filename2 is None else (error.filename, None, error.filename2)
        return (*error.args, *paths)
    return error.args


def _classes(value: object) -> list[list[str]]:
    return [[str(cls.__module__), str(cls.__qualname__)] for cls in type(value).__mro__[:_MAX_ITEMS]]


def _fields(value: object, depth: int) -> dict[str, Any]:
    """The stored attributes of an object, and its properties that describe a response."""
    stored = dict(list(getattr(value, "__dict__", {}).items())[:_MAX_ITEMS])
    for name in _RESPONSE_FIELDS:
        found = _quietly(partial(getattr, value, name))
        if found is not None and not callable(found):
            stored.setdefault(name, found)
    return {name: _sendable(one, depth - 1) for name, one in stored.items() if not name.startswith("__")}


def _sendable(value: Any, depth: int = _MAX_DEPTH) -> Any:
    """The part of a value that can be sent; for an object, its stored attributes."""
    if type(value) in _PLAIN:
        return value[:_MAX_CHARS] if isinstance(value, (str, bytes)) else value
    if depth <= 0 or callable(value):
        return None
    if isinstance(value, BaseException):
        return HeldObject("exception", _describe_exception(value, depth - 2))
    if isinstance(value, (list, tuple)):
        return [_sendable(one, depth - 1) for one in value[:_MAX_ITEMS]]
    if isinstance(value, Mapping):
        items = _quietly(lambda: list(islice(value.items(), _MAX_ITEMS))) or []
        return {name: _sendable(one, depth - 1) for name, one in items if type(name) in _PLAIN}
    known = _quietly(lambda: known_value(value))
    return (
        known
        if known is not None
        else HeldObject("object", {"classes": _classes(value), "fields": _fields(value, depth)})
    )


class HeldObject:
    """The description of an object, or of another exception, that an exception holds."""

    def __init__(self, node: str, facts: dict[str, Any]) -> None:
        self.node, self.facts = node, facts


def _text(error: BaseException) -> str:
    return _quietly(lambda: str(error)[:_MAX_CHARS]) or ""


def _quietly(function: Callable[[], Any]) -> Any:
    """The result of a function, or None if it raises."""
    try:
        return function()
    except Exception:
        return None


def encode_answer(kind: str, value: Any) -> bytes:
    """An answer as JSON. Nested values are kept in one list and refer to each other by index, so nesting stays flat.

    Args:
        kind: how the tool ended.
        value: JSON types, tuples, sets, bytes, dates, or an object that can be converted to these.
    """
    nodes: list[list[Any]] = []
    item = _encode(value, nodes, 0)
    return json.dumps({"kind": kind, "item": item, "nodes": nodes}, separators=(",", ":")).encode()


def _encode(value: Any, nodes: list[list[Any]], depth: int) -> Any:
    """A value of JSON unchanged; for any other value, the index of its node in a list. Inner nodes come first."""
    kind = type(value)
    if kind in (str, int, float, bool, type(None)):
        return value
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return int.__int__(value)
    if issubclass(kind, float):
        return float.__float__(value)
    if depth > _DEEPEST_VALUE:
        raise ValueError("it is nested too deeply or contains itself")
    if len(nodes) > _MOST_NODES:
        raise ValueError("it contains too many values")
    name, content = known_node(value) or _encode_container(value, nodes, depth + 1)
    if name is None:
        return _encode(content, nodes, depth + 1)
    nodes.append([name, content])
    return [len(nodes) - 1]


def _encode_container(value: Any, nodes: list[list[Any]], depth: int) -> tuple[str | None, Any]:
    """The type name of a container and its encoded content. For other objects, None and a value that is equivalent."""
    if isinstance(value, BaseException):  # a failure that the tool returns
        return "exception", _encode(_describe_exception(value), nodes, depth)
    if isinstance(value, HeldObject):
        return value.node, _encode(value.facts, nodes, depth)
    if isinstance(value, Mapping):
        return "dict", [_encode(one, nodes, depth) for item in value.items() for one in item]
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return kind.__name__, [_encode(one, nodes, depth) for one in value]
    if isinstance(value, Collection) and not hasattr(type(value), "model_dump"):
        return "list", [_encode(one, nodes, depth) for one in value]
    return None, _unwrap(value)


def _unwrap(value: Any) -> Any:
    """An object as an equivalent mapping, list or value."""
    if isinstance(value, Enum):
        return value.value
    if hasattr(type(value), "__dataclass_fields__"):
        return {name: getattr(value, name) for name in type(value).__dataclass_fields__ if hasattr(value, name)}
    for name, options in (("model_dump", {"mode": "json"}), ("tolist", {})):
        method = getattr(type(value), name, None)
        if callable(method):
            return method(value, **options)
    if hasattr(type(value), "__attrs_attrs__"):
        return {field.name: getattr(value, field.name) for field in type(value).__attrs_attrs__}
    raise TypeError("values of this type cannot be sent; return a JSON value or a dataclass")


def known_value(value: Any) -> Any:
    """A value of the standard library that can be sent, unchanged; None for any other."""
    return value if known_node(value) is not None else None


def known_node(value: Any) -> tuple[str, Any] | None:
    """A value of the standard library as a type name and a JSON value; None for any other."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return "bytearray" if isinstance(value, bytearray) else "bytes", base64.b64encode(value).decode()
    if isinstance(value, PurePath):
        return "path", str(value)
    module = type(value).__module__
    for wanted, name, write in _STANDARD_TYPES:
        cls = getattr(sys.modules.get(wanted), name, None)
        if cls is not None and isinstance(value, cls):
            return name.lower(), write(value)
    return ("complex", [value.real, value.imag]) if module == "builtins" and isinstance(value, complex) else None


if __name__ == "__main__":
    main()
