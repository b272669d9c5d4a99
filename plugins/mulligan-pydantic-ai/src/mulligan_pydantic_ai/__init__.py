"""mulligan in Pydantic AI: `Agent(..., capabilities=[Mulligan()])`."""

from mulligan_pydantic_ai.calls import RunStopped
from mulligan_pydantic_ai.capability import Mulligan

__all__ = ["Mulligan", "RunStopped"]
