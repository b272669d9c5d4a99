"""Exceptions: plain ones, unreadable ones, imposters of a provider's own classes, and variants of a provider's failure.

In a variant, one field after the other holds a value that no provider would send.
"""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from functools import partial
from types import SimpleNamespace
from typing import Any

from mulligan.testing.faults.texts import ORDER, SECRETS, TEXTS, WORDS
from mulligan.testing.faults.values import Anything, Fault, Opaque, nested_lists

FIELDS = (
    *("args", "body", "cause", "code", "codes", "context", "data", "detail", "details", "error", "errors", "errno"),
    *(
        "headers",
        "info",
        "kind",
        "message",
        "msg",
        "name",
        "param",
        "path",
        "reason",
        "request",
        "resource",
        "response",
    ),
    *("retry_after", "returncode", "status", "status_code", "stderr", "stdout", "strerror", "text", "type", "url"),
)
"""Fields that libraries put on their exceptions; imposters have them all, and every other one too."""
_PLAIN: Mapping[str, Callable[[], BaseException]] = {
    "a missing file": lambda: FileNotFoundError(errno.ENOENT, "No such file or directory", "docs/a.md"),
    "a missing file without a number": lambda: FileNotFoundError("docs/a.md"),
    "a file that may not be read": lambda: PermissionError(errno.EACCES, "Permission denied", "docs/a.md"),
    "a full disk": lambda: OSError(errno.ENOSPC, "No space left on device"),
    "a refused connection": lambda: ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"),
    "a dropped connection": lambda: ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    "a timeout": lambda: TimeoutError("timed out"),
    "a missing key": lambda: KeyError("name"),
    "a wrong value": lambda: ValueError("not a number"),
    "nothing said": RuntimeError,
    "a text that cannot be decoded": lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    "a missing module": lambda: ModuleNotFoundError("No module named 'x'", name="x"),
    "the end of an iterator": StopIteration,
    "no memory": MemoryError,
    "too deep a recursion": lambda: RecursionError("maximum recursion depth exceeded"),
    "the interpreter is left": lambda: SystemExit(2),
    "a cancellation": asyncio.CancelledError,
    "an error in a group": lambda: ExceptionGroup("one failed", [TimeoutError("timed out")]),
}
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


class UnreadableError(Exception):
    """An exception without a readable text or representation."""

    def __str__(self) -> str:
        raise RuntimeError("no text for you")

    __repr__ = __str__


class ExitingError(Exception):
    """An exception that leaves the interpreter when it is read."""

    def __str__(self) -> str:
        raise SystemExit(3)


class NonTextError(Exception):
    """An exception whose text is not a string."""

    def __str__(self) -> Any:
        return 17  # noqa: PLE0307 - that is what is wrong with it


class UnreadableFieldsError(Exception):
    """An exception of which no field can be read."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return super().__getattribute__(name)
        raise RuntimeError(f"no {name} for you")


class LyingError(Exception):
    """An exception that says it is of another class."""

    @property
    def __class__(self) -> Any:
        return KeyboardInterrupt

    @__class__.setter
    def __class__(self, other: Any) -> None:
        raise TypeError(other)


class UnequalError(Exception):
    """An exception that cannot be compared, hashed or taken for true."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compares with nothing")

    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")


def http_error(**fields: Any) -> Exception:
    """An exception with a response, as HTTP clients raise them.

    Args:
        fields: those of the response.
    """
    error = Exception("the request failed")
    error.response = SimpleNamespace(**fields)  # type: ignore[attr-defined]
    return error


def _cause_chain(depth: int) -> Exception:
    error = ValueError("the first")
    for number in range(depth):
        later = ValueError(f"number {number}")
        later.__cause__ = error
        error = later
    return error


def _cyclic_causes() -> Exception:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    return first


def _nested_groups(depth: int) -> Exception:
    error: Exception = ValueError("the innermost")
    for _ in range(depth):
        error = ExceptionGroup("wrapped", [error])
    return error


def _error_with_notes() -> Exception:
    error = ValueError("with notes")
    error.__notes__ = [ORDER, 3, None]  # type: ignore[list-item]
    return error


