"""What a model wrote as calls in its last message, before anybody read it."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any

import attrs


@attrs.define
class Raw:
    """One call as the model wrote it.

    Attributes:
        id: its id.
        name: the name that was called.
        arguments: what was written as arguments, or None where that is not known.
    """

    id: str
    name: str
    arguments: str | None

    def read(self) -> dict[str, Any] | None:
        """The arguments, or None where they are no JSON object."""
        try:
            found = json.loads(self.arguments or "")
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


_HEARD: ContextVar[list[Raw] | None] = ContextVar("mulligan_adk_heard", default=None)


def listen() -> None:
    """Begins a new message of the model."""
    _HEARD.set([])


def heard() -> list[Raw]:
    """The calls of the message, as far as somebody has noted them."""
    return list(_HEARD.get() or ())


def note(calls: list[Raw]) -> None:
    """Notes the calls of the message, instead of those that were noted before.

    Args:
        calls: every call that was seen so far.
    """
    kept = _HEARD.get()
    if kept is not None:
        kept[:] = calls
