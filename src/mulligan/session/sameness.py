"""When two calls, and two failures, count as the same. What is kept of them are hashes, never an argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from mulligan.errors import ToolError, ToolNotFoundError
from mulligan.untrusted.text import safe_str
from mulligan.validate.numbers import whole

_LONGEST, _LEAVES, _PROBLEMS = 500, 64, 8
_SHORTEST_PART = 3


def digest(text: str) -> str:
    """A hash of a text.

    Args:
        text: any text.
    """
    import hashlib

    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def call_key(name: str, arguments: Mapping[str, Any]) -> str:
    """A hash of a call: equal arguments give equal keys, however they were written.

    Args:
        name: the tool's name.
        arguments: its arguments as JSON values.
    """
    import json

    try:
        text = json.dumps(_canonical(arguments), sort_keys=True, default=_digits)
    except (TypeError, ValueError, RecursionError):
        text = safe_str(arguments)
    return digest(f"{name}\0{text}")


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _canonical(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_canonical(item) for item in value]
    return whole(value) if isinstance(value, float) and value.is_integer() else value


def _digits(value: object) -> str:
    """The digits of a number that no float holds."""
    from decimal import Decimal

    if type(value) is not Decimal:
        raise TypeError
    return str(value)


def name_keys(name: object, error: ToolError) -> list[str]:
    """Hashes of a name that no tool has: of its letters, and of the tool that it most likely means.

    Args:
        name: what the model wrote.
        error: what is known of it.
    """
    letters = "".join(filter(str.isalnum, safe_str(name, _LONGEST).casefold()))
    meant = error.suggestions[:1] if isinstance(error, ToolNotFoundError) and error.confident else ()
    return [digest(f"name\0{letters}"), *(digest(f"meant\0{one}") for one in meant)]


def value_key(error: ToolError) -> str | None:
    """A hash of what a failure is about, or None: the resource, or the places and values of all problems.

    Numbers as text, case and white space make no difference to the value of an argument that does not fit.

    Args:
        error: what the failure means.
    """
    kind = type(error).__name__
    if error.resource is not None:
        return digest(f"{kind}\0{safe_str(error.resource, _LONGEST)}")
    problems = sorted({f"{problem.pointer}\0{_loose(problem.got)}" for problem in error.problems[:_PROBLEMS]})
    return digest("\0".join([kind, *problems])) if problems else None


def _loose(got: str | None) -> str:
    text = (got or "")[:_LONGEST].strip(" \"'\t").replace("\\n", " ").casefold()
    text = " ".join(text.replace("\\t", " ").split())
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def held_by(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The values of a call with the names of their arguments; the place in a list makes no difference.

    Args:
        arguments: the arguments as JSON values.
    """
    return islice(_leaves("", arguments), _LEAVES)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(f"{name}/{key}", item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(name, item)
    elif isinstance(value, (str, int)):
        yield name, str(value)[:_LONGEST]


def traces(error: ToolError, arguments: Mapping[str, Any]) -> list[str]:
    """Hashes of the arguments that are the failing resource, so that a call with one of them is known beforehand.

    Args:
        error: what the failure means.
        arguments: the arguments of the call that failed.
    """
    if error.resource is None:
        return []
    resource = safe_str(error.resource, _LONGEST)
    return [trace(name, value) for name, value in held_by(arguments) if _is_meant(value, resource)]


def _is_meant(value: str, resource: str) -> bool:
    """Whether an argument is the resource, or its path without the folder that the tool works in."""
    part = value.removeprefix("./")
    return value == resource or (len(part) >= _SHORTEST_PART and resource.endswith(f"/{part}"))


def trace(name: str, value: str) -> str:
    """A hash of one argument.

    Args:
        name: its name, with the names around it.
        value: its value as text.
    """
    return digest(f"{name}={value}")


def result_key(error: ToolError, exception: str | None) -> str:
    """A hash of how a call failed. Its text makes no difference: request ids and times change in it.

    Args:
        error: what the failure means.
        exception: the qualified name of the exception's class, or None.
    """
    pointers = sorted({problem.pointer for problem in error.problems[:_PROBLEMS]})
    parts = (type(error).__name__, error.code, error.http_status, exception, error.resource, *pointers)
    return digest("\0".join(safe_str(part, _LONGEST) for part in parts))