_HOSTILE: Mapping[str, Callable[[], BaseException]] = {
    "an exception that cannot be read": UnreadableError,
    "an exception that leaves when it is read": ExitingError,
    "an exception whose text is a number": NonTextError,
    "an exception of which no field can be read": UnreadableFieldsError,
    "an exception that lies about its class": LyingError,
    "an exception that cannot be compared": UnequalError,
    "arguments of every type": lambda: Exception(None, 3, Opaque(), [1], {"a": b"\xff"}, Anything()),
    "a long chain of causes": lambda: _cause_chain(3_000),
    "causes in a circle": _cyclic_causes,
    "a deep group": lambda: _nested_groups(500),
    "a wide group": lambda: ExceptionGroup("many", [ValueError(str(number)) for number in range(1_000)]),
    "odd notes": _error_with_notes,
    "a status that is a text": lambda: http_error(status_code="404x", headers={}, text="x"),
    "a status that is a fraction": lambda: http_error(status_code=404.5, headers=None),
    "a status beyond all bounds": lambda: http_error(status_code=10**400, headers={}),
    "headers that are a list": lambda: http_error(status_code=429, headers=[("Retry-After", "soon"), 3, None]),
    "headers that are bytes": lambda: http_error(status_code=429, headers={b"Retry-After": b"7", None: None}),
    "a wait that is none": lambda: http_error(status_code=429, headers={"Retry-After": "-1e400"}),
    "a body that is broken": lambda: http_error(status_code=400, headers={}, text='{"error": {"message": '),
    "a body that is deep": lambda: http_error(status_code=400, headers={}, text="[" * 20_000),
    "a body that is no text": lambda: http_error(status_code=400, headers={}, content=b"\xff\xfe\x00"),
    "a body that is huge": lambda: http_error(status_code=400, headers={}, text="x" * 2_000_000),
    "a response that has everything": lambda: http_error(status_code=Anything(), headers=Anything(), json=Anything()),
}
EXCEPTIONS: tuple[Fault, ...] = (
    *(Fault(name, make) for name, make in _PLAIN.items()),
    *(Fault(name, make) for name, make in _HOSTILE.items()),
    *(Fault(f"text: {name}", partial(RuntimeError, text)) for name, text in TEXTS.items()),
    *(Fault(f"words: {words}", partial(RuntimeError, words)) for words in WORDS),
    *(Fault(f"secret: {name}", partial(RuntimeError, f"{text} was rejected")) for name, text in SECRETS.items()),
)
"""Exceptions of no provider: what Python raises, what cannot be read, and what gives orders."""


def _secrets() -> str:
    return " ".join(SECRETS.values())


_FIELD_VALUES: Mapping[str, Callable[[], Any]] = {
    "nothing at all": lambda: None,
    "a number everywhere": lambda: 17,
    "a huge number everywhere": lambda: 10**400,
    "NaN everywhere": lambda: float("nan"),
    "true everywhere": lambda: True,
    "an empty text everywhere": str,
    "an order everywhere": lambda: ORDER,
    "secrets everywhere": _secrets,
    "a huge text everywhere": lambda: "x" * 200_000,
    "bytes everywhere": lambda: b"\xff\xfe\x00",
    "a list everywhere": lambda: [None, 3, ORDER, {}, []],
    "a mapping everywhere": lambda: {"error": {"code": 3, "message": [ORDER]}, "errors": [None], None: 1},
    "a deep list everywhere": lambda: nested_lists(500),
    "an object everywhere": Opaque,
    "objects with everything": Anything,
}


def imposters(qualified_name: str) -> Iterator[Fault]:
    """Exceptions of a provider's class, by name, whose fields hold values that no provider would send.

    Args:
        qualified_name: such as `github.GithubException`; nothing is imported.
    """
    module, _, name = qualified_name.rpartition(".")
    place = {"__module__": module or "builtins", "__qualname__": name}
    bare = type(name, (Exception,), place)

    def raises(error: Exception, field: str) -> Any:
        if field.startswith("__"):
            raise AttributeError(field)
        raise RuntimeError(f"no {field} for you")

    yield Fault(f"{qualified_name} with no arguments", bare)
    yield Fault(f"{qualified_name} with an order", lambda: bare(ORDER))
    yield Fault(f"{qualified_name} with secrets", lambda: bare(_secrets()))
    yield Fault(f"{qualified_name} with arguments of every type", lambda: bare(None, 3, Opaque(), [1], {"a": b"\xff"}))
    yield Fault(f"{qualified_name} whose fields raise", type(name, (Exception,), {**place, "__getattr__": raises}))
    for what, make in _FIELD_VALUES.items():
        yield Fault(f"{qualified_name} with {what}", _exception_factory(name, place, make))


def _exception_factory(name: str, place: dict[str, str], make: Callable[[], Any]) -> Callable[[], Exception]:
    """Makes exceptions each field of which holds something."""

    def get(error: Exception, field: str) -> Any:
        if field.startswith("__"):
            raise AttributeError(field)
        return make()

    kind = type(name, (Exception,), {**place, "__getattr__": get})

    def made() -> Exception:
        error: Exception = kind(ORDER)
        vars(error).update({field: make() for field in FIELDS if field != "args"})
        return error

    return made


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
