"""JSON Pointers (RFC 6901): the place of a value within arguments, a body or a schema."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def escape(name: object) -> str:
    """One step of a pointer (section 3): `a/b` becomes `a~1b`.

    Args:
        name: the key of an object, or the index of an item.
    """
    step = str(name)
    return step.replace("~", "~0").replace("/", "~1") if "~" in step or "/" in step else step


def pointer_of(steps: Iterable[object]) -> str:
    """The pointer along keys and indexes; empty for the whole value.

    Args:
        steps: such as `("parts", 0)`.
    """
    return "".join(f"/{escape(step)}" for step in steps)


def steps_of(pointer: str) -> list[str]:
    """The keys and indexes along a pointer (section 4), unescaped; empty for the whole value.

    Args:
        pointer: such as `/parts/0/a~1b`; the `#` of a URI fragment may stand before it.
    """
    return [_unescape(step) for step in pointer.removeprefix("#").split("/")[1:]]


def argument_of(pointer: str) -> str:
    """The argument that a pointer leads into; empty for the arguments as a whole.

    Args:
        pointer: a pointer within the arguments of a call.
    """
    step = pointer[1:].partition("/")[0]
    return _unescape(step) if "~" in step else step


def value_at(value: Any, pointer: str) -> Any:
    """The part of a JSON value at a pointer.

    Args:
        value: the whole value.
        pointer: the pointer.

    Raises:
        LookupError, TypeError or ValueError: it leads nowhere.
    """
    for step in steps_of(pointer):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _unescape(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~") if "~" in step else step
