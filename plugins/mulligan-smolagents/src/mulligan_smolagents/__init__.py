"""mulligan for smolagents.

from smolagents import ToolCallingAgent
from mulligan_smolagents import guard

agent = guard(ToolCallingAgent(tools=[read_file], model=model), timeout=20)
"""

from mulligan_smolagents.calls import RunStopped
from mulligan_smolagents.guard import guard

__all__ = ["RunStopped", "guard"]
