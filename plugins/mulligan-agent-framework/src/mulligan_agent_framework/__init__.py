"""mulligan in Microsoft Agent Framework: `Agent(..., middleware=[Mulligan()])`."""

from mulligan_agent_framework.calls import RunStopped
from mulligan_agent_framework.middleware import Mulligan

__all__ = ["Mulligan", "RunStopped"]
