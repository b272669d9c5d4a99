"""The call of another tool as a step shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class ShownLookup(NamedTuple):
    """A tool that shows what is there.

    Attributes:
        other: its name, safe to show.
        call: the call of it as JSON text; empty if it cannot be given.
        is_direct: whether it reads the missing thing itself, rather than showing which things exist.
    """

    other: str
    call: str
    is_direct: bool = False


Look = Callable[[bool], ShownLookup | None]
"""Finds the tool that shows what exists (True), or the present state (False), and the call of it."""
