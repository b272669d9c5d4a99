"""One fault of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """One fault.

    Attributes:
        name: a short description, for test ids and assertion messages.
        make: creates a new exception, value or message.
    """

    name: str
    make: Callable[[], Any]

    def __str__(self) -> str:
        return self.name
