"""Killable tools: each call runs in a new process, which is killed at the deadline. Its answer is read as data."""

from __future__ import annotations

import base64
import builtins
import datetime
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

from mulligan import errors
from mulligan.deadline import current_deadline
from mulligan.errors import UsageError
from mulligan.execute.steps import ExecutorSaturated, ProcessFailed
from mulligan.execute.thread_pool import current_job
from mulligan.policy import Limits
from mulligan.tools import Tool
from mulligan.untrusted.json_values import is_nested_deeper
from mulligan.untrusted.objects import leaf_exceptions
from mulligan.untrusted.text import MUST_PROPAGATE, safe_str

_MAX_LEVELS = 8
_HARMLESS_NAMES = frozenset(
    ("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__init__", "__annotations__")
) | {"__firstlineno__", "__static_attributes__", "__annotate__", "__orig_bases__", "__parameters__"}
_CHILD = str(Path(__file__).with_name("process_child.py"))
_ENDING_SECONDS = 1.0
_MOST_BYTES = 256 << 20


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
        base, arguments = (base, (facts["text"], members)) if members else (Exception, arguments)
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


def make_process(tool: Tool, bound: Mapping[str, Any], limits: Limits) -> Process:
    """The executor that runs a killable tool.

    Args:
        tool: the tool.
        bound: the keyword arguments of the call.
        limits: bounds on memory, CPU time and yielded values.

    Raises:
        UsageError: the tool's function or an argument cannot be sent to another process.
    """
    reference = _reference(tool.handler)
    return Process(
        {
            "path": list(sys.path),
            "memory": limits.process_memory,
            "cpu": limits.process_cpu,
            "yielded": limits.yielded_values,
            "within": (),
            "reference": reference,
            "handler": _pickle_handler(tool) if reference is None else None,
            "arguments": _pickle_arguments(tool, dict(bound)),
        }
    )


def _reference(handler: Any) -> tuple[str, str] | None:
    """The module and name by which another process can import a function, or None."""
    module, qualname = getattr(handler, "__module__", None), getattr(handler, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(qualname, str) or module == "__main__":
        return None
    found: Any = sys.modules.get(module)
    for name in qualname.split("."):
        found = getattr(found, name, None)
    return (module, qualname) if found is handler or getattr(found, "handler", None) is handler else None


def _pickle_handler(tool: Tool) -> bytes:
    try:
        return _pickle(tool.handler)
    except Exception as error:
        raise UsageError(
            f"tool {tool.name!r} is killable, but its function cannot be sent to a separate process "
            f"({type(error).__name__}: {safe_str(error, 200)}); define it at the top level of a module"
        ) from error


def _pickle_arguments(tool: Tool, bound: dict[str, Any]) -> bytes:
    try:
        return _pickle(bound)
    except Exception as pickle_error:
        for name, value in bound.items():
            try:
                _pickle(value)
            except Exception as error:
                raise UsageError(
                    f"tool {tool.name!r} is killable, but the value for its parameter {name!r} cannot be sent to a "
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


class Process:
    """An executor that runs a tool in a new process on each call.

    Args:
        request: the message to the process.
    """

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request

    def within(self, context: Callable[..., AbstractContextManager[Any]], *arguments: Any) -> Process:
        """The same, where the tool runs inside a context manager of its process: for what context variables do elsewhere.

        A middleware of a killable tool can put it around the tool. If the context manager fails, the tool is not run.

        Args:
            context: makes the context manager; a function at the top level of a module, which is imported there.
            arguments: its arguments, which can be pickled.
        """
        entered = (*self._request["within"], (context.__module__, context.__qualname__, arguments))
        return Process({**self._request, "within": entered})

    def __call__(self) -> Any:
        """Runs the tool, and returns its value.

        Raises:
            ProcessFailed: the process gave no answer.
            ExecutorSaturated: no process can be started.
            BaseException: the tool's exception.
        """
        deadline, job, child = current_deadline(), current_job(), _Child()
        request = pickle.dumps({**self._request, "deadline": None if deadline is None else deadline.at})
        if job is not None:
            job.set_stop(child.kill)
        try:
            answer = child.ask(request)
        finally:
            child.end()
            if job is not None:
                job.set_stop(None)
        return _value_or_raise(answer)


class _Child:
    """One process. It can be killed from any thread, together with the processes that it started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False

    def ask(self, request: bytes) -> bytes:
        """Starts the process and waits for its answer.

        Args:
            request: the message to the process.

        Raises:
            ProcessFailed: the process gave no answer.
            ExecutorSaturated: the process cannot be started.
        """
        process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(len(request).to_bytes(8, "big") + request)
            process.stdin.flush()
        except OSError:
            raise self._process_failed(process) from None
        header = process.stdout.read(8)
        size = int.from_bytes(header, "big") if len(header) == 8 else 0
        if size > _MOST_BYTES:
            raise ProcessFailed("unsent", text=f"a result of {size:,} bytes; at most {_MOST_BYTES:,} are allowed")
        answer = process.stdout.read(size)
        if not size or len(answer) < size:
            raise self._process_failed(process)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._killed:
                raise ProcessFailed("died", "SIGKILL")
            try:
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and file
                    [sys.executable, "-P", _CHILD],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise ExecutorSaturated(f"no process can be started ({error}); nothing was run") from None
            return self._process

    @staticmethod
    def _process_failed(process: subprocess.Popen[bytes]) -> ProcessFailed:
        try:
            status = process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            return ProcessFailed("died", "it closed its output")
        if status >= 0:
            return ProcessFailed("died", f"exit status {status}")
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return ProcessFailed("cpu" if name == "SIGXCPU" else "died", name)

    def kill(self) -> None:
        """Kills the process and those that it started, without waiting for their end."""
        with self._lock:
            if self._killed:
                return
            self._killed = True
            if self._process is None:
                return
            try:
                if os.name == "posix":
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
            except OSError:
                return  # it has already ended

    def end(self) -> None:
        """Kills the process if it still runs, and reaps it so that no zombie remains."""
        self.kill()
        if self._process is not None:
            for stream in (self._process.stdin, self._process.stdout):
                try:
                    if stream is not None:
                        stream.close()
                except OSError:
                    continue
            self._process.wait()


def _value_or_raise(answer: bytes) -> Any:
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
