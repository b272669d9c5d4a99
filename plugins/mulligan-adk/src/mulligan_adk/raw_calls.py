"""What a model wrote as calls in its last message, before anything read it."""

from __future__ import annotations

import json
from contextvars import ContextVar
from typing import Any

import attrs


@attrs.define
class RawCall:
    """One call as the model wrote it; its arguments are None if they are not known."""

    id: str = ""
    name: str = ""
    arguments: str | None = ""

    def read(self) -> dict[str, Any] | None:
        """The arguments, or None if they are no JSON object."""
        try:
            found = json.loads(self.arguments or "")
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


RAW_CALLS: ContextVar[dict[int, RawCall]] = ContextVar("mulligan_adk_calls")
"""The calls of the message by their place in it, as far as the client has read it."""


def start_message() -> None:
    """Begins a new message of the model."""
    RAW_CALLS.set({})
