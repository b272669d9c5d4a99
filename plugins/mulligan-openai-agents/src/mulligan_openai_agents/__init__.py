"""mulligan in the OpenAI Agents SDK: `wrap(agent)` guards its tools, `run_config()` answers unknown names."""

from mulligan_openai_agents.agents import wrap
from mulligan_openai_agents.configuration import run_config
from mulligan_openai_agents.runs import RunStopped

__all__ = ["RunStopped", "run_config", "wrap"]
