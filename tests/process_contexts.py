"""Context managers that killable tools of the tests run in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CURRENT: ContextVar[str] = ContextVar("current", default="nothing")


@contextmanager
def current(value: str) -> Iterator[None]:
    """Sets the variable for the tool."""
    token = CURRENT.set(value)
    yield
    print("left", CURRENT.get(), file=sys.stderr)
    CURRENT.reset(token)


@contextmanager
def broken() -> Iterator[None]:
    """Cannot be entered."""
    raise OSError("no carrier")
    yield


def tell() -> str:
    """The variable's value."""
    return CURRENT.get()


async def tell_async() -> str:
    """The same, in an event loop."""
    return CURRENT.get()
