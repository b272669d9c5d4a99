"""What users call: a pipeline takes each call through the stages, a session remembers what happened in a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mulligan.pipeline.pipeline import Pipeline

if TYPE_CHECKING:
    from mulligan.pipeline.session import Session

__all__ = ["Pipeline", "Session"]


def __getattr__(name: str) -> Any:
    """`Session`, which is imported when it is first needed."""
    if name != "Session":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mulligan.pipeline.session import Session

    return Session
