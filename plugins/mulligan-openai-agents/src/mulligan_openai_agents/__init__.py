"""mulligan in the OpenAI Agents SDK: `wrap(agent)` guards its tools, `run_config()` answers unknown names."""

from mulligan_openai_agents.agents import wrap
from mulligan_openai_agents.runs import RunStopped, run_config

__all__ = ["RunStopped", "run_config", "wrap"]
