"""The process of a killable tool: it loads the tool, runs it once, and sends back how it ended.

Started as a file, so that it imports nothing of mulligan and begins quickly. Requests come on its standard input and the
answer leaves by its standard output; what the tool itself prints goes to standard error.
"""

from __future__ import annotations

import importlib
import math
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from typing import Any, BinaryIO

_PLAIN = (str, int, float, bool, bytes, type(None))
_LONGEST = 10_000
_MOST = 32
_DEEPEST = 4


def main() -> None:
    """Answers the one request."""
    requests, answers = _streams()
    size = int.from_bytes(requests.read(8), "big")
    request = pickle.loads(requests.read(size))  # noqa: S301 - written by the process that started this one
    sys.path[:] = request["path"]
    if request["deadline"] is not None:
        vars(sys)["_mulligan_deadline"] = request["deadline"]  # `mulligan.deadline` finds it there, once it is imported
    threading.Thread(target=_end_with, args=(requests,), daemon=True).start()
    answer = _answer(request)
    for stream in (sys.stdout, sys.stderr):
        _quietly(stream.flush)
    answers.write(len(answer).to_bytes(8, "big"))
    answers.write(answer)
    answers.flush()
    os._exit(0)


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """The two ends to the process that started this one, out of the way of whatever the tool reads and prints."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _end_with(requests: BinaryIO) -> None:
    """Ends this process, and those that it started, when the one that started it is gone."""
    requests.read(1)
    if os.name == "posix":
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def _answer(request: Mapping[str, Any]) -> bytes:
    try:
        handler, arguments = _load(request)
    except BaseException as error:
        return pickle.dumps(("unloaded", f"{type(error).__name__}: {_text(error)}"))
    out_of_memory = pickle.dumps(("raised", _told(MemoryError())))  # made while there is memory
    _limit(request["memory"], request["cpu"])
    try:
        return _run(handler, arguments, request["yielded"])
    except MemoryError:
        return out_of_memory


def _load(request: Mapping[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    arguments = pickle.loads(request["arguments"])  # noqa: S301
    if request["handler"] is not None:
        return pickle.loads(request["handler"]), arguments  # noqa: S301
    module, qualname = request["reference"]
    found: Any = importlib.import_module(module)
    for name in qualname.split("."):
        found = getattr(found, name)
    return getattr(found, "handler", found), arguments


def _limit(memory: int | None, cpu: float | None) -> None:
    """Bounds this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    if memory is not None:
        _quietly(lambda: resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory))))
    if cpu is not None and cpu < math.inf:
        until = math.ceil(time.process_time() + cpu)
        _quietly(lambda: resource.setrlimit(resource.RLIMIT_CPU, (until, until + 1)))


def _run(handler: Callable[..., Any], arguments: dict[str, Any], yielded: int) -> bytes:
    try:
        value = _settled(handler(**arguments), yielded)
    except MemoryError as error:
        traceback.clear_frames(error.__traceback__)
        raise
    except BaseException as error:
        return pickle.dumps(("raised", _told(error)))
    try:
        return pickle.dumps(("value", _pickled(value)))
    except MemoryError:
        raise
    except BaseException as error:
        return pickle.dumps(("unsent", f"{type(value).__name__}: {_text(error)}"))


def _settled(value: Any, yielded: int) -> Any:
    """What comes of a value that is to be awaited or iterated."""
    if isinstance(value, Generator):
        from mulligan.driving.drivers import consume

        return consume(value, yielded)
    if isinstance(value, (Awaitable, AsyncGenerator)):
        import asyncio

        from mulligan.driving.async_driver import settled

        return asyncio.run(settled(value, yielded))
    return value


def _pickled(value: Any) -> bytes:
    try:
        return pickle.dumps(value)
    except MemoryError:
        raise
    except Exception:
        import cloudpickle

        return bytes(cloudpickle.dumps(value))


def _told(error: BaseException, depth: int = _DEEPEST) -> dict[str, Any]:
    """An exception as plain values, and pickled where it can be."""
    cause = error.__cause__
    members = getattr(error, "exceptions", ()) if isinstance(error, BaseExceptionGroup) else ()
    return {
        "classes": [(str(cls.__module__), str(cls.__qualname__)) for cls in type(error).__mro__],
        "text": _text(error),
        "args": [_plain(one) for one in error.args[:_MOST]],
        "fields": {name: _plain(one) for name, one in list(vars(error).items())[:_MOST] if not name.startswith("__")},
        "pickled": _quietly(lambda: _pickled(error)),
        "traceback": "".join(traceback.format_tb(error.__traceback__, limit=-12))[-_LONGEST:],
        "cause": _told(cause, depth - 1) if cause is not None and depth else None,
        "members": [_told(one, depth - 1) for one in members[:_MOST]] if depth else [],
    }


def _plain(value: Any, depth: int = _DEEPEST) -> Any:
    """The part of a value that JSON knows."""
    if type(value) in _PLAIN:
        return value[:_LONGEST] if isinstance(value, (str, bytes)) else value
    if depth and isinstance(value, (list, tuple)):
        return [_plain(one, depth - 1) for one in value[:_MOST]]
    if depth and isinstance(value, dict):
        return {name: _plain(one, depth - 1) for name, one in list(value.items())[:_MOST] if type(name) in _PLAIN}
    return None


def _text(error: BaseException) -> str:
    return _quietly(lambda: str(error)[:_LONGEST]) or ""


def _quietly(function: Callable[[], Any]) -> Any:
    """What a function gives, or None where it raises."""
    try:
        return function()
    except Exception:
        return None


if __name__ == "__main__":
    main()
