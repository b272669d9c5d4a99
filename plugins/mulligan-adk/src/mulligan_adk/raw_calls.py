"""What a model wrote as calls in its last message, before anything read it."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any

import attrs


@attrs.define
class RawCall:
    """One call as the model wrote it; its arguments are None if they are not known."""

    id: str
    name: str
    arguments: str | None

    def read(self) -> dict[str, Any] | None:
        """The arguments, or None if they are no JSON object."""
        try:
            found = json.loads(self.arguments or "")
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


_NOTED_CALLS: ContextVar[list[RawCall] | None] = ContextVar("mulligan_adk_calls", default=None)


def start_message() -> None:
    """Begins a new message of the model."""
    _NOTED_CALLS.set([])


def noted_calls() -> list[RawCall]:
    """The calls of the message, as far as they have been noted."""
    return list(_NOTED_CALLS.get() or ())


def note_calls(calls: list[RawCall]) -> None:
    """Notes all calls of the message so far, instead of those that were noted before."""
    kept = _NOTED_CALLS.get()
    if kept is not None:
        kept[:] = calls
