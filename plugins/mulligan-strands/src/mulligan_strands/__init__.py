"""mulligan for Strands Agents.

from strands import Agent
from mulligan_strands import MulliganPlugin

agent = Agent(tools=[read_file], plugins=[MulliganPlugin(timeout=20)])
"""

from mulligan_strands.invocations import RunStopped
from mulligan_strands.plugin import MulliganPlugin

__all__ = ["MulliganPlugin", "RunStopped"]
