"""What is done with and without `await` is written once, as a coroutine: without, it has nothing to wait for."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def resolve(value: Any) -> Any:
    """A value, awaited if it has to be.

    Args:
        value: what a function has returned.
    """
    return await value if inspect.isawaitable(value) else value


def run_at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns in which nothing is awaited that waits.

    Args:
        coroutine: has not begun.
    """
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    coroutine.close()
    raise AssertionError("a call without `await` does not wait")
