"""What is done both with and without `await` is written once, as steps; of the two drivers one awaits their values."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Steps: TypeAlias = Generator[Callable[[], Any], Any, T]
"""Each step is a function to call: its value is sent back, what it raises is thrown."""


def drive(steps: Steps[T]) -> T:
    """Takes the steps, and returns what they return."""
    try:
        step = next(steps)
        while True:
            try:
                value = step()
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def adrive(steps: Steps[T]) -> T:
    """`drive`, awaited."""
    try:
        step = next(steps)
        while True:
            try:
                value = await step()
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
